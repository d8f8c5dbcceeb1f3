// problems/readers/format/csv.h: tables of numbers with a header line, in the format of
// trajectory.csv, and motions sampled from them.
//
// Columns are named t, s, q.NAME, v.NAME, p.NAME, u.NAME, y.NAME; other columns are ignored. A line
// that begins with # is a comment. None of the libraries that dmoc uses reads these tables; cells
// are read with strtod.
#ifndef PB_FORMAT_CSV_H
#define PB_FORMAT_CSV_H
#include "problems/readers/format/yaml.h"

typedef struct pb_csv {
  const char *file;
  int rows, columns;
  const char **name;   // [columns]
  int header;          // line of the names
  const double *value; // [rows x columns] NAN: empty cell
  const int *line;     // [rows] line in the file
  const char **cell;   // [rows x columns] as written, if asked for; else NULL
  const double *t;     // [rows] the column t, increasing; NULL: no such column
  int steps;           // without t: number of steps that the rows cover; 0: one row per sample
} pb_csv;

// Read the file named by a node, relative to the problem file. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT with file and line.
dm_status pb_csv_read(pb_reader *r, const pb_node *node, pb_csv *c);

// The same for a table whose columns may hold words, and with any column t.
dm_status pb_csv_read_cells(pb_reader *r, const pb_node *node, pb_csv *c);

// The same for a table whose columns have any names and hold anything: cells alone, no values.
dm_status pb_csv_read_words(pb_reader *r, const pb_node *node, pb_csv *c);

// Sample the columns PREFIX.NAME of n names at given times.
//   group     "q", "v", "p", "y": linear interpolation, constant outside; "u": zero-order hold from
//             each row on
//   at        times [count] s, in steps of equal length; a table without t has one row per time, or
//             one row per step of c->steps equal steps over the same interval
//   absent    [n] value of a missing column; NULL or NAN: the column is required
//   out       [count x n] in the arena; NULL: the table has no column of this group
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT if a column of the group is missing or unknown, or a
// cell is empty.
dm_status pb_csv_sample(const pb_reader *r, const pb_csv *c, const char *group,
                        const char *const *name, int n, const double *absent, const double *at,
                        int count, double **out);
#endif
