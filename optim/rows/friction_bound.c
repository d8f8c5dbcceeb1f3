#include "optim/rows/friction_bound.h"

// the law at the bound's knot
typedef struct bound_point {
  const dm_contact_law *law;
  const unsigned char *moves; // [n] the coordinates that move its row
  double h, v, B[3]; // step and speed; B, B', B'' times the share of the step that acts there
  int n;             // blocks of unknowns on which v depends, from `from` on, with h dv/dx = of Dr
  int from[2];
  double of[2];
} bound_point;

static bound_point find_point(oc_friction_bound b) {
  const oc_transcription *t = b.t;
  const dm_contact_laws *laws = t->task.system.contacts;
  bound_point p = {.law = &laws->law[b.law],
                   .moves = laws->rows.mask + laws->law[b.law].tangent[0] * t->n,
                   .h = 1,
                   .n = b.k < t->N ? 2 : 1};
  if (b.x) p.h = t->h < 0 ? oc_task_step(&t->task) : b.x[t->h];
  p.from[0] = b.k < t->N ? oc_transcription_q(t, b.k + 1) : t->v[1];
  p.of[0] = b.k < t->N ? 1 : p.h;
  p.from[1] = oc_transcription_q(t, b.k);
  p.of[1] = -1;
  for (int a = 0; b.x && a < p.n; a++)
    for (int i = 0; i < t->n; i++)
      if (p.moves[i]) p.v += p.of[a] / p.h * b.Dr[i] * b.x[p.from[a] + i];
  dm_contact_law_bound(p.law, p.v, p.B);
  for (int i = 0; i < 3; i++) p.B[i] *= dm_contact_share(b.k, t->N);
  return p;
}

double oc_friction_bound_value(oc_friction_bound b) {
  const bound_point p = find_point(b);
  return p.B[0] * p.h;
}

// put a h dv/dx into a row
static void put_slopes(oc_friction_bound b, const bound_point *p, oc_triplets *s, int row,
                       double a) {
  for (int e = 0; p->law->excess > 0 && e < p->n; e++)
    for (int i = 0; i < b.t->n; i++)
      if (p->moves[i]) oc_put(s, row, p->from[e] + i, a * p->of[e] * b.Dr[i]);
}

void oc_friction_bound_put(oc_friction_bound b, oc_triplets *s, int row) {
  const bound_point p = find_point(b);
  put_slopes(b, &p, s, row, p.B[1]);
  // v changes with h but after the last knot
  if (b.t->h >= 0) oc_put(s, row, b.t->h, p.B[0] - (p.n > 1 ? p.B[1] * p.v : 0));
}

void oc_friction_bound_put_hessian(oc_friction_bound b, oc_triplets *s, double multiplier) {
  const bound_point p = find_point(b);
  const int n = b.t->n, m = p.n * n;
  const double by_v = multiplier * p.B[2] / p.h;
  for (int e = 0; p.law->excess > 0 && e < m * m; e++) {
    const int row = e / m, col = e % m, i = row % n, j = col % n;
    const int x = p.from[row / n] + i, y = p.from[col / n] + j;
    if (p.moves[i] && p.moves[j] && y <= x)
      oc_put(s, x, y, by_v * p.of[row / n] * p.of[col / n] * b.Dr[i] * b.Dr[j]);
  }
  if (b.t->h < 0 || p.law->excess == 0) return;
  put_slopes(b, &p, s, b.t->h, p.n > 1 ? -by_v * p.v : multiplier * p.B[1] / p.h);
  if (p.n > 1) oc_put(s, b.t->h, b.t->h, by_v * p.v * p.v);
}
