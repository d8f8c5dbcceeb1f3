// lib/base/names.h: lists of known names, and suggestions for misspelled ones.
//
// Readers use them for messages of the form "found 'torqe', expected one of torque, force; did you
// mean 'torque'?". Lists are borrowed arrays of n strings; nothing is allocated.
#ifndef DM_BASE_NAMES_H
#define DM_BASE_NAMES_H
#include <stddef.h>

// The index of name in list [n], or -1.
int dm_names_find(const char *const *list, int n, const char *name);

// The name in list [n] nearest to the given one by edit distance (a letter inserted, deleted,
// changed, or two adjacent letters exchanged; case is ignored), or NULL if none is similar.
const char *dm_names_nearest(const char *const *list, int n, const char *name);

// Write "a, b, c" to text, with "..." if it does not fit; returns text.
const char *dm_names_join(const char *const *list, int n, char *text, size_t size);

// Write "one of a, b, c" to text, with "..." if it does not fit; returns text.
const char *dm_names_list(const char *const *list, int n, char *text, size_t size);
#endif
