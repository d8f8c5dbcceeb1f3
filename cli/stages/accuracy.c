#include "cli/stages/accuracy.h"

#include "cli/console/interrupt.h"
#include "cli/results/sentences.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

// the larger of the relative errors of the objective and of the final time
static double find_relative(const cli_solve *w) {
  const oc_grid_error *e = &w->error;
  const double J = fabs(w->solution->info.objective);
  const double of_cost = e->objective_error > 0 ? e->objective_error / fmax(J, 1e-300) : 0;
  return isnan(e->T) || e->differs ? of_cost : fmax(of_cost, e->T_error / e->T);
}

// the factor of steps that reduces this error to the requested one, if the error is O(h^2); else 0
static int find_times(const cli_solve *w, double found) {
  // tolerance of the order; a larger factor would make the previous solution a poor guess
  static const double NEAR = 0.3, MOST = 8;
  const double order = w->error.objective_order;
  if (w->error.source == OC_ERROR_LARGEST || !(fabs(order - 2) < NEAR)) return 0;
  return (int)fmin(ceil(sqrt(found / w->call->run.p->fine.error)), MOST);
}

// why an error exceeds the requested one
static cli_coarse_kind find_kind(const cli_solve *w) {
  if (!oc_grid_error_is_known(&w->error)) return CLI_UNMEASURED;
  return w->error.source == OC_ERROR_LARGEST ? CLI_DIFFERS : CLI_INACCURATE;
}

int cli_accuracy_measure(cli_solve *w) {
  const cli_call *call = w->call;
  const double asked = call->run.p->fine.error;
  w->error = (oc_grid_error){.status = DM_UNAVAILABLE, .why = "it was interrupted"};
  if (!cli_solve_is_done(w)) return CLI_DONE;
  if (call->follows) {
    w->error.why = "the motion was chosen on this grid, and then followed";
    return CLI_DONE;
  }

  // compare with other grids, for the motion or all phases
  const int most = isfinite(asked) ? INT_MAX : 0;
  const dm_trajectory *one = call->run.x;
  const dm_trajectory *const *motions = &one;
  if (w->solution->phases) motions = (const dm_trajectory *const *)w->solution->motions;
  if (!cli_interrupted() &&
      oc_grid_error_of_phases(&w->error, w->solution, motions, most) == DM_NO_MEMORY)
    return cli_fail(call->args, CLI_FAULT, "out of memory");

  // request a finer grid if the error is too large, or could not be measured in the available time
  const double found = oc_grid_error_is_known(&w->error) ? find_relative(w) : INFINITY;
  if (isfinite(asked) && found > asked && w->coarse.kind == CLI_FINE)
    w->coarse = (cli_coarseness){find_kind(w), -1, -1, found, asked, find_times(w, found), ""};
  return CLI_DONE;
}

enum { CLI_COORD = 160 };

// a coordinate, with the phase's name in problems with phases
static void name_coordinate(const cli_solve *w, int phase, int coord, char text[CLI_COORD]) {
  const pb_phases *phases = &w->call->run.p->phases;
  if (phases->n)
    snprintf(text, CLI_COORD, "%.80s in %.48s", phases->task[phase]->coord_name[coord],
             phases->name[phase]);
  else
    snprintf(text, CLI_COORD, "%.150s", w->call->run.p->names.coord[coord]);
}

// sources of the objective's error
static const char *const words[] = {"unknown", "defects", "grids", "largest", "contacts"};
static const char *const sources[] = {
    "", "the steps' defects and multipliers", "another grid", "",
    "another grid, and contacts that change a step earlier or later"};

// write a number if it is known
static void put_number(cli_json *o, const char *key, double x) {
  if (!isnan(x)) cli_json_number(o, key, x);
}

// returns the object in result.json
static cli_json *put_accuracy(const cli_solve *w, const char *q_name, const char *v_name) {
  const oc_grid_error *e = &w->error;
  cli_json *o = cli_json_object(w->call->result, "accuracy");
  cli_json_text(o, "source", words[e->source]);
  if (e->why) cli_json_text(o, "why", e->why);
  if (e->contact) {
    const pb_phases *phases = &w->call->run.p->phases;
    char name[CLI_COORD];
    snprintf(name, sizeof name, "%.80s%s%.48s", e->contact, phases->n ? " in " : "",
             phases->n ? phases->name[e->change_phase] : "");
    cli_json_text(o, "change_contact", name);
    cli_json_int(o, "change_knot", e->change_knot);
  }
  if (!oc_grid_error_is_known(e)) return o;
  if (e->contact) cli_json_number(o, "change_error", e->change_error);
  cli_json_int(o, "steps", e->steps);
  cli_json_number(o, "objective", e->objective);
  cli_json_number(o, "objective_error", e->objective_error);
  cli_json_number(o, "relative", find_relative(w));
  put_number(o, "defects", e->defects);

  // errors of the final time and the states, from other grids
  put_number(o, "final_time", e->T);
  put_number(o, "final_time_error", e->T_error);
  if (!isnan(e->q_error)) {
    cli_json_number(o, "q_error", e->q_error);
    cli_json_text(o, "coordinate", q_name);
    cli_json_int(o, "knot", e->knot);
    cli_json_number(o, "v_error", e->v_error);
    cli_json_text(o, "v_coordinate", v_name);
    cli_json_bool(o, "q_differs", e->differs);
  }

  if (e->third) cli_json_int(o, "third", e->third);
  put_number(o, "objective_order", e->objective_order);
  put_number(o, "q_order", e->q_order);
  cli_json_bool(o, "objective_differs", e->source == OC_ERROR_LARGEST);
  cli_json_int(o, "iterations", e->iterations);
  cli_json_number(o, "time_s", e->total_s);
  return o;
}

void cli_accuracy_report(const cli_solve *w) {
  const oc_grid_error *e = &w->error;
  if (!cli_solve_is_done(w)) return;
  char q_name[CLI_COORD], v_name[CLI_COORD];
  name_coordinate(w, e->phase, e->coord, q_name);
  name_coordinate(w, e->v_phase, e->v_coord, v_name);
  cli_json *o = put_accuracy(w, q_name, v_name);

  // summary: the objective's error, then errors from another grid
  const bool known = oc_grid_error_is_known(e);
  char unknown[300];
  if (e->contact)
    snprintf(unknown, sizeof unknown, "%s, '%.64s' at knot %d", e->why, e->contact, e->change_knot);
  if (!known) cli_json_text(o, "~unknown", e->contact ? unknown : e->why);
  if (e->source == OC_ERROR_LARGEST) cli_json_text(o, "~largest", "");
  if (known) cli_json_text(o, "~by", sources[e->source]);
  if (e->differs) cli_json_text(o, "~differ", "");
  if (!isnan(e->q_error) && !isnan(e->T) && !e->differs) cli_json_text(o, "~final", "");
  cli_tell_group(w->call->summary.file, "accuracy", o);
}
