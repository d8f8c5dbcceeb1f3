// problems/readers/task/names.h: the names of a problem's quantities, for columns and messages.
#ifndef PB_TASK_NAMES_H
#define PB_TASK_NAMES_H
#include <stdbool.h>

typedef struct pb_names {
  int n, nu, nc, ny;        // nu: forces, then kinematic coordinates
  const char *const *coord; // [n] of coordinates
  const char *const *input; // [nu]
  const char *const *row; // [nc] of constraint rows: NAME, or NAME.1 .. if a constraint has several
  int nr;
  const char *const *contact; // [nr] of rows of contacts: NAME, and of its tangents NAME.1, NAME.2
  const char *const *output;  // [ny] of output rows
  int ne;
  const char *const *equation; // [ne] of constraint rows, including those left out
  bool path;                   // outputs follow a path
  int nb;
  const char *const *bound; // [nb] of bounds on output errors, WORD.NAME
} pb_names;
#endif
