#include "optim/transcription/smoothness.h"

#include <math.h>

enum { ORDERS = 2, MOST_KNOTS = 4 };

// a difference: coefficients on knots k, k+1, .., and h times the velocity at an end
typedef struct difference {
  int knots;
  double c[MOST_KNOTS], by_v, share;
} difference;

enum { START, GOAL, INNER };

// of an order d, each at its place; knots of the goal's count back from there
static const struct {
  int d;
  difference at[3];
} orders[ORDERS] = {
    {2,
     {[START] = {2, {-2, 2}, -2, 0.5},
      [GOAL] = {2, {-2, 2}, 2, 0.5},
      [INNER] = {3, {1, -2, 1}, 0, 1}}},
    {3,
     {[START] = {3, {4.5, -6, 1.5}, 3, 1},
      [GOAL] = {3, {-4.5, 6, -1.5}, 3, 1},
      [INNER] = {4, {-1, 3, -3, 1}, 0, 1}}},
};

// One of them at its place in a program: its unknowns with coefficients, the velocity last.
typedef struct placed {
  int n, x[MOST_KNOTS + 1];
  double c[MOST_KNOTS + 1];
  bool has_v; // then c of the last is h times by_v
  double by_v;
  double w, share, power; // w share h^power D^2 / 2
} placed;

static const double *find_weights(const oc_task *task, int order) {
  return order == 0 ? task->w_a : task->w_jerk;
}

// how many differences of an order there are: those within, and both ends
static int count_differences(const oc_transcription *t, int order) {
  if (!find_weights(&t->task, order)) return 0;
  if (t->N + 1 < orders[order].at[START].knots) return 0;
  const int inner = t->N + 2 - orders[order].at[INNER].knots;
  return inner > 0 ? 2 + inner : 2;
}

// difference e of coordinate i: 0 at the start, 1 at the goal, from 2 on within
static placed place_difference(const oc_transcription *t, int order, int e, int i, double h) {
  const difference *of = &orders[order].at[e < INNER ? e : INNER];
  placed p = {.w = find_weights(&t->task, order)[i],
              .share = of->share,
              .power = (t->task.sum ? 0 : 1) - 2 * orders[order].d};
  const int first = e < INNER ? 0 : e - INNER;
  for (int a = 0; a < of->knots; a++) {
    const int k = e == GOAL ? t->N - a : first + a;
    p.x[p.n] = oc_transcription_q(t, k) + i;
    p.c[p.n++] = of->c[a];
  }
  if (e >= INNER) return p;
  p.has_v = true;
  p.by_v = of->by_v;
  p.x[p.n] = t->v[e] + i;
  p.c[p.n++] = h * of->by_v;
  return p;
}

static double take_difference(const placed *p, const double *x) {
  double D = 0;
  for (int a = 0; a < p->n; a++) D += p->c[a] * x[p->x[a]];
  return D;
}

// D by h
static double find_slope(const placed *p, const double *x) {
  return p->has_v ? p->by_v * x[p->x[p->n - 1]] : 0;
}

double oc_smoothness_cost(const oc_transcription *t, const double *x, double h) {
  double sum = 0;
  for (int o = 0; o < ORDERS; o++)
    for (int e = 0; e < count_differences(t, o); e++)
      for (int i = 0; i < t->n; i++) {
        const placed p = place_difference(t, o, e, i, h);
        const double D = take_difference(&p, x);
        sum += 0.5 * p.w * p.share * pow(h, p.power) * D * D;
      }
  return sum;
}

void oc_smoothness_gradient(const oc_transcription *t, const double *x, double h, double *grad) {
  for (int o = 0; o < ORDERS; o++)
    for (int e = 0; e < count_differences(t, o); e++)
      for (int i = 0; i < t->n; i++) {
        const placed p = place_difference(t, o, e, i, h);
        const double D = take_difference(&p, x), F = p.w * p.share * pow(h, p.power);
        for (int a = 0; a < p.n; a++) grad[p.x[a]] += F * D * p.c[a];
        if (t->h >= 0) grad[t->h] += 0.5 * F * p.power / h * D * D + F * D * find_slope(&p, x);
      }
}

// the entries of one difference; returns what h has with itself
static double put_difference(const oc_transcription *t, const placed *p, const double *x, double h,
                             double sigma, oc_triplets *s) {
  const bool values = s->val != NULL;
  const double F = values ? sigma * p->w * p->share * pow(h, p->power) : 0;
  const double D = values ? take_difference(p, x) : 0, D_h = values ? find_slope(p, x) : 0;
  const double F_h = values ? F * p->power / h : 0;
  for (int a = 0; a < p->n; a++) {
    for (int b = 0; b <= a; b++) {
      // the lower triangle: knots at the goal count back
      const int row = p->x[a] > p->x[b] ? p->x[a] : p->x[b];
      const int col = p->x[a] > p->x[b] ? p->x[b] : p->x[a];
      oc_put(s, row, col, F * p->c[a] * p->c[b]);
    }
    if (t->h < 0) continue;
    const double D_xh = p->has_v && a == p->n - 1 ? p->by_v : 0;
    oc_put(s, t->h, p->x[a], (F_h * D + F * D_h) * p->c[a] + F * D * D_xh);
  }
  if (!values) return 0;
  return 0.5 * F_h * (p->power - 1) / h * D * D + 2 * F_h * D * D_h + F * D_h * D_h;
}

void oc_smoothness_put_hessian(const oc_transcription *t, const double *x, double h, double sigma,
                               oc_triplets *s) {
  double hh = 0;
  if (!oc_task_is_smooth(&t->task)) return;
  for (int o = 0; o < ORDERS; o++)
    for (int e = 0; e < count_differences(t, o); e++)
      for (int i = 0; i < t->n; i++) {
        const placed p = place_difference(t, o, e, i, h);
        if (p.w > 0) hh += put_difference(t, &p, x, h, sigma, s);
      }
  if (t->h >= 0) oc_put(s, t->h, t->h, hh);
}
