/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The compiled program: fixed-size records and one string blob.
 *
 * It is built once in the coordinator, sealed read-only, and inherited by
 * every client through fork(2): the same physical pages for all of them,
 * without a page fault in the clients (private anonymous memory is mapped
 * in the child by copying page tables; a MAP_SHARED one would be faulted in
 * by each client again).
 *
 * Records [0, pass_start) are the preamble (ONCE ... END): every client
 * executes it once before the gate opens; it ends with CTL_ONCE_END.
 * Records [pass_start, nrecs) are one pass; it ends with CTL_END.
 *
 * Strings are NUL-terminated.  Those that contain the client's name
 * ("client1" in dbench's paths) differ between clients: the program holds
 * them as templates, and prog_client_blob() writes a client's own copies,
 * all at the same offsets, with the bit STR_CLIENT set in the record.
 * Strings that change while running (random strings) are templates too,
 * expanded by CTL_EVAL into scratch memory.
 */
#ifndef REPLAY_LOAD_PROG_H
#define REPLAY_LOAD_PROG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "op/op.h"

/* Limits, each named in the error that refuses more. */
#define LOAD_LINE_MAX (1024 * 1024) /* bytes in a line */
#define LOAD_TOKENS_MAX 19          /* as dbench */
#define LOAD_PATH_MAX 4000          /* bytes in a path, names put in */
#define LOAD_NAME_MAX 255           /* bytes in a component */
#define LOAD_DEPTH_MAX 128          /* components in a path */
#define LOAD_IO_MAX (256U << 20)    /* bytes in one transfer */
#define LOAD_NEST_MAX 32            /* nested LOOPs */
#define LOAD_SLOTS_MAX 65534        /* handles open at once */
#define LOAD_INCLUDE_MAX 16         /* nested INCLUDEs */
#define LOAD_INCLUDES_MAX 10000     /* INCLUDEs in all */
#define LOAD_TEXT_MAX (1U << 30)    /* bytes in a file, decompressed, and in
				       all INCLUDEs together */
#define LOAD_LINES_MAX (1U << 28)   /* lines read, includes counted each time */
#define LOAD_CLIENTS_MAX 100000U    /* clients that bounds allow for (+child) */
#define LOAD_RECS_MAX (1U << 28)    /* records in a program */
#define LOAD_BLOB_MAX (1U << 30)    /* bytes of strings */
#define LOAD_ERRORS_MAX 20          /* errors reported */
#define LOAD_SLEEP_MAX 1000000000000U /* microseconds, some eleven days */
#define LOAD_POINT_MAX UINT32_MAX   /* sequence points */
#define RANDOMSTRING_MAX 255        /* bytes in a random string */
#define RANDOMSTRINGS 10            /* $0 .. $9 */
#define LOAD_PARAMS_MAX 10          /* numbers after the paths */

/* Where a record came from; parallel to prog->recs. */
struct rec_src {
	uint32_t line; /* 1-based */
	uint32_t file; /* index in prog->files */
};

/* A load file that was read. */
struct prog_file {
	const char *name;        /* as given or found */
	char sha256[65];         /* of its bytes as stored, lower-case hex */
	uint32_t included_from;  /* file index, or UINT32_MAX */
	uint32_t included_line;
};

/* Piece of a string template. */
enum piece_kind {
	PIECE_TEXT,   /* len bytes at blob + off */
	PIECE_CLIENT, /* decimal client number */
	PIECE_RANDOM, /* random string $off */
};

struct piece {
	uint32_t kind;
	uint32_t off;
	uint32_t len;
};

struct tmpl {
	uint32_t first;  /* in prog->pieces */
	uint32_t n;
	uint32_t dest;   /* offset in the client blob; UINT32_MAX: dynamic */
};

/*
 * One step of a CTL_EVAL: an accumulator machine that fills fields of a
 * copy of the next record.  Arithmetic is modulo 2^64; STEP_STORE into a
 * 32-bit field takes the low half.  All STEP_SAVEs of an operation come after
 * all that reads (STEP_PREV).  "Previous" parameters are 0 at the start of
 * the preamble and of each pass.
 *
 * The record after a CTL_EVAL has, in the fields that are computed, the most
 * they can be: sizes in it are limits of what a buffer must hold.
 */
enum step_op {
	STEP_CONST,   /* acc = value */
	STEP_RANDOM,  /* acc = 64 random bits */
	STEP_MOD,     /* acc %= value (never 0) */
	STEP_ALIGN,   /* acc -= acc % value (never 0) */
	STEP_ADD,     /* acc += value */
	STEP_PREV,    /* acc = parameter `index` of the previous operation */
	STEP_CHILD,   /* acc += client number */
	STEP_CHILDREN,/* acc += number of clients */
	STEP_STRING,  /* acc = random string `index` as a C number */
	STEP_STORE,   /* field `index` (enum field) = acc */
	STEP_EXPAND,  /* field `index` (FIELD_PATH, FIELD_PATH2) = expansion
			 of template `value` */
	STEP_SAVE,    /* parameter `index` of this operation becomes the
			 "previous" one: value = enum field to read, or
			 FIELD_CONST with acc */
};

enum field {
	FIELD_OFFSET, FIELD_LENGTH, FIELD_SIZE, FIELD_EXPECT,
	FIELD_NUM0, FIELD_NUM1, FIELD_NUM2, FIELD_PATH, FIELD_PATH2,
	FIELD_CONST /* the accumulator itself */
};

/* The value of a record's field, and the other way; not of paths. */
uint64_t rec_field(const struct rec *rec, unsigned field);
void rec_set_field(struct rec *rec, unsigned field, uint64_t value);

struct step {
	uint8_t op;     /* enum step_op */
	uint8_t index;
	uint16_t pad;
	uint32_t pad2;
	uint64_t value;
};

/* Counts that are known without running; loops multiplied, saturating. */
struct prog_facts {
	uint64_t once_ops;
	uint64_t ops_per_pass;
	uint64_t bytes_read_per_pass;    /* expected bytes */
	uint64_t bytes_written_per_pass;
	uint64_t fsyncs_per_pass;
	uint64_t ops[OP_NR];             /* per pass */
	uint32_t max_open;               /* handles open at once, per client */
	bool bytes_exact;                /* false: where sizes are computed
					    while running, the bytes above
					    are the most there can be */
	uint64_t max_read;               /* largest read, bytes */
	uint64_t max_write;              /* largest write */
	uint32_t max_wait_client;        /* largest client a WAITSP names */
	uint64_t peak_client_bytes;      /* most that one client's files take */
	uint64_t peak_client_files;
	uint64_t peak_shared_bytes;      /* files all clients share */
	uint64_t peak_shared_files;
	bool has_stamps;
	bool has_waits;                  /* WAITSP */
	bool reads, writes;              /* moves bytes so */
};

struct prog {
	const struct rec *recs;
	const struct rec_src *src;
	uint32_t nrecs;
	uint32_t pass_start;
	const char *blob;
	uint32_t blob_bytes;
	uint32_t client_blob_bytes;   /* size of a client's own blob */
	const struct tmpl *tmpls;
	uint32_t ntmpls;
	const struct piece *pieces;
	uint32_t npieces;
	const struct step *steps;
	uint32_t nsteps;
	const uint32_t *patterns;     /* blob offsets of WRITEPATTERN texts;
					 each text has its length before it:
					 4 bytes, then the bytes */
	uint32_t npatterns;
	uint32_t nslots;              /* handle slots.  Slot 0 is not used by
					 any other operation: an open that
					 must fail has it, and if it succeeds
					 its descriptor is closed at once */
	uint32_t nest;                /* deepest LOOP nesting */
	uint32_t nkinds;              /* operations used */
	uint8_t kind_code[OP_NR];     /* kind -> code */
	struct prog_facts facts;

	/* numbers of handles as in the text, parallel to recs */
	const uint32_t *handle_no;

	struct prog_file *files;      /* owned */
	uint32_t nfiles;
	void *image;                  /* the sealed pages, owned */
	size_t image_bytes;
};

/* Free everything; NULL is fine. */
void prog_free(struct prog *prog);

/* "FILE:LINE" of a record, with " (included from FILE:LINE)" if so. */
void prog_where(const struct prog *prog, uint32_t rec, char *buf, size_t size);

/*
 * Write client CLIENT's own strings into BLOB (client_blob_bytes long).
 * The longest decimal client number has been reserved, so any unsigned
 * 32-bit number fits.
 */
void prog_client_blob(const struct prog *prog, uint32_t client, char *blob);

/* The string at STR with `blobs`: [0] the shared one, [1] the client's. */
static inline const char *prog_str(const uintptr_t blobs[2], uint32_t str)
{
	return (const char *)(blobs[str >> 31] + (str & STR_OFFSET));
}

/*
 * Print the program as load-file text that compiles to the same program:
 * one record a line, ops with their statuses, loops indented not at all.
 */
int prog_dump(const struct prog *prog, FILE *out);

#endif
