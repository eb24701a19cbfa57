/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine, as far as an unprivileged process sees it.  Everything is
 * optional: what cannot be read stays empty, zero, and is reported as
 * unknown.
 */
#include "report/report.h"

#include <sched.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fdio.h"
#include "base/macro.h"
#include "base/mem.h"

/* What decides when written data goes to disk, and what backends may do. */
static const char *const sysctls[] = {
	"vm.dirty_ratio",
	"vm.dirty_background_ratio",
	"vm.dirty_bytes",
	"vm.dirty_background_bytes",
	"vm.dirty_expire_centisecs",
	"vm.dirty_writeback_centisecs",
	"vm.swappiness",
	"fs.aio-max-nr",
	"kernel.io_uring_disabled",
};

_Static_assert(ARRAY_SIZE(sysctls) <=
		       ARRAY_SIZE(((struct host_info *)NULL)->sysctl),
	       "all sysctls have a place");

static void read_sysctl(struct host_info *host, const char *name)
{
	autofree char *path = mem_printf("/proc/sys/%s", name);
	size_t i = host->nsysctl++;

	for (char *p = path + strlen("/proc/sys/"); *p; p++) {
		if (*p == '.')
			*p = '/';
	}
	host->sysctl[i].name = name;
	if (fdio_read_small(path, host->sysctl[i].value,
			    sizeof(host->sysctl[i].value)) < 0)
		host->sysctl[i].value[0] = '\0';
}

/*
 * Value of the first line "KEY : VALUE" of /proc/cpuinfo.  The key differs
 * between architectures, and not all have one.
 */
static bool read_cpuinfo(const char *key, char *buf, size_t size)
{
	autofp FILE *in = fopen("/proc/cpuinfo", "re");
	autofree char *line = NULL;
	size_t cap = 0, len = strlen(key);

	while (in && getline(&line, &cap, in) >= 0) {
		const char *value = line + len;

		if (strncmp(line, key, len) != 0)
			continue;
		value += strspn(value, " \t");
		if (*value != ':')
			continue;
		value++;
		value += strspn(value, " \t");
		(void)snprintf(buf, size, "%.*s", (int)strcspn(value, "\n"),
			       value);
		return true;
	}
	return false;
}

static void describe_cpu(struct host_info *host)
{
	static const char *const keys[] = { "model name", "cpu", "cpu model",
					    "Model", "uarch", "Hardware" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (read_cpuinfo(keys[i], host->cpu, sizeof(host->cpu)))
			return;
	}
}

/* CPUs this process may run on: what taskset and cpusets leave. */
static unsigned count_cpus(void)
{
	cpu_set_t set;
	long n;

	/* fails with EINVAL on machines with more than 1024 CPUs */
	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return (unsigned)CPU_COUNT(&set);
	n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (unsigned)n : 0;
}

void host_describe(struct host_info *host)
{
	struct utsname uts;
	uint64_t kib;

	memset(host, 0, sizeof(*host));
	if (uname(&uts) == 0)
		(void)snprintf(host->kernel, sizeof(host->kernel), "%s %s %s",
			       uts.sysname, uts.release, uts.machine);
	describe_cpu(host);
	host->cpus = count_cpus();
	if (fdio_read_key("/proc/meminfo", "MemTotal", &kib) == 0)
		host->memory_bytes = kib * 1024;
	for (size_t i = 0; i < ARRAY_SIZE(sysctls); i++)
		read_sysctl(host, sysctls[i]);
}
