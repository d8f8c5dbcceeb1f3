// tests/support/receding_scene.h: receding-horizon control of a cart-pole along a motion.
#ifndef TEST_RECEDING_SCENE_H
#define TEST_RECEDING_SCENE_H
#include "control/feedback/mechanics.h"
#include "control/feedback/output_feedback.h"
#include "control/feedback/receding.h"
#include "control/onboard/onboard.h"
#include "lib/discrete/del.h"
#include "tests/support/springs.h"

enum { STEPS = 40 };
static const double H = 0.02;

static inline fb_mechanics *make_mechanics(const dm_model *m, const dm_springs *springs,
                                           dm_loads *loads, dm_joint_forces *friction,
                                           const dm_system *s, double h) {
  fb_mechanics *w;
  dm_message msg = {""};
  const dm_robot robot = {.tree = (dm_model *)m,
                          .model = (dm_model *)m,
                          .springs = (dm_springs *)springs,
                          .loads = loads,
                          .joint = {[DM_JOINT_FRICTION] = friction}};
  if (fb_mechanics_new(&w, &robot, s, h, FB_OF_STEPS, &msg) != DM_OK) fail_msg("%s", msg.text);
  return w;
}

typedef struct scene {
  dm_model *m;
  dm_system s;
  dm_trajectory *x;
  fb_tvlqr *f;
  dm_loads *loads;
  fb_mechanics *mechanics;
  fb_output_feedback *law;
  int nu;
} scene;

static const double Q[] = {20, 10, 1, 1}, R[] = {0.2};

// a cart-pole from an angle under an input of this size, with gains of the end weight Qf, and a force
// fixed to its pole (NULL: none)
static inline scene open_pushed(double angle, double size, const double *Qf, const dm_load *push,
                                const fb_receding *o) {
  scene z = {.m = models_cart_pole()};
  dm_message msg = {""};
  dm_del_info info;
  dm_del *del;
  int failed;
  z.s = dm_system_of(z.m);
  z.nu = z.m->nu;
  if (push) assert_int_equal(dm_loads_new(&z.loads, z.m, 1, push, NULL), DM_OK);
  if (push) dm_system_add_force(&z.s, dm_loads_force(z.loads));
  assert_int_equal(dm_trajectory_new(&z.x, STEPS, 2, 1), DM_OK);
  z.x->h = H;
  z.x->q[1] = angle;
  for (int k = 0; k < STEPS; k++) z.x->u[k] = size * sin(0.2 * k);
  assert_int_equal(dm_del_new(&del, &z.s, NULL), DM_OK);
  assert_int_equal(dm_trajectory_rollout(z.x, del, &info, &failed), DM_OK);
  dm_del_free(del);
  fb_weights weights = {.Q = Q, .R = R, .Qf = Qf};
  if (fb_tvlqr_new(&z.f, z.x, &z.s, &weights, &failed, &msg) != DM_OK) fail_msg("%s", msg.text);
  z.mechanics = make_mechanics(z.m, NULL, z.loads, NULL, &z.s, H);
  z.f->tree = fb_mechanics_tables(z.mechanics);
  if (fb_output_feedback_new(&z.law, z.f, &z.s, FB_STATE, true, &msg) != DM_OK)
    fail_msg("%s", msg.text);
  if (fb_receding_start(z.law, o, &msg) != DM_OK) fail_msg("%s", msg.text);
  return z;
}

static inline scene open_motion(double angle, double size, const double *Qf, const fb_receding *o) {
  return open_pushed(angle, size, Qf, NULL, o);
}

// it swings
static inline scene open_scene(const fb_receding *o) {
  return open_motion(2.5, 3, Q, o);
}

// it rests, which goes on
static inline scene open_rest(const fb_receding *o) {
  fb_receding goes_on = *o;
  goes_on.rests = true;
  return open_motion(0, 0, Q, &goes_on);
}

static inline void close_scene(scene *z) {
  fb_output_feedback_free(z->law);
  fb_mechanics_free(z->mechanics);
  fb_tvlqr_free(z->f);
  dm_trajectory_free(z->x);
  dm_loads_free(z->loads);
  dm_model_free(z->m);
}

#endif
