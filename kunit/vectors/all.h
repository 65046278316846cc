/* SPDX-License-Identifier: GPL-2.0 */
/* Every vector: made by scripts/gen-vectors, do not edit. */
#include "vectors.h"

#include "rows.h"
#include "aarch64-2.40.h"
#include "aarch64-2.44.h"
#include "aarch64-2.47.50.h"
#include "aarch64_be-2.40.h"
#include "aarch64_be-2.44.h"
#include "aarch64_be-2.47.50.h"
#include "s390x-2.47.50.h"
#include "s390x-v2.h"
#include "x86_64-2.40-ibt.h"
#include "x86_64-2.40.h"
#include "x86_64-2.44-ibt.h"
#include "x86_64-2.44.h"
#include "x86_64-2.47.50-ibt.h"
#include "x86_64-2.47.50.h"

static const struct vector vectors[] = {
	{
		.name = "aarch64-2.40",
		.abi = &sframe_abi_arm64,
		.version = 1,
		.big_endian = false,
		.va = 0x10728,
		.text = {
			{ 0x0, 0x0, 0x108a6 },
		},
		.nr_text = 1,
		.bytes = aarch64_2_40_bytes,
		.len = sizeof(aarch64_2_40_bytes),
		.fdes = aarch64_2_40_fdes,
		.nr_fdes = ARRAY_SIZE(aarch64_2_40_fdes),
		.plt_unused = false,
	},
	{
		.name = "aarch64-2.44",
		.abi = &sframe_abi_arm64,
		.version = 2,
		.big_endian = false,
		.va = 0x10708,
		.text = {
			{ 0x0, 0x0, 0x108aa },
		},
		.nr_text = 1,
		.bytes = aarch64_2_44_bytes,
		.len = sizeof(aarch64_2_44_bytes),
		.fdes = aarch64_2_44_fdes,
		.nr_fdes = ARRAY_SIZE(aarch64_2_44_fdes),
		.plt_unused = false,
	},
	{
		.name = "aarch64-2.47.50",
		.abi = &sframe_abi_arm64,
		.version = 3,
		.big_endian = false,
		.va = 0x10728,
		.text = {
			{ 0x0, 0x0, 0x10907 },
		},
		.nr_text = 1,
		.bytes = aarch64_2_47_50_bytes,
		.len = sizeof(aarch64_2_47_50_bytes),
		.fdes = aarch64_2_47_50_fdes,
		.nr_fdes = ARRAY_SIZE(aarch64_2_47_50_fdes),
		.plt_unused = false,
	},
	{
		.name = "aarch64_be-2.40",
		.abi = &sframe_abi_arm64,
		.version = 1,
		.big_endian = true,
		.va = 0x10728,
		.text = {
			{ 0x0, 0x0, 0x108a6 },
		},
		.nr_text = 1,
		.bytes = aarch64_be_2_40_bytes,
		.len = sizeof(aarch64_be_2_40_bytes),
		.fdes = aarch64_be_2_40_fdes,
		.nr_fdes = ARRAY_SIZE(aarch64_be_2_40_fdes),
		.plt_unused = false,
	},
	{
		.name = "aarch64_be-2.44",
		.abi = &sframe_abi_arm64,
		.version = 2,
		.big_endian = true,
		.va = 0x10708,
		.text = {
			{ 0x0, 0x0, 0x108aa },
		},
		.nr_text = 1,
		.bytes = aarch64_be_2_44_bytes,
		.len = sizeof(aarch64_be_2_44_bytes),
		.fdes = aarch64_be_2_44_fdes,
		.nr_fdes = ARRAY_SIZE(aarch64_be_2_44_fdes),
		.plt_unused = false,
	},
	{
		.name = "aarch64_be-2.47.50",
		.abi = &sframe_abi_arm64,
		.version = 3,
		.big_endian = true,
		.va = 0x10728,
		.text = {
			{ 0x0, 0x0, 0x10907 },
		},
		.nr_text = 1,
		.bytes = aarch64_be_2_47_50_bytes,
		.len = sizeof(aarch64_be_2_47_50_bytes),
		.fdes = aarch64_be_2_47_50_fdes,
		.nr_fdes = ARRAY_SIZE(aarch64_be_2_47_50_fdes),
		.plt_unused = false,
	},
	{
		.name = "s390x-2.47.50",
		.abi = &sframe_abi_s390,
		.version = 3,
		.big_endian = true,
		.va = 0x10710,
		.text = {
			{ 0x0, 0x0, 0x10990 },
		},
		.nr_text = 1,
		.bytes = s390x_2_47_50_bytes,
		.len = sizeof(s390x_2_47_50_bytes),
		.fdes = s390x_2_47_50_fdes,
		.nr_fdes = ARRAY_SIZE(s390x_2_47_50_fdes),
		.plt_unused = false,
	},
	{
		.name = "s390x-v2",
		.abi = &sframe_abi_s390,
		.version = 2,
		.big_endian = true,
		.va = 0x30000,
		.text = {
			{ 0x10000, 0x1000, 0x11000 },
		},
		.nr_text = 1,
		.bytes = s390x_v2_bytes,
		.len = sizeof(s390x_v2_bytes),
		.fdes = s390x_v2_fdes,
		.nr_fdes = ARRAY_SIZE(s390x_v2_fdes),
		.plt_unused = false,
	},
	{
		.name = "x86_64-2.40-ibt",
		.abi = &sframe_abi_x86,
		.version = 1,
		.big_endian = false,
		.va = 0x12280,
		.text = {
			{ 0x1000, 0x1000, 0x102ba },
		},
		.nr_text = 1,
		.bytes = x86_64_2_40_ibt_bytes,
		.len = sizeof(x86_64_2_40_ibt_bytes),
		.fdes = x86_64_2_40_ibt_fdes,
		.nr_fdes = ARRAY_SIZE(x86_64_2_40_ibt_fdes),
		.plt_unused = true,
	},
	{
		.name = "x86_64-2.40",
		.abi = &sframe_abi_x86,
		.version = 1,
		.big_endian = false,
		.va = 0x12268,
		.text = {
			{ 0x1000, 0x1000, 0x10292 },
		},
		.nr_text = 1,
		.bytes = x86_64_2_40_bytes,
		.len = sizeof(x86_64_2_40_bytes),
		.fdes = x86_64_2_40_fdes,
		.nr_fdes = ARRAY_SIZE(x86_64_2_40_fdes),
		.plt_unused = false,
	},
	{
		.name = "x86_64-2.44-ibt",
		.abi = &sframe_abi_x86,
		.version = 2,
		.big_endian = false,
		.va = 0x12280,
		.text = {
			{ 0x1000, 0x1000, 0x102ba },
		},
		.nr_text = 1,
		.bytes = x86_64_2_44_ibt_bytes,
		.len = sizeof(x86_64_2_44_ibt_bytes),
		.fdes = x86_64_2_44_ibt_fdes,
		.nr_fdes = ARRAY_SIZE(x86_64_2_44_ibt_fdes),
		.plt_unused = false,
	},
	{
		.name = "x86_64-2.44",
		.abi = &sframe_abi_x86,
		.version = 2,
		.big_endian = false,
		.va = 0x12268,
		.text = {
			{ 0x1000, 0x1000, 0x10292 },
		},
		.nr_text = 1,
		.bytes = x86_64_2_44_bytes,
		.len = sizeof(x86_64_2_44_bytes),
		.fdes = x86_64_2_44_fdes,
		.nr_fdes = ARRAY_SIZE(x86_64_2_44_fdes),
		.plt_unused = false,
	},
	{
		.name = "x86_64-2.47.50-ibt",
		.abi = &sframe_abi_x86,
		.version = 3,
		.big_endian = false,
		.va = 0x12298,
		.text = {
			{ 0x1000, 0x1000, 0x102bc },
		},
		.nr_text = 1,
		.bytes = x86_64_2_47_50_ibt_bytes,
		.len = sizeof(x86_64_2_47_50_ibt_bytes),
		.fdes = x86_64_2_47_50_ibt_fdes,
		.nr_fdes = ARRAY_SIZE(x86_64_2_47_50_ibt_fdes),
		.plt_unused = false,
	},
	{
		.name = "x86_64-2.47.50",
		.abi = &sframe_abi_x86,
		.version = 3,
		.big_endian = false,
		.va = 0x12280,
		.text = {
			{ 0x1000, 0x1000, 0x10294 },
		},
		.nr_text = 1,
		.bytes = x86_64_2_47_50_bytes,
		.len = sizeof(x86_64_2_47_50_bytes),
		.fdes = x86_64_2_47_50_fdes,
		.nr_fdes = ARRAY_SIZE(x86_64_2_47_50_fdes),
		.plt_unused = false,
	},
};
