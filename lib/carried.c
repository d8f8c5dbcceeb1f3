#include "lib/carried.h"

// joint j is i or above it
static bool above(const dm_model *m, int j, int i) {
  while (i > j) i = m->parent[i];
  return i == j;
}

// add a point or direction of a body, given in its frame
static void carry(const dm_model *m, dm_carried *v, int body, dm_vec local, double sign) {
  const dm_pose *T = body < 0 ? &dm_identity : &m->body_pose[body];
  int joint = body < 0 ? -1 : m->body_joint[body];
  dm_vec x = v->point ? dm_place(T, local) : dm_rotate(T, local);
  if (joint < 0) {
    v->fixed = dm_add(v->fixed, dm_mul(sign, x));
    return;
  }
  int t = v->joint[0] >= 0;
  v->joint[t] = joint, v->local[t] = x, v->sign[t] = sign;
}

dm_carried dm_carried_difference(const dm_model *m, int body0, const double x0[3], int body1,
                                 const double x1[3]) {
  dm_carried v = {.joint = {-1, -1}, .point = true};
  carry(m, &v, body0, dm_v(x0[0], x0[1], x0[2]), 1);
  carry(m, &v, body1, dm_v(x1[0], x1[1], x1[2]), -1);
  return v;
}

dm_carried dm_carried_direction(const dm_model *m, int body, dm_vec d) {
  dm_carried v = {.joint = {-1, -1}};
  carry(m, &v, body, d, 1);
  return v;
}

int dm_product_joints(const dm_model *m, const dm_product *p, int *list) {
  int n = 0;
  const int *a = p->A.joint, *b = p->B.joint;
  const int tip[] = {a[0], a[1], p->square ? -1 : b[0], p->square ? -1 : b[1]};
  for (int j = 0; j < m->nj; j++) {
    int moved = 0;
    for (int t = 0; t < 4; t++) moved += tip[t] >= 0 && above(m, j, tip[t]);
    if (moved == 0 || (p->square && moved == 2)) continue;
    if (list) list[n] = j;
    n++;
  }
  return n;
}

void dm_carrier_lay_out(dm_carrier *w, dm_block *b, const dm_model *m, int joints) {
  w->m = m;
  w->X = dm_take(b, (size_t)m->nj, sizeof *w->X);
  dm_vec **arrays[] = {&w->own[0].d, &w->own[0].dd, &w->own[1].d, &w->own[1].dd, &w->w, &w->dw};
  for (int i = 0; i < 6; i++) *arrays[i] = dm_take(b, (size_t)joints, sizeof(dm_vec));
}

static dm_vec place_of(const dm_carrier *w, const dm_carried *v, int t) {
  const dm_pose *X = &w->X[v->joint[t]];
  return v->point ? dm_place(X, v->local[t]) : dm_rotate(X, v->local[t]);
}

// a vector and its first derivatives
static const dm_moved *move(const dm_carrier *w, const dm_carried *v, dm_moved *out) {
  const dm_product *p = w->p;
  out->x = v->fixed;
  for (int i = 0; i < p->n; i++) out->d[i] = dm_v(0, 0, 0);
  for (int t = 0; t < 2; t++) {
    if (v->joint[t] < 0) continue;
    dm_vec x = place_of(w, v, t);
    out->x = dm_add(out->x, dm_mul(v->sign[t], x));
    for (int i = 0; i < p->n; i++) {
      int j = p->joint[i];
      if (!above(w->m, j, v->joint[t])) continue;
      const dm_pose *X = &w->X[j];
      dm_vec d = dm_v(0, 0, 0);
      if (!w->m->slides[j])
        d = dm_cross(X->z, v->point ? dm_sub(x, X->p) : x);
      else if (v->point)
        d = X->z;
      out->d[i] = dm_add(out->d[i], dm_mul(v->sign[t], d));
    }
  }
  return out;
}

void dm_carrier_move(dm_carrier *w, const dm_product *p) {
  w->p = p;
  for (int i = 0; i < p->n; i++) {
    int j = p->joint[i];
    w->w[i] = w->m->slides[j] ? dm_v(0, 0, 0) : w->X[j].z;
  }
  w->A = move(w, &p->A, &w->own[0]);
  w->B = p->square ? w->A : move(w, &p->B, &w->own[1]);
}

// second derivative of a vector by joints i and j of the product, j at or above i; both related
static dm_vec second(const dm_carrier *w, const dm_moved *v, int i, int j) {
  return dm_cross(w->w[j], v->d[i]);
}

static double rate(const dm_carrier *w, int i, const double *a) {
  int j = w->p->joint[i];
  return w->m->ratio[j] * a[w->m->coord[j]];
}

void dm_carrier_move_along(dm_carrier *w, const double *a) {
  const dm_product *p = w->p;
  for (int i = 0; i < p->n; i++) w->dw[i] = dm_v(0, 0, 0);
  for (int v = 0; v < 2 - p->square; v++) {
    dm_moved *x = &w->own[v];
    x->dx = dm_v(0, 0, 0);
    for (int i = 0; i < p->n; i++) {
      x->dd[i] = dm_v(0, 0, 0);
      x->dx = dm_add(x->dx, dm_mul(rate(w, i, a), x->d[i]));
    }
    for (int i = 0; i < p->n; i++)
      for (int j = 0; j <= i; j++) {
        if (!above(w->m, p->joint[j], p->joint[i])) continue;
        dm_vec d = second(w, x, i, j);
        x->dd[i] = dm_add(x->dd[i], dm_mul(rate(w, j, a), d));
        if (j < i) x->dd[j] = dm_add(x->dd[j], dm_mul(rate(w, i, a), d));
        if (v == 0 && j < i)
          w->dw[i] = dm_add(w->dw[i], dm_mul(rate(w, j, a), dm_cross(w->w[j], w->w[i])));
      }
  }
}

double dm_product_value(const dm_carrier *w) {
  return dm_dot(w->A->x, w->B->x);
}

double dm_product_by(const dm_carrier *w, int i) {
  return dm_dot(w->A->d[i], w->B->x) + dm_dot(w->A->x, w->B->d[i]);
}

double dm_product_by_two(const dm_carrier *w, int i, int j) {
  const dm_moved *A = w->A, *B = w->B;
  double h = dm_dot(A->d[i], B->d[j]) + dm_dot(A->d[j], B->d[i]);
  if (above(w->m, w->p->joint[j], w->p->joint[i]))
    h += dm_dot(second(w, A, i, j), B->x) + dm_dot(A->x, second(w, B, i, j));
  return h;
}

double dm_product_along(const dm_carrier *w) {
  return dm_dot(w->A->dx, w->B->x) + dm_dot(w->A->x, w->B->dx);
}

double dm_product_by_along(const dm_carrier *w, int i) {
  const dm_moved *A = w->A, *B = w->B;
  return dm_dot(A->dd[i], B->x) + dm_dot(A->d[i], B->dx) + dm_dot(A->dx, B->d[i]) +
         dm_dot(A->x, B->dd[i]);
}

double dm_product_by_two_along(const dm_carrier *w, int i, int j) {
  const dm_moved *A = w->A, *B = w->B;
  double h = dm_dot(A->dd[i], B->d[j]) + dm_dot(A->d[i], B->dd[j]) + dm_dot(A->dd[j], B->d[i]) +
             dm_dot(A->d[j], B->dd[i]);
  if (above(w->m, w->p->joint[j], w->p->joint[i])) {
    dm_vec dA = dm_add(dm_cross(w->dw[j], A->d[i]), dm_cross(w->w[j], A->dd[i]));
    dm_vec dB = dm_add(dm_cross(w->dw[j], B->d[i]), dm_cross(w->w[j], B->dd[i]));
    h += dm_dot(dA, B->x) + dm_dot(second(w, A, i, j), B->dx) + dm_dot(A->dx, second(w, B, i, j)) +
         dm_dot(A->x, dB);
  }
  return h;
}
