// optim/descent/descent_check.c: which tasks a descent takes (optim/descent/descent.h).
#include "optim/descent/descent.h"

#include <assert.h>
#include <math.h>

static dm_status check_sparse(const oc_task *t, dm_message *msg) {
  // the sparse system starts at z_0 = 0
  const oc_unsupported no = {.features = 1 << OC_FREE_TIME};
  DM_TRY(oc_task_refuse(t, no, "the sparse system", "use --kkt riccati", NULL, msg));
  for (int i = 0; i < t->system.L.nq; i++)
    if (!oc_given(t->start.q, i) || !oc_given(t->start.v, i))
      return dm_fail(
          msg, DM_BAD_INPUT,
          "the sparse system needs a whole start, and %s is free there: use --kkt riccati",
          t->coord_name[i]);

  // and it does not support bounds, as the Riccati sweep does
  for (int j = 0; j < dm_system_inputs(&t->system); j++) {
    double low, high;
    oc_ranges_input(t, j, &low, &high);
    if (low > -INFINITY || high < INFINITY)
      return dm_fail(
          msg, DM_BAD_INPUT,
          "the sparse system cannot have bounds, and input %s has them: use --kkt riccati",
          t->input_name[j]);
  }
  return DM_OK;
}

dm_status oc_descent_check(const oc_task *t, bool sparse, const char **keys, dm_message *msg) {
  assert(t);
  const char *unused;
  if (!keys) keys = &unused;
  *keys = "inputs";
  if (dm_system_inputs(&t->system) == 0)
    return dm_fail(msg, DM_BAD_INPUT, "found no input, expected one for a descent");
  *keys = "outputs";
  DM_TRY(oc_outputs_check(&t->outputs, t->N, msg));
  const oc_unsupported no = {.bounds = 1 << OC_A | 1 << OC_JERK,
                             .running = 1 << OC_A | 1 << OC_JERK,
                             .features = 1 << OC_CURVE | 1 << OC_OUTPUT_LIMITS |
                                         1 << OC_DRIVEN_OUTPUTS | 1 << OC_STEP_FUNCTIONS |
                                         1 << OC_INPUT_LIMITS | 1 << OC_RATIO | 1 << OC_PERIODIC |
                                         1 << OC_CONTACT_LAWS | 1 << OC_CONES | 1 << OC_LAGS |
                                         1 << OC_LEVELS | 1 << OC_KNOTS};
  DM_TRY(oc_task_refuse(t, no, "a descent", "use optimize", keys, msg));
  *keys = "";
  return sparse ? check_sparse(t, msg) : DM_OK;
}

dm_status oc_descent_check_options(const oc_task *t, const oc_options *set, const char **keys,
                                   dm_message *msg) {
  DM_TRY(oc_descent_check(t, set->descent.kkt == OC_CHOLMOD, keys, msg));
  if (set->descent.projection != OC_GAPS) return DM_OK;

  // steps between knots have no feedback that would hold constraints
  const char *unfit = "holonomic constraints";
  if (t->system.hol.nc == 0) unfit = t->system.nk ? "kinematic coordinates" : NULL;
  if (unfit)
    return dm_fail(msg, DM_BAD_INPUT, "the projection 'gaps' cannot have %s: use 'regulator'",
                   unfit);
  if (set->descent.kkt == OC_CHOLMOD)
    return dm_fail(msg, DM_BAD_INPUT, "the projection 'gaps' needs --kkt riccati");
  const oc_method_row *m = &oc_methods[set->descent.method];
  if (m->model == OC_IDENTITY || m->update != OC_SOLUTION)
    return dm_fail(msg, DM_BAD_INPUT,
                   "the projection 'gaps' needs a method that solves for the goal: one of quasi, "
                   "paper, ddp, shift, newton, not %s",
                   m->name);
  return DM_OK;
}
