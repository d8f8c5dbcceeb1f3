#include "problems/readers/model/formula_parts.h"

#include "lib/multibody/ball_joint.h"
#include "problems/readers/format/definitions.h"
#include "problems/readers/format/expression.h"
#include "problems/readers/format/hints.h"
#include "problems/readers/model/bodies.h"
#include "problems/readers/model/formula_output.h"
#include "problems/readers/model/outputs.h"
#include "problems/readers/model/tendon.h"

#include <stdio.h>
#include <string.h>

typedef struct force_section {
  const char *name, *joint, *body, *frame;
  const pb_node *formula, *torque;
  double point[3];
} force_section;

const pb_key pb_force_keys[] = {
    PB_KEY(force_section, name, .type = PB_TEXT, .absent = PB_REQUIRED,
           .about = "Unique among formulas of the model"),
    PB_KEY(force_section, joint, .type = PB_TEXT, .also = "coordinate",
           .about = "The dynamic coordinate that it acts on, or `body`"),
    PB_KEY(force_section, body, .type = PB_TEXT, .also = "link frame_of",
           .about = "The body that it acts on"),
    PB_KEY(force_section, frame, .type = PB_WORD, .absent = "mixed", .words = "mixed body",
           .about = "Axes of a force on a body, and of `velocity`: the world's or the body's"),
    PB_KEY(force_section, point, .type = PB_VECTOR, .unit = "m", .absent = "[0, 0, 0]",
           .also = "at position", .about = "Point of application in the body frame"),
    PB_KEY(force_section, formula, .type = PB_NODE, .also = "expression force", .unit = "N or N m",
           .words = "expression, or [x, y, z] of them",
           .about = "Expression of coordinates `q.NAME`, velocities `v.NAME`, inputs of formulas "
                    "`u.NAME`, the time `t`, outputs of positions and velocities; on a body a "
                    "vector, also of the point's `velocity`"),
    PB_KEY(force_section, torque, .type = PB_NODE, .also = "moment", .unit = "N m",
           .words = "expression, or [x, y, z] of them",
           .about = "The same: a torque on a body, in addition to the moment of the force"),
    {0}};

// the formulas read so far
typedef struct formula_list {
  pb_reader *r;
  const dm_model *m;
  const pb_node *inputs, *outputs; // of the problem
  const pb_node **timed;           // of pb_part_source
  dm_formula *part;
  const char **name; // of entries
  int n, entries;
  bool *used; // [m->nload] is an input used?
  // outputs that a force may have: those of the file, then its own
  int noutputs, listed;
  dm_output *output;
  pb_expression *expression;
  int *first; // [noutputs] the first row among those that forces have; -1: none has it
  // outputs that forces have
  int nkept, rows;
  dm_output *kept;
} formula_list;

enum { OWN_OUTPUTS = 1 + 9 + 3 }; // of the velocity of a point, in the axes of its body

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

// q.NAME, and of a Lagrangian v.NAME, numbered as dm_formula.variable
static dm_status list_names(const formula_list *w, dm_formula_role role, pb_symbol **out, int *n) {
  const dm_model *m = w->m;
  pb_symbol *list;
  PB_NEW(w->r->arena, list, 2 * m->nq);
  *out = list;
  *n = 0;
  for (int rates = 0; rates < (role == DM_FORMULA_POTENTIAL ? 1 : 2); rates++)
    for (int i = 0; i < m->nq; i++)
      if (!dm_ball_owns(m, i))
        DM_TRY(add_name(w, list, n, rates ? "v" : "q", m->name[i], rates * m->nq + i));
  return DM_OK;
}

// -- energies

static dm_status read_energy(formula_list *w, const char *path, const pb_node *node,
                             dm_formula *out) {
  const char *const what = out->role == DM_FORMULA_POTENTIAL
                               ? "of coordinates q.NAME"
                               : "of coordinates q.NAME and velocities v.NAME";
  pb_symbol *list;
  pb_expression e;
  dm_tape *f;
  const int *used;
  int n, *variable;
  DM_TRY(list_names(w, out->role, &list, &n));
  static const pb_lacking no_time[] = {
      {"t", "the time, which energies do not have; try model.forces, whose formulas have it"},
      {NULL, NULL}};
  const pb_language language = {
      .list = list, .n = n, .functions = true, .smooth = true, .lacks = no_time};
  DM_TRY(pb_expression_read(w->r, path, node, &language, what, &e));
  PB_NEW(w->r->arena, f, 1);
  DM_TRY(pb_expression_compile(w->r->arena, &e, f, &used));
  PB_NEW(w->r->arena, variable, f->nx + 1);
  memcpy(variable, used, (size_t)f->nx * sizeof *variable);
  out->f = f;
  out->variable = variable;
  if (f->nx) return DM_OK;
  return pb_refuse_node(w->r, node,
                        "%s: found '%.64s', which is constant, expected an expression %s", path,
                        node->text, what);
}

// The Lagrangian with that of a clock, which has no part in the file's.
static dm_status add_clock(formula_list *w, const pb_node *own, dm_formula *x) {
  static const char *const more = " + 0.5 v.clock^2";
  pb_node both = *own;
  if (!w->r->clock) return DM_OK;
  const size_t size = strlen(own->text) + strlen(more) + 1;
  char *text = pb_arena_alloc(w->r->arena, size, 1);
  if (!text) return DM_NO_MEMORY;
  snprintf(text, size, "%s%s", own->text, more);
  both.text = text;
  return read_energy(w, "model.lagrangian", &both, x);
}

// the name of an entry; then its formulas follow
static dm_status put_name(formula_list *w, const char *path, const pb_node *node,
                          const char *name) {
  return pb_schema_once(w->r, path, node, w->name, &w->entries, name);
}

// entries of `potentials` with a formula
static dm_status read_potentials(formula_list *w, const pb_node *list) {
  for (const pb_node *e = list ? list->first : NULL; e; e = e->next) {
    const pb_node *formula = pb_node_get(e, "formula"), *name = pb_node_get(e, "name");
    if (!formula || !name) continue; // read with the springs
    dm_formula x = {.name = name->text, .role = DM_FORMULA_POTENTIAL};
    DM_TRY(read_energy(w, "model.potentials[].formula", formula, &x));
    DM_TRY(put_name(w, "model.potentials[]", e, x.name));
    w->part[w->n++] = x;
  }
  return DM_OK;
}

// -- forces

// the number of a row of an output, which forces then have
static dm_status keep_row(formula_list *w, int row, int *out) {
  dm_outputs *rows;
  int i = 0;
  DM_TRY(dm_outputs_new(&rows, w->m, w->noutputs, w->output, NULL));
  while (dm_outputs_row(rows, i + 1) <= row) i++;
  if (w->first[i] < 0) {
    w->first[i] = w->rows;
    w->rows += dm_outputs_row(rows, i + 1) - dm_outputs_row(rows, i);
    w->kept[w->nkept++] = w->output[i];
  }
  *out = w->first[i] + row - dm_outputs_row(rows, i);
  dm_outputs_free(rows);
  return DM_OK;
}

// the time: the clock, which is the last coordinate
static dm_status number_time(const formula_list *w, const char *path, const pb_node *node,
                             int *out) {
  for (const pb_node *e = w->outputs ? w->outputs->first : NULL; e; e = e->next) {
    const pb_node *name = pb_node_get(e, "name");
    if (name && name->kind == PB_SCALAR && !strcmp(name->text, "t"))
      return pb_refuse_node(w->r, node,
                            "%s: found 't', the time and an output of inputs, momenta or times, "
                            "which forces do not have; give the output another name",
                            path);
  }
  *out = w->m->nq - 1;
  if (w->r->clock) return DM_OK;
  if (!w->timed) return pb_refuse_node(w->r, node, "%s: found the time 't' without a clock", path);
  if (!*w->timed) *w->timed = node;
  return DM_OK;
}

// a variable of a formula, as dm_formula numbers it
static dm_status number_variable(formula_list *w, const char *path, const pb_node *node,
                                 const dm_output_variable *x, int *out) {
  const dm_model *m = w->m;
  const int first = m->nu - count_inputs(w); // input of formulas
  switch (x->of) {
  case DM_OF_Q:
    *out = x->at;
    return DM_OK;
  case DM_OF_V:
    *out = m->nq + x->at;
    return DM_OK;
  case DM_OF_U:
    if (x->at < first)
      return pb_refuse_node(w->r, node,
                            "%s: found 'u.%.64s', whose force is that of its joint or body, "
                            "expected inputs of formulas, which have a name alone",
                            path, m->input_name[x->at]);
    w->used[x->at - first] = true;
    *out = 2 * m->nq + x->at - first;
    return DM_OK;
  case DM_OF_TIME:
    return number_time(w, path, node, out);
  case DM_OF_ROW: {
    int row;
    DM_TRY(keep_row(w, x->at, &row));
    *out = -1 - row;
    return DM_OK;
  }
  case DM_OF_P:
  case DM_OF_LAMBDA:
    break;
  }
  return pb_refuse_node(w->r, node,
                        "%s: found a momentum or the impulse of a constraint, which follow from a "
                        "step, expected coordinates, velocities, inputs, the time and outputs",
                        path);
}

// the variables of a formula
static dm_status number_variables(formula_list *w, const char *path, const pb_node *node,
                                  const dm_output *o, dm_formula *out) {
  int *variable;
  PB_NEW(w->r->arena, variable, o->formula->nx + 1);
  for (int a = 0; a < o->formula->nx; a++)
    DM_TRY(number_variable(w, path, node, &o->variable[a], &variable[a]));
  out->f = o->formula;
  out->variable = variable;
  return DM_OK;
}

// a formula, of a vector its component `part`
static dm_status read_force(formula_list *w, const char *path, const pb_node *node, bool moving,
                            int size, int part, dm_formula *out) {
  const pb_listed_outputs listed = {.n = w->noutputs,
                                    .output = w->output,
                                    .expression = w->expression,
                                    .vector = moving ? "velocity" : NULL};
  dm_output o = {.name = out->name};
  DM_TRY(pb_formula_force_read(w->r, path, node, w->m, &listed, size, part, &o));
  return number_variables(w, path, node, &o, out);
}

static dm_output *add_output(formula_list *w, const char *name, dm_output_kind kind) {
  dm_output *o = &w->output[w->noutputs];
  w->first[w->noutputs] = -1;
  w->expression[w->noutputs++] = (pb_expression){0};
  *o = (dm_output){.name = name, .kind = kind, .body = {-1, -1}};
  return o;
}

// velocity.x .. of a point: in the world's axes, or in the body's, v.x_body and so on
static dm_status add_velocity(formula_list *w, int body, const double point[3], bool turned) {
  static const char *const axes[] = {"point.ax", "point.ay", "point.az"};
  static const char *const row[] = {"velocity.x", "velocity.y", "velocity.z"};
  static const char *const text[] = {
      "point.axx*point.velocity.x + point.axy*point.velocity.y + point.axz*point.velocity.z",
      "point.ayx*point.velocity.x + point.ayy*point.velocity.y + point.ayz*point.velocity.z",
      "point.azx*point.velocity.x + point.azy*point.velocity.y + point.azz*point.velocity.z"};
  static const char *const plain[] = {"point.velocity.x", "point.velocity.y", "point.velocity.z"};
  dm_output *v = add_output(w, "point.velocity", DM_OUTPUT_VELOCITY);
  v->body[0] = body;
  memcpy(v->point[0], point, sizeof v->point[0]);
  for (int ki = 0; turned && ki < 9; ki++) {
    char *name;
    PB_NEW(w->r->arena, name, strlen(axes[ki / 3]) + 2);
    snprintf(name, strlen(axes[ki / 3]) + 2, "%s%c", axes[ki / 3], "xyz"[ki % 3]);
    dm_output *a = add_output(w, name, DM_OUTPUT_ALIGNMENT);
    a->body[0] = body;
    a->axis[0][ki / 3] = a->axis[1][ki % 3] = 1;
  }
  for (int k = 0; k < 3; k++) {
    pb_node node = {.kind = PB_SCALAR, .text = (char *)(turned ? text : plain)[k]};
    const pb_listed_outputs before = {w->noutputs, w->output, w->expression, NULL};
    dm_output *o = add_output(w, row[k], DM_OUTPUT_FORMULA);
    DM_TRY(pb_formula_output_read(w->r, "velocity", &node, w->m, &before, o,
                                  &w->expression[w->noutputs - 1]));
  }
  return DM_OK;
}

// has the file an output or a definition of this name?
static bool is_taken(const formula_list *w, const char *name) {
  const pb_definitions *d = w->r->definitions;
  for (int i = 0; i < w->noutputs; i++)
    if (!strcmp(w->output[i].name, name)) return true;
  for (int i = 0; d && i < d->n; i++)
    if (!strcmp(d->list[i].name, name)) return true;
  return false;
}

// the three components of a force or torque, each the input of a load of one unit
static dm_status read_components(formula_list *w, const char *path, const pb_node *node,
                                 bool moving, const dm_load *load, bool torque, const char *name) {
  const bool list = node->kind == PB_SEQUENCE;
  char found[64];
  if (list && node->n != 3)
    return pb_refuse_node(w->r, node, "%s: found %s, expected three expressions, or a vector", path,
                          pb_node_describe(node, found));
  const pb_node *e = list ? node->first : node;
  for (int k = 0; k < 3; k++, e = list ? e->next : e) {
    dm_formula x = {.name = name, .role = DM_FORMULA_FORCE};
    dm_load *along;
    DM_TRY(read_force(w, path, e, moving, list ? 0 : 3, k, &x));
    if (x.f->count == 1 && x.f->nx == 0 && x.f->operation->value == 0) continue;
    PB_NEW(w->r->arena, along, 1);
    *along = *load;
    (torque ? along->torque : along->force)[k] = 1;
    x.along = along;
    w->part[w->n++] = x;
  }
  return DM_OK;
}

static dm_status read_on_body(formula_list *w, const pb_node *e, const force_section *s) {
  const dm_model *m = w->m;
  const pb_node *body = pb_node_get(e, "body");
  const bool turned = !strcmp(s->frame, "body");
  dm_load load = {.name = s->name, .kind = turned ? DM_WRENCH_BODY : DM_WRENCH_MIXED};
  memcpy(load.point, s->point, sizeof load.point);
  DM_TRY(pb_schema_name(w->r, "model.forces[].body", body, "body", m->body_name, m->nbody,
                        &load.body));
  if (m->body_joint[load.body] < 0)
    return pb_refuse_node(w->r, body,
                          "model.forces[].body: found '%.64s', which nothing moves, expected a "
                          "body that joints move",
                          s->body);
  if (!s->formula && !s->torque)
    return pb_refuse_node(w->r, e,
                          "model.forces[]: found neither 'formula' nor 'torque' of the "
                          "force on '%.64s', expected one of them",
                          s->body);
  const bool moving = !is_taken(w, "velocity");
  if (moving) DM_TRY(add_velocity(w, load.body, s->point, turned));
  if (s->formula)
    DM_TRY(read_components(w, "model.forces[].formula", s->formula, moving, &load, false, s->name));
  if (s->torque)
    DM_TRY(read_components(w, "model.forces[].torque", s->torque, moving, &load, true, s->name));
  return DM_OK;
}

static dm_status read_on_joint(formula_list *w, const pb_node *e, const force_section *s) {
  const pb_node *joint = pb_node_get(e, "joint");
  dm_formula x = {.name = s->name, .role = DM_FORMULA_FORCE};
  DM_TRY(pb_coordinate_read(w->r, "model.forces[].joint", joint, w->m, &x.coord));
  if (w->m->kinematic[x.coord])
    return pb_refuse_node(w->r, joint,
                          "model.forces[].joint: found '%.64s', which is kinematic, expected one "
                          "that forces move",
                          s->joint);
  DM_TRY(read_force(w, "model.forces[].formula", s->formula, false, 0, 0, &x));
  w->part[w->n++] = x;
  return DM_OK;
}

static dm_status read_forces(formula_list *w, const pb_node *list) {
  const char *path = "model.forces[]";
  for (const pb_node *e = list ? list->first : NULL; e; e = e->next) {
    force_section s = {0};
    DM_TRY(pb_schema_read(w->r, path, e, pb_force_keys, &s));
    if (!s.joint == !s.body)
      return pb_refuse_node(w->r, e, "%s: found %s, expected 'joint' or 'body'", path,
                            s.joint ? "both" : "neither");
    DM_TRY(s.joint ? pb_schema_form(w->r, path, e, "force on the joint", s.joint, "formula",
                                    "name joint")
                   : pb_schema_form(w->r, path, e, "force on the body", s.body, "body",
                                    "name frame point formula torque"));
    DM_TRY(put_name(w, path, e, s.name));
    w->noutputs = w->listed;
    DM_TRY(s.joint ? read_on_joint(w, e, &s) : read_on_body(w, e, &s));
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
  formula_list w = {.r = from->r,
                    .m = from->m,
                    .inputs = from->inputs,
                    .outputs = from->outputs,
                    .timed = from->timed};
  dm_message why = {""};
  const int nforces = forces ? forces->n : 0, room = (potentials ? potentials->n : 0) + 1;
  PB_NEW(w.r->arena, w.part, room + 6 * nforces);
  PB_NEW(w.r->arena, w.name, room + nforces);
  PB_NEW(w.r->arena, w.used, from->m->nload + 1);
  if (own) {
    dm_formula x = {.name = "lagrangian", .role = DM_FORMULA_LAGRANGIAN};
    DM_TRY(read_energy(&w, "model.lagrangian", own, &x));
    DM_TRY(add_clock(&w, own, &x));
    DM_TRY(put_name(&w, "model", own, x.name));
    w.part[w.n++] = x;
  }
  DM_TRY(read_potentials(&w, potentials));
  if (nforces) {
    DM_TRY(pb_outputs_of_state(w.r, from->outputs, out->tree, OWN_OUTPUTS, &w.listed, &w.output,
                               &w.expression));
    PB_NEW(w.r->arena, w.first, w.listed + OWN_OUTPUTS);
    PB_NEW(w.r->arena, w.kept, w.listed + OWN_OUTPUTS * nforces);
    for (int i = 0; i < w.listed; i++) w.first[i] = -1;
  }
  DM_TRY(read_forces(&w, forces));
  DM_TRY(check_inputs(&w));
  if (!w.n || (w.timed && *w.timed)) return DM_OK;
  for (dm_formula *x = w.part; x < w.part + w.n; x++) {
    x->noutputs = x->role == DM_FORMULA_FORCE ? w.nkept : 0;
    x->output = w.kept;
  }
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
