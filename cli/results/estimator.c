#include "cli/results/estimator.h"

#include "cli/results/registry.h"

void cli_estimator_write(FILE *f, const cli_names *names, const fb_estimator *w) {
  size_t nx = (size_t)w->f->nx, ny = (size_t)w->ny;

  // columns: L by state and coordinate measured, then the standard deviation of each state
  fputs("k,t", f);
  for (size_t j = 0; j < nx; j++)
    for (size_t a = 0; a < ny; a++) {
      cli_put_state(f, ",L.", names, (int)j);
      cli_put_name(f, ".", names->coord[w->which[a]]);
    }
  for (size_t j = 0; j < nx; j++) cli_put_state(f, ",std.", names, (int)j);
  fputc('\n', f);

  // a row a step
  for (size_t k = 0; k < (size_t)w->f->N; k++) {
    cli_put_knot(f, (int)k, (double)k * w->f->h);
    for (size_t j = 0; j < nx * ny; j++) cli_put_number(f, ",", w->L[k * nx * ny + j]);
    for (size_t j = 0; j < nx; j++)
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
               "deviation of z's error before y.",
};
