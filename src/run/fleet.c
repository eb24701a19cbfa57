/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run, from the coordinator's side.
 *
 *	fork all -> await_ready -> (settle) -> open_gate -> supervise
 *	         -> stop -> reap all -> closing sync -> merge
 *
 * Every stage can end the run early; from then on the stages that follow do
 * the least they must, and the reaping is the same for all of them, so that
 * no process is left however it went.  The coordinator sleeps in
 * watch_poll(); it wakes for signals (a child's death, INT) and at short
 * intervals for what has no signal: readiness, the time, the reserve.
 *
 * The watchdog.  A client whose record and operation count have not moved
 * for watchdog_seconds is stuck: it is named with operation and line, and all
 * are killed.  Asleep by order of the load file is not stuck; waiting for
 * another client (WAITSP, LockX) is only when no client moves or sleeps.
 */
#include "run/fleet.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/merge.h"
#include "run/settle.h"

#define READY_POLL_MS 2
#define RUN_POLL_MS 20
#define STOP_POLL_MS 5
#define RESERVE_EVERY_NS (50 * NS_PER_MS)
#define PROGRESS_EVERY_NS (250 * NS_PER_MS)
#define WATCHDOG_EVERY_NS NS_PER_S
#define STALL_SECONDS 0.5
#define NUDGE_AFTER_NS (30 * NS_PER_MS)
#define NUDGE_EVERY_NS (100 * NS_PER_MS)

/* What the watchdog remembers of a client. */
struct seen {
	uint64_t moves;        /* operations and rounds of empty loops */
	uint32_t pc;
	uint64_t since_ns;
};

struct fleet {
	const struct fleet_plan *plan;
	struct client_setup setup;
	struct watch *watch;
	struct run_result *result;
	struct shm shm;
	pid_t *pids;           /* 0: reaped or never forked */
	unsigned alive;
	struct seen *seen;
	struct run_times times;
	uint64_t seen_free, seen_free_ns; /* bytes at the last look */
	uint64_t next_reserve, next_progress, next_watchdog, next_nudge;
	const char *phase;
};

static bool is_ending(const struct fleet *f)
{
	return f->result->end != RUN_COMPLETE;
}

/* The run ends here, for the first reason that is given. */
static void end_run(struct fleet *f, enum run_end end, const char *fmt, ...)
	printf_like(3, 4);

static void end_run(struct fleet *f, enum run_end end, const char *fmt, ...)
{
	struct gate *gate = f->shm.gate;
	va_list ap;

	if (is_ending(f))
		return;
	f->result->end = end;
	va_start(ap, fmt);
	(void)vsnprintf(f->result->reason, sizeof(f->result->reason), fmt, ap);
	va_end(ap);
	/* What comes after the planned stop does not move it. */
	f->times.stop_ns = MIN_OF(f->times.stop_ns, clock_now_ns());
	atomic_store_explicit(&gate->stop_ns, f->times.stop_ns,
			      memory_order_relaxed);
	atomic_store_explicit(&gate->stop, 1, memory_order_release);
}

static void kill_all(struct fleet *f, int sig)
{
	unsigned i;

	for (i = 0; i < f->plan->clients; i++)
		if (f->pids[i] > 0)
			(void)kill(f->pids[i], sig);
}

/* "WriteX at client.txt:1234": what client I is, or was, doing. */
static void describe_position(struct fleet *f, unsigned i, char *buf,
			      size_t size)
{
	const struct prog *prog = f->setup.prog;
	struct slot *slot = shm_slot(&f->shm, i);
	uint32_t pc = atomic_load_explicit(&slot->pc, memory_order_relaxed);
	char where[512];

	if (pc >= prog->nrecs)
		pc = 0;
	prog_where(prog, pc, where, sizeof(where));
	(void)snprintf(buf, size, "%s at %s",
		       op_info(prog->recs[pc].code)->name, where);
}

static void client_died(struct fleet *f, unsigned i, int status)
{
	struct slot *slot = shm_slot(&f->shm, i);
	char at[600];

	if (atomic_load_explicit(&slot->state, memory_order_acquire) ==
	    CLIENT_FAILED) {
		end_run(f, RUN_CLIENT_DIED, "client %u: %s", i, slot->err.text);
		return;
	}
	describe_position(f, i, at, sizeof(at));
	if (WIFSIGNALED(status))
		end_run(f, RUN_CLIENT_DIED,
			"client %u was killed by signal %d (%s) in %s", i,
			WTERMSIG(status), strsignal(WTERMSIG(status)), at);
	else
		end_run(f, RUN_CLIENT_DIED,
			"client %u exited with status %d in %s", i,
			WEXITSTATUS(status), at);
}

/* Whether a client that ended with STATUS did so as it should. */
static bool ended_well(struct fleet *f, unsigned i, int status)
{
	uint32_t state = atomic_load_explicit(&shm_slot(&f->shm, i)->state,
					      memory_order_acquire);

	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return false;
	return state == CLIENT_DONE || atomic_load(&f->shm.gate->stop);
}

/* Collect children that have ended; the janitor may be among them. */
static void reap(struct fleet *f)
{
	int status;
	pid_t pid;
	unsigned i;

	while (f->alive && (pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (i = 0; i < f->plan->clients; i++)
			if (f->pids[i] == pid)
				break;
		if (i == f->plan->clients)
			continue;
		f->pids[i] = 0;
		f->alive--;
		if (!ended_well(f, i, status))
			client_died(f, i, status);
	}
}

static void note_interrupt(struct fleet *f)
{
	if (f->watch->interrupted)
		end_run(f, RUN_INTERRUPTED, "interrupted by signal %d (%s)",
			f->watch->signal, strsignal(f->watch->signal));
	if (f->watch->twice)
		kill_all(f, SIGKILL);
}

static bool is_due(uint64_t *next, uint64_t now, uint64_t every)
{
	if (now < *next)
		return false;
	*next = now + every;
	return true;
}

/*
 * When to look again: in a quarter of the time that is left at the pace at
 * which space has gone since the last look.
 */
static void plan_next_look(struct fleet *f, uint64_t avail, uint64_t now)
{
	double gone = f->seen_free > avail ? (double)(f->seen_free - avail) : 0;
	double left = (double)avail - (double)f->plan->reserve_bytes;
	double ns = RESERVE_EVERY_NS;

	if (f->seen_free && gone > 0 && now > f->seen_free_ns)
		ns = left / gone * (double)(now - f->seen_free_ns) / 4;
	ns = ns < NS_PER_MS ? NS_PER_MS : ns;
	f->next_reserve = now + (ns < RESERVE_EVERY_NS ? (uint64_t)ns
						       : RESERVE_EVERY_NS);
	f->seen_free = avail;
	f->seen_free_ns = now;
}

static void check_reserve(struct fleet *f, uint64_t now)
{
	struct statvfs st;
	uint64_t avail;

	f->next_reserve = UINT64_MAX;
	if (!f->plan->reserve_bytes || fstatvfs(f->plan->target_fd, &st) < 0)
		return;
	avail = (uint64_t)st.f_bavail * st.f_frsize;
	plan_next_look(f, avail, now);
	if (avail < f->plan->reserve_bytes)
		end_run(f, RUN_RESERVE,
			"stopped before the disk was full: %" PRIu64
			" MB are free, %" PRIu64 " MB stay in reserve "
			"(--no-reserve allows their use)",
			avail / 1000000, f->plan->reserve_bytes / 1000000);
}

/* Whether client I waits for what another one does. */
static bool waits_for_another(const struct fleet *f, const struct slot *slot,
			      uint32_t pc)
{
	const struct prog *prog = f->setup.prog;

	return atomic_load(&slot->waiting) == WAIT_POINT ||
	       (pc < prog->nrecs && prog->recs[pc].code == OP_LOCKX);
}

/* Whether client I has moved, or is asleep, since it was last looked at. */
static bool has_moved(struct fleet *f, unsigned i, uint64_t now)
{
	const struct slot *slot = shm_slot(&f->shm, i);
	struct seen *seen = &f->seen[i];
	struct seen is = {
		.pc = atomic_load_explicit(&slot->pc, memory_order_relaxed),
		.moves = slot->totals.ops + slot->totals.skipped +
			 atomic_load_explicit(&slot->spins,
					      memory_order_relaxed),
		.since_ns = now,
	};

	bool ready = !f->times.open_ns &&
		     atomic_load(&slot->state) == CLIENT_READY;
	bool asleep = now < f->times.stop_ns &&
		      atomic_load(&slot->waiting) == WAIT_TIME;

	if (is.pc == seen->pc && is.moves == seen->moves && seen->since_ns &&
	    !ready && !asleep)
		return false;
	*seen = is;
	return true;
}

/* SOMEBODY: another client has moved, so waiting for one is no dead end. */
static void check_client(struct fleet *f, unsigned i, uint64_t now,
			 bool somebody)
{
	struct seen *seen = &f->seen[i];
	double still;
	char at[600];

	if (somebody &&
	    waits_for_another(f, shm_slot(&f->shm, i), seen->pc))
		seen->since_ns = now;
	still = (double)(now - seen->since_ns) / (double)NS_PER_S;
	if (still < f->plan->watchdog_seconds)
		return;
	describe_position(f, i, at, sizeof(at));
	end_run(f, RUN_STUCK, "client %u has been in %s for %.0f s: killed", i,
		at, still);
	kill_all(f, SIGKILL);
}

static void check_stuck(struct fleet *f, uint64_t now)
{
	bool somebody = false;
	unsigned i;

	for (i = 0; i < f->plan->clients; i++)
		if (f->pids[i] > 0)
			somebody = has_moved(f, i, now) || somebody;
	for (i = 0; i < f->plan->clients; i++)
		if (f->pids[i] > 0)
			check_client(f, i, now, somebody);
}

static void report_progress(struct fleet *f, uint64_t now)
{
	const struct fleet_plan *plan = f->plan;
	struct live live = { .phase = f->phase };
	uint64_t bytes = 0;
	unsigned i;

	if (!plan->progress)
		return;
	if (f->times.open_ns)
		live.elapsed_seconds = (double)(now - f->times.open_ns) /
				       (double)NS_PER_S;
	if (!plan->setup.passes)
		live.total_seconds = plan->warmup_seconds +
				     plan->timelimit_seconds;
	for (i = 0; i < plan->clients; i++) {
		const struct slot *slot = shm_slot(&f->shm, i);

		live.ops += slot->totals.ops + slot->warmup.ops;
		live.errors += slot->totals.errors + slot->warmup.errors +
			       slot->once.errors;
		bytes += slot->totals.bytes_read + slot->totals.bytes_written +
			 slot->warmup.bytes_read + slot->warmup.bytes_written;
	}
	if (live.elapsed_seconds > 0)
		live.mb_per_s = (double)bytes / 1e6 / live.elapsed_seconds;
	plan->progress(plan->progress_arg, &live);
}

/*
 * Time in which we did not get to run: everybody may have been stopped
 * (SIGSTOP to the process group cannot be caught), or the machine suspended.
 */
static void note_stall(struct fleet *f, uint64_t expected_ns, uint64_t now)
{
	double late = now > expected_ns ? (double)(now - expected_ns) / 1e9 : 0;

	if (f->times.open_ns && now < f->times.stop_ns &&
	    late > STALL_SECONDS)
		f->result->stalled_seconds += late;
}

/* TIMEOUT_MS, or less if the free space is to be looked at earlier. */
static int until_next_look(const struct fleet *f, uint64_t now, int timeout_ms)
{
	uint64_t left = f->next_reserve > now ? f->next_reserve - now : 0;

	if (left / NS_PER_MS < (uint64_t)timeout_ms)
		return (int)(left / NS_PER_MS) + (timeout_ms > 0);
	return timeout_ms;
}

/* One round of looking after the clients; sleeps up to TIMEOUT_MS. */
static void look_after(struct fleet *f, int timeout_ms)
{
	uint64_t now = clock_now_ns();
	uint64_t expected_ns = now + (uint64_t)timeout_ms * NS_PER_MS;

	timeout_ms = until_next_look(f, now, timeout_ms);
	if (watch_poll(f->watch, timeout_ms))
		reap(f);
	note_interrupt(f);
	now = clock_now_ns();
	note_stall(f, expected_ns, now);
	if (now < f->times.stop_ns && now >= f->next_reserve)
		check_reserve(f, now);
	if (is_due(&f->next_watchdog, now, WATCHDOG_EVERY_NS))
		check_stuck(f, now);
	if (is_due(&f->next_progress, now, PROGRESS_EVERY_NS))
		report_progress(f, now);
}

static int fork_clients(struct fleet *f, struct err *err)
{
	unsigned i;
	pid_t pid;

	f->times.fork_ns = clock_now_ns();
	for (i = 0; i < f->plan->clients; i++) {
		pid = fork();
		if (pid == 0)
			client_main(&f->setup, i);
		if (pid < 0)
			return err_sys(err, -errno,
				       "cannot fork client %u of %u", i + 1,
				       f->plan->clients);
		f->pids[i] = pid;
		f->alive++;
	}
	return 0;
}

static void await_ready(struct fleet *f)
{
	struct gate *gate = f->shm.gate;

	f->phase = f->setup.prog->pass_start ? "preparing" : "starting";
	while (!is_ending(f) &&
	       atomic_load_explicit(&gate->ready, memory_order_acquire) <
		       f->plan->clients)
		look_after(f, READY_POLL_MS);
	f->times.ready_ns = is_ending(f) ? 0 : clock_now_ns();
}

static bool wants_to_stop(void *arg)
{
	struct fleet *f = arg;

	look_after(f, 0);
	return is_ending(f);
}

static void open_gate(struct fleet *f)
{
	const struct fleet_plan *plan = f->plan;
	struct gate *gate = f->shm.gate;
	double ns = (double)NS_PER_S;

	gate->open_ns = clock_now_ns();
	gate->measure_ns = gate->open_ns;
	f->times.stop_ns = UINT64_MAX;
	if (!f->times.pass_mode) {
		gate->measure_ns += (uint64_t)(plan->warmup_seconds * ns);
		f->times.stop_ns = gate->measure_ns +
				   (uint64_t)(plan->timelimit_seconds * ns);
	}
	atomic_store_explicit(&gate->stop_ns, f->times.stop_ns,
			      memory_order_relaxed);
	f->times.open_ns = gate->open_ns;
	f->times.measure_ns = gate->measure_ns;
	atomic_store_explicit(&gate->word, GATE_OPEN, memory_order_release);
	futex_wake_all(&gate->word);
}

/* Until the time is up, all have done their passes, or something happens. */
static void supervise(struct fleet *f)
{
	for (;;) {
		uint64_t now = clock_now_ns();
		uint64_t left;

		if (is_ending(f) || !f->alive || now >= f->times.stop_ns)
			return;
		f->phase = now < f->times.measure_ns ? "warm-up" : "execute";
		left = (f->times.stop_ns - now) / NS_PER_MS + 1;
		look_after(f, (int)MIN_OF(left, (uint64_t)RUN_POLL_MS));
	}
}

/* Clients that the stop did not reach are blocked: interrupt their call. */
static void nudge(struct fleet *f)
{
	uint64_t now = clock_now_ns();

	if (now > f->times.stop_ns && now - f->times.stop_ns > NUDGE_AFTER_NS &&
	    is_due(&f->next_nudge, now, NUDGE_EVERY_NS))
		kill_all(f, SIGUSR1);
}

static void reap_all(struct fleet *f)
{
	struct gate *gate = f->shm.gate;

	f->phase = "stopping";
	if (!f->times.open_ns) {
		atomic_store(&gate->stop, 1);
		atomic_store_explicit(&gate->word, GATE_ABANDONED,
				      memory_order_release);
		futex_wake_all(&gate->word);
	}
	while (f->alive) {
		look_after(f, STOP_POLL_MS);
		nudge(f);
	}
	f->times.reaped_ns = clock_now_ns();
}

/* With passes the end is the last client's, unless it was cut short. */
static void find_stop(struct fleet *f)
{
	uint64_t last = 0;
	unsigned i;

	if (!f->times.pass_mode || is_ending(f))
		return;
	for (i = 0; i < f->plan->clients; i++)
		last = MAX_OF(last, shm_slot(&f->shm, i)->last_op_ns);
	f->times.stop_ns = last;
}

static void closing_sync(struct fleet *f)
{
	uint64_t ns = 0;
	int ret;

	f->result->sync_seconds = NAN;
	if (!f->plan->settle || !f->times.open_ns || f->watch->twice)
		return;
	ret = settle_after(f->plan->target_fd, &ns);
	f->result->sync_seconds = (double)ns / (double)NS_PER_S;
	/* one that lost data in the preamble has been told of it already */
	if (ret < 0 && !f->result->sync_errno)
		f->result->sync_errno = -ret;
}

static void execute(struct fleet *f)
{
	struct settle quiet = { .stop = wants_to_stop, .arg = f };

	await_ready(f);
	if (!is_ending(f) && f->plan->settle && f->setup.prog->pass_start) {
		f->phase = "settling";
		settle_before(f->plan->target_fd, &quiet);
		f->result->sync_errno = quiet.sync_errno;
	}
	if (!is_ending(f)) {
		open_gate(f);
		supervise(f);
	}
	reap_all(f);
	find_stop(f);
	closing_sync(f);
	merge_slots(&f->shm, f->setup.prog, &f->times, f->result);
}

int fleet_run(const struct fleet_plan *plan, struct watch *watch,
	      struct run_result *result, struct err *err)
{
	struct fleet f = {
		.plan = plan,
		.setup = plan->setup,
		.watch = watch,
		.result = result,
	};
	int ret = shm_init(&f.shm, plan->setup.prog, plan->clients, err);

	if (ret < 0)
		return ret;
	f.setup.shm = &f.shm;
	f.setup.coordinator = getpid();
	f.times.pass_mode = plan->setup.passes > 0;
	f.times.stop_ns = UINT64_MAX;
	f.pids = mem_zalloc(plan->clients, sizeof(*f.pids));
	f.seen = mem_zalloc(plan->clients, sizeof(*f.seen));
	result->clients = plan->clients;
	result->driver_share = NAN;
	ret = fork_clients(&f, err);
	if (ret < 0) {
		end_run(&f, RUN_FAILED, "%s", err ? err->text : "fork failed");
		reap_all(&f);
	} else {
		execute(&f);
	}
	free(f.pids);
	free(f.seen);
	shm_done(&f.shm);
	return ret;
}
