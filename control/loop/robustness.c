#include "control/loop/robustness.h"

#include "lib/multibody/ball_joint.h"

#include <assert.h>
#include <math.h>
#include <string.h>

fb_robustness_settings fb_robustness_default(void) {
  return (fb_robustness_settings){.points = 11, .samples = 50, .times = 2, .start = 1};
}

// -- the axes

bool fb_robustness_of_model(fb_axis axis) {
  return fb_axis_is(axis, FB_PARTS);
}

double fb_robustness_size(const fb_robustness *r, fb_axis axis) {
  double spread = 0;
  if (axis == FB_ALL) return r->set.levels[FB_ALL].count > 0;
  if (axis == FB_LIMIT) return isfinite(r->limit) ? r->limit : 0;
  if (axis != FB_START) return fb_mismatch_size(r->mismatch, axis);

  // starts have a size per coordinate; any nonzero one counts
  for (int i = 0; i < r->model->nq; i++) spread += r->spread_q[i] + r->spread_v[i];
  return spread;
}

// not for prescribed coordinates; of a quaternion, the first has the ball joint's value
static bool has_own_damping(const fb_robustness *r, int i) {
  bool damps = false;
  for (int k = 0; k < r->tree->nq; k++) damps |= dm_ball_outside(r->tree, k) == i;
  if (r->mismatch->undamped && r->mismatch->undamped[i]) return false;
  return damps && !r->model->kinematic[i];
}

const char *fb_robustness_part(const fb_robustness *r, fb_axis axis, int i) {
  if (!fb_robustness_of_model(axis)) return i == 0 ? fb_axis_names[axis] : NULL;

  if (axis == FB_PART) return i < r->mismatch->nparts ? r->mismatch->part[i].name : NULL;

  // a coordinate
  if (axis == FB_DAMPING && i == r->model->nq) return NULL;
  if (axis == FB_DAMPING) return has_own_damping(r, i) ? r->model->name[i] : "";

  // a link, by its joint
  if (i == r->tree->nj) return NULL;
  return r->tree->bare[i] ? "" : r->tree->name[r->tree->coord[i]];
}

// -- the plan

// the levels of an axis: those requested, or up to `times` its size; errors with a sign go both
// ways
static fb_levels find_levels(const fb_robustness *r, fb_axis axis) {
  const fb_robustness_settings *set = &r->set;
  if (set->levels[axis].count > 0) return set->levels[axis];
  return (fb_levels){fb_axis_is(axis, FB_SIGNED) ? -set->times : 0, set->times, set->points};
}

// level k of a part of an axis
static fb_robustness_level plan_level(const fb_robustness *r, fb_axis axis, int part, int k) {
  const fb_robustness_settings *set = &r->set;
  const fb_levels levels = find_levels(r, axis);
  bool starts = set->start > 0 && fb_robustness_size(r, FB_START) > 0;
  double at = levels.count > 1 ? (double)k / (levels.count - 1) : 0;

  // without random draws all samples would be equal
  fb_robustness_level level = {.axis = axis, .part = part};
  level.level = at < 1 ? levels.from + at * (levels.to - levels.from) : levels.to;
  level.samples = fb_axis_is(axis, FB_DRAWN) || starts ? set->samples : 1;
  return level;
}

int fb_robustness_plan(const fb_robustness *r, fb_robustness_level *list) {
  int count = 0;
  assert(r->set.points > 1);

  // axis by axis, part by part, level by level; the same traversal runs twice: to count, then to
  // list
  for (fb_axis axis = FB_START; axis < FB_AXES; axis++) {
    const char *part;
    if (!(fb_robustness_size(r, axis) > 0)) continue;
    const int points = find_levels(r, axis).count;
    for (int i = 0; (part = fb_robustness_part(r, axis, i)); i++)
      for (int k = 0; part[0] && k < points; k++, count++)
        if (list) list[count] = plan_level(r, axis, i, k);
  }
  return count;
}

// -- running a level

dm_status fb_robustness_run(const fb_robustness *r, fb_bench *g, fb_robustness_level *level,
                            fb_sample *rows, double *spread, bool (*progress)(void *, int done),
                            void *user) {
  const int n = r->model->nq;
  const fb_axis axis = level->axis;
  assert(g->noise && rows && spread && (unsigned)axis < FB_AXES);

  // starts of the level on their own axis, of the plan's share on all others
  double start = axis == FB_START ? level->level : r->set.start;
  for (int i = 0; i < n; i++) {
    spread[i] = start * r->spread_q[i];
    spread[n + i] = start * r->spread_v[i];
  }
  fb_monte_carlo_settings set = g->set;
  set.samples = level->samples;
  set.spread_q = spread;
  set.spread_v = spread + n;

  // only this axis, at its level; or all of them, with the limit unchanged
  double limit = axis == FB_ALL ? r->limit : INFINITY;
  if (axis == FB_LIMIT) limit = level->level * r->limit;
  fb_mismatch_levels(g->noise, axis == FB_ALL ? level->level : 0);
  fb_bench_limit(g, limit);
  if (axis != FB_START && axis != FB_LIMIT && axis != FB_ALL)
    fb_mismatch_level(g->noise, axis, level->level, fb_axis_is(axis, FB_SIGNED) ? level->part : -1);

  // a level that was interrupted (s > 0) has not run
  dm_status s = fb_monte_carlo_run(g->law, g->s, &g->plant, &set, rows, 0, NULL, progress, user);
  if (s < 0) return s;
  level->succeeded = fb_monte_carlo_verdict(rows, level->samples).succeeded;
  level->ran = s == DM_OK;
  return s;
}

void fb_robustness_sum(const fb_robustness_level *list, int count,
                       fb_robustness_count axes[FB_AXES], fb_robustness_count *model) {
  memset(axes, 0, FB_AXES * sizeof *axes);
  *model = (fb_robustness_count){0};

  // levels that ran count for their axis, and those of the model's errors also in a common sum
  for (int i = 0; i < count; i++) {
    const fb_robustness_level *at = &list[i];
    if (!at->ran) continue;
    axes[at->axis].samples += at->samples;
    axes[at->axis].succeeded += at->succeeded;
    if (!fb_robustness_of_model(at->axis)) continue;
    model->samples += at->samples;
    model->succeeded += at->succeeded;
  }
}
