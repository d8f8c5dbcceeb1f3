#include "cli/stages/saturation.h"

#include "cli/console/log.h"
#include "optim/program/saturation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LISTED = 64, SAID = 2 }; // maximum number of limits listed, and of remedies printed

static const struct {
  const char *word;   // in result.json
  const char *manner; // "NAME ... its limit of"
  const char *per;
  const char *remedy;
} kinds[OC_LIMIT_KINDS] = {
    [OC_LIMIT_INPUT] = {"input", "is at its limit of", "steps",
                        "allow more effort, or the motion more time (horizon.time)"},
    [OC_LIMIT_STRAIN] = {"strain", "is in the outer half of its range of", "steps",
                         "allow more effort, or the motion more time (horizon.time)"},
    [OC_LIMIT_SPEED] = {"speed", "moves at its limit of", "steps",
                        "raise bounds.v, or allow the motion more time (horizon.time)"},
    [OC_LIMIT_POSITION] = {"position", "is at its bound of", "knots", "widen bounds.q"},
    [OC_LIMIT_IMPULSE] = {"impulse", "has an impulse at its bound of", "steps",
                          "widen bounds.lambda"},
    [OC_LIMIT_TIME] = {"time", "is at its bound of", "", "widen horizon.time.free"},
};

static bool is_input(const oc_limit *l) {
  return l->kind == OC_LIMIT_INPUT || l->kind == OC_LIMIT_STRAIN;
}

// the remedy for a limit; a kinematic input is a position
static const char *find_limit_remedy(const cli_call *call, const oc_limit *l) {
  bool position = is_input(l) && l->index >= call->run.p->model->nu;
  return kinds[position ? OC_LIMIT_POSITION : l->kind].remedy;
}

static const char *find_limit_name(const cli_call *call, const oc_limit *l) {
  switch (l->kind) {
  case OC_LIMIT_INPUT:
  case OC_LIMIT_STRAIN:
    return call->run.p->names.input[l->index];
  case OC_LIMIT_IMPULSE:
    return call->run.p->names.row[l->index];
  case OC_LIMIT_TIME:
    return "the final time";
  default:
    return call->run.p->names.coord[l->index];
  }
}

// the unit after a limit's number, with a leading space
static const char *find_limit_unit(const cli_call *call, const oc_limit *l) {
  const dm_model *m = call->run.p->model;
  const oc_limit_kind kind = l->kind;
  if (kind == OC_LIMIT_TIME) return " s";

  // a force's unit in readable form; a load has none
  if (is_input(l) && l->index < m->nu) {
    const char *unit = pb_robot_unit(&call->run.p->robot, l->index);
    if (unit[0] == '1') return "";
    return unit[1] ? " N m" : " N";
  }

  if (kind != OC_LIMIT_SPEED && kind != OC_LIMIT_POSITION) return "";
  bool turns = m->kind[l->index] == DM_TURN;
  if (kind == OC_LIMIT_SPEED) return turns ? " rad/s" : " m/s";
  return turns ? " rad" : " m";
}

// the active limit, or both if both are active; a speed limit has no sign
static void put_limit_number(const oc_limit *l, char *text, size_t size) {
  // both limits are active at different times: print the interval
  bool both = (l->at_low > 0 && l->at_high > 0) || l->kind == OC_LIMIT_STRAIN;
  if (l->kind == OC_LIMIT_SPEED)
    snprintf(text, size, "%g", l->high);
  else if (both && l->low != -l->high)
    snprintf(text, size, "[%g, %g]", l->low, l->high);
  else if (both)
    snprintf(text, size, "+-%g", l->high);
  else
    snprintf(text, size, "%g", l->at_high > 0 ? l->high : l->low);
}

// "; slider is at its limit of 0.5 N in 98 of 100 steps: ...", without the remedy if `next`,
// another limit or NULL, has the same
static size_t put_limit(const cli_call *call, const oc_limit *l, const oc_limit *next, char *text,
                        size_t size) {
  char number[64], count[64] = "";
  put_limit_number(l, number, sizeof number);

  // how often; the final time only once
  if (l->kind != OC_LIMIT_TIME)
    snprintf(count, sizeof count, " in %d of %d %s", l->at_low + l->at_high, l->of,
             kinds[l->kind].per);

  // name, limit, count, remedy
  const char *remedy = find_limit_remedy(call, l);
  const bool later = next && !strcmp(find_limit_remedy(call, next), remedy);
  int n =
      snprintf(text, size, "; %s %s %s%s%s%s%s", find_limit_name(call, l), kinds[l->kind].manner,
               number, find_limit_unit(call, l), count, later ? "" : ": ", later ? "" : remedy);
  return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

void cli_warn_time(const cli_call *call, const oc_task *task, const char *phase,
                   const dm_trajectory *x) {
  oc_limit limit[LISTED];
  int count = oc_saturation_find(task, x, limit, LISTED);
  for (int i = 0; i < count; i++)
    if (limit[i].kind == OC_LIMIT_TIME) {
      // a free time whose bound is active
      const oc_limit *l = &limit[i];
      const bool low = l->at_low > 0;
      const char *side = low ? "lower" : "upper";
      const char *wish = low ? "lower" : "higher";
      const char *motion = low ? "shorter" : "longer";
      cli_note(
          call->args,
          "warning: %s%s%sthe final time ends on its %s bound, %g s: with a %s bound a %s motion "
          "may cost less (horizon.time.free)",
          phase ? "phase " : "", phase ? phase : "", phase ? ": " : "", side,
          low ? l->low : l->high, wish, motion);
    }
}

// list all active limits as objects, and those active longest in words; returns the number of the
// latter
static int report_limits_met(cli_call *call, const dm_trajectory *x, char *text, size_t size,
                             size_t *used) {
  oc_limit limit[LISTED];
  int count = oc_saturation_find(&call->run.p->task, x, limit, LISTED);
  cli_json *list = json_object_new_array();

  for (int i = 0; i < count; i++) {
    const oc_limit *l = &limit[i];
    cli_json *o = json_object_new_object();

    // number of steps or knots at the limit, below and above
    cli_json_text(o, "what", kinds[l->kind].word);
    cli_json_text(o, "name", l->kind == OC_LIMIT_TIME ? NULL : find_limit_name(call, l));
    cli_json_number(o, "low", l->low);
    cli_json_number(o, "high", l->high);
    cli_json_int(o, "at_low", l->at_low);
    cli_json_int(o, "at_high", l->at_high);
    cli_json_int(o, "of", l->of);
    json_object_array_add(list, o);

    if (i >= SAID) continue;
    const oc_limit *next = i + 1 < SAID && i + 1 < count ? &limit[i + 1] : NULL;
    *used += put_limit(call, &limit[i], next, text + *used, size - *used);
  }
  text[*used] = 0;
  json_object_object_add(call->result, "at_limits", list);
  return count < SAID ? count : SAID;
}

#define GUESS "start from another guess (guess, --from)"
static const struct cure {
  dm_status status;
  const char *remedy[SAID];
} cures[] = {
    {DM_INFEASIBLE, {"allow the motion more time (horizon.time)", GUESS}},
    {DM_MAX_ITER, {"allow more iterations (solver.max_iter)", GUESS}},
    {DM_STALLED, {GUESS, "take shorter steps (horizon.steps)"}},
};
static const char *const late_remedy[SAID] = {"allow the solver more time (solver.max_time)",
                                              GUESS};
static const char *const newton_remedy[SAID] = {"let IPOPT solve it (solver.method: ipopt)", GUESS};

// the remedies of a status; by default those of the last row
static const char *const *find_remedies(dm_status status, bool late, bool newton) {
  if (late) return late_remedy;
  if (newton) return newton_remedy;
  size_t i = 0;
  while (i + 1 < sizeof cures / sizeof *cures && cures[i].status != status) i++;
  return cures[i].remedy;
}

// remedies for rows that the task requests, by prefixes of their names
static const struct {
  const char *row, *remedy;
} asked[] = {
    {"path of ", "allow the path a tolerance (path.within)"},
    {"output ", "see that the robot can reach it, or ask for a range"},
    {"sliding of ", "see that contacts, which only push, and inputs can move it there"},
    {"impulse without contact of ", "see that something can push there: contacts only push"},
    {"friction bound of ", "see that its friction suffices"},
    {"gap of ", "see that its bodies can be clear of each other"},
};

static const char *find_row_remedy(const char *worst) {
  for (size_t i = 0; worst && i < sizeof asked / sizeof *asked; i++)
    if (!strncmp(worst, asked[i].row, strlen(asked[i].row))) return asked[i].remedy;
  return NULL;
}

void cli_explain_failure(cli_call *call, const dm_trajectory *x, const char *worst,
                         dm_status status, bool late, bool newton, char *text, size_t size) {
  const char *of_row = find_row_remedy(worst);
  size_t used = 0;
  text[0] = 0;

  // a formula without a value; the requested row, then active limits, then advice for the solver
  char fault[200];
  const oc_task *task = &call->run.p->task;
  if (status == DM_NOT_FINITE && x &&
      oc_outputs_fault(&task->outputs, x, task->start.v, task->goal.v, fault, sizeof fault)) {
    snprintf(text, size, "; %s", fault);
    return;
  }
  if (of_row) used = (size_t)snprintf(text, size, "; %s", of_row);
  int said = worst ? report_limits_met(call, x, text, size, &used) : 0;
  if (of_row) said++;
  const char *const *remedy = find_remedies(status, late, newton);
  for (int i = 0; i < SAID && said < SAID && used < size; i++) {
    // do not mention a key twice
    if (strstr(text, strchr(remedy[i], '('))) continue;
    used += (size_t)snprintf(text + used, size - used, "; %s", remedy[i]);
    said++;
  }
}
