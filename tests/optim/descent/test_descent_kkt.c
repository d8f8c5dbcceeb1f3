// The sparse system of a direction's problem: the same direction as the Riccati sweep's, on random
// problems and along motions; and convexity by inertia.
#include "optim/descent/descent.h"
#include "optim/starts/guess.h"
#include "optim/starts/rollout.h"
#include "tests/support/skips.h"
#include "tests/support/tasks.h"

typedef struct lq {
  fb_lq p;
  double *pool;
} lq;

// N stages of nx states and one that is always 1; [Q S; S'R] is convex, with a diagonal of at least
// `convex`
static lq random_lq(int N, int nx, int nu, double convex, uint64_t r) {
  int m = nx + 1;
  size_t n = (size_t)N, mm = (size_t)(m * m), mu = (size_t)(m * nu), uu = (size_t)(nu * nu);
  double *pool = calloc(n * (2 * mm + 2 * mu + uu) + mm + 2 * n * (size_t)nu, sizeof *pool),
         *at = pool;
  double *A = at, *B = (at += n * mm), *Q = (at += n * mu), *S = (at += n * mm),
         *R = (at += n * mu), *Qf = (at += n * uu), *lo = (at += mm), *hi = (at += n * (size_t)nu);
  for (int k = 0; k < N; k++)
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < m; j++) {
        double *a = A + (k * m + i) * m + j, *q = Q + (k * m + i) * m + j;
        *a = i < nx && j < nx ? 1.2 * models_random(&r) / sqrt(nx) : i == j;
        if (j < i) *q = Q[(k * m + j) * m + i] = 0.2 * models_random(&r) / nx;
        if (j == i && i < nx) *q = convex + 1;
      }
      for (int j = 0; j < nu; j++) {
        B[(k * m + i) * nu + j] = i < nx ? models_random(&r) : 0;
        S[(k * m + i) * nu + j] = 0.2 * models_random(&r) / nx;
        if (i < nu) R[(k * nu + i) * nu + j] = i == j ? convex + 1 : 0;
      }
    }
  for (int i = 0; i < nu * N; i++) lo[i] = -INFINITY, hi[i] = INFINITY;
  for (int k = 0; k < N; k++)
    for (int j = 0; j < nu; j++) R[(k * nu + j) * nu + j] = convex + 1;
  for (int i = 0; i < nx; i++)
    Qf[i * m + i] = 1, Qf[i * m + nx] = Qf[nx * m + i] = models_random(&r);
  lq x = {{.N = N, .nx = m, .nu = nu, .A = A, .B = B, .Q = Q, .R = R, .S = S, .Qf = Qf}, pool};
  x.p.A_stride = x.p.Q_stride = mm, x.p.B_stride = x.p.S_stride = mu, x.p.R_stride = uu;
  x.p.lo = lo, x.p.hi = hi;
  return x;
}

// the direction of the sweep's gains
static void by_sweep(const fb_lq *p, double *z, double *v) {
  fb_riccati *w;
  int m = p->nx, nx = m - 1, nu = p->nu, failed;
  double *K = calloc((size_t)(p->N * nu * m), sizeof *K);
  assert_int_equal(fb_riccati_new(&w, m, nu), DM_OK);
  assert_int_equal(fb_riccati_sweep(w, p, K, NULL, &failed), DM_OK);
  memset(z, 0, (size_t)nx * sizeof *z);
  for (int k = 0; k < p->N; k++)
    for (int pass = 0; pass < 2; pass++)
      for (int i = 0; i < (pass ? nx : nu); i++) {
        const double *row = pass ? p->A + (size_t)k * p->A_stride + i * m : K + (k * nu + i) * m;
        double sum = pass ? 0 : -row[nx];
        for (int j = 0; j < nx; j++) sum += (pass ? row[j] : -row[j]) * z[k * nx + j];
        for (int j = 0; pass && j < nu; j++)
          sum += p->B[(size_t)k * p->B_stride + (size_t)(i * nu + j)] * v[k * nu + j];
        *(pass ? z + (k + 1) * nx + i : v + k * nu + i) = sum;
      }
  fb_riccati_free(w);
  free(K);
}

static oc_kkt *open_kkt(int N, int nx, int nu) {
  oc_kkt *w = NULL;
  dm_status s = oc_kkt_new(&w, N, nx, nu);
  if (s == DM_UNAVAILABLE) skip_test(NO_CHOLMOD);
  assert_int_equal(s, DM_OK);
  return w;
}

static double farthest(int n, const double *x, const double *y) {
  double most = 0, size = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, isfinite(x[i]) ? fabs(x[i] - y[i]) : INFINITY), size = fmax(size, fabs(y[i]));
  return most / size;
}

static void directions_are_those_of_the_sweep(void **state) {
  (void)state;
  static const struct {
    int N, nx, nu;
  } sizes[] = {{1, 1, 1}, {7, 2, 1}, {50, 4, 1}, {20, 8, 4}, {9, 3, 5}, {10, 40, 9}};
  for (int i = 0; i < COUNT(sizes); i++) {
    int N = sizes[i].N, nx = sizes[i].nx, nu = sizes[i].nu;
    lq x = random_lq(N, nx, nu, 0, 7 + (uint64_t)i);
    oc_kkt *w = open_kkt(N, nx, nu);
    double *z = calloc((size_t)(2 * (N + 1) * nx), sizeof *z), *sz = z + (N + 1) * nx;
    double *v = calloc((size_t)(2 * N * nu), sizeof *v), *sv = v + N * nu;
    by_sweep(&x.p, sz, sv);
    assert_int_equal(oc_kkt_solve(w, &x.p, z, v), DM_OK);
    assert_true(farthest((N + 1) * nx, z, sz) < 1e-10);
    assert_true(farthest(N * nu, v, sv) < 1e-10);
    free(z), free(v), free(x.pool);
    oc_kkt_free(w);
  }
}

// half of second-order parts like the first is a problem of 3/2 of these, but for the linear terms
static void shares_are_taken_as_they_stand(void **state) {
  (void)state;
  enum { N = 9, NX = 3, NU = 2, M = NX + 1 };
  lq x = random_lq(N, NX, NU, 0, 5), y = random_lq(N, NX, NU, 0, 5);
  double share[N], z[2][(N + 1) * NX], v[2][N * NU];
  double *Q = (double *)y.p.Q, *R = (double *)y.p.R, *S = (double *)y.p.S;
  oc_kkt *w = open_kkt(N, NX, NU);
  for (int k = 0; k < N; k++) {
    share[k] = 0.5;
    for (int i = 0; i < NX; i++) {
      for (int j = 0; j < NX; j++) Q[(k * M + i) * M + j] *= 1.5;
      for (int j = 0; j < NU; j++) S[(k * M + i) * NU + j] *= 1.5;
    }
    for (int i = 0; i < NU * NU; i++) R[k * NU * NU + i] *= 1.5;
  }
  x.p.dQ = x.p.Q, x.p.dR = x.p.R, x.p.dS = x.p.S, x.p.share = share;
  assert_int_equal(oc_kkt_solve(w, &x.p, z[0], v[0]), DM_OK);
  assert_int_equal(oc_kkt_solve(w, &y.p, z[1], v[1]), DM_OK);
  assert_true(farthest((N + 1) * NX, z[0], z[1]) < 1e-10);
  assert_true(farthest(N * NU, v[0], v[1]) < 1e-10);
  free(x.pool), free(y.pool);
  oc_kkt_free(w);
}

static void a_problem_that_is_not_convex_is_told_as_by_the_sweep(void **state) {
  (void)state;
  enum { N = 12, NX = 3, NU = 2 };
  int refused = 0;
  oc_kkt *w = open_kkt(N, NX, NU);
  for (int i = 0; i < 40; i++) {
    lq x = random_lq(N, NX, NU, -0.05 * i, 3);
    fb_riccati *sweep;
    double K[N * NU * (NX + 1)], z[(N + 1) * NX], v[N * NU];
    int failed;
    assert_int_equal(fb_riccati_new(&sweep, NX + 1, NU), DM_OK);
    dm_status s = fb_riccati_sweep(sweep, &x.p, K, NULL, &failed);
    assert_int_equal(oc_kkt_solve(w, &x.p, z, v), s);
    refused += s == DM_NOT_DEFINITE;
    fb_riccati_free(sweep);
    free(x.pool);
  }
  assert_true(refused > 5 && refused < 35);
  oc_kkt_free(w);
}

// along the rolled motions of a task, and of a constrained one with prescribed coordinates
static void check_motion(const tasks_task *x, const dm_trajectory *guess) {
  oc_projection_operator *p;
  oc_merit *merit;
  oc_search_direction *sweep, *sparse;
  assert_int_equal(oc_projection_operator_new(&p, &x->t), DM_OK);
  assert_int_equal(oc_merit_new(&merit, p), DM_OK);
  assert_int_equal(oc_search_direction_new(&sweep, p, merit, false), DM_OK);
  dm_status s = oc_search_direction_new(&sparse, p, merit, true);
  if (s == DM_UNAVAILABLE) skip_test(NO_CHOLMOD);
  assert_int_equal(s, DM_OK);
  memcpy(p->x->q, guess->q, (size_t)((p->N + 1) * p->n) * sizeof(double));
  memcpy(p->x->p, guess->p, (size_t)((p->N + 1) * p->n) * sizeof(double));
  memcpy(p->x->u, guess->u, (size_t)(p->N * p->nu) * sizeof(double));
  memcpy(p->x->lambda, guess->lambda, (size_t)(p->N * guess->nc) * sizeof(double));
  assert_int_equal(oc_projection_operator_gains(p, 1), DM_OK);
  int nz = (p->N + 1) * p->nx, nv = p->N * p->nu, failed;
  double *z = calloc((size_t)(nz + nv), sizeof *z), slope[2];
  for (oc_model kind = OC_IDENTITY; kind <= OC_VALUE_ORDER; kind++) {
    assert_int_equal(oc_search_direction_model(sweep, kind), DM_OK);
    s = oc_search_direction_solve(sweep, false, slope, &failed);
    memcpy(z, p->z, (size_t)nz * sizeof *z);
    memcpy(z + nz, p->v, (size_t)nv * sizeof *z);
    assert_int_equal(oc_search_direction_model(sparse, kind), DM_OK);
    assert_int_equal(oc_search_direction_solve(sparse, false, slope + 1, &failed), s);
    if (kind == OC_IDENTITY) assert_int_equal(s, DM_OK);
    if (s != DM_OK) continue;
    if (!(farthest(nz, p->z, z) < 1e-10 && farthest(nv, p->v, z + nz) < 1e-10))
      fail_msg("model %d: z %g, v %g", (int)kind, farthest(nz, p->z, z),
               farthest(nv, p->v, z + nz));
    assert_close(slope[1], slope[0], 1e-9 * fabs(slope[0]));
  }
  free(z);
  oc_search_direction_free(sweep), oc_search_direction_free(sparse);
  oc_merit_free(merit);
  oc_projection_operator_free(p);
}

static void directions_along_motions_are_those_of_the_sweep(void **state) {
  (void)state;
  for (int which = 0; which < 4; which++) {
    tasks_task x = which == 0   ? tasks_pendulum(INFINITY)
                   : which == 1 ? tasks_cart_pole(80)
                   : which == 2 ? tasks_acrobot(60)
                                : tasks_hung_bar(40);
    x.t.bounds[OC_U].low = x.t.bounds[OC_U].high = NULL;
    x.t.cost[OC_Q].goal = tasks_weight(&x, 3, x.m->nq, 10),
    x.t.cost[OC_V].goal = tasks_weight(&x, 4, x.m->nq, 1);
    dm_trajectory *guess;
    double u[] = {0.3};
    assert_int_equal(dm_trajectory_of(&guess, x.t.N, &x.t.system), DM_OK);
    assert_int_equal(oc_guess_rollout(&x.t, which < 3 ? u : NULL, guess), DM_OK);
    assert_int_equal(dm_trajectory_momenta(guess, &x.t.system), DM_OK);
    check_motion(&x, guess);
    dm_trajectory_free(guess);
    tasks_free(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(directions_are_those_of_the_sweep),
      cmocka_unit_test(shares_are_taken_as_they_stand),
      cmocka_unit_test(a_problem_that_is_not_convex_is_told_as_by_the_sweep),
      cmocka_unit_test(directions_along_motions_are_those_of_the_sweep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
