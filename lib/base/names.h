// lib/base/names.h: lists of known names, and the one that was probably meant.
//
// Readers use them for messages of one pattern: "found 'torqe', expected one of torque, force; did
// you mean 'torque'?". Lists are arrays of n strings, borrowed; nothing is allocated.
#ifndef DM_BASE_NAMES_H
#define DM_BASE_NAMES_H
#include <stddef.h>

// The index of name in list [n], or -1.
int dm_names_find(const char *const *list, int n, const char *name);

// The name of list [n] nearest to the given one by edit distance (a letter inserted, dropped,
// changed, or two neighbours exchanged; case does not count), or NULL where none is near.
const char *dm_names_nearest(const char *const *list, int n, const char *name);

// Write "a, b, c" to text, with "..." for what does not fit; returns text.
const char *dm_names_join(const char *const *list, int n, char *text, size_t size);

// Write "one of a, b, c" to text, with "..." for what does not fit; returns text.
const char *dm_names_list(const char *const *list, int n, char *text, size_t size);
#endif
