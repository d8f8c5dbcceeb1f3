#include "optim/task/curve_place.h"

#include "lib/base/block.h"

#include <math.h>

enum { LEAST = 256, MOST = 4096, PER_PIECE = 8, NEWTON = 20 };

struct oc_curve_place {
  const dm_curve *c;
  int N, M, width;     // width: how many grid points a point may advance per knot
  double *r;           // [M+1 x m] at the grid points j / M
  double *cost;        // [M+1] of the best path up to this knot that ends here
  unsigned short *way; // [N+1 x M+1] the predecessor of each grid point
  unsigned short
      *queue;     // [M+1] candidate predecessors in a monotonic queue, in order of increasing cost
  double *jet[3]; // [m] r, r', r''
  double *so_far; // [N+1] the largest parameter up to a knot
};

static void lay_out_place(void *self, dm_block *b) {
  oc_curve_place *w = self;
  const size_t m = (size_t)w->c->m, places = (size_t)w->M + 1;
  w->r = dm_block_alloc(b, places * m, sizeof *w->r);
  w->cost = dm_block_alloc(b, places, sizeof *w->cost);
  w->queue = dm_block_alloc(b, places, sizeof *w->queue);
  w->way = dm_block_alloc(b, ((size_t)w->N + 1) * places, sizeof *w->way);
  w->so_far = dm_block_alloc(b, (size_t)w->N + 1, sizeof *w->so_far);
  for (int i = 0; i < 3; i++) w->jet[i] = dm_block_alloc(b, m, sizeof(double));
}

dm_status oc_curve_place_new(oc_curve_place **out, const dm_curve *curve, int N, double most) {
  int M = PER_PIECE * (curve->n - 1);
  if (M < LEAST) M = LEAST;
  if (M > MOST) M = MOST;
  oc_curve_place sizes = {.c = curve, .N = N, .M = M, .width = (int)ceil(fmin(most, 1) * M)};
  oc_curve_place *w = dm_block_make(&sizes, sizeof sizes, lay_out_place);
  *out = w;
  if (!w) return DM_NO_MEMORY;
  for (int j = 0; j <= M; j++) dm_curve_eval(curve, (double)j / M, w->r + j * curve->m, NULL, NULL);
  return DM_OK;
}

void oc_curve_place_free(oc_curve_place *w) {
  dm_block_free(w);
}

// |y - r|^2
static double find_distance(int m, const double *y, const double *r) {
  double sum = 0;
  for (int i = 0; i < m; i++) sum += (y[i] - r[i]) * (y[i] - r[i]);
  return isfinite(sum) ? sum : 0;
}

// cost_j(k) = |y_k - r_j|^2 + min over j - width <= i <= j of cost_i(k-1): the minimum over a sliding window,
// by a queue from which every entry that costs more than a later one has been removed
static void add_knot(oc_curve_place *w, int k, const double *y) {
  unsigned short *way = w->way + (size_t)k * ((size_t)w->M + 1), *queue = w->queue;
  int first = 0, count = 0;
  for (int j = 0; j <= w->M; j++) {
    while (count > first && w->cost[queue[count - 1]] > w->cost[j]) count--;
    queue[count++] = (unsigned short)j;
    while (queue[first] < j - w->width) first++;
    way[j] = queue[first];
  }
  // from the last grid point down, so that the predecessors' costs are not yet overwritten
  for (int j = w->M; j >= 0; j--)
    w->cost[j] = w->cost[way[j]] + find_distance(w->c->m, y, w->r + j * w->c->m);
}

// the parameter nearest to y in [low, high], by Newton's method on |y - r(s)|^2 / 2, with Gauss-Newton steps
// if that is not convex
static double find_nearest(oc_curve_place *w, const double *y, double s, double low, double high) {
  const int m = w->c->m;
  for (int i = 0; i < NEWTON; i++) {
    double slope = 0, bend = 0, gauss = 0;
    dm_curve_eval(w->c, s, w->jet[0], w->jet[1], w->jet[2]);
    for (int j = 0; j < m; j++) {
      const double off = w->jet[0][j] - y[j];
      slope += off * w->jet[1][j];
      gauss += w->jet[1][j] * w->jet[1][j];
      bend += off * w->jet[2][j];
    }

    // the Newton curvature |r'|^2 + (r - y).r'' if it is clearly positive
    const double curvature = gauss + bend > 0.1 * gauss ? gauss + bend : gauss;
    if (!(curvature > 0) || !isfinite(slope)) break;
    const double next = fmin(fmax(s - slope / curvature, low), high), moved = fabs(next - s);
    s = next;
    if (moved < 1e-16) break;
  }
  return s;
}

void oc_curve_place_find(oc_curve_place *w, const double *y, double *s) {
  const int m = w->c->m, M = w->M, N = w->N;

  // from grid point 0 to grid point M
  for (int j = 0; j <= M; j++) w->cost[j] = j ? INFINITY : 0;
  for (int k = 1; k <= N; k++) add_knot(w, k, y + k * m);
  int j = M;
  s[N] = 1;
  for (int k = N; k > 0; k--) {
    j = w->way[(size_t)k * ((size_t)M + 1) + (size_t)j];
    s[k - 1] = (double)j / M;
  }

  // refine each within one grid point on either side
  const double beside = 1.0 / M;
  s[0] = 0;
  for (int k = 1; k < N; k++)
    s[k] = find_nearest(w, y + k * m, s[k], fmax(s[k] - beside, 0), fmin(s[k] + beside, 1));

  // Monotone order: the mean of the largest parameter so far and the smallest one from there on. For a motion
  // that waits, no monotone sequence deviates less from the nearest parameters.
  for (int k = 1; k < N; k++) w->so_far[k] = fmax(s[k], k > 1 ? w->so_far[k - 1] : 0);
  for (int k = N - 1; k > 0; k--) {
    s[k] = fmin(s[k], s[k + 1]);
    w->so_far[k] = (w->so_far[k] + s[k]) / 2;
  }
  for (int k = 1; k < N; k++) s[k] = w->so_far[k];
}
