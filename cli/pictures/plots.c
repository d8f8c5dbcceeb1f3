#include "cli/pictures/plots.h"

#include <string.h>

#define CLI_LIST_PLOT(word) &cli_plot_##word,
const cli_plot *const cli_plots[CLI_PLOT_COUNT] = {CLI_PLOTS(CLI_LIST_PLOT)};

bool cli_plot_asked(const cli_plot *plot, const char *what, int folders) {
  if (!strcmp(what, plot->word)) return true;
  const int most = plot->most ? plot->most : 1;
  return !strcmp(what, "all") && !plot->apart && folders >= plot->least && folders <= most;
}
