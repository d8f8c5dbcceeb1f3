#include "control/loop/bench.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>

fb_bench_settings fb_bench_default(void) {
  return (fb_bench_settings){.limit = INFINITY};
}

void fb_bench_limit(fb_bench *g, double times) {
  for (int i = 0; i < g->law->nu; i++) {
    // the largest planned |u_i|
    const fb_tvlqr *f = g->law;
    double planned = 0;
    for (int k = 0; i < g->s->nu && k < f->N; k++)
      planned = fmax(planned, fabs(f->u[(size_t)k * (size_t)f->nu + (size_t)i]));

    double limit = planned > 0 && isfinite(times) ? times * planned : INFINITY;
    g->u_min[i] = fmax(g->robot_min ? g->robot_min[i] : -INFINITY, -limit);
    g->u_max[i] = fmin(g->robot_max ? g->robot_max[i] : INFINITY, limit);
  }
}

void fb_bench_free(fb_bench *g) {
  if (!g) return;
  g->law->sensor = g->inner;
  fb_mismatch_free(g->noise);
  dm_block_free(g);
}

// the mismatch acts between the law and the plant
static dm_status insert_mismatch(fb_bench *g, const fb_perturbed_models *machines,
                                 const fb_mismatch_settings *mismatch) {
  DM_TRY(fb_mismatch_new(&g->noise, g->law, g->s, machines, mismatch, g->inner));
  g->plant = fb_mismatch_plant(g->noise);
  g->sensor = fb_mismatch_sensor(g->noise);
  g->law->sensor = &g->sensor;
  return DM_OK;
}

static void lay_out_limits(void *self, dm_block *b) {
  fb_bench *g = self;
  g->u_min = dm_block_alloc(b, (size_t)g->law->nu, sizeof *g->u_min);
  g->u_max = dm_block_alloc(b, (size_t)g->law->nu, sizeof *g->u_max);
}

dm_status fb_bench_new(fb_bench **out, fb_tvlqr *law, const dm_system *s,
                       const fb_perturbed_models *machines, const fb_bench_settings *set) {
  const fb_plant *bare;
  const dm_system *system;
  assert(out && law->nx == 2 * s->L.nq);
  *out = NULL;

  // without a mismatch, the model itself is the plant
  DM_TRY(machines->build(machines->self, NULL, &bare, &system));

  fb_bench count = {.law = law, .s = s, .bare = bare, .plant = *bare, .inner = law->sensor};
  fb_bench *g = dm_block_make(&count, sizeof count, lay_out_limits);
  if (!g) return DM_NO_MEMORY;

  // the mismatch, between the law and the plant
  dm_status status = set->mismatch ? insert_mismatch(g, machines, set->mismatch) : DM_OK;
  if (status != DM_OK) {
    fb_bench_free(g);
    return status;
  }

  // samples as the caller draws them, under the robot's limits; the cut models the plant's motors
  g->robot_min = set->samples.u_min;
  g->robot_max = set->samples.u_max;
  g->set = set->samples;
  g->plant.u_min = g->u_min;
  g->plant.u_max = g->u_max;
  fb_bench_limit(g, set->limit);
  *out = g;
  return DM_OK;
}
