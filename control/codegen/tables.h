// control/codegen/tables.h: the numbers of a controller's text: its tables, and their sizes.
//
// A table has a row a knot; rows at its end that are equal in the text's precision are written once
// and meant for all later knots: a place of rest has one row.
//
//   u_d                  c of the law u = c - G (y - y_d)                [N x nu]
//   y_d_FORM, G_FORM     of each form                               [(N+1) x ny], [N x nu x ny]
//   P_FORM               x'P x in what is measured, symmetric, packed           [N x m (m + 1) / 2]
//   v_d                  the plan's speeds, beside y_d of (q,p)                  [(N+1) x n]
//   L, A, B              of a filter            [N x nx x ny], [N x nx x nx], [N x nx x nu]
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
  size_t knots, cols;      // N, of y_d N + 1
} fb_table;
enum { FB_MAX_TABLES = 2 + 3 * FB_FORMS + 5 };

// The tables there are, borrowed from the law. Returns how many.
int fb_tables_list(const fb_codegen *c, fb_table list[FB_MAX_TABLES]);

// Rows that the text has of a table, 1 to its knots.
size_t fb_tables_rows(const fb_codegen *c, const fb_table *t);

// Write a table NAME of a form, or NAME_FORM, as the field NAME of a law (control/onboard/types.inc): its
// array, rows and columns. Nothing if the law does not have it.
void fb_tables_field(FILE *f, const fb_codegen *c, const char *name, const char *form);

// Bytes of the tables of all forms; and of the stack, at most: what is measured as the law takes it
// in, what a filter works on, and the frames of two calls.
long fb_tables_bytes(const fb_codegen *c);
int fb_tables_stack(const fb_codegen *c);

// Check that a text can be made of the tables: at most 2^30 bytes, and all numbers finite in
// its precision. Returns DM_OK, DM_BAD_INPUT or DM_NOT_FINITE, with a sentence in msg.
dm_status fb_tables_check(const fb_codegen *c, dm_message *msg);

// Write the limits of inputs, then the tables, as C: the shortest numbers, or %.9g of the nearest
// float, both read back to the same bits.
void fb_tables_write(FILE *f, const fb_codegen *c);

DM_END_C
#endif
