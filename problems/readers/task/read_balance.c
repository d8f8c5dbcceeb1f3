#include "problems/readers/task/read_balance.h"

#include "lib/discrete/assembly.h"
#include "lib/discrete/equilibrium.h"
#include "problems/readers/model/assembly.h"
#include "problems/readers/model/clock.h"
#include "problems/readers/task/read_task.h"

#include <math.h>
#include <string.h>

typedef struct balance_section {
  const double *q, *near, *u;
  const char *assemble;
  int steps;
  double time;
} balance_section;

const pb_key pb_balance_keys[] = {
    PB_KEY(balance_section, q, .type = PB_EACH_COORD, .turn = "angle", .unit = "m or rad",
           .absent = "free", .rest = "free", .words = "free",
           .about = "Given part of the equilibrium; dmoc solves for the rest"),
    PB_ASSEMBLE_KEYS(balance_section),
    PB_KEY(balance_section, u, .type = PB_EACH_INPUT, .unit = "N or N m", .absent = "free",
           .rest = "free", .words = "free",
           .about = "Inputs at the equilibrium; dmoc solves for free ones, within their limits"),
    PB_KEY(balance_section, steps, .type = PB_INTEGER, .range = "[1, 1e6]", .absent = PB_REQUIRED,
           .about = "Number of steps of the verification"),
    PB_KEY(balance_section, time, .type = PB_NUMBER, .unit = "s", .range = "> 0",
           .absent = PB_REQUIRED, .about = "Duration of these steps"),
    {0}};

// q, u and lambda of the equilibrium
static dm_status find_rest(pb_reader *r, const pb_node *node, const balance_section *b,
                           const oc_task *task, double *q, double *u, double *lambda) {
  const dm_system *s = &task->system;
  bool *fixed, *given;
  double *still;
  dm_message why = {""};
  PB_NEW(r->arena, fixed, r->n);
  PB_NEW(r->arena, given, r->nf);
  PB_NEW(r->arena, still, r->n);

  // project q onto the constraints, as an end at rest
  pb_end end = {.q = b->q, .v = still, .near = b->near, .assemble = b->assemble};
  DM_TRY(pb_end_assemble(r, node, "balance", s, NULL, &end));

  // initial guess of the search: the given value, else near, else 0
  for (int i = 0; i < r->n; i++) {
    double from = isnan(end.q[i]) ? b->near[i] : end.q[i];
    q[i] = isnan(from) ? 0 : from;
    fixed[i] = !isnan(b->q[i]);
  }

  // replace a zero quaternion by the identity
  for (int k = 0; k < r->nball; k++) {
    double *x = q + r->quaternion[k];
    if (x[0] == 0 && x[1] == 0 && x[2] == 0 && x[3] == 0) x[0] = 1;
  }

  // given forces, others starting at 0
  for (int j = 0; j < r->nf; j++) {
    given[j] = !isnan(b->u[j]);
    u[j] = given[j] ? b->u[j] : 0;
  }

  // a step at rest: q1 = q0 with u and lambda
  const double h = b->time / b->steps;
  dm_status status = dm_equilibrium_find(s, fixed, given, h, q, u, lambda, r->coord, &why);
  if (status == DM_NO_MEMORY) return status;
  if (status == DM_OK && s->hol.nc) status = dm_assembly_check(s, q, &why);
  if (status != DM_OK) return pb_refuse_node(r, node, "balance: %s", why.text);

  // the equilibrium forces must be within their limits
  // forces only: they do not act on kinematic coordinates
  for (int j = 0; j < r->nf; j++)
    if (!dm_range_has(oc_task_range(task, OC_U, j), u[j]))
      return pb_refuse_node(
          r, node,
          "balance: rest there needs %.4g of '%.64s', expected a value within its limits [%g, %g]",
          u[j], r->input[j], oc_low(task, OC_U, j), oc_high(task, OC_U, j));
  return DM_OK;
}

dm_status pb_balance_read(pb_reader *r, const pb_node *node, const oc_task *task,
                          dm_trajectory **rest) {
  balance_section b = {0};
  if (!node) return DM_OK;
  DM_TRY(pb_clock_refuse(r, node, "balance"));

  // read the section and check that its step is not negligible
  pb_reader forces = *r; // inputs of kinematic coordinates follow from q
  forces.nu = r->nf;
  DM_TRY(pb_schema_read(&forces, "balance", node, pb_balance_keys, &b));
  DM_TRY(pb_step_check(r, "balance.time", pb_node_get(node, "time"), b.time / b.steps));

  // the equilibrium at every knot
  DM_TRY(dm_trajectory_of(rest, b.steps, &task->system));
  dm_trajectory *x = *rest;
  x->h = b.time / b.steps;
  double *q, *u, *lambda;
  PB_NEW(r->arena, q, x->n);
  PB_NEW(r->arena, u, x->nu);
  PB_NEW(r->arena, lambda, x->nc);
  DM_TRY(find_rest(r, node, &b, task, q, u, lambda));
  dm_status s = dm_trajectory_rest(x, &task->system, q, u, lambda);
  if (s == DM_OK || s == DM_NO_MEMORY) return s;
  return pb_refuse_node(r, node, "balance: %s", dm_status_text(s));
}
