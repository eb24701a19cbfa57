/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256, by which a load file is known again. */
#ifndef REPLAY_LOAD_DIGEST_H
#define REPLAY_LOAD_DIGEST_H

#include <stddef.h>

#define DIGEST_HEX 65 /* 64 digits and a NUL */

/* The digest of LEN bytes as lower-case digits, as sha256sum(1) prints it. */
void digest_bytes(const void *bytes, size_t len, char out[static DIGEST_HEX]);

#endif
