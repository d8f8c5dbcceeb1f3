// problems/readers/format/csv.h: tables of numbers with a header line, as trajectory.csv has them,
// and motions sampled from them.
//
// Columns are named t, s, q.NAME, v.NAME, p.NAME, u.NAME, y.NAME; others are not read. A line that begins
// with # is a comment. None of the libraries that dmoc is built on reads such tables; a cell is
// strtod's.
#ifndef PB_FORMAT_CSV_H
#define PB_FORMAT_CSV_H
#include "problems/readers/format/yaml.h"

typedef struct pb_csv {
  const char *file;
  int rows, columns;
  const char **name;   // [columns]
  const double *value; // [rows x columns] NAN: an empty cell
  const int *line;     // [rows] of the file
  const double *t;     // [rows] the column t, increasing; NULL: there is none
  int steps;           // without t: the steps that its rows count; 0: those it is sampled in
} pb_csv;

// Read the file that a node names, beside the problem file. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT with file and line.
dm_status pb_csv_read(pb_reader *r, const pb_node *node, pb_csv *c);

// Sample the columns PREFIX.NAME of n names at given times.
//   group     "q", "v", "p", "y": between rows by a straight line, held outside; "u": held from each row
//             on
//   at        times [count] s, of steps of equal length; a table without t has a row for each, or for
//             each of c->steps as long as these together
//   absent    [n] what a column that is not there holds; NULL or NAN: it must be there
//   out       [count x n] in the arena; NULL: the table has no column of this group
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT where a column of the group is missing or unknown,
// or a cell is empty.
dm_status pb_csv_sample(const pb_reader *r, const pb_csv *c, const char *group,
                        const char *const *name, int n, const double *absent, const double *at,
                        int count, double **out);
#endif
