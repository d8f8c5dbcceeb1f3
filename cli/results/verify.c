#include "cli/results/verify.h"

#include "cli/results/registry.h"

static void put_verify_columns(FILE *f, const pb_names *names) {
  cli_put_names(f, ",", names->bound, names->nb);
}

void cli_verify_rows(FILE *f, const pb_names *names, const char *plant, const fb_sample *rows,
                     const double *errors, int samples, const bool *ran) {
  for (const fb_sample *s = rows; s < rows + samples; s++) {
    if (!ran[s - rows]) continue;
    // the state with the largest final error, if the sample reached the end
    int i = s->worst_state;
    fprintf(f, "%s,%d", plant, (int)(s - rows));
    cli_put_number(f, ",", s->start_q_error);
    cli_put_number(f, ",", s->start_v_error);
    cli_put_number(f, ",", s->final_error);
    fputc(',', f);
    if (i >= 0) cli_put_name(f, i < names->n ? "q." : "v.", names->coord[i % names->n]);
    cli_put_number(f, ",", s->worst_error);
    fprintf(f, ",%d,%d,", s->saturated, s->steps);
    if (s->passed >= 0) cli_put_name(f, "", names->coord[s->passed]);
    cli_put_number(f, ",", s->passed_by);
    fprintf(f, ",%d", s->succeeded);
    for (int b = 0; b < names->nb; b++) cli_put_number(f, ",", errors[(s - rows) * names->nb + b]);
    fputc('\n', f);
  }
}

const cli_result_file cli_file_verify = {
    .name = "verify.csv",
    .stage = "verify",
    .part = CLI_PART_VERIFY,
    .columns =
        "One row per sample and plant: errors at the start and at the end of the run, the "
        "state that was worst there, the worst error on the way, steps with an input at a "
        "limit, steps taken, the coordinate that passed the limit of its position and by how much "
        "(passed, passed_by), and whether it succeeded (held); then what outputs that have a "
        "tolerance are off by, at the end, at most along the run, and while the end is held.",
    .first = "plant,sample,start_q_error,start_v_error,final_error,final_worst,worst_error,"
             "saturated,steps,"
             "passed,passed_by,held",
    .header = put_verify_columns,
};
