#include "lib/base/ode.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { STAGES = 12, COLUMNS = 8, MAX_STEPS = 20000 };

struct dm_ode {
  int n;
  double tol;
  dm_ode_rate *f;
  void *self;
  dm_status failed; // last failure of f since the last accepted step
  dm_ode_info info;
  int stiff;         // consecutive explicit steps at the limit of stability
  bool has_jacobian; // J is up to date for y
  double *size;      // [n] scales of the states
  double *y, *next;  // [n] state; end of the trial step
  double *rate;      // [n] f(y)
  double *k;         // [STAGES x n] rates of the stages
  double *stage;     // [n] state of a stage; after an explicit step that of the last one
  double *error;     // [n] error of a step
  double *J, *LU;    // [n x n] df/dy, and factors of 1 - hJ/m
  int *piv;          // [n]
  double *T;         // [COLUMNS x n] the last row of the extrapolation
};

static void lay_out_ode(void *self, dm_block *b) {
  dm_ode *w = self;
  const size_t n = (size_t)w->n;
  double **const rows[] = {&w->size, &w->y, &w->next, &w->rate, &w->stage, &w->error};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i] = dm_block_alloc(b, n, sizeof(double));
  w->k = dm_block_alloc(b, STAGES * n, sizeof *w->k);
  w->T = dm_block_alloc(b, COLUMNS * n, sizeof *w->T);
  w->J = dm_block_alloc(b, n * n, sizeof *w->J);
  w->LU = dm_block_alloc(b, n * n, sizeof *w->LU);
  w->piv = dm_block_alloc(b, n, sizeof *w->piv);
}

dm_status dm_ode_new(dm_ode **out, int n, double tol) {
  assert(out && n > 0 && tol >= 1e-13);
  dm_ode sizes = {.n = n, .tol = tol};
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_ode);
  if (!*out) return DM_NO_MEMORY;
  for (int i = 0; i < n; i++) (*out)->size[i] = 1;
  return DM_OK;
}

double *dm_ode_sizes(dm_ode *w) {
  return w->size;
}

void dm_ode_free(dm_ode *w) {
  dm_block_free(w);
}

// evaluate f(y); false if it fails or is not finite
static bool find_ode_rate(dm_ode *w, const double *y, double *rate) {
  double sum = 0;
  w->info.rates++;
  for (int i = 0; i < w->n; i++) sum += y[i];
  dm_status s = isfinite(sum) ? w->f(w->self, y, rate) : DM_NOT_FINITE;
  for (int i = 0; i < w->n && s == DM_OK; i++) sum += rate[i];
  if (s == DM_OK && !isfinite(sum)) s = DM_NOT_FINITE;
  if (s != DM_OK) w->failed = s;
  return s == DM_OK;
}

// root mean square of e_i / (s_i + |y_i|), with the larger |y| of both ends, over the tolerance
static double measure_ode_error(const dm_ode *w, const double *e) {
  double sum = 0;
  for (int i = 0; i < w->n; i++) {
    double x = e[i] / (w->size[i] + fmax(fabs(w->y[i]), fabs(w->next[i])));
    sum += x * x;
  }
  return sqrt(sum / w->n) / w->tol;
}

// -- method of order 8 by Dormand and Prince [hairer-1993]

// a_ij, j < i
static const double stage_weight[STAGES][STAGES] = {
    [1] = {[0] = 5.26001519587677318785587544488e-2},
    [2] = {[0] = 1.97250569845378994544595329183e-2, [1] = 5.91751709536136983633785987549e-2},
    [3] = {[0] = 2.95875854768068491816892993775e-2, [2] = 8.87627564304205475450678981324e-2},
    [4] = {[0] = 2.41365134159266685502369798665e-1,
           [2] = -8.84549479328286085344864962717e-1,
           [3] = 9.24834003261792003115737966543e-1},
    [5] = {[0] = 3.7037037037037037037037037037e-2,
           [3] = 1.70828608729473871279604482173e-1,
           [4] = 1.25467687566822425016691814123e-1},
    [6] = {[0] = 3.7109375e-2,
           [3] = 1.70252211019544039314978060272e-1,
           [4] = 6.02165389804559606850219397283e-2,
           [5] = -1.7578125e-2},
    [7] = {[0] = 3.70920001185047927108779319836e-2,
           [3] = 1.70383925712239993810214054705e-1,
           [4] = 1.07262030446373284651809199168e-1,
           [5] = -1.53194377486244017527936158236e-2,
           [6] = 8.27378916381402288758473766002e-3},
    [8] = {[0] = 6.24110958716075717114429577812e-1,
           [3] = -3.36089262944694129406857109825,
           [4] = -8.68219346841726006818189891453e-1,
           [5] = 2.75920996994467083049415600797e1,
           [6] = 2.01540675504778934086186788979e1,
           [7] = -4.34898841810699588477366255144e1},
    [9] = {[0] = 4.77662536438264365890433908527e-1,
           [3] = -2.48811461997166764192642586468,
           [4] = -5.90290826836842996371446475743e-1,
           [5] = 2.12300514481811942347288949897e1,
           [6] = 1.52792336328824235832596922938e1,
           [7] = -3.32882109689848629194453265587e1,
           [8] = -2.03312017085086261358222928593e-2},
    [10] = {[0] = -9.3714243008598732571704021658e-1,
            [3] = 5.18637242884406370830023853209,
            [4] = 1.09143734899672957818500254654,
            [5] = -8.14978701074692612513997267357,
            [6] = -1.85200656599969598641566180701e1,
            [7] = 2.27394870993505042818970056734e1,
            [8] = 2.49360555267965238987089396762,
            [9] = -3.0467644718982195003823669022},
    [11] = {[0] = 2.27331014751653820792359768449,
            [3] = -1.05344954667372501984066689879e1,
            [4] = -2.00087205822486249909675718444,
            [5] = -1.79589318631187989172765950534e1,
            [6] = 2.79488845294199600508499808837e1,
            [7] = -2.85899827713502369474065508674,
            [8] = -8.87285693353062954433549289258,
            [9] = 1.23605671757943030647266201528e1,
            [10] = 6.43392746015763530355970484046e-1},
};

// weights of the stages: for the end of the step, and for the errors of order 5 and 3
static const struct {
  double end, fifth, third;
} end_weight[STAGES] = {
    [0] = {5.42937341165687622380535766363e-2, 0.1312004499419488073250102996e-1,
           5.42937341165687622380535766363e-2 - 0.244094488188976377952755905512},
    [5] = {4.45031289275240888144113950566, -0.1225156446376204440720569753e+1,
           4.45031289275240888144113950566},
    [6] = {1.89151789931450038304281599044, -0.4957589496572501915214079952,
           1.89151789931450038304281599044},
    [7] = {-5.8012039600105847814672114227, 0.1664377182454986536961530415e+1,
           -5.8012039600105847814672114227},
    [8] = {3.1116436695781989440891606237e-1, -0.3503288487499736816886487290,
           3.1116436695781989440891606237e-1 - 0.733846688281611857341361741547},
    [9] = {-1.52160949662516078556178806805e-1, 0.3341791187130174790297318841,
           -1.52160949662516078556178806805e-1},
    [10] = {2.01365400804030348374776537501e-1, 0.8192320648511571246570742613e-1,
            2.01365400804030348374776537501e-1},
    [11] = {4.47106157277725905176885569043e-2, -0.2235530786388629525884427845e-1,
            4.47106157277725905176885569043e-2 - 0.220588235294117647058823529412e-1},
};

// y + h sum_j a_j k_j into out [n]
static void add_stage_rates(const dm_ode *w, int count, const double *a, double h, double *out) {
  memcpy(out, w->y, (size_t)w->n * sizeof *out);
  for (int j = 0; j < count; j++)
    if (a[j] != 0) dm_add_to(w->n, h * a[j], dm_row(w->k, j, w->n), out);
}

// error of a step relative to the tolerance: e5^2 / sqrt(e5^2 + 0.01 e3^2)
static double find_explicit_error(dm_ode *w, double h) {
  double e[2];
  for (int order = 0; order < 2; order++) {
    memset(w->error, 0, (size_t)w->n * sizeof *w->error);
    for (int j = 0; j < STAGES; j++)
      dm_add_to(w->n, h * (order ? end_weight[j].third : end_weight[j].fifth),
                dm_row(w->k, j, w->n), w->error);
    e[order] = measure_ode_error(w, w->error);
  }
  return e[0] > 0 ? e[0] * e[0] / sqrt(e[0] * e[0] + 0.01 * e[1] * e[1]) : 0;
}

// step of length h into w->next; returns its relative error, INFINITY if f failed
static double try_explicit_step(dm_ode *w, double h, int *order) {
  double b[STAGES];
  *order = 8;

  // k_i = f(y + h sum_j a_ij k_j)
  memcpy(w->k, w->rate, (size_t)w->n * sizeof *w->k);
  for (int i = 1; i < STAGES; i++) {
    add_stage_rates(w, i, stage_weight[i], h, w->stage);
    if (!find_ode_rate(w, w->stage, dm_row(w->k, i, w->n))) return INFINITY;
  }
  for (int j = 0; j < STAGES; j++) b[j] = end_weight[j].end;
  add_stage_rates(w, STAGES, b, h, w->next);
  return find_explicit_error(w, h);
}

// -- linearly implicit Euler method, extrapolated [hairer-1996]

// J = df/dy by forward differences
static bool find_ode_jacobian(dm_ode *w) {
  const int n = w->n;
  double *y = w->next, *rate = w->error;
  if (w->has_jacobian) return true;
  memcpy(y, w->y, (size_t)n * sizeof *y);
  for (int j = 0; j < n; j++) {
    const double step = sqrt(DBL_EPSILON) * (w->size[j] + fabs(w->y[j]));
    y[j] = w->y[j] + step;
    if (!find_ode_rate(w, y, rate)) return false;
    for (int i = 0; i < n; i++) w->J[i * n + j] = (rate[i] - w->rate[i]) / (y[j] - w->y[j]);
    y[j] = w->y[j];
  }
  w->has_jacobian = true;
  return true;
}

// step of length h into w->next; returns its relative error, INFINITY if f failed
static double try_implicit_step(dm_ode *w, double h, int *order) {
  *order = COLUMNS;
  if (!find_ode_jacobian(w)) return INFINITY;

  // each row overwrites the previous one; T_m,1 is the step in m substeps
  for (int m = 1; m <= COLUMNS; m++) {
    // end of a step of m = `parts` substeps, into w->stage
    const int n = w->n;
    const double part = h / m;

    // 1 - (h/m) J
    for (int i = 0; i < n * n; i++) w->LU[i] = -part * w->J[i];
    for (int i = 0; i < n; i++) w->LU[i * n + i] += 1;
    const dm_status s = dm_lu_factor(n, w->LU, w->piv);
    if (s != DM_OK) w->failed = s;
    if (s != DM_OK) return INFINITY;

    // y <- y + (1 - (h/m) J)^-1 (h/m) f(y)
    memcpy(w->stage, w->y, (size_t)n * sizeof *w->stage);
    memcpy(w->error, w->rate, (size_t)n * sizeof *w->error);
    for (int i = 0; i < m; i++) {
      if (i > 0 && !find_ode_rate(w, w->stage, w->error)) return INFINITY;
      dm_lu_solve(n, w->LU, w->piv, 1, w->error);
      dm_add_to(n, part, w->error, w->stage);
    }

    // row m of the extrapolation from row m - 1 and T_m,1 in w->stage: T_m,k+1 = T_m,k + (T_m,k -
    // T_m-1,k) / (m / (m - k) - 1); the result is T_m,m, its error T_m,m - T_m,m-1
    for (int i = 0; i < w->n; i++) {
      double entry = w->stage[i], before = entry;
      for (int k = 1; k < m; k++) {
        double *T = w->T + (k - 1) * w->n + i;
        double above = *T;
        before = *T = entry;
        entry += (entry - above) * (m - k) / k;
      }
      w->T[(m - 1) * w->n + i] = entry;
      w->next[i] = entry;
      w->error[i] = entry - before;
    }
  }
  return measure_ode_error(w, w->error);
}

// -- step size control

static double (*const try_step[])(dm_ode *w, double h, int *order) = {
    [DM_ODE_EXPLICIT] = try_explicit_step, [DM_ODE_IMPLICIT] = try_implicit_step};

// factor of the next step length: 0.9 error^(-1/order), within limits; much shorter for NaN and
// INFINITY
static double find_step_factor(double error, int order) {
  if (!isfinite(error)) return 0.125;
  return fmin(fmax(0.9 * pow(fmax(error, 1e-30), -1. / order), 0.2), 6);
}

// make the trial step's end the current state; evaluate its rate if the integration continues
static bool accept_step(dm_ode *w, bool goes_on) {
  double *from = w->y;
  w->y = w->next;
  w->next = from;
  w->has_jacobian = false;
  w->info.steps++;
  w->failed = DM_OK;
  return !goes_on || find_ode_rate(w, w->y, w->rate);
}

// returns true if stability rather than accuracy limited the last steps
static bool is_ode_stiff(dm_ode *w, double h, double left) {
  static const double STABLE = 2; // the limit is near 6; below 1 if accuracy limits the step
  enum { IN_A_ROW = 4, WORTH = 10 };

  // estimate h |df/dy| from two states at the end of the last step: the last stage and w->y
  double rates = 0, states = 0;
  for (int i = 0; i < w->n; i++) {
    double size = w->size[i] + fabs(w->y[i]);
    double rate = (w->rate[i] - w->k[(STAGES - 1) * w->n + i]) / size;
    double state = (w->y[i] - w->stage[i]) / size;
    rates += rate * rate;
    states += state * state;
  }
  w->stiff = (states > 0 ? fabs(h) * sqrt(rates / states) : 0) > STABLE ? w->stiff + 1 : 0;

  return w->stiff >= IN_A_ROW && fabs(left) > WORTH * fabs(h);
}

// integrate from w->y; false: no step is short enough, or too many are needed
static bool take_ode_steps(dm_ode *w, double time) {
  static const double SHORTEST = 1e-12; // relative to the interval
  double left = time, h = time;
  if (!find_ode_rate(w, w->y, w->rate)) return false;
  while (left != 0) {
    // take all that is left, or half of it, to avoid a very short last step
    if (fabs(h) > 0.99 * fabs(left))
      h = left;
    else if (fabs(h) > 0.5 * fabs(left))
      h = left / 2;

    // accept a step if its error is within the tolerance
    int order;
    const double error = try_step[w->info.method](w, h, &order);
    const bool taken = error <= 1;
    if (taken) left = h == left ? 0 : left - h;
    if (taken && !accept_step(w, left != 0)) return false;
    if (!taken) w->info.rejected++;
    if (w->info.steps + w->info.rejected > MAX_STEPS || fabs(h) < SHORTEST * fabs(time))
      return false;

    // method and length of the next step
    if (taken && left != 0 && w->info.method == DM_ODE_EXPLICIT && is_ode_stiff(w, h, left))
      w->info.method = DM_ODE_IMPLICIT;
    h *= find_step_factor(error, order);
  }
  return true;
}

dm_status dm_ode_integrate(dm_ode *w, dm_ode_rate *f, void *self, dm_ode_method first, double time,
                           double *y, dm_ode_info *info) {
  const size_t bytes = (size_t)w->n * sizeof *y;
  w->f = f;
  w->self = self;
  w->failed = DM_OK;
  w->info = (dm_ode_info){.method = first};
  w->stiff = 0;
  w->has_jacobian = false;
  memcpy(w->y, y, bytes);

  // the last failure of f explains why no step was short enough
  bool done = take_ode_steps(w, time);
  if (info) *info = w->info;
  if (!done) return w->failed != DM_OK ? w->failed : DM_MAX_ITER;
  memcpy(y, w->y, bytes);
  return DM_OK;
}
