// lib/base/tape_text.h: functions of a tape (lib/base/tape_functions.h) as expressions of C, from the same lines as the
// functions themselves, for code that runs without the library.
#ifndef DM_BASE_TAPE_TEXT_H
#define DM_BASE_TAPE_TEXT_H

// y = g(a, b) with its first derivatives; later ones may contain the quantities, y, and the derivative by b also y_a.
typedef struct dm_tape_text {
  const char *quantities;                // statements
  const char *value, *slope_a, *slope_b; // slope_b NULL: of one argument
} dm_tape_text;

// The text of a function by its name in the table; NULL: of + - * /, or unknown.
const dm_tape_text *dm_tape_text_of(const char *name);
#endif
