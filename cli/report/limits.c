#include "cli/report/limits.h"

#include "cli/results/named_table.h"

#include <math.h>
#include <stdlib.h>

// the limits of the task, and the positions at which samples of a verification pass or meet one; null
// if no limit exists
static void put_bounds(cli_json *o, const cli_exhibit *x) {
  const oc_task *t = x->job.task;
  const pb_verification *v = &x->job.p->verify;
  const struct {
    const char *name;
    const double *of;
    int n;
  } list[] = {{"q_min", t->q_min, x->job.names.n},   {"q_max", t->q_max, x->job.names.n},
              {"v_max", t->v_max, x->job.names.n},   {"u_min", t->u_min, x->job.names.nu},
              {"u_max", t->u_max, x->job.names.nu},  {"stop_min", v->q_min, x->job.names.n},
              {"stop_max", v->q_max, x->job.names.n}};
  cli_json *limits = cli_json_object(o, "limits");
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (list[i].of) cli_json_vector(limits, list[i].name, list[i].of, list[i].n);
}

// one side of a limit at its knots, `every` so many apart; nothing if the side is open
static void put_side(cli_json *window, const char *name, double bound, const oc_output_limit *l,
                     const int span[2], int every) {
  if (!isfinite(bound)) return;
  cli_json *list = json_object_new_array();
  json_object_object_add(window, name, list);
  for (int k = span[0]; k <= span[1]; k += every)
    json_object_array_add(list, json_object_new_double(bound + oc_output_limit_reference(l, k)));
}

// a limit from knot span[0] to span[1] on the column `kind.name`
static dm_status put_window(cli_json *list, const cli_exhibit *x, const char *kind,
                            const char *name, const oc_output_limit *l, const int span[2]) {
  char *column = cli_column_name(name), text[320];
  if (!column) return DM_NO_MEMORY;
  snprintf(text, sizeof text, "%s.%s", kind, column);
  free(column);

  // a constant needs its ends alone
  const int length = span[1] - span[0], every = l->references || !length ? 1 : length;
  cli_json *window = json_object_new_object(), *t = json_object_new_array();
  json_object_array_add(list, window);
  cli_json_text(window, "column", text);
  json_object_object_add(window, "t", t);
  for (int k = span[0]; k <= span[1]; k += every)
    json_object_array_add(t, json_object_new_double(k * x->job.x->h));
  put_side(window, "low", l->low, l, span, every);
  put_side(window, "high", l->high, l, span, every);
  return DM_OK;
}

// limits on outputs; positions and speeds that `via` names stand behind them as rows of their own
static dm_status put_output_limits(cli_json *list, const cli_exhibit *x) {
  const oc_outputs *o = &x->job.task->outputs;
  const pb_outputs *rows = &x->job.p->robot.outputs;
  const cli_names *names = &x->job.names;
  for (int i = 0; i < o->nlimits; i++) {
    const oc_output_limit *l = &o->limits[i];
    const int r = l->output;
    int span[2];
    oc_outputs_span(o, r, l->at, x->job.task->N, &span[0], &span[1]);
    if (r < rows->named)
      DM_TRY(put_window(list, x, "y", names->output[r], l, span));
    else if (r < rows->speeds)
      DM_TRY(put_window(list, x, "q", names->coord[r - rows->named], l, span));
    else if (r < rows->all)
      DM_TRY(put_window(list, x, "v", names->coord[r - rows->speeds], l, span));
  }
  return DM_OK;
}

// limits on inputs, from the beginning of the first step to the end of the last one
static dm_status put_input_limits(cli_json *list, const cli_exhibit *x) {
  const oc_task *t = x->job.task;
  for (int i = 0; i < t->ninputs; i++) {
    const oc_input_limit *l = &t->inputs[i];
    const oc_output_limit of = {.low = l->low, .high = l->high};
    int span[2];
    oc_span_steps(l->at, t->N, &span[0], &span[1]);
    span[1]++;
    DM_TRY(put_window(list, x, "u", x->job.names.input[l->input], &of, span));
  }
  return DM_OK;
}

// the columns of outputs that keep_out makes
static dm_status put_clearances(cli_json *o, const cli_exhibit *x) {
  const pb_outputs *rows = &x->job.p->robot.outputs;
  cli_json *list = json_object_new_array();
  json_object_object_add(o, "clearances", list);
  for (int r = rows->named - rows->kept; r < rows->named; r++) {
    char *column = cli_column_name(x->job.names.output[r]), text[320];
    if (!column) return DM_NO_MEMORY;
    snprintf(text, sizeof text, "y.%s", column);
    free(column);
    json_object_array_add(list, json_object_new_string(text));
  }
  return DM_OK;
}

dm_status cli_page_limits(cli_json *o, const cli_exhibit *x) {
  put_bounds(o, x);
  DM_TRY(put_clearances(o, x));
  if (!cli_exhibit_has_goal(x)) return DM_OK;
  cli_json *list = json_object_new_array();
  json_object_object_add(o, "windows", list);
  DM_TRY(put_output_limits(list, x));
  return put_input_limits(list, x);
}
