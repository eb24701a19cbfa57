/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What others do while we measure: processor time and storage I/O of the
 * processes that are not ours, and the time the hypervisor takes.
 */
#ifndef REPLAY_RUN_FOREIGN_H
#define REPLAY_RUN_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/macro.h"
#include "stats/result.h"

struct foreign; /* opaque: what was seen at the beginning */

/*
 * Look around.  Our own processes are COORDINATOR and its descendants; those
 * in its process group or session are not by that alone.  Kernel threads
 * belong to nobody: they work for us as well.  Never fails; what cannot be
 * read (hidepid, a PID namespace, another user's /proc/PID/io) makes the
 * result less known, and NULL is an answer, too.  Takes some milliseconds, so
 * not while the clock runs.
 */
struct foreign *foreign_begin(pid_t coordinator) must_check;

/*
 * Look again, SECONDS later, fill in OUT and free FOREIGN (NULL: all
 * unknown).  Disturbed is a run when others used more than a tenth of a
 * processor, moved more than 1 MB/s, or the hypervisor took more than 30 % of
 * the processors' time.  A number that is only a part of what there was is
 * given where the part alone is too much, and unknown otherwise.  Known is
 * the whole when it is disturbed, or no number is unknown.
 */
void foreign_end(struct foreign *foreign, double seconds,
		 struct disturbance *out);

#endif
