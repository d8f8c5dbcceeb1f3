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
  X(outputs)                                                                                       \
  X(gains)                                                                                         \
  X(loop)                                                                                          \
  X(error)                                                                                         \
  X(convergence)                                                                                   \
  X(descent)                                                                                       \
  X(energy)                                                                                        \
  X(momenta)                                                                                       \
  X(contacts)                                                                                      \
  X(monitors)                                                                                      \
  X(robustness)                                                                                    \
  X(difference)                                                                                    \
  X(columns)                                                                                       \
  X(phase)                                                                                         \
  X(path)                                                                                          \
  X(frames)                                                                                        \
  X(moving)                                                                                        \
  X(order)

typedef struct cli_plot {
  const char *word, *help;               // of --what; a line of help
  const cli_result_file *const needs[4]; // tables beside the trajectory, ended by NULL
  const char *takes;                     // options of its own: "--x --y"; NULL: none
  int least, most;                       // folders that it draws; most 0: one, CLI_MANY: any number
  bool apart;                            // drawn where it is asked for by its word, not among all
  bool tables;                           // also tables by themselves
  bool together;                         // of motions that begin at the same time: not of phases
  bool mixed;                            // also of folders whose coordinates are not the same

  // Reads what else it needs, and refuses what it cannot draw. Returns CLI_DONE, or CLI_INPUT or
  // CLI_FAULT after saying why. NULL: it draws whatever there is.
  int (*prepare)(cli_exhibits *all, const cli_request *r);

  // Draws its panels, with the data that they need; none where the folder has nothing of it. NULL: it
  // writes the picture itself, as SVG.
  void (*draw)(cli_sheet *s);

  // Writes the picture, without gnuplot; NULL: it draws. Returns DM_OK or DM_NO_MEMORY.
  dm_status (*write)(FILE *f, const cli_exhibits *all, const cli_request *r);
} cli_plot;

enum { CLI_MANY = 1000 };

#define CLI_DECLARE_PLOT(word) extern const cli_plot cli_plot_##word;
CLI_PLOTS(CLI_DECLARE_PLOT)
#undef CLI_DECLARE_PLOT

// How many there are.
#define CLI_COUNT_PLOT(word) +1
enum { CLI_PLOT_COUNT = 0 CLI_PLOTS(CLI_COUNT_PLOT) };
#undef CLI_COUNT_PLOT

extern const cli_plot *const cli_plots[CLI_PLOT_COUNT];

// Whether a plot belongs to a picture of `what`, its word or all, of so many folders.
bool cli_plot_asked(const cli_plot *plot, const char *what, int folders);
#endif
