/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One simulated client: the interpreter loop and what surrounds it.
 *
 * The law of the loop.  Between the gate and the stop a client allocates
 * nothing, locks nothing, prints nothing and compares no strings; it reads
 * the clock once per operation, the end of one being the start of the next.
 * It writes to its own slot only, and looks at one shared word, the stop.
 *
 * Windows.  `boundary` is the time at which something changes: first the
 * start of the measured window, then its end.  An operation belongs to the
 * window in which it ends, so after each operation one comparison decides;
 * crossing into the measured window sets the counters back to nothing, so
 * that recording never asks which window it is in.  An operation that ends
 * at or after the stop time is not counted.
 *
 * Life.  client_main() makes the state, touches all of it, executes the
 * preamble (ONCE), reports ready and sleeps at the gate.  Then it interprets
 * passes until the time or the passes are over.  It leaves with _exit().
 */
#include "run/client.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/control.h"
#include "run/interp.h"

/* Write down the first outcome that was not as recorded; once per client. */
static void note_first_error(struct client *cl, const struct rec *rec,
			     int64_t ret)
{
	struct first_error *fe = &cl->slot->first_error;
	const struct op_info *info = op_info(rec->code);

	if (fe->set)
		return;
	cl->slot->first_error_ns = cl->now;
	fe->client = cl->id;
	prog_where(cl->prog, client_pc(cl), fe->where, sizeof(fe->where));
	(void)snprintf(fe->op, sizeof(fe->op), "%s", info->name);
	if (info->flags & OPF_PATH)
		(void)snprintf(fe->path, sizeof(fe->path), "%s", cl->req.path);
	else if (info->flags & OPF_HANDLE && cl->req.opened_as)
		(void)snprintf(fe->path, sizeof(fe->path), "%s",
			       cl->req.opened_as);
	want_describe(rec, fe->expected, sizeof(fe->expected));
	if (ret < 0)
		(void)snprintf(fe->actual, sizeof(fe->actual), "%s",
			       err_name((int)-ret));
	else if (rec->flags & REC_IO)
		(void)snprintf(fe->actual, sizeof(fe->actual),
			       "%" PRId64 " bytes", ret);
	else
		(void)snprintf(fe->actual, sizeof(fe->actual), "success");
	fe->set = true;
}

/*
 * Whether RET of an operation that syncs says that data is lost: fsync(2)
 * reports what could not be written back (once), also for want of space.
 */
static bool is_loss(const struct client *cl, const struct rec *rec, int64_t ret)
{
	bool syncs = op_info(rec->code)->flags & OPF_SYNCS ||
		     (cl->be.env.sync_write && rec->flags & REC_WRITES);

	return syncs && (ret == -EIO || ret == -ENOSPC || ret == -EDQUOT);
}

void client_error(struct client *cl, const struct rec *rec, int64_t ret)
{
	if (is_loss(cl, rec, ret) && !cl->slot->lost_errno) {
		cl->slot->lost_errno = (int)-ret;
		cl->slot->lost_pc = client_pc(cl);
	}
	cl->slot->totals.errors++;
	cl->kinds[rec->kind].errors++;
	note_first_error(cl, rec, ret);
}

/* CPU time used so far, microseconds. */
static void cpu_used(uint64_t *user_us, uint64_t *system_us)
{
	struct rusage ru;

	(void)getrusage(RUSAGE_SELF, &ru);
	*user_us = (uint64_t)ru.ru_utime.tv_sec * 1000000 +
		   (uint64_t)ru.ru_utime.tv_usec;
	*system_us = (uint64_t)ru.ru_stime.tv_sec * 1000000 +
		     (uint64_t)ru.ru_stime.tv_usec;
}

static inline void count_pending(struct client *cl, uint64_t *next)
{
	(*cl->pending)++;
	cl->pending = next;
}

/*
 * Move the counters away and start again from nothing; but errors are those
 * of the whole run.
 */
static void reset_counters(struct client *cl, struct totals *keep)
{
	size_t hists = cl->shm->nkinds * hist_buckets(cl->hist_bits) *
		       sizeof(uint64_t);
	unsigned i;

	count_pending(cl, &cl->nothing);
	*keep = cl->slot->totals;
	memset(&cl->slot->totals, 0, sizeof(cl->slot->totals));
	for (i = 0; i < cl->shm->nkinds; i++)
		cl->kinds[i] = (struct kind_stats){
			.errors = cl->kinds[i].errors
		};
	memset(cl->hists, 0, hists);
}

/* The measured window begins for this client, at MEASURE_NS. */
static void enter_measured(struct client *cl)
{
	struct slot *slot = cl->slot;

	cpu_used(&slot->user_us, &slot->system_us);
	reset_counters(cl, &slot->warmup);
	memset(slot->lag, 0, sizeof(slot->lag));
	slot->pass_times_n = 0;
	slot->pass_stride = 1;
	slot->lag_max_ns = 0;
	slot->late_ops = 0;
	slot->measured_from_ns = cl->gate->measure_ns;
	cl->boundary = client_stop_ns(cl);
}

/*
 * The clock has reached the boundary, or the stop word is set.  Returns
 * false when what has just ended does not count any more.
 */
bool client_cross(struct client *cl)
{
	if (!cl->slot->measured_from_ns && cl->gate_passed) {
		/* An early stop may come before the window begins. */
		if (cl->now < cl->gate->measure_ns)
			return cl->now < cl->boundary;
		enter_measured(cl);
	}
	return cl->now < cl->boundary;
}

/*
 * The stop word is set: the window ends at another time.  The fence orders
 * the load of that time after the load of the word; the coordinator stored
 * them the other way round, the word with release.
 */
static void take_early_stop(struct client *cl)
{
	atomic_thread_fence(memory_order_acquire);
	cl->boundary = client_stop_ns(cl);
}

/*
 * Start over with the clock after something that is not an operation.
 * Returns false when it is time to stop.
 */
bool client_tick(struct client *cl)
{
	cl->now = clock_now_ns();
	if (unlikely(client_stopping(cl)))
		take_early_stop(cl);
	return likely(cl->now < cl->boundary) || client_cross(cl);
}

/*
 * Remember under which path a handle was opened, and set the data of its
 * file apart from that of others.
 */
static void keep_path(struct client *cl, struct handle *h,
		      const struct rec *rec, const struct req *req)
{
	h->opened_as = req->path;
	h->salt = rec->path * UINT32_C(2654435761) + cl->id * 4099 * 64;
	if (unlikely(client_is_dynamic(cl, rec->path))) {
		h->opened_as = control_keep_path(cl, rec->handle, req->path);
		h->salt = control_salt(h->opened_as);
	}
}

static void close_handle(struct client *cl, struct handle *h)
{
	if (h->fd >= 0)
		(void)backend_close_fd(&cl->be, h->fd);
	h->fd = -1;
}

/*
 * Bind or release the handle of an operation that has just ended.  An open
 * that should fail does not touch the handle, whatever comes of it: loads
 * reuse numbers that are bound for such opens.  One that should succeed ends
 * what was bound before, also when it fails: later operations do not mean
 * the older file.
 */
static void update_handle(struct client *cl, const struct rec *rec,
			  const struct req *req)
{
	struct handle *h = &cl->handles[rec->handle];

	if (rec->flags & REC_UNBIND) {
		h->fd = -1;
		return;
	}
	if (rec->want != WANT_OK && rec->want != WANT_ANY) {
		if (req->out_fd >= 0)
			(void)backend_close_fd(&cl->be, req->out_fd);
		return;
	}
	close_handle(cl, h);
	if (req->ret < 0)
		return;
	h->fd = req->out_fd;
	keep_path(cl, h, rec, req);
}

static inline void count_bytes(struct client *cl, const struct rec *rec,
			       int64_t ret)
{
	uint64_t bytes = (uint64_t)ret;

	cl->kinds[rec->kind].bytes += bytes;
	if (rec->flags & REC_WRITES)
		cl->slot->totals.bytes_written += bytes;
	else
		cl->slot->totals.bytes_read += bytes;
}

/*
 * The histogram's bucket is rarely in the cache, so it is only asked for
 * here; it is counted up after the next operation, in whose system calls the
 * memory has had its time (a third of the interpreter's time was waiting for
 * it).
 */
static inline void record_latency(struct client *cl, unsigned kind,
				  uint64_t dt)
{
	struct kind_stats *ks = &cl->kinds[kind];
	uint64_t *bucket = cl->hists + (size_t)kind * cl->hist_stride +
			   hist_index(cl->hist_bits, dt);

	ks->count++;
	ks->sum_ns += dt;
	if (unlikely(dt > ks->max_ns))
		ks->max_ns = dt;
	__builtin_prefetch(bucket, 1);
	count_pending(cl, bucket);
}

/* Not executed: its handle is not open, because its open failed. */
static bool skip(struct client *cl)
{
	if (!client_tick(cl))
		return false;
	cl->slot->totals.skipped++;
	return true;
}

/* Execute one operation; returns false when it is time to stop. */
static inline bool execute(struct client *cl, const struct rec *rec)
{
	struct handle *h = &cl->handles[rec->handle];
	struct req *req = &cl->req;
	uint64_t end, dt;

	if (unlikely(rec->flags & REC_HANDLE && h->fd < 0))
		return skip(cl);
	/* the line after the next: there, too, the loop would wait */
	__builtin_prefetch(rec + 4);
	req->rec = rec;
	req->fd = h->fd;
	req->opened_as = h->opened_as;
	req->out_fd = -1;
	req->path = prog_str(cl->blobs, rec->path);
	req->path2 = prog_str(cl->blobs, rec->path2);
	req->data = cl->pool + client_data_at(cl, rec, h);
	(void)backend_submit(&cl->be, req);

	end = clock_now_ns();
	dt = end - cl->now;
	cl->now = end;
	if (unlikely(client_stopping(cl)))
		take_early_stop(cl);
	if (unlikely(end >= cl->boundary) && !client_cross(cl))
		return false;

	record_latency(cl, rec->kind, dt);
	cl->slot->totals.ops++;
	if (rec->flags & cl->moves && req->ret > 0)
		count_bytes(cl, rec, req->ret);
	if (rec->flags & (REC_BIND | REC_UNBIND))
		update_handle(cl, rec, req);
	if (unlikely(!want_met(rec, req->ret)))
		client_error(cl, rec, req->ret);
	if (unlikely(cl->rate_ns_per_byte > 0))
		return pace_bytes(cl);
	return true;
}

/*
 * Interpret from record PC to the end of the pass (or of the preamble).
 * Returns false when it is time to stop.
 */
static bool interpret(struct client *cl, uint32_t pc)
{
	const struct rec *recs = cl->prog->recs;

	for (;;) {
		const struct rec *rec = &recs[pc];

		atomic_store_explicit(&cl->slot->pc, pc, memory_order_relaxed);
		pc++;
		if (unlikely(op_is_control(rec->code))) {
			if (rec->code >= CTL_ONCE_END)
				return true;
			rec = control_step(cl, rec, &pc);
			if (cl->stopped)
				return false;
			if (!rec)
				continue;
		}
		if (!execute(cl, rec))
			return false;
	}
}

/* What is open at the end of a pass is closed. */
static void close_handles(struct client *cl)
{
	uint32_t i;

	for (i = 1; i < cl->prog->nslots; i++)
		close_handle(cl, &cl->handles[i]);
}

/* The room for pass times is used up: keep every second of them. */
static void thin_pass_times(struct slot *slot)
{
	uint32_t i;

	for (i = 0; i < PASS_TIMES / 2; i++)
		slot->pass_times_ns[i] = slot->pass_times_ns[2 * i];
	slot->pass_times_n = PASS_TIMES / 2;
	slot->pass_stride *= 2;
}

/* A whole pass is done; it counts when it ended in the measured window. */
static void count_pass(struct client *cl)
{
	struct slot *slot = cl->slot;
	uint64_t ns = cl->now - cl->pass_start_ns;

	slot->last_op_ns = cl->now;
	slot->passes_done++;
	if (!slot->measured_from_ns)
		return;
	if (slot->pass_times_n == PASS_TIMES)
		thin_pass_times(slot);
	if (slot->passes_measured % slot->pass_stride == 0)
		slot->pass_times_ns[slot->pass_times_n++] = ns;
	slot->passes_measured++;
}

static void run_passes(struct client *cl)
{
	const struct client_setup *setup = cl->setup;
	struct slot *slot = cl->slot;

	while (!setup->passes || slot->passes_done < setup->passes) {
		control_start_pass(cl);
		if (!interpret(cl, cl->prog->pass_start))
			return;
		count_pass(cl);
		close_handles(cl);
		if (!client_tick(cl))
			return;
	}
}

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
		if (!interpret(cl, 0))
			_exit(0);
		close_handles(cl);
	}
	reset_counters(cl, &cl->slot->once);
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
	cpu_used(&user_us, &system_us);
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
	run_passes(cl);
	count_pending(cl, &cl->nothing);
	finish_cpu(cl);
	backend_close(&cl->be);
	if (cl->slot->passes_done < setup->passes || !setup->passes)
		cl->slot->last_op_ns = cl->now;
	atomic_store_explicit(&cl->slot->state, CLIENT_DONE,
			      memory_order_release);
	_exit(0);
}
