// Compiled once for each vector width; lib/meson.build sets LANES, KERNEL and the processor's
// options. Fused multiplications are disabled, so that every lane gives the same result as
// lib/multibody/tree_lagrangian.c.
#include "lib/multibody/tree_lanes.h"

#include "lib/multibody/tree_lagrangian.inc"

const dm_tree_kernel KERNEL = {LANES, find_scratch_size, eval_tree, contract_tree};
