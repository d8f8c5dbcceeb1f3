#include "lib/multibody/contact_slides.h"

#include "lib/base/dense.h"

#include <string.h>

enum { PLACES = DM_ROLLING_PLACES };

// lambda' S of a rolling at y, v, with its derivatives
typedef struct roll_point {
  double value, S_v[PLACES], S_y[PLACES], S_vy[PLACES * PLACES], S_yy[PLACES * PLACES];
} roll_point;

static void eval_roll(const dm_contact_rolling *f, const double lambda[2], const double *y,
                      const double *v, int order, roll_point *p) {
  double at[PLACES] = {0}, by[PLACES] = {0};
  memcpy(at, y, (size_t)f->places * sizeof *at);
  if (v) memcpy(by, v, (size_t)f->places * sizeof *by);
  p->value = dm_rolling_contact_eval(&f->of, lambda, at, by, p->S_v, p->S_y,
                                     order > 1 ? p->S_vy : NULL, order > 1 ? p->S_yy : NULL);
}

// the multipliers of its tangents
static bool find_roll_multipliers(const dm_robot_contact_laws *w, const dm_contact_rolling *f,
                                  const double *lambda, double of[2]) {
  of[0] = of[1] = 0;
  const dm_contact_law *l = &w->law[f->law];
  for (int t = 0; t < l->tangents; t++) of[w->form[l->tangent[t]].tangent] = lambda[l->tangent[t]];
  return of[0] != 0 || of[1] != 0;
}

// H [n x n] += t A'CB of rows A, B [PLACES x n] and C, or C' if `transposed`
static void add_product(const dm_contact_rolling *f, int n, double t, const double *C,
                        bool transposed, const double *A, const double *B, double *mixed,
                        double *H) {
  memset(mixed, 0, (size_t)(f->places * n) * sizeof *mixed);
  for (int i = 0; i < f->places; i++)
    for (int j = 0; j < f->places; j++) {
      const double c = t * C[transposed ? PLACES * j + i : PLACES * i + j];
      if (c != 0) dm_add_to(n, c, B + j * n, mixed + i * n);
    }
  for (int i = 0; i < f->places; i++)
    for (int a = 0; a < n; a++)
      if (A[i * n + a] != 0) dm_add_to(n, A[i * n + a], mixed + i * n, H + a * n);
}

void dm_contact_roll_row(const dm_robot_contact_laws *w, const dm_contact_law_rows *x, int i,
                         double *Dr) {
  const dm_contact_rolling *f = &w->roll[w->form[i].roll];
  const double lambda[2] = {w->form[i].tangent == 0, w->form[i].tangent == 1};
  roll_point p;
  eval_roll(f, lambda, x->h + f->at, NULL, 1, &p);
  memset(Dr, 0, (size_t)w->nq * sizeof *Dr);
  for (int k = 0; k < f->places; k++) dm_add_to(w->nq, p.S_v[k], x->Dh + (f->at + k) * w->nq, Dr);
}

void dm_contact_roll_scale(const dm_robot_contact_laws *w, const dm_contact_law_rows *x,
                           const double *lambda) {
  for (const dm_contact_rolling *f = w->roll; f < w->roll + w->nroll; f++) {
    double of[2];
    roll_point p;
    if (!find_roll_multipliers(w, f, lambda, of)) continue;
    eval_roll(f, of, x->h + f->at, NULL, 1, &p);
    memcpy(x->lambda + f->at, p.S_v, (size_t)f->places * sizeof *p.S_v);
  }
}

void dm_contact_roll_contract(const dm_robot_contact_laws *w, const dm_contact_law_rows *x,
                              const double *lambda, double *H) {
  for (const dm_contact_rolling *f = w->roll; f < w->roll + w->nroll; f++) {
    double of[2];
    roll_point p;
    if (!find_roll_multipliers(w, f, lambda, of)) continue;
    const double *Dh = x->Dh + f->at * w->nq;
    eval_roll(f, of, x->h + f->at, NULL, 2, &p);
    add_product(f, w->nq, 1, p.S_vy, false, Dh, Dh, x->mixed, H);
  }
}

void dm_contact_roll_turn_row(const dm_robot_contact_laws *w, const dm_contact_law_rows *x, int i,
                              const double *a, double *J) {
  const dm_contact_rolling *f = &w->roll[w->form[i].roll];
  const int n = w->nq;
  const double lambda[2] = {w->form[i].tangent == 0, w->form[i].tangent == 1};
  double v[PLACES] = {0};
  roll_point p;
  for (int k = 0; k < f->places; k++) v[k] = dm_inner(n, x->Dh + (f->at + k) * n, a);
  eval_roll(f, lambda, x->h + f->at, v, 1, &p);
  memset(J, 0, (size_t)n * sizeof *J);
  for (int k = 0; k < f->places; k++) {
    dm_add_to(n, p.S_v[k], x->J + (f->at + k) * n, J);
    dm_add_to(n, p.S_y[k], x->Dh + (f->at + k) * n, J);
  }
}

void dm_contact_roll_turn(const dm_robot_contact_laws *w, const dm_contact_law_rows *x,
                          const double *a, const double *lambda, double *T) {
  const int n = w->nq;
  for (const dm_contact_rolling *f = w->roll; f < w->roll + w->nroll; f++) {
    double of[2], v[PLACES] = {0};
    roll_point p;
    if (!find_roll_multipliers(w, f, lambda, of)) continue;
    const double *Dh = x->Dh + f->at * n, *Jh = x->J + f->at * n;
    for (int k = 0; k < f->places; k++) v[k] = dm_inner(n, Dh + k * n, a);
    eval_roll(f, of, x->h + f->at, v, 2, &p);
    for (int k = 0; k < f->places; k++) x->bent[f->at + k] += p.S_y[k];
    add_product(f, n, 1, p.S_yy, false, Dh, Dh, x->mixed, T);
    add_product(f, n, 1, p.S_vy, false, Jh, Dh, x->mixed, T);
    add_product(f, n, 1, p.S_vy, true, Dh, Jh, x->mixed, T);
  }
}

// y in the middle of a step, and its change
static void find_middle(const dm_contact_rolling *f, const dm_contact_law_rows *x, double *y,
                        double *v) {
  for (int k = 0; k < f->places; k++) {
    y[k] = (x->h[f->at + k] + x->h1[f->at + k]) / 2;
    v[k] = x->h1[f->at + k] - x->h[f->at + k];
  }
}

dm_status dm_contact_roll_slide(const void *self, void *scratch, const double *q0, const double *q1,
                                double *s, double *Ds0, double *Ds1) {
  const dm_robot_contact_laws *w = self;
  dm_block b = {.base = scratch};
  const dm_contact_law_rows x = dm_contact_law_rows_open(w, &b);
  const int n = w->nq;
  const bool slopes = Ds0 || Ds1;
  DM_TRY(w->h.eval(w->h.self, x.inner, q0, x.h, slopes ? x.Dh : NULL));
  DM_TRY(w->h.eval(w->h.self, x.inner, q1, x.h1, slopes ? x.Dh1 : NULL));
  for (int i = 0; i < w->nr; i++) {
    if (!w->slides[i]) continue;
    const dm_contact_rolling *f = &w->roll[w->form[i].roll];
    const double lambda[2] = {w->form[i].tangent == 0, w->form[i].tangent == 1};
    double y[PLACES] = {0}, v[PLACES] = {0};
    roll_point p;
    find_middle(f, &x, y, v);
    eval_roll(f, lambda, y, v, 1, &p);
    s[i] = p.value;
    if (Ds0) memset(Ds0 + i * n, 0, (size_t)n * sizeof *Ds0);
    if (Ds1) memset(Ds1 + i * n, 0, (size_t)n * sizeof *Ds1);
    for (int k = 0; k < f->places; k++) {
      if (Ds0) dm_add_to(n, p.S_y[k] / 2 - p.S_v[k], x.Dh + (f->at + k) * n, Ds0 + i * n);
      if (Ds1) dm_add_to(n, p.S_y[k] / 2 + p.S_v[k], x.Dh1 + (f->at + k) * n, Ds1 + i * n);
    }
  }
  return DM_OK;
}

dm_status dm_contact_roll_slide_contract(const void *self, void *scratch, const double *q0,
                                         const double *q1, const double *lambda, double *H00,
                                         double *H01, double *H11) {
  const dm_robot_contact_laws *w = self;
  dm_block b = {.base = scratch};
  const dm_contact_law_rows x = dm_contact_law_rows_open(w, &b);
  const int n = w->nq;
  DM_TRY(w->h.eval(w->h.self, x.inner, q0, x.h, x.Dh));
  DM_TRY(w->h.eval(w->h.self, x.inner, q1, x.h1, x.Dh1));
  memset(x.lambda, 0, (size_t)w->h.nc * sizeof *x.lambda);
  memset(x.bent, 0, (size_t)w->h.nc * sizeof *x.bent);
  for (const dm_contact_rolling *f = w->roll; f < w->roll + w->nroll; f++) {
    double of[2], y[PLACES] = {0}, v[PLACES] = {0};
    roll_point p;
    if (!find_roll_multipliers(w, f, lambda, of)) continue;
    const double *D0 = x.Dh + f->at * n, *D1 = x.Dh1 + f->at * n;
    find_middle(f, &x, y, v);
    eval_roll(f, of, y, v, 2, &p);
    for (int k = 0; k < f->places; k++) {
      x.lambda[f->at + k] = p.S_y[k] / 2 - p.S_v[k];
      x.bent[f->at + k] = p.S_y[k] / 2 + p.S_v[k];
    }
    // by (y0,y0), (y0,y1), (y1,y1): S_yy/4 -+ (S_vy + S_yv)/2, S_yy/4 + (S_yv - S_vy)/2
    const double *const D[] = {D0, D0, D1}, *const E[] = {D0, D1, D1};
    double *const H[] = {H00, H01, H11};
    static const double vy[] = {-0.5, -0.5, 0.5}, yv[] = {-0.5, 0.5, 0.5};
    for (int i = 0; i < 3; i++) {
      add_product(f, n, 0.25, p.S_yy, false, D[i], E[i], x.mixed, H[i]);
      add_product(f, n, vy[i], p.S_vy, false, D[i], E[i], x.mixed, H[i]);
      add_product(f, n, yv[i], p.S_vy, true, D[i], E[i], x.mixed, H[i]);
    }
  }
  DM_TRY(w->h.contract(w->h.self, x.inner, q0, x.lambda, H00));
  return w->h.contract(w->h.self, x.inner, q1, x.bent, H11);
}
