/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of file systems, and how large an image must be.
 *
 * Sizes were found by trying: images of 8 MiB to 256 GiB, made with the
 * versions of Debian 12 (e2fsprogs 1.47.0, xfsprogs 6.1.0, btrfs-progs 6.2,
 * f2fs-tools 1.15.0, nilfs-tools 2.2.9, jfsutils 1.1.15).  What is lost is
 * the image's size less statvfs(3)'s f_bavail after mounting it on Linux 6.18;
 * for f2fs, nilfs2 and jfs, what their tools say of the fresh image.  It goes
 * in steps (ext4's journal doubles at 1, 2, 16 GiB...), so there is a bound
 * for each range instead of a formula.
 *
 * Then 4 KiB, 64 KiB and 1 MB files were written to ext4, xfs and btrfs
 * until they were full: bytes_per_file is what was missing to the bound,
 * rounded up.
 */
#include "layout/fstype.h"

#include <string.h>

#include "base/macro.h"
#include "base/sat.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* What a computed image has beyond what is needed: a part, and some MiB. */
#define SPARE_PART 64
#define SPARE_BYTES (4 * MIB)

/* No reserve for the superuser either: we are that, clients may not be. */
#define EXT_ARGS                                                              \
	{                                                                     \
		"-q", "-F", "-m", "0", "-E",                                  \
		"nodiscard,lazy_itable_init=0,lazy_journal_init=0"            \
	}

/* clang-format off */

const struct fstype fstypes[] = {
	{
		.name = "ext4",
		.mkfs = "mkfs.ext4",
		.args = EXT_ARGS,
		.package = "e2fsprogs",
		/* mkfs accepts 104 KiB, but gives no journal below 2 MiB */
		.min_bytes = 2 * MIB,
		/* below 512 MiB: blocks of 1 KiB, four times the inodes */
		.shares = {
			{ 2 * MIB, 0.58 },   /* seen: 0.57 */
			{ 8 * MIB, 0.24 },   /* 32 MiB: 0.232 */
			{ 64 * MIB, 0.17 },  /* 64 MiB: 0.165 */
			{ 128 * MIB, 0.13 }, /* 128 MiB: 0.126, 256: 0.118 */
			{ 512 * MIB, 0.07 }, /* 512 MiB: 0.068, 1 GiB: 0.065 */
			{ 2 * GIB, 0.06 },   /* 2 GiB: 0.058 */
			{ 4 * GIB, 0.04 },   /* 4 GiB: 0.039 */
			{ 16 * GIB, 0.028 }, /* 16 GiB: 0.027, 256: 0.020 */
		},
		.bytes_per_file = 512,
		.copies = 1,
		.inodes_option = "-N",
		.bytes_per_inode = 16384,
	},
	{
		.name = "ext3",
		.mkfs = "mkfs.ext3",
		.args = EXT_ARGS,
		.package = "e2fsprogs",
		.min_bytes = 2 * MIB,
		.shares = {
			{ 2 * MIB, 0.56 },   /* 2 MiB: 0.546 */
			{ 8 * MIB, 0.21 },   /* 32 MiB: 0.201 */
			{ 64 * MIB, 0.15 },  /* 64 MiB: 0.145 */
			{ 128 * MIB, 0.11 }, /* 128 MiB: 0.106, 256: 0.102 */
			{ 512 * MIB, 0.05 }, /* 0.048 at 512 MiB, 1, 2 GiB */
			{ 4 * GIB, 0.034 },  /* 4 GiB: 0.033 */
			{ 8 * GIB, 0.027 },  /* 8 GiB: 0.026 */
		},
		/* indirect blocks, one in 1024, are in the spare part */
		.bytes_per_file = 512,
		.copies = 1,
		.inodes_option = "-N",
		.bytes_per_inode = 16384,
	},
	{
		.name = "ext2",
		.mkfs = "mkfs.ext2",
		.args = EXT_ARGS,
		.package = "e2fsprogs",
		.min_bytes = MIB,
		.shares = {
			{ MIB, 0.09 },       /* 64 MiB: 0.083 */
			{ 512 * MIB, 0.02 }, /* 4 GiB: 0.018 */
		},
		.bytes_per_file = 512,
		.copies = 1,
		.inodes_option = "-N",
		.bytes_per_inode = 16384,
	},
	{
		.name = "xfs",
		.mkfs = "mkfs.xfs",
		.args = { "-q", "-f", "-K" },
		.package = "xfsprogs",
		.min_bytes = 300 * MIB,
		.shares = {
			{ 300 * MIB, 0.28 },  /* 300 MiB: 0.270 */
			{ 400 * MIB, 0.22 },  /* 400 MiB: 0.217 */
			{ 512 * MIB, 0.185 }, /* 512 MiB: 0.182 */
			{ 700 * MIB, 0.145 }, /* 700 MiB: 0.144 */
			{ GIB, 0.102 },       /* 1 GiB: 0.101 */
			{ 2 * GIB, 0.055 },   /* 2 GiB: 0.054 */
			{ 4 * GIB, 0.031 },   /* 4 GiB: 0.030 */
			{ 8 * GIB, 0.020 },   /* 8 GiB: 0.019, 256: 0.008 */
		},
		/* inodes of 512 bytes are made as they are needed */
		.bytes_per_file = 640,
		.copies = 1,
	},
	{
		.name = "btrfs",
		.mkfs = "mkfs.btrfs",
		.args = { "-q", "-f", "-K" },
		.package = "btrfs-progs",
		/* since Linux 6.2 discard=async is its default */
		.mount_option = "nodiscard",
		.min_bytes = 109 * MIB,
		.shares = {
			{ 109 * MIB, 0.75 }, /* 110 MiB: 0.736 */
			{ 192 * MIB, 0.43 }, /* 192 MiB: 0.422 */
			{ 256 * MIB, 0.33 }, /* 256 MiB: 0.316 */
			{ 400 * MIB, 0.21 }, /* 400 MiB: 0.203 */
			{ 512 * MIB, 0.16 }, /* 512 MiB: 0.158 */
			{ 700 * MIB, 0.13 }, /* 4 GiB: 0.129 */
			{ 8 * GIB, 0.07 },   /* 8 GiB: 0.065 */
			/* chunks grow tenfold at 50 GiB: 2 GiB are metadata */
			{ 16 * GIB, 0.042 }, /* 16, 64 GiB: 0.032 */
		},
		/* metadata is there twice (DUP) */
		.bytes_per_file = 2048,
		/*
		 * An extent stays as long as a byte of it is in use: 300 MiB
		 * of files took 815 MiB after random writes of 4 to 64 KiB.
		 */
		.copies = 3,
	},
	{
		.name = "f2fs",
		.mkfs = "mkfs.f2fs",
		.args = { "-q", "-f", "-t", "0" },
		.package = "f2fs-tools",
		.mount_option = "nodiscard", /* its default is discard */
		.min_bytes = 52 * MIB,
		.shares = {
			{ 52 * MIB, 0.87 },  /* 52 MiB: 0.846, 54: 0.852 */
			{ 64 * MIB, 0.76 },  /* 64 MiB: 0.750 */
			{ 100 * MIB, 0.61 }, /* 100 MiB: 0.600 */
			{ 128 * MIB, 0.53 }, /* 128 MiB: 0.516 */
			{ 256 * MIB, 0.34 }, /* 256 MiB: 0.336 */
			{ 512 * MIB, 0.23 }, /* 512 MiB: 0.227 */
			{ GIB, 0.16 },       /* 1 GiB: 0.153 */
			{ 4 * GIB, 0.08 },   /* 4 GiB: 0.074, 16: 0.039 */
		},
		.bytes_per_file = 4608, /* an inode is a block */
		.copies = 1,
	},
	{
		.name = "nilfs2",
		.mkfs = "mkfs.nilfs2",
		.args = { "-q", "-f", "-K" },
		.package = "nilfs-tools",
		/* 131076 KiB */
		.min_bytes = 129 * MIB,
		/* 5 %, at least 8 segments of 8 MiB, are kept for cleaning */
		.shares = {
			{ 129 * MIB, 0.62 }, /* 129 MiB: 0.57 and metadata */
			{ 256 * MIB, 0.35 }, /* 256 MiB: 0.31 */
			{ 512 * MIB, 0.19 },
			{ GIB, 0.10 },       /* 1 GiB: 0.078 */
			{ 4 * GIB, 0.07 },   /* 4 GiB: 0.055 */
		},
		.bytes_per_file = 512,
		/*
		 * A log, which nobody cleans: that is mount.nilfs2's daemon,
		 * and we mount without it.  A run that overwrites more than
		 * the image has ends with ENOSPC, whatever is chosen here.
		 */
		.copies = 3,
	},
	{
		.name = "jfs",
		.mkfs = "mkfs.jfs",
		.args = { "-q" },
		.package = "jfsutils",
		.min_bytes = 16 * MIB,
		.shares = {
			{ 16 * MIB, 0.10 },  /* 16 MiB: 0.084 */
			{ 64 * MIB, 0.04 },  /* 64 MiB: 0.021 */
			{ 256 * MIB, 0.02 }, /* 256 MiB on: 0.005 */
		},
		.bytes_per_file = 768,
		.copies = 1,
	},
};

/* One that is not in the table. */
static const struct fstype unknown = {
	.shares = { { 0, 0.30 } },
	.bytes_per_file = 4096,
	.copies = 1,
};

/* clang-format on */

const size_t fstypes_nr = ARRAY_SIZE(fstypes);

const struct fstype *fstype_find(const char *name)
{
	for (size_t i = 0; i < fstypes_nr; i++)
		if (strcmp(fstypes[i].name, name) == 0)
			return &fstypes[i];
	return NULL;
}

/* A product with a fraction, that does not wrap. */
static uint64_t scale(uint64_t bytes, double factor)
{
	double product = (double)bytes * factor;

	return product < 0x1p63 ? (uint64_t)product : UINT64_MAX;
}

uint64_t fstype_room(const struct fstype *fs, uint64_t size, uint64_t files)
{
	const struct fstype_share *share;
	uint64_t room, taken;

	if (!fs)
		fs = &unknown;
	share = fs->shares;
	while (share[1].lost > 0 && share[1].from_bytes <= size)
		share++;
	room = scale(size, 1 - share->lost);
	taken = sat_mul(files, fs->bytes_per_file);
	return room > taken ? room - taken : 0;
}

static uint64_t round_to_mib(uint64_t bytes)
{
	uint64_t up = sat_add(bytes, MIB - 1);

	return up == UINT64_MAX ? up : up - up % MIB;
}

uint64_t fstype_size(const struct fstype *fs, uint64_t bytes, uint64_t files)
{
	const struct fstype_share *share;
	uint64_t size, want;

	if (!fs)
		fs = &unknown;
	want = scale(bytes, fs->copies);
	want = sat_add(want, want / SPARE_PART + SPARE_BYTES);
	want = sat_add(want, sat_mul(files, fs->bytes_per_file));
	/* the first range that can hold it; shares fall, so none skips it */
	for (share = fs->shares;; share++) {
		size = MAX_OF(scale(want, 1 / (1 - share->lost)),
			      share->from_bytes);
		if (!(share[1].lost > 0) || size < share[1].from_bytes)
			return round_to_mib(MAX_OF(size, fs->min_bytes));
	}
}
