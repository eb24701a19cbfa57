/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parser of the list of client counts.
 *
 * Items are taken from left to right.  The parser remembers where in the
 * result the numbers began that may found a progression (base) and whether
 * an ellipsis waits for its end (open).  An ellipsis decides nothing by
 * itself: when its end is there, the candidate progressions are stepped
 * until they meet or pass it.  All values are at most CLIENTS_MAX, so
 * products fit 64 bits.
 */
#include "cli/counts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

struct parser {
	VEC(unsigned) out;
	size_t base;     /* first number that may found a progression */
	bool open;       /* the last item was an ellipsis */
	struct err *err; /* the caller's */
};

/* One item, without the blanks around it. */
struct item {
	const char *s;
	int len; /* for %.*s */
};

static bool is_blank_char(char c)
{
	return c == ' ' || c == '\t';
}

static struct item trim_item(const char *s, size_t len)
{
	while (len && is_blank_char(*s)) {
		s++;
		len--;
	}
	while (len && is_blank_char(s[len - 1]))
		len--;
	return (struct item){ .s = s, .len = (int)MIN_OF(len, 200U) };
}

/* A whole item as a client count. */
static int read_count(struct parser *p, struct item item, unsigned *out)
{
	uint64_t value = 0;

	for (int i = 0; i < item.len; i++) {
		if (item.s[i] < '0' || item.s[i] > '9')
			return err_set(p->err, -EINVAL,
				       "client counts: '%.*s' is no number",
				       item.len, item.s);
		value = value * 10 + (uint64_t)(item.s[i] - '0');
		value = MIN_OF(value, CLIENTS_MAX + UINT64_C(1));
	}
	if (!item.len)
		return err_set(p->err, -EINVAL, "client counts: empty item");
	if (!value)
		return err_set(p->err, -EINVAL,
			       "client counts: '%.*s' is not at least 1",
			       item.len, item.s);
	if (value > CLIENTS_MAX)
		return err_set(p->err, -EINVAL,
			       "client counts: '%.*s' is more than %u",
			       item.len, item.s, CLIENTS_MAX);
	*out = (unsigned)value;
	return 0;
}

static int push_count(struct parser *p, unsigned count)
{
	for (size_t i = 0; i < p->out.n; i++) {
		if (p->out.v[i] == count)
			return err_set(p->err, -EINVAL,
				       "client counts: %u is there twice",
				       count);
	}
	if (p->out.n >= COUNTS_MAX)
		return err_set(p->err, -EINVAL,
			       "client counts: more than %u of them, from %u",
			       COUNTS_MAX, count);
	*VEC_PUSH(&p->out) = count;
	return 0;
}

/*
 * How a progression goes on: next = (value * mul + add) / div.  Geometric
 * ones may have a ratio that is no integer (8,12,...) as long as every
 * member is one.
 */
struct step {
	uint64_t mul, add, div;
};

static struct step arithmetic_step(const unsigned *v)
{
	return (struct step){ .mul = 1, .add = v[1] - v[0], .div = 1 };
}

static struct step geometric_step(const unsigned *v)
{
	return (struct step){ .mul = v[1], .add = 0, .div = v[0] };
}

/* The member after VALUE, or 0 when it is no integer. */
static uint64_t step_next(const struct step *step, uint64_t value)
{
	uint64_t next = value * step->mul + step->add;

	return next % step->div ? 0 : next / step->div;
}

/* Whether the N numbers V follow STEP. */
static bool step_fits(const struct step *step, const unsigned *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (step_next(step, v[i - 1]) != v[i])
			return false;
	}
	return true;
}

/*
 * Go from LAST towards END.  True when END lies on the progression;
 * otherwise *OUT_BELOW is the last member before it and *OUT_ABOVE the first
 * one past it (0: there is none).
 */
static bool step_reaches(const struct step *step, unsigned last, unsigned end,
			 uint64_t *out_below, uint64_t *out_above)
{
	uint64_t value = last;

	*out_below = last;
	while (value && value < end) {
		*out_below = value;
		value = step_next(step, value);
	}
	*out_above = value;
	return value == end;
}

/* Put the members after LAST up to END into the result. */
static int push_steps(struct parser *p, const struct step *step,
		      unsigned last, unsigned end)
{
	int ret = 0;

	for (uint64_t v = last; v < end && !ret;) {
		v = step_next(step, v);
		ret = push_count(p, (unsigned)v);
	}
	return ret;
}

/* The progression the numbers before the ellipsis and END are meant to be. */
static int choose_step(struct parser *p, unsigned end, struct step *out)
{
	const unsigned *v = p->out.v + p->base;
	size_t n = p->out.n - p->base;
	struct step arith = arithmetic_step(v), geo = geometric_step(v);
	uint64_t below, above;

	*out = arith;
	if (n > 2) {
		if (step_fits(&geo, v, n))
			*out = geo;
		else if (!step_fits(&arith, v, n))
			return err_set(p->err, -EINVAL,
				       "client counts: the numbers before "
				       "'...,%u' are no progression: %u, %u, "
				       "%u, ...", end, v[0], v[1], v[2]);
	} else if (v[1] % v[0] == 0 &&
		   step_reaches(&geo, v[1], end, &below, &above)) {
		*out = geo;
	}
	if (step_reaches(out, v[n - 1], end, &below, &above))
		return 0;
	if (!above)
		return err_set(p->err, -EINVAL,
			       "client counts: %u is not on the progression "
			       "from %u, %u, which ends with %u", end, v[0],
			       v[1], (unsigned)below);
	return err_set(p->err, -EINVAL,
		       "client counts: %u is not on the progression from %u, "
		       "%u: it goes from %u to %llu", end, v[0], v[1],
		       (unsigned)below, (unsigned long long)above);
}

/* END closes an ellipsis. */
static int close_ellipsis(struct parser *p, unsigned end)
{
	const unsigned *v = p->out.v + p->base;
	unsigned last = p->out.v[p->out.n - 1];
	struct step step;
	int ret;

	if (v[1] <= v[0])
		return err_set(p->err, -EINVAL,
			       "client counts: '%u,%u,...' does not ascend",
			       v[0], v[1]);
	if (end <= last)
		return err_set(p->err, -EINVAL,
			       "client counts: '...,%u' ends before it begins: "
			       "%u comes before it", end, last);
	ret = choose_step(p, end, &step);
	if (ret < 0)
		return ret;
	ret = push_steps(p, &step, last, end);
	p->base = p->out.n - 1;
	p->open = false;
	return ret;
}

static int take_ellipsis(struct parser *p)
{
	if (p->open)
		return err_set(p->err, -EINVAL,
			       "client counts: '...' after '...'");
	if (p->out.n - p->base < 2)
		return err_set(p->err, -EINVAL,
			       "client counts: '...' needs two numbers before "
			       "it to go on from");
	p->open = true;
	return 0;
}

static int take_range(struct parser *p, struct item item, const char *dash)
{
	size_t left = (size_t)(dash - item.s);
	struct item from = trim_item(item.s, left);
	struct item to = trim_item(dash + 1, (size_t)item.len - left - 1);
	unsigned first, last;
	int ret = 0;

	if (!from.len || !to.len)
		return err_set(p->err, -EINVAL,
			       "client counts: '%.*s' is no range A-B",
			       item.len, item.s);
	if (read_count(p, from, &first) < 0 || read_count(p, to, &last) < 0)
		return -EINVAL;
	if (first > last)
		return err_set(p->err, -EINVAL,
			       "client counts: range '%.*s' runs backwards",
			       item.len, item.s);
	if (p->open)
		return err_set(p->err, -EINVAL,
			       "client counts: '...' must end in a number, not "
			       "in the range '%.*s'", item.len, item.s);
	for (unsigned v = first; v <= last && !ret; v++)
		ret = push_count(p, v);
	p->base = p->out.n ? p->out.n - 1 : 0;
	return ret;
}

static int take_item(struct parser *p, struct item item)
{
	const char *dash = memchr(item.s, '-', (size_t)item.len);
	unsigned count;
	int ret;

	if (item.len == 3 && memcmp(item.s, "...", 3) == 0)
		return take_ellipsis(p);
	if (dash)
		return take_range(p, item, dash);
	ret = read_count(p, item, &count);
	if (ret < 0)
		return ret;
	return p->open ? close_ellipsis(p, count) : push_count(p, count);
}

static int parse_items(struct parser *p, const char *text)
{
	const char *end;
	int ret;

	do {
		end = strchrnul(text, ',');
		ret = take_item(p, trim_item(text, (size_t)(end - text)));
		text = end + 1;
	} while (!ret && *end);
	if (!ret && p->open)
		return err_set(p->err, -EINVAL,
			       "client counts: '...' must be followed by a "
			       "last number");
	return ret;
}

int counts_parse(const char *text, unsigned **out, size_t *out_n,
		 struct err *err)
{
	struct parser p = { .err = err };
	int ret;

	if (!text[strspn(text, " \t")])
		return err_set(err, -EINVAL, "client counts: '' is empty");
	ret = parse_items(&p, text);
	if (ret < 0) {
		VEC_FREE(&p.out);
		return ret;
	}
	*out = p.out.v;
	*out_n = p.out.n;
	return 0;
}
