// lib/base/width.h: functions compiled once for each vector width; the program selects that of the
// processor at startup.
//
// Only for loops with independent entries, so that the arithmetic does not depend on the width and
// results are equal on every processor. Only for static functions: for others, clang's callers in
// other files look for a different symbol. Not with gcc's thread sanitizer: the selection runs
// before it is initialized.
#ifndef DM_BASE_WIDTH_H
#define DM_BASE_WIDTH_H
#include <stdlib.h> // __GLIBC__

#if defined DM_X86_LANES && defined __GLIBC__ && !defined __SANITIZE_THREAD__
#define DM_EACH_WIDTH __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define DM_EACH_WIDTH
#endif
#endif
