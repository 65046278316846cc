// SPDX-License-Identifier: GPL-2.0
/* What has a row in the library of kept_fp.c. */
void kept_row(void);

void kept_row(void)
{
}
