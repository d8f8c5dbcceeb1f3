#include "problems/readers/model/outputs.h"

#include "lib/multibody/ball_joint.h"
#include "lib/multibody/robot_contact_laws.h"
#include "problems/readers/model/formula_output.h"
#include "problems/readers/model/formula_units.h"
#include "problems/readers/model/keep_out.h"
#include "problems/readers/model/tendon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct output_section {
  const char *name, *type, *unit;
  const pb_node *formula, *bodies, *points, *axis, *axes, *coordinates, *inputs, *contacts,
      *between;
  double shift;
} output_section;

#define KIND_WORD(NAME, name, word, ...) " " word
#define FIELD(member, ...)               PB_KEY(output_section, member, __VA_ARGS__)
const pb_key pb_output_keys[] = {
    FIELD(name, .type = PB_TEXT, .absent = PB_REQUIRED, .about = "Unique name without a dot"),
    FIELD(type, .type = PB_WORD, .note = "`formula` beside a formula",
          .words = DM_OUTPUT_KINDS(KIND_WORD), .about = "Kind of output"),
    FIELD(formula, .type = PB_NODE, .also = "expression", .words = "expression",
          .about = "Expression of `q.NAME`, `v.NAME`, `u.NAME` and rows of outputs listed before: "
                   "[formulas](formulas.md)"),
    FIELD(unit, .type = PB_TEXT, .note = "1",
          .about = "Unit of a formula, for tables and pictures"),
    FIELD(bodies, .type = PB_NODE, .also = "body frame link frames links",
          .words = "body, or [body, body]",
          .about = "Links (also `tool0`), bodies, or `world`, the default of the second"),
    FIELD(points, .type = PB_NODE, .unit = "m", .also = "point offset",
          .note = "the bodies' origins", .words = "[x, y, z], or one for each body",
          .about = "Points x0, x1 in the frames of the two bodies"),
    FIELD(axis, .type = PB_NODE, .also = "normal direction along", .words = "[x, y, z]",
          .about = "Axis in the frame of the second body; dmoc normalizes it"),
    FIELD(axes, .type = PB_NODE, .words = "[x, y, z], or one for each body",
          .about = "Axes in the frames of the two bodies; a single axis is used for both"),
    FIELD(coordinates, .type = PB_NODE, .also = "joints weights",
          .words = "list of names, or weights by name",
          .about = "Coordinates, optionally with weights"),
    FIELD(inputs, .type = PB_NODE, .also = "input motors motor actuators",
          .words = "name, list of names, or weights by name",
          .about = "Forces and torques; `power` takes inputs on a single coordinate"),
    FIELD(contacts, .type = PB_NODE, .also = "contact feet",
          .words = "name, list of names, or weights by name",
          .about = "Contacts of `model.contacts`; of friction also joints with dry friction, but "
                   "not both"),
    FIELD(between, .type = PB_NODE, .also = "shapes pair", .words = "[shape, shape]",
          .about = "Two shapes of `keep_out`"),
    FIELD(shift, .type = PB_NUMBER, .unit = "m or rad", .absent = "0",
          .about = "Constant added to a `sum`"),
    {0}};
#undef FIELD
#undef KIND_WORD

// required and optional keys of each type, besides its name
static const struct form {
  const char *word;
  dm_output_kind kind;
  const char *must, *may;
#define KIND_FORM(NAME, name, word, must, may, ...)                                                \
  {word, DM_OUTPUT_##NAME, must, "name type " may},
} forms[] = {DM_OUTPUT_KINDS(KIND_FORM)};
#undef KIND_FORM

#define PATH "outputs[]"

// one vector, or one per body
static dm_status read_vectors(const pb_reader *r, const char *path, const pb_node *node,
                              double x[2][3], int *count) {
  const bool one = node->kind != PB_SEQUENCE || !node->first || node->first->kind == PB_SCALAR;
  *count = 1;
  if (one) return pb_schema_list(r, path, node, 3, x[0]);
  if (node->n > 2) {
    char found[64];
    return pb_refuse_node(r, node, "%s: found %s, expected [x, y, z], or two of them", path,
                          pb_node_describe(node, found));
  }
  *count = node->n;
  DM_TRY(pb_schema_list(r, path, node->first, 3, x[0]));
  return node->n == 1 ? DM_OK : pb_schema_list(r, path, node->first->next, 3, x[1]);
}

// function that reads one name of a list into an index
typedef dm_status name_reader(const pb_reader *r, const char *path, const pb_node *node,
                              const pb_robot *robot, int *index);

static dm_status read_coordinate_name(const pb_reader *r, const char *path, const pb_node *node,
                                      const pb_robot *robot, int *index) {
  return pb_coordinate_read(r, path, node, robot->mechanism.tree, index);
}

static dm_status read_input_name(const pb_reader *r, const char *path, const pb_node *node,
                                 const pb_robot *robot, int *index) {
  const dm_model *m = robot->mechanism.tree;
  return pb_schema_name(r, path, node, "input", m->input_name, m->nu, index);
}

// a contact, or a joint with dry friction
static dm_status read_contact_name(const pb_reader *r, const char *path, const pb_node *node,
                                   const pb_robot *robot, int *index) {
  const int n = dm_robot_contact_laws_list(&robot->mechanism, NULL);
  dm_contact_law *law;
  const char **name;
  if (!n)
    return pb_refuse_node(r, node,
                          "%s: found a contact of a robot without contacts, expected "
                          "model.contacts, or for friction also model.friction",
                          path);
  PB_NEW(r->arena, law, n);
  PB_NEW(r->arena, name, n);
  dm_robot_contact_laws_list(&robot->mechanism, law);
  for (int i = 0; i < n; i++) name[i] = law[i].name;
  return pb_schema_name(r, path, node, "contact", name, n, index);
}

// a sum of coordinates or inputs: unique names, or a weight per name
static dm_status read_sum(const pb_reader *r, const char *path, const pb_node *node,
                          const pb_robot *robot, name_reader *read, const int **index,
                          dm_output *o) {
  int *of;
  double *weight;
  char found[64];
  if (node->kind == PB_SCALAR || node->n == 0)
    return pb_refuse_node(r, node, "%s: found %s, expected a list of names, or weights by name",
                          path, pb_node_describe(node, found));
  PB_NEW(r->arena, of, node->n);
  PB_NEW(r->arena, weight, node->n);
  for (const pb_node *e = node->first; e; e = e->next) {
    // a mapping entry: the key is the name, the value its weight
    pb_node name = *e;
    weight[o->n] = 1;
    if (node->kind == PB_MAPPING) {
      name = (pb_node){.kind = PB_SCALAR, .line = e->key_line, .column = e->key_column};
      name.text = e->key;
      DM_TRY(pb_schema_number(r, path, e, NULL, &weight[o->n]));
    }
    DM_TRY(read(r, path, &name, robot, &of[o->n]));
    for (int i = 0; i < o->n; i++)
      if (of[i] == of[o->n])
        return pb_refuse_node(r, e, "%s: found '%.64s' twice, expected every name once", path,
                              name.text);
    o->n++;
  }
  *index = of;
  o->weight = weight;
  return DM_OK;
}

// a sum of inputs or contacts: one name, or as read_sum
static dm_status read_names(const pb_reader *r, const char *path, const pb_node *node,
                            const pb_robot *robot, name_reader *read, const int **index,
                            dm_output *o) {
  pb_node name = *node, list = {.kind = PB_SEQUENCE, .first = &name, .n = 1};
  name.next = NULL;
  return read_sum(r, path, node->kind == PB_SCALAR ? &list : node, robot, read, index, o);
}

// the rows of a sum of contacts: their gaps, or their tangents
static dm_status read_contacts(const pb_reader *r, const pb_node *node, const pb_robot *robot,
                               dm_output *o) {
  const char *path = PATH ".contacts";
  const bool normal = dm_output_kind_is_normal(o->kind);
  const int *index = NULL;
  dm_contact_law *law;
  int *row;
  DM_TRY(read_names(r, path, node, robot, read_contact_name, &index, o));
  PB_NEW(r->arena, law, dm_robot_contact_laws_list(&robot->mechanism, NULL));
  PB_NEW(r->arena, row, o->n);
  dm_robot_contact_laws_list(&robot->mechanism, law);
  for (int i = 0; i < o->n; i++) {
    const dm_contact_law *at = &law[index[i]], *first = &law[index[0]];
    if (normal && at->gap < 0)
      return pb_refuse_node(r, node,
                            "%s: found the joint '%.64s', expected contacts, which have a "
                            "normal force; its dry friction is a friction-force",
                            path, at->name);
    if (!normal && !at->tangents)
      return pb_refuse_node(
          r, node, "%s: found '%.64s' without friction, expected contacts with it", path, at->name);
    if (at->angle != first->angle || (!normal && at->tangents != first->tangents))
      return pb_refuse_node(r, node,
                            "%s: found '%.64s' and '%.64s', expected contacts whose rows "
                            "have the same unit and number",
                            path, first->name, at->name);
    row[i] = normal ? at->gap : at->tangent[0];
    o->tangents = at->tangents;
    o->angle = at->angle;
  }
  o->row = row;
  return DM_OK;
}

// the clearance between two shapes
static dm_status read_between(const pb_reader *r, const pb_node *node, const pb_keep_out *k,
                              dm_output *o) {
  const char *path = PATH ".between";
  char found[64];
  int a, b;
  if (node->kind != PB_SEQUENCE || node->n != 2)
    return pb_refuse_node(r, node, "%s: found %s, expected two shapes of keep_out", path,
                          pb_node_describe(node, found));
  DM_TRY(pb_shape_find(r, path, node->first, k, &a));
  DM_TRY(pb_shape_find(r, path, node->first->next, k, &b));
  if (a == b)
    return pb_refuse_node(r, node, "%s: found '%.64s' twice, expected two shapes", path,
                          k->shape[a].name);
  if (pb_clearance_of(k, a, b, o)) return DM_OK;
  return pb_refuse_node(r, node, "%s: found neither a sphere nor a capsule, expected one of them",
                        path);
}

// read one entry of the list, with the expression of a formula
static dm_status read_output(const pb_reader *r, const pb_node *node, const pb_robot *robot,
                             const pb_keep_out *k, const pb_listed_outputs *before, dm_output *o,
                             pb_expression *expression) {
  const dm_model *m = robot->mechanism.tree;
  output_section s = {0};
  const struct form *f = forms;
  int count;

  // the entry must have the keys of its type and no others
  DM_TRY(pb_schema_read(r, PATH, node, pb_output_keys, &s));
  if (!s.type && !s.formula)
    return pb_refuse_node(r, node, PATH ": found no 'type', expected one, or a 'formula'");
  if (!s.type) s.type = "formula";
  while (strcmp(f->word, s.type) != 0) f++;
  DM_TRY(pb_schema_form(r, PATH, node, "type", f->word, f->must, f->may));
  *o = (dm_output){
      .name = s.name, .kind = f->kind, .body = {-1, -1}, .shift = s.shift, .unit = s.unit};
  if (strchr(s.name, '.'))
    return pb_refuse_node(r, pb_node_get(node, "name"),
                          PATH ".name: found '%.64s', expected one without a dot, which stands "
                               "before x, y and z",
                          s.name);

  // a formula, of coordinates, of inputs, of contacts, of shapes, or between bodies
  if (s.formula)
    return pb_formula_output_read(r, PATH ".formula", s.formula, m, before, o, expression);
  if (s.between) return read_between(r, s.between, k, o);
  if (s.coordinates)
    return read_sum(r, PATH ".coordinates", s.coordinates, robot, read_coordinate_name, &o->coord,
                    o);
  if (s.inputs)
    return read_names(r, PATH ".inputs", s.inputs, robot, read_input_name, &o->input, o);
  if (s.contacts) return read_contacts(r, s.contacts, robot, o);
  if (s.bodies) DM_TRY(pb_bodies_pair_read(r, PATH ".bodies", s.bodies, m, o->body));
  if (s.points) DM_TRY(read_vectors(r, PATH ".points", s.points, o->point, &count));
  if (s.points && !s.bodies) {
    // of the whole robot, about one point of the world
    if (count > 1)
      return pb_refuse_node(r, s.points,
                            PATH ".points: found two, expected one point of the world");
    memcpy(o->point[1], o->point[0], sizeof o->point[1]);
    o->about_point = true;
  }

  // `axis` belongs to the second body; a single vector of `axes` applies to both
  if (s.axis) {
    DM_TRY(pb_schema_list(r, PATH ".axis", s.axis, 3, o->axis[1]));
    DM_TRY(pb_schema_direction(r, PATH ".axis", s.axis, o->axis[1], o->axis[1]));
  }
  if (s.axes) {
    DM_TRY(read_vectors(r, PATH ".axes", s.axes, o->axis, &count));
    if (count == 1) memcpy(o->axis[1], o->axis[0], sizeof o->axis[1]);
    for (int i = 0; i < 2; i++)
      DM_TRY(pb_schema_direction(r, PATH ".axes", s.axes, o->axis[i], o->axis[i]));
  }
  return DM_OK;
}

// Hyphens in names of outputs or shapes can make composed names ambiguous.
static dm_status refuse_same_name(const pb_reader *r, const pb_node *keep_out,
                                  const dm_output *list, int n) {
  for (int i = 0; i < n; i++)
    if (!strcmp(list[i].name, list[n].name))
      return pb_refuse_node(r, keep_out,
                            "keep_out: found two outputs named '%.128s', which this pair of shapes "
                            "is called, expected every name once; give a shape another name",
                            list[n].name);
  return DM_OK;
}

// an output FIRST-SECOND per pair of shapes
static dm_status list_pairs(const pb_reader *r, const pb_node *keep_out, const pb_keep_out *k,
                            dm_output *list, int *n) {
  for (int i = 0; i < k->npairs; i++) {
    const char *a = k->shape[k->pair[i][0]].name, *b = k->shape[k->pair[i][1]].name;
    const size_t size = strlen(a) + strlen(b) + 2;
    char *name = pb_arena_alloc(r->arena, size, 1);
    if (!name) return DM_NO_MEMORY;
    snprintf(name, size, "%s-%s", a, b);
    list[*n] = (dm_output){.name = name};
    DM_TRY(refuse_same_name(r, keep_out, list, *n));
    pb_clearance_of(k, k->pair[i][0], k->pair[i][1], &list[(*n)++]);
  }
  return DM_OK;
}

// the data of shapes for messages and pictures
static dm_status tell_shapes(const pb_keep_out *k, const dm_model *m, pb_outputs *o) {
  o->shape = calloc((size_t)k->n + 1, sizeof *o->shape);
  if (!o->shape) return DM_NO_MEMORY;
  o->nshapes = k->n;
  o->nlisted = k->nlisted;
  for (int i = 0; i < k->n; i++) {
    const pb_shape *s = &k->shape[i];
    pb_kept_shape *to = &o->shape[i];
    const dm_pose *body = s->body >= 0 ? &m->body_pose[s->body] : &dm_identity;
    *to = (pb_kept_shape){.shape = s->shape,
                          .excess = s->excess,
                          .joint = s->body >= 0 ? m->body_joint[s->body] : -1,
                          .frame = dm_compose(body, &s->frame)};
    snprintf(to->name, sizeof to->name, "%s", s->name);
    if (s->about) snprintf(to->about, sizeof to->about, "%s", s->about);
  }
  return DM_OK;
}

// an output per coordinate, or per speed, with its name; rotations of ball joints are excluded
static dm_status list_coordinates(const pb_reader *r, const dm_model *m, dm_output_kind kind,
                                  dm_output *list, int *n) {
  int *coord;
  double *one;
  PB_NEW(r->arena, coord, m->nq);
  PB_NEW(r->arena, one, 1);
  *one = 1;
  for (int i = 0; i < m->nq; i++) {
    if (dm_ball_owns(m, i)) continue;
    coord[i] = i;
    list[(*n)++] =
        (dm_output){.name = m->name[i], .kind = kind, .n = 1, .coord = &coord[i], .weight = one};
  }
  return DM_OK;
}

// outputs in external coordinates, for a tree with ball joints
static dm_status embed_signals(const pb_robot *robot, dm_holonomic signals,
                               dm_quaternion_system **out) {
  if (!robot->mechanism.embed) return DM_OK;
  dm_system inside = dm_robot_inside(&robot->mechanism);
  inside.hol = signals;
  return dm_quaternion_system_new(out, robot->mechanism.tree, robot->mechanism.model, &inside);
}

dm_status pb_outputs_ask(pb_robot *robot, const bool *row) {
  pb_outputs *o = &robot->outputs;
  if (!o->rows) return DM_OK;
  dm_outputs_ask(o->rows, row);
  return embed_signals(robot, dm_outputs_asked(o->rows), &o->asked);
}

dm_status pb_link_outputs_new(pb_outputs *out, const pb_robot *robot, int n, const int *body,
                              dm_message *msg) {
  static const struct {
    const char *ending;
    dm_output_kind kind;
  } of[] = {{"position", DM_OUTPUT_POSITION}, {"rotation", DM_OUTPUT_ROTATION}};
  enum { OF = sizeof of / sizeof *of, SIZE = 160 };
  *out = (pb_outputs){.n = OF * n};

  // LINK.position and LINK.rotation, with copied names
  dm_output *list = calloc((size_t)out->n, sizeof *list);
  char *text = calloc((size_t)out->n, SIZE);
  dm_status s = list && text ? DM_OK : dm_fail(msg, DM_NO_MEMORY, "out of memory");
  for (int i = 0; list && text && i < out->n; i++) {
    const int b = body[i / OF];
    char *name = text + i * SIZE;
    snprintf(name, SIZE, "%.140s.%s", robot->mechanism.tree->body_name[b], of[i % OF].ending);
    list[i] = (dm_output){.name = name, .kind = of[i % OF].kind, .body = {b, -1}};
  }

  if (s == DM_OK) s = dm_outputs_new(&out->rows, robot->mechanism.tree, out->n, list, msg);
  if (s == DM_OK) out->named = out->speeds = out->all = dm_outputs_row(out->rows, out->n);
  if (s == DM_OK) s = embed_signals(robot, dm_outputs_signals(out->rows), &out->embed);
  free(list);
  free(text);
  if (s != DM_OK) pb_outputs_free(out);
  if (s != DM_OK) *out = (pb_outputs){.n = 0};
  return s;
}

// is a row of these outputs, of which the last is new, one of inputs, times or momenta?
static bool is_driven(const dm_model *m, int n, const dm_output *list, bool *driven) {
  dm_outputs *rows;
  if (dm_outputs_new(&rows, m, n, list, NULL) != DM_OK) return false;
  const dm_holonomic signals = dm_outputs_signals(rows);
  const dm_output_map y = dm_outputs_map(rows, &signals, m->nq);
  *driven = y.momenta || dm_output_map_is_driven(&y, dm_outputs_row(rows, n - 1));
  dm_outputs_free(rows);
  return true;
}

dm_status pb_outputs_of_state(const pb_reader *r, const pb_node *list, dm_model *tree, int more,
                              int *n, dm_output **out, pb_expression **expression) {
  const pb_robot alone = {.mechanism = {.tree = tree, .model = tree}};
  const pb_keep_out none = {0};
  dm_message why = {""};
  pb_reader own = *r;
  own.msg = &why;
  *n = 0;
  PB_NEW(r->arena, *out, (list ? list->n : 0) + more);
  PB_NEW(r->arena, *expression, (list ? list->n : 0) + more);
  for (const pb_node *e = list && list->kind == PB_SEQUENCE ? list->first : NULL; e; e = e->next) {
    const pb_listed_outputs before = {.n = *n, .output = *out, .expression = *expression};
    if (pb_node_get(e, "contacts") || pb_node_get(e, "between")) continue;
    (*expression)[*n] = (pb_expression){0};
    const dm_status s = read_output(&own, e, &alone, &none, &before, *out + *n, *expression + *n);
    if (s == DM_NO_MEMORY) return s;
    bool driven = true;
    if (s == DM_OK && is_driven(tree, *n + 1, *out, &driven) && !driven) ++*n;
  }
  return DM_OK;
}

dm_status pb_outputs_read(pb_reader *r, const pb_node *list, const pb_extra_formulas *extra,
                          const pb_node *keep_out, bool coordinates, bool speeds, pb_robot *robot) {
  const dm_model *m = robot->mechanism.tree;
  dm_output *o;
  const char **name;
  pb_expression *expression;
  dm_message why = {""};
  pb_keep_out k;
  int *line, n = 0, all = (list ? list->n : 0) + extra->n;
  DM_TRY(pb_keep_out_read(r, keep_out, robot->file, m, &k));
  DM_TRY(tell_shapes(&k, m, &robot->outputs));
  if (!all && !k.npairs && !coordinates && !speeds) return DM_OK;

  // the entries one by one
  PB_NEW(r->arena, o, all + k.npairs + 2 * m->nq);
  PB_NEW(r->arena, name, all);
  PB_NEW(r->arena, expression, all);
  PB_NEW(r->arena, line, all);
  for (const pb_node *e = list ? list->first : NULL; e; e = e->next) {
    const pb_listed_outputs before = {.n = n, .output = o, .expression = expression};
    line[n] = e->line;
    DM_TRY(read_output(r, e, robot, &k, &before, o + n, expression + n));
    DM_TRY(pb_schema_once(r, PATH, e, name, &n, o[n].name));
  }
  for (const pb_extra_formula *e = extra->list; e < extra->list + extra->n; e++) {
    const pb_listed_outputs before = {.n = n, .output = o, .expression = expression};
    line[n] = e->node->line;
    o[n] = (dm_output){.name = e->name, .kind = DM_OUTPUT_FORMULA, .body = {-1, -1}};
    DM_TRY(pb_formula_output_read(r, e->path, e->node, m, &before, o + n, expression + n));
    DM_TRY(pb_schema_once(r, e->path, e->node, name, &n, o[n].name));
  }
  const int listed = n;
  DM_TRY(list_pairs(r, keep_out, &k, o, &n));
  robot->outputs.n = n;
  robot->outputs.list = o;
  if (coordinates) DM_TRY(list_coordinates(r, m, DM_OUTPUT_SUM, o, &n));
  const int places = n;
  if (speeds) DM_TRY(list_coordinates(r, m, DM_OUTPUT_RATE, o, &n));

  // compile all as rows y(q); the library's message names the output
  const dm_status s = dm_outputs_new(&robot->outputs.rows, m, n, o, &why);
  if (s == DM_BAD_INPUT) return pb_refuse_node(r, list ? list : keep_out, "outputs: %s", why.text);
  DM_TRY(s);
  const bool units = !dm_formulas_replace(robot->mechanism.formulas); // of coordinates with bodies
  for (int i = 0; units && i < listed; i++)
    if (expression[i].count)
      DM_TRY(pb_formula_units_check(r, robot, &expression[i], o[i].name, line[i]));
  robot->outputs.named = dm_outputs_row(robot->outputs.rows, robot->outputs.n);
  robot->outputs.kept = robot->outputs.named - dm_outputs_row(robot->outputs.rows, listed);
  robot->outputs.clearance = k.clearance;
  robot->outputs.speeds = dm_outputs_row(robot->outputs.rows, places);
  robot->outputs.all = dm_outputs_row(robot->outputs.rows, n);
  return embed_signals(robot, dm_outputs_signals(robot->outputs.rows), &robot->outputs.embed);
}
