#include "problems/verify.h"

#include "problems/robustness.h"
#include "problems/task.h"

static const pb_key spread_keys[] = {PB_KEY(pb_end, q, .type = PB_EACH_COORD, .unit = "m or rad",
                                            .range = ">= 0", .absent = "0.05", .rest = "0"),
                                     PB_KEY(pb_end, v, .type = PB_EACH_COORD,
                                            .unit = "m/s or rad/s", .range = ">= 0",
                                            .absent = "0.1", .rest = "0"),
                                     {0}};

static const pb_key scale_keys[] = {PB_KEY(pb_end, q, .type = PB_EACH_COORD, .unit = "m or rad",
                                           .range = "> 0", .absent = "1", .rest = "1"),
                                    PB_KEY(pb_end, v, .type = PB_EACH_COORD, .unit = "m/s or rad/s",
                                           .range = "> 0", .absent = "1", .rest = "1"),
                                    {0}};

typedef struct verify_start {
  const double *q, *v;
  int hold;
} verify_start;

static const pb_key verify_start_keys[] = {
    PB_KEY(verify_start, q, .type = PB_EACH_COORD, .unit = "m or rad", .absent = "0"),
    PB_KEY(verify_start, v, .type = PB_EACH_COORD, .unit = "m/s or rad/s", .absent = "0"),
    PB_KEY(verify_start, hold, .type = PB_INTEGER, .range = ">= 0", .absent = "0"),
    {0}};

typedef struct verify_section {
  int samples, seed;
  pb_end spread, scale;
  verify_start start;
  double tolerance, required;
  pb_robustness_section robust;
} verify_section;

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
    ROBUST(limit, .type = PB_NUMBER, .range = "> 0", .absent = "none", .words = "none"),
    ROBUST(delay, .type = PB_NUMBER, .unit = "s", .range = ">= 0", .absent = "0"),
    ROBUST(plants, .type = PB_WORD, .absent = "own", .words = "own all"),
    ROBUST(sweep, .type = PB_NODE, .words = "section", .sub = pb_sweep_keys),
    ROBUST(region, .type = PB_NODE, .words = "section", .sub = pb_region_keys),
    {0}};

dm_status pb_verify_read(const pb_reader *r, const pb_node *node, pb_problem *p) {
  verify_section s = {0};
  p->has_verify = node != NULL;
  if (!node) return DM_OK;
  DM_TRY(pb_schema_read(r, "verify", node, pb_verify_keys, &s));
  if (!p->has_feedback)
    return pb_refuse_key(r, node, "found 'verify' but no 'feedback', expected both");
  p->samples = s.samples;
  p->seed = p->sensors.seed = (unsigned long long)s.seed;
  p->tolerance = s.tolerance;
  p->required = s.required;
  DM_TRY(pb_robustness_read(r, node, &s.robust, p));
  p->has_start = pb_node_get(node, "start") != NULL;
  p->start_hold = s.start.hold;
  DM_TRY(pb_keep(r->arena, r->n, s.start.q, &p->start_q));
  DM_TRY(pb_keep(r->arena, r->n, s.start.v, &p->start_v));
  DM_TRY(pb_keep(r->arena, r->n, s.spread.q, &p->spread_q));
  DM_TRY(pb_keep(r->arena, r->n, s.spread.v, &p->spread_v));
  return pb_keep_both(r->arena, r->n, s.scale.q, s.scale.v, &p->scale);
}
