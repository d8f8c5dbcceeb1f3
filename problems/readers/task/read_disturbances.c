#include "problems/readers/task/read_disturbances.h"

#include "problems/readers/format/number.h"
#include "problems/readers/model/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const pb_key pb_encoders_keys[] = {
    PB_KEY(pb_encoders, counts, .type = PB_EACH_COORD, .unit = "1/turn", .range = ">= 0",
           .note = "any angle",
           .about = "Counts per revolution; a single number applies to all rotary joints"),
    PB_KEY(pb_encoders, step, .type = PB_EACH_COORD, .unit = "m or rad", .range = ">= 0",
           .note = "any", .about = "Resolution; give counts or a step for a coordinate, not both"),
    PB_KEY(pb_encoders, noise, .type = PB_EACH_COORD, .unit = "m or rad", .range = ">= 0",
           .note = "0", .about = "Standard deviation before quantization"),
    PB_KEY(pb_encoders, velocity, .type = PB_WORD, .absent = "differences",
           .words = "differences own",
           .about = "`differences`: v is the difference of positions over the controller's "
                    "period; `own`: v is measured"),
    {0}};

const pb_key pb_actuators_keys[] = {
    PB_KEY(pb_actuators, response, .type = PB_NUMBER, .range = "[0, 1]", .absent = "0",
           .about = "Half-width of the uniform error of each motor's gain, drawn for each sample"),
    PB_KEY(pb_actuators, lag, .type = PB_NUMBER, .unit = "s", .range = ">= 0", .absent = "0",
           .about = "Time constant of a first-order lag"),
    {0}};

const pb_key pb_pushes_keys[] = {
    PB_KEY(pb_pushes, count, .type = PB_INTEGER, .range = "[1, 1000]", .absent = "3",
           .about = "Number on each joint; dmoc refuses more than fit into the motion"),
    PB_KEY(pb_pushes, size, .type = PB_NODE, .unit = "N or N m", .words = "[low, high]",
           .note = "[0.5, 5]", .about = "Peak force, with random sign"),
    PB_KEY(pb_pushes, width, .type = PB_NODE, .unit = "s", .words = "[low, high]",
           .note = "[0.05, 0.1]", .about = "Standard deviation in time"),
    PB_KEY(pb_pushes, apart, .type = PB_NUMBER, .unit = "s", .range = ">= 0", .absent = "1",
           .about = "Minimum time between pushes on one joint"),
    PB_KEY(pb_pushes, factor, .type = PB_EACH_COORD, .range = ">= 0", .note = "1",
           .about = "Factor of `size`; joints left out of a mapping, ball joints and kinematic "
                    "joints are not pushed"),
    {0}};

const pb_key pb_calls_keys[] = {
    PB_KEY(pb_calls, missing, .type = PB_NUMBER, .range = "[0, 1]", .absent = "0",
           .about = "Probability that a step's output is lost and the previous one stays"),
    PB_KEY(pb_calls, late, .type = PB_NUMBER, .range = "[0, 1]", .absent = "0",
           .about = "Probability that an output arrives late, by a uniform share of the step"),
    PB_KEY(pb_calls, off, .type = PB_NUMBER, .range = "[0, 0.99]", .absent = "0",
           .about = "Largest uniform offset of a call from its knot, as a share of a step"),
    {0}};

#define LEVELS(name, word, what)                                                                   \
  {.key = word,                                                                                    \
   .at = offsetof(pb_levels, text[FB_##name]),                                                     \
   .type = PB_TEXT,                                                                                \
   .about = "Levels of this error alone"},
const pb_key pb_levels_keys[] = {FB_AXIS_LIST(LEVELS){0}};
#undef LEVELS

// whether coordinate i has a single axis with a motor or an encoder: not kinematic, and not part of
// a quaternion
static bool has_axis(const pb_robot *robot, int i) {
  return !robot->mechanism.model->kinematic[i] && robot->mechanism.model->kind[i] != DM_QUATERNION;
}

// refuse numbers for coordinates without such an axis, where they would have no effect
static dm_status check_axes(const pb_reader *r, const char *path, const pb_node *node,
                            const pb_robot *robot, const double *value) {
  for (int i = 0; node && node->kind == PB_MAPPING && i < r->n; i++)
    if (value[i] > 0 && !has_axis(robot, i))
      return pb_refuse_node(r, pb_node_get(node, r->coord[i]),
                            "%s: found one for '%.64s', which is prescribed or of a ball joint, "
                            "expected joints that slide or turn by forces",
                            path, r->coord[i]);
  return DM_OK;
}

// resolution of encoders, from counts per revolution or as a step
static dm_status read_encoders(const pb_reader *r, const pb_node *node, const pb_encoders *s,
                               const pb_robot *robot, const double **out) {
  const pb_node *counts = pb_node_get(node, "counts");
  double *step = pb_arena_alloc(r->arena, (size_t)r->n, sizeof *step);
  if (!step) return DM_NO_MEMORY;
  if (s->counts) DM_TRY(check_axes(r, "verify.encoders.counts", counts, robot, s->counts));
  if (s->step)
    DM_TRY(check_axes(r, "verify.encoders.step", pb_node_get(node, "step"), robot, s->step));

  for (int i = 0; i < r->n; i++) {
    bool turns = robot->mechanism.model->kind[i] == DM_TURN;
    step[i] = s->step && has_axis(robot, i) ? s->step[i] : 0;
    if (!s->counts || !(s->counts[i] > 0) || !has_axis(robot, i)) continue;

    // counts are per revolution; a single number applies to all rotating joints
    if (!turns && counts->kind != PB_SCALAR)
      return pb_refuse_node(r, counts,
                            "verify.encoders.counts: found one for '%.64s', which slides, expected "
                            "joints that turn: try step, in m",
                            r->coord[i]);
    if (turns && step[i] > 0)
      return pb_refuse_node(r, counts,
                            "verify.encoders.counts: found counts and a step for '%.64s', expected "
                            "one of them",
                            r->coord[i]);
    if (turns) step[i] = 2 * acos(-1) / s->counts[i];
  }
  *out = step;
  return DM_OK;
}

// [low, high] above a bound, or the default
static dm_status read_limits(const pb_reader *r, const char *path, const pb_node *node,
                             bool positive, double low, double high, double out[2]) {
  out[0] = low;
  out[1] = high;
  if (!node) return DM_OK;
  DM_TRY(pb_schema_limits(r, path, node, out));
  if (isfinite(out[0]) && isfinite(out[1]) && (positive ? out[0] > 0 : out[0] >= 0)) return DM_OK;
  return pb_refuse_node(r, node, "%s: found [%g, %g], expected two numbers %s 0", path, out[0],
                        out[1], positive ? ">" : ">=");
}

static dm_status read_pushes(const pb_reader *r, const pb_node *node, const pb_pushes *s,
                             const pb_robot *robot, fb_pushes *out) {
  if (s->factor)
    DM_TRY(check_axes(r, "verify.pushes.factor", pb_node_get(node, "factor"), robot, s->factor));
  DM_TRY(pb_clock_leave(r, "verify.pushes", node, "factor", s->factor));
  double *factor = pb_arena_alloc(r->arena, (size_t)r->n, sizeof *factor);
  if (!factor) return DM_NO_MEMORY;

  // one or several pushes on each coordinate that moves by forces
  for (int i = 0; i < r->n; i++)
    factor[i] = has_axis(robot, i) && !pb_clock_is(r, i) ? (s->factor ? s->factor[i] : 1) : 0;
  *out = (fb_pushes){.count = s->count, .apart = s->apart, .factor = factor};
  DM_TRY(read_limits(r, "verify.pushes.size", s->size, false, 0.5, 5, out->size));
  return read_limits(r, "verify.pushes.width", s->width, true, 0.05, 0.1, out->width);
}

// dry friction of coordinates that move by forces
static dm_status read_friction(const pb_reader *r, const double *size, const pb_robot *robot,
                               const double **out) {
  double *friction = pb_arena_alloc(r->arena, (size_t)r->n, sizeof *friction);
  if (!friction) return DM_NO_MEMORY;
  for (int i = 0; i < r->n; i++) friction[i] = has_axis(robot, i) ? size[i] : 0;
  *out = friction;
  return DM_OK;
}

dm_status pb_disturbances_read(const pb_reader *r, const pb_node *node, const pb_disturbances *s,
                               const pb_robot *robot, fb_mismatch_settings *out) {
  const pb_node *encoders = pb_node_get(node, "encoders");
  const pb_node *pushes = pb_node_get(node, "pushes");

  // encoders
  if (encoders && !s->encoders.counts && !s->encoders.step && !s->encoders.noise)
    return pb_refuse_key(r, encoders,
                         "verify.encoders: found no counts, step or noise, expected one of them");
  if (s->encoders.counts || s->encoders.step)
    DM_TRY(read_encoders(r, encoders, &s->encoders, robot, &out->encoder));
  out->readings = s->encoders.noise;
  out->differences = encoders && !strcmp(s->encoders.velocity, "differences");

  // motors, pushes, and missed calls of the controller
  out->size[FB_RESPONSE] = s->actuators.response;
  out->size[FB_LAG] = s->actuators.lag;
  out->size[FB_MISSING] = s->calls.missing;
  out->size[FB_LATE] = s->calls.late;
  out->size[FB_OFF] = s->calls.off;
  if (pushes) DM_TRY(read_pushes(r, pushes, &s->pushes, robot, &out->pushes));
  const pb_node *friction = pb_node_get(node, "friction");
  if (s->friction) DM_TRY(check_axes(r, "verify.friction", friction, robot, s->friction));
  return s->friction ? read_friction(r, s->friction, robot, &out->friction) : DM_OK;
}

// -- levels

// parse a number up to `end`, or to the end of the text
static bool parse_part(const char *text, const char *end, double *x) {
  char word[64];
  size_t n = end ? (size_t)(end - text) : strlen(text);
  if (n == 0 || n >= sizeof word) return false;
  memcpy(word, text, n);
  word[n] = 0;
  return pb_number_parse(word, x) == DM_OK;
}

// parse from:to:count
static bool parse_levels(const char *text, fb_levels *out) {
  const char *to = strchr(text, ':'), *count = to ? strchr(to + 1, ':') : NULL;
  double n = 0;
  if (!count || !parse_part(text, to, &out->from) || !parse_part(to + 1, count, &out->to) ||
      !parse_part(count + 1, NULL, &n))
    return false;
  if (!(n >= 1 && n <= 1000) || n != floor(n) || (n > 1 && out->from == out->to)) return false;
  out->count = (int)n;
  return true;
}

dm_status pb_levels_read(const pb_reader *r, const pb_node *node, const pb_levels *s,
                         const fb_robustness *study, fb_levels out[FB_AXES]) {
  for (fb_axis axis = FB_START; axis < FB_AXES; axis++) {
    const char *word = fb_axis_names[axis];
    const pb_node *at = pb_node_get(node, word);
    fb_levels *levels = &out[axis];
    if (!s->text[axis]) continue;

    // parse the levels
    if (!parse_levels(s->text[axis], levels))
      return pb_refuse_node(r, at,
                            "verify.sweep.levels.%s: found '%.40s', expected from:to:count, two "
                            "numbers and how many levels, 1 to 1000",
                            word, s->text[axis]);
    const double least = fmin(levels->from, levels->to), size = fb_robustness_size(study, axis);

    // the size that they multiply
    if (axis != FB_ALL && !(size > 0))
      return pb_refuse_node(r, at,
                            "verify.sweep.levels.%s: found levels of what verify has not, expected "
                            "its size in verify beside them",
                            word);
    if (!fb_axis_is(axis, FB_SIGNED) && least < 0)
      return pb_refuse_node(
          r, at, "verify.sweep.levels.%s: found a level of %g, expected none below 0", word, least);

    // factors 1 + level x size must stay positive
    const double share = fb_mismatch_share(study->mismatch, axis);
    if (1 + least * share <= 0)
      return pb_refuse_node(r, at,
                            "verify.sweep.levels.%s: found %g times verify.errors.%s: %g, which "
                            "takes all of it, expected more than -1",
                            word, least, word, share);
    const double most = fmax(levels->from, levels->to);
    if (axis == FB_OFF && most * size >= 1)
      return pb_refuse_node(
          r, at,
          "verify.sweep.levels.off: found %g times verify.calls.off: %g, which is "
          "a step or more, expected less than 1",
          most, size);
  }
  return DM_OK;
}
