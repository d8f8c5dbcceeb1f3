#include "problems/readers/task/read_robustness.h"

#include "control/loop/attraction.h"

#include <math.h>
#include <string.h>

const pb_key pb_errors_keys[] = {
    PB_KEY(pb_errors, mass, .type = PB_NUMBER, .range = "[0, 0.99]", .absent = "0"),
    PB_KEY(pb_errors, inertia, .type = PB_NUMBER, .range = "[0, 0.99]", .absent = "0"),
    PB_KEY(pb_errors, length, .type = PB_NUMBER, .range = "[0, 0.99]", .absent = "0"),
    PB_KEY(pb_errors, damping, .type = PB_NUMBER, .unit = "N s/m or N m s/rad", .range = ">= 0",
           .absent = "0"),
    {0}};

const pb_key pb_noise_keys[] = {
    PB_KEY(pb_noise, q, .type = PB_EACH_COORD, .unit = "m or rad", .range = ">= 0", .note = "0"),
    PB_KEY(pb_noise, v, .type = PB_EACH_COORD, .unit = "m/s or rad/s", .range = ">= 0",
           .note = "0"),
    PB_KEY(pb_noise, torque, .type = PB_EACH_INPUT, .unit = "N or N m", .range = ">= 0",
           .note = "0"),
    {0}};

const pb_key pb_sweep_keys[] = {
    PB_KEY(pb_sweep, points, .type = PB_INTEGER, .range = "[2, 1000]", .absent = "11"),
    PB_KEY(pb_sweep, samples, .type = PB_INTEGER, .range = "[1, 1e6]", .absent = "50"),
    PB_KEY(pb_sweep, times, .type = PB_NUMBER, .range = "> 0", .absent = "2"),
    PB_KEY(pb_sweep, start, .type = PB_NUMBER, .range = ">= 0", .absent = "1"),
    {0}};

const pb_key pb_region_keys[] = {
    PB_KEY(pb_region, directions, .type = PB_INTEGER, .range = "[1, 1e6]", .absent = "100"),
    {.key = "most",
     .at = offsetof(pb_region, max_size),
     .type = PB_NUMBER,
     .range = "> 0",
     .absent = "10"},
    PB_KEY(pb_region, halvings, .type = PB_INTEGER, .range = "[1, 50]", .absent = "8"),
    PB_KEY(pb_region, rate, .type = PB_NUMBER, .range = "(0, 1)", .absent = "0.98"),
    PB_KEY(pb_region, confidence, .type = PB_NUMBER, .range = "(0, 1)", .absent = "0.99"),
    PB_KEY(pb_region, samples, .type = PB_INTEGER, .range = "[1, 1e7]", .absent = "1000"),
    {0}};

static double sum_numbers(int n, const double *x) {
  double s = 0;
  for (int i = 0; x && i < n; i++) s += x[i];
  return s;
}

// whether verify sets anything against the gains that could be swept
static bool is_anything(const pb_reader *r, const pb_robustness *x, double spread) {
  double noise =
      sum_numbers(r->n, x->set.q) + sum_numbers(r->n, x->set.v) + sum_numbers(r->nu, x->set.torque);
  double errors = sum_numbers(FB_DAMPING - FB_MASS + 1, x->set.half + FB_MASS);
  return spread + noise + errors + x->set.delay > 0 || isfinite(x->limit);
}

static dm_status read_sweep(const pb_reader *r, const pb_node *node, double spread,
                            pb_robustness *x) {
  // an axis of size 0 has no levels
  DM_TRY(pb_schema_read(r, "verify.sweep", node, pb_sweep_keys, &x->sweep));
  if (!is_anything(r, x, spread))
    return pb_refuse_node(r, node,
                          "verify.sweep: found no errors, noise, limit, delay or spread in verify, "
                          "expected one to sweep");

  // at its largest every factor 1 - error must leave something
  for (int a = FB_MASS; a < FB_DAMPING; a++)
    if (x->sweep.times * x->set.half[a] >= 1)
      return pb_refuse_node(r, node,
                            "verify.sweep: found %g times verify.errors.%s: %g, which takes all "
                            "of it, expected less than 1",
                            x->sweep.times, fb_axis_names[a], x->set.half[a]);
  return DM_OK;
}

static dm_status read_region(const pb_reader *r, const pb_node *node, double spread, pb_region *x) {
  // sizes are multiples of the spread
  DM_TRY(pb_schema_read(r, "verify.region", node, pb_region_keys, x));
  if (!(spread > 0))
    return pb_refuse_node(
        r, node, "verify.region: found a spread of 0, expected one above 0 to measure starts by");

  // log((1 - confidence) / 2) / log(rate) starts are the fewest that can show it, if all hold
  double needed = fb_attraction_needs(x->rate, x->confidence);
  const pb_node *samples = pb_node_get(node, "samples");
  if (x->samples < needed)
    return pb_refuse_node(r, samples ? samples : node,
                          "verify.region.samples: found %d, expected at least %.0f: fewer cannot "
                          "show a rate of %g with confidence %g even where all hold",
                          x->samples, needed, x->rate, x->confidence);
  return DM_OK;
}

dm_status pb_robustness_read(const pb_reader *r, const pb_node *node,
                             const pb_robustness_section *s, const pb_robot *robot, double spread,
                             pb_robustness *out) {
  // errors of the model: shares of mass, inertia and length, a number of damping
  out->set.half[FB_MASS] = s->errors.mass;
  out->set.half[FB_INERTIA] = s->errors.inertia;
  out->set.half[FB_LENGTH] = s->errors.length;
  out->set.half[FB_DAMPING] = s->errors.damping;
  out->set.delay = s->delay;
  out->limit = s->limit;
  out->mujoco = !strcmp(s->plants, "all");
  out->disturbed = pb_node_get(node, "errors") || pb_node_get(node, "noise") || s->delay > 0;

  // longer links would take points on them along
  if (s->errors.length > 0 && (robot->constraints || robot->springs || robot->loads))
    return pb_refuse_node(r, pb_node_get(pb_node_get(node, "errors"), "length"),
                          "verify.errors.length: found beside constraints, springs or forces on "
                          "bodies, whose points lie on links, expected none");

  // noise of what is measured and of what acts
  out->set.q = s->noise.q;
  out->set.v = s->noise.v;
  out->set.torque = s->noise.torque;
  out->has_sweep = s->sweep != NULL;
  out->has_region = s->region != NULL;
  if (s->sweep) DM_TRY(read_sweep(r, s->sweep, spread, out));
  if (s->region) DM_TRY(read_region(r, s->region, spread, &out->region));
  return DM_OK;
}
