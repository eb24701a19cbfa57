/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a directory stands on: file system, device, mount options, space.
 *
 * The mount is found by its number, which /proc/self/fdinfo gives for any
 * descriptor, in /proc/self/mountinfo: paths can be hidden by later mounts,
 * numbers cannot.  A mount outside our namespace is in no list; then
 * statfs(2) gives the magic number of the file system and the rest stays
 * unknown.
 *
 * Options that name directories of an overlay are left out: they are ours,
 * differ from run to run and say nothing.
 */
#include "audit/describe.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include "audit/journal.h"
#include "base/cleanup.h"
#include "base/fdio.h"
#include "base/macro.h"
#include "base/mem.h"

#define EXT_ANY "ext2/ext3/ext4" /* share their magic */

static const struct {
	unsigned long magic;
	const char *name;
} magics[] = {
	{ 0xef53, EXT_ANY },
	{ 0x58465342, "xfs" },
	{ 0x9123683e, "btrfs" },
	{ 0x01021994, "tmpfs" },
	{ 0x794c7630, "overlay" },
	{ 0x6969, "nfs" },
	{ 0xff534d42, "cifs" },
	{ 0xfe534d42, "smb2" },
	{ 0x65735546, "fuse" },
	{ 0x2fc12fc1, "zfs" },
	{ 0xf2f52010, "f2fs" },
	{ 0x3434, "nilfs2" },
	{ 0xca451a4e, "bcachefs" },
	{ 0x52654973, "reiserfs" },
	{ 0x3153464a, "jfs" },
	{ 0x4d44, "vfat" },
	{ 0x2011bab0, "exfat" },
	{ 0x7366746e, "ntfs3" },
	{ 0x73717368, "squashfs" },
	{ 0x858458f6, "ramfs" },
	{ 0x01021997, "9p" },
	{ 0x00c36400, "ceph" },
	{ 0x01161970, "gfs2" },
	{ 0x7461636f, "ocfs2" },
	{ 0x0bd00bd0, "lustre" },
	{ 0x47504653, "gpfs" },
	{ 0xf15f, "ecryptfs" },
	{ 0x786f4256, "vboxsf" },
};

static void name_magic(unsigned long magic, char *buf, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(magics); i++) {
		if (magics[i].magic == magic) {
			(void)snprintf(buf, size, "%s", magics[i].name);
			return;
		}
	}
	(void)snprintf(buf, size, "0x%lx", magic);
}

/* Whether OPTION names a directory of an overlay. */
static bool is_directory(const char *option)
{
	static const char *const keys[] = { "lowerdir=",  "upperdir=",
					    "workdir=",	  "lowerdir+=",
					    "datadir+=" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strncmp(option, keys[i], strlen(keys[i])) == 0)
			return true;
	}
	return false;
}

/* The options of the mount, then those of the super block not among them. */
static void join_options(char *buf, size_t size, const char *mount,
			 char *super)
{
	size_t used;
	char *save;

	(void)snprintf(buf, size, "%s", mount);
	for (char *o = strtok_r(super, ",", &save); o;
	     o = strtok_r(NULL, ",", &save)) {
		used = strlen(buf);
		if (!chain_has_option(mount, o, strlen(o)) &&
		    !is_directory(o))
			(void)snprintf(buf + used, size - used, ",%s", o);
	}
}

/*
 * A line of mountinfo:
 *	36 35 98:0 /root /point rw,noatime master:1 - ext3 /dev/root rw,x
 * with any number of fields before the dash.  proc(5).
 */
static void read_mount(char *line, struct chain_link *link)
{
	char *rest = strstr(line, " - ");
	char *save, *fs, *source, *super, *mount = NULL;

	if (!rest)
		return;
	*rest = '\0';
	for (unsigned i = 0; i < 6; i++)
		mount = strtok_r(i ? NULL : line, " ", &save);
	fs = strtok_r(rest + 3, " ", &save);
	source = strtok_r(NULL, " ", &save);
	super = strtok_r(NULL, " \n", &save);
	if (!mount || !fs || !source || !super)
		return;
	fdio_unescape(fs);
	fdio_unescape(source);
	(void)snprintf(link->fs, sizeof(link->fs), "%s", fs);
	(void)snprintf(link->source, sizeof(link->source), "%s", source);
	join_options(link->mount_options, sizeof(link->mount_options),
		     mount, super);
	fdio_unescape(link->mount_options);
}

static void find_mount(uint64_t id, struct chain_link *link)
{
	autofp FILE *in = fopen("/proc/self/mountinfo", "re");
	autofree char *line = NULL;
	size_t cap = 0;

	while (in && getline(&line, &cap, in) >= 0) {
		unsigned long long got;

		if (sscanf(line, "%llu ", &got) == 1 && got == id) {
			read_mount(line, link);
			return;
		}
	}
}

static void describe_space(int fd, struct chain_link *link)
{
	struct statfs fs;

	link->size_bytes = link->free_bytes = link->free_inodes = 0;
	if (fstatfs(fd, &fs) != 0)
		return;
	if (!link->fs[0])
		name_magic((unsigned long)fs.f_type, link->fs,
			   sizeof(link->fs));
	/* f_frsize is f_bsize where a file system leaves it 0 */
	if (!fs.f_frsize)
		fs.f_frsize = fs.f_bsize;
	link->size_bytes = fs.f_blocks * (uint64_t)fs.f_frsize;
	link->free_bytes = fs.f_bavail * (uint64_t)fs.f_frsize;
	/* btrfs and others that do not count inodes say 0 of 0 */
	if (fs.f_files)
		link->free_inodes = fs.f_ffree;
}

/* Call it after describe_space(), which may be what names the file system. */
static void describe_device(int fd, struct chain_link *link)
{
	bool journals = strcmp(link->fs, "ext4") == 0 ||
			strcmp(link->fs, "ext3") == 0 ||
			strcmp(link->fs, EXT_ANY) == 0;
	struct stat st;

	link->device[0] = '\0';
	link->has_journal = false;
	link->journal_bytes = 0;
	if (fstat(fd, &st) != 0)
		return;
	(void)snprintf(link->device, sizeof(link->device), "%u:%u",
		       major(st.st_dev), minor(st.st_dev));
	if (journals)
		journal_find(st.st_dev, &link->has_journal,
			     &link->journal_bytes);
}

void describe_dir(int fd, struct chain_link *link)
{
	autofree char *fdinfo = mem_printf("/proc/self/fdinfo/%d", fd);
	uint64_t id;

	link->fs[0] = link->source[0] = link->mount_options[0] = '\0';
	if (fdio_read_key(fdinfo, "mnt_id", &id) == 0)
		find_mount(id, link);
	describe_space(fd, link);
	describe_device(fd, link);
}
