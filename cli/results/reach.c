#include "cli/results/reach.h"

#include "cli/results/registry.h"

static void put_reach_columns(FILE *f, const pb_names *names) {
  static const char *const kind[] = {"reached", "shown", "window.reached", "window.shown"};
  (void)names;
  for (int i = 0; i < 4; i++) {
    if (i == 2) fputs(",window.knot", f);
    fprintf(f, ",%s,%s.kept,%s.dropped,%s.sigma", kind[i], kind[i], kind[i], kind[i]);
  }
}

static void put_span(FILE *f, const fb_span *span) {
  fprintf(f, ",%d,%.6g,%.6g,%.6g", span->rank, span->kept, span->dropped, span->sigma);
}

void cli_reach_row(FILE *f, int k, double t, const fb_span *pair, int start,
                   const fb_span *window) {
  cli_put_knot(f, k, t);
  put_span(f, &pair[0]);
  put_span(f, &pair[1]);

  // a window's figures are in the row of its first knot
  if (window) {
    fprintf(f, ",%d", start);
    put_span(f, &window[0]);
    put_span(f, &window[1]);
  } else {
    fputs(",,,,,,,,,", f);
  }
  fputc('\n', f);
}

const cli_result_file cli_file_reach = {
    .name = "reach.csv",
    .stage = "linearization",
    .part = CLI_PART_LINEARIZATION,
    .columns =
        "Dimensions that inputs reach and positions show: by A, B of each knot, and over the steps "
        "from window.knot on. kept, dropped: the smallest pivot counted and the largest not, "
        "relative; sigma: the singular value of that number of [B, AB, ..] itself.",
    .first = "k,t",
    .header = put_reach_columns,
};
