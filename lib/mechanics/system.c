#include "lib/mechanics/system.h"

#include "lib/base/names.h"

#include <assert.h>
#include <math.h>

#define RULE(word, ...) {word, {__VA_ARGS__}},
const struct dm_rule_name dm_lagrangian_rules[] = {DM_LAGRANGIAN_RULES(RULE){NULL, {0}}};
const struct dm_rule_name dm_force_rules[] = {DM_FORCE_RULES(RULE){NULL, {0}}};
#undef RULE

static const dm_rule *find_rule(const struct dm_rule_name *rows, const char *name, const char *what,
                                dm_message *msg) {
  enum { MAX_RULES = 16 };
  const char *known[MAX_RULES];
  char text[128];
  // list the names and look up the given one
  int n = 0;

  while (n < MAX_RULES && rows[n].name) {
    known[n] = rows[n].name;
    n++;
  }
  int i = dm_names_find(known, n, name);
  if (i >= 0) return &rows[i].rule;
  dm_fail(msg, DM_BAD_INPUT, "no %s rule is named '%s'; known: %s", what, name,
          dm_names_join(known, n, text, sizeof text));
  return NULL;
}

dm_status dm_rule_set(dm_rule *rule, const char *lagrangian, double alpha, const char *force,
                      dm_message *msg) {
  const dm_rule *l = find_rule(dm_lagrangian_rules, lagrangian, "lagrangian", msg);
  const dm_rule *f = l ? find_rule(dm_force_rules, force, "force", msg) : NULL;
  if (!f) return DM_BAD_INPUT;

  // alpha is the position of the single point of the midpoint rule
  if (!(alpha >= 0 && alpha <= 1))
    return dm_fail(msg, DM_BAD_INPUT, "alpha must be in [0, 1], got %g", alpha);
  if (l->points != 1 && alpha != 0.5)
    return dm_fail(msg, DM_BAD_INPUT, "the %s rule has no alpha", lagrangian);

  // inner nodes determine the distribution of a force
  if (l->inner && f->left != 0.5)
    return dm_fail(msg, DM_BAD_INPUT,
                   "the %s rule shares forces out among its nodes, found the force rule '%s', "
                   "expected midpoint",
                   lagrangian, force);

  *rule = *l;
  rule->left = f->left;
  if (l->points == 1) rule->at[0] = alpha;
  return DM_OK;
}

double dm_system_length(const dm_system *s, const double *q) {
  double length = s->extent;
  for (int i = 0; s->length && i < s->L.nq; i++)
    if (s->length[i] && fabs(q[i]) > length) length = fabs(q[i]);
  return length;
}

void dm_system_motion_sizes(const dm_system *s, double h, double *size) {
  const int n = s->L.nq;
  for (int i = 0; i < n; i++) {
    size[i] = s->length && s->length[i] && s->extent > 0 ? s->extent : 1;
    size[n + i] = size[i] / (100 * h);
  }
}

double dm_system_decay(const dm_system *s, int i) {
  bool prescribed = s->kinematic && s->kinematic[i];
  if (!s->damping || !s->inertia || prescribed || !(s->inertia[i] > 0)) return 0;
  return s->damping[i] / s->inertia[i];
}

void dm_system_add_force(dm_system *s, dm_force force) {
  assert(s);
  dm_forces_add(&s->force, force);
  s->nu += force.nu;
}

// the weights sum to 1, and the points are within the step
static dm_status check_rule(const dm_rule *r, dm_message *msg) {
  static const double ROUNDED = 1e-12; // tolerance of the sum
  double sum = 0;
  bool within = r->left >= 0 && r->left <= 1;
  if (r->points < 1 || r->points > DM_MAX_POINTS || r->inner < 0 || r->inner > DM_MAX_INNER)
    return dm_fail(msg, DM_BAD_INPUT,
                   "the system's rule has %d points and %d nodes within the step, expected 1 to %d "
                   "and 0 to %d: dm_rule_set sets a rule by name",
                   r->points, r->inner, DM_MAX_POINTS, DM_MAX_INNER);
  for (int i = 0; i < r->points; i++) {
    sum += r->weight[i];
    within = within && r->at[i] >= 0 && r->at[i] <= 1;
  }
  for (int i = 0; i < r->inner; i++) within = within && r->node[i] > 0 && r->node[i] < 1;
  if (!within || !(fabs(sum - 1) <= ROUNDED))
    return dm_fail(msg, DM_BAD_INPUT,
                   "the system's rule has weights with the sum %g, expected 1, or a place outside "
                   "the step: dm_rule_set sets a rule by name",
                   sum);
  return DM_OK;
}

// each entry of x [n] is finite and >= 0; x may be NULL
static dm_status check_sizes(int n, const char *what, const double *x, dm_message *msg) {
  for (int i = 0; x && i < n; i++)
    if (!(x[i] >= 0 && x[i] < INFINITY))
      return dm_fail(msg, DM_BAD_INPUT, "%s[%d] of the system is %g, expected a finite number >= 0",
                     what, i, x[i]);
  return DM_OK;
}

dm_status dm_system_check(const dm_system *s, dm_message *msg) {
  int prescribed = 0;
  if (s->L.nq < 1) return dm_fail(msg, DM_BAD_INPUT, "the system has no coordinate");
  if (!s->L.eval) return dm_fail(msg, DM_BAD_INPUT, "the system's Lagrangian has no eval");
  for (int i = 0; s->kinematic && i < s->L.nq; i++) prescribed += s->kinematic[i];
  if (s->nk != prescribed)
    return dm_fail(msg, DM_BAD_INPUT,
                   "the system has %d kinematic coordinates by nk, and %d by kinematic", s->nk,
                   prescribed);
  DM_TRY(check_rule(&s->rule, msg));
  if (s->hol.nv && (s->rule.points != 1 || s->rule.at[0] != 0.5))
    return dm_fail(msg, DM_BAD_INPUT,
                   "the system has nonholonomic constraints, expected the midpoint rule");
  DM_TRY(check_sizes(s->L.nq, "damping", s->damping, msg));
  DM_TRY(check_sizes(s->L.nq, "inertia", s->inertia, msg));
  DM_TRY(check_sizes(s->L.nq, "lag", s->lag, msg));

  // counts, then the coordinate and gear of each joint input
  const int joints = s->nu - s->force.nu;
  if (s->nu < 0 || joints < 0)
    return dm_fail(msg, DM_BAD_INPUT,
                   "the system has %d inputs, of which %d are of its general forces", s->nu,
                   s->force.nu);
  if (joints > 0 && !s->input_coord)
    return dm_fail(
        msg, DM_BAD_INPUT,
        "the system has %d inputs at joints and no input_coord, which says where they act", joints);
  for (int i = 0; i < joints; i++) {
    if (s->input_coord[i] < 0 || s->input_coord[i] >= s->L.nq)
      return dm_fail(msg, DM_BAD_INPUT,
                     "input %d of the system acts on coordinate %d, expected one of 0 to %d", i,
                     s->input_coord[i], s->L.nq - 1);
    if (s->input_gear && !isfinite(s->input_gear[i]))
      return dm_fail(msg, DM_BAD_INPUT,
                     "input_gear[%d] of the system is %g, expected a finite number", i,
                     s->input_gear[i]);
  }
  return DM_OK;
}
