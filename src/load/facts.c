/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of a program without running it: every record counts as
 * often as the loops around it say, and no sum goes beyond 2^64-1.
 */
#include "base/sat.h"
#include "load/build.h"

struct counting {
	struct build *build;
	uint64_t times[LOAD_NEST_MAX + 1]; /* executions, by depth */
	unsigned depth;
	size_t next;                       /* in build->computed */
};

/* Whether the size or the expected size of a record is computed. */
static bool is_size_computed(struct counting *c, uint32_t rec)
{
	const struct build *build = c->build;
	bool computed = false;

	for (; c->next < build->computed.n &&
	       build->computed.v[c->next].rec == rec;
	     c->next++) {
		unsigned field = build->computed.v[c->next].field;

		computed |= field == FIELD_SIZE || field == FIELD_EXPECT;
	}
	return computed;
}

/* Bytes a transfer moves when its outcome is as recorded. */
static uint64_t expected_bytes(const struct rec *rec)
{
	if (rec->want != WANT_OK)
		return 0;
	return rec->expect == EXPECT_ANY ? rec->size : rec->expect;
}

static void count_bytes(struct counting *c, const struct rec *rec, bool exact)
{
	struct prog_facts *facts = &c->build->facts;
	uint64_t bytes = sat_mul(expected_bytes(rec), c->times[c->depth]);

	if (!exact)
		facts->bytes_exact = false;
	if (rec->flags & REC_WRITES)
		facts->bytes_written_per_pass =
			sat_add(facts->bytes_written_per_pass, bytes);
	else
		facts->bytes_read_per_pass =
			sat_add(facts->bytes_read_per_pass, bytes);
}

static void count_operation(struct counting *c, uint32_t i)
{
	struct prog_facts *facts = &c->build->facts;
	const struct rec *rec = &c->build->recs.v[i];
	uint64_t times = c->times[c->depth];
	bool exact = !is_size_computed(c, i);

	if (rec->flags & REC_WRITES) {
		facts->writes = true;
		facts->max_write = MAX_OF(facts->max_write, rec->size);
	} else if (rec->flags & REC_IO) {
		facts->reads = true;
		facts->max_read = MAX_OF(facts->max_read, rec->size);
	}
	if (i < c->build->pass_start) {
		facts->once_ops = sat_add(facts->once_ops, times);
		return;
	}
	facts->ops_per_pass = sat_add(facts->ops_per_pass, times);
	facts->ops[rec->code] = sat_add(facts->ops[rec->code], times);
	if (op_info(rec->code)->flags & OPF_SYNCS)
		facts->fsyncs_per_pass = sat_add(facts->fsyncs_per_pass, times);
	if (rec->flags & REC_IO)
		count_bytes(c, rec, exact);
}

static void count_control(struct counting *c, const struct rec *rec)
{
	struct prog_facts *facts = &c->build->facts;

	switch (rec->code) {
	case CTL_LOOP:
		c->depth++;
		c->times[c->depth] = sat_mul(c->times[c->depth - 1],
					     rec->offset);
		break;
	case CTL_ENDLOOP:
		c->depth--;
		break;
	case CTL_STAMP:
		facts->has_stamps = true;
		break;
	case CTL_WAITSP:
		facts->has_waits = true;
		facts->max_wait_client = MAX_OF(facts->max_wait_client,
						(uint32_t)rec->offset);
		break;
	default:
		break;
	}
}

void facts_count(struct build *build)
{
	struct counting c = { .build = build, .times = { 1 } };
	uint32_t i;

	build->facts.bytes_exact = true;
	for (i = 0; i < build->recs.n; i++)
		if (op_is_control(build->recs.v[i].code))
			count_control(&c, &build->recs.v[i]);
		else
			count_operation(&c, i);
}
