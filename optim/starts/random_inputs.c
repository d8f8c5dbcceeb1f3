#include "optim/starts/random_inputs.h"

#include "lib/base/random.h"
#include "optim/program/input_sizes.h"
#include "optim/program/program_scale.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { DRAW_MODES = (1 << 20) + 1, DRAW_WAVE = 1 << 21 };
enum { MOST_MODES = 9, WAVES = 2 * (MOST_MODES + 1) };

double oc_guess_size(uint64_t seed, int number, uint64_t i, double low, double high) {
  const double share = 0.5 * (1 + dm_random_uniform(seed, number, i));
  return low * pow(high / low, share);
}

static bool is_bounded(dm_range r) {
  return isfinite(r.low) && isfinite(r.high);
}

// for an input without limits that is not at a joint
static double find_size(const oc_task *t, int i) {
  dm_scale *of = NULL;
  double size = 1;
  const size_t inputs = (size_t)dm_system_inputs(&t->system);
  double *u = calloc(inputs, sizeof *u);
  if (u && oc_task_scale(&of, t, 1) == DM_OK && oc_input_sizes(t, of, u) == DM_OK) size = u[i];
  dm_scale_free(of);
  free(u);
  return size;
}

double oc_input_scale(const oc_task *t, int i) {
  const dm_system *s = &t->system;
  const dm_range r = oc_task_range(t, OC_U, i);
  if (is_bounded(r)) return 0.5 * (r.high - r.low);
  const double alone = fmin(fabs(r.low), fabs(r.high));
  if (isfinite(alone) && alone > 0) return alone;
  const double turn = 6.283185307179586, rate = turn / t->time.T;
  const int c = i < s->nu - s->force.nu ? s->input_coord[i] : -1;
  const double inertia = s->inertia && c >= 0 ? s->inertia[c] : 0;
  return inertia > 0 ? 10 * inertia * oc_task_way(t, c) * rate * rate
                     : 10 * turn * turn * find_size(t, i);
}

double oc_input_clip(const oc_task *t, int i, int k, double u) {
  dm_range r = oc_task_range(t, OC_U, i);
  for (int l = 0; l < t->inputs.n; l++) {
    const oc_input_limit *limit = &t->inputs.limit[l];
    int first, last;
    if (limit->input != i) continue;
    oc_span_steps(limit->at, t->N, &first, &last);
    if (k < first || k > last) continue;
    r = dm_range_both(r, (dm_range){limit->low, limit->high});
  }
  return u > r.high ? r.high : u < r.low ? r.low : u;
}

void oc_random_inputs_draw(const oc_task *t, uint64_t seed, int number, double size, double *u) {
  const int width = t->system.nu + t->system.nk;
  for (int i = 0; i < t->system.nu; i++) {
    const dm_range r = oc_task_range(t, OC_U, i);
    const double middle = is_bounded(r) ? 0.5 * (r.low + r.high) : 0;
    for (int k = 0; k < t->N; k++) u[(size_t)k * (size_t)width + i] = middle;
  }
  oc_random_inputs_add(t, seed, number, size, u);
}

void oc_random_inputs_add(const oc_task *t, uint64_t seed, int number, double size, double *u) {
  const int width = t->system.nu + t->system.nk;
  const double part = 0.5 * (1 + dm_random_uniform(seed, number, DRAW_MODES));
  const int modes = 1 + (int)(part * (MOST_MODES - 1));

  // for each input a wave a cos + b sin per mode
  for (int i = 0; i < t->system.nu; i++) {
    double wave[WAVES];
    for (int m = 0; m < 2 * (modes + 1); m++)
      wave[m] = dm_random_normal(seed, number, DRAW_WAVE + (uint64_t)(i * WAVES + m));
    const double scale = size * oc_input_scale(t, i);

    for (int k = 0; k < t->N; k++) {
      double sum = 0;
      for (int m = 0; m <= modes; m++) {
        const double angle = 3.141592653589793 * m * k / t->N;
        sum += wave[2 * m] * cos(angle);
        sum += wave[2 * m + 1] * sin(angle);
      }
      double *at = u + (size_t)k * (size_t)width + i;
      *at = oc_input_clip(t, i, k, *at + scale * sum / sqrt(modes + 1.0));
    }
  }
}
