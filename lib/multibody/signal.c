#include "lib/multibody/signal.h"

#include "lib/multibody/tree_lagrangian.h"

#include <math.h>

// -- compiling

void dm_signals_lay_out(dm_signals *w, dm_block *b) {
  const size_t n = (size_t)w->n, nq = (size_t)w->m->nq;
  w->signal = dm_block_alloc(b, n, sizeof *w->signal);
  w->p = dm_block_alloc(b, (size_t)w->products, sizeof *w->p);
  w->weight = dm_block_alloc(b, (size_t)w->products, sizeof *w->weight);
  w->shared = dm_block_alloc(b, (size_t)w->products, sizeof *w->shared);
  w->of_q = dm_block_alloc(b, (size_t)w->linear * nq, sizeof *w->of_q);
  w->by = dm_block_alloc(b, w->joints, sizeof *w->by);
  w->mask = dm_block_alloc(b, n * nq, 1);
}

void dm_signals_begin(dm_signals *w) {
  w->n = w->products = w->linear = 0;
  w->joints = 0;
}

dm_signal *dm_signals_add(dm_signals *w) {
  dm_signal *s = w->signal ? &w->signal[w->n] : &w->counted;
  *s = (dm_signal){.first = w->products, .of_q = -1};
  w->n++;
  return s;
}

void dm_signals_add_product(dm_signals *w, double weight, dm_vector_product p) {
  const int joints = dm_vector_product_joints(w->m, &p, NULL);
  if (joints > w->max_joints) w->max_joints = joints;
  if (w->signal) {
    w->signal[w->n - 1].count++;
    w->weight[w->products] = weight;
    p.by = w->by + w->joints;
    p.n = dm_vector_product_joints(w->m, &p, w->by + w->joints);
    w->p[w->products] = p;
  }
  w->joints += (size_t)joints;
  w->products++;
}

double *dm_signals_add_coordinates(dm_signals *w) {
  const int at = w->linear++;
  if (!w->signal) return NULL;
  w->signal[w->n - 1].of_q = at;
  return w->of_q + at * w->m->nq;
}

// products of a signal that follow one another and are a sum with the first of them
static int count_shared(const dm_signals *w, const dm_signal *s, int k) {
  int count = 1;
  while (k + count < s->first + s->count && dm_vector_product_shares(&w->p[k], &w->p[k + count]))
    count++;
  return count;
}

// a signal is moved by the coordinates of its products' joints, and by those that it is a sum of
void dm_signals_finish(dm_signals *w) {
  const int n = w->m->nq;
  for (int i = 0; i < w->n; i++) {
    const dm_signal *s = &w->signal[i];
    for (int k = s->first; k < s->first + s->count; k++) w->shared[k] = count_shared(w, s, k);
  }
  for (int i = 0; i < w->n; i++) {
    const dm_signal *s = &w->signal[i];
    for (int k = s->first; k < s->first + s->count; k++)
      for (int j = 0; j < w->p[k].n; j++) w->mask[i * n + w->m->coord[w->p[k].by[j].joint]] = 1;
    for (int j = 0; s->of_q >= 0 && j < n; j++) w->mask[i * n + j] |= w->of_q[s->of_q * n + j] != 0;
  }
}

// -- evaluating

static bool is_wanted(const dm_signals *w, int i) {
  return !w->wanted || w->wanted[i];
}

// what a call works with, in the caller's scratch
typedef struct signal_place {
  dm_vector_products at;
  double *gradient; // [DM_SIGNAL_PRODUCTS x nq] of the products of a signal
  double *bent;     // [DM_SIGNAL_PRODUCTS x nq] phi_pp times these
} signal_place;

static void lay_out_place(signal_place *x, dm_block *b, const dm_signals *w) {
  dm_vector_products_lay_out(&x->at, b, w->m, w->max_joints);
  x->gradient = dm_block_alloc(b, DM_SIGNAL_PRODUCTS * (size_t)w->m->nq, sizeof *x->gradient);
  x->bent = dm_block_alloc(b, DM_SIGNAL_PRODUCTS * (size_t)w->m->nq, sizeof *x->bent);
}

static signal_place place_signals(const dm_signals *w, void *scratch, const double *q) {
  dm_block b = {.base = scratch};
  signal_place x;
  lay_out_place(&x, &b, w);
  dm_tree_frames(w->m, q, x.at.X);
  return x;
}

// the products of a signal: of those that are one sum, B once
static void find_products(const dm_signals *w, const signal_place *x, const dm_signal *r,
                          double *value) {
  const dm_vector_product *p = w->p + r->first;
  for (int i = 0; i < r->count;) {
    const int end = i + w->shared[r->first + i];
    if (end == i + 1) {
      value[i] = dm_vector_products_value(&x->at, &p[i]);
      i = end;
      continue;
    }
    const dm_vec B = dm_vector_products_vector(&x->at, &p[i].B);
    for (; i < end; i++) value[i] = dm_dot(dm_vector_products_vector(&x->at, &p[i].A), B);
  }
}

// phi of a signal with its derivatives by the products; returns those of first order
static const double *eval_phi(const dm_signals *w, const signal_place *x, const dm_signal *r,
                              int order, double *y, double y_p[DM_SIGNAL_PRODUCTS],
                              double y_pp[DM_SIGNAL_PRODUCTS * DM_SIGNAL_PRODUCTS]) {
  const dm_vector_product *p = w->p + r->first;

  // linear: the weights themselves
  if (!r->phi) {
    *y = 0;
    for (int i = 0; i < r->count; i++)
      *y += w->weight[r->first + i] * dm_vector_products_value(&x->at, &p[i]);
    return w->weight + r->first;
  }

  double value[DM_SIGNAL_PRODUCTS];
  find_products(w, x, r, value);
  r->phi(r, order, value, y, y_p, y_pp);
  return y_p;
}

// sum phi_k p_k of the products from k on that are one sum, taken up at an order; returns how many
static int place_sum(const dm_signals *w, signal_place *x, const dm_signal *r, int k,
                     const double *phi, int order, dm_vector_product *sum, double *scale) {
  const dm_vector_product *p = w->p + r->first + k;
  const int count = w->shared[r->first + k];
  *scale = count > 1 ? 1 : phi[k];
  if (count > 1) *sum = dm_vector_product_sum(p, phi + k, count);
  dm_vector_products_place(&x->at, count > 1 ? sum : p, order);
  return count;
}

static bool are_finite(const double *x, int count) {
  for (int i = 0; i < count; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

static dm_status eval_signals(const void *self, void *scratch, const double *q, double *h,
                              double *Dh) {
  const dm_signals *w = self;
  const int n = w->m->nq;
  signal_place x = place_signals(w, scratch, q);
  dm_status status = DM_OK;
  double slopes[DM_SIGNAL_PRODUCTS];
  if (Dh) memset(Dh, 0, (size_t)w->n * (size_t)n * sizeof *Dh);

  for (int i = 0; i < w->n; i++) {
    const dm_signal *r = &w->signal[i];
    if (!is_wanted(w, i)) {
      h[i] = NAN;
      continue;
    }
    const double *phi = eval_phi(w, &x, r, Dh != NULL, &h[i], slopes, NULL);

    // what is linear in coordinates
    const double *of_q = r->of_q < 0 ? NULL : w->of_q + r->of_q * n;
    h[i] += r->shift;
    for (int j = 0; of_q && j < n; j++) h[i] += of_q[j] * q[j];
    for (int j = 0; of_q && Dh && j < n; j++) Dh[i * n + j] += of_q[j];
    if (!isfinite(h[i])) {
      h[i] = NAN;
      status = DM_NOT_FINITE;
    }

    // sum phi_p p_q; the other signals are as they should be where one has none
    const bool finite = !Dh || are_finite(phi, r->count);
    for (int k = 0; Dh && finite && k < r->count;) {
      dm_vector_product sum;
      double scale;
      k += place_sum(w, &x, r, k, phi, 1, &sum, &scale);
      dm_vector_products_add_gradient(&x.at, scale, Dh + i * n);
    }
    for (int j = 0; !finite && j < n; j++) Dh[i * n + j] = NAN;
    if (!finite) status = DM_NOT_FINITE;
  }
  return status;
}

// lambda G' phi_pp G of signal i, which is not linear; G at hand, of the coordinates that move it
static void add_phi_curvature(const dm_signals *w, const signal_place *x, int i, double lambda,
                              const double *y_pp, double *H) {
  const int n = w->m->nq, count = w->signal[i].count;
  const unsigned char *moves = w->mask + i * n;
  const double *G = x->gradient;
  double *T = x->bent;

  // T = lambda phi_pp G
  memset(T, 0, (size_t)(count * n) * sizeof *T);
  for (int a = 0; a < count; a++)
    for (int b = 0; b < count; b++) {
      const double bend = lambda * y_pp[a * count + b];
      for (int k = 0; bend != 0 && k < n; k++) T[a * n + k] += bend * G[b * n + k];
    }

  // H += G' T
  for (int k = 0; k < n; k++)
    for (int l = 0; moves[k] && l <= k; l++) {
      double h = 0;
      for (int a = 0; moves[l] && a < count; a++) h += G[a * n + k] * T[a * n + l];
      H[k * n + l] += h;
      if (l != k) H[l * n + k] += h;
    }
}

// the gradients of the products from k on, of which the sum is at hand
static void add_gradients(const dm_signals *w, signal_place *x, const dm_signal *r, int k,
                          int count) {
  const int n = w->m->nq;
  if (count == 1) dm_vector_products_add_gradient(&x->at, 1, x->gradient + k * n);
  for (int i = k; count > 1 && i < k + count; i++) {
    const dm_vec a = dm_vector_products_vector(&x->at, &w->p[r->first + i].A);
    dm_vector_products_add_gradient_shared(&x->at, a, x->gradient + i * n);
  }
}

static dm_status contract_signals(const void *self, void *scratch, const double *q,
                                  const double *lambda, double *H) {
  const dm_signals *w = self;
  const int n = w->m->nq;
  signal_place x = place_signals(w, scratch, q);
  double y, slopes[DM_SIGNAL_PRODUCTS], curves[DM_SIGNAL_PRODUCTS * DM_SIGNAL_PRODUCTS];

  for (int i = 0; i < w->n; i++) {
    const dm_signal *r = &w->signal[i];
    if (lambda[i] == 0 || r->count == 0) continue;
    const double *phi = eval_phi(w, &x, r, 2, &y, slopes, curves);
    if (!are_finite(phi, r->count)) return DM_NOT_FINITE;
    if (r->phi) memset(x.gradient, 0, (size_t)(r->count * n) * sizeof *x.gradient);

    // lambda phi_i p_i,qq, and the gradients for the rest
    for (int k = 0; k < r->count;) {
      dm_vector_product sum;
      double scale;
      const int count = place_sum(w, &x, r, k, phi, 2, &sum, &scale);
      dm_vector_products_add_hessian(&x.at, lambda[i] * scale, H);
      if (r->phi) add_gradients(w, &x, r, k, count);
      k += count;
    }
    if (r->phi) add_phi_curvature(w, &x, i, lambda[i], curves, H);
  }
  return DM_OK;
}

static dm_status eval_signals_directional(const void *self, void *scratch, const double *q,
                                          const double *a, const double *lambda, double *J,
                                          double *T) {
  const dm_signals *w = self;
  const int n = w->m->nq;
  signal_place x = place_signals(w, scratch, q);
  memset(J, 0, (size_t)w->n * (size_t)n * sizeof *J);

  // w_i p_i,qq a, and lambda times the change of w_i p_i,qq along a
  for (int i = 0; i < w->n; i++) {
    const dm_signal *r = &w->signal[i];
    const bool changes = !r->phi && is_wanted(w, i);
    for (int k = r->first; changes && k < r->first + r->count; k++) {
      const double weight = w->weight[k];
      dm_vector_products_place(&x.at, &w->p[k], 2);
      dm_vector_products_place_directional(&x.at, a);
      dm_vector_products_add_gradient_directional(&x.at, weight, J + i * n);
      if (T && lambda[i] != 0)
        dm_vector_products_add_hessian_directional(&x.at, lambda[i] * weight, T);
    }
  }
  return DM_OK;
}

dm_holonomic dm_signals_functions(const dm_signals *w) {
  dm_block b = {0};
  signal_place x;
  lay_out_place(&x, &b, w);
  return (dm_holonomic){.nc = w->n,
                        .self = w,
                        .scratch = (b.used + 63) & ~(size_t)63,
                        .eval = eval_signals,
                        .contract = contract_signals,
                        .directional = eval_signals_directional,
                        .mask = w->mask};
}
