#include "problems/readers/model/formula_parts.h"

#include "lib/multibody/ball_joint.h"
#include "problems/readers/format/expression.h"
#include "problems/readers/model/bodies.h"
#include "problems/readers/model/tendon.h"

#include <stdio.h>
#include <string.h>

typedef struct force_section {
  const char *name, *joint;
  const pb_node *formula;
} force_section;

const pb_key pb_force_keys[] = {
    PB_KEY(force_section, name, .type = PB_TEXT, .absent = PB_REQUIRED,
           .about = "Unique among formulas of the model"),
    PB_KEY(force_section, joint, .type = PB_TEXT, .also = "coordinate", .absent = PB_REQUIRED,
           .about = "The dynamic coordinate that it acts on"),
    PB_KEY(force_section, formula, .type = PB_NODE, .also = "expression", .unit = "N or N m",
           .words = "expression", .absent = PB_REQUIRED,
           .about =
               "Expression of coordinates `q.NAME`, velocities `v.NAME` and inputs of formulas "
               "`u.NAME`"),
    {0}};

// the formulas read so far
typedef struct formula_list {
  pb_reader *r;
  const dm_model *m;
  const pb_node *inputs; // of the problem
  dm_formula *part;
  const char **name;
  int n;
  bool *used; // [m->nload] is an input used?
} formula_list;

// -- names

// is this entry of `inputs` one of formulas?
static bool is_of_formulas(const pb_node *e) {
  static const char *const others[] = {"joint", "actuator", "body", "path", "across"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (pb_node_get(e, others[i])) return false;
  return true;
}

static int count_inputs(const formula_list *w) {
  int n = 0;
  for (const pb_node *e = w->inputs ? w->inputs->first : NULL; e; e = e->next)
    n += is_of_formulas(e);
  return n;
}

static dm_status add_name(const formula_list *w, pb_symbol *list, int *n, const char *group,
                          const char *name, int at) {
  const size_t size = strlen(name) + 3;
  char *text = pb_arena_alloc(w->r->arena, size, 1);
  if (!text) return DM_NO_MEMORY;
  snprintf(text, size, "%s.%s", group, name);
  list[(*n)++] = (pb_symbol){.name = text, .at = at};
  return DM_OK;
}

// q.NAME, and if the role has them v.NAME and u.NAME, numbered as dm_formula.variable
static dm_status list_names(const formula_list *w, dm_formula_role role, pb_symbol **out, int *n) {
  const dm_model *m = w->m;
  const int own = count_inputs(w);
  pb_symbol *list;
  PB_NEW(w->r->arena, list, 2 * m->nq + own);
  *out = list;
  *n = 0;
  for (int rates = 0; rates < (role == DM_FORMULA_POTENTIAL ? 1 : 2); rates++)
    for (int i = 0; i < m->nq; i++)
      if (!dm_ball_owns(m, i))
        DM_TRY(add_name(w, list, n, rates ? "v" : "q", m->name[i], rates * m->nq + i));
  for (int i = 0; role == DM_FORMULA_FORCE && i < own; i++)
    DM_TRY(add_name(w, list, n, "u", m->input_name[m->nu - own + i], 2 * m->nq + i));
  return DM_OK;
}

// -- formulas

static dm_status read_formula(formula_list *w, const char *path, const pb_node *node,
                              dm_formula *out) {
  static const char *const what[] = {"of coordinates q.NAME",
                                     "of coordinates q.NAME, velocities v.NAME and inputs u.NAME",
                                     "of coordinates q.NAME and velocities v.NAME"};
  pb_symbol *list;
  pb_expression e;
  dm_tape *f;
  const int *used;
  int n, *variable;
  DM_TRY(list_names(w, out->role, &list, &n));
  const pb_language language = {.list = list, .n = n, .functions = true, .smooth = true};
  DM_TRY(pb_expression_read(w->r, path, node, &language, what[out->role], &e));
  PB_NEW(w->r->arena, f, 1);
  DM_TRY(pb_expression_compile(w->r->arena, &e, f, &used));
  PB_NEW(w->r->arena, variable, f->nx + 1);
  memcpy(variable, used, (size_t)f->nx * sizeof *variable);
  for (int a = 0; a < f->nx; a++)
    if (used[a] >= 2 * w->m->nq) w->used[used[a] - 2 * w->m->nq] = true;
  out->f = f;
  out->variable = variable;
  if (f->nx || out->role == DM_FORMULA_FORCE) return DM_OK;
  return pb_refuse_node(w->r, node,
                        "%s: found '%.64s', which is constant, expected an expression %s", path,
                        node->text, what[out->role]);
}

static dm_status put_formula(formula_list *w, const char *path, const pb_node *node,
                             const dm_formula *x) {
  w->part[w->n] = *x;
  return pb_schema_once(w->r, path, node, w->name, &w->n, x->name);
}

// entries of `potentials` with a formula
static dm_status read_potentials(formula_list *w, const pb_node *list) {
  for (const pb_node *e = list ? list->first : NULL; e; e = e->next) {
    const pb_node *formula = pb_node_get(e, "formula"), *name = pb_node_get(e, "name");
    if (!formula || !name) continue; // read with the springs
    dm_formula x = {.name = name->text, .role = DM_FORMULA_POTENTIAL};
    DM_TRY(read_formula(w, "model.potentials[].formula", formula, &x));
    DM_TRY(put_formula(w, "model.potentials[]", e, &x));
  }
  return DM_OK;
}

static dm_status read_forces(formula_list *w, const pb_node *list) {
  const char *path = "model.forces[]";
  for (const pb_node *e = list ? list->first : NULL; e; e = e->next) {
    force_section s = {0};
    DM_TRY(pb_schema_read(w->r, path, e, pb_force_keys, &s));
    dm_formula x = {.name = s.name, .role = DM_FORMULA_FORCE};
    const pb_node *joint = pb_node_get(e, "joint");
    DM_TRY(pb_coordinate_read(w->r, "model.forces[].joint", joint, w->m, &x.coord));
    if (w->m->kinematic[x.coord])
      return pb_refuse_node(w->r, joint,
                            "model.forces[].joint: found '%.64s', which is kinematic, expected one "
                            "that forces move",
                            s.joint);
    DM_TRY(read_formula(w, "model.forces[].formula", s.formula, &x));
    DM_TRY(put_formula(w, path, e, &x));
  }
  return DM_OK;
}

// an input that no formula has would have no effect
static dm_status check_inputs(const formula_list *w) {
  int i = 0;
  for (const pb_node *e = w->inputs ? w->inputs->first : NULL; e; e = e->next) {
    if (!is_of_formulas(e) || w->used[i++]) continue;
    return pb_refuse_node(w->r, e,
                          "inputs[]: found '%.64s', which has no joint, actuator, body, path or "
                          "across, and which no formula of model.forces has as u.%.64s, expected "
                          "one of these",
                          w->m->input_name[w->m->nu - count_inputs(w) + i - 1],
                          w->m->input_name[w->m->nu - count_inputs(w) + i - 1]);
  }
  return DM_OK;
}

dm_status pb_formulas_read(const pb_part_source *from, dm_robot *out) {
  const pb_node *potentials = pb_node_get(from->model, "potentials");
  const pb_node *forces = pb_node_get(from->model, "forces");
  const pb_node *own = pb_node_get(from->model, "lagrangian");
  formula_list w = {.r = from->r, .m = from->m, .inputs = from->inputs};
  dm_message why = {""};
  const int room = (potentials ? potentials->n : 0) + (forces ? forces->n : 0) + 1;
  PB_NEW(w.r->arena, w.part, room);
  PB_NEW(w.r->arena, w.name, room);
  PB_NEW(w.r->arena, w.used, from->m->nload + 1);
  if (own) {
    dm_formula x = {.name = "lagrangian", .role = DM_FORMULA_LAGRANGIAN};
    DM_TRY(read_formula(&w, "model.lagrangian", own, &x));
    DM_TRY(put_formula(&w, "model", own, &x));
  }
  DM_TRY(read_potentials(&w, potentials));
  DM_TRY(read_forces(&w, forces));
  DM_TRY(check_inputs(&w));
  if (!w.n) return DM_OK;
  const dm_status s = dm_part_rows[DM_PART_FORMULA].compile(out, w.n, w.part, &why);
  return s == DM_BAD_INPUT ? pb_refuse_node(w.r, from->model, "model: %s", why.text) : s;
}

// -- coordinates without bodies

dm_status pb_coordinates_read(pb_tree *t, const pb_node *coordinates) {
  static const char *const units[] = {"m", "rad"};
  static const double along[] = {1, 0, 0};
  char found[64];
  if (coordinates->kind != PB_MAPPING || !coordinates->first)
    return pb_refuse_node(t->r, coordinates,
                          "model.coordinates: found %s, expected names with their units m or rad",
                          pb_node_describe(coordinates, found));
  for (const pb_node *e = coordinates->first; e; e = e->next) {
    const pb_place at = pb_place_of(t, e);
    dm_body *body;
    dm_coordinate *c;
    int unit;
    DM_TRY(pb_schema_name(t->r, "model.coordinates", e, "unit", units, 2, &unit));
    DM_TRY(pb_tree_body(t, e->key, at, &body));
    DM_TRY(pb_tree_coord(t, e->key, at, unit == 0, along, &c));
    body->mass = 1;
    for (int i = 0; i < 3; i++) body->inertia[i] = 1;
  }
  return DM_OK;
}
