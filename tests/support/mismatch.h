// tests/support/mismatch.h: two ways to make the plants of a model, one of which only records the
// requests, for a mismatch with the controller of the balanced cart-pole.
#ifndef TESTS_SUPPORT_MISMATCH_H
#define TESTS_SUPPORT_MISMATCH_H
#include "tests/support/balanced.h"

#include "control/loop/model_mismatch.h"
#include "control/loop/monte_carlo.h"

// plants of a model, simulated by the discrete map
typedef struct shop {
  dm_model *model, *changed;
  dm_system system;
  dm_holonomic hol; // of all plants
  fb_plant plant;
  int made;
} shop;

static inline dm_status make(void *self, const dm_change *c, const fb_plant **plant,
                             const dm_system **system) {
  shop *w = self;
  fb_plant_free(&w->plant);
  dm_model_free(w->changed);
  w->changed = NULL;
  w->made++;
  if (c) DM_TRY(dm_model_changed(&w->changed, w->model, c));
  w->system = dm_system_of(c ? w->changed : w->model);
  w->system.hol = w->hol;
  DM_TRY(fb_plant_discrete(&w->plant, &w->system));
  *plant = &w->plant, *system = &w->system;
  return DM_OK;
}

// a plant that is not made: the expected request, and the arguments received
typedef struct spy {
  const dm_system *system;
  fb_plant plant;
  double factor[4][2], u; // factors of mass, moments, length, damping by link or joint
  int made, links;        // all links (0), or the first
} spy;

static inline dm_status note(void *self, const dm_change *c, const fb_plant **plant,
                             const dm_system **system) {
  spy *w = self;
  static const dm_change none;
  if (!c) c = &none;
  const double *const given[] = {c->mass, c->inertia, c->length, c->damping};
  for (int a = 0; a < 4; a++)
    for (int i = 0; given[a] && i < (w->links && a < 3 ? w->links : 2); i++)
      w->factor[a][i] = given[a][i];
  w->made++;
  *plant = &w->plant, *system = w->system;
  return DM_OK;
}

static inline dm_status stand(void *self, double *x, const double *u, double h) {
  (void)x, (void)h;
  ((spy *)self)->u = u[0];
  return DM_OK;
}

typedef struct bench {
  balanced z;
  shop shop;
  fb_mismatch *w;
  fb_plant plant;
  fb_sensor sensor;
} bench;

static const double q_std[] = {0.01, 0.02}, v_std[] = {0.1, 0.2}, u_std[] = {0.5};

static inline void bench_open(bench *b) {
  *b = (bench){.z = balanced_open()};
  b->shop.model = b->z.m;
  fb_mismatch_settings set = {
      .seed = 5, .q = q_std, .v = v_std, .torque = u_std, .size[FB_DELAY] = 0.05};
  for (int a = FB_MASS; a <= FB_DAMPING; a++) set.size[a] = 0.1;
  fb_perturbed_models machines = {.self = &b->shop, .nj = b->z.m->nj, .build = make};
  assert_int_equal(fb_mismatch_new(&b->w, b->z.f, &b->z.s, &machines, &set, NULL), DM_OK);
  b->plant = fb_mismatch_plant(b->w);
  b->sensor = fb_mismatch_sensor(b->w);
  fb_mismatch_levels(b->w, 0);
  b->z.f->sensor = &b->sensor;
}

static inline void bench_close(bench *b) {
  fb_mismatch_free(b->w);
  fb_plant_free(&b->shop.plant);
  dm_model_free(b->shop.changed);
  balanced_close(&b->z);
}

static const double spread_q[] = {0.02, 0.02}, spread_v[] = {0.02, 0.02};
static const fb_monte_carlo_settings drawn = {
    .samples = 12, .seed = 5, .spread_q = spread_q, .spread_v = spread_v, .tolerance = 0.1};

static inline void run(bench *b, int samples, fb_sample *rows) {
  fb_monte_carlo_settings set = drawn;
  set.samples = samples;
  assert_int_equal(fb_monte_carlo_run(b->z.f, &b->z.s, &b->plant, &set, rows, 0, NULL, NULL, NULL),
                   DM_OK);
}

// move the plant of the bench from x0 for 10 steps; seen [10 x 4] measurements, and states [11 x 4]
// at its knots
static const double along[] = {0.1, 3, 0.05, -0.02};
static inline void move_and_see(bench *b, double *x, double *seen) {
  b->sensor.begin(b->sensor.self, 0);
  memcpy(x, along, sizeof along);
  for (int k = 0; k < 10; k++) {
    const double u = sin(k);
    memcpy(seen + 4 * k, b->sensor.measure(b->sensor.self, k, x + 4 * k), sizeof along);
    memcpy(x + 4 * (k + 1), x + 4 * k, sizeof along);
    assert_int_equal(b->plant.step(b->plant.self, x + 4 * (k + 1), &u, b->z.f->h), DM_OK);
  }
}

#endif
