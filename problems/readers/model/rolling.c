#include "problems/readers/model/rolling.h"

#include "lib/base/block.h"
#include "lib/base/random.h"
#include "lib/discrete/repeated_rows.h"
#include "problems/readers/format/definitions.h"
#include "problems/readers/format/expression.h"
#include "problems/readers/model/constraints.h"
#include "problems/readers/model/tendon.h"
#include "problems/readers/model/touching.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATH  "model.constraints[]"
#define WHEEL "model.rolling[]"

typedef struct roller_list {
  const pb_part_source *from;
  int n;
  dm_roller *roller;
  const char **name; // of all constraints, for names that repeat
  const pb_node **at;
  int names;
} roller_list;

// required and optional keys of each type
static const struct form {
  const char *word;
  dm_rolling_kind kind;
  const char *must, *may;
#define KIND_FORM(NAME, name, word, must, may) {word, DM_ROLLING_##NAME, must, "name type " may},
} forms[] = {DM_ROLLING_KINDS(KIND_FORM)};
#undef KIND_FORM

// the axis of the joint of a body, if it is a single rotation
static bool find_axle(const pb_tree *t, int body, double axis[3]) {
  const dm_body *b = body < 0 ? NULL : &t->body[body];
  if (!b || b->ncoord != 1 || t->coord[b->first].slides) return false;
  memcpy(axis, t->coord[b->first].axis, 3 * sizeof *axis);
  return true;
}

// the ground: "plane", the world's, or a body
static dm_status read_ground(const pb_part_source *from, const pb_node *node, int *body) {
  *body = -1;
  if (!node || (node->kind == PB_SCALAR && !strcmp(node->text, "plane"))) return DM_OK;
  const char *file = node->kind == PB_SCALAR ? strrchr(node->text, '.') : NULL;
  if (node->kind != PB_SCALAR || (file && (!strcmp(file, ".csv") || !strcmp(file, ".png"))))
    return pb_refuse_node(from->r, node,
                          PATH ".ground: found a height map, expected plane, or a body with a "
                               "'normal': on a height map a robot also rises and tilts, which "
                               "rolling constraints do not hold");
  return pb_body_read(from->r, PATH ".ground", node, from->m, body);
}

// has `let` a definition of this name?
static bool is_defined(const pb_reader *r, const char *name) {
  for (int i = 0; r->definitions && i < r->definitions->n; i++)
    if (!strcmp(r->definitions->list[i].name, name)) return true;
  return false;
}

// the formula of an entry
static dm_status read_formula(const pb_part_source *from, const pb_node *node, dm_roller *out) {
  const pb_reader *r = from->r;
  static const char *const times[] = {"t", "time"};
  const dm_model *m = from->m;
  pb_symbol *list;
  pb_expression e;
  dm_tape *f;
  int n = 2 * m->nq;
  PB_NEW(r->arena, list, 2 * m->nq + 2);
  for (int i = 0; i < 2 * m->nq; i++) {
    const char *name = m->name[i % m->nq];
    const size_t size = strlen(name) + 3;
    char *text = pb_arena_alloc(r->arena, size, 1);
    if (!text) return DM_NO_MEMORY;
    snprintf(text, size, "%c.%s", i < m->nq ? 'q' : 'v', name);
    list[i] = (pb_symbol){.name = text, .at = i};
  }
  // names of the time, which are refused
  for (int i = 0; i < 2; i++)
    if (!is_defined(r, times[i])) list[n++] = (pb_symbol){.name = times[i], .at = 2 * m->nq};
  const pb_language language = {.list = list, .n = n, .functions = true, .smooth = true};
  DM_TRY(pb_expression_read(r, PATH ".formula", node, &language,
                            "of coordinates q.NAME and velocities v.NAME", &e));
  for (int i = 0; i < e.count; i++)
    if (e.operation[i].kind == PB_IS_VARIABLE && e.operation[i].at == 2 * m->nq)
      return pb_refuse_node(r, node,
                            PATH ".formula: found the time, expected coordinates and velocities "
                                 "only; for a ground that moves in time add a coordinate 'clock' "
                                 "and a second constraint 'v.clock - 1', and write q.clock");
  PB_NEW(r->arena, f, 1);
  DM_TRY(pb_expression_compile(r->arena, &e, f, &out->variable));
  out->formula = f;
  return DM_OK;
}

// one entry of model.constraints
static dm_status read_entry(roller_list *l, const pb_node *node, dm_roller *out) {
  const pb_part_source *from = l->from;
  const pb_reader *r = from->r;
  pb_constraint_section s = {0};
  const struct form *f = forms;
  DM_TRY(pb_schema_read(r, PATH, node, pb_constraint_keys, &s));
  while (strcmp(f->word, s.type) != 0) f++;
  DM_TRY(pb_schema_form(r, PATH, node, "type", f->word, f->must, f->may));
  *out = (dm_roller){.name = s.name, .kind = f->kind, .body = {-1, -1}, .radius = s.radius};
  memcpy(out->point, s.point, sizeof out->point);
  if (s.bodies) DM_TRY(pb_bodies_pair_read(r, PATH ".bodies", s.bodies, from->m, out->body));
  if (s.body) DM_TRY(pb_body_read(r, PATH ".body", s.body, from->m, out->body));
  if (s.body) DM_TRY(read_ground(from, s.ground, out->body + 1));

  if (s.formula) return read_formula(from, s.formula, out);

  // directions; a wheel without an axle has that of its joint
  const pb_node *axis = pb_node_get(node, "axis"), *normal = pb_node_get(node, "normal");
  if (axis) DM_TRY(pb_schema_direction(r, PATH ".axis", axis, s.axis, out->axis));
  if (!axis) (void)find_axle(from->tree, out->body[0], out->axis);
  out->normal[2] = 1;
  if (normal) DM_TRY(pb_schema_direction(r, PATH ".normal", normal, s.normal, out->normal));
  return DM_OK;
}

// -- wheels of a robot file

// the body with this name, or the child body of a joint with it; -1: none
static int find_wheel(const pb_tree *t, const char *name) {
  for (int i = 0; i < t->nbody; i++)
    if (!strcmp(t->body[i].name, name)) return i;
  for (int i = 0; i < t->nbody; i++)
    for (int c = t->body[i].first; c < t->body[i].first + t->body[i].ncoord; c++)
      if (!strcmp(t->coord[c].name, name)) return i;
  return -1;
}

// the radius and center of a wheel, from its largest round shape about the axle
static dm_status find_shape(const pb_part_source *from, const pb_touches *shapes,
                            const pb_node *node, dm_roller *x) {
  const dm_vec axle = dm_v(x->axis[0], x->axis[1], x->axis[2]);
  const char *other = NULL;
  for (const pb_touch *t = shapes->list; t < shapes->list + shapes->n; t++) {
    if (t->body != x->body[0]) continue;
    const bool ball = !strcmp(t->kind, "sphere"), tube = !strcmp(t->kind, "cylinder");
    const dm_vec across = dm_cross(t->frame.z, axle);
    if (!ball && (!tube || dm_dot(across, across) > 1e-6)) {
      other = t->kind;
      continue;
    }
    if (t->size[0] <= x->radius) continue;
    x->radius = t->size[0];
    memcpy(x->point, (double[]){t->frame.p.x, t->frame.p.y, t->frame.p.z}, sizeof x->point);
  }
  if (x->radius > 0) return DM_OK;
  return pb_refuse_node(from->r, node,
                        WHEEL ": '%.64s' has no radius: found %s%s in its <collision>, expected a "
                              "sphere, or a cylinder about the axle; or give it as a constraint of "
                              "type rolling",
                        x->name, other ? "only a " : "nothing round", other ? other : "");
}

static dm_status read_wheel(roller_list *l, const pb_touches *shapes, const pb_node *node,
                            dm_roller *out) {
  const pb_part_source *from = l->from;
  const pb_tree *t = from->tree;
  char found[64];
  if (node->kind != PB_SCALAR)
    return pb_refuse_node(from->r, node, WHEEL ": found %s, expected the name of a link or a joint",
                          pb_node_describe(node, found));
  *out = (dm_roller){.name = node->text,
                     .kind = DM_ROLLING_WHEEL,
                     .body = {find_wheel(t, node->text), -1},
                     .normal = {0, 0, 1}};
  if (out->body[0] < 0)
    return pb_refuse_node(from->r, node, WHEEL ": found '%.64s', expected a link or a joint",
                          node->text);
  if (!find_axle(t, out->body[0], out->axis))
    return pb_refuse_node(
        from->r, node, WHEEL ": '%.64s' has no axle: expected a link whose joint is one rotation",
        node->text);
  return find_shape(from, shapes, node, out);
}

// -- checks

static dm_status refuse_roller(const roller_list *l, int i, const char *text) {
  return pb_refuse_node(l->from->r, l->at[i], "constraint '%.64s': %s", l->roller[i].name, text);
}

// an axle that is along the normal at zero and at scattered positions
static dm_status check_axles(const roller_list *l, const dm_robot *robot) {
  enum { PLACES = 4 };
  static const double LEAST = 1e-6;
  const int n = robot->tree->nq;
  const size_t scratch = dm_rolling_holonomic(robot->rolling).scratch;
  dm_block b = {0};
  double *q;
  PB_NEW(l->from->r->arena, q, n + 1);
  dm_block_alloc(&b, 1, scratch);
  DM_TRY(dm_block_new(&b));
  int flat = -1;
  for (int i = 0; i < l->n && flat < 0; i++) {
    double most = 0;
    for (int p = 0; p < PLACES; p++) {
      for (int j = 0; j < n; j++) q[j] = p ? dm_random_uniform(31, p, (uint64_t)j) - 0.5 : 0;
      most = fmax(most, dm_rolling_sine(robot->rolling, i, b.base, q));
    }
    if (most < LEAST) flat = i;
  }
  dm_block_free(b.base);
  if (flat < 0) return DM_OK;
  return refuse_roller(l, flat,
                       "its axle is parallel to the normal of the ground, expected one across it");
}

// Leave out rows that follow from the others, as the side slip of the second wheel on an axle; warn of a constraint all
// of whose rows do.
static dm_status drop_repeated(const roller_list *l, dm_robot *robot) {
  const dm_system s = dm_robot_inside(robot);
  const int nc = s.hol.nc, nh = nc - s.hol.nv;
  bool *drop;
  int count;
  PB_NEW(l->from->r->arena, drop, nc + 1);
  DM_TRY(dm_repeated_rows(&s, drop, &count));
  if (nc - count >= s.L.nq - s.nk)
    return refuse_roller(l, 0,
                         "the constraints leave no motion: they have as many independent equations "
                         "as there are coordinates");
  for (int i = 0; i < l->n; i++) {
    int rows = 0, dropped = 0;
    for (int k = 0; k < s.hol.nv; k++) {
      if (dm_rolling_of_row(robot->rolling, k) != i) continue;
      rows++;
      dropped += drop[nh + k];
    }
    if (rows && dropped == rows)
      DM_TRY(pb_warn(l->from->r, l->from->r->file, l->at[i]->line,
                     "constraint '%.64s' follows from the others in every position, and is left "
                     "out; the others carry all the force",
                     l->roller[i].name));
  }
  dm_rolling_drop(robot->rolling, drop + nh);
  return DM_OK;
}

// -- the reader

static dm_status add_roller(roller_list *l, const pb_node *node, const dm_roller *x) {
  l->at[l->n] = node;
  l->roller[l->n++] = *x;
  return pb_schema_once(l->from->r, PATH, node, l->name, &l->names, x->name);
}

static dm_status read_wheels(roller_list *l, const pb_node *wheels) {
  const pb_part_source *from = l->from;
  pb_touches shapes = {0};
  char found[64];
  if (!wheels) return DM_OK;
  if (wheels->kind != PB_SEQUENCE)
    return pb_refuse_node(from->r, wheels, "model.rolling: found %s, expected a list of names",
                          pb_node_describe(wheels, found));
  if (!from->file)
    return pb_refuse_node(
        from->r, wheels,
        "model.rolling: found no robot file, expected constraints of type rolling "
        "for bodies of this file");
  DM_TRY(pb_touches_read(from->r, from->file, from->m, &shapes));
  for (const pb_node *e = wheels->first; e; e = e->next) {
    dm_roller x;
    DM_TRY(read_wheel(l, &shapes, e, &x));
    DM_TRY(add_roller(l, e, &x));
  }
  return DM_OK;
}

dm_status pb_rolling_read(const pb_part_source *from, dm_robot *out) {
  const pb_reader *r = from->r;
  const pb_node *list = pb_node_get(from->model, "constraints"),
                *wheels = pb_node_get(from->model, "rolling");
  const int held = dm_part_rows[DM_PART_CONSTRAINT].count(out);
  const int all = (list ? list->n : 0) + (wheels ? wheels->n : 0);
  roller_list l = {.from = from};
  dm_message why = {""};
  PB_NEW(r->arena, l.roller, all + 1);
  PB_NEW(r->arena, l.at, all + 1);
  PB_NEW(r->arena, l.name, all + held + 1);
  for (; l.names < held; l.names++)
    l.name[l.names] = dm_part_rows[DM_PART_CONSTRAINT].name(out, l.names);

  // the wheels of the robot's file, then entries of the list
  DM_TRY(read_wheels(&l, wheels));
  for (const pb_node *e = list ? list->first : NULL; e; e = e->next) {
    dm_roller x;
    if (!pb_constraint_rolls(e)) continue;
    DM_TRY(read_entry(&l, e, &x));
    DM_TRY(add_roller(&l, e, &x));
  }
  if (!l.n) return DM_OK;
  for (int i = 0; from->m->nball && i < l.n; i++)
    if (l.roller[i].kind == DM_ROLLING_FORMULA)
      return refuse_roller(&l, i,
                           "found a formula beside ball joints and quaternions, expected another "
                           "type or rotations about axes");

  const dm_status s = dm_rolling_new(&out->rolling, from->m, l.n, l.roller, out->constraints, &why);
  if (s == DM_BAD_INPUT) return pb_refuse_node(r, l.at[0], "%s", why.text);
  DM_TRY(s);
  DM_TRY(check_axles(&l, out));
  return drop_repeated(&l, out);
}
