/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scope-bound resources for set-up code; never used in the timed loop.
 * An initialised variable with one of these attributes is released when it
 * goes out of scope; take() hands the resource over to somebody else.
 */
#ifndef REPLAY_BASE_CLEANUP_H
#define REPLAY_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

static inline void cleanup_fclose(FILE **fp)
{
	if (*fp)
		(void)fclose(*fp);
}

static inline void cleanup_closedir(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

#define autofree __attribute__((cleanup(cleanup_free)))
#define autoclose __attribute__((cleanup(cleanup_close)))
#define autofp __attribute__((cleanup(cleanup_fclose)))
#define autodir __attribute__((cleanup(cleanup_closedir)))

/* Hand over a pointer: evaluates to it and leaves NULL behind. */
#define take(p)                                                               \
	__extension__({                                                       \
		__typeof__(p) taken_ = (p);                                   \
		(p) = NULL;                                                   \
		taken_;                                                       \
	})

/* Hand over a descriptor: evaluates to it and leaves -1 behind. */
static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#endif
