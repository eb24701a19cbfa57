/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the driver itself costs. */
#ifndef REPLAY_RUN_CALIBRATE_H
#define REPLAY_RUN_CALIBRATE_H

#include "run/fleet.h"

/*
 * The driver's own time per operation, nanoseconds, into *OUT_NS: PLAN (which
 * is changed) is run for a moment by one client with the null backend, whose
 * cost is all ours.  NAN when nothing was executed.  A load that kills the
 * interpreter does so here, before anything is touched: -EFAULT with ERR set.
 */
int calibrate_driver(struct fleet_plan *plan, struct watch *watch,
		     double *out_ns, struct err *err) must_check;

#endif
