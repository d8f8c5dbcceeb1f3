#include "lib/contact/knot_step.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { SOLVES = 50, PATIENT = 20 };
static const double SETTLED = 1e-10; // change of r relative to the largest unknown
static const double ROUGHEST = 1e4;  // a larger coefficient holds as well
static const double LEAST_PART = 1. / 64;
static const double BROKEN = 1e-8;  // of the largest unknown: a wrong sign of a given entry
static const double ANOTHER = 1e-6; // a motion that misses a knot by more is another one
static const double CLEAR = 1e-9;   // of the largest unknown: an unknown that counts as not zero

// Unknowns of a law: c with the gap; the sliding distance s with the rest of the bound; and t+, t- of
// each tangent with s + Dr, s - Dr. Each has a unit that makes both members of its pair square roots
// of energies.
typedef struct places {
  int c, slide, t; // -1: none
} places;

static int count_unknowns(const dm_contact_law *law) {
  return (law->gap >= 0) + (law->tangents ? 1 + 2 * law->tangents : 0);
}

static places places_of(const dm_knot_step *w, int l) {
  const dm_contact_law *law = &w->laws->law[l];
  const int slide = w->at[l] + (law->gap >= 0);
  return (places){.c = law->gap >= 0 ? w->at[l] : -1,
                  .slide = law->tangents ? slide : -1,
                  .t = law->tangents ? slide + 1 : -1};
}

static void lay_out_step(void *self, dm_block *b) {
  dm_knot_step *w = self;
  const size_t n = (size_t)w->n, nr = (size_t)w->nr, laws = (size_t)w->laws->n;
  const size_t nc = (size_t)w->del->nc;
  w->at = dm_block_alloc(b, laws + 1, sizeof *w->at);
  size_t m = 0;
  for (int l = 0; l < w->laws->n; l++) m += (size_t)count_unknowns(&w->laws->law[l]);
  double **each[] = {&w->impulse, &w->r0, &w->r1, &w->next, &w->ahead, &w->rounding, &w->unit};
  for (int i = 0; i < 7; i++) *each[i] = dm_block_alloc(b, nr, sizeof(double));
  w->bound = dm_block_alloc(b, laws, sizeof(double));
  w->fall = dm_block_alloc(b, laws, sizeof(double));
  w->start = dm_block_alloc(b, 2 * n, sizeof(double));
  double **vectors[] = {&w->push, &w->p, &w->q, &w->end};
  for (int i = 0; i < 4; i++) *vectors[i] = dm_block_alloc(b, n, sizeof(double));
  w->entry = dm_block_alloc(b, laws, 1);
  w->before = dm_block_alloc(b, laws, 1);
  w->Dr0 = dm_block_alloc(b, nr * n, sizeof(double));
  w->Dr1 = dm_block_alloc(b, nr * n, sizeof(double));
  w->A = dm_block_alloc(b, nr * nr, sizeof(double));
  w->W = dm_block_alloc(b, (n + nc) * (nr + 1), sizeof(double));
  w->M = dm_block_alloc(b, m * m, sizeof(double));
  w->b = dm_block_alloc(b, m, sizeof(double));
  w->size = dm_block_alloc(b, m, sizeof(double));
  w->scratch = dm_block_alloc(b, w->laws->rows.scratch, 1);
}

static dm_status make_step(dm_knot_step **out, const dm_system *s) {
  dm_knot_step sizes = {
      .laws = s->contacts, .n = s->L.nq, .nr = s->contacts->rows.nc, .second = -1};
  DM_TRY(dm_del_new(&sizes.del, s, NULL));
  dm_knot_step *w = dm_block_make(&sizes, sizeof sizes, lay_out_step);
  if (!w) {
    dm_del_free(sizes.del);
    return DM_NO_MEMORY;
  }
  for (int l = 0; l < w->laws->n; l++) w->at[l + 1] = w->at[l] + count_unknowns(&w->laws->law[l]);
  for (int l = 0; l < w->laws->n; l++) w->round |= w->laws->law[l].tangents > 1;
  dm_status status = dm_lcp_new(&w->lcp, w->at[w->laws->n]);
  if (status == DM_OK) status = dm_cone_impulses_new(&w->cone, w->laws);
  if (status != DM_OK) {
    dm_knot_step_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

dm_status dm_knot_step_new(dm_knot_step **out, const dm_system *s) {
  assert(out && s && s->contacts);
  bool falls = false;
  for (int l = 0; l < s->contacts->n; l++) falls |= s->contacts->law[l].excess > 0;
  DM_TRY(make_step(out, s));
  const dm_status status = falls ? make_step(&(*out)->other, s) : DM_OK;
  if (status != DM_OK) dm_knot_step_free(*out);
  return status;
}

void dm_knot_step_free(dm_knot_step *w) {
  if (!w) return;
  dm_knot_step_free(w->other);
  dm_del_free(w->del);
  dm_lcp_free(w->lcp);
  dm_cone_impulses_free(w->cone);
  dm_block_free(w);
}

// -- step 1

// Newton's equations at w->q, w->impulse and the multipliers of constraints: changes by F, and without
// a change of F, into w->W; after the latter r(q1), with its change w->ahead, and A = dr(q1)/dF.
static dm_status linearize(dm_knot_step *w, const double *q0, const double *p0, const double *u,
                           double h) {
  const dm_holonomic *rows = &w->laws->rows;
  dm_del *del = w->del;
  dm_kkt *k = del->k;
  const int nr = w->nr, n = w->n, cols = nr + 1;
  DM_TRY(dm_interval_eval(del->d, 2, q0, w->q, u, h));
  DM_TRY(dm_kkt_end(k, w->q));
  dm_kkt_weigh(k, del->d->D12);
  DM_TRY(dm_kkt_factor(k, del->d->D12));

  // right-hand sides: the columns of F, and the residual
  for (int i = 0; i < k->size; i++) {
    double *W = w->W + i * cols;
    for (int r = 0; r < nr; r++) W[r] = i < k->nd ? -w->Dr0[r * n + k->dyn[i]] : 0;
    if (i >= k->nd) {
      W[nr] = -k->h[i - k->nd];
      continue;
    }
    const int a = k->dyn[i];
    W[nr] = -p0[a] - del->d->D1[a];
    for (int r = 0; r < nr; r++) W[nr] -= w->Dr0[r * n + a] * w->impulse[r];
    for (int c = 0; c < k->nc; c++) W[nr] += k->Dh0[c * n + a] * del->lambda[c];
  }
  dm_kkt_solve(k, cols, w->W);

  // r(q1) and A
  DM_TRY(rows->eval(rows->self, w->scratch, w->q, w->r1, w->Dr1));
  DM_TRY(dm_contact_laws_slide(w->laws, w->scratch, q0, w->q, w->r1, NULL, w->Dr1));
  memset(w->A, 0, (size_t)(nr * nr) * sizeof *w->A);
  memset(w->ahead, 0, (size_t)nr * sizeof *w->ahead);
  for (int r = 0; r < nr; r++) {
    for (int i = 0; i < k->nd; i++) {
      const double slope = w->Dr1[r * n + k->dyn[i]];
      w->ahead[r] += slope * w->W[i * cols + nr];
      dm_add_to(nr, slope, w->W + i * cols, w->A + r * nr);
    }
    w->r1[r] += w->ahead[r];
  }
  return DM_OK;
}

// -- step 2

// add factor times the change of row r by the impulses to row i of the problem
static void add_response(dm_knot_step *w, int i, int r, double factor) {
  const int m = w->at[w->laws->n], nr = w->nr;
  double *M = w->M + i * m;
  for (int l = 0; l < w->laws->n; l++) {
    const dm_contact_law *law = &w->laws->law[l];
    const places at = places_of(w, l);
    if (at.c >= 0) M[at.c] += factor * w->A[r * nr + law->gap] / (w->size[i] * w->size[at.c]);
    for (int d = 0; d < 2 * law->tangents; d++)
      M[at.t + d] += factor * (d % 2 ? -1 : 1) * w->A[r * nr + law->tangent[d / 2]] /
                     (w->size[i] * w->size[at.t + d]);
  }
}

// row r at q1 without impulses, less `from`
static double value_without(const dm_knot_step *w, int r, double from) {
  double value = w->r1[r] - from;
  for (int s = 0; s < w->nr; s++) value -= w->A[r * w->nr + s] * w->impulse[s];
  return value;
}

// row i of the problem for the row r of the laws, times sign, less `from`
static void put_distance(dm_knot_step *w, int i, int r, double sign, double from) {
  const double value = value_without(w, r, from), rounding = w->rounding[r];
  w->b[i] = fabs(value) <= rounding ? 0 : sign * value / w->size[i];
  w->lcp->noise = fmax(w->lcp->noise, rounding / w->size[i]);
  add_response(w, i, r, sign);
}

// the bound of joint friction in a step to r1 - less (NULL: r1), an impulse, and its derivative by r1
static double find_bound(const dm_knot_step *w, const dm_contact_law *law, const double *less,
                         double *fall) {
  const int r = law->tangent[0];
  double b[3] = {0};
  if (law->gap < 0)
    dm_contact_law_bound(law, (w->r1[r] - (less ? less[r] : 0) - w->r0[r]) / w->h, b);
  *fall = b[1] * w->share;
  return b[0] * w->share * w->h;
}

// these bounds at w->q, linear in q1 or, unless bent, constant: w->bound if the joint did not move, and w->fall
static void set_bounds(dm_knot_step *w, bool bent) {
  for (int l = 0; l < w->laws->n; l++) {
    const dm_contact_law *law = &w->laws->law[l];
    const int r = law->tangent[0];
    w->bound[l] = find_bound(w, law, w->ahead, &w->fall[l]);
    if (!bent) w->fall[l] = 0;
    if (w->fall[l] != 0) w->bound[l] -= w->fall[l] * (w->r1[r] - w->ahead[r] - w->r0[r]);
  }
}

// the problem: w = M z + b of all laws
static void form_problem(dm_knot_step *w) {
  const int m = w->at[w->laws->n];
  memset(w->M, 0, (size_t)(m * m) * sizeof *w->M);
  w->lcp->noise = 0;
  for (int l = 0; l < w->laws->n; l++) {
    const dm_contact_law *law = &w->laws->law[l];
    const places at = places_of(w, l);
    if (at.c >= 0) put_distance(w, at.c, law->gap, 1, 0);
    if (at.slide < 0) continue;

    // s + Dr, s - Dr; the rest of the bound
    double *rest = w->M + at.slide * m;
    w->b[at.slide] = w->bound[l] / w->size[at.slide];
    if (w->fall[l] != 0) {
      const int r = law->tangent[0];
      w->b[at.slide] += w->fall[l] * value_without(w, r, w->r0[r]) / w->size[at.slide];
      add_response(w, at.slide, r, w->fall[l]);
    }
    if (at.c >= 0) rest[at.c] = fmin(law->friction / (w->size[at.slide] * w->size[at.c]), ROUGHEST);
    for (int d = 0; d < 2 * law->tangents; d++) {
      const int r = law->tangent[d / 2], i = at.t + d;
      put_distance(w, i, r, d % 2 ? -1 : 1, w->r0[r]);
      w->M[i * m + at.slide] = 1;
      rest[i] -= 1;
    }
  }
}

// The guess of the set: the larger member of each pair, for the current F and r(q1).
static void guess_set(dm_knot_step *w) {
  const int m = w->at[w->laws->n];
  double *z = w->lcp->z, *other = w->lcp->w, most = 0;
  for (int l = 0; l < w->laws->n; l++) {
    const dm_contact_law *law = &w->laws->law[l];
    const places at = places_of(w, l);
    double slide = 0, fall, rest = find_bound(w, law, NULL, &fall);
    if (at.c >= 0) {
      z[at.c] = w->impulse[law->gap] * w->size[at.c];
      other[at.c] = w->r1[law->gap] / w->size[at.c];
      rest += law->friction * w->impulse[law->gap];
    }
    if (at.slide < 0) continue;
    for (int t = 0; t < law->tangents; t++) {
      const int r = law->tangent[t];
      rest -= fabs(w->impulse[r]);
      slide = fmax(slide, fabs(w->r1[r] - w->r0[r]));
    }
    z[at.slide] = slide / w->size[at.t];
    other[at.slide] = rest * w->size[at.t];
    for (int d = 0; d < 2 * law->tangents; d++) {
      const int r = law->tangent[d / 2];
      const double sign = d % 2 ? -1 : 1;
      z[at.t + d] = fmax(0, sign * w->impulse[r]) * w->size[at.t + d];
      other[at.t + d] = (slide + sign * (w->r1[r] - w->r0[r])) / w->size[at.t + d];
    }
  }
  for (int i = 0; i < m; i++) most = fmax(most, fmax(z[i], other[i]));
  for (int i = 0; i < m; i++) w->lcp->basic[i] = z[i] > other[i] + CLEAR * most;

  // one that slides has the direction against it, also without an impulse: it determines s
  for (int l = 0; l < w->laws->n; l++) {
    const places at = places_of(w, l);
    if (at.slide < 0 || !w->lcp->basic[at.slide]) continue;
    int against = at.t;
    for (int d = 1; d < 2 * w->laws->law[l].tangents; d++)
      if (other[at.t + d] < other[against]) against = at.t + d;
    w->lcp->basic[against] = true;
  }
}

// Solve the laws with the current bounds, from the last impulses, into w->next.
static dm_status solve_laws(dm_knot_step *w) {
  const dm_cone_problem x = {.bound = w->bound,
                             .fall = w->fall,
                             .A = w->A,
                             .F0 = w->impulse,
                             .r0 = w->r0,
                             .r1 = w->r1,
                             .rounding = w->rounding,
                             .given = w->given};
  memcpy(w->next, w->impulse, (size_t)w->nr * sizeof *w->next);
  dm_status s = DM_MAX_ITER;
  if (w->round || w->given) s = dm_cone_impulses_solve(w->cone, &x, w->next);
  if (s == DM_OK || s == DM_ACCEPTABLE || s == DM_NOT_FINITE) return s;
  if (w->given) return DM_INFEASIBLE;

  // by a pyramid; then by the cone
  form_problem(w);
  guess_set(w);
  const dm_status pyramid = dm_lcp_solve(w->lcp, w->M, w->b);
  w->info.pivots += w->lcp->pivots;
  if (pyramid == DM_OK) {
    // the impulses of the linear problem
    const double *z = w->lcp->z;
    for (int l = 0; l < w->laws->n; l++) {
      const dm_contact_law *law = &w->laws->law[l];
      const places at = places_of(w, l);
      if (at.c >= 0) w->next[law->gap] = z[at.c] / w->size[at.c];
      for (int i = 0; i < law->tangents; i++) {
        const int a = at.t + 2 * i;
        w->next[law->tangent[i]] = (z[a] - z[a + 1]) / w->size[a];
      }
    }
  }
  s = dm_cone_impulses_solve(w->cone, &x, w->next);
  if (pyramid == DM_OK && !w->round) return DM_OK;
  return s == DM_OK || s == DM_ACCEPTABLE || s == DM_NOT_FINITE ? s : DM_INFEASIBLE;
}

// the impulses w->next that obey the laws, or those of the given states
static dm_status find_impulses(dm_knot_step *w) {
  // units and sizes of the unknowns, and rounding of the rows
  dm_cone_units(w->laws, w->A, w->unit);
  for (int l = 0; l < w->laws->n; l++) {
    const dm_contact_law *law = &w->laws->law[l];
    const places at = places_of(w, l);
    const double unit = law->tangents ? w->unit[law->tangent[0]] : 1;
    if (at.c >= 0) w->size[at.c] = w->unit[law->gap];
    for (int d = 0; d < 2 * law->tangents; d++) w->size[at.t + d] = unit;
    if (at.slide >= 0) w->size[at.slide] = 1 / unit;
  }
  for (int r = 0; r < w->nr; r++) {
    // the change of row r by rounding of q1
    double size = 0;
    for (int j = 0; j < w->n; j++) size = fmax(size, fabs(w->Dr1[r * w->n + j] * w->q[j]));
    w->rounding[r] = 8 * DBL_EPSILON * size;
  }

  set_bounds(w, true);
  const dm_status s = solve_laws(w);
  if (s != DM_INFEASIBLE || !w->other) return s;
  set_bounds(w, false);
  return solve_laws(w);
}

// -- step 3

// Moves q1, the multipliers and F towards the solution by t of the way. Returns the whole change of r,
// each in its unit, relative to the largest unknown or change of a row in the step: dependent contacts may exchange
// impulses, and a contact may close without any.
static double move(dm_knot_step *w, double t) {
  const dm_kkt *k = w->del->k;
  const int nr = w->nr, cols = nr + 1;
  for (int r = 0; r < nr; r++) w->next[r] -= w->impulse[r];

  // the change, and the law with the largest
  double change = 0;
  w->info.worst = -1;
  w->most = 0;
  for (int l = 0; l < w->laws->n; l++) {
    const dm_contact_law *law = &w->laws->law[l];
    const int rows[] = {law->gap, law->tangents > 0 ? law->tangent[0] : -1,
                        law->tangents > 1 ? law->tangent[1] : -1};
    for (int i = 0; i < 3; i++) {
      const int r = rows[i];
      if (r < 0) continue;
      double off = fabs(w->ahead[r] + dm_inner(nr, w->A + r * nr, w->next));
      off = fmax(0, off - w->rounding[r]) / w->unit[r];
      w->most = fmax(w->most, fabs(w->r1[r] - w->r0[r]) / w->unit[r]);
      w->most = fmax(w->most, fabs(w->impulse[r] + w->next[r]) * w->unit[r]);
      if (off > change) w->info.worst = l;
      change = fmax(change, off);
    }
  }
  for (int r = 0; r < nr; r++) w->impulse[r] += t * w->next[r];
  for (int i = 0; i < k->size; i++) {
    const double *W = w->W + i * cols, by = t * (W[nr] + dm_inner(nr, W, w->next));
    if (i < k->nd)
      w->q[k->dyn[i]] += by;
    else
      w->del->lambda[i - k->nd] += by;
  }
  return change > 0 ? change / fmax(w->most, change) : 0;
}

// A law with the last impulses and r(q1), in units.
typedef struct outcome {
  double c, gap;      // 0 without a gap
  double slide, rest; // distance, and the rest of the bound
  double power;       // friction along the motion
} outcome;

static outcome find_outcome(const dm_knot_step *w, int l) {
  const dm_contact_law *law = &w->laws->law[l];
  double fall;
  outcome at = {.rest = find_bound(w, law, NULL, &fall)};
  if (law->gap >= 0) {
    at.c = w->impulse[law->gap] * w->unit[law->gap];
    at.gap = w->r1[law->gap] / w->unit[law->gap];
    at.rest += law->friction * w->impulse[law->gap];
  }
  if (!law->tangents) return at;
  const double unit = w->unit[law->tangent[0]];
  double F = 0, Fs = 0;
  for (int t = 0; t < law->tangents; t++) {
    const int r = law->tangent[t];
    const double s = w->r1[r] - w->r0[r];
    at.slide = hypot(at.slide, s / unit);
    F = hypot(F, w->impulse[r]);
    Fs += w->impulse[r] * s;
  }
  at.rest = (at.rest - F) * unit;
  at.power = F > 0 ? Fs / (F * unit) : 0;
  return at;
}

// A contact that touches without an impulse, as a fourth foot, is closed.
static void set_entries(dm_knot_step *w) {
  const double clear = CLEAR * w->most;
  for (int l = 0; l < w->laws->n; l++) {
    const dm_contact_law *law = &w->laws->law[l];
    const outcome at = find_outcome(w, l);
    const int r = law->tangents ? law->tangent[0] : -1;
    bool slides = at.slide > fmax(at.rest, clear), open = at.c <= at.gap;
    if (w->given) slides = DM_LAW_STATE(w->given[l]) == DM_LAW_SLIDES;
    if (w->given) open = DM_LAW_STATE(w->given[l]) == DM_LAW_OPEN;
    w->entry[l] = DM_LAW_STICKS;
    if (r >= 0 && slides) w->entry[l] = dm_contact_sliding(law, w->impulse, w->r1[r] - w->r0[r]);
    if (law->gap >= 0 && open && at.gap > clear) w->entry[l] = DM_LAW_OPEN;
  }
}

// whether the given entries obey the laws; else which does not
static dm_status check_given(dm_knot_step *w) {
  double worst = BROKEN * w->most;
  dm_status s = DM_OK;
  for (int l = 0; l < w->laws->n; l++) {
    const outcome at = find_outcome(w, l);
    double wrong[DM_CONTACT_FAULTS] = {[DM_CONTACT_PULLS] = -at.c, [DM_CONTACT_PASSED] = -at.gap};
    if (w->laws->law[l].tangents) wrong[DM_CONTACT_BEYOND] = -at.rest;
    if (DM_LAW_STATE(w->given[l]) == DM_LAW_SLIDES) wrong[DM_CONTACT_DRIVES] = at.power;
    for (int f = 0; f < DM_CONTACT_FAULTS; f++) {
      if (!(wrong[f] > worst)) continue;
      worst = wrong[f];
      w->info.worst = l;
      w->info.fault = (dm_contact_fault)f;
      s = DM_INFEASIBLE;
    }
  }
  return s;
}

// p1 and the rest of q1 for the impulses F; then r(q1)
static dm_status finish_step(dm_knot_step *w, const double *q0, const double *p0, const double *u,
                             double h) {
  const dm_holonomic *rows = &w->laws->rows;
  memset(w->push, 0, (size_t)w->n * sizeof *w->push);
  for (int r = 0; r < w->nr; r++) dm_add_to(w->n, w->impulse[r], w->Dr0 + r * w->n, w->push);
  for (int i = 0; i < w->n; i++) w->p[i] = p0[i] + w->push[i];
  DM_TRY(dm_del_step(w->del, q0, w->p, u, h, w->q, w->end, &w->info.del));
  DM_TRY(rows->eval(rows->self, w->scratch, w->q, w->r1, NULL));
  return dm_contact_laws_slide(w->laws, w->scratch, q0, w->q, w->r1, NULL, NULL);
}

// Does r(q1) not change any more, with impulses that obey the laws? After some solutions also with those that miss
// them as little as a given entry may: contacts that depend on each other may have no others within rounding.
static bool is_settled(const dm_knot_step *w, dm_status s) {
  const bool nearly = s == DM_ACCEPTABLE && w->info.solves >= PATIENT && w->cone->missed <= BROKEN;
  return w->info.change <= SETTLED && (s == DM_OK || nearly);
}

dm_status dm_knot_step_take(dm_knot_step *w, double share, const double *q0, const double *p0,
                            const double *u, double h, double *q1, double *p1) {
  const dm_holonomic *rows = &w->laws->rows;
  const dm_kkt *k = w->del->k;
  const size_t bytes = (size_t)w->n * sizeof *q1;
  dm_status status = DM_OK;
  double part = 1;
  w->info = (dm_knot_step_info){.worst = -1, .change = INFINITY};
  w->share = share;
  w->h = h;
  DM_TRY(rows->eval(rows->self, w->scratch, q0, w->r0, w->Dr0));
  DM_TRY(dm_kkt_start(w->del->k, q0));
  memcpy(w->q, q1, bytes);
  for (int i = 0; i < k->nk; i++) w->q[k->kin[i]] = u[w->del->d->nu + i];
  while (!is_settled(w, status) && w->info.solves < SOLVES) {
    // 1  Newton's equations, 2  impulses that obey the laws after the step
    DM_TRY(linearize(w, q0, p0, u, h));
    status = find_impulses(w);
    w->info.solves++;
    if (status != DM_OK && status != DM_ACCEPTABLE) {
      w->info.worst = -1;
      break;
    }

    // 3  the step, or a part of it as long as changes do not fall
    const double last = w->info.change;
    w->info.change = move(w, part);
    part = w->info.change > (1 - part / 2) * last ? fmax(part / 2, LEAST_PART) : fmin(1, 2 * part);
  }
  if (status == DM_OK || status == DM_ACCEPTABLE)
    status = is_settled(w, status) ? DM_OK : DM_MAX_ITER;
  const dm_status end = finish_step(w, q0, p0, u, h);
  if (end < 0) return end;
  if (status == DM_OK) status = end;
  memcpy(q1, w->q, bytes);
  memcpy(p1, w->end, bytes);
  set_entries(w);
  return status == DM_OK && w->given ? check_given(w) : status;
}

// -- second solutions

// The guess of a step in which joint l sticks if it slides in w, and slides if it sticks: with the impulse and at
// the speed that B far above Stribeck's speed gives it. Returns false if that speed is in the other direction.
static bool guess_other(dm_knot_step *w, int l, double share, double h, const double *q0,
                        const double *q1) {
  const dm_contact_law *law = &w->laws->law[l];
  dm_knot_step *o = w->other;
  const int r = law->tangent[0];
  const double F = w->impulse[r], least = law->force * share * h;
  double way = 0;
  memcpy(o->impulse, w->impulse, (size_t)w->nr * sizeof *w->impulse);
  memcpy(o->del->lambda, w->del->lambda, (size_t)w->del->nc * sizeof *w->del->lambda);
  memcpy(o->start, q1, (size_t)w->n * sizeof *q1);
  if (DM_LAW_STATE(w->entry[l]) == DM_LAW_STICKS) {
    if (fabs(F) <= least) return false;
    o->impulse[r] = copysign(least, F);
    way = w->A[r * w->nr + r] * (o->impulse[r] - F);
  }
  for (int i = 0; i < w->n; i++)
    if (w->Dr0[r * w->n + i] != 0) o->start[i] = q0[i] + way * w->Dr0[r * w->n + i];
  return true;
}

// A law of which the last step, to q1, has a second solution: B falls by more than the inertia of its joint per
// step, and a step from the other guess ends in the other state. -1: none.
static int find_other(dm_knot_step *w, double share, const double *q0, const double *p0,
                      const double *u, double h, const double *q1) {
  const double STEEPEST = 0.857763884960706; // of d/dx exp(-x^2)
  for (int l = 0; w->other && l < w->laws->n; l++) {
    const dm_contact_law *law = &w->laws->law[l];
    const int r = law->tangent[0];
    if (!(law->excess > 0) ||
        share * w->A[r * w->nr + r] * STEEPEST * law->excess / law->speed < 1 ||
        !guess_other(w, l, share, h, q0, q1))
      continue;
    dm_knot_step *o = w->other;
    const dm_status s = dm_knot_step_take(o, share, q0, p0, u, h, o->start, o->start + w->n);
    if (s == DM_OK && DM_LAW_STATE(o->entry[l]) != DM_LAW_STATE(w->entry[l]) &&
        fabs(o->r1[r] - w->r1[r]) > ANOTHER * h * law->speed)
      return l;
  }
  return -1;
}

// -- simulations and certificates

dm_contact_event dm_knot_step_event(const dm_knot_step *w, int l) {
  const bool was = w->before[l] != DM_LAW_OPEN, is = w->entry[l] != DM_LAW_OPEN;
  if (was) return is ? DM_CONTACT_CLOSED : DM_CONTACT_LEFT;
  return is ? DM_CONTACT_MADE : DM_CONTACT_OPEN;
}

static dm_status take_knot_step(void *self, int k, const double *q0, const double *p0,
                                const double *u, double h, double *q1, double *p1, double *lambda) {
  dm_knot_step *w = self;
  const int laws = w->laws->n;
  const double share = dm_contact_share(k, INT_MAX);
  memcpy(w->before, w->entry, (size_t)laws); // at first all open
  w->given = k >= 0 && k < w->laws->knots ? dm_row(w->laws->schedule, k, laws) : NULL;
  if (w->other) memcpy(w->start, p0, (size_t)w->n * sizeof *p0); // p1 may be p0
  const dm_status s = dm_knot_step_take(w, share, q0, p0, u, h, q1, p1);
  if (s < 0) return s;
  if (w->other && w->second < 0 && !w->given && k >= 0) {
    w->second_law = find_other(w, share, q0, w->start, u, h, q1);
    if (w->second_law >= 0) w->second = k;
  }
  for (int i = 0; i < w->del->nc; i++) lambda[i] = w->del->lambda[i];

  // statistics of contacts
  for (int l = 0; l < laws && k >= 0; l++) {
    const int gap = w->laws->law[l].gap;
    if (gap < 0) continue;
    w->made += dm_knot_step_event(w, l) == DM_CONTACT_MADE;
    w->left += dm_knot_step_event(w, l) == DM_CONTACT_LEFT;
    w->deepest = fmax(w->deepest, -w->r1[gap]);
  }
  return s;
}

static void explain_knot_step(const void *self, dm_message *msg, dm_status s, int k,
                              const char *const *name) {
  const dm_knot_step *w = self;
  const dm_contact_law *law = w->info.worst >= 0 ? &w->laws->law[w->info.worst] : w->laws->law;
  if (s == DM_MAX_ITER && w->info.solves == SOLVES)
    dm_fail(msg, s,
            "no step from knot %d: the impulses of '%s' do not settle after %d solutions (change "
            "%.2g); take shorter steps",
            k, law->name, SOLVES, w->info.change);
  else if (s == DM_INFEASIBLE && w->given && w->info.worst < 0)
    dm_fail(msg, s,
            "no step from knot %d as scheduled: the entries of its contacts contradict each other",
            k);
  else if (s == DM_INFEASIBLE && w->given)
    dm_fail(msg, s, "no step from knot %d as scheduled: '%s' %s", k, law->name,
            dm_contact_faults[w->info.fault]);
  else if (s == DM_INFEASIBLE)
    dm_fail(
        msg, s,
        "no step from knot %d: the laws of contacts and friction have no solution; take shorter "
        "steps",
        k);
  else
    dm_del_explain(msg, s, w->del, &w->info.del, k, name);
}

dm_stepper dm_knot_stepper(dm_knot_step *w) {
  return (dm_stepper){.self = w,
                      .residual = w->del->k->h,
                      .push = w->push,
                      .contact = w->impulse,
                      .step = take_knot_step,
                      .explain = explain_knot_step};
}

// Step knot k of a motion once; the guesses are its next knot, and its impulses at knot `guess` (-1: none).
// Returns how far the step misses knot k + 1, INFINITY if it fails.
//   end  a motion of one step, scratch
static double step_knot(dm_knot_step *w, const dm_trajectory *x, int k, int guess,
                        const dm_scale *scale, dm_trajectory *end) {
  const int n = x->n, nr = x->nr;
  memcpy(end->q, x->q + (k + 1) * n, (size_t)n * sizeof *x->q);
  memset(w->impulse, 0, (size_t)nr * sizeof *w->impulse);
  if (guess >= 0) memcpy(w->impulse, x->contact + guess * nr, (size_t)nr * sizeof *w->impulse);
  memcpy(w->del->lambda, x->lambda + k * x->nc, (size_t)x->nc * sizeof *x->lambda);
  const dm_status s = dm_knot_step_take(w, dm_contact_share(k, x->N), x->q + k * n, x->p + k * n,
                                        x->u + k * x->nu, dm_trajectory_step(x, k), end->q, end->p);
  return s == DM_OK ? dm_trajectory_miss(x, k + 1, scale, end->q, end->p) : INFINITY;
}

dm_status dm_knot_certify(const dm_trajectory *x, const dm_system *s, const dm_scale *scale,
                          double *gap, int *knot) {
  dm_knot_step *w;
  dm_trajectory *end;
  DM_TRY(dm_trajectory_of(&end, 1, s));
  const dm_status status = dm_knot_step_new(&w, s);
  *gap = 0;
  *knot = 0;
  for (int k = 0; k < x->N && status == DM_OK; k++) {
    // the motion is the guess, so that it is the solution that is found
    const double off = step_knot(w, x, k, k, scale, end);
    if (off <= *gap) continue;
    *gap = off;
    *knot = k;
  }
  if (status == DM_OK) dm_knot_step_free(w);
  dm_trajectory_free(end);
  return status;
}

// the first law whose entry differs from that in w->before; the first one of all if none does
static int find_changed_law(const dm_knot_step *w) {
  for (int l = 0; l < w->laws->n; l++)
    if (w->entry[l] != w->before[l]) return l;
  return 0;
}

dm_status dm_knot_find_second(const dm_trajectory *x, const dm_system *s, const dm_scale *scale,
                              int *knot, int *law) {
  dm_knot_step *w;
  dm_trajectory *end;
  DM_TRY(dm_trajectory_of(&end, 1, s));
  const dm_status status = dm_knot_step_new(&w, s);
  *knot = -1;
  for (int k = 0; k < x->N && status == DM_OK && *knot < 0; k++) {
    // the states of the motion; then guesses without impulses, and with those of the knots beside it
    const int guess[] = {-1, k > 0 ? k - 1 : 0, k + 1};
    (void)step_knot(w, x, k, k, scale, end);
    memcpy(w->before, w->entry, (size_t)w->laws->n);
    for (int i = 0; i < 3 && *knot < 0; i++) {
      const double off = step_knot(w, x, k, guess[i], scale, end);
      if (!(off > ANOTHER) || isinf(off)) continue;
      *knot = k;
      *law = find_changed_law(w);
    }
    if (*knot >= 0 || !w->other || step_knot(w, x, k, k, scale, end) > ANOTHER) continue;
    *law = find_other(w, dm_contact_share(k, x->N), x->q + k * x->n, x->p + k * x->n,
                      x->u + k * x->nu, dm_trajectory_step(x, k), end->q);
    if (*law >= 0) *knot = k;
  }
  if (status == DM_OK) dm_knot_step_free(w);
  dm_trajectory_free(end);
  return status;
}
