#include "problems/readers/task/read_goal.h"

#include "optim/task/travel.h"
#include "problems/readers/model/keyframe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const pb_key pb_goal_keys[] = {
    PB_END_KEYS,
    PB_KEY(pb_end, periodic, .type = PB_WORD, .also = "cyclic closed loop repeat repeats",
           .absent = "false", .words = "false true",
           .about = "`true`: the motion is periodic and may have `travel` and `turns`"),
    PB_KEY(pb_end, travel, .type = PB_NODE, .also = "distance way stride advance",
           .unit = "m or rad", .note = "0", .words = "number, [low, high] or free, by coordinate",
           .about = "Displacement of a coordinate over one period"),
    PB_KEY(pb_end, turns, .type = PB_NODE, .also = "revolutions laps", .note = "0",
           .words = "whole number by coordinate",
           .about = "Revolutions of a joint over one period"),
    {0}};

static bool is_word(const pb_node *node, const char *word) {
  return node && node->kind == PB_SCALAR && !strcmp(node->text, word);
}

const pb_node *pb_goal_periodic(const pb_node *goal) {
  const pb_node *said = goal && goal->kind == PB_MAPPING ? pb_node_get(goal, "periodic") : NULL;
  if (is_word(goal, "start")) return goal;
  return is_word(said, "true") ? said : NULL;
}

// the coordinate with the name of an entry; refuses parts of a ball joint's orientation
static dm_status find_coordinate(const pb_reader *r, const char *path, const pb_node *e, int *i) {
  for (int k = 0; k < r->nball; k++) {
    const char *first = r->coord[r->quaternion[k]];
    const size_t length = strlen(first) - strlen(".qw"); // NAME.qw, .qx, ..
    if (strncmp(first, e->key, length) || (e->key[length] && e->key[length] != '.')) continue;
    return pb_refuse_key(r, e,
                         "%s: found '%.64s', a ball joint, expected a coordinate that slides or "
                         "turns: a ball joint comes back to its quaternion, as one turn does not",
                         path, e->key);
  }

  // a node for the key, so that errors refer to it
  const pb_node name = {
      .kind = PB_SCALAR, .text = e->key, .line = e->key_line, .column = e->key_column};
  return pb_schema_name(r, path, &name, "coordinate", r->coord, r->n, i);
}

static dm_status check_by_coordinate(const pb_reader *r, const char *path, const pb_node *node) {
  char found[64];
  if (node->kind == PB_MAPPING) return DM_OK;
  return pb_refuse_node(r, node, "%s: found %s, expected it by coordinate, as in {%.64s: ...}",
                        path, pb_node_describe(node, found), r->n ? r->coord[0] : "x");
}

dm_status pb_travel_read(const pb_reader *r, const char *path, const pb_node *node,
                         double range[2]) {
  range[0] = -INFINITY;
  range[1] = INFINITY;
  if (is_word(node, "free")) return DM_OK;
  if (node->kind == PB_SEQUENCE) return pb_schema_limits(r, path, node, range);
  DM_TRY(pb_schema_number(r, path, node, "[-1e100, 1e100]", range));
  range[1] = range[0];
  return DM_OK;
}

// travel: {x: 0.5, y: [0, 0.1], z: free}
static dm_status read_travel(const pb_reader *r, const pb_node *node, double *low, double *high) {
  if (!node) return DM_OK;
  DM_TRY(check_by_coordinate(r, "goal.travel", node));
  for (const pb_node *e = node->first; e; e = e->next) {
    char path[96];
    double range[2];
    int i;
    DM_TRY(find_coordinate(r, "goal.travel", e, &i));
    snprintf(path, sizeof path, "goal.travel.%.64s", e->key);
    DM_TRY(pb_travel_read(r, path, e, range));
    low[i] = range[0];
    high[i] = range[1];
  }
  return DM_OK;
}

// turns: {wheel: 1}, in revolutions
static dm_status read_turns(const pb_reader *r, const pb_node *node, const dm_model *m,
                            const pb_node *travel, double *low, double *high) {
  if (!node) return DM_OK;
  DM_TRY(check_by_coordinate(r, "goal.turns", node));
  for (const pb_node *e = node->first; e; e = e->next) {
    char path[96];
    double turns;
    int i;
    DM_TRY(find_coordinate(r, "goal.turns", e, &i));
    snprintf(path, sizeof path, "goal.turns.%.64s", e->key);
    if (m->kind[i] != DM_TURN)
      return pb_refuse_key(r, e, "%s: found a coordinate that slides, expected one that turns",
                           path);
    if (travel && pb_node_get(travel, r->coord[i]))
      return pb_refuse_key(r, e, "%s: found one beside goal.travel, expected one of them", path);
    DM_TRY(pb_schema_number(r, path, e, "[-1000, 1000]", &turns));
    if (turns != floor(turns))
      return pb_refuse_node(r, e, "%s: found %g, expected a whole number", path, turns);
    low[i] = high[i] = 2 * acos(-1) * turns;
  }
  return DM_OK;
}

dm_status pb_goal_read(pb_reader *r, const pb_node *goal, const dm_model *m, pb_end *out,
                       oc_task *task) {
  static const char *const ways[] = {"travel", "turns"};
  char found[64];

  // the word start, or a section, whose q and v must be absent if the motion is periodic
  if (goal && goal->kind == PB_SCALAR && !is_word(goal, "start"))
    return pb_refuse_node(r, goal, "goal: found %s, expected a mapping {q: ..., v: ...}, or start",
                          pb_node_describe(goal, found));
  DM_TRY(pb_schema_read(r, "goal", is_word(goal, "start") ? NULL : goal, pb_goal_keys, out));
  if (!is_word(goal, "start")) DM_TRY(pb_keyframe_read(r, "goal.keyframe", goal, out));
  if (pb_goal_periodic(goal)) {
    // read a periodic goal
    static const char *const other[] = {"q", "v", "a", "near", "assemble"};
    double *low, *high;
    for (int i = 0; i < 5 && goal->kind == PB_MAPPING; i++)
      if (pb_node_get(goal, other[i]))
        return pb_refuse_key(
            r, pb_node_get(goal, other[i]),
            "goal.%s: found one beside 'periodic: true', expected none: the motion "
            "ends as it begins, by 'start'",
            other[i]);

    // no travel by default
    PB_NEW(r->arena, low, r->n);
    PB_NEW(r->arena, high, r->n);
    DM_TRY(read_travel(r, out->travel, low, high));
    DM_TRY(read_turns(r, out->turns, m, out->travel, low, high));
    task->periodic = true;
    task->bounds[OC_TRAVEL] = (dm_bounds){low, high};
    return DM_OK;
  }
  for (int i = 0; goal && i < 2; i++)
    if (pb_node_get(goal, ways[i]))
      return pb_refuse_key(r, pb_node_get(goal, ways[i]),
                           "goal.%s: found one without 'periodic: true', expected both", ways[i]);
  return DM_OK;
}

// the node with the travel of coordinate i, or the goal
static const pb_node *find_travel(const pb_reader *r, const pb_node *goal, int i) {
  const pb_node *list[] = {pb_node_get(goal, "travel"), pb_node_get(goal, "turns")};
  for (int k = 0; goal->kind == PB_MAPPING && k < 2; k++)
    if (list[k] && pb_node_get(list[k], r->coord[i])) return pb_node_get(list[k], r->coord[i]);
  return goal;
}

dm_status pb_goal_check(pb_reader *r, const pb_node *goal, const oc_task *task) {
  int changed;
  if (!task->periodic) return DM_OK;

  // a search needs a known initial orientation
  for (int k = 0; k < r->nball; k++) {
    const char *first = r->coord[r->quaternion[k]];
    if (isnan(task->start.q[r->quaternion[k]]))
      return pb_refuse_node(r, pb_goal_periodic(goal),
                            "goal: found a periodic motion from any attitude of the ball joint "
                            "'%.*s', expected it in start.q or start.near",
                            (int)(strlen(first) - strlen(".qw")), first);
  }

  // the travel must stay within bounds, from the start or from anywhere
  for (int i = 0; i < r->n; i++) {
    double low, high;
    const double q = task->start.q[i], min = oc_low(task, OC_Q, i), max = oc_high(task, OC_Q, i);
    oc_task_travel(task, i, &low, &high);
    if ((isnan(q) ? min : q) + low <= max && (isnan(q) ? max : q) + high >= min) continue;
    return pb_refuse_node(
        r, find_travel(r, goal, i),
        "goal.travel: '%.64s' goes by %g, which leads out of its bounds [%g, %g], "
        "expected a shorter way, or wider bounds.q",
        r->coord[i], oc_travel_least(task, i), min, max);
  }

  // warn about a motion that does not repeat
  DM_TRY(oc_travel_changes(task, &changed));
  if (changed < 0) return DM_OK;
  return pb_warn(r, r->file, find_travel(r, goal, changed)->line,
                 "goal.travel: at another place of '%.64s' the robot is another (gravity, a spring "
                 "or its inertia changes with it): the motion ends as it began, but the next "
                 "period need not be the same again",
                 r->coord[changed]);
}

dm_status pb_goal_warn_anywhere(pb_reader *r, const pb_node *start, const dm_model *m,
                                const oc_task *task) {
  int free_coord;
  bool *slides;
  PB_NEW(r->arena, slides, r->n);
  for (int i = 0; i < r->n; i++) slides[i] = m->kind[i] == DM_SLIDE;
  DM_TRY(oc_travel_anywhere(task, slides, &free_coord));
  if (free_coord < 0) return DM_OK;
  const char *name = r->coord[free_coord];
  return pb_warn(
      r, r->file, start->line,
      "start: the motion may begin anywhere along '%.64s': nothing asks for its place, so "
      "that a search may not settle; say where it begins: 'start: {q: {%.64s: 0}}'",
      name, name);
}

dm_status pb_goal_warn(pb_reader *r, const pb_node *node, const pb_end *goal, bool speeds,
                       const bool *kinematic) {
  if (!node) return DM_OK;
  bool any = goal->outputs != NULL, place = any;

  // whether it has any conditions, and conditions on positions of dynamic coordinates
  for (int i = 0; i < r->n; i++) {
    any = any || !isnan(goal->q[i]) || !isnan(goal->v[i]);
    place = place || (!isnan(goal->q[i]) && !(kinematic && kinematic[i]));
  }
  if (!any)
    return pb_warn(r, r->file, node->line,
                   "goal is empty: the end is free for every coordinate; give its 'q', 'v' or "
                   "'outputs', or remove goal");

  // without a velocity, the motion passes the goal; between phases this is intended
  if (place && !speeds && !r->goes_on && !pb_node_get(node, "v"))
    return pb_warn(r, r->file, node->line,
                   "goal has no v: the end velocity is free for every coordinate; v: 0 ends at "
                   "rest");
  return DM_OK;
}
