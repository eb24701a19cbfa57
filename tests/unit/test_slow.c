/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The delay of operations, and that there is none without it. */
#include "backend/backend.h"

#include "base/clock.h"
#include "scratch.h"
#include "tap.h"

static struct backend be;
static unsigned asked;      /* whether it is time to stop */
static unsigned stop_after; /* questions; 0: never */

static bool ask_stopping(const void *arg)
{
	(void)arg;
	return ++asked == stop_after;
}

static int open_with(const struct backend_ops *ops, uint64_t delay_ns)
{
	const struct backend_env env = { .delay_ns = delay_ns,
					 .stopping = ask_stopping };

	asked = stop_after = 0;
	return backend_open(&be, ops, &env, NULL);
}

/* Execute N operations and say how long that took. */
static uint64_t submit_ns(unsigned n)
{
	const struct rec rec = { .code = OP_READX, .want = WANT_OK,
				 .flags = REC_IO, .size = 4096,
				 .expect = 4096 };
	uint64_t start_ns = clock_now_ns();
	struct req req = { .rec = &rec };
	unsigned good = 0;

	for (unsigned i = 0; i < n; i++) {
		req.ret = -1;
		good += backend_submit(&be, &req) == SUBMIT_DONE &&
			req.ret == 4096;
	}
	is_int(good, n, "operations have the outcome of the backend");
	return clock_now_ns() - start_ns;
}

static void test_plain(void)
{
	is_int(open_with(&backend_null, 0), 0, "opened without a delay");
	ok(be.ops == &backend_null, "the table is the backend's own");
	(void)submit_ns(10);
	is_int(asked, 0, "nothing waits");
	backend_close(&be);
}

static void test_delay(uint64_t delay_ns, unsigned n, const char *how)
{
	uint64_t ns;

	is_int(open_with(&backend_null, delay_ns), 0, "opened with a delay");
	ok(be.ops != &backend_null, "the table is another");
	is_str(be.ops->name, "null", "... of the same name");
	ok(be.ops->moves_nothing, "... that moves no bytes either");
	ok(be.prim == backend_null.prim, "the primitives are not delayed");
	ns = submit_ns(n);
	ok(ns >= n * delay_ns, "%u pauses of %.0f us, %s: %.0f us", n,
	   (double)delay_ns / 1e3, how, (double)ns / 1e3);
	backend_close(&be);
}

/* One answer after the other: not taken, taken, done. */
static enum submit submit_later(struct backend *backend, struct req *req)
{
	int *n = backend->priv;

	(void)req;
	switch ((*n)++) {
	case 0:
		return SUBMIT_BUSY;
	case 1:
		return SUBMIT_QUEUED;
	default:
		return SUBMIT_DONE;
	}
}

static void test_answers(void)
{
	struct backend_ops ops = backend_null;
	struct req req = { 0 };
	int n = 0;

	ops.submit = submit_later;
	is_int(open_with(&ops, 1000), 0, "opened, to answer otherwise");
	be.priv = &n;
	is_int(backend_submit(&be, &req), SUBMIT_BUSY, "busy");
	is_int(asked, 0, "... which is no operation yet");
	is_int(backend_submit(&be, &req), SUBMIT_QUEUED, "queued");
	ok(asked > 0, "... followed by a pause");
	asked = 0;
	is_int(backend_submit(&be, &req), SUBMIT_DONE, "done");
	ok(asked > 0, "... followed by a pause");
	backend_close(&be);
}

/* A pause of an hour; the alarm is for a delay that does not end early. */
static int stop_early(int unused)
{
	const struct rec rec = { .want = WANT_ANY };
	struct req req = { .rec = &rec };

	(void)unused;
	need(open_with(&backend_null, 3600 * NS_PER_S) == 0);
	stop_after = 3;
	need(backend_submit(&be, &req) == SUBMIT_DONE);
	need(asked == 3);
	return 0;
}

static int fail_open(struct backend *backend, struct err *err)
{
	(void)backend;
	return err_set(err, -EPERM, "refused");
}

static void test_refused(void)
{
	struct backend_ops ops = backend_null;

	ops.open = fail_open;
	is_int(open_with(&ops, 1000), -EPERM, "one that cannot be opened");
}

int main(void)
{
	test_plain();
	test_delay(20 * NS_PER_US, 50, "spun");
	test_delay(500 * NS_PER_US, 5, "slept");
	test_answers();
	check_in_child(stop_early, -1, "a pause ends when the run does");
	test_refused();
	return done_testing();
}
