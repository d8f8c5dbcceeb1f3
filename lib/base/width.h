// lib/base/width.h: functions compiled once for each vector width, the processor's chosen when the
// program starts.
//
// For loops whose entries do not meet: then no arithmetic changes with the width, and results are
// the same on every processor. Of static functions alone: of others clang's callers elsewhere look for
// another name. Not beside gcc's thread sanitizer: what chooses runs before it does.
#ifndef DM_BASE_WIDTH_H
#define DM_BASE_WIDTH_H
#include <stdlib.h> // __GLIBC__

#if defined DM_X86_LANES && defined __GLIBC__ && !defined __SANITIZE_THREAD__
#define DM_EACH_WIDTH __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define DM_EACH_WIDTH
#endif
#endif
