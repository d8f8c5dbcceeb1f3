#include "lib/studies/laws.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/base/random.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// return a status that is not DM_OK: of steps, also those that did not converge
#define STRICT(call)                                                                               \
  do {                                                                                             \
    const dm_status status_ = (call);                                                              \
    if (status_ != DM_OK) return status_;                                                          \
  } while (0)

enum { STEPS = 12, LEVELS = 5, LONGEST = STEPS << (LEVELS - 1), LONG = 16 * STEPS, TANGENTS = 24 };
enum { HALVINGS = 4 }; // of the step, while an order is not reached

// bounds of laws that hold to rounding, in units of the rounding of a step
static const double ROUNDED = 1e3;
static const double ORDER_LEFT = 0.25; // that a measured order may lack
static const double UNCLEAR = 1e-3;    // rounding of this share of the motion decides no law
static const double TOO_LONG = 0.1;    // steps move by this share of the motion if they are halved

typedef struct judging {
  const dm_law_settings *set; // h may be a shorter step than the caller's
  dm_laws *laws;
  int m;
  double *x, *p, *S;      // a run: [(LONGEST+1) m], [(LONGEST+1) m], [LONGEST+1]
  double *E;              // energies at its knots [LONGEST+1]
  double *v;              // [m] a velocity
  double *rx, *rp;        // the reference at coarse knots [(STEPS+1) m]
  double *Q, *P;          // [m] range and size of the motion
  double *x1, *p1;        // [m]
  double *A, *K, *AT, *T; // [2m x 2m] twice, [2m x TANGENTS] twice
  double action;          // sum Q_i P_i
  int taken;              // steps of the run
  double rounding,
      growth; // of a step of the shortest length, and of a deviation in STEPS steps of h
} judging;

static void lay_out_judging(void *self, dm_block *b) {
  judging *w = self;
  const size_t m = (size_t)w->m, square = 4 * m * m;
  double **knots[] = {&w->x, &w->p}, **coarse[] = {&w->rx, &w->rp};
  double **vector[] = {&w->Q, &w->P, &w->x1, &w->p1}, **tangents[] = {&w->AT, &w->T};
  for (int i = 0; i < 2; i++) {
    *knots[i] = dm_block_alloc(b, (LONGEST + 1) * m, sizeof(double));
    *coarse[i] = dm_block_alloc(b, (STEPS + 1) * m, sizeof(double));
  }
  for (int i = 0; i < 4; i++) *vector[i] = dm_block_alloc(b, m, sizeof(double));
  for (int i = 0; i < 2; i++) *tangents[i] = dm_block_alloc(b, 2 * m * TANGENTS, sizeof(double));
  w->S = dm_block_alloc(b, LONGEST + 1, sizeof *w->S);
  w->E = dm_block_alloc(b, LONGEST + 1, sizeof *w->E);
  w->v = dm_block_alloc(b, m, sizeof *w->v);
  w->A = dm_block_alloc(b, square, sizeof *w->A);
  w->K = dm_block_alloc(b, square, sizeof *w->K);
}

// -- rows

void dm_laws_add(dm_laws *laws, dm_law_row row) {
  assert(laws->rows < DM_LAW_ROWS);
  const bool near = isnan(row.bound) || row.error <= row.bound;
  const bool fast = isnan(row.expected) || row.order >= row.expected - ORDER_LEFT;
  row.verdict = row.rising ? DM_LAW_UNDECIDED : DM_LAW_FAILS;
  if (near && fast) row.verdict = DM_LAW_HOLDS;
  laws->failed += row.verdict == DM_LAW_FAILS;
  laws->row[laws->rows++] = row;
}

static dm_law_row make_row(const char *law, const char *theorem, const char *note) {
  dm_law_row row = {.theorem = theorem, .error = NAN, .bound = NAN, .order = NAN, .expected = NAN};
  snprintf(row.law, sizeof row.law, "%s", law);
  snprintf(row.note, sizeof row.note, "%s", note);
  return row;
}

void dm_laws_refuse(dm_laws *laws, const char *law, const char *theorem, const char *reason) {
  assert(laws->rows < DM_LAW_ROWS);
  dm_law_row row = make_row(law, theorem, reason);
  row.verdict = DM_LAW_NONE;
  laws->row[laws->rows++] = row;
}

// a law that holds to rounding
static void add_exact(judging *w, const char *law, const char *theorem, const char *note,
                      double error, double rounding) {
  dm_law_row row = make_row(law, theorem, note);
  row.error = error;
  row.bound = ROUNDED * rounding;
  dm_laws_add(w->laws, row);
}

// -- motions

// N steps of h from (x,p) at index 0 of the run; the first failure
static dm_status run_flow(judging *w, dm_discrete_flow *flow, int N, double h) {
  const int m = w->m;
  for (int k = 0; k < N; k++) {
    const double *x0 = w->x + k * m;
    double S, *x1 = w->x + (k + 1) * m;
    for (int i = 0; i < m; i++) x1[i] = k ? 2 * x0[i] - x0[i - m] : x0[i];
    w->taken = k;
    STRICT(flow->step(flow, x0, w->p + k * m, h, x1, w->p + (k + 1) * m, &S));
    w->S[k + 1] = w->S[k] + S;
    w->taken = k + 1;
  }
  return DM_OK;
}

static dm_status run_from_start(judging *w, dm_discrete_flow *flow, int N, double h) {
  const size_t bytes = (size_t)w->m * sizeof(double);
  memcpy(w->x, w->set->x, bytes);
  memcpy(w->p, w->set->p, bytes);
  w->S[0] = 0;
  return run_flow(w, flow, N, h);
}

// the sizes of the motion of `free`
static dm_status measure_sizes(judging *w) {
  const int m = w->m;
  dm_discrete_flow *flow = w->set->free;
  const size_t bytes = (size_t)m * sizeof(double);
  STRICT(run_from_start(w, flow, STEPS, w->set->h));
  memset(w->Q, 0, bytes);
  memset(w->P, 0, bytes);
  w->action = 0;
  for (int k = 0; k <= STEPS; k++) {
    memcpy(w->p1, w->p + k * m, bytes);
    DM_TRY(flow->settle(flow, w->x + k * m, w->p1));
    for (int i = 0; i < m; i++) {
      w->Q[i] = fmax(w->Q[i], fabs(w->x[k * m + i] - w->x[i]));
      w->P[i] = fmax(w->P[i], fabs(w->p1[i]));
    }
  }
  for (int i = 0; i < m; i++) w->action += w->Q[i] * w->P[i];
  return w->action > 0 && isfinite(w->action) ? DM_OK : DM_UNAVAILABLE;
}

// the distance of (x,p) from (y,r); momenta are compared without constraint impulses
static dm_status find_distance(judging *w, dm_discrete_flow *flow, const double *x, const double *p,
                               const double *y, const double *r, double *distance) {
  const size_t bytes = (size_t)w->m * sizeof(double);
  memcpy(w->p1, p, bytes);
  memcpy(w->x1, r, bytes); // momenta of the other state
  DM_TRY(flow->settle(flow, x, w->p1));
  DM_TRY(flow->settle(flow, y, w->x1));
  *distance = 0;
  for (int i = 0; i < w->m; i++)
    *distance += fabs(x[i] - y[i]) * w->P[i] + fabs(w->p1[i] - w->x1[i]) * w->Q[i];
  *distance /= w->action;
  return DM_OK;
}

// The rounding of a step: the shortest one, there and back; and the growth of a small deviation along the motion.
static dm_status measure_rounding(judging *w) {
  dm_discrete_flow *flow = w->set->free;
  const int m = w->m;
  const size_t bytes = (size_t)m * sizeof(double);
  const double h = ldexp(w->set->h, 1 - flow->levels), small = 1e-6;
  double S, distance;
  w->rounding = flow->rounding;
  w->growth = 1;
  STRICT(run_from_start(w, flow, STEPS, h));
  for (int k = 0; w->set->symmetric && k < STEPS; k += 4) {
    memcpy(w->rx, w->x + k * m, bytes);
    STRICT(flow->step(flow, w->x + (k + 1) * m, w->p + (k + 1) * m, -h, w->rx, w->rp, &S));
    DM_TRY(find_distance(w, flow, w->rx, w->rp, w->x + k * m, w->p + k * m, &distance));
    w->rounding = fmax(w->rounding, distance);
  }

  // beside the motion from a start with other momenta
  STRICT(run_from_start(w, flow, STEPS, w->set->h));
  memcpy(w->rx, w->x + STEPS * m, bytes);
  memcpy(w->rp, w->p + STEPS * m, bytes);
  memcpy(w->x, w->set->x, bytes);
  for (int i = 0; i < m; i++) w->p[i] = w->set->p[i] + small * w->P[i];
  STRICT(run_flow(w, flow, STEPS, w->set->h));
  DM_TRY(find_distance(w, flow, w->x + STEPS * m, w->p + STEPS * m, w->rx, w->rp, &distance));
  w->growth = fmax(1, distance / small);
  return ROUNDED * STEPS * w->growth * w->rounding < UNCLEAR ? DM_OK : DM_UNAVAILABLE;
}

// The order between the finest levels above rounding, the better of the last two pairs; NAN: fewer exist. rise: how much the
// order of the finer pair is larger; NAN: only one pair exists.
static double find_order(const double *e, int levels, double least, double *rise) {
  double order[2] = {NAN, NAN};
  int pairs = 0;
  for (int i = levels - 1; i > 0 && pairs < 2; i--)
    if (e[i] > least) order[pairs++] = log2(e[i - 1] / e[i]);
  *rise = order[0] - order[1];
  return fmax(order[0], order[1]);
}

// Judge errors e of steps h, h/2, .. by their order; if they are rounding, by their size.
static void add_order(judging *w, dm_law_row row, const double *e, int levels, double expected) {
  const double least = fmax(1e-10, 1e2 * STEPS * w->rounding);
  row.error = e[levels - 1];
  double rise;
  row.order = find_order(e, levels, least, &rise);
  if (row.order < expected - ORDER_LEFT && e[levels - 1] < least)
    row.order = NAN; // above rounding too early
  if (isnan(row.order))
    row.bound = 10 * least;
  else
    row.expected = expected;
  row.rising = row.order + rise >= expected - ORDER_LEFT;
  dm_laws_add(w->laws, row);
}

// -- the laws, one function each

// Errors e of steps h, h/2, .. at the knots of h, beside the reference there; without it, of each from the next.
static dm_status compare_levels(judging *w, dm_discrete_flow *flow, bool reference, double *e,
                                int *levels) {
  const int m = w->m;
  const size_t bytes = (size_t)m * sizeof(double);
  *levels = 0;
  for (int l = 0; l < flow->levels; l++) {
    const int per = 1 << l;
    STRICT(run_from_start(w, flow, STEPS * per, ldexp(w->set->h, -l)));
    for (int k = 1; k <= STEPS; k++) {
      double *x = w->x + k * per * m, *p = w->p + k * per * m, *rx = w->rx + k * m,
             *rp = w->rp + k * m, distance = 0;
      if (reference || l) DM_TRY(find_distance(w, flow, x, p, rx, rp, &distance));
      if (reference || l) e[*levels] = fmax(e[*levels], distance);
      if (!reference) {
        memcpy(rx, x, bytes);
        memcpy(rp, p, bytes);
      }
    }
    *levels += reference || l;
  }
  return DM_OK;
}

static dm_status judge_order(judging *w, const char *law, const char *theorem) {
  const dm_law_settings *set = w->set;
  dm_discrete_flow *flow = set->whole ? set->whole : set->free;
  const int m = w->m, order = set->whole ? set->whole_order : set->order;
  const size_t bytes = (size_t)m * sizeof(double);
  double e[LEVELS] = {0};
  const bool reference = flow->integrate != NULL;

  // 1  the continuous motion at the knots of the longest steps
  memcpy(w->rx, set->x, bytes);
  memcpy(w->rp, set->p, bytes);
  for (int k = 0; reference && k < STEPS; k++) {
    double *x = w->rx + (k + 1) * m, *p = w->rp + (k + 1) * m;
    memcpy(x, x - m, bytes);
    memcpy(p, p - m, bytes);
    STRICT(flow->integrate(flow, set->h, x, p));
  }

  // 2  the errors of steps h, h/2, ..
  int levels;
  DM_TRY(compare_levels(w, flow, reference, e, &levels));

  // 3  their order; a motion that is exact has no order
  const char *note =
      reference ? "beside the continuous equations" : "beside steps of half the length";
  add_order(w, make_row(law, theorem, note), e, levels, order);
  return DM_OK;
}

static dm_status judge_symmetric(judging *w, const char *law, const char *theorem) {
  const dm_law_settings *set = w->set;
  dm_discrete_flow *flow = set->whole ? set->whole : set->free;
  const int m = w->m;
  double most = 0;
  if (!set->symmetric) {
    dm_laws_refuse(w->laws, law, theorem, "the rule is not symmetric");
    return DM_OK;
  }
  // forth from some knots of the motion, and back
  STRICT(run_from_start(w, flow, STEPS, set->h));
  for (int k = 0; k < STEPS; k += 4) {
    double distance, S, *x = w->rx, *p = w->rp;
    memcpy(x, w->x + k * m, (size_t)m * sizeof *x);
    STRICT(flow->step(flow, w->x + (k + 1) * m, w->p + (k + 1) * m, -set->h, x, p, &S));
    DM_TRY(find_distance(w, flow, x, p, w->x + k * m, w->p + k * m, &distance));
    most = fmax(most, distance);
  }
  add_exact(w, law, theorem, "", most, w->rounding);
  return DM_OK;
}

static dm_status judge_reversible(judging *w, const char *law, const char *theorem) {
  const dm_law_settings *set = w->set;
  dm_discrete_flow *flow = set->free;
  const int m = w->m;
  if (!set->even || !set->symmetric) {
    dm_laws_refuse(w->laws, law, theorem,
                   set->even ? "the rule is not symmetric" : "L(q,v) is not even in v");
    return DM_OK;
  }
  // a step from some knots, reversed, and back
  double most = 0;
  STRICT(run_from_start(w, flow, STEPS, set->h));
  for (int k = 0; k < STEPS; k += 4) {
    double distance, S;
    const double *x = w->x + k * m, *p = w->p + k * m;
    for (int i = 0; i < m; i++) {
      w->rx[i] = flow->parity[i] * x[m + i];
      w->rp[i] = flow->parity[m + i] * p[m + i];
      w->rx[m + i] = flow->parity[i] * x[i];
    }
    STRICT(flow->step(flow, w->rx, w->rp, set->h, w->rx + m, w->rp + m, &S));
    for (int i = 0; i < m; i++) {
      w->rx[m + i] *= flow->parity[i];
      w->rp[m + i] *= flow->parity[m + i];
    }
    DM_TRY(find_distance(w, flow, w->rx + m, w->rp + m, x, p, &distance));
    most = fmax(most, distance);
  }
  add_exact(w, law, theorem, set->note, most, w->rounding);
  return DM_OK;
}

// T'(A'JA - J)T of the last step of flow from knot k, relative to its largest term; if it is forced, less T'KT
static dm_status find_form_error(judging *w, dm_discrete_flow *flow, int k, bool forced,
                                 double *error) {
  const int m = w->m, M = 2 * m, columns = M < TANGENTS ? M : TANGENTS;
  double *z = w->K; // [2m] scratch before K is computed
  // random tangents of the size of the motion, on the constraints
  for (int t = 0; t < columns; t++) {
    for (int i = 0; i < M; i++)
      z[i] = dm_random_uniform(7, t, (uint64_t)i) * (i < m ? w->Q[i] : w->P[i - m]);
    DM_TRY(flow->restrict_tangent(flow, w->x + k * m, z));
    for (int i = 0; i < M; i++) w->T[i * columns + t] = z[i];
  }
  DM_TRY(flow->tangent(flow, w->A, w->K));
  dm_gemm(M, columns, M, 1, w->A, w->T, 0, w->AT);

  // the three forms of each pair, and the largest sum of absolute terms
  double most = 0, size = 0;
  for (int s = 0; s < columns; s++)
    for (int t = 0; t < s; t++) {
      double form = 0, terms = 0;
      for (int i = 0; i < m; i++) {
        const int a = i * columns, b = (m + i) * columns;
        const double after = w->AT[a + s] * w->AT[b + t] - w->AT[b + s] * w->AT[a + t];
        const double before = w->T[a + s] * w->T[b + t] - w->T[b + s] * w->T[a + t];
        form += after - before;
        terms +=
            fabs(w->AT[a + s] * w->AT[b + t]) + fabs(w->AT[b + s] * w->AT[a + t]) + fabs(before);
      }
      for (int i = 0; forced && i < M; i++)
        for (int j = 0; j < M; j++)
          form -= w->T[i * columns + s] * w->K[i * M + j] * w->T[j * columns + t];
      most = fmax(most, fabs(form));
      size = fmax(size, terms);
    }
  *error = size > 0 ? most / size : 0;
  return DM_OK;
}

static dm_status judge_symplectic(judging *w, const char *law, const char *theorem) {
  const dm_law_settings *set = w->set;
  if (set->nonholonomic) {
    dm_laws_refuse(w->laws, law, theorem, "constraints on velocities are not variational");
    return DM_OK;
  }
  dm_discrete_flow *flows[] = {set->free, set->forced ? set->whole : NULL};
  for (int f = 0; f < 2 && flows[f]; f++) {
    double most = 0, error;
    STRICT(run_from_start(w, flows[f], STEPS, set->h));
    for (int k = 0; k < STEPS; k += 6) {
      // the step from knot k again, for its derivatives
      double S;
      memcpy(w->rx, w->x + (k + 1) * w->m, (size_t)w->m * sizeof *w->rx);
      STRICT(flows[f]->step(flows[f], w->x + k * w->m, w->p + k * w->m, set->h, w->rx, w->rp, &S));
      DM_TRY(find_form_error(w, flows[f], k, f > 0, &error));
      most = fmax(most, error);
    }
    if (f)
      add_exact(w, "Lagrange-d'Alembert form", "A'JA - J = curl of the discrete forces", "", most,
                w->rounding);
    else
      add_exact(w, law, theorem, set->note, most, w->rounding);
  }
  return DM_OK;
}

static dm_status judge_constraints(judging *w, const char *law, const char *theorem) {
  dm_discrete_flow *flow = w->set->whole ? w->set->whole : w->set->free;
  if (!flow->nc) return DM_OK;
  double most = 0, S;
  STRICT(run_from_start(w, flow, 1, w->set->h));
  for (int k = 0; k < STEPS; k++) {
    STRICT(flow->step(flow, w->x, w->p, w->set->h, w->x, w->p, &S));
    most = fmax(most, flow->gap);
  }
  add_exact(w, law, theorem, "relative to their terms", most, w->rounding);
  return DM_OK;
}

// the momentum of symmetry i at (x,p), and the sum of its terms
static dm_status find_momentum(judging *w, int i, const double *x, const double *p, double *mu,
                               double *terms) {
  const dm_law_settings *set = w->set;
  const int n = set->free->n, k = w->m / n;
  const dm_symmetry *of = &set->group->of[i];
  *mu = dm_symmetry_momentum(set->group, i, k, x, p);
  *terms = 0;
  for (int j = 0; j < w->m; j++) *terms += fabs(p[j] * x[j]) * dm_largest(n * n, of->W);
  *terms += dm_largest(n, p) * dm_largest(n, of->w);
  if (dm_largest(6, of->world) == 0) return DM_OK;
  double world[6];
  DM_TRY(set->free->velocity(set->free, x, p, w->v));
  set->map->eval(set->map->self, set->map_scratch, x, w->v, world);
  *mu += dm_inner(6, of->world, world);
  for (int j = 0; j < 6; j++) *terms += fabs(of->world[j]) * dm_largest(3, world + j / 3 * 3);
  return DM_OK;
}

// its largest change along the run, relative to the terms of its sum
static dm_status find_drift(judging *w, int i, double *drift) {
  double first = 0, mu, terms, most = 0, size = 0;
  for (int k = 0; k <= w->taken; k++) {
    DM_TRY(find_momentum(w, i, w->x + k * w->m, w->p + k * w->m, &mu, &terms));
    if (!k) first = mu;
    most = fmax(most, fabs(mu - first));
    size = fmax(size, terms);
  }
  *drift = size > 0 ? most / size : 0;
  return DM_OK;
}

static dm_status judge_momenta(judging *w, const char *law, const char *theorem) {
  const dm_law_settings *set = w->set;
  const dm_symmetry_group *group = set->group;
  if (set->nonholonomic || !group || !group->count) {
    const char *reason = "no symmetry found";
    if (!group) reason = "the model has no search";
    if (set->nonholonomic) reason = "constraints on velocities change momenta";
    dm_laws_refuse(w->laws, law, theorem, reason);
    return DM_OK;
  }
  // long, but a step may have no solution
  const int N = set->free->levels == LEVELS ? LONG : STEPS; // of an unstable flow short
  const dm_status s = run_from_start(w, set->free, N, set->h);
  if (s != DM_OK && w->taken < STEPS) return s;
  for (int i = 0; i < group->count && w->laws->rows < DM_LAW_ROWS / 2; i++) {
    char name[DM_SYMMETRY_NAME], full[DM_LAW_TEXT];
    double drift[2];
    snprintf(full, sizeof full, "%s %s", law, dm_symmetry_name(group, i, set->coord, name));
    STRICT(find_drift(w, i, &drift[0]));
    const bool linear = dm_largest(6, group->of[i].world) == 0;
    if (linear || drift[0] <= ROUNDED * LONG * w->rounding) {
      add_exact(w, full, theorem, set->note, drift[0], LONG * w->rounding);
      continue;
    }

    // a rotation may act on coordinates nonlinearly: then the rule does not keep it, and the drift falls with its order
    dm_law_row row = make_row(full, theorem,
                              "acts nonlinearly on the coordinates: kept to the order of the rule");
    double e[3];
    for (int l = 0; l < 3; l++) {
      STRICT(run_from_start(w, set->free, STEPS << l, ldexp(set->h, -l)));
      STRICT(find_drift(w, i, &e[l]));
    }
    add_order(w, row, e, 3, set->order);
    STRICT(run_from_start(w, set->free, w->taken, set->h));
  }
  return DM_OK;
}

// quantities [count] at knot k of the run, with its velocity or random shares of it
static dm_status find_kept(judging *w, int k, bool random, double *value) {
  const dm_law_settings *set = w->set;
  const double *x = w->x + k * w->m;
  const int n = set->free->n;
  if (set->free->velocity)
    DM_TRY(set->free->velocity(set->free, x, w->p + k * w->m, w->v));
  else
    memcpy(w->v, x + n, (size_t)n * sizeof *w->v); // x = (q, v, ..)
  for (int i = 0; random && i < n; i++) w->v[i] *= dm_random_uniform(15, k, (uint64_t)i);
  return set->kept->eval(set->kept->self, x, w->v, value);
}

// The change of quantity i along N steps of h, relative to its largest value at the knots, with the velocities of the
// motion and with random shares of them: a quantity may be zero along the motion.
static dm_status find_change(judging *w, int i, int N, double h, double *value, double *change) {
  double first = 0, most = 0, size = 0;
  STRICT(run_from_start(w, w->set->free, N, h));
  for (int k = 0; k <= N; k++) {
    DM_TRY(find_kept(w, k, true, value));
    size = fmax(size, fabs(value[i]));
    DM_TRY(find_kept(w, k, false, value));
    size = fmax(size, fabs(value[i]));
    if (!k) first = value[i];
    most = fmax(most, fabs(value[i] - first));
  }
  *change = size > 0 ? most / size : 0;
  return DM_OK;
}

static dm_status judge_kept(judging *w, const char *law, const char *theorem) {
  const dm_law_settings *set = w->set;
  const int count = set->kept ? set->kept->count : 0;
  double value[DM_LAW_KEPT], e[3];
  assert(count <= DM_LAW_KEPT);
  for (int i = 0; i < count; i++) {
    char name[DM_LAW_TEXT];
    snprintf(name, sizeof name, "%s %.100s", law, set->kept->name[i]);
    for (int l = 0; l < 3; l++)
      STRICT(find_change(w, i, STEPS << l, ldexp(set->h, -l), value, &e[l]));
    add_order(w, make_row(name, theorem, set->note), e, 3, set->order);
  }
  return DM_OK;
}

// the range of y_k over knots `from` to N - from
static double find_range(const double *y, int from, int N) {
  double low = y[from], high = y[from];
  for (int k = from; k <= N - from; k++) {
    low = fmin(low, y[k]);
    high = fmax(high, y[k]);
  }
  return high - low;
}

// weights of f(t + j h) - f(t - j h) over h in the central difference of order 2M, j = 1 .. M
static void weigh_difference(int M, double *c) {
  for (int j = 1; j <= M; j++) {
    c[j] = 1. / j;
    for (int i = 1; i <= M; i++)
      if (i != j) c[j] *= (double)(i * i) / (i * i - j * j);
    c[j] /= 2;
  }
}

// p.q' - S' at knots half .. N - half, into E
static void find_modified_energy(const judging *w, int half, int N, double h, double *E) {
  const int m = w->m;
  double c[8];
  weigh_difference(half, c);
  for (int k = half; k <= N - half; k++) {
    E[k] = 0;
    for (int j = 1; j <= half; j++) {
      const double *ahead = w->x + (k + j) * m, *behind = w->x + (k - j) * m;
      double sum = -(w->S[k + j] - w->S[k - j]);
      for (int i = 0; i < m; i++) sum += w->p[k * m + i] * (ahead[i] - behind[i]);
      E[k] += c[j] * sum / h;
    }
  }
}

// The order at which the range of the energy falls, or with `half` of p.q' - S' by differences over 2 half knots.
static dm_status judge_range(judging *w, dm_law_row row, int half, double expected) {
  const dm_law_settings *set = w->set;
  dm_discrete_flow *flow = set->free;
  const double size = w->action / (STEPS * set->h); // an energy
  double e[LEVELS];
  for (int l = 0; l < flow->levels; l++) {
    const int N = STEPS << l;
    const double h = ldexp(set->h, -l);
    STRICT(run_from_start(w, flow, N, h));
    if (half) find_modified_energy(w, half, N, h, w->E);
    for (int k = 0; !half && k <= N; k++)
      DM_TRY(flow->energy(flow, w->x + k * w->m, w->p + k * w->m, w->E + k));
    e[l] = find_range(w->E, half << l, N) / size;
  }

  add_order(w, row, e, flow->levels, expected);
  return DM_OK;
}

static dm_status judge_energy(judging *w, const char *law, const char *theorem) {
  const dm_law_settings *set = w->set;
  if (set->nonholonomic)
    dm_laws_refuse(w->laws, law, theorem, "constraints on velocities are not variational");
  if (set->nonholonomic || !set->free->energy) return DM_OK;
  return judge_range(w, make_row(law, theorem, set->note), 0, set->order);
}

static dm_status judge_modified_energy(judging *w, const char *law, const char *theorem) {
  const dm_law_settings *set = w->set;
  const int order = set->order + 2;
  char note[DM_LAW_TEXT];
  if (set->nonholonomic) {
    dm_laws_refuse(w->laws, law, theorem, "constraints on velocities are not variational");
    return DM_OK;
  }
  snprintf(note, sizeof note, "to h^%d%s%s", order, *set->note ? ", " : "", set->note);
  return judge_range(w, make_row(law, theorem, note), order / 2, order);
}

// -- the table

static const struct law {
  const char *name, *theorem;
  dm_status (*judge)(judging *w, const char *law, const char *theorem);
} laws[] = {
    {"order of the rule", "e(h) = C h^r", judge_order},
    {"symmetric", "F_-h F_h = 1", judge_symmetric},
    {"reversible", "R F_h R F_h = 1", judge_reversible},
    {"symplectic form", "A'JA = J", judge_symplectic},
    {"constraints", "h(q_k) = 0", judge_constraints},
    {"momentum", "constant (Noether)", judge_momenta},
    {"kept", "constant, or C h^r", judge_kept},
    {"energy", "bounded, C h^r", judge_energy},
    {"modified energy", "p.q' - S' constant", judge_modified_energy},
};

static dm_status measure_motion(judging *w) {
  DM_TRY(measure_sizes(w));
  return measure_rounding(w);
}

// did a law not reach its order?
static bool needs_shorter(const dm_law_row *row) {
  return !isnan(row->expected) && row->verdict != DM_LAW_HOLDS;
}

static void note_step(dm_law_row *row, const char *what, double h) {
  const size_t used = strlen(row->note);
  snprintf(row->note + used, sizeof row->note - used, "%s%s steps of %.3g s", used ? ", " : "",
           what, h);
}

// Judge the laws `before` from row `first` that miss their order anew, by steps of h; others stay as they are.
static dm_status judge_shorter(judging *w, const struct law *law, const dm_laws *before, int first,
                               double h) {
  w->laws->rows = first;
  DM_TRY(law->judge(w, law->name, law->theorem));
  for (int k = first; k < w->laws->rows; k++) {
    dm_law_row *row = &w->laws->row[k];
    const char *what = row->verdict == DM_LAW_UNDECIDED ? "the order still rises at" : "from";
    if (needs_shorter(&before->row[k]))
      note_step(row, what, h);
    else
      *row = before->row[k];
  }
  return DM_OK;
}

// orders that are missed by steps that do not resolve the motion are not decided; a map of another motion resolves it
static dm_status excuse_long_steps(judging *w, int first) {
  dm_discrete_flow *flow = w->set->whole ? w->set->whole : w->set->free;
  double apart = -1, e[LEVELS] = {0};
  int levels = 0;
  for (int k = first; k < w->laws->rows; k++) {
    dm_law_row *row = &w->laws->row[k];
    if (row->verdict != DM_LAW_FAILS || isnan(row->expected)) continue;
    if (apart < 0) DM_TRY(compare_levels(w, flow, false, e, &levels));
    apart = levels ? e[levels - 1] : 0;
    if (!(apart > TOO_LONG)) continue;
    row->verdict = DM_LAW_UNDECIDED;
    const size_t used = strlen(row->note);
    snprintf(row->note + used, sizeof row->note - used, ", too long for the motion");
  }
  return DM_OK;
}

// Judge a law. If it does not reach its order, judge it anew by steps of half the length, of a shorter motion; if rounding
// does not allow them, or they are still too long for the motion, it is not decided.
static dm_status judge_law(judging *w, const struct law *law, dm_law_settings *set) {
  const double h = set->h;
  const int first = w->laws->rows;
  dm_status s = law->judge(w, law->name, law->theorem), measured = DM_OK;
  for (int i = 1; s == DM_OK && measured == DM_OK && i <= HALVINGS; i++) {
    const dm_laws before = *w->laws;
    bool missed = false;
    for (int k = first; k < before.rows; k++) missed |= needs_shorter(&before.row[k]);
    if (!missed) break;
    set->h = ldexp(h, -i);
    measured = measure_motion(w);
    if (measured == DM_OK) s = judge_shorter(w, law, &before, first, set->h);
  }
  for (int k = first; s == DM_OK && measured != DM_OK && k < w->laws->rows; k++)
    if (needs_shorter(&w->laws->row[k])) {
      w->laws->row[k].verdict = DM_LAW_UNDECIDED;
      note_step(&w->laws->row[k], "rounding does not allow", set->h);
    }
  if (s == DM_OK) s = excuse_long_steps(w, first);
  if (set->h == h) return s;
  set->h = h;
  return s == DM_OK ? measure_motion(w) : s;
}

dm_status dm_laws_judge(dm_laws *out, const dm_law_settings *settings) {
  assert(out && settings && settings->free && settings->x && settings->p && settings->h > 0);
  dm_law_settings set = *settings;
  judging sizes = {.set = &set, .laws = out, .m = set.free->m};
  judging *w = dm_block_make(&sizes, sizeof sizes, lay_out_judging);
  if (!w) return DM_NO_MEMORY;
  dm_status s = measure_motion(w);
  for (size_t i = 0; s == DM_OK && i < sizeof laws / sizeof *laws; i++)
    s = judge_law(w, &laws[i], &set);
  out->failed = 0;
  for (int i = 0; i < out->rows; i++) out->failed += out->row[i].verdict == DM_LAW_FAILS;
  dm_block_free(w);
  return s;
}
