/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The life of a client, around its loop.
 *
 * client_main() makes the state, touches all of it, executes the preamble
 * (ONCE), reports ready and sleeps at the gate.  Then it interprets passes
 * until the time or the passes are over.  It leaves with _exit().
 */
#include "run/client.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/control.h"
#include "run/interp.h"

static bool ask_stopping(const void *arg)
{
	return client_stopping(arg) ||
	       clock_now_ns() >= ((const struct client *)arg)->boundary;
}

static void wake_only(int sig unused_arg)
{
}

/*
 * Signals of the terminal are the coordinator's business.  USR1 has an empty
 * handler without SA_RESTART: it interrupts a blocked call after the stop.
 * XFSZ is ignored so that a file-size limit is an errno (EFBIG).
 */
static void set_signals(void)
{
	struct sigaction wake = { .sa_handler = wake_only };
	sigset_t none;

	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGTERM, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGTSTP, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)signal(SIGCHLD, SIG_DFL);
	(void)sigaction(SIGUSR1, &wake, NULL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Die with the coordinator (prctl(2): the signal comes when the thread that
 * forked us ends; it may have ended already, hence the second look).  A
 * crash must not leave a core file in the user's directory.
 */
static void bind_to_coordinator(const struct client_setup *setup)
{
	const struct rlimit no_core = { 0, 0 };

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != setup->coordinator)
		_exit(1);
	(void)prctl(PR_SET_NAME, "replay-client");
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	(void)setrlimit(RLIMIT_CORE, &no_core);
}

/*
 * Memory of the client's own, present and written to before the gate:
 * MADV_POPULATE_WRITE is Linux 5.14.
 */
static void *own_pages(size_t bytes)
{
	void *p;

	bytes = bytes ? bytes : 1;
	p = mem_map_private(bytes, 0);
	if (p && madvise(p, bytes, MADV_POPULATE_WRITE) < 0)
		memset(p, 0, bytes);
	return p;
}

static int make_state(struct client *cl)
{
	const struct prog *prog = cl->prog;
	char *blob = own_pages(prog->client_blob_bytes +
			       control_dynamic_bytes(prog));
	uint32_t i;

	cl->handles = own_pages(prog->nslots * sizeof(*cl->handles));
	cl->req.buf = own_pages(prog->facts.max_read);
	if (!blob || !cl->handles || !cl->req.buf)
		return err_set(&cl->slot->err, -ENOMEM,
			       "no memory for %" PRIu32
			       " handles and a read buffer of %" PRIu64
			       " bytes",
			       prog->nslots, prog->facts.max_read);
	for (i = 0; i < prog->nslots; i++)
		cl->handles[i].fd = -1;
	prog_client_blob(prog, cl->id, blob);
	cl->blobs[0] = (uintptr_t)prog->blob;
	cl->blobs[1] = (uintptr_t)blob;
	if (cl->setup->env.xattr && fchdir(cl->setup->fleet_fd) < 0)
		return err_sys(&cl->slot->err, -errno,
			       "cannot enter the run directory");
	cl->be.env = cl->setup->env;
	cl->be.env.stopping = ask_stopping;
	cl->be.env.stopping_arg = cl;
	return backend_open(&cl->be, cl->setup->backend, &cl->be.env,
			    &cl->slot->err);
}

static void init_client(struct client *cl, const struct client_setup *setup,
			uint32_t id)
{
	cl->id = id;
	cl->setup = setup;
	cl->prog = setup->prog;
	cl->shm = setup->shm;
	cl->gate = setup->shm->gate;
	cl->slot = shm_slot(setup->shm, id);
	cl->kinds = slot_kinds(cl->slot);
	cl->hists = slot_hist(setup->shm, cl->slot, 0);
	cl->hist_bits = setup->shm->hist_bits;
	cl->hist_stride = hist_buckets(cl->hist_bits);
	cl->pending = &cl->nothing;
	cl->pool = setup->pool;
	cl->pool_mask = setup->pool_mask;
	cl->req.root = setup->fleet_fd;
	cl->req.opened_root = setup->fleet_fd;
	cl->boundary = UINT64_MAX;
	cl->moves = setup->backend->moves_nothing ? 0 : REC_IO;
	if (setup->rate_mb_per_s > 0)
		cl->rate_ns_per_byte = 1e3 / setup->rate_mb_per_s;
	rng_init(&cl->rng, setup->seed, id);
}

static void fail(struct client *cl) __attribute__((noreturn));

static void fail(struct client *cl)
{
	atomic_store_explicit(&cl->slot->state, CLIENT_FAILED,
			      memory_order_release);
	_exit(1);
}

/* The preamble, outside the clock; leaves clean counters behind. */
static void run_once(struct client *cl)
{
	cl->now = clock_now_ns();
	if (cl->prog->pass_start && !cl->setup->skip_once) {
		control_start_pass(cl);
		if (!client_interpret(cl, 0))
			_exit(0);
		client_close_handles(cl);
	}
	client_reset(cl, &cl->slot->once);
}

/* From here on "/" is another directory: what was prepared is below it. */
static void move_on(struct client *cl)
{
	const char *path = cl->gate->late_path;
	int fd = openat(cl->setup->late_dirfd, path,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || (cl->setup->env.xattr && fchdir(fd) < 0)) {
		(void)err_sys(&cl->slot->err, -errno, "cannot go on in %s",
			      path);
		fail(cl);
	}
	cl->req.root = fd;
	cl->req.opened_root = fd;
}

static void wait_at_gate(struct client *cl)
{
	struct gate *gate = cl->gate;

	atomic_store_explicit(&cl->slot->state, CLIENT_READY,
			      memory_order_release);
	(void)atomic_fetch_add_explicit(&gate->ready, 1, memory_order_release);
	while (atomic_load_explicit(&gate->word, memory_order_acquire) ==
	       GATE_SHUT)
		futex_wait(&gate->word, GATE_SHUT, NS_PER_S);
	if (atomic_load(&gate->word) == GATE_ABANDONED)
		_exit(0);
	if (gate->late_path[0])
		move_on(cl);
	atomic_store_explicit(&cl->slot->state, CLIENT_RUNNING,
			      memory_order_relaxed);
}

/* CPU of the measured window: what was used since it began. */
static void finish_cpu(struct client *cl)
{
	struct slot *slot = cl->slot;
	uint64_t user_us, system_us;

	if (!slot->measured_from_ns)
		return;
	client_cpu_used(&user_us, &system_us);
	slot->user_us = user_us - slot->user_us;
	slot->system_us = system_us - slot->system_us;
}

void client_main(const struct client_setup *setup, uint32_t id)
{
	static struct client client cacheline_aligned;
	struct client *cl = &client;

	bind_to_coordinator(setup);
	set_signals();
	(void)umask(022);
	init_client(cl, setup, id);
	if (make_state(cl) < 0)
		fail(cl);
	run_once(cl);
	wait_at_gate(cl);

	cl->now = clock_now_ns();
	cl->gate_passed = true;
	cl->slot->first_op_ns = cl->now;
	cl->pace_start_ns = cl->now;
	cl->boundary = cl->gate->measure_ns;
	if (cl->boundary <= cl->gate->open_ns)
		(void)client_cross(cl);
	client_run_passes(cl);
	client_count_pending(cl, &cl->nothing);
	finish_cpu(cl);
	backend_close(&cl->be);
	if (cl->slot->passes_done < setup->passes || !setup->passes)
		cl->slot->last_op_ns = cl->now;
	atomic_store_explicit(&cl->slot->state, CLIENT_DONE,
			      memory_order_release);
	_exit(0);
}
