// problems/readers/format/definitions.h: the section `let`, names for expressions, functions and tables, which all
// expressions of a file may use:
//
//   let:
//     reach: 0.6                                   # a number, or an expression
//     aim: [0.4, 0, 0.3]                           # a vector
//     wall(x, w): softplus(x - reach, w)           # a function
//     lift: {csv: wing.csv, x: angle, y: lift}     # a table: the natural cubic spline of its rows, or of {x: [..], y: [..]}
//
// A definition is inserted where its name is written, so that the order does not matter, and a name means there what
// it means to that expression. Before its first and after its last row a table goes on as a straight line.
#ifndef PB_FORMAT_DEFINITIONS_H
#define PB_FORMAT_DEFINITIONS_H
#include "problems/readers/format/expression.h"

extern const pb_key pb_table_keys[];

// Read the section (NULL: none) into r->definitions, in the arena. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT for a
// name that is not one, a second one, a value of another form, or a table without ascending rows.
dm_status pb_definitions_read(pb_reader *r, const pb_node *let);

// Read a table {csv, x, y} or {x: [..], y: [..]} at a key `path` into a definition with a name: the natural cubic spline
// through its rows, or straight lines. Returns as pb_definitions_read.
dm_status pb_table_read(pb_reader *r, const char *path, const pb_node *node, bool straight,
                        pb_definition *d);

// Read a value, for both, or [low, high]: each a number, an expression of definitions, or none. Returns DM_OK,
// DM_NO_MEMORY, or DM_BAD_INPUT with the path.
dm_status pb_definitions_range(const pb_reader *r, const char *path, const pb_node *node,
                               double value[2]);
#endif
