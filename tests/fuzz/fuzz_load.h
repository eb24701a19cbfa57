/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What libFuzzer, or replay_corpus, calls with one input. */
#ifndef REPLAY_TESTS_FUZZ_FUZZ_LOAD_H
#define REPLAY_TESTS_FUZZ_FUZZ_LOAD_H

#include <stddef.h>
#include <stdint.h>

/* The harness's corpus, a directory below tests/fuzz. */
extern const char fuzz_corpus[];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
