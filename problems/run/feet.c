#include "problems/run/feet.h"

#include "lib/base/block.h"

#include <math.h>
#include <stdlib.h>

static void lay_out_feet(void *self, dm_block *b) {
  pb_feet *w = self;
  const size_t n = (size_t)w->n;
  w->stands = dm_block_alloc(b, n, sizeof *w->stands);
  w->height = dm_block_alloc(b, n, sizeof *w->height);
  w->gap = dm_block_alloc(b, n, sizeof *w->gap);
  w->scratch = dm_block_alloc(b, dm_contacts_unilateral(w->contacts).scratch, 1);
}

void pb_feet_free(pb_feet *w) {
  if (!w) return;
  dm_contacts_free(w->contacts);
  dm_constraints_free(w->held);
  dm_block_free(w);
}

// does a constraint hold this body in the world?
static bool is_pin(const dm_constraint *c, int body) {
  return (c->body[0] == body && c->body[1] < 0) || (c->body[1] == body && c->body[0] < 0);
}

// the constraints that hold no foot, compiled again
static dm_status keep_constraints(pb_feet *w, const pb_verification *v, const dm_robot *robot,
                                  dm_message *msg) {
  const dm_constraint *of;
  const int n = robot->constraints ? dm_constraints_described(robot->constraints, &of) : 0;
  int kept = 0;
  dm_constraint *list = calloc((size_t)n + 1, sizeof *list);
  if (!list) return DM_NO_MEMORY;
  for (int i = 0; i < n; i++) {
    bool pin = false;
    for (int f = 0; f < w->n; f++) pin |= is_pin(&of[i], v->feet[f].body[0]);
    if (!pin) list[kept++] = of[i];
  }
  const dm_status s = kept ? dm_constraints_new(&w->held, robot->tree, kept, list, msg) : DM_OK;
  free(list);
  if (s == DM_OK && kept == n)
    return dm_fail(msg, DM_UNAVAILABLE,
                   "verify.contacts: found no constraint that holds the body of one of them in the "
                   "world, expected a foot that stands");
  return s;
}

// which feet stand in the plan
static void find_standing(pb_feet *w, const pb_verification *v, const dm_robot *robot) {
  const dm_constraint *of;
  const int n = robot->constraints ? dm_constraints_described(robot->constraints, &of) : 0;
  for (int f = 0; f < w->n; f++)
    for (int i = 0; i < n; i++) w->stands[f] |= is_pin(&of[i], v->feet[f].body[0]);
}

dm_status pb_feet_new(pb_feet **out, const pb_problem *p, dm_message *msg) {
  const pb_verification *v = &p->verify;
  const dm_robot *robot = &p->robot.mechanism;
  pb_feet sizes = {.n = v->nfeet, .robot = p->robot};
  *out = NULL;
  DM_TRY(dm_contacts_new(&sizes.contacts, robot->tree, v->nfeet, v->feet, msg));
  pb_feet *w = dm_block_make(&sizes, sizeof sizes, lay_out_feet);
  if (!w) {
    dm_contacts_free(sizes.contacts);
    return DM_NO_MEMORY;
  }
  find_standing(w, v, robot);
  const dm_status s = keep_constraints(w, v, robot, msg);
  if (s != DM_OK) {
    pb_feet_free(w);
    return s;
  }
  w->robot.mechanism.contacts = w->contacts;
  w->robot.mechanism.constraints = w->held;
  *out = w;
  return DM_OK;
}

dm_status pb_feet_place(pb_feet *w, const double *q, double ground, bool begins) {
  const dm_unilateral g = dm_contacts_unilateral(w->contacts);
  DM_TRY(g.values(g.self, w->scratch, q, w->gap));
  for (int i = 0; i < w->n; i++) {
    const double before = begins ? -INFINITY : w->height[i];
    w->height[i] = w->stands[i] ? 0 : fmax(before, fmin(ground, w->gap[i]));
  }
  return DM_OK;
}
