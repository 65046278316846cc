// SPDX-License-Identifier: GPL-2.0
/*
 * Brings the map of the current task's mm up to date: looks at the mappings where something
 * changed (changes.c), and no others; gets their images (files.c); makes a map from the old
 * one (map_edit.c) and publishes it. Then it waits a little for images that are being built,
 * with no lock held: they are in the map, and walks find their tables as soon as they are
 * ready.
 */
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "limits.h"
#include "map_edit.h"
#include "mm.h"
#include "stats.h"
#include "vdso.h"

/* VMAs with code, and VMAs in all, that are looked at without dropping mmap_lock. */
#define CHUNK_CODE	8
#define CHUNK_VMAS	256
/*
 * Images to wait for: the last ones, as they are built in the order in which they were asked
 * for.
 */
#define WAIT_IMAGES	16
/* After a failed update, wait this long before the next. */
#define FAILED_PERIOD	(HZ / 10)

/**
 * struct code - one executable VMA, remembered past mmap_lock
 * @start: first address
 * @end: first address past the last
 * @offset: position of @start in @file, bytes
 * @special: the kernel's own mapping, like the vDSO
 * @file: backing file, with a reference, or NULL
 */
struct code {
	u64 start;
	u64 end;
	u64 offset;
	bool special;
	struct file *file;
};

/**
 * struct update - an update of one mm
 * @old: its map, or NULL
 * @edit: the map being made; NULL as long as nothing differs from @old
 * @mm: whose mappings; the current task's
 * @from: the new map is complete up to this address
 * @nr_code: entries in @code
 * @code: VMAs found in this chunk
 * @nr_ranges: entries in @range
 * @range: ranges made of them, with references to images
 * @nr_coming: images ever stored in @coming
 * @coming: images in the new map that are being built, with references; the last WAIT_IMAGES
 * @last_file: last file of this chunk that had an image; only compared
 * @last_image: that image
 */
struct update {
	const struct sframe_map *old;
	struct sframe_map_edit *edit;
	struct mm_struct *mm;
	u64 from;
	unsigned int nr_code;
	struct code code[CHUNK_CODE];
	unsigned int nr_ranges;
	struct sframe_range range[CHUNK_CODE];
	unsigned int nr_coming;
	struct sframe_image *coming[WAIT_IMAGES];
	const struct file *last_file;
	struct sframe_image *last_image;
};

static void note_code_vma(struct update *u, const struct vm_area_struct *vma)
{
	struct code *code = &u->code[u->nr_code++];

	/* VMAs that merged while mmap_lock was dropped are logged as changed. */
	code->start = max_t(u64, vma->vm_start, u->from);
	code->end = vma->vm_end;
	code->offset = ((u64)vma->vm_pgoff << PAGE_SHIFT) +
		       (code->start - vma->vm_start);
	code->special = !vma->vm_file && vma->vm_ops;
	code->file = vma->vm_file ? get_file(vma->vm_file) : NULL;
}

/* Note the executable VMAs of one chunk. Returns where the chunk ends. */
static u64 find_code_vmas(struct update *u, const struct sframe_span *span)
{
	VMA_ITERATOR(vmi, u->mm, span->start);
	struct vm_area_struct *vma;
	unsigned int nr = 0;
	u64 known_to = span->end;

	mmap_assert_locked(u->mm);
	for_each_vma_range(vmi, vma, span->end) {
		if (vma->vm_flags & VM_EXEC)
			note_code_vma(u, vma);
		/* A VMA is noted as a whole, even what lies past the span. */
		known_to = max_t(u64, known_to, vma->vm_end);
		if (u->nr_code == CHUNK_CODE || ++nr == CHUNK_VMAS)
			return vma->vm_end;
		/* The span ends here: do not look the next VMA up. */
		if (known_to == vma->vm_end)
			break;
	}
	return known_to;
}

/* Remember an image to wait for. Takes over the caller's reference, if it is not NULL. */
static void note_coming_image(struct update *u, struct sframe_image *image)
{
	struct sframe_image **slot = &u->coming[u->nr_coming % WAIT_IMAGES];

	if (!image || !sframe_image_coming(image)) {
		sframe_image_put(image);
		return;
	}
	if (u->nr_coming >= WAIT_IMAGES)
		sframe_image_put(*slot);
	*slot = image;
	u->nr_coming++;
}

/*
 * Is it the file of the last code VMA in this chunk, as it mostly is? Its image is known
 * then. The chunk's files are all held until the end of the chunk, so an equal pointer means
 * the same file; and the range made for the last one holds the image.
 */
static bool same_file_as_last(const struct update *u, const struct code *code)
{
	return code->file == u->last_file;
}

/* Get the image of @code's file with a reference, or NULL; true if such files are read. */
static bool image_of_code(struct update *u, const struct code *code, struct sframe_image **image)
{
	const struct sframe_range *before = NULL;
	bool readable;

	if (same_file_as_last(u, code)) {
		*image = sframe_image_get(u->last_image);
		return true;
	}
	if (u->old)
		before = sframe_map_find(u->old, code->start);
	readable = sframe_image_of_file(code->file, before ? before->image : NULL, image);
	u->last_file = *image ? code->file : NULL;
	u->last_image = *image;
	return readable;
}

static int make_range(struct update *u, const struct code *code)
{
	struct sframe_range *range = &u->range[u->nr_ranges];

	if (fatal_signal_pending(current))
		return -EINTR;
	cond_resched();
	*range = (struct sframe_range){
		.start = code->start,
		.end = code->end,
	};
	if (code->file) {
		if (image_of_code(u, code, &range->image))
			range->place = code->offset + SFRAME_PLACE_OFFSET;
	} else if (code->special) {
		range->image = sframe_vdso_image_get(u->mm, code->start);
		range->place = range->image ? SFRAME_PLACE_OFFSET : 0;
	}
	u->nr_ranges++;
	return 0;
}

static int begin_edit(struct update *u)
{
	struct sframe_map_edit *edit;

	/* Short-lived, so not charged. */
	edit = kmalloc(sizeof(*edit),
		       GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (edit && !sframe_map_edit_begin(edit, u->old))
		u->edit = edit;
	else
		kfree(edit);
	return u->edit ? 0 : -ENOMEM;
}

/* Put the chunk's ranges into the new map; begin that if they differ from the old one's. */
static int splice_ranges(struct update *u, u64 start, u64 end)
{
	unsigned int i;
	int err = 0;

	if (u->old && sframe_map_same(u->old, start, end, u->range, u->nr_ranges))
		return 0;
	if (!u->edit)
		err = begin_edit(u);
	if (!err)
		err = sframe_map_edit_cut(u->edit, start, end);
	for (i = 0; i < u->nr_ranges && !err; i++)
		err = sframe_map_edit_add(u->edit, &u->range[i]);
	return err;
}

/* Update one chunk at the beginning of @span, and cut it off. */
static int update_chunk(struct update *u, struct sframe_span *span)
{
	u64 start = span->start;
	unsigned int i;
	int err;

	u->nr_code = 0;
	u->nr_ranges = 0;
	u->last_file = NULL;
	err = mmap_read_lock_killable(u->mm);
	if (err)
		return err;
	span->start = find_code_vmas(u, span);
	mmap_read_unlock(u->mm);

	/* A VMA that begins before the span was noted as a whole. */
	if (u->nr_code)
		start = min(start, u->code[0].start);
	for (i = 0; i < u->nr_code && !err; i++)
		err = make_range(u, &u->code[i]);
	if (!err)
		err = splice_ranges(u, start, span->start);
	for (i = 0; i < u->nr_ranges; i++)
		note_coming_image(u, u->range[i].image);
	for (i = 0; i < u->nr_code; i++)
		if (u->code[i].file)
			fput(u->code[i].file);
	u->from = span->start;
	return err;
}

static int update_spans(struct update *u, const struct sframe_spans *spans)
{
	struct sframe_span span;
	unsigned int i;
	int err = 0;

	for (i = 0; i < spans->nr; i++) {
		span = spans->span[i];
		span.start = max(span.start, u->from);
		while (span.start < span.end && !err)
			err = update_chunk(u, &span);
	}
	return err;
}

/*
 * Returns the old map if nothing differs: the same may have been mapped again in its place.
 * But where images have failed a new one is made, as a map's age says when they are asked for
 * again.
 */
static struct sframe_map *make_map(struct update *u, struct sframe_map *old,
				   const struct sframe_spans *spans)
{
	struct sframe_map *map = old;
	int err = 0;

	u->old = old;
	if (!old || READ_ONCE(old->state) & SFRAME_MAP_FAILED)
		err = begin_edit(u);
	if (!err)
		err = update_spans(u, spans);
	if (err)
		map = NULL;
	else if (u->edit)
		map = sframe_map_edit_end(u->edit);
	if (err && u->edit)
		sframe_map_edit_abort(u->edit);
	kfree(u->edit);
	return map;
}

static void replace_map(struct sframe_mm *m, struct update *u)
{
	struct sframe_spans spans __uninitialized;
	struct sframe_map *old, *map;

	lockdep_assert_held(&m->update);
	old = rcu_dereference_protected(m->map, lockdep_is_held(&m->update));
	/* Before any VMA is looked at: later changes are left to the next update. */
	sframe_changes_claim(&m->changes, &spans);
	map = make_map(u, old, &spans);
	if (map && map != old)
		rcu_assign_pointer(m->map, map);
	/*
	 * Perhaps there are too many ranges, and some are of mappings that are gone: without
	 * a file, no hook tells of that. So make the next map from scratch.
	 */
	if (!map && old && old->nr_ranges >= SFRAME_MAP_RANGES / 2)
		sframe_changes_add(&m->changes, 0, U64_MAX);
	/* After the map is published, see there. */
	sframe_changes_settle(&m->changes, map);
	if (map && map != old)
		sframe_map_put(old);
	sframe_count(map ? SFRAME_EV_SCAN : SFRAME_EV_SCAN_FAILED);
	WRITE_ONCE(m->retry, jiffies + FAILED_PERIOD);
	WRITE_ONCE(m->failed, !map);
}

/* Have failed images asked for again, if it is time. Returns whether an update is needed then. */
static bool log_failed_images(struct sframe_mm *m)
{
	struct sframe_map *map;

	lockdep_assert_held(&m->update);
	map = rcu_dereference_protected(m->map, lockdep_is_held(&m->update));
	if (!map || !sframe_map_retry_due(map))
		return false;
	sframe_map_refresh_state(map);
	sframe_map_log_failed(map, &m->changes);
	return sframe_changes_pending(&m->changes);
}

/* All images share one timeout. */
static void wait_for_images(struct update *u)
{
	unsigned long deadline = jiffies +
			msecs_to_jiffies(READ_ONCE(sframe_build_wait_ms));
	unsigned int i;

	for (i = 0; i < min(u->nr_coming, WAIT_IMAGES); i++) {
		sframe_image_wait(u->coming[i], deadline);
		sframe_image_put(u->coming[i]);
	}
}

/* Another task may have done it while this one waited for the mutex. */
static void update_map(struct sframe_mm *m)
{
	u64 count = sframe_changes_count(&m->changes);
	struct update u __uninitialized;

	if (mutex_lock_killable(&m->update))
		return;
	if (sframe_mm_failed_lately(m) ||
	    (!log_failed_images(m) && sframe_changes_seen(&m->changes, count))) {
		mutex_unlock(&m->update);
		return;
	}
	u.edit = NULL;
	u.mm = m->mm;
	u.from = 0;
	u.nr_coming = 0;
	replace_map(m, &u);
	mutex_unlock(&m->update);
	wait_for_images(&u);
}

static void look_at_images(struct sframe_mm *m)
{
	struct sframe_map *map;

	scoped_guard(rcu) {
		map = rcu_dereference(m->map);
		/* Mostly there is nothing left to find out. */
		map = map && sframe_map_unsure(map) ? sframe_map_get(map) : NULL;
	}
	if (!map)
		return;
	sframe_map_refresh_state(map);
	sframe_map_put(map);
}

/**
 * sframe_mm_update() - bring the map of the current task's mm up to date
 *
 * If it fails (out of memory, killed, too many mappings), changes stay in the log, and walks
 * get nothing of them. Waits at most build_wait_ms for images; walks find later ones once
 * they are there.
 *
 * Context: task context, may sleep; no lock held, least of all mmap_lock.
 * Return: its entry with a reference; NULL: no mm, no memory for the entry, or the hooks are
 *	not in place.
 */
struct sframe_mm *sframe_mm_update(void)
{
	struct sframe_mm *m = sframe_mm_get_current();

	if (!m || sframe_mm_is_up_to_date(m))
		return m;
	update_map(m);
	look_at_images(m);
	return m;
}
