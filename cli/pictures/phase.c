#include "cli/pictures/compare.h"
#include "cli/pictures/plots.h"
#include "lib/base/names.h"

#include <math.h>

// velocity over position of a coordinate, from a dot on
static void draw_orbit(cli_sheet *s, int i, const char *name) {
  const cli_exhibit *e = s->all[i];
  const int c = dm_names_find(e->job.names.coord, e->job.names.n, name);
  if (c < 0) return;
  const dm_trajectory *x = e->job.x;
  cli_curve orbit = {.n = x->N + 1,
                     .x = x->q + c,
                     .x_next = x->n,
                     .y = x->v + c,
                     .y_next = x->n,
                     .colour = i,
                     .dash = i / CLI_COLOURS,
                     .name = s->n > 1 ? e->name : NULL};
  cli_sheet_draw(s, &orbit);

  // its start
  orbit.n = 1;
  orbit.dots = true;
  orbit.name = NULL;
  cli_sheet_draw(s, &orbit);
}

// the panels of coordinates of folder f that no folder before it has
static void draw_orbits(cli_sheet *s, int f) {
  const cli_names *names = &s->all[f]->job.names;
  for (int c = 0; c < names->n; c++) {
    if (!cli_sheet_shows(s, names->coord[c])) continue;
    if (cli_compare_before(s, f, CLI_COORDINATES, names->coord[c])) continue;
    const cli_kind_words *words = cli_sheet_kind(s->all[f]->job.p->model->kind[c]);
    char label[200];
    cli_sheet_abscissa(s, names->coord[c], words->unit);
    cli_sheet_range(s, 0, NAN, NAN);
    snprintf(label, sizeof label, "rate of %.180s", names->coord[c]);
    cli_sheet_begin(s, label, words->rate);
    for (int i = 0; i < s->n; i++) draw_orbit(s, i, names->coord[c]);
    cli_sheet_end(s, false);
  }
}

static void draw_phase(cli_sheet *s) {
  for (int f = 0; f < s->n; f++) draw_orbits(s, f);
}

const cli_plot cli_plot_phase = {
    .word = "phase",
    .help = "phase portraits: the velocity of each coordinate over its place, from a dot on",
    .takes = "--xrange --yrange",
    .most = CLI_MANY,
    .apart = true,
    .draw = draw_phase,
};
