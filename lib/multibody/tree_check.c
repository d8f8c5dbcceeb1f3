#include "lib/multibody/tree_check.h"

#include <math.h>
#include <string.h>

bool dm_tree_locked(const dm_tree *t, int c, double *value) {
  const dm_coordinate *x = &t->coord[c];
  const dm_coordinate *master = x->mimic >= 0 ? &t->coord[x->mimic] : x;
  if (!master->locked) return false;
  // a mimic coordinate has the position ratio q_master + shift
  if (value) *value = x->mimic >= 0 ? x->ratio * master->value + x->shift : master->value;
  return true;
}

// the three joints of a ball joint: about z, x, y, of one body, free, and without other properties
static dm_status check_ball(const dm_tree *t, int c, dm_message *msg) {
  // all three belong to the same body
  bool good = false;
  for (int b = 0; b < t->nbody; b++)
    good |= c >= t->body[b].first && c + 3 <= t->body[b].first + t->body[b].ncoord;

  // each is a free rotation about its own axis (z, x, y), with the damping of the first
  for (int k = 0; k < 3 && good; k++) {
    const dm_coordinate *x = &t->coord[c + k];
    good = !x->slides && x->axis[(k + 2) % 3] == 1 && x->mimic < 0 && !x->kinematic &&
           x->armature == t->coord[c].armature && x->ball == !k &&
           x->damping == t->coord[c].damping && !x->locked;
    // no coordinate mimics one of them, and none has limits
    for (int d = 0; d < t->ncoord; d++) good &= t->coord[d].mimic != c + k;
    good &= dm_range_is_none(x->limit) && x->v_max == INFINITY;
  }
  if (good) return DM_OK;
  return dm_fail(
      msg, DM_BAD_INPUT,
      "coordinate '%s': a ball joint is three turns about z, x, y, not kinematic, of one "
      "damping and armature, without limits, copies or locks",
      t->coord[c].name);
}

// a locked coordinate has a finite value and no other motion
static dm_status check_lock(const dm_coordinate *x, dm_message *msg) {
  if (!isfinite(x->value))
    return dm_fail(msg, DM_BAD_INPUT, "coordinate '%s': it is locked at %g, expected a number",
                   x->name, x->value);
  if (x->mimic >= 0 || x->kinematic)
    return dm_fail(msg, DM_BAD_INPUT, "coordinate '%s' is locked and %s, expected one of them",
                   x->name, x->kinematic ? "kinematic" : "a mimic");
  return DM_OK;
}

// a mimic follows an independent coordinate with a nonzero ratio
static dm_status check_mimic(const dm_tree *t, int c, dm_message *msg) {
  const dm_coordinate *x = &t->coord[c];
  // -1: not a mimic; the master is another coordinate and not a mimic itself
  if (x->mimic < -1 || x->mimic >= t->ncoord || x->mimic == c)
    return dm_fail(msg, DM_BAD_INPUT, "coordinate '%s' mimics one that does not exist", x->name);
  if (x->mimic >= 0 && t->coord[x->mimic].mimic >= 0)
    return dm_fail(msg, DM_BAD_INPUT, "coordinate '%s' mimics '%s', which is a mimic itself",
                   x->name, t->coord[x->mimic].name);
  if (x->mimic >= 0 && !(isfinite(x->ratio) && x->ratio != 0 && isfinite(x->shift)))
    return dm_fail(msg, DM_BAD_INPUT, "coordinate '%s': ratio must be finite and not 0, got %g",
                   x->name, x->ratio);
  return DM_OK;
}

static dm_status check_coordinate(const dm_tree *t, int c, dm_message *msg) {
  const dm_coordinate *x = &t->coord[c];

  // a unit axis to ten digits; nonnegative damping and armature
  double a = x->axis[0] * x->axis[0] + x->axis[1] * x->axis[1] + x->axis[2] * x->axis[2];
  if (!(fabs(a - 1) < 1e-9))
    return dm_fail(msg, DM_BAD_INPUT, "coordinate '%s': its axis must have length 1, got %g",
                   x->name, sqrt(a));
  if (!isfinite(x->damping) || x->damping < 0)
    return dm_fail(msg, DM_BAD_INPUT, "coordinate '%s': damping must be >= 0, got %g", x->name,
                   x->damping);
  if (!isfinite(x->armature) || x->armature < 0)
    return dm_fail(msg, DM_BAD_INPUT, "coordinate '%s': armature must be >= 0, got %g", x->name,
                   x->armature);

  // relations to other coordinates
  DM_TRY(check_mimic(t, c, msg));
  if (x->ball) DM_TRY(check_ball(t, c, msg));
  if (x->locked) DM_TRY(check_lock(x, msg));

  // names are keys of problem files and of results
  for (int d = 0; d < c; d++)
    if (!strcmp(x->name, t->coord[d].name))
      return dm_fail(msg, DM_BAD_INPUT, "two coordinates are named '%s'", x->name);
  return DM_OK;
}

static dm_status check_body(const dm_tree *t, int b, dm_message *msg) {
  const dm_body *x = &t->body[b];
  if (x->parent < -1 || x->parent >= b)
    return dm_fail(msg, DM_BAD_INPUT, "body '%s' comes before its parent, expected it after",
                   x->name);
  if (x->ncoord < 0 || x->first < 0 || x->first + x->ncoord > t->ncoord)
    return dm_fail(msg, DM_BAD_INPUT, "body '%s' refers to coordinates that do not exist", x->name);
  if (!isfinite(x->mass) || x->mass < 0)
    return dm_fail(msg, DM_BAD_INPUT, "body '%s': mass must be >= 0, got %g", x->name, x->mass);

  // the sum detects NaN and infinity in pose, center or inertia; |x|^2 + |y|^2 + |z|^2 - 3 is zero
  // up to rounding, because the axes of the frame have length 1
  const dm_pose *o = &x->offset;
  double sum =
      dm_dot(o->x, o->x) + dm_dot(o->y, o->y) + dm_dot(o->z, o->z) - 3 + o->p.x + o->p.y + o->p.z;
  for (int i = 0; i < 3; i++) sum += x->centre[i];
  for (int i = 0; i < 6; i++) sum += x->inertia[i];
  if (!isfinite(sum))
    return dm_fail(msg, DM_BAD_INPUT, "body '%s': a number is not finite", x->name);
  return DM_OK;
}

static dm_status check_input(const dm_tree *t, int i, dm_message *msg) {
  const dm_input *x = &t->input[i];
  if (x->coord < -1 || x->coord >= t->ncoord)
    return dm_fail(msg, DM_BAD_INPUT, "input '%s' acts on a coordinate that does not exist",
                   x->name);
  if (x->coord >= 0 && dm_tree_locked(t, x->coord, NULL))
    return dm_fail(msg, DM_BAD_INPUT, "input '%s' acts on '%s', which is locked", x->name,
                   t->coord[x->coord].name);

  // inputs of loads come last, as in dm_system
  if (x->coord >= 0 && i > 0 && t->input[i - 1].coord < 0)
    return dm_fail(msg, DM_BAD_INPUT,
                   "input '%s' comes after one of a load, expected inputs of loads last", x->name);
  if (!(x->u_min <= x->u_max))
    return dm_fail(msg, DM_BAD_INPUT, "input '%s': its limits [%g, %g] are empty", x->name,
                   x->u_min, x->u_max);
  return DM_OK;
}

static dm_status check_rotor(const dm_tree *t, const dm_rotor *x, dm_message *msg) {
  double sum = x->inertia;
  // coordinates exist and do not belong to ball joints; the sum detects NaN and infinity
  for (int i = 0; i < x->ncoord; i++) {
    const int c = x->coord[i];
    if (c < 0 || c >= t->ncoord)
      return dm_fail(msg, DM_BAD_INPUT, "rotor '%s' refers to a coordinate that does not exist",
                     x->name);
    for (int k = 0; k < 3 && k <= c; k++)
      if (t->coord[c - k].ball)
        return dm_fail(msg, DM_BAD_INPUT, "rotor '%s' is turned by a ball joint, expected others",
                       x->name);
    sum += fabs(x->factor[i]);
  }
  if (isfinite(sum) && x->inertia >= 0) return DM_OK;
  return dm_fail(msg, DM_BAD_INPUT, "rotor '%s': its inertia must be >= 0, got %g", x->name,
                 x->inertia);
}

dm_status dm_tree_check(const dm_tree *t, dm_message *msg) {
  for (int c = 0; c < t->ncoord; c++) DM_TRY(check_coordinate(t, c, msg));
  for (int b = 0; b < t->nbody; b++) DM_TRY(check_body(t, b, msg));
  for (int i = 0; i < t->ninput; i++) DM_TRY(check_input(t, i, msg));
  for (int i = 0; i < t->nrotor; i++) DM_TRY(check_rotor(t, &t->rotor[i], msg));
  if (!isfinite(t->gravity[0] + t->gravity[1] + t->gravity[2]))
    return dm_fail(msg, DM_BAD_INPUT, "gravity is not finite");
  return DM_OK;
}
