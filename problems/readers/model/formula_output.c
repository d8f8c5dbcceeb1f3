#include "problems/readers/model/formula_output.h"

#include "lib/multibody/ball_joint.h"
#include "problems/readers/format/hints.h"

#include <stdio.h>
#include <string.h>

// variables by number, in this order: q, v and p of coordinates, inputs, impulses of constraints, times, rows of the outputs
// before this one
typedef struct naming {
  const pb_reader *r;
  const dm_model *m;
  const pb_listed_outputs *before;
  const char *path;
  const pb_node *node;
  dm_outputs *rows; // compiled outputs before it, NULL: none
  dm_output_map y;  // of them
  pb_symbol *list;
  int n;
  pb_vector *vectors; // outputs of several rows
  int nvectors;
  bool force; // of a force, which may be constant
  int size, part;
} naming;

dm_output_variable pb_formula_variable(const pb_reader *r, const dm_model *m, int at) {
  const int size[] = {[DM_OF_Q] = m->nq, [DM_OF_V] = m->nq,      [DM_OF_P] = m->nq,
                      [DM_OF_U] = m->nu, [DM_OF_LAMBDA] = r->nc, [DM_OF_TIME] = PB_TIMES};
  int of = DM_OF_Q;
  for (; of < DM_OF_ROW && at >= size[of]; of++) at -= size[of];
  return (dm_output_variable){(dm_output_source)of, at};
}

// add GROUP.NAME, or NAME if the group is empty
static dm_status add_name(naming *w, const char *group, const char *name, int at) {
  const size_t size = strlen(group) + strlen(name) + 2;
  char *text = pb_arena_alloc(w->r->arena, size, 1);
  if (!text) return DM_NO_MEMORY;
  snprintf(text, size, "%s%s%s", group, *group ? "." : "", name);
  for (int i = 0; i < w->n; i++)
    if (!strcmp(w->list[i].name, text))
      return pb_refuse_node(
          w->r, w->node,
          "%s: found that '%.64s' is both a row of an output and a quantity of the "
          "robot, expected every name once; give the output another name",
          w->path, text);
  w->list[w->n++] = (pb_symbol){.name = text, .at = at};
  return DM_OK;
}

// has the file a name for an output or a definition?
static bool is_known(const naming *w, const char *name) {
  const pb_definitions *d = w->r->definitions;
  for (int i = 0; i < w->n; i++)
    if (!strcmp(w->list[i].name, name)) return true;
  for (int i = 0; d && i < d->n; i++)
    if (!strcmp(d->list[i].name, name)) return true;
  return false;
}

static dm_status list_names(naming *w) {
  static const char *const of_coords[] = {"q", "v", "p"}, *const times[] = {"t", "T", "h"};
  const dm_model *m = w->m;
  const int nq = m->nq, nu = m->nu, nc = w->r->nc, of_times = 3 * nq + nu + nc;
  PB_NEW(w->r->arena, w->list, of_times + PB_TIMES + w->y.ny);
  for (int g = 0; g < (w->force ? 2 : 3); g++)
    for (int i = 0; i < nq; i++)
      if (!dm_ball_owns(m, i)) DM_TRY(add_name(w, of_coords[g], m->name[i], g * nq + i));
  for (int i = 0; i < nu; i++) DM_TRY(add_name(w, "u", m->input_name[i], 3 * nq + i));
  for (int i = 0; i < nc; i++) DM_TRY(add_name(w, "lambda", w->r->row[i], 3 * nq + nu + i));
  PB_NEW(w->r->arena, w->vectors, w->before->n + 2);
  for (int i = 0; i < w->before->n; i++) {
    const int first = dm_outputs_row(w->rows, i), end = dm_outputs_row(w->rows, i + 1);
    if (end - first > 1)
      w->vectors[w->nvectors++] = (pb_vector){dm_outputs_name(w->rows, i), w->n, end - first};
    for (int row = first; row < end; row++) {
      DM_TRY(add_name(w, "", dm_output_map_name(&w->y, row), of_times + PB_TIMES + row));
      if (w->before->expression[i].count) w->list[w->n - 1].means = &w->before->expression[i];
    }
  }
  if (w->before->vector) w->vectors[w->nvectors++] = (pb_vector){w->before->vector, w->n - 3, 3};

  // names of the file come before times
  for (int i = 0; i < (w->force ? 1 : PB_TIMES); i++)
    if (!is_known(w, times[i])) DM_TRY(add_name(w, "", times[i], of_times + i));
  return DM_OK;
}

static dm_status check_variables(const naming *w, int n, const dm_output_variable *x) {
  if (n == 0 && !w->force)
    return pb_refuse_node(
        w->r, w->node,
        "%s: found '%.64s', which is constant, expected an expression with a "
        "coordinate q.NAME, a velocity v.NAME, an input u.NAME, the time t or an output",
        w->path, w->node->text);
  for (int a = 0; a < n; a++)
    if (x[a].of == DM_OF_ROW && dm_output_map_is_contact(&w->y, x[a].at))
      return pb_refuse_node(w->r, w->node,
                            "%s: found '%.64s', an output of contacts, expected outputs of "
                            "positions, velocities and inputs",
                            w->path, dm_output_map_name(&w->y, x[a].at));
  return DM_OK;
}

// quantities that forces lack
static const pb_lacking no_force[] = {
    {"p.", "a momentum, which forces do not have; try velocities v.NAME"},
    {"lambda.", "the impulse of a constraint, which forces do not have"},
    {NULL, NULL}};

static dm_status read_tape(naming *w, dm_output *o, pb_expression *expression) {
  dm_tape *f;
  dm_output_variable *x;
  const int *used;
  DM_TRY(list_names(w));
  const pb_language language = {.list = w->list,
                                .n = w->n,
                                .functions = true,
                                .smooth = true,
                                .vectors = w->vectors,
                                .nvectors = w->nvectors,
                                .lacks = w->force ? no_force : NULL,
                                .size = w->size,
                                .part = w->part};
  DM_TRY(pb_expression_read(
      w->r, w->path, w->node, &language,
      w->force
          ? "of coordinates q.NAME, velocities v.NAME, inputs u.NAME, the time t, and outputs"
          : "of coordinates q.NAME, velocities v.NAME, momenta p.NAME, inputs u.NAME, impulses of "
            "constraints lambda.NAME, times t, T and h, and outputs",
      expression));
  PB_NEW(w->r->arena, f, 1);
  DM_TRY(pb_expression_compile(w->r->arena, expression, f, &used));
  PB_NEW(w->r->arena, x, f->nx + 1);
  for (int a = 0; a < f->nx; a++) x[a] = pb_formula_variable(w->r, w->m, used[a]);
  o->formula = f;
  o->variable = x;
  return check_variables(w, f->nx, x);
}

static dm_status read_formula(naming *w, dm_output *o, pb_expression *expression) {
  dm_message why = {""};
  if (w->before->n) {
    dm_status s = dm_outputs_new(&w->rows, w->m, w->before->n, w->before->output, &why);
    if (s == DM_BAD_INPUT) return pb_refuse_node(w->r, w->node, "outputs: %s", why.text);
    DM_TRY(s);
    const dm_holonomic signals = dm_outputs_signals(w->rows);
    w->y = dm_outputs_map(w->rows, &signals, w->m->nq);
  }
  const dm_status s = read_tape(w, o, expression);
  dm_outputs_free(w->rows);
  return s;
}

dm_status pb_formula_output_read(const pb_reader *r, const char *path, const pb_node *node,
                                 const dm_model *m, const pb_listed_outputs *before, dm_output *o,
                                 pb_expression *expression) {
  naming w = {.r = r, .m = m, .before = before, .path = path, .node = node};
  return read_formula(&w, o, expression);
}

dm_status pb_formula_force_read(const pb_reader *r, const char *path, const pb_node *node,
                                const dm_model *m, const pb_listed_outputs *before, int size,
                                int part, dm_output *o) {
  naming w = {.r = r,
              .m = m,
              .before = before,
              .path = path,
              .node = node,
              .force = true,
              .size = size,
              .part = part};
  pb_expression expression;
  return read_formula(&w, o, &expression);
}
