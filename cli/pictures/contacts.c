#include "cli/pictures/plot_axis.h"
#include "cli/pictures/plots.h"
#include "cli/results/contact_events.h"

#include <math.h>

static void put_contacts(const cli_sheet *s) {
  FILE *f = s->data;
  const cli_table *table = cli_exhibit_table(s->d, &cli_file_contacts);
  fprintf(f, "$i << EOD\n");

  // contact, t, impulse, friction, of events with an impulse
  for (int i = 0; i < table->rows; i++) {
    const double *r = table->x + i * CLI_EVENT_COLUMNS;
    const double x[] = {r[2], r[1], r[4], r[5]};
    if (!(r[4] > 0)) continue;
    cli_sheet_put(f, x, 4);
    fprintf(f, "\n");
  }
  fprintf(f, "EOD\n");
}

// impulses of contacts, and of their friction, a dot a step
static void draw_contacts(cli_sheet *s) {
  static const char *const labels[] = {"impulse of a contact in a step", "of its friction"};
  const dm_contacts *all = s->job->p->robot.mechanism.contacts;
  bool rough = false;
  const cli_table *table = cli_exhibit_table(s->d, &cli_file_contacts);
  if (!table->x) return;
  put_contacts(s);

  // friction has a panel where some contact has any
  dm_unilateral u = dm_contacts_unilateral(all);
  for (int i = 0; i < table->rows; i++) rough |= table->x[i * CLI_EVENT_COLUMNS + 5] > 0;
  for (int of = 0; of <= rough; of++) {
    // an axis from 0, which is not empty where all are equal
    double min, max;
    cli_axis_range(table->x + 4 + of, table->rows, CLI_EVENT_COLUMNS, &min, &max);
    fprintf(s->f, "set yrange [%.17g:%.17g]\n", fmin(1.05 * min, 0), fmax(1.05 * max, 1e-12));
    cli_sheet_begin(s, labels[of], "N s");

    // a colour a contact; names for as many as there are colours
    for (int i = 0; i < u.ng; i++) {
      fprintf(s->f, "$i using ($1==%d?$2:NaN):%d with points pt 7 ps 0.4 lc rgb '#%s'", i, 3 + of,
              cli_sheet_colour(i));
      if (i < CLI_COLOURS)
        cli_sheet_title(s, u.name(u.self, i));
      else
        fprintf(s->f, " notitle, ");
    }
    cli_sheet_end(s, false);
  }
}

const cli_plot cli_plot_contacts = {
    .word = "contacts",
    .help = "impulses of contacts and of their friction",
    .needs = {&cli_file_contacts},
    .draw = draw_contacts,
};
