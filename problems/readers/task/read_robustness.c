#include "problems/readers/task/read_robustness.h"

#include "control/loop/attraction.h"
#include "problems/readers/model/clock.h"
#include "problems/readers/task/read_fit_errors.h"

#include <math.h>
#include <string.h>

const pb_key pb_errors_keys[] = {
    PB_KEY(pb_errors, mass, .type = PB_NUMBER, .range = "[0, 0.99]", .absent = "0",
           .about = "Relative error of each link's mass; its moments about its center stay"),
    PB_KEY(pb_errors, inertia, .type = PB_NUMBER, .range = "[0, 0.99]", .absent = "0",
           .about = "Relative error of each link's moments about its center"),
    PB_KEY(pb_errors, length, .type = PB_NUMBER, .range = "[0, 0.99]", .absent = "0",
           .about = "Relative error of the positions of a link's center and of the joints on it"),
    PB_KEY(pb_errors, damping, .type = PB_NUMBER, .unit = "N s/m or N m s/rad", .range = ">= 0",
           .absent = "0", .about = "Added to or subtracted from each joint's damping"),
    PB_KEY(pb_errors, ground, .type = PB_NUMBER, .unit = "m", .range = ">= 0", .absent = "0",
           .about = "Error of the height of contacts with the world, along their normals"),
    PB_KEY(pb_errors, grip, .type = PB_NUMBER, .range = "[0, 0.99]", .absent = "0",
           .about = "Relative error of the friction of contacts and joints"),
    PB_KEY(pb_errors, parts, .type = PB_NODE, .note = "none",
           .words = "number >= 0 by parameter of a part",
           .about = "Error of a parameter of a part, such as springs.heel.stiffness"),
    PB_KEY(pb_errors, from, .type = PB_TEXT, .note = "none",
           .about = "Folder of a fit (`dmoc identify`), from whose values and covariance each "
                    "sample's machine is drawn"),
    {0}};

const pb_key pb_noise_keys[] = {
    PB_KEY(pb_noise, q, .type = PB_EACH_COORD, .unit = "m or rad", .range = ">= 0", .note = "0",
           .about = "Measured position, at each knot"),
    PB_KEY(pb_noise, v, .type = PB_EACH_COORD, .unit = "m/s or rad/s", .range = ">= 0", .note = "0",
           .about = "Measured velocity, at each knot"),
    PB_KEY(pb_noise, torque, .type = PB_EACH_INPUT, .unit = "N or N m", .range = ">= 0",
           .note = "0", .about = "Applied input, at each step, after limits"),
    {0}};

typedef struct sweep_section {
  fb_robustness_settings set;
  pb_levels levels;
} sweep_section;

#define SWEEP(member, ...)                                                                         \
  { .key = #member, .at = offsetof(sweep_section, set.member), __VA_ARGS__ }
const pb_key pb_sweep_keys[] = {
    SWEEP(points, .type = PB_INTEGER, .range = "[2, 1000]", .absent = "11",
          .about = "Levels from 0 to `times` (from -`times` for parameters and for the motor "
                   "response)"),
    SWEEP(samples, .type = PB_INTEGER, .range = "[1, 1e6]", .absent = "50",
          .about = "Samples per level; 1 if nothing is random"),
    SWEEP(times, .type = PB_NUMBER, .range = "> 0", .absent = "2",
          .about = "Largest level, as a multiple of the size above"),
    SWEEP(start, .type = PB_NUMBER, .range = ">= 0", .absent = "1",
          .about = "Start errors during the sweep, as a multiple of `spread`"),
    PB_KEY(sweep_section, levels, .type = PB_SECTION, .sub = pb_levels_keys,
           .about =
               "Levels per axis as from:to:count, such as 0:2:21, instead of `points` and `times`"),
    {0}};
#undef SWEEP

const pb_key pb_region_keys[] = {
    PB_KEY(pb_region, directions, .type = PB_INTEGER, .range = "[1, 1e6]", .absent = "100",
           .about = "Random directions of the start error"),
    {.key = "most",
     .at = offsetof(pb_region, max_size),
     .type = PB_NUMBER,
     .range = "> 0",
     .absent = "10",
     .about = "Largest start error, times `spread`"},
    PB_KEY(pb_region, halvings, .type = PB_INTEGER, .range = "[1, 50]", .absent = "8",
           .about = "Bisection steps per direction"),
    PB_KEY(pb_region, rate, .type = PB_NUMBER, .range = "(0, 1)", .absent = "0.98",
           .about = "Claimed share of starts in the ellipsoid that succeed"),
    PB_KEY(pb_region, confidence, .type = PB_NUMBER, .range = "(0, 1)", .absent = "0.99",
           .about = "Confidence of the claim"),
    PB_KEY(pb_region, samples, .type = PB_INTEGER, .range = "[1, 1e7]", .absent = "1000",
           .about = "Starts drawn to test the claim"),
    {0}};

// NULL if all sizes are 0
static const double *keep_sizes(int n, const double *x) {
  double sum = 0;
  for (int i = 0; x && i < n; i++) sum += x[i];
  return sum > 0 ? x : NULL;
}

// whether verify contains a disturbance that can be swept
static bool is_anything(const fb_robustness *study) {
  for (fb_axis axis = FB_START; axis < FB_ALL; axis++)
    if (fb_robustness_size(study, axis) > 0) return true;
  return false;
}

static dm_status read_sweep(const pb_reader *r, const pb_node *node, fb_robustness *study,
                            fb_robustness_settings *out) {
  sweep_section s = {0};
  DM_TRY(pb_schema_read(r, "verify.sweep", node, pb_sweep_keys, &s));
  if (!is_anything(study))
    return pb_refuse_node(r, node,
                          "verify.sweep: found no errors, noise, limit, delay or spread in verify, "
                          "nor another disturbance, expected one to sweep");

  // levels set per axis
  DM_TRY(pb_levels_read(r, pb_node_get(node, "levels"), &s.levels, study, s.set.levels));

  // the largest factors 1 - error must stay positive, and a delayed call must come within its step
  for (fb_axis a = FB_START; a < FB_AXES; a++)
    if (!s.set.levels[a].count && s.set.times * fb_mismatch_share(study->mismatch, a) >= 1)
      return pb_refuse_node(r, node,
                            "verify.sweep: found %g times verify.errors.%s: %g, which takes all "
                            "of it, expected less than 1",
                            s.set.times, fb_axis_names[a], fb_mismatch_share(study->mismatch, a));
  const double off = study->mismatch->size[FB_OFF];
  if (!s.set.levels[FB_OFF].count && s.set.times * off >= 1)
    return pb_refuse_node(r, node,
                          "verify.sweep: found %g times verify.calls.off: %g, which is a step or "
                          "more, expected less than 1",
                          s.set.times, off);
  *out = s.set;
  return DM_OK;
}

static dm_status read_region(const pb_reader *r, const pb_node *node, double spread, pb_region *x) {
  // sizes are multiples of the spread
  DM_TRY(pb_schema_read(r, "verify.region", node, pb_region_keys, x));
  if (!(spread > 0))
    return pb_refuse_node(
        r, node, "verify.region: found a spread of 0, expected one above 0 to measure starts by");

  // at least log((1 - confidence) / 2) / log(rate) starts are needed to support the claim, if all
  // succeed
  double needed = fb_attraction_needs(x->rate, x->confidence);
  const pb_node *samples = pb_node_get(node, "samples");
  if (x->samples < needed)
    return pb_refuse_node(r, samples ? samples : node,
                          "verify.region.samples: found %d, expected at least %.0f: fewer cannot "
                          "show a rate of %g with confidence %g even where all hold",
                          x->samples, needed, x->rate, x->confidence);
  return DM_OK;
}

// whether machines differ from the model, or have actuator or sensor errors
static bool is_disturbed(const pb_node *node) {
  static const char *const keys[] = {"errors",    "noise",  "encoders", "delay",
                                     "actuators", "pushes", "calls",    "friction"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (pb_node_get(node, keys[i])) return true;
  return false;
}

// damping is not added to a clock
static dm_status mark_undamped(const pb_reader *r, fb_mismatch_settings *out) {
  bool *undamped;
  PB_NEW(r->arena, undamped, r->n);
  for (int i = 0; i < r->n; i++) undamped[i] = pb_clock_is(r, i);
  out->undamped = undamped;
  return DM_OK;
}

// the half-widths of parameters of parts, by their paths
static dm_status read_part_errors(const pb_reader *r, const pb_node *node, const pb_robot *robot,
                                  fb_mismatch_settings *out) {
  fb_part_size *list;
  char found[64];
  dm_message why;
  if (node->kind != PB_MAPPING)
    return pb_refuse_node(r, node, "verify.errors.parts: found %s, expected numbers by parameter",
                          pb_node_describe(node, found));
  PB_NEW(r->arena, list, node->n + 1);
  for (const pb_node *e = node->first; e; e = e->next) {
    fb_part_size *x = &list[out->nparts];
    x->name = e->key;
    if (dm_robot_find(&robot->mechanism, e->key, &x->at, &why) != DM_OK)
      return pb_refuse_key(r, e, "verify.errors.parts: %s", why.text);

    // a factor must stay positive; an amount has no upper limit
    const bool added = x->at.parameter->added;
    if (!added && dm_robot_parameter(&robot->mechanism, &x->at) == 0)
      return pb_refuse_key(
          r, e,
          "verify.errors.parts: found '%s', which is 0, expected a number that a factor changes",
          e->key);
    DM_TRY(pb_schema_number(r, "verify.errors.parts", e, added ? ">= 0" : "[0, 0.99]", &x->size));
    out->nparts += x->size > 0;
  }
  out->part = list;
  return DM_OK;
}

dm_status pb_robustness_read(pb_reader *r, const pb_node *node, const pb_robustness_section *s,
                             const pb_robot *robot, const double *spread_q, const double *spread_v,
                             pb_robustness *out) {
  // model errors: relative for mass, inertia and length, absolute for damping
  out->set.size[FB_MASS] = s->errors.mass;
  out->set.size[FB_INERTIA] = s->errors.inertia;
  out->set.size[FB_LENGTH] = s->errors.length;
  out->set.size[FB_DAMPING] = s->errors.damping;
  out->set.size[FB_GROUND] = s->errors.ground;
  out->set.size[FB_GRIP] = s->errors.grip;
  out->set.size[FB_DELAY] = s->delay;
  DM_TRY(mark_undamped(r, &out->set));
  out->limit = s->limit;
  out->mujoco = !strcmp(s->plants, "all");
  out->exported = !strcmp(s->plants, "exported");
  DM_TRY(pb_disturbances_read(r, node, &s->disturbances, robot, &out->set));

  // with other lengths the plan's positions violate constraints; all other parts can follow
  const pb_node *errors = pb_node_get(node, "errors");
  dm_message why;
  if (s->errors.length > 0 && dm_robot_require(&robot->mechanism, ~(1u << DM_PART_CONSTRAINT),
                                               "a robot with other lengths", &why) != DM_OK)
    return pb_refuse_node(r, pb_node_get(errors, "length"),
                          "verify.errors.length: %s: the plan's positions would violate it",
                          why.text);
  const dm_contact *contact;
  const int ncontact =
      robot->mechanism.contacts ? dm_contacts_list(robot->mechanism.contacts, &contact) : 0;
  // in periodic phases touches are on the ground
  bool stands = r->phase != NULL, grips = robot->mechanism.joint[DM_JOINT_FRICTION] != NULL;
  grips |= pb_node_get(node, "contacts") != NULL || pb_node_get(node, "slip") != NULL;
  for (int i = 0; i < ncontact; i++) {
    stands |= contact[i].kind == DM_ABOVE && contact[i].body[1] < 0;
    grips |= contact[i].friction > 0;
  }
  if (s->errors.ground > 0 && !stands)
    return pb_refuse_node(r, pb_node_get(errors, "ground"),
                          "verify.errors.ground: found one of a robot without a contact "
                          "above a plane of the world, expected one");
  if (s->errors.grip > 0 && !grips)
    return pb_refuse_node(r, pb_node_get(errors, "grip"),
                          "verify.errors.grip: found one of a robot without friction, expected "
                          "it in model.contacts, model.friction or verify.slip");
  if (s->errors.parts) DM_TRY(read_part_errors(r, s->errors.parts, robot, &out->set));
  if (s->errors.from)
    DM_TRY(pb_fit_errors_read(r, pb_node_get(errors, "from"), robot, &out->set.fit));

  // noise of measurements and of inputs
  out->set.q = keep_sizes(r->n, s->noise.q);
  out->set.v = keep_sizes(r->n, s->noise.v);
  out->set.torque = keep_sizes(r->nu, s->noise.torque);
  out->disturbed = is_disturbed(node);

  // axes available to a study, and the region
  fb_robustness study = {.tree = robot->mechanism.tree,
                         .model = robot->mechanism.model,
                         .mismatch = &out->set,
                         .spread_q = spread_q,
                         .spread_v = spread_v,
                         .limit = out->limit};
  out->has_sweep = s->sweep != NULL;
  out->has_region = s->region != NULL;
  if (s->sweep) DM_TRY(read_sweep(r, s->sweep, &study, &out->sweep));
  double spread = fb_robustness_size(&study, FB_START);
  if (s->region) DM_TRY(read_region(r, s->region, spread, &out->region));
  return DM_OK;
}
