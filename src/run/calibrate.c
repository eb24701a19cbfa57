/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cost of the driver, from a moment of the null backend.  Thirty
 * milliseconds are some half a million operations.
 */
#include "run/calibrate.h"

#include <errno.h>
#include <math.h>

#define CALIBRATION_SECONDS 0.03

int calibrate_driver(struct fleet_plan *plan, struct watch *watch,
		     double *out_ns, struct err *err)
{
	struct run_result result;
	double ns = 0;
	size_t i;
	int ret;

	plan->setup.backend = &backend_null;
	plan->setup.env.xattr = false;
	plan->setup.passes = 0;
	plan->setup.skip_once = true;
	plan->setup.rate_mb_per_s = 0;
	plan->warmup_seconds = CALIBRATION_SECONDS / 3;
	plan->timelimit_seconds = CALIBRATION_SECONDS;
	plan->progress = NULL;
	run_result_init(&result);
	ret = fleet_run(plan, watch, &result, err);
	if (ret == 0 && result.end == RUN_CLIENT_DIED)
		ret = err_set(err, -EFAULT, "%s", result.reason);
	for (i = 0; i < result.nops; i++)
		ns += (double)result.ops[i].stats.sum_ns;
	*out_ns = result.totals.ops ? ns / (double)result.totals.ops : NAN;
	run_result_done(&result);
	return ret;
}
