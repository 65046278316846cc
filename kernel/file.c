// SPDX-License-Identifier: GPL-2.0
/*
 * From a mapped file to its table: read what is needed of it, through the
 * file and not through the task's memory, and have the core convert it.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/stat.h>

#include "file.h"
#include "internal.h"

/* How long to believe a failure that may pass. */
#define RETRY_PERIOD	HZ

/*
 * One table is built at a time: bounds the memory and time that conversions
 * take from the machine, and makes the limit on the total exact. Nothing is
 * read under it.
 */
static DEFINE_MUTEX(build_lock);

/**
 * sframe_file_is_remote() - does a task in user space serve this file?
 * @file: the file
 *
 * Then that task may be the one that waits for us, or never answer.
 *
 * Context: any.
 * Return: true if one does.
 */
bool sframe_file_is_remote(const struct file *file)
{
	return file_inode(file)->i_sb->s_magic == FUSE_SUPER_MAGIC;
}

/* kernel_read() warns about some files; direct I/O wants other buffers. */
static enum sframe_reason readable(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	if (!S_ISREG(inode->i_mode) || !(file->f_mode & FMODE_READ) ||
	    !(file->f_mode & FMODE_CAN_READ) || (file->f_flags & O_DIRECT) ||
	    !file->f_op->read_iter || file->f_op->read ||
	    sframe_file_is_remote(file))
		return SFRAME_FILE_KIND;
	return SFRAME_OK;
}

static enum sframe_reason file_key_get(struct file *file, struct file_key *key)
{
	struct kstat st;

	memset(key, 0, sizeof(*key));
	if (vfs_getattr_nosec(&file->f_path, &st,
			      STATX_BASIC_STATS | STATX_CHANGE_COOKIE,
			      AT_STATX_DONT_SYNC))
		return SFRAME_READ_FAILED;
	key->dev = st.dev;
	key->gen = file_inode(file)->i_generation;
	key->ino = st.ino;
	key->size = st.size;
	if (st.result_mask & STATX_CHANGE_COOKIE)
		key->cookie = st.change_cookie;
	key->mtime = st.mtime;
	key->ctime = st.ctime;
	return SFRAME_OK;
}

/* @eof: what it means if the file ends too early */
static enum sframe_reason read_all(struct file *file, void *buf, size_t len,
				   u64 offset, enum sframe_reason eof)
{
	loff_t pos = offset;
	size_t done = 0;
	ssize_t n;

	if (len > i_size_read(file_inode(file)) ||
	    offset > i_size_read(file_inode(file)) - len)
		return eof;
	while (done < len) {
		n = kernel_read(file, buf + done, len - done, &pos);
		if (n < 0)
			return SFRAME_READ_FAILED;
		if (!n)
			return eof;
		done += n;
	}
	return SFRAME_OK;
}

static void *read_buffer(size_t len)
{
	return kvmalloc(len, GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL |
			     __GFP_NOWARN);
}

static enum sframe_reason read_elf(struct file *file, struct sframe_elf *elf)
{
	u8 ehdr[SFRAME_ELF_EHDR_SIZE];
	enum sframe_reason r;
	size_t len;
	void *buf;

	r = read_all(file, ehdr, sizeof(ehdr), 0, SFRAME_NOT_ELF);
	if (r)
		return r;
	r = sframe_elf_header(elf, sframe_abi_native, ehdr, sizeof(ehdr), false);
	if (r)
		return r;
	len = elf->phnum * SFRAME_ELF_PHDR_SIZE;
	buf = read_buffer(len);
	if (!buf)
		return SFRAME_NO_MEMORY;
	r = read_all(file, buf, len, elf->phoff, SFRAME_ELF_PHDRS);
	if (!r)
		r = sframe_elf_phdrs(elf, buf, len);
	kvfree(buf);
	return r;
}

static void count_skips(const struct sframe_skips *skips)
{
	unsigned int i;

	for (i = 0; i < SFRAME_NR_REASONS; i++)
		if (skips->count[i])
			atomic_long_add(skips->count[i], &sframe_refused[i]);
}

/* build_lock held */
static enum sframe_reason build_table(struct sframe_file *f,
				      const struct sframe_section *sec)
{
	/* Too large for the stack; build_lock protects it. */
	static struct sframe_skips skips;
	size_t room = sframe_cache_room();
	enum sframe_reason r;

	if (room < sframe_max_file_bytes) {
		sframe_cache_evict(ULONG_MAX);
		room = sframe_cache_room();
	}
	memset(&skips, 0, sizeof(skips));
	r = sframe_table_build(sec, f->text, f->nr_text, room, &f->table, &skips);
	count_skips(&skips);
	if (!r)
		sframe_cache_charge(f->table);
	/* Others use up the total: not this file's fault, so not for ever. */
	else if (r == SFRAME_TOO_BIG && room < sframe_max_file_bytes)
		r = SFRAME_NO_MEMORY;
	return r;
}

static enum sframe_reason convert(struct sframe_file *f, struct file *file)
{
	struct sframe_section sec;
	struct sframe_elf elf;
	enum sframe_reason r;
	struct file_key now;
	void *buf;

	r = read_elf(file, &elf);
	if (r)
		return r;
	f->nr_text = elf.nr_text;
	memcpy(f->text, elf.text, sizeof(f->text));

	if (elf.table.size > sframe_max_file_bytes)
		return SFRAME_TOO_BIG;
	buf = read_buffer(elf.table.size);
	if (!buf)
		return SFRAME_NO_MEMORY;
	r = read_all(file, buf, elf.table.size, elf.table.offset,
		     SFRAME_FILE_SHORT);
	/* Changed under our hands: what was read may be a mixture. */
	if (!r && (file_key_get(file, &now) ||
		   !sframe_file_key_same(&now, &f->key)))
		r = SFRAME_FILE_CHANGED;
	if (!r)
		r = sframe_section_init(&sec, sframe_abi_native, buf,
					elf.table.size, elf.table.vaddr, false);
	if (!r && mutex_lock_killable(&build_lock)) {
		r = SFRAME_READ_FAILED;
	} else if (!r) {
		r = build_table(f, &sec);
		mutex_unlock(&build_lock);
	}
	kvfree(buf);
	return r;
}

static enum sframe_reason file_load(struct sframe_file *f, struct file *file)
{
	enum sframe_reason r;

	if (mutex_lock_killable(&f->load))
		return SFRAME_READ_FAILED;
	if (!f->loaded) {
		r = convert(f, file);
		if (r)
			atomic_long_inc(&sframe_refused[r]);
		f->status = r;
		f->until = jiffies + RETRY_PERIOD;
		/* For expired(), which does not take the mutex. */
		smp_store_release(&f->loaded, true);
	}
	r = f->status;
	mutex_unlock(&f->load);
	return r;
}

/* Load bias of a mapping of @offset at @start, if it maps a text segment. */
static bool file_bias(const struct sframe_file *f, u64 start, u64 offset,
		      u64 *bias)
{
	const struct sframe_segment *s;
	unsigned int i;

	for (i = 0; i < f->nr_text; i++) {
		s = &f->text[i];
		if (offset >= round_down(s->offset, PAGE_SIZE) &&
		    offset < s->offset + s->size) {
			*bias = start - offset - (s->vaddr - s->offset);
			return true;
		}
	}
	return false;
}

/**
 * sframe_file_get() - the table of a mapped file
 * @file: the file
 * @start: address where it is mapped
 * @offset: from this position on, in bytes
 * @bias: where to store load address minus link-time address
 * @retry: set if a later attempt may do better
 *
 * Reads and converts the file if nobody did so before.
 *
 * Context: process context, may sleep; no lock held but mutexes.
 * Return: the file with a reference, or NULL if no usable table covers the
 * mapping.
 */
struct sframe_file *sframe_file_get(struct file *file, u64 start, u64 offset,
				    u64 *bias, bool *retry)
{
	enum sframe_reason r = readable(file);
	struct sframe_file *f;
	struct file_key key;

	if (!r)
		r = file_key_get(file, &key);
	if (r) {
		atomic_long_inc(&sframe_refused[r]);
		return NULL;
	}
	f = sframe_cache_get(&key);
	if (!f) {
		*retry = true;
		return NULL;
	}
	r = file_load(f, file);
	if (!r && file_bias(f, start, offset, bias))
		return f;
	*retry |= sframe_transient(r);
	sframe_file_put(f);
	return NULL;
}

const struct sframe_table *sframe_file_table(const struct sframe_file *f)
{
	return f->table;
}
