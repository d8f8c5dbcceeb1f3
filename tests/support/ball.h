// tests/support/ball.h: mechanisms with ball joints, as unit quaternions.
#ifndef TESTS_SUPPORT_BALL_H
#define TESTS_SUPPORT_BALL_H
#include "tests/support/models.h"

#include "lib/multibody/ball_joint.h"
#include "lib/multibody/quaternion_system.h"

// the three rotations of a ball joint
#define BALL(name)                                                                                 \
  ball_turn(name ".rz", 2, true), ball_turn(name ".rx", 0, false), ball_turn(name ".ry", 1, false)

static inline dm_coordinate ball_turn(const char *name, int axis, bool first) {
  dm_coordinate c = models_coord(name, false, axis == 0, axis == 1, axis == 2);
  c.ball = first;
  return c;
}

typedef struct ball_machine {
  dm_model *tree, *model;
  dm_quaternion_system *embed;
  dm_constraints *c;
  dm_loads *f;
  dm_system s;
} ball_machine;

// a tree in quaternion coordinates, with constraints and loads
static inline void ball_make(ball_machine *w, const dm_tree *t, int nc, const dm_constraint *c,
                             int nf, const dm_load *f) {
  dm_message msg = {""};
  *w = (ball_machine){.tree = models_make(t)};
  dm_system inside = dm_system_of(w->tree);
  if (dm_ball_model(&w->model, w->tree, &msg) != DM_OK) fail_msg("%s", msg.text);
  if (nc) {
    assert_int_equal(dm_constraints_new(&w->c, w->tree, nc, c, &msg), DM_OK);
    inside.hol = dm_constraints_holonomic(w->c);
  }
  if (nf) {
    assert_int_equal(dm_loads_new(&w->f, w->tree, nf, f, &msg), DM_OK);
    dm_system_add_force(&inside, dm_loads_force(w->f));
  }
  assert_int_equal(dm_quaternion_system_new(&w->embed, w->tree, w->model, &inside), DM_OK);
  w->s = dm_quaternion_system_of(w->embed);
}

static inline void ball_free(ball_machine *w) {
  dm_quaternion_system_free(w->embed);
  dm_loads_free(w->f);
  dm_constraints_free(w->c);
  dm_model_free(w->model);
  dm_model_free(w->tree);
}

// one rigid body about its center of mass
static inline void ball_body(ball_machine *w, double xx, double yy, double zz) {
  dm_coordinate c[] = {BALL("body")};
  dm_body b[] = {{"body", -1, dm_identity, 0, 3, 1, {0}, {xx, yy, zz}}};
  ball_make(w, &(dm_tree){.nbody = 1, .ncoord = 3, .body = b, .coord = c}, 0, NULL, 0, NULL);
}

// a floating base, an arm of two links at a shoulder and an elbow, a leg at a ball joint; torques
// at the elbow and about two axes of the shoulder
static inline dm_tree ball_astronaut(double g) {
  static dm_coordinate c[13];
  static dm_body b[5];
  static dm_input u[3];
  const dm_coordinate coord[] = {models_coord("x", true, 1, 0, 0),
                                 models_coord("y", true, 0, 1, 0),
                                 models_coord("z", true, 0, 0, 1),
                                 BALL("base"),
                                 BALL("shoulder"),
                                 models_coord("elbow", false, 0.6, 0, 0.8),
                                 BALL("hip")};

  // offsets rotated about skew axes, so that no two joint axes are aligned
  const double turn[3] = {0.3, -0.4, 0.7}, place[3] = {0.2, 0.1, 0.4}, along[3] = {0, 0.3, 0.1};
  const dm_body body[] = {
      {"trunk", -1, dm_identity, 0, 6, 9, {0.1, 0, 0.2}, {0.9, 0.7, 0.4, 0.1, -0.05, 0.02}},
      {"arm", 0, dm_pose_rpy(turn, place), 6, 3, 2, {0.1, 0.2, 0}, {0.05, 0.06, 0.04, 0.01, 0, 0}},
      {"hand", 1, dm_pose_rpy(along, along), 9, 1, 1, {0, 0.1, -0.2}, {0.02, 0.01, 0.02}},
      {"leg", 0, dm_pose_rpy(along, turn), 10, 3, 3, {0, 0.1, -0.4}, {0.2, 0.21, 0.03, 0.01}}};
  const dm_input input[] = {models_input("elbow", 9), models_input("shoulder.rx", 7),
                            models_input("shoulder.rz", 6)};
  memcpy(c, coord, sizeof coord);
  memcpy(b, body, sizeof body);
  memcpy(u, input, sizeof input);
  return (dm_tree){.nbody = 4,
                   .ncoord = 13,
                   .ninput = 3,
                   .body = b,
                   .coord = c,
                   .input = u,
                   .gravity = {0, 0, g}};
}

// random coordinates [nq] with unit quaternions, and velocities that preserve their length
static inline void ball_random(const dm_model *m, uint64_t *r, double *q, double *v) {
  for (int i = 0; i < m->nq; i++) {
    q[i] = models_random(r);
    v[i] = models_random(r);
  }
  for (int k = 0; k < m->nball; k++) {
    double *x = q + m->quaternion[k], *y = v + m->quaternion[k], xx = 0, xy = 0;
    for (int i = 0; i < 4; i++) {
      xx += x[i] * x[i];
      xy += x[i] * y[i];
    }
    for (int i = 0; i < 4; i++) {
      y[i] -= xy / xx * x[i];
      x[i] /= sqrt(xx);
    }
  }
}
#endif
