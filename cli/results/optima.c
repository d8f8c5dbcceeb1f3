#include "cli/results/optima.h"

#include "cli/results/registry.h"
#include "lib/base/decimal.h"

static void put_optima_columns(FILE *f, const pb_names *names) {
  cli_put_names(f, ",turns.", names->coord, names->n);
}

void cli_optima_write(FILE *f, const pb_names *names, const oc_multistart *m) {
  cli_table_begin(f, &cli_file_optima, names);
  for (int i = 0; i < m->count; i++) {
    const oc_optimum *o = &m->optimum[i];
    char objective[DM_DECIMAL], turn[DM_DECIMAL];
    dm_decimal_put(o->objective, objective);
    dm_decimal_put(o->turn, turn);
    fprintf(f, "%d,%s,%s,%d,%d,%d,%s", i + 1, objective, turn, o->aliased, o->runs, o->first + 1,
            o->kind);
    for (int k = 0; k < names->n; k++) fprintf(f, ",%d", o->turns[k]);
    fputc('\n', f);
  }
}

const cli_result_file cli_file_optima = {
    .name = "optima.csv",
    .stage = "motion",
    .part = CLI_PART_SOLVER,
    .columns =
        "The optima found from many guesses, the best first, those that are aliased last. "
        "turn: the largest of a step; aliased: 1 where that is above horizon.turn; "
        "runs: the searches that came to it; first: the number of the first of them, and kind what "
        "it began from; 0 and own: the search from the problem's own guess; turns.NAME: whole "
        "turns of the end off the file's goal.",
    .first = "optimum,objective,turn,aliased,runs,first,kind",
    .header = put_optima_columns,
};
