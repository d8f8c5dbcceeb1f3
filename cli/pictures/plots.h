// cli/pictures/plots.h: the plots of dmoc plot, a row each.
//
// A row says which words and options a command line may have. The function that draws it is in
// python/dmoc/pictures/kinds.py, under the same word.
#ifndef CLI_PICTURES_PLOTS_H
#define CLI_PICTURES_PLOTS_H
#include "cli/results/registry.h"

typedef struct cli_plot {
  const char *word, *help;               // of --what; a line of help
  const cli_result_file *const needs[3]; // tables that it reads, ended by NULL: they must be whole
  const char *takes;                     // options of its own: "--x --y"; NULL: none
  int least, most;                       // number of folders; most 0: one, CLI_MANY: any number
  bool apart;                            // drawn if its word is given, not with `all`
  bool tables;                           // also of tables by themselves
  bool together;                         // of motions that begin at the same time: not of phases
  bool mixed;                            // also of folders with different coordinates
  bool moves;                            // as SVG alone
  bool places;                           // needs the robot's poses
} cli_plot;

enum { CLI_MANY = 1000, CLI_PLOT_COUNT = 21 };

// In the order in which they stand in a picture of all.
extern const cli_plot cli_plots[CLI_PLOT_COUNT];

// The row of a word; NULL: of `all`, or there is none.
const cli_plot *cli_plot_find(const char *word);

// Whether a plot belongs to a picture of `what`, its word or all, of so many folders.
bool cli_plot_asked(const cli_plot *plot, const char *what, int folders);
#endif
