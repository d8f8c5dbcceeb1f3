#include "cli/results/robustness.h"

#include "cli/results/registry.h"
#include "control/loop/model_mismatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- robustness.csv ---

void cli_robustness_row(FILE *f, const char *axis, const char *part, double level, int held,
                        int samples, double low, double high) {
  fputs(axis, f);
  cli_put_name(f, ",", part);
  cli_put_number(f, ",", level);
  fprintf(f, ",%d,%d", held, samples);
  cli_put_number(f, ",", low);
  cli_put_number(f, ",", high);
  fputc('\n', f);
}

const char *cli_robustness_name(const pb_problem *p, int part) {
  int n = p->robot.mechanism.tree->nq;
  if (part < FB_AXES) return fb_axis_names[part];
  part -= FB_AXES;
  if (part < n) return p->robot.mechanism.tree->name[part];
  part -= n;
  const int nq = p->model->nq;
  return part < nq ? p->model->name[part] : p->verify.robust.set.part[part - nq].name;
}

// read axis and part as indices
static dm_status read_robustness_table(cli_table *table, const pb_file *file,
                                       const cli_table_source *from, dm_message *msg) {
  const pb_problem *p = from->problem;
  const char *axis[FB_AXES + 1] = {NULL};
  int n = FB_AXES + p->robot.mechanism.tree->nq + p->model->nq + p->verify.robust.set.nparts;

  // parts: axes first, then joints, coordinates and parameters of parts
  const char **part = calloc((size_t)n + 1, sizeof *part);
  if (!part) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  for (int i = 0; i < n; i++) part[i] = cli_robustness_name(p, i);
  memcpy(axis, part, FB_AXES * sizeof *axis);
  const cli_word_column words[] = {{axis, 0}, {part, 1}, {NULL, 0}};
  dm_status s = cli_table_read(table, file, cli_file_robustness.first, words, false, msg);
  free(part);
  return s;
}

const cli_result_file cli_file_robustness = {
    .name = "robustness.csv",
    .stage = "verify",
    .part = CLI_PART_VERIFY,
    .columns = "Each axis alone. level: times the size in the problem; low, high: of the rate, "
               "with 95 % confidence.",
    .first = "axis,part,level,held,samples,low,high",
    .read = read_robustness_table,
};

// --- region.csv ---

void cli_region_write(FILE *f, int directions, const double *radius) {
  cli_table_begin(f, &cli_file_region, NULL);
  for (int i = 0; i < directions; i++) {
    fprintf(f, "%d", i);
    cli_put_number(f, ",", radius[i]);

    // no failure in a direction that ends at a limit
    const double failed = radius[directions + i];
    if (isinf(failed))
      fputc(',', f);
    else
      cli_put_number(f, ",", failed);
    fputc('\n', f);
  }
}

const cli_result_file cli_file_region = {
    .name = "region.csv",
    .stage = "verify",
    .part = CLI_PART_VERIFY,
    .columns = "Sizes in spreads along random directions: the largest that succeeded (held), the "
               "smallest that failed; none where a limit of a position ends the direction first.",
    .first = "direction,held,failed",
    .kind = CLI_ROWS,
};
