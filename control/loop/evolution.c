#include "control/loop/evolution.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/base/random.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void lay_out_evolution(void *self, dm_block *b) {
  fb_evolution *w = self;
  const size_t n = (size_t)w->n, all = (size_t)w->children * n;
  w->x = dm_block_alloc(b, n, sizeof *w->x);
  w->s = dm_block_alloc(b, n, sizeof *w->s);
  w->y = dm_block_alloc(b, all, sizeof *w->y);
  w->z = dm_block_alloc(b, all, sizeof *w->z);
  w->M = dm_block_alloc(b, n * n, sizeof *w->M);
  w->change = dm_block_alloc(b, n * n, sizeof *w->change);
  w->order = dm_block_alloc(b, (size_t)w->children, sizeof *w->order);
}

dm_status fb_evolution_new(fb_evolution **out, int n, uint64_t seed, double step) {
  fb_evolution sizes = {.n = n, .seed = seed, .step = step};
  assert(n > 0 && step > 0);
  sizes.children = 4 + (int)(3 * log(n));
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_evolution);
  for (int i = 0; *out && i < n; i++) dm_row((*out)->M, i, n)[i] = 1;
  return *out ? DM_OK : DM_NO_MEMORY;
}

void fb_evolution_free(fb_evolution *w) {
  dm_block_free(w);
}

void fb_evolution_propose(fb_evolution *w) {
  const int n = w->n;
  for (int i = 0; i < w->children; i++) {
    double *z = dm_row(w->z, i, n), *y = dm_row(w->y, i, n);
    const int child = w->generation * w->children + i;

    // y = x + step M z
    for (int j = 0; j < n; j++) z[j] = dm_random_normal(w->seed, child, (uint64_t)j);
    for (int j = 0; j < n; j++) {
      const double *M = dm_row(w->M, j, n);
      y[j] = w->x[j];
      for (int k = 0; k < n; k++) y[j] += w->step * M[k] * z[k];
    }
  }
}

// w->order: children by value, the best first; returns how many have a value
static int rank_children(fb_evolution *w, const double *value) {
  int ranked = 0;
  for (int i = 0; i < w->children; i++) {
    if (!(value[i] > -INFINITY)) continue;
    int at = ranked++;
    for (; at > 0 && value[w->order[at - 1]] < value[i]; at--) w->order[at] = w->order[at - 1];
    w->order[at] = i;
  }
  return ranked;
}

// the weight of the child at rank i of the order, not yet normalized to sum 1
static double weigh_place(const fb_evolution *w, int place) {
  return log((w->children + 1) / 2.) - log(place + 1.);
}

// s, then the update of M: w->change is the factor that multiplies M, less 1
static void find_growth(fb_evolution *w, int parents, double sum, double c1, double cw) {
  const int n = w->n;
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++)
      dm_row(w->change, j, n)[k] = c1 / 2 * w->s[j] * w->s[k] - (j == k) * (c1 + cw) / 2;
  for (int p = 0; p < parents; p++) {
    const double *z = dm_row(w->z, w->order[p], n), weight = cw / 2 * weigh_place(w, p) / sum;
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) dm_row(w->change, j, n)[k] += weight * z[j] * z[k];
  }
}

void fb_evolution_tell(fb_evolution *w, const double *value) {
  // bounds keep a long plateau from ending the search, or a lucky run from diverging
  static const double min_step = 0.02, max_step = 1.5;
  const int n = w->n, ranked = rank_children(w, value);
  const int parents = ranked < w->children / 2 ? ranked : w->children / 2;
  double sum = 0, squares = 0, size = 0;
  w->generation++;
  if (!ranked) w->step = fmax(w->step / 2, min_step);
  if (!ranked) return;

  // mu = (sum w)^2 / sum w^2, and the learning rates of the paper
  for (int p = 0; p < parents; p++) {
    sum += weigh_place(w, p);
    squares += weigh_place(w, p) * weigh_place(w, p);
  }
  const double mu = sum * sum / squares, c = (mu + 2) / (n + mu + 5);
  const double c1 = 2 / ((n + 1.3) * (n + 1.3) + mu);
  const double cw = fmin(1 - c1, 2 * (mu + 1 / mu - 2) / ((n + 2.) * (n + 2.) + mu));
  const double damping = 1 + c + 2 * fmax(0, sqrt((mu - 1) / (n + 1.)) - 1);

  // x <- x + step <M z>, and s
  for (int j = 0; j < n; j++) w->s[j] *= 1 - c;
  for (int j = 0; j < n; j++) {
    double to = 0;
    for (int p = 0; p < parents; p++) {
      const double weight = weigh_place(w, p) / sum;
      to += weight * (dm_row(w->y, w->order[p], n)[j] - w->x[j]);
      w->s[j] += sqrt(mu * c * (2 - c)) * weight * dm_row(w->z, w->order[p], n)[j];
    }
    w->x[j] += to;
    size += w->s[j] * w->s[j];
  }

  // M, with a child that is no longer needed as scratch; then the step, with E|z| to second order
  // in 1/n
  const double usual = sqrt(n) * (1 - 1 / (4. * n) + 1 / (21. * n * n));
  find_growth(w, parents, sum, c1, cw);

  // M <- M (1 + w->change), row by row; each row depends on itself only
  for (int j = 0; j < n; j++) {
    double *M = dm_row(w->M, j, n);
    memcpy(w->y, M, (size_t)n * sizeof *w->y);
    for (int k = 0; k < n; k++)
      for (int l = 0; l < n; l++) M[k] += w->y[l] * dm_row(w->change, l, n)[k];
  }

  w->step *= exp(c / damping * (sqrt(size) / usual - 1));
  w->step = fmin(fmax(w->step, min_step), max_step);
}
