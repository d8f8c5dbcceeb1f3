#include "problems/readers/model/loads.h"

#include "problems/readers/model/tendon.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct damper_section {
  const char *name, *joint;
  const pb_node *bodies, *points, *path;
  double damping;
} damper_section;

const pb_key pb_damper_keys[] = {
    PB_KEY(damper_section, name, .type = PB_TEXT, .absent = PB_REQUIRED,
           .about = "Unique among dampers, wrenches and inputs on bodies or paths"),
    PB_TENDON_KEYS(damper_section),
    PB_KEY(damper_section, damping, .type = PB_NUMBER, .unit = "N s/m or N m s/rad",
           .range = ">= 0", .absent = PB_REQUIRED,
           .about = "Force per unit rate of the coordinate, distance or length"),
    {0}};

// the keys of a wrench at an offset of a section; need: PB_REQUIRED, or NULL
#define WRENCH(place, member, ...)                                                                 \
  { .key = #member, .at = (place) + offsetof(pb_wrench, member), __VA_ARGS__ }
#define WRENCH_KEYS(place, need)                                                                   \
  WRENCH(place, name, .type = PB_TEXT, .absent = need,                                             \
         .about = "Name; unique among dampers, wrenches and inputs on bodies or paths"),           \
      WRENCH(place, body, .type = PB_TEXT, .absent = need,                                         \
             .about = "Body that the wrench acts on; an input multiplies `force` and `torque`"),   \
      WRENCH(place, frame, .type = PB_WORD, .absent = need, .words = "world body mixed",           \
             .about = "Frame of the components"),                                                  \
      WRENCH(place, point, .type = PB_VECTOR, .unit = "m", .absent = "[0, 0, 0]",                  \
             .about = "Point of application in the body frame; not with frame `world`"),           \
      WRENCH(place, force, .type = PB_VECTOR, .unit = "N", .absent = "[0, 0, 0]",                  \
             .about = "Force; give `force`, `torque` or both"),                                    \
      WRENCH(place, torque, .type = PB_VECTOR, .unit = "N m", .absent = "[0, 0, 0]",               \
             .about = "Torque, in addition to the moment of the force")

const pb_key pb_wrench_keys[] = {WRENCH_KEYS(0, PB_REQUIRED), {0}};

const pb_key pb_input_keys[] = {
    PB_KEY(pb_input, joint, .type = PB_TEXT,
           .about = "Coordinate that the input acts on; give one of `joint`, `actuator`, `body`, "
                    "`path`, `across`, or a `name` alone for an input of `model.forces`"),
    PB_KEY(pb_input, actuator, .type = PB_TEXT,
           .about = "Actuator on a tendon or at a site of an MJCF"),
    PB_KEY(pb_input, effort, .type = PB_NUMBER, .unit = "N or N m", .range = "> 0",
           .note = "the robot's", .words = "none", .about = "Limit of the absolute value of u"),
    PB_KEY(pb_input, min, .type = PB_NUMBER, .unit = "N or N m", .note = "-effort",
           .about = "Lower limit, instead of `effort`; default 0 for a `path`"),
    PB_KEY(pb_input, max, .type = PB_NUMBER, .unit = "N or N m", .note = "effort",
           .about = "Upper limit, instead of `effort`"),
    WRENCH_KEYS(offsetof(pb_input, wrench), NULL),
    PB_KEY(pb_input, path, .type = PB_LIST, .sub = pb_path_keys,
           .about = "A cable through two or more points; u is its tension in N"),
    PB_KEY(pb_input, across, .type = PB_NODE, .also = "steer steering gyroscopic plane",
           .words = "[coordinate, coordinate], or a list of these with factors",
           .about = "Gyroscopic input: a force u times the speed that rotates the velocity from "
                    "the first coordinate towards the second, without work"),
    {0}};

static const struct frame {
  const char *word;
  dm_load_kind kind;
} frames[] = {
    {"world", DM_WRENCH_WORLD},
    {"body", DM_WRENCH_BODY},
    {"mixed", DM_WRENCH_MIXED},
};

// keys that an input may have besides the one that determines its form
static const struct form {
  const char *key, *said, *must, *may;
} forms[] = {
    {"joint", "input on a", "joint", "effort min max"},
    {"actuator", "input by an", "actuator", "effort min max"},
    {"body", "input on a", "body name frame", "effort min max point force torque"},
    {"path", "input on a", "path name", "effort min max"},
    {"across", "input", "across name", "effort min max"},
    {"name", "input of formulas", "name", "effort min max"}, // without any of these
};

dm_status pb_input_read(const pb_reader *r, const pb_node *node, pb_input *out) {
  const char *path = "inputs[]";
  const struct form *form = NULL;
  int n = 0;

  // NAN marks numbers that are not given
  *out = (pb_input){.effort = NAN, .min = NAN, .max = NAN};
  DM_TRY(pb_schema_read(r, path, node, pb_input_keys, out));

  // the form follows from the part it acts on
  const size_t own = sizeof forms / sizeof *forms - 1;
  for (size_t i = 0; i < own; i++)
    if (pb_node_get(node, forms[i].key)) {
      form = &forms[i];
      n++;
    }
  out->free = n == 0 && out->wrench.name;
  if (out->free) form = &forms[own];
  if (n != 1 && !out->free)
    return pb_refuse_node(
        r, node,
        "%s: found %s, expected one of joint, actuator, body, path, across; or a name "
        "alone, of an input of model.forces",
        path, n ? "several" : "none");

  // effort is shorthand for min and max
  DM_TRY(pb_schema_form(r, path, node, form->said, form->key, form->must, form->may));
  if (isnan(out->effort) || (isnan(out->min) && isnan(out->max))) return DM_OK;
  return pb_refuse_node(
      r, node, "%s: found 'effort' beside 'min' or 'max', expected one or the other", path);
}

// read the wrench of a section
static dm_status read_wrench_section(const pb_reader *r, const char *path, const pb_node *node,
                                     const dm_model *m, const pb_wrench *s, dm_load *x) {
  const pb_node *body = pb_node_get(node, "body");
  const pb_node *point = pb_node_get(node, "point");
  const struct frame *f = frames;
  char at[64];
  while (strcmp(f->word, s->frame) != 0) f++;

  // the wrench in its frame
  x->name = s->name;
  x->kind = f->kind;
  memcpy(x->point, s->point, sizeof s->point);
  memcpy(x->force, s->force, sizeof s->force);
  memcpy(x->torque, s->torque, sizeof s->torque);

  // the body; a wrench on a fixed body would have no effect
  snprintf(at, sizeof at, "%s.body", path);
  DM_TRY(pb_schema_name(r, at, body, "body", m->body_name, m->nbody, &x->body));
  if (m->body_joint[x->body] < 0)
    return pb_refuse_node(r, body,
                          "%s: found '%.64s', which nothing moves, expected a body that "
                          "joints move",
                          at, body->text);

  // refuse a wrench without force and torque; in the frame world the point is the origin
  if (!pb_node_get(node, "force") && !pb_node_get(node, "torque"))
    return pb_refuse_node(r, node, "%s: found neither 'force' nor 'torque', expected one of them",
                          path);
  if (!point || x->kind != DM_WRENCH_WORLD) return DM_OK;
  return pb_refuse_key(r, point,
                       "%s: found 'point', expected none in the frame world, where "
                       "torques are about its origin",
                       path);
}

static dm_status read_wrench(const pb_reader *r, const pb_node *node, const dm_model *m,
                             dm_load *out) {
  pb_wrench s = {0};
  DM_TRY(pb_schema_read(r, "model.wrenches[]", node, pb_wrench_keys, &s));
  *out = (dm_load){0};
  return read_wrench_section(r, "model.wrenches[]", node, m, &s, out);
}

static dm_status read_damper(const pb_reader *r, const pb_node *node, const dm_model *m,
                             dm_load *out) {
  damper_section s = {0};
  DM_TRY(pb_schema_read(r, "model.dampers[]", node, pb_damper_keys, &s));
  *out = (dm_load){.name = s.name, .kind = DM_DAMPER, .damping = s.damping};
  return pb_tendon_read(r, "model.dampers[]", node, m, &out->tendon);
}

// [a, b], or [a, b, factor]
static dm_status read_plane(const pb_reader *r, const pb_node *node, const dm_model *m,
                            dm_plane *out) {
  const char *path = "inputs[].across";
  char found[64];
  *out = (dm_plane){.factor = 1};
  if (node->kind != PB_SEQUENCE || node->n < 2 || node->n > 3)
    return pb_refuse_node(r, node,
                          "%s: found %s, expected two coordinates, and perhaps a factor behind",
                          path, pb_node_describe(node, found));

  // two coordinates that span the plane
  const pb_node *a = node->first, *b = a->next;
  DM_TRY(pb_coordinate_read(r, path, a, m, &out->coord[0]));
  DM_TRY(pb_coordinate_read(r, path, b, m, &out->coord[1]));
  if (out->coord[0] == out->coord[1])
    return pb_refuse_node(r, b, "%s: found '%.64s' twice, expected two coordinates", path, b->text);
  if (b->next) DM_TRY(pb_schema_number(r, path, b->next, NULL, &out->factor));
  if (out->factor != 0) return DM_OK;
  return pb_refuse_node(r, b->next, "%s: found the factor 0, expected another number", path);
}

// one plane, or a list of planes
static dm_status read_across(const pb_reader *r, const pb_node *node, const dm_model *m,
                             dm_load *out) {
  const bool one = node->kind != PB_SEQUENCE || !node->first || node->first->kind == PB_SCALAR;
  dm_plane *plane;
  PB_NEW(r->arena, plane, one ? 1 : node->n);
  out->kind = DM_STEERING;
  out->plane = plane;
  if (one) DM_TRY(read_plane(r, node, m, &plane[out->nplanes++]));
  for (const pb_node *e = one ? NULL : node->first; e; e = e->next)
    DM_TRY(read_plane(r, e, m, &plane[out->nplanes++]));

  // refuse planes of the same two coordinates whose factors cancel; [b, a] is opposite to [a, b]
  for (int i = 0; i < out->nplanes; i++) {
    const int a = out->plane[i].coord[0], b = out->plane[i].coord[1];
    double sum = 0, size = 0;
    for (int j = 0; j < out->nplanes; j++) {
      const dm_plane *p = &out->plane[j];
      const bool same = p->coord[0] == a && p->coord[1] == b;
      const bool turned = p->coord[0] == b && p->coord[1] == a;
      if (same || turned) size += fabs(p->factor);
      if (same || turned) sum += same ? p->factor : -p->factor;
    }
    if (fabs(sum) <= 1e-14 * size)
      return pb_refuse_node(r, node,
                            "inputs[].across: found planes of '%.64s' and '%.64s' whose factors "
                            "cancel, expected one whose factor is not 0",
                            m->name[a], m->name[b]);
  }
  return DM_OK;
}

bool pb_file_load_moves(const pb_tree *t, const pb_file_load *x) {
  const dm_load *l = &x->load;
  const bool along = l->kind == DM_DAMPER || l->kind == DM_CABLE;
  return along ? pb_tree_moves_tendon(t, &l->tendon) : pb_tree_moves_body(t, l->body);
}

dm_status pb_actuator_read(const pb_tree *t, const char *path, const pb_node *node,
                           const pb_file_load **out) {
  const char **name;
  const pb_file_load **load;
  int n = 0, i;
  PB_NEW(t->r->arena, name, t->nload + 1);
  PB_NEW(t->r->arena, load, t->nload + 1);
  for (int k = 0; k < t->nload; k++) {
    if (!t->load[k].load.driven || !pb_file_load_moves(t, &t->load[k])) continue;
    name[n] = t->load[k].load.name;
    load[n++] = &t->load[k];
  }
  DM_TRY(pb_schema_name(t->r, path, node, "actuator", name, n, &i));
  *out = load[i];
  return DM_OK;
}

// the loads read so far, with their file positions
typedef struct found {
  const pb_reader *r;
  const pb_tree *t;
  const dm_model *m;
  int n;
  dm_load *load;
  pb_place *at;
} found;

static pb_place place_of(const found *f, const pb_node *node) {
  return (pb_place){f->r->file, node->line, node->column};
}

// append a load; names are unique among all loads
static dm_status put_load(found *f, const dm_load *load, pb_place at) {
  for (int i = 0; i < f->n; i++)
    if (!strcmp(f->load[i].name, load->name))
      return pb_refuse(f->r, at.file, at.line, at.column,
                       "found a second load named '%.64s', expected every name once", load->name);
  f->load[f->n] = *load;
  f->at[f->n++] = at;
  return DM_OK;
}

// append a load of the robot's file, with its tendon in the model's coordinates
static dm_status put_file_load(found *f, const pb_file_load *x) {
  dm_load load = x->load;
  double shift;
  if (!pb_file_load_moves(f->t, x)) return DM_OK;
  DM_TRY(pb_tendon_compile(f->r, f->t, f->m, &x->load.tendon, &load.tendon, &shift));
  return put_load(f, &load, x->at);
}

// append the force that carries a share of a body's weight
static dm_status put_lift(found *f, const pb_file_lift *x) {
  const dm_body *body = &f->t->body[x->body];
  const double *g = f->t->gravity, k = -x->share * body->mass;
  dm_load load = {
      .kind = DM_WRENCH_MIXED, .body = x->body, .force = {k * g[0], k * g[1], k * g[2]}};
  char *name;
  if (!pb_tree_moves_body(f->t, x->body) || k == 0) return DM_OK;
  PB_NEW(f->r->arena, name, strlen(body->name) + 16);
  snprintf(name, strlen(body->name) + 16, "%s/gravcomp", body->name);
  load.name = name;
  memcpy(load.point, body->centre, sizeof load.point);
  return put_load(f, &load, x->at);
}

// append the wrench, tension, steering or actuator of an input; an input on a joint is not a load
static dm_status put_input(found *f, const pb_node *node) {
  pb_input s;
  dm_load load = {.driven = true, .kind = DM_CABLE};
  const pb_file_load *own;
  DM_TRY(pb_input_read(f->r, node, &s));
  if (s.joint || s.free) return DM_OK;
  if (s.actuator) {
    DM_TRY(pb_actuator_read(f->t, "inputs[].actuator", pb_node_get(node, "actuator"), &own));
    return put_file_load(f, own);
  }
  load.name = s.wrench.name;
  if (s.path)
    DM_TRY(pb_tendon_read(f->r, "inputs[]", node, f->m, &load.tendon));
  else if (s.across)
    DM_TRY(read_across(f->r, s.across, f->m, &load));
  else
    DM_TRY(read_wrench_section(f->r, "inputs[]", node, f->m, &s.wrench, &load));
  return put_load(f, &load, place_of(f, pb_node_get(node, "name")));
}

typedef dm_status (*reader)(const pb_reader *r, const pb_node *node, const dm_model *m,
                            dm_load *out);

// append all loads of a list
static dm_status put_loads(found *f, const pb_node *list, reader one) {
  for (const pb_node *e = list ? list->first : NULL; e; e = e->next) {
    dm_load load;
    DM_TRY(one(f->r, e, f->m, &load));
    DM_TRY(put_load(f, &load, place_of(f, pb_node_get(e, "name"))));
  }
  return DM_OK;
}

dm_status pb_loads_read(const pb_part_source *from, dm_robot *out) {
  const pb_reader *r = from->r;
  const pb_tree *t = from->tree;
  const dm_model *m = from->m;
  const pb_node *dampers = pb_node_get(from->model, "dampers");
  const pb_node *wrenches = pb_node_get(from->model, "wrenches");
  const pb_node *inputs = from->inputs;
  found f = {.r = r, .t = t, .m = m};
  dm_message why = {""};
  int room = 1 + t->nload + t->nlift; // upper bound
  if (dampers) room += dampers->n;
  if (wrenches) room += wrenches->n;
  if (inputs) room += inputs->n;
  PB_NEW(r->arena, f.load, room);
  PB_NEW(r->arena, f.at, room);

  // undriven loads first, then driven ones in the order of the inputs
  for (int i = 0; i < t->nlift; i++) DM_TRY(put_lift(&f, &t->lift[i]));
  for (int i = 0; i < t->nload; i++)
    if (!t->load[i].load.driven) DM_TRY(put_file_load(&f, &t->load[i]));
  DM_TRY(put_loads(&f, dampers, read_damper));
  DM_TRY(put_loads(&f, wrenches, read_wrench));
  for (int i = 0; !inputs && i < t->nload; i++)
    if (t->load[i].load.driven) DM_TRY(put_file_load(&f, &t->load[i]));
  for (const pb_node *e = inputs ? inputs->first : NULL; e; e = e->next) DM_TRY(put_input(&f, e));
  if (f.n == 0) return DM_OK;
  dm_status s = dm_loads_new(&out->loads, m, f.n, f.load, &why);

  // locate the error: compiled alone, the bad load fails with the same sentence
  for (int i = 0; s == DM_BAD_INPUT && i < f.n; i++) {
    if (dm_loads_new(&out->loads, m, 1, &f.load[i], &why) == DM_BAD_INPUT)
      return pb_refuse(r, f.at[i].file, f.at[i].line, f.at[i].column, "%s", why.text);
    dm_loads_free(out->loads);
    out->loads = NULL;
  }
  return s;
}
