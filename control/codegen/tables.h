// control/codegen/tables.h: the tables of a controller's text, and their sizes.
//
// A table has one row per knot. Rows at its end that are equal in the text's precision are written
// once and apply to all later knots: a constant equilibrium has one row.
//
//   u_d                  c of the law u = c - G (y - y_d)                [N x nu]
//   y_d_FORM, G_FORM     for each form                              [(N+1) x ny], [N x nu x ny]
//   P_FORM               x'P x in terms of measurements, symmetric, packed      [N x m (m + 1) / 2]
//   v_d                  the plan's speeds, in addition to y_d of (q,p)          [(N+1) x n]
//   L, A, B              for a filter           [N x nx x ny], [N x nx x nx], [N x nx x nu]
//   gate                 bounds of its innovations                                        [N x ny]
//
// Source: docs/theory.md section 19.
#ifndef FB_CODEGEN_TABLES_H
#define FB_CODEGEN_TABLES_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

typedef struct fb_table {
  const char *name, *form; // NAMEFORM in the text
  const double *x;         // [knots x cols]
  size_t knots, cols;      // N; for y_d N + 1
} fb_table;
enum { FB_MAX_TABLES = 3 + 5 * FB_FORMS + 7 };

// List all tables, borrowed from the law. Returns their number.
int fb_tables_list(const fb_codegen *c, fb_table list[FB_MAX_TABLES]);

// Number of rows of a table in the text, from 1 to its knots.
size_t fb_tables_rows(const fb_codegen *c, const fb_table *t);

// Write a table as an array.
void fb_tables_put(FILE *f, const fb_codegen *c, const fb_table *t);

// Write a table NAME of a form, or NAME_FORM, as the field NAME of a law
// (control/onboard/types.inc): its array, rows and columns. Writes nothing if the law does not have
// it.
void fb_tables_field(FILE *f, const fb_codegen *c, const char *name, const char *form);

// Bytes of the tables of all forms; and the maximum number of bytes on the stack: the measurement
// as the law uses it, a filter's working memory, and the frames of two calls.
long fb_tables_bytes(const fb_codegen *c);
int fb_tables_stack(const fb_codegen *c);

// Check that a text can be made of the tables: at most 2^30 bytes, and all numbers finite in its
// precision. Returns DM_OK, DM_BAD_INPUT or DM_NOT_FINITE, with a sentence in msg.
dm_status fb_tables_check(const fb_codegen *c, dm_message *msg);

// Whether a load of the tree keeps its directions in the world (control/onboard/faced.c).
bool fb_tables_faced(const struct tree_tables *M);

// Write the tree of computed momenta (control/onboard/tree.c), whose arrays begin with `tree_`.
// Numbers of its working memory for a form's function, in which its bodies are.
void fb_tables_write_tree(FILE *f, const fb_codegen *c);
int fb_tables_tree_room(const fb_codegen *c, int way);

// Write the input limits, then the tables, as C: the shortest numbers, or %.9g of the nearest
// float; both read back to the same bits.
void fb_tables_write(FILE *f, const fb_codegen *c);

DM_END_C
#endif
