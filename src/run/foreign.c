/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Others' processor time and storage I/O, from two looks at /proc.
 *
 * Between the looks processes come and go, so times are not subtracted
 * process by process only.  A parent that waits for a child inherits the
 * child's times (cutime, cstime) and I/O: what a compile job of a thousand
 * short processes used stands in its make, its shell, or in init.  Hence
 *
 *	used = what those alive at the second look used themselves
 *	     + what they inherited in between
 *	     - what those that have ended since had used at the first look
 *
 * where the last two lines together are never less than nothing: children of
 * a parent that ignores SIGCHLD are inherited by nobody.  The first look goes
 * from high numbers to low, the second the other way, children before their
 * parents and parents before their children: should one end while we look,
 * its past is subtracted once too often, never added.
 *
 * What is inherited by nobody, or done where we cannot see, leaves a trace in
 * /proc/stat: the time that the machine was busy less that of all we saw.
 * The kernel samples the one with its tick and measures the other, so the
 * difference counts only where it is more than chance.  Where kernel threads
 * are not seen either (in a PID namespace), what they work for us cannot be
 * told from others' work; they have no user time, so there it is that of user
 * time.  The tick gives it some of what kernel threads do in short pieces,
 * hence it must be half as much again as what we saw.
 *
 * Tried on a virtual machine with two processors, Linux 6.18.  Idle, others
 * used 0.00 to 0.01 processors.  With ours at work and others at rest
 * (computing, files in memory, sleeping ten thousand times a second, forking
 * and executing, fsync), looks of 0.5 and 3 s gave 0.00 to 0.04, and the time
 * nobody was seen to use was at most a quarter of what passes for chance, in
 * 307 looks of 308; in the last it was real.  By user time alone it was 0.2
 * processors or 17 % of what was seen, when kernel threads had much to do.
 * The hypervisor took 2 to 6 % from dbench on a disk, and 5 to 20 % from
 * clients that fsync on images in images: work on our own requests, done
 * beside us.  Only what is well beyond that is taken for somebody else's.
 *
 * One thing cannot be told at all: what kernel threads do for others (an NFS
 * server).
 */
#include "run/foreign.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macro.h"
#include "base/mem.h"
#include "run/look.h"

/*
 * A process whose I/O is hidden has moved nothing to speak of when it used no
 * time to speak of; crossing from one tick to the next may take none.
 */
#define IDLE_TICKS 1

struct foreign {
	pid_t coordinator;       /* as /proc numbers it */
	struct look first;
};

/* Whose: */
enum { OTHERS, OURS, KERNEL, OWNERS_NR };

/* Differences between two looks, of all of an owner's processes. */
struct change {
	int64_t use[USE_NR];  /* of those alive at the second look */
	int64_t past[USE_NR]; /* what those had that have ended since */
	unsigned active;      /* how many used any time */
	unsigned hidden;      /* how many may have moved bytes unseen */
	unsigned lost;        /* ... and have ended */
};

struct foreign *foreign_begin(pid_t coordinator)
{
	pid_t number = look_number_of(coordinator);
	struct foreign *foreign;

	if (number < 0)
		return NULL;
	foreign = mem_zalloc(1, sizeof(*foreign));
	foreign->coordinator = number;
	look_around(&foreign->first, number, LOOK_CHILDREN_FIRST);
	return foreign;
}

/* ---------------------------------------------------------- comparing */

/* What one process used since the first look, BEFORE (NULL: began since). */
static void add_change(struct change *change, const struct proc *before,
		       const struct proc *now)
{
	static const struct proc none = { .has_io = true };
	int64_t ticks = 0;

	before = before ? before : &none;
	for (unsigned i = 0; i < USE_NR; i++) {
		int64_t used = MAX_OF(now->use[i] - before->use[i], 0);

		if (i == USE_TIME || i == USE_KIN_TIME)
			ticks += used;
		if (i < USE_READ || (before->has_io && now->has_io))
			change->use[i] += used;
	}
	change->active += ticks > 0;
	change->hidden += ticks > IDLE_TICKS &&
			  (now->hides_io || before->hides_io);
}

/* What was used by one that has ended since. */
static void add_past(struct change *change, const struct proc *before)
{
	for (unsigned i = 0; i < USE_NR; i++)
		change->past[i] += MAX_OF(before->use[i], 0);
	change->lost += before->hides_io;
}

/* Once ours is always ours, also when a parent in between has ended. */
static unsigned owner_of(const struct proc *proc, const struct proc *before)
{
	if (proc->is_kernel)
		return KERNEL;
	return proc->is_ours || (before && before->is_ours) ? OURS : OTHERS;
}

static void sum_up(const struct look *first, const struct look *second,
		   struct change change[OWNERS_NR])
{
	const struct proc *proc, *before;
	size_t i;

	for (i = 0; i < second->procs.n; i++) {
		proc = &second->procs.v[i];
		before = look_find_same(first, proc);
		/* older, but overlooked: nothing is known of before */
		if (before || proc->started >= first->began_ticks)
			add_change(&change[owner_of(proc, before)], before,
				   proc);
	}
	for (i = 0; i < first->procs.n; i++) {
		proc = &first->procs.v[i];
		if (!look_find_same(second, proc))
			add_past(&change[owner_of(proc, NULL)], proc);
	}
}

/* The part that may have been inherited from before the first look. */
static int64_t inherited(const struct change *change, enum use own,
			 enum use kin)
{
	return MAX_OF(change->use[kin] - change->past[kin] - change->past[own],
		      0);
}

static double seconds_used(const struct change *change, enum use own,
			   enum use kin)
{
	return (double)(change->use[own] + inherited(change, own, kin)) /
	       (double)sysconf(_SC_CLK_TCK);
}

static double bytes_moved(const struct change *change, enum use use)
{
	return (double)MAX_OF(change->use[use] - change->past[use], 0);
}

/*
 * How far off the difference between the machine's time USED and that of
 * ACTIVE processes may be: three standard deviations of a sample by the tick,
 * and a tick a process, since what it has used is cut to whole ones.
 */
static double uncertainty(double used, unsigned active, double seconds)
{
	double hz = (double)sysconf(_SC_CLK_TCK);
	double throws = (double)sysconf(_SC_NPROCESSORS_ONLN) * seconds * hz;
	double share = used * hz / throws;

	return (3 * sqrt(throws * MAX_OF(share * (1 - share), 0.09)) +
		active) / hz;
}

/* Time that the machine was busy, but not with any process we saw. */
static double unseen_seconds(const struct look *first,
			     const struct look *second,
			     const struct change change[OWNERS_NR],
			     double seconds)
{
	bool all = first->sees_all && second->sees_all;
	enum use own = all ? USE_TIME : USE_USER;
	enum use kin = all ? USE_KIN_TIME : USE_KIN_USER;
	double busy = (double)(all ? second->busy_ticks - first->busy_ticks
				   : second->user_ticks - first->user_ticks) /
		      (double)sysconf(_SC_CLK_TCK);
	unsigned active = 0;
	double seen = 0;
	double unsure;

	if (!first->has_stat || !second->has_stat)
		return 0;
	for (unsigned i = 0; i < OWNERS_NR; i++) {
		seen += seconds_used(&change[i], own, kin);
		active += change[i].active;
	}
	unsure = uncertainty(busy, active, seconds) + (all ? 0 : seen / 2);
	return busy - seen > unsure ? busy - seen : 0;
}

/* ------------------------------------------------------------ judging */

/* Append a reason. */
static void add_why(struct disturbance *out, const char *fmt, ...)
	printf_like(2, 3);

static void add_why(struct disturbance *out, const char *fmt, ...)
{
	size_t used = strlen(out->why);
	va_list ap;

	if (used)
		used += (size_t)snprintf(out->why + used,
					 sizeof(out->why) - used, "; ");
	va_start(ap, fmt);
	(void)vsnprintf(out->why + used, sizeof(out->why) - used, fmt, ap);
	va_end(ap);
	out->disturbed = true;
}

static void judge(struct disturbance *out, double seconds)
{
	double cpus = out->cpu_seconds / seconds;
	double moved = (out->read_bytes + out->written_bytes) / seconds;
	double stolen = out->steal_seconds / seconds /
			(double)sysconf(_SC_NPROCESSORS_ONLN);

	if (cpus > DISTURB_CPUS)
		add_why(out, "other processes used %.2f CPUs", cpus);
	if (moved > DISTURB_BYTES_PER_S)
		add_why(out, "other processes moved %.*f MB/s",
			moved < 1e7 ? 1 : 0, moved / 1e6);
	if (stolen > DISTURB_STEAL_SHARE)
		add_why(out, "the hypervisor took %.0f %% of the time",
			100 * stolen);
}

/*
 * What is only a part is shown where the part alone is too much, and unknown
 * otherwise.
 */
static void hide_parts(struct disturbance *out, bool sees_all, bool sees_io,
		       double seconds)
{
	double moved = out->read_bytes + out->written_bytes;

	if (!sees_all && out->cpu_seconds <= DISTURB_CPUS * seconds)
		out->cpu_seconds = NAN;
	if (!(sees_all && sees_io) && moved <= DISTURB_BYTES_PER_S * seconds)
		out->read_bytes = out->written_bytes = NAN;
}

static void compare(const struct foreign *foreign, const struct look *second,
		    double seconds, struct disturbance *out)
{
	const struct look *first = &foreign->first;
	bool sees_all = first->sees_all && second->sees_all;
	struct change change[OWNERS_NR] = { 0 };
	const struct change *others = &change[OTHERS];

	sum_up(first, second, change);
	out->cpu_seconds = seconds_used(others, USE_TIME, USE_KIN_TIME) +
			   unseen_seconds(first, second, change, seconds);
	/* a parent inherits a past that cannot be subtracted */
	if (first->has_io && second->has_io && !others->lost) {
		out->read_bytes = bytes_moved(others, USE_READ);
		out->written_bytes = bytes_moved(others, USE_WRITTEN);
	}
	if (first->has_stat && second->has_stat)
		out->steal_seconds =
			(double)(second->steal_ticks - first->steal_ticks) /
			(double)sysconf(_SC_CLK_TCK);
	hide_parts(out, sees_all, !others->hidden, seconds);
	judge(out, seconds);
	out->known = out->disturbed ||
		     !(isnan(out->cpu_seconds) || isnan(out->read_bytes) ||
		       isnan(out->steal_seconds));
}

void foreign_end(struct foreign *foreign, double seconds,
		 struct disturbance *out)
{
	struct look second;

	*out = (struct disturbance){ .cpu_seconds = NAN, .steal_seconds = NAN,
				     .read_bytes = NAN, .written_bytes = NAN };
	if (!foreign)
		return;
	look_around(&second, foreign->coordinator, LOOK_PARENTS_FIRST);
	if (seconds > 0)
		compare(foreign, &second, seconds, out);
	look_done(&second);
	look_done(&foreign->first);
	free(foreign);
}
