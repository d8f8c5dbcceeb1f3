// optim/transcription/row_words.h: what the rows of a program are, in words and units: for messages.
#ifndef OC_TRANSCRIPTION_ROW_WORDS_H
#define OC_TRANSCRIPTION_ROW_WORDS_H
#include "optim/transcription/layout.h"

DM_BEGIN_C

// A row: "motion of pole" at a knot, measured in the unit of a coordinate ('q'), its speed ('v') or its momentum
// ('p'), of an input ('u') or an output ('y'), and whose it is; what 0: of something else.
typedef struct oc_row {
  char text[160];
  int knot;
  char what;
  int entry;
} oc_row;

oc_row oc_transcription_row(const oc_transcription *t, int row);

// The same as oc_nlp.row_name.
void oc_row_name(void *self, int row, char *text, size_t size, int *knot);

// The name of row c of the constraints.
const char *oc_row_constraint(const oc_transcription *t, int c);

DM_END_C
#endif
