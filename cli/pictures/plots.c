#include "cli/pictures/plots.h"

#define CLI_LIST_PLOT(word) &cli_plot_##word,
const cli_plot *const cli_plots[CLI_PLOT_COUNT] = {CLI_PLOTS(CLI_LIST_PLOT)};
