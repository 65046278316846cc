/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file's bytes, for programs that read one as a whole.
 */
#ifndef TOOLS_MAP_FILE_H
#define TOOLS_MAP_FILE_H

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* NULL if it cannot be read or is empty; errno says why. For munmap() else. */
static inline void *map_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY);
	void *map = MAP_FAILED;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st)) {
		*len = st.st_size;
		map = mmap(NULL, *len, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (fd >= 0)
		close(fd);
	return map == MAP_FAILED ? NULL : map;
}

#endif /* TOOLS_MAP_FILE_H */
