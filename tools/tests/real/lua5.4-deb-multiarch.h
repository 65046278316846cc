/* SPDX-License-Identifier: GPL-2.0 */
/* Debian's build makes this file: where lua looks for modules. We use none. */
#define DEB_HOST_MULTIARCH "."
