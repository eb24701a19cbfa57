/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Internal to layout/: the layers one by one, and what their tables (in
 * layers.c) point at.  A setup function makes levels[N] of LAYOUT; a check
 * looks whether this machine and our rights allow the layer, and changes
 * nothing.  See struct layer_ops in layout.h for what they promise.
 */
#ifndef REPLAY_LAYOUT_SETUPS_H
#define REPLAY_LAYOUT_SETUPS_H

#include "layout/layout.h"

extern const struct layer_ops layer_dir, layer_tmpfs, layer_image;
extern const struct layer_ops layer_bind, layer_loop, layer_overlay, layer_slow;

int setup_dir(struct layout *layout, size_t n, struct err *err) must_check;
int setup_tmpfs(struct layout *layout, size_t n, struct err *err) must_check;
int setup_image(struct layout *layout, size_t n, struct err *err) must_check;
int setup_bind(struct layout *layout, size_t n, struct err *err) must_check;
int setup_loop(struct layout *layout, size_t n, struct err *err) must_check;
int setup_overlay(struct layout *layout, size_t n, struct err *err) must_check;
int setup_slow(struct layout *layout, size_t n, struct err *err) must_check;

/* CAP_SYS_ADMIN, for bind, overlay and tmpfs; it names the layer. */
int check_mounts(const struct layer_spec *spec, struct err *err) must_check;

/* Loop devices, and mkfs and driver of SPEC's file system. */
int check_loop(const struct layer_spec *spec, struct err *err) must_check;

/* An existing image: readable, and of a size that we can copy. */
int check_image(const struct layer_spec *spec, struct err *err) must_check;

#endif
