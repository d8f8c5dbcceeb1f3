#include "lib/mechanics/system.h"

#include <stdio.h>
#include <string.h>

#define RULE(word, ...) {word, {__VA_ARGS__}},
const struct dm_rule_name dm_lagrangian_rules[] = {DM_LAGRANGIAN_RULES(RULE){NULL, {0}}};
const struct dm_rule_name dm_force_rules[] = {DM_FORCE_RULES(RULE){NULL, {0}}};
#undef RULE

static const dm_rule *find(const struct dm_rule_name *rows, const char *name, const char *what,
                           dm_message *msg) {
  char known[128] = "";
  for (; rows->name; rows++) {
    if (!strcmp(rows->name, name)) return &rows->rule;
    size_t at = strlen(known);
    snprintf(known + at, sizeof known - at, "%s%s", at ? ", " : "", rows->name);
  }
  dm_fail(msg, DM_BAD_INPUT, "no %s rule is named '%s'; known: %s", what, name, known);
  return NULL;
}

dm_status dm_rule_set(dm_rule *rule, const char *lagrangian, double alpha, const char *force,
                      dm_message *msg) {
  const dm_rule *l = find(dm_lagrangian_rules, lagrangian, "lagrangian", msg);
  const dm_rule *f = l ? find(dm_force_rules, force, "force", msg) : NULL;
  if (!f) return DM_BAD_INPUT;
  if (!(alpha >= 0 && alpha <= 1))
    return dm_fail(msg, DM_BAD_INPUT, "alpha must be in [0, 1], got %g", alpha);
  if (l->points != 1 && alpha != 0.5)
    return dm_fail(msg, DM_BAD_INPUT, "the %s rule has no alpha", lagrangian);
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
  s->nu += force.nu - s->force.nu;
  s->force = force;
}
