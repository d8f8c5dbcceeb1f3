#include "cli/stages/impulses.h"

#include "cli/console/log.h"
#include "cli/results/registry.h"
#include "cli/results/tables.h"
#include "lib/base/dense.h"

#include <stdlib.h>

int cli_impulses_open(cli_impulses *w, cli_call *call) {
  const pb_robot *robot = &call->run.p->robot;
  *w = (cli_impulses){.f = NULL};
  if (!robot->mechanism.constraints ||
      call->run.p->names.ne == dm_constraints_count(robot->mechanism.constraints))
    return CLI_DONE;
  w->w = dm_impulse_shares_new(robot->mechanism.tree, robot->mechanism.constraints);
  w->q = calloc((size_t)robot->mechanism.tree->nq + (size_t)call->run.p->names.ne, sizeof *w->q);
  if (!w->w || !w->q) return cli_fail(call->args, CLI_FAULT, "out of memory");
  w->shares = w->q + robot->mechanism.tree->nq;
  w->f = cli_call_file(call, "impulses.csv");
  if (!w->f) return CLI_INPUT;
  cli_table_begin(w->f, &cli_file_impulses, &call->run.p->names);
  return CLI_DONE;
}

void cli_impulses_free(cli_impulses *w) {
  dm_impulse_shares_free(w->w);
  free(w->q);
  *w = (cli_impulses){.f = NULL};
}

dm_status cli_impulses_add(cli_impulses *w, const cli_call *call, int k, double t, const double *q,
                           const double *lambda) {
  if (!w->f) return DM_OK;
  pb_robot_to_tree(&call->run.p->robot, q, w->q);
  if (lambda) DM_TRY(dm_impulse_shares_find(w->w, w->q, lambda, w->shares));
  cli_put_knot(w->f, k, t);
  cli_put_numbers(w->f, lambda ? w->shares : NULL, call->run.p->names.ne);
  fputc('\n', w->f);
  return DM_OK;
}

int cli_impulses_write(cli_call *call) {
  const dm_trajectory *x = call->run.x;
  cli_impulses w;
  dm_status s = DM_OK;
  int status = cli_impulses_open(&w, call);
  for (int k = 0; w.f && s == DM_OK && k <= x->N; k++)
    s = cli_impulses_add(&w, call, k, dm_trajectory_time(x, k), dm_row(x->q, k, x->n),
                         k < x->N ? dm_row(x->lambda, k, x->nc) : NULL);
  if (s != DM_OK) status = cli_fail_status(call->args, s, NULL);
  cli_impulses_free(&w);
  return status;
}
