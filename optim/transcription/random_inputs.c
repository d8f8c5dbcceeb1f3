#include "optim/transcription/random_inputs.h"

#include "lib/base/random.h"

#include <math.h>

enum { DRAW_MODES = (1 << 20) + 1, DRAW_WAVE = 1 << 21 };
enum { MOST_MODES = 9, WAVES = 2 * (MOST_MODES + 1) };

double oc_guess_size(uint64_t seed, int number, uint64_t i, double low, double high) {
  const double share = 0.5 * (1 + dm_random_uniform(seed, number, i));
  return low * pow(high / low, share);
}

double oc_input_scale(const oc_task *t, int i) {
  const dm_system *s = &t->system;
  double most = INFINITY;
  if (t->u_max) most = fmin(most, fabs(t->u_max[i]));
  if (t->u_min) most = fmin(most, fabs(t->u_min[i]));
  if (isfinite(most)) return most;
  const double rate = 6.283185307179586 / t->T;
  const double inertia = s->inertia && i < s->nu - s->force.count && s->input_coord[i] >= 0
                             ? s->inertia[s->input_coord[i]]
                             : 0;
  return 10 * (inertia > 0 ? inertia : 1) * rate * rate;
}

double oc_input_clip(const oc_task *t, int i, double u) {
  if (t->u_max && u > t->u_max[i]) u = t->u_max[i];
  if (t->u_min && u < t->u_min[i]) u = t->u_min[i];
  return u;
}

void oc_random_inputs_add(const oc_task *t, uint64_t seed, int number, double size, double *u) {
  const int width = t->system.nu + t->system.nk;
  const double part = 0.5 * (1 + dm_random_uniform(seed, number, DRAW_MODES));
  const int modes = 1 + (int)(part * (MOST_MODES - 1));

  // of each input a wave a cos + b sin of every mode
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
      *at = oc_input_clip(t, i, *at + scale * sum / sqrt(modes + 1.0));
    }
  }
}
