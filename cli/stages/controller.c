#include "cli/stages/controller.h"

#include "cli/console/log.h"
#include "control/codegen/tables.h"
#include "problems/readers/task/units.h"

#include <math.h>
#include <stdlib.h>

fb_tvlqr *cli_controller_schedule(const cli_controller *e) {
  const cli_call *call = e->call;
  return pb_controller_schedule(e->end.control.gains ? &e->end.control : &call->run.control);
}

// -- text settings

// units of coordinates, and of inputs: the robot's for forces; a kinematic input is its next value
static void find_units(const cli_call *call, const char **unit) {
  const int n = call->run.p->names.n;
  for (int i = 0; i < n; i++) {
    unit[i] = pb_problem_unit(call->run.p, 'q', i);
    unit[n + i] = pb_problem_unit(call->run.p, 'v', i);
    unit[2 * n + i] = pb_problem_unit(call->run.p, 'p', i);
  }
  for (int i = 0; i < call->run.p->names.nu; i++)
    unit[3 * n + i] = pb_problem_unit(call->run.p, 'u', i);
}

static fb_codegen_settings find_settings(const cli_call *call, const char *const *unit, bool kept) {
  const pb_problem *p = call->run.p;
  const int n = p->names.n;
  fb_codegen_settings set = fb_codegen_default();

  // for the file header
  set.name = p->file.name;
  set.sha256 = p->file.sha256;
  set.single = call->args->single;
  set.rests = p->rest || call->run.rest.steps || kept;

  // limits of the controller's output
  set.u_min = p->feedback.u_min;
  set.u_max = p->feedback.u_max;

  // names and units of the arguments
  set.coord = p->names.coord;
  set.input = p->names.input;
  set.q_unit = unit;
  set.v_unit = unit + n;
  set.p_unit = unit + 2 * n;
  set.u_unit = unit + 3 * n;

  // inertia added by stiff damping to the model used for the gains
  set.added_inertia = p->fit.now->added;
  set.lag = p->fit.now->lag;
  return set;
}

// the range of deviations from the plan: the spread of verify's starts, or its default
static void find_spread(const cli_call *call, double *off) {
  const pb_problem *p = call->run.p;
  const int n = call->run.p->names.n;
  for (int i = 0; i < 2 * n; i++) {
    const double *spread = i < n ? p->verify.spread_q : p->verify.spread_v;
    off[i] = i < n ? 0.05 : 0.1;
    if (p->has.verify && spread) off[i] = spread[i % n];
  }
}

int cli_controller_open(cli_controller *e, cli_call *call, const bool form[FB_FORMS],
                        cli_controller_names names) {
  *e = (cli_controller){.call = call};
  dm_status s = cli_kept_end_open(&e->end, call);
  if (s != DM_OK) return cli_fail_status(call->args, s, NULL);
  e->unit =
      calloc(3 * (size_t)call->run.p->names.n + (size_t)call->run.p->names.nu, sizeof *e->unit);
  e->off = calloc(2 * (size_t)call->run.p->names.n, sizeof *e->off);
  if (!e->unit || !e->off) return cli_fail(call->args, CLI_FAULT, "out of memory");
  find_units(call, e->unit);
  find_spread(call, e->off);

  // tables in the requested precision, which may be insufficient
  fb_codegen_settings set = find_settings(call, e->unit, e->end.control.gains != NULL);
  set.prefix = names.prefix;
  set.end = names.end;
  set.off_q = e->off;
  set.off_v = e->off + call->run.p->names.n;
  const fb_tvlqr *f = cli_controller_schedule(e);
  pb_controller *control = e->end.control.gains ? &e->end.control : &call->run.control;
  if (names.recedes) s = pb_controller_prompt(control, call->run.p, &f, &call->msg);
  if (s != DM_OK) return cli_fail_status(call->args, s, &call->msg);
  s = fb_codegen_new(&e->c, f, &call->run.p->task.system, form,
                     e->end.control.gains ? e->end.control.estimator : call->run.control.estimator,
                     &set, &call->msg);
  if (s == DM_OK) s = fb_tables_check(e->c, &call->msg);
  return s == DM_OK ? CLI_DONE : cli_fail_status(call->args, s, &call->msg);
}

void cli_controller_close(cli_controller *e) {
  fb_codegen_free(e->c);
  cli_kept_end_close(&e->end);
  free(e->unit);
  free(e->off);
  *e = (cli_controller){0};
}
