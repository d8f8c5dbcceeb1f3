#include "cli/results/estimator.h"

#include "cli/results/registry.h"

// the name of a state; motor.INPUT for the torque of a motor with a lag, or d.INPUT for a disturbance at an input
static void put_estimated(FILE *f, const char *before, const pb_names *names, const fb_estimator *w,
                          int j) {
  if (j < w->f->nx) {
    cli_put_state(f, before, names, j);
    return;
  }
  const bool lags = j < w->nx;
  fprintf(f, lags ? "%smotor" : "%sd", before);
  cli_put_name(f, ".", names->input[lags ? w->f->lagging[j - w->f->nx] : w->disturbed[j - w->nx]]);
}

void cli_estimator_write(FILE *f, const pb_names *names, const fb_estimator *w) {
  size_t nz = (size_t)w->nz, ny = (size_t)w->ny;

  // columns: L by state and measured coordinate, then the standard deviation of each state
  fputs("k,t", f);
  for (size_t j = 0; j < nz; j++)
    for (size_t a = 0; a < ny; a++) {
      put_estimated(f, ",L.", names, w, (int)j);
      cli_put_name(f, ".", names->coord[w->which[a]]);
    }
  for (size_t j = 0; j < nz; j++) put_estimated(f, ",std.", names, w, (int)j);
  fputc('\n', f);

  // one row per step
  for (size_t k = 0; k < (size_t)w->f->N; k++) {
    cli_put_knot(f, (int)k, (double)k * w->f->h);
    for (size_t j = 0; j < nz * ny; j++) cli_put_number(f, ",", w->L[k * nz * ny + j]);
    for (size_t j = 0; j < nz; j++)
      cli_put_number(f, ",", fb_estimator_deviation(w, (int)k, (int)j));
    fputc('\n', f);
  }
}

const cli_result_file cli_file_estimator = {
    .name = "estimator.csv",
    .stage = "gains",
    .part = CLI_PART_ESTIMATOR,
    .columns = "z <- z + L (y - z), y and z: coordinates measured and estimated, less those of "
               "x_d; u = u_d - K z; z <- A z + B (u - u_d) to the next row. std is the standard "
               "deviation of z's error before y. d, of feedback.estimator.disturbance, acts beside "
               "an input: u_d - d is in the place of u_d. motor: the torque of a motor with a lag, "
               "less the "
               "plan's.",
};
