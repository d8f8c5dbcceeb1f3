// tests/support/marionette.h: the marionette of paper 001, from its data file next to the source
// tree (DMOC_SHARED, otherwise ../shared): 22 dynamic and 18 kinematic coordinates, six strings.
#ifndef TESTS_SUPPORT_MARIONETTE_H
#define TESTS_SUPPORT_MARIONETTE_H
#include "lib/multibody/constraint.h"
#include "tests/support/models.h"

#include <json-c/json.h>

enum { MARIONETTE_N = 40, MARIONETTE_D = 22, MARIONETTE_K = 18, MARIONETTE_C = 6 };

typedef struct marionette {
  dm_model *m;
  dm_constraints *c;
  dm_system s;
  json_object *data, *reference;
  double q0[MARIONETTE_N];
} marionette;

static inline json_object *marionette_get(json_object *o, const char *key) {
  json_object *x = json_object_object_get(o, key);
  if (!x) fail_msg("no key %s", key);
  return x;
}

static inline double marionette_number(json_object *o, size_t i) {
  return json_object_get_double(json_object_array_get_idx(o, i));
}

static inline void marionette_vector(json_object *o, double *out, size_t n) {
  for (size_t i = 0; i < n; i++) out[i] = marionette_number(o, i);
}

#define NO_MARIONETTE                                                                              \
  "no data/marionette.json in ../shared, or in the folder that DMOC_SHARED names"

// the tree as it is read: bodies with their joints, then the strings
typedef struct marionette_plan {
  int nbody, ncoord;
  dm_body body[16 + 2 * MARIONETTE_C];
  dm_coordinate coord[MARIONETTE_N];
  char name[2 * MARIONETTE_C][64]; // names of the bodies of the strings
  dm_constraint string[MARIONETTE_C];
} marionette_plan;

static inline int marionette_body(const marionette_plan *x, const char *name) {
  for (int k = 0; k < x->nbody; k++)
    if (!strcmp(x->body[k].name, name)) return k;
  return -1;
}

// read a body with its joints; its parent has already been read
static inline void marionette_read_body(marionette_plan *x, json_object *o, double damping) {
  json_object *parent = NULL;
  double p[3];
  dm_body *b = &x->body[x->nbody];
  *b = (dm_body){.name = json_object_get_string(marionette_get(o, "name")),
                 .parent = -1,
                 .offset = dm_identity,
                 .first = x->ncoord};
  if (json_object_object_get_ex(o, "parent", &parent) && parent)
    b->parent = marionette_body(x, json_object_get_string(parent));
  marionette_vector(marionette_get(o, "offset_in_parent"), p, 3);
  b->offset.p = dm_v(p[0], p[1], p[2]);
  b->mass = json_object_get_double(marionette_get(o, "mass"));
  marionette_vector(marionette_get(o, "inertia_diag_about_com"), b->inertia, 3);
  marionette_vector(marionette_get(o, "com_in_body"), b->centre, 3);

  // joints [kind, name], with kinds like "tx" or "ry"
  json_object *joints = marionette_get(o, "joints");
  for (size_t k = 0; k < json_object_array_length(joints); k++, b->ncoord++) {
    json_object *joint = json_object_array_get_idx(joints, k);
    const char *kind = json_object_get_string(json_object_array_get_idx(joint, 0));
    dm_coordinate *c = &x->coord[x->ncoord++];
    *c = models_coord(json_object_get_string(json_object_array_get_idx(joint, 1)), kind[0] == 't',
                      kind[1] == 'x', kind[1] == 'y', kind[1] == 'z');
    c->damping = damping;
  }
  x->nbody++;
}

// Read string i: a control point on two slides at its height, and a length, which is a coordinate
// of a separate massless body; all three are kinematic.
static inline void marionette_read_string(marionette_plan *x, json_object *o, int i) {
  json_object *control = marionette_get(o, "control_point");
  const int nb = x->nbody, nc = x->ncoord;
  dm_pose high = dm_identity;
  high.p.z = json_object_get_double(marionette_get(control, "z"));
  snprintf(x->name[2 * i], 64, "control %d", i);
  snprintf(x->name[2 * i + 1], 64, "length %d", i);
  const char *coord[] = {json_object_get_string(marionette_get(control, "x")),
                         json_object_get_string(marionette_get(control, "y")),
                         json_object_get_string(marionette_get(o, "length"))};
  x->body[nb] =
      (dm_body){.name = x->name[2 * i], .parent = -1, .offset = high, .first = nc, .ncoord = 2};
  x->body[nb + 1] = (dm_body){.name = x->name[2 * i + 1],
                              .parent = -1,
                              .offset = dm_identity,
                              .first = nc + 2,
                              .ncoord = 1};
  for (int k = 0; k < 3; k++) {
    x->coord[nc + k] = models_coord(coord[k], true, k != 1, k == 1, 0);
    x->coord[nc + k].kinematic = true;
  }

  // from the hook to the control point
  int hook = marionette_body(x, json_object_get_string(marionette_get(o, "hook_body")));
  x->string[i] = (dm_constraint){.name = json_object_get_string(marionette_get(o, "name")),
                                 .kind = DM_DISTANCE,
                                 .body = {hook, nb},
                                 .coord = {nc + 2, -1}};
  marionette_vector(marionette_get(o, "hook_offset"), x->string[i].point[0], 3);
  x->nbody += 2;
  x->ncoord += 3;
}

// Read the marionette and its reference motion, to be freed by marionette_close. Returns false if
// the file does not exist.
static inline bool marionette_open(marionette *w) {
  const char *shared = getenv("DMOC_SHARED");
  char path[2][600];
  static const char *const file[] = {"marionette.json", "marionette_reference.json"};
  for (int i = 0; i < 2; i++)
    snprintf(path[i], sizeof path[i], "%s/data/%s", shared ? shared : "../shared", file[i]);
  FILE *f = fopen(path[0], "r");
  if (!f) return false;
  fclose(f);
  w->data = json_object_from_file(path[0]);
  w->reference = json_object_from_file(path[1]);
  assert_non_null(w->data);
  assert_non_null(w->reference);

  // the tree
  static marionette_plan x;
  json_object *bodies = marionette_get(w->data, "bodies");
  json_object *strings = marionette_get(w->data, "strings");
  double damping = json_object_get_double(marionette_get(w->data, "damping_coefficient"));
  x.nbody = x.ncoord = 0;
  for (size_t i = 0; i < json_object_array_length(bodies); i++)
    marionette_read_body(&x, json_object_array_get_idx(bodies, i), damping);
  assert_int_equal(x.ncoord, MARIONETTE_D);
  for (int i = 0; i < MARIONETTE_C; i++)
    marionette_read_string(&x, json_object_array_get_idx(strings, (size_t)i), i);
  dm_tree tree = {.nbody = x.nbody, .ncoord = x.ncoord, .body = x.body, .coord = x.coord};
  marionette_vector(marionette_get(marionette_get(w->data, "world"), "gravity"), tree.gravity, 3);
  w->m = models_make(&tree);

  // the system with the midpoint rule, and the initial state
  assert_int_equal(dm_constraints_new(&w->c, w->m, MARIONETTE_C, x.string, NULL), DM_OK);
  w->s = dm_system_of(w->m);
  w->s.hol = dm_constraints_holonomic(w->c);
  dm_rule_set(&w->s.rule, "midpoint", 0.5, "left", NULL);
  json_object *start = marionette_get(w->data, "initial_configuration");
  for (int i = 0; i < MARIONETTE_N; i++)
    w->q0[i] = json_object_get_double(marionette_get(start, w->m->name[i]));
  return true;
}

static inline void marionette_close(marionette *w) {
  dm_constraints_free(w->c);
  dm_model_free(w->m);
  json_object_put(w->data);
  json_object_put(w->reference);
}

// the prescribed coordinates at step i of the reference
static inline void marionette_input(const marionette *w, int i, double *u) {
  double s = 0.1 * sin(0.6 * 3.14159265358979323846 * 0.01 * i);
  static const struct {
    const char *name;
    double sign;
  } moved[] = {{"left_leg_string-length", -1},
               {"right_leg_string-length", 1},
               {"left_arm_string-length", 1},
               {"right_arm_string-length", -1}};
  memcpy(u, w->q0 + MARIONETTE_D, MARIONETTE_K * sizeof *u);
  for (int k = 0; k < 4; k++)
    u[dm_model_coord(w->m, moved[k].name) - MARIONETTE_D] += moved[k].sign * s;
}
#endif
