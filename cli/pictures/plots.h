// cli/pictures/plots.h: the plots of dmoc plot, a row each.
//
// A plot is a row of type cli_plot in a source of its own. A new one is such a source, for example
// cli/pictures/energy.c, and its word in this list: the words of --what, their help and the tables
// that are read come from here.
#ifndef CLI_PICTURES_PLOTS_H
#define CLI_PICTURES_PLOTS_H
#include "cli/pictures/sheet.h"

// In the order in which they stand in a picture of all.
#define CLI_PLOTS(X)                                                                               \
  X(trajectory)                                                                                    \
  X(inputs)                                                                                        \
  X(gains)                                                                                         \
  X(loop)                                                                                          \
  X(error)                                                                                         \
  X(convergence)                                                                                   \
  X(descent)                                                                                       \
  X(energy)                                                                                        \
  X(momenta)                                                                                       \
  X(contacts)                                                                                      \
  X(monitors)                                                                                      \
  X(robustness)

typedef struct cli_plot {
  const char *word, *help;               // of --what; a line of help
  const cli_result_file *const needs[4]; // tables beside the trajectory, ended by NULL

  // Writes the blocks of data that it draws from, other than $x; NULL: there are none.
  void (*blocks)(FILE *f, const cli_sheet *s);

  // Draws its panels; none where the folder has nothing of it.
  void (*draw)(cli_sheet *s);
} cli_plot;

#define CLI_DECLARE_PLOT(word) extern const cli_plot cli_plot_##word;
CLI_PLOTS(CLI_DECLARE_PLOT)
#undef CLI_DECLARE_PLOT

// How many there are.
#define CLI_COUNT_PLOT(word) +1
enum { CLI_PLOT_COUNT = 0 CLI_PLOTS(CLI_COUNT_PLOT) };
#undef CLI_COUNT_PLOT

extern const cli_plot *const cli_plots[CLI_PLOT_COUNT];
#endif
