// tests/support/marionette.h: the marionette of paper 001, from the file of its facts beside the
// source tree (DMOC_SHARED, else ../shared): 22 dynamic and 18 kinematic coordinates, six strings.
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

// False where the file is not there.
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

  static dm_coordinate c[MARIONETTE_N];
  static dm_body b[16 + 2 * MARIONETTE_C];
  static char name[2 * MARIONETTE_C][64];
  static dm_constraint string[MARIONETTE_C];
  json_object *bodies = marionette_get(w->data, "bodies");
  json_object *strings = marionette_get(w->data, "strings");
  double damping = json_object_get_double(marionette_get(w->data, "damping_coefficient"));
  int nb = 0, nc = 0;
  for (size_t i = 0; i < json_object_array_length(bodies); i++, nb++) {
    json_object *o = json_object_array_get_idx(bodies, i), *parent = NULL;
    b[nb] = (dm_body){.name = json_object_get_string(marionette_get(o, "name")),
                      .parent = -1,
                      .offset = dm_identity,
                      .first = nc};
    if (json_object_object_get_ex(o, "parent", &parent) && parent)
      for (int k = 0; k < nb; k++)
        if (!strcmp(b[k].name, json_object_get_string(parent))) b[nb].parent = k;
    double p[3];
    marionette_vector(marionette_get(o, "offset_in_parent"), p, 3);
    b[nb].offset.p = dm_v(p[0], p[1], p[2]);
    b[nb].mass = json_object_get_double(marionette_get(o, "mass"));
    marionette_vector(marionette_get(o, "inertia_diag_about_com"), b[nb].inertia, 3);
    marionette_vector(marionette_get(o, "com_in_body"), b[nb].centre, 3);
    json_object *joints = marionette_get(o, "joints");
    for (size_t k = 0; k < json_object_array_length(joints); k++, nc++, b[nb].ncoord++) {
      json_object *joint = json_object_array_get_idx(joints, k);
      const char *kind = json_object_get_string(json_object_array_get_idx(joint, 0));
      c[nc] = models_coord(json_object_get_string(json_object_array_get_idx(joint, 1)),
                           kind[0] == 't', kind[1] == 'x', kind[1] == 'y', kind[1] == 'z');
      c[nc].damping = damping;
    }
  }
  assert_int_equal(nc, MARIONETTE_D);
  // a string: a control point on two slides at its height, and a length that is a coordinate of a
  // massless body of its own
  for (int i = 0; i < MARIONETTE_C; i++) {
    json_object *o = json_object_array_get_idx(strings, (size_t)i);
    json_object *control = marionette_get(o, "control_point");
    const char *hook = json_object_get_string(marionette_get(o, "hook_body"));
    dm_pose high = dm_identity;
    high.p.z = json_object_get_double(marionette_get(control, "z"));
    snprintf(name[2 * i], 64, "control %d", i), snprintf(name[2 * i + 1], 64, "length %d", i);
    const char *coord[] = {json_object_get_string(marionette_get(control, "x")),
                           json_object_get_string(marionette_get(control, "y")),
                           json_object_get_string(marionette_get(o, "length"))};
    b[nb] = (dm_body){.name = name[2 * i], .parent = -1, .offset = high, .first = nc, .ncoord = 2};
    b[nb + 1] = (dm_body){
        .name = name[2 * i + 1], .parent = -1, .offset = dm_identity, .first = nc + 2, .ncoord = 1};
    for (int k = 0; k < 3; k++)
      c[nc + k] = models_coord(coord[k], true, k != 1, k == 1, 0), c[nc + k].kinematic = true;
    string[i] = (dm_constraint){.name = json_object_get_string(marionette_get(o, "name")),
                                .kind = DM_DISTANCE,
                                .body = {-1, nb},
                                .coord = {nc + 2, -1}};
    for (int k = 0; k < nb; k++)
      if (!strcmp(b[k].name, hook)) string[i].body[0] = k;
    marionette_vector(marionette_get(o, "hook_offset"), string[i].point[0], 3);
    nb += 2, nc += 3;
  }
  json_object *g = marionette_get(marionette_get(w->data, "world"), "gravity");
  dm_tree tree = {nb, nc, 0, b, c, NULL, {0}};
  marionette_vector(g, tree.gravity, 3);
  w->m = models_make(&tree);
  assert_int_equal(dm_constraints_new(&w->c, w->m, MARIONETTE_C, string, NULL), DM_OK);
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
  json_object_put(w->data), json_object_put(w->reference);
}

// the prescribed coordinates of step i of the reference
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
