// Compiled once for each vector width, with LANES, KERNEL and the processor's options set by
// lib/meson.build. No fused multiplications: every lane computes what lib/sweep.c does.
#include "lib/sweep_lanes.h"

#include "lib/sweep.inc"

const dm_sweep_kernel KERNEL = {LANES, scratch_size, eval, contract};
