/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One simulated client: the interpreter loop; life.c has what surrounds it.
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
 */
#include "run/client.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
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

void client_cpu_used(uint64_t *user_us, uint64_t *system_us)
{
	struct rusage ru;

	(void)getrusage(RUSAGE_SELF, &ru);
	*user_us = (uint64_t)ru.ru_utime.tv_sec * 1000000 +
		   (uint64_t)ru.ru_utime.tv_usec;
	*system_us = (uint64_t)ru.ru_stime.tv_sec * 1000000 +
		     (uint64_t)ru.ru_stime.tv_usec;
}

void client_reset(struct client *cl, struct totals *keep)
{
	size_t hists = cl->shm->nkinds * hist_buckets(cl->hist_bits) *
		       sizeof(uint64_t);
	unsigned i;

	client_count_pending(cl, &cl->nothing);
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
	unsigned i;

	client_cpu_used(&slot->user_us, &slot->system_us);
	for (i = 0; i < cl->shm->nkinds; i++)
		slot->warmup_counts[i] = cl->kinds[i].count;
	client_reset(cl, &slot->warmup);
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
	client_count_pending(cl, bucket);
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

bool client_interpret(struct client *cl, uint32_t pc)
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

void client_close_handles(struct client *cl)
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

void client_run_passes(struct client *cl)
{
	const struct client_setup *setup = cl->setup;
	struct slot *slot = cl->slot;

	while (!setup->passes || slot->passes_done < setup->passes) {
		control_start_pass(cl);
		if (!client_interpret(cl, cl->prog->pass_start))
			return;
		count_pass(cl);
		client_close_handles(cl);
		if (!client_tick(cl))
			return;
	}
}
