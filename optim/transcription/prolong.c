#include "optim/transcription/prolong.h"

#include "optim/transcription/periodic_rows.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Entries of x or of the rows, `size` for each of `count` places in time, `stride` apart. On a grid
// of steps r times as long they are r^value, their bounds' multipliers or their own r^dual as large.
typedef struct family {
  int at, stride, size, count;
  double first, last; // the times of the first and the last, over that of the motion
  int value, dual;
} family;

enum { VARIABLES = 9, ROWS = 10 };

// one family from the old grid to the new
static void prolong_family(const family *a, const double *from, const family *b, double *to,
                           double scale) {
  for (int k = 0; k < b->count && a->count > 0; k++) {
    // its place among the old ones, from 0
    const int last = a->count - 1;
    const double step = b->count > 1 ? (b->last - b->first) / (b->count - 1) : 0;
    double s = last ? (b->first + k * step - a->first) / (a->last - a->first) * last : 0;
    s = fmin(fmax(s, 0), last);
    const int j = s < last || last == 0 ? (int)s : last - 1;

    // between two of them
    const double w = s - j;
    const double *x = from + a->at + (size_t)j * (size_t)a->stride;
    const double *y = last ? x + a->stride : x;
    for (int i = 0; i < a->size; i++)
      to[b->at + k * b->stride + i] = scale * ((1 - w) * x[i] + w * y[i]);
  }
}

// q, u and impulses stage by stage, the last knot's impulses; v at the ends, v and its impulses at
// inner knots; the step; places on a curve
static void list_variables(const oc_transcription *t, family f[VARIABLES]) {
  const int n = t->n, N = t->N, stage = n + t->nu + t->nc, speed = n + t->nc;
  const double h = 1.0 / N;
  f[0] = (family){0, stage, n, N + 1, 0, 1, 0, 1};
  f[1] = (family){n, stage, t->nu, N, h / 2, 1 - h / 2, 0, 1};
  f[2] = (family){n + t->nu, stage, t->nc, N, 0, 1 - h, 1, 0};
  f[3] = (family){oc_transcription_lambda(t, N), 1, t->nc, 1, 1, 1, 1, 0};
  f[4] = (family){t->v[0], 1, n, 1, 0, 0, 0, 0};
  f[5] = (family){t->v[1], 1, n, 1, 1, 1, 0, 0};
  f[6] = (family){oc_transcription_velocity(t, 1), speed, speed, t->moving, h, 1 - h, 0, 1};
  f[7] = (family){t->h < 0 ? 0 : t->h, 1, 1, t->h >= 0, 0, 0, 1, -1};
  f[8] = (family){t->s < 0 ? 0 : t->s, 1, 1, t->s < 0 ? 0 : N + 1, 0, 1, 0, 1};
}

// motion, constraints at knots and their rates at the ends, limits on speeds and on rates, velocities
// at inner knots, paths, both ends of a periodic motion, a curve and the order on it
static void list_rows(const oc_transcription *t, family f[ROWS]) {
  const int n = t->n, nc = t->nc, N = t->N, sides = t->h < 0 ? 1 : 2;
  const int limits = t->nlim * sides, rates = t->nrate * sides, speed = n + nc;
  const double h = 1.0 / N;
  f[0] = (family){0, n, n, N + 1, 0, 1, 0, 0};
  f[1] = (family){oc_transcription_constraint(t, 0), nc, nc, N + 1, 0, 1, 0, 1};
  f[2] = (family){oc_transcription_constraint_rate(t, 0), nc, nc, 2, 0, 1, 0, 0};
  f[3] = (family){oc_transcription_limits(t), limits, limits, N, h / 2, 1 - h / 2, 0, 0};
  f[4] = (family){oc_transcription_rates(t), rates, rates, t->nchange, h, t->nchange * h, 0, 0};
  f[5] = (family){oc_transcription_velocity_row(t, 1), speed, speed, t->moving, h, 1 - h, 0, 1};
  f[6] =
      (family){oc_transcription_path_row(t, 0), t->task.npaths, t->task.npaths, N, 0, 1 - h, 0, 1};

  f[7] = (family){
      oc_transcription_periodic_row(t), 1, oc_periodic_rows_count(&t->task), 1, 1, 1, 0, 0};
  const int m = t->s < 0 ? 0 : t->task.outputs.follow.curve->m;
  f[8] = (family){oc_transcription_curve_row(t, 0), m, m, N + 1, 0, 1, 0, 1};
  f[9] = (family){oc_transcription_order_row(t), 1, m > 0, N, h / 2, 1 - h / 2, 0, 0};
}

// limit i on an output, at one knot or at all of a span
static family list_output(const oc_transcription *t, int i) {
  const oc_placed_limit *l = &t->out_limit[i];
  const double N = t->N;
  return (family){l->row,       1,           1, l->last - l->first + 1,
                  l->first / N, l->last / N, 0, l->last > l->first};
}

void oc_transcription_prolong(const oc_transcription *a, const oc_point *from,
                              const oc_transcription *b, oc_point *to) {
  assert(a && from && b && to && a->n == b->n);
  const double r = (double)a->N / b->N; // new steps over old ones
  family old[VARIABLES], new[VARIABLES];
  list_variables(a, old);
  list_variables(b, new);
  for (int i = 0; i < VARIABLES; i++) {
    prolong_family(&old[i], from->x, &new[i], to->x, pow(r, old[i].value));
    prolong_family(&old[i], from->z_l, &new[i], to->z_l, pow(r, old[i].dual));
    prolong_family(&old[i], from->z_u, &new[i], to->z_u, pow(r, old[i].dual));
  }

  // multipliers of the rows
  family row[ROWS], new_row[ROWS];
  list_rows(a, row);
  list_rows(b, new_row);
  for (int i = 0; i < ROWS; i++)
    prolong_family(&row[i], from->lambda, &new_row[i], to->lambda, pow(r, row[i].dual));
  for (int i = 0; i < a->task.outputs.nlimits; i++) {
    const family of = list_output(a, i), new_of = list_output(b, i);
    prolong_family(&of, from->lambda, &new_of, to->lambda, pow(r, of.dual));
  }
}
