#include "problems/readers/model/lock.h"

#include <math.h>
#include <stdio.h>

// refuse a value outside the limits of the joint or of coordinate c, which copies it
static dm_status check_lock_limits(const pb_tree *t, const pb_node *entry, int c, double value) {
  const dm_coordinate *x = &t->coord[c];
  if (dm_range_has(x->limit, value)) return DM_OK;

  // its own limits, or those of a mimic joint, which the message names
  if (x->mimic < 0)
    return pb_refuse_node(t->r, entry,
                          "model.lock.%.64s: found %g, expected a value within its limits [%g, %g]",
                          x->name, value, x->limit.low, x->limit.high);
  return pb_refuse_node(t->r, entry,
                        "model.lock.%.64s: found %g, which puts '%.64s' at %g, expected that "
                        "within its limits [%g, %g]",
                        t->coord[x->mimic].name, t->coord[x->mimic].value, x->name, value,
                        x->limit.low, x->limit.high);
}

// refuse joints that cannot be locked alone
static dm_status check_lockable(const pb_tree *t, const pb_node *entry, int c) {
  const dm_coordinate *x = &t->coord[c];

  // a mimic joint follows its master; a ball joint moves as a whole
  if (x->mimic >= 0)
    return pb_refuse_key(t->r, entry,
                         "model.lock: found '%.64s', which follows '%.64s', expected that one",
                         x->name, t->coord[x->mimic].name);
  if (pb_tree_in_ball(t, c))
    return pb_refuse_key(t->r, entry,
                         "model.lock: found '%.64s', a turn of a ball joint, expected a joint that "
                         "slides or turns about one axis",
                         x->name);
  // kinematic coordinates are moved by inputs
  if (x->kinematic)
    return pb_refuse_key(t->r, entry,
                         "model.lock: found '%.64s', which is kinematic, expected one that is not",
                         x->name);
  return DM_OK;
}

// lock coordinate c and its mimic joints
static dm_status lock_joint(pb_tree *t, const pb_node *entry, int c, double value,
                            const char **locked) {
  DM_TRY(check_lockable(t, entry, c));
  DM_TRY(check_lock_limits(t, entry, c, value));

  // lock it, and remember its name for messages
  t->coord[c].locked = true;
  t->coord[c].value = value;
  locked[t->r->nlocked++] = t->coord[c].name;

  // mimic joints stay at ratio value + shift
  for (int i = 0; i < t->ncoord; i++) {
    const dm_coordinate *copy = &t->coord[i];
    if (copy->mimic != c) continue;
    DM_TRY(check_lock_limits(t, entry, i, copy->ratio * value + copy->shift));
    locked[t->r->nlocked++] = copy->name;
  }
  return DM_OK;
}

dm_status pb_lock_read(pb_tree *t, const pb_node *node) {
  pb_joint_list joints;
  double *value;
  const char **locked;
  char found[64];
  if (!node) return DM_OK;

  // a value for each named joint, NAN for the others
  if (node->kind != PB_MAPPING)
    return pb_refuse_node(t->r, node, "model.lock: found %s, expected a mapping: joint: value",
                          pb_node_describe(node, found));
  DM_TRY(pb_tree_joints(t, &joints));
  PB_NEW(t->r->arena, value, joints.n);
  PB_NEW(t->r->arena, locked, joints.n);
  t->r->locked = locked;
  for (int i = 0; i < joints.n; i++) value[i] = NAN;
  DM_TRY(pb_schema_each(t->r, "model.lock", node, NULL, "joint", joints.name, joints.n, value));

  // in the order of the file, so that the first error is reported
  for (const pb_node *e = node->first; e; e = e->next) {
    int c = pb_tree_find_coord(t, e->key);
    for (int i = 0; i < joints.n; i++)
      if (joints.coord[i] == c) DM_TRY(lock_joint(t, e, c, value[i], locked));
  }
  DM_TRY(pb_tree_joints(t, &joints));

  // some joint must remain, except for inspection
  if (joints.n == 0 && !t->r->draft)
    return pb_refuse_node(t->r, node,
                          "model.lock: found every joint locked, expected one that moves");
  return DM_OK;
}
