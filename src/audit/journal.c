/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How large is the journal?  No system call says so for a mounted file
 * system, but its super block keeps a copy of the journal's inode, for
 * e2fsck, with the size in it.  Reading a device that is mounted is harmless:
 * what one gets is what the file system itself has in memory.
 *
 * Offsets are those of struct ext2_super_block in ext2_fs.h of e2fsprogs;
 * everything on the disk is little endian.
 */
#include "audit/journal.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fdio.h"
#include "base/mem.h"

enum {
	SUPER_AT = 1024,        /* on the device */
	SUPER_BYTES = 1024,

	AT_MAGIC = 0x38,        /* 16 bits */
	AT_COMPAT = 0x5c,       /* features */
	AT_BACKUP_TYPE = 0xfd,  /* 8 bits: what s_jnl_blocks holds */
	AT_SIZE_HIGH = 0x148,   /* s_jnl_blocks[15] */
	AT_SIZE_LOW = 0x14c,    /* s_jnl_blocks[16] */

	MAGIC = 0xef53,
	COMPAT_HAS_JOURNAL = 4,
	BACKUP_INODE = 1,
};

static uint32_t get_le32(const unsigned char *super, size_t at)
{
	uint32_t v;

	memcpy(&v, super + at, sizeof(v));
	return le32toh(v);
}

static uint16_t get_le16(const unsigned char *super, size_t at)
{
	uint16_t v;

	memcpy(&v, super + at, sizeof(v));
	return le16toh(v);
}

int journal_read(int fd, bool *out_has, uint64_t *out_bytes)
{
	unsigned char super[SUPER_BYTES];
	ssize_t got = pread(fd, super, sizeof(super), SUPER_AT);

	*out_has = false;
	*out_bytes = 0;
	if (got < 0)
		return -errno;
	if (got != SUPER_BYTES || get_le16(super, AT_MAGIC) != MAGIC)
		return -EINVAL;
	*out_has = get_le32(super, AT_COMPAT) & COMPAT_HAS_JOURNAL;
	if (*out_has && super[AT_BACKUP_TYPE] == BACKUP_INODE)
		*out_bytes = (uint64_t)get_le32(super, AT_SIZE_HIGH) << 32 |
			     get_le32(super, AT_SIZE_LOW);
	return 0;
}

/* The kernel's name of a block device, '!' for '/': "sda1", "loop3". */
static int find_name(dev_t dev, char *buf, size_t size)
{
	autofree char *link = mem_printf("/sys/dev/block/%u:%u", major(dev),
					 minor(dev));
	char path[PATH_MAX];
	ssize_t len = readlink(link, path, sizeof(path) - 1);

	if (len < 0)
		return -errno;
	path[len] = '\0';
	(void)snprintf(buf, size, "%s", basename(path));
	return 0;
}

/* Open it, whatever it is called, if it is the one that is meant. */
static int open_device(dev_t dev, const char *name)
{
	autofree char *path = mem_printf("/dev/%s", name);
	autoclose int fd = -1;
	struct stat st;

	for (char *p = path; *p; p++) {
		if (*p == '!')
			*p = '/';
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISBLK(st.st_mode) || st.st_rdev != dev)
		return -ENODEV;
	return take_fd(&fd);
}

/* Since Linux 5.2: the process of the journal, or "<none>". */
static bool has_task(const char *name)
{
	autofree char *path = mem_printf("/sys/fs/ext4/%s/journal_task", name);
	char text[32];

	return fdio_read_small(path, text, sizeof(text)) > 0 &&
	       text[0] != '<';
}

void journal_find(dev_t dev, bool *out_has, uint64_t *out_bytes)
{
	autoclose int fd = -1;
	char name[NAME_MAX + 1];

	*out_has = false;
	*out_bytes = 0;
	if (find_name(dev, name, sizeof(name)) < 0)
		return;
	fd = open_device(dev, name);
	if (fd < 0 || journal_read(fd, out_has, out_bytes) < 0)
		*out_has = has_task(name);
}
