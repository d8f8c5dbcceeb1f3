// cli/report/exhibit.h: what pictures show: result folders, and tables by themselves.
//
// A word of a command line is a result folder, a result folder with phases (the folders of its
// phases), a CSV table, or the folder of a sweep: its table sweep.csv, or, where the sweep kept them, the
// folders of its cases.
#ifndef CLI_REPORT_EXHIBIT_H
#define CLI_REPORT_EXHIBIT_H
#include "cli/results/named_table.h"
#include "cli/results/registry.h"
#include "cli/stages/call.h"

typedef struct cli_exhibit {
  char *path;  // of the folder or table
  char *name;  // in legends
  bool folder; // else a table, and of what follows only `columns` is there

  cli_args args; // of its call
  cli_call call; // with its motion
  double begin;  // when its motion begins, s: phases follow one another
  double step;   // of the method, s: knots that were kept may be further apart

  double *energy;             // [(N+1) x 3] kinetic, potential, their sum; NULL: unknown
  cli_table table[CLI_FILES]; // of each file of the folder that was read; x is NULL for others
  bool simulated;             // the motion is one of simulate
  bool at_knots;              // velocities are those of knots: unknowns of their own beside q, or
                              // not every knot is kept
  bool flow;                  // of a Lagrangian of second order, whose inputs do work all the time
  const char *plant;          // that the fan ran on
  const char *start_plant;    // that the one start off the plan ran on

  cli_named_table columns; // a table by its names, of those plots that ask for one
} cli_exhibit;

// All of them.
typedef struct cli_exhibits {
  cli_exhibit **at;             // [n]
  int n, shown;                 // shown: those that are drawn; of the others there is one at most,
  const cli_exhibit *reference; // that errors are measured from; NULL: none was named
  bool phases;                  // all that are drawn are the phases of one folder
} cli_exhibits;

// What the words of a command line name, in their order, and the motions of folders. With a
// column of its table, a sweep is that table, else its cases. Returns CLI_DONE, or CLI_INPUT or CLI_FAULT after saying
// why; the list is to be freed in any case.
int cli_exhibits_open(cli_exhibits *all, const cli_args *args, const char *column);

// Whether a path is the folder of a sweep, which is none of a result.
bool cli_is_sweep(const char *path);

// One more that has no motion, a study at path: its call alone is opened.
int cli_exhibits_add_study(cli_exhibits *all, const cli_args *args, const char *path);

// The folder that --against names as the reference: one of them, or one more.
int cli_exhibits_refer(cli_exhibits *all, const cli_args *args, const char *word);
void cli_exhibits_free(cli_exhibits *all);

// Close the jobs of all, the first of which says what was done, and free the list. Returns the exit
// status of the command.
int cli_exhibits_close(cli_exhibits *all, int status);

// Names for legends, `list` [shown] in place of the folders' own; NULL: the last parts of their paths,
// as many as tell them apart.
dm_status cli_exhibits_name(cli_exhibits *all, const char *const *list);

// Energies at knots, what result.json says of the motion, and the tables of that list, ended by
// NULL; those that are there already stay. Returns DM_OK, or what failed, with call.msg.
dm_status cli_exhibit_read(cli_exhibit *x, const cli_result_file *const *files);

// The table of a file; its x is NULL where there is none.
const cli_table *cli_exhibit_table(const cli_exhibit *x, const cli_result_file *file);

// Whether two folders have the same coordinates; where they have not, a sentence in text.
bool cli_exhibit_alike(const cli_exhibit *a, const cli_exhibit *b, char *text, size_t size);

// The duration of a motion, s; 0 for a table.
double cli_exhibit_end(const cli_exhibit *x);

// Is the end of its motion what a task asked for?
bool cli_exhibit_has_goal(const cli_exhibit *x);

// The knot at time t, or -1: there is none.
int cli_exhibit_knot(const cli_exhibit *x, double t);

// Coordinate i at time t, within the motion: at a knot, or on the cubic through the places and
// velocities of the two beside it.
double cli_exhibit_place(const cli_exhibit *x, double t, int i);
#endif
