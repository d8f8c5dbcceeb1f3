// Compiled once for each vector width, with LANES, KERNEL and the processor's options set by
// lib/meson.build. No fused multiplications: every lane computes what
// lib/multibody/tree_lagrangian.c does.
#include "lib/multibody/tree_lanes.h"

#include "lib/multibody/tree_lagrangian.inc"

const dm_tree_kernel KERNEL = {LANES, find_scratch_size, eval_tree, contract_tree};
