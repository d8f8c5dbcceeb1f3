#include "lib/mechanics/system.h"

#include "lib/base/names.h"

#include <assert.h>

#define RULE(word, ...) {word, {__VA_ARGS__}},
const struct dm_rule_name dm_lagrangian_rules[] = {DM_LAGRANGIAN_RULES(RULE){NULL, {0}}};
const struct dm_rule_name dm_force_rules[] = {DM_FORCE_RULES(RULE){NULL, {0}}};
#undef RULE

static const dm_rule *find_rule(const struct dm_rule_name *rows, const char *name, const char *what,
                                dm_message *msg) {
  enum { MAX_RULES = 16 };
  const char *known[MAX_RULES];
  char text[128];
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

  // alpha is the place of the one point of the midpoint rule
  if (!(alpha >= 0 && alpha <= 1))
    return dm_fail(msg, DM_BAD_INPUT, "alpha must be in [0, 1], got %g", alpha);
  if (l->points != 1 && alpha != 0.5)
    return dm_fail(msg, DM_BAD_INPUT, "the %s rule has no alpha", lagrangian);

  // nodes within the step have their own shares of a force
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
