#include "problems/readers/task/read_verification.h"

#include "lib/base/names.h"
#include "problems/readers/task/read_criteria.h"
#include "problems/readers/task/read_robustness.h"

#include <math.h>

typedef struct spread_section {
  const double *q, *v;
} spread_section;

static const pb_key spread_keys[] = {
    PB_KEY(spread_section, q, .type = PB_EACH_COORD, .unit = "m or rad", .range = ">= 0",
           .absent = "0.05", .rest = "0"),
    PB_KEY(spread_section, v, .type = PB_EACH_COORD, .unit = "m/s or rad/s", .range = ">= 0",
           .absent = "0.1", .rest = "0"),
    {0}};

static const pb_key scale_keys[] = {
    PB_KEY(spread_section, q, .type = PB_EACH_COORD, .unit = "m or rad", .range = "> 0",
           .absent = "1", .rest = "1"),
    PB_KEY(spread_section, v, .type = PB_EACH_COORD, .unit = "m/s or rad/s", .range = "> 0",
           .absent = "1", .rest = "1"),
    {0}};

typedef struct verify_start {
  const double *q, *v;
  int hold;
  const char *plant;
} verify_start;

#define PLANT_WORD(name, word) " " word

static const pb_key verify_start_keys[] = {
    PB_KEY(verify_start, q, .type = PB_EACH_COORD, .unit = "m or rad", .absent = "0"),
    PB_KEY(verify_start, v, .type = PB_EACH_COORD, .unit = "m/s or rad/s", .absent = "0"),
    PB_KEY(verify_start, hold, .type = PB_INTEGER, .range = ">= 0", .absent = "0"),
    PB_KEY(verify_start, plant, .type = PB_WORD, .words = PB_PLANT_LIST(PLANT_WORD),
           .note = "continuous where there is one, else discrete"),
    {0}};
#undef PLANT_WORD

typedef struct verify_section {
  int samples, seed;
  spread_section spread, scale;
  verify_start start;
  double tolerance, required;
  pb_robustness_section robust;
  const pb_node *criteria;
} verify_section;

#define DISTURBED(member, ...)                                                                     \
  { .key = #member, .at = offsetof(verify_section, robust.disturbances.member), __VA_ARGS__ }
#define ROBUST(member, ...)                                                                        \
  { .key = #member, .at = offsetof(verify_section, robust.member), __VA_ARGS__ }

const pb_key pb_verify_keys[] = {
    PB_KEY(verify_section, samples, .type = PB_INTEGER, .range = "[1, 1e7]", .absent = "100"),
    PB_KEY(verify_section, seed, .type = PB_INTEGER, .range = ">= 0", .absent = "1"),
    PB_KEY(verify_section, spread, .type = PB_SECTION, .sub = spread_keys),
    PB_KEY(verify_section, tolerance, .type = PB_NUMBER, .range = "> 0", .absent = "0.1"),
    PB_KEY(verify_section, scale, .type = PB_SECTION, .sub = scale_keys),
    PB_KEY(verify_section, required, .type = PB_NUMBER, .range = "[0, 1]", .absent = "0.9"),
    PB_KEY(verify_section, start, .type = PB_SECTION, .sub = verify_start_keys),
    ROBUST(errors, .type = PB_SECTION, .sub = pb_errors_keys),
    ROBUST(noise, .type = PB_SECTION, .sub = pb_noise_keys),
    DISTURBED(encoders, .type = PB_SECTION, .sub = pb_encoders_keys),
    DISTURBED(actuators, .type = PB_SECTION, .sub = pb_actuators_keys),
    DISTURBED(pushes, .type = PB_SECTION, .sub = pb_pushes_keys),
    DISTURBED(calls, .type = PB_SECTION, .sub = pb_calls_keys),
    DISTURBED(friction, .type = PB_EACH_COORD, .unit = "N or N m", .range = ">= 0", .note = "0"),
    ROBUST(limit, .type = PB_NUMBER, .range = "> 0", .absent = "none", .words = "none"),
    ROBUST(delay, .type = PB_NUMBER, .unit = "s", .range = ">= 0", .absent = "0"),
    ROBUST(plants, .type = PB_WORD, .absent = "own", .words = "own all exported"),
    ROBUST(sweep, .type = PB_NODE, .words = "section", .sub = pb_sweep_keys),
    ROBUST(region, .type = PB_NODE, .words = "section", .sub = pb_region_keys),
    PB_KEY(verify_section, criteria, .type = PB_LIST, .sub = pb_criteria_keys),
    {0}};
#undef ROBUST
#undef DISTURBED

dm_status pb_verify_read(const pb_reader *r, const pb_node *node, const pb_robot *robot,
                         bool has_feedback, pb_verification *out) {
  verify_section s = {0};
  if (!node) return DM_OK;
  DM_TRY(pb_schema_read(r, "verify", node, pb_verify_keys, &s));
  if (!has_feedback)
    return pb_refuse_key(r, node, "found 'verify' but no 'feedback', expected both");

  // runs, and what they must reach
  out->samples = s.samples;
  out->seed = (uint64_t)s.seed;
  out->tolerance = s.tolerance;
  out->required = s.required;

  // one more run from a start of its own
  out->has_start = pb_node_get(node, "start") != NULL;
  out->start_hold = s.start.hold;
  out->start_plant = PB_PLANTS;
  if (s.start.plant)
    out->start_plant = (pb_plant)dm_names_find(pb_plant_names, PB_PLANTS, s.start.plant);
  DM_TRY(pb_copy_numbers(r->arena, r->n, s.start.q, &out->start_q));
  DM_TRY(pb_copy_numbers(r->arena, r->n, s.start.v, &out->start_v));
  DM_TRY(pb_copy_numbers(r->arena, r->n, s.spread.q, &out->spread_q));
  DM_TRY(pb_copy_numbers(r->arena, r->n, s.spread.v, &out->spread_v));

  // what is set against the gains, drawn by the same seed
  DM_TRY(pb_robustness_read(r, node, &s.robust, robot, out->spread_q, out->spread_v, &out->robust));
  out->robust.set.seed = out->seed;
  DM_TRY(pb_criteria_read(r, s.criteria, robot, out));
  return pb_join_numbers(r->arena, r->n, s.scale.q, s.scale.v, &out->scale);
}

// how long a motion and the rest after it take [s]; NAN: that is not known yet
static double find_time(const pb_context *c, const pb_feedback *f) {
  if (c->rest) return c->rest->N * c->rest->h;
  return c->has_task && !c->task->free_time ? c->task->T + f->rest_time : NAN;
}

// pushes need room, those of samples and those of criteria
static dm_status check_room(const pb_reader *r, const pb_node *node, const pb_context *c,
                            const pb_feedback *f, const pb_verification *v) {
  const fb_pushes *pushes = &v->robust.set.pushes;
  const double T = find_time(c, f), slack = 1 + 1e-9; // rounding of N h
  if (!isfinite(T)) return DM_OK;
  if (!fb_pushes_fit(pushes, T * slack))
    return pb_refuse_node(r, pb_node_get(node, "pushes"),
                          "verify.pushes: found %d pushes at least %g s apart in a motion of %g s, "
                          "expected room for them: try a smaller count, or apart",
                          pushes->count, pushes->apart, T);

  for (int i = 0; i < v->ncriteria; i++) {
    const fb_criterion *row = &v->criteria[i];
    if (fb_criterion_fits(row, r->n, T * slack)) continue;
    return pb_refuse_node(r, pb_node_get(node, "criteria"),
                          "verify.criteria: found %d pushes with gaps of %g s in a run of %g s, "
                          "expected room for them: try a smaller count or gap, 'of' one joint, or "
                          "a longer feedback.hold",
                          fb_criterion_pushes(row, r->n), row->gap, T);
  }
  return DM_OK;
}

dm_status pb_verify_check(const pb_reader *r, const pb_node *node, const pb_context *c,
                          const pb_feedback *f, const pb_verification *v) {
  if (!node) return DM_OK;
  const pb_node *noise = pb_node_get(node, "noise"), *encoders = pb_node_get(node, "encoders");
  const pb_node *start = pb_node_get(node, "start");
  const bool blind = f->measure == FB_POSITIONS || f->has_estimator; // to velocities
  const char *by = f->has_estimator ? "an estimator" : "measure: positions";

  // what would be read, and change nothing
  if (blind && v->robust.set.v)
    return pb_refuse_node(r, pb_node_get(noise, "v"),
                          "verify.noise.v: found one beside %s, to which no velocity is shown, "
                          "expected none; noise.q is seen",
                          by);
  if (blind && encoders && pb_node_get(encoders, "velocity"))
    return pb_refuse_node(r, pb_node_get(encoders, "velocity"),
                          "verify.encoders.velocity: found one beside %s, to which no velocity is "
                          "shown, expected none",
                          by);

  if (!r->nf && pb_node_get(node, "actuators"))
    return pb_refuse_node(r, pb_node_get(node, "actuators"),
                          "verify.actuators: found one of a robot without motors that give forces, "
                          "expected none");
  if (!r->nf && isfinite(v->robust.limit))
    return pb_refuse_node(
        r, pb_node_get(node, "limit"),
        "verify.limit: found %g for a robot without motors that give forces, which "
        "it would limit, expected none; try bounds.q of what is prescribed",
        v->robust.limit);

  // what there cannot be
  if (v->robust.exported && f->exact && f->measure == FB_POSITIONS)
    return pb_refuse_node(r, pb_node_get(node, "plants"),
                          "verify.plants: found exported beside feedback.momentum: exact by "
                          "positions, which needs the map itself, and that controller.c does not "
                          "contain; use linear, measure: velocity, or plants: own");
  if (v->has_start && v->start_plant == PB_CONTINUOUS && c->task->system.nk)
    return pb_refuse_node(r, pb_node_get(start, "plant"),
                          "verify.start.plant: found continuous, and there is no such plant: it "
                          "has no kinematic coordinates; expected one that there is: try discrete");
  const char *beside = f->has_estimator ? "an estimator" : NULL;
  if (c->task->system.nk) beside = "kinematic coordinates";
  if (v->ncriteria && beside)
    return pb_refuse_node(r, pb_node_get(node, "criteria"),
                          "verify.criteria: found criteria beside %s, expected none", beside);
  return check_room(r, node, c, f, v);
}
