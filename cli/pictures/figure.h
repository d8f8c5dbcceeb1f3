// cli/pictures/figure.h: a picture of a result, as a script for gnuplot.
#ifndef CLI_PICTURES_FIGURE_H
#define CLI_PICTURES_FIGURE_H
#include "cli/results/contact_events.h"
#include "cli/stages/job.h"

// What there is to draw; NULL where the folder has none of it.
typedef struct cli_figure_data {
  const double *energy; // [(N+1) x 2] kinetic, potential
  const double *K;      // [N x nu x 2n]
  const double *fan;    // rows of fan.csv: sample, k, t, q
  int fan_rows;
  const double *response; // rows of response.csv
  int response_rows;
  const double *convergence; // rows of convergence.csv
  int convergence_rows;
  const double *descent; // rows of descent.csv
  int descent_rows;
  const double *contacts; // rows of contacts.csv
  int contacts_rows;
  const double *monitors; // rows of monitors.csv
  int monitors_rows;
  const double *robustness; // rows of robustness.csv
  int robustness_rows;
  const double *followed; // rows of plant.csv
  int followed_rows;
  const double *region; // rows of region.csv
  int region_rows;
  bool simulated;    // the motion is one of simulate
  bool sparse;       // which keeps not every knot of it
  const char *plant; // that the fan ran on
} cli_figure_data;

// The words of --what, ended by NULL.
extern const char *const cli_figure_what[];

// The first of the names in --only (separated by commas) that is no coordinate and no input, in
// name [size]; false where all are.
bool cli_figure_unknown(const cli_names *names, const char *only, char *name, size_t size);

// Write the script that draws job->x and the data to gnuplot's stdout in the terminal for the
// suffix svg, png or pdf. Names in it are text and nothing else: no command, no markup. Returns the
// number of panels: 0 where what was asked for is not there.
int cli_figure_write(FILE *script, const cli_job *job, const cli_figure_data *d, const char *what,
                     const char *suffix);
#endif
