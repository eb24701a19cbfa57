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
 */
#include "run/fleet_state.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/cold.h"
#include "run/foreign.h"

#define READY_POLL_MS 2
#define RUN_POLL_MS 20
#define STOP_POLL_MS 5
#define PROGRESS_EVERY_NS (250 * NS_PER_MS)
#define WATCHDOG_EVERY_NS NS_PER_S
#define REGIME_EVERY_NS (200 * NS_PER_MS)
#define FOLLOW_EVERY_NS (100 * NS_PER_MS)
#define STALL_SECONDS 0.5
#define NUDGE_AFTER_NS (30 * NS_PER_MS)
#define NUDGE_EVERY_NS (100 * NS_PER_MS)

void fleet_end_run(struct fleet *f, enum run_end end, const char *fmt, ...)
{
	struct gate *gate = f->shm.gate;
	va_list ap;

	if (fleet_is_ending(f))
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

void fleet_kill_all(struct fleet *f, int sig)
{
	unsigned i;

	for (i = 0; i < f->plan->clients; i++)
		if (f->pids[i] > 0)
			(void)kill(f->pids[i], sig);
}

static void client_died(struct fleet *f, unsigned i, int status)
{
	struct slot *slot = shm_slot(&f->shm, i);
	char at[600];

	if (atomic_load_explicit(&slot->state, memory_order_acquire) ==
	    CLIENT_FAILED) {
		fleet_end_run(f, RUN_CLIENT_DIED, "client %u: %s", i,
			      slot->err.text);
		return;
	}
	watchdog_position(f, i, at, sizeof(at));
	if (WIFSIGNALED(status))
		fleet_end_run(f, RUN_CLIENT_DIED,
			      "client %u was killed by signal %d (%s) in %s",
			      i, WTERMSIG(status),
			      strsignal(WTERMSIG(status)), at);
	else
		fleet_end_run(f, RUN_CLIENT_DIED,
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
		fleet_end_run(f, RUN_INTERRUPTED,
			      "interrupted by signal %d (%s)",
			      f->watch->signal, strsignal(f->watch->signal));
	if (f->watch->twice)
		fleet_kill_all(f, SIGKILL);
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

static bool is_due(uint64_t *next, uint64_t now, uint64_t every)
{
	if (now < *next)
		return false;
	*next = now + every;
	return true;
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
		reserve_check(f, now);
	if (is_due(&f->next_watchdog, now, WATCHDOG_EVERY_NS))
		watchdog_check(f, now);
	if (is_due(&f->next_regime, now, REGIME_EVERY_NS))
		regime_sample(&f->regime);
	if (is_due(&f->next_follow, now, FOLLOW_EVERY_NS) && f->plan->storage)
		mntns_follow(f->plan->storage->ns);
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
	while (!fleet_is_ending(f) &&
	       atomic_load_explicit(&gate->ready, memory_order_acquire) <
		       f->plan->clients)
		look_after(f, READY_POLL_MS);
	f->times.ready_ns = fleet_is_ending(f) ? 0 : clock_now_ns();
}

static bool wants_to_stop(void *arg)
{
	struct fleet *f = arg;

	look_after(f, 0);
	return fleet_is_ending(f);
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

/* The measured time has begun: look at what it is bound by. */
static void watch_regime(struct fleet *f, uint64_t now)
{
	const struct storage *storage = f->plan->storage;

	if (!storage || f->next_regime != UINT64_MAX ||
	    now < f->times.measure_ns)
		return;
	regime_begin(&f->regime, storage->base_fd);
	f->next_regime = now + REGIME_EVERY_NS;
}

/* Until the time is up, all have done their passes, or something happens. */
static void supervise(struct fleet *f)
{
	for (;;) {
		uint64_t now = clock_now_ns();
		uint64_t left;

		if (fleet_is_ending(f) || !f->alive || now >= f->times.stop_ns)
			return;
		f->phase = now < f->times.measure_ns ? "warm-up" : "execute";
		watch_regime(f, now);
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
		fleet_kill_all(f, SIGUSR1);
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

	if (!f->times.pass_mode || fleet_is_ending(f))
		return;
	for (i = 0; i < f->plan->clients; i++)
		last = MAX_OF(last, shm_slot(&f->shm, i)->last_op_ns);
	f->times.stop_ns = last;
}

/* What was written is lost; the first to say so is remembered. */
static void note_lost(struct fleet *f, int error, const char *what)
{
	struct run_result *result = f->result;

	if (!result->sync_errno)
		result->sync_errno = error;
	if (result->lost_errno)
		return;
	result->lost_errno = error;
	(void)snprintf(result->lost_what, sizeof(result->lost_what), "%s",
		       what);
}

static void closing_sync(struct fleet *f)
{
	struct run_result *result = f->result;
	uint64_t each_ns[CHAIN_MAX];
	unsigned failed = 0, i;
	char what[64];
	int ret;

	result->sync_seconds = NAN;
	if (!f->plan->storage || !f->times.open_ns || f->watch->twice)
		return;
	ret = settle_after(&f->plan->storage->levels, each_ns, &failed);
	result->sync_seconds = 0;
	result->nlevel_syncs = f->plan->storage->levels.n;
	for (i = 0; i < result->nlevel_syncs; i++) {
		result->level_sync_seconds[i] = (double)each_ns[i] /
						(double)NS_PER_S;
		result->sync_seconds += result->level_sync_seconds[i];
	}
	if (ret == 0)
		return;
	(void)snprintf(what, sizeof(what), "the closing sync%s",
		       failed ? " of a lower level" : "");
	note_lost(f, -ret, what);
}

/* The preamble is done: what is to happen between it and the gate. */
static void finish_target(struct fleet *f)
{
	struct gate *gate = f->shm.gate;
	struct err err = ERR_INIT;

	if (fleet_is_ending(f) || !f->plan->prepared)
		return;
	if (f->plan->prepared(f->plan->prepared_arg, gate->late_path,
			      sizeof(gate->late_path), &err) < 0)
		fleet_end_run(f, RUN_FAILED, "%s", err.text);
}

/* What the preamble wrote is not to be written while the clock runs. */
static void settle_preamble(struct fleet *f)
{
	struct settle quiet = { .stop = wants_to_stop, .arg = f };
	const struct storage *storage = f->plan->storage;
	struct err err = ERR_INIT;

	if (fleet_is_ending(f) || !storage)
		return;
	f->phase = "settling";
	if (f->setup.prog->pass_start) {
		settle_before(&storage->levels, &quiet);
		if (quiet.sync_errno)
			note_lost(f, quiet.sync_errno,
				  "the sync after the preamble");
	}
	if (storage->cold_fd >= 0 && !fleet_is_ending(f) &&
	    cold_drop(storage->cold_fd, &err) < 0)
		fleet_end_run(f, RUN_FAILED, "--cold: %s", err.text);
}

/* From the gate to the last client's end, and what others did meanwhile. */
static void execute_open(struct fleet *f)
{
	struct foreign *foreign = NULL;
	uint64_t start_ns = clock_now_ns();

	if (fleet_is_ending(f)) {
		reap_all(f);
		return;
	}
	if (f->plan->storage)
		foreign = foreign_begin(getpid());
	open_gate(f);
	supervise(f);
	if (f->next_regime != UINT64_MAX)
		regime_end(&f->regime, f->result);
	f->next_regime = UINT64_MAX;
	reap_all(f);
	foreign_end(foreign, (double)(clock_now_ns() - start_ns) / 1e9,
		    &f->result->disturbance);
}

static void execute(struct fleet *f)
{
	await_ready(f);
	finish_target(f);
	settle_preamble(f);
	execute_open(f);
	find_stop(f);
	merge_lost(&f->shm, f->setup.prog, f->result);
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
		.next_regime = UINT64_MAX,
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
	run_result_init(result);
	result->clients = plan->clients;
	ret = fork_clients(&f, err);
	if (ret < 0) {
		fleet_end_run(&f, RUN_FAILED, "%s",
			      err ? err->text : "fork failed");
		reap_all(&f);
	} else {
		execute(&f);
	}
	free(f.pids);
	free(f.seen);
	shm_done(&f.shm);
	return ret;
}
