#include "control/loop/monte_carlo.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/base/random.h"
#include "lib/mechanics/continuous.h"

#include <math.h>
#include <string.h>

void fb_monte_carlo_draw(const fb_monte_carlo_settings *set, int n, int s, double *dq, double *dv) {
  for (int i = 0; i < n; i++)
    dq[i] = set->spread_q[i] * dm_random_uniform(set->seed, s, (uint64_t)i);
  for (int i = 0; i < n; i++)
    dv[i] = set->spread_v[i] * dm_random_uniform(set->seed, s, (uint64_t)(n + i));
}

typedef struct runner {
  const fb_tvlqr *f;
  const fb_plant *plant;
  const fb_monte_carlo_settings *set;
  const dm_system *s;
  dm_continuous *mechanics;
  int n;
  double *d;   // [2n] start error in (q,v)
  double *x;   // [(N+1) x 2n] a sample's states (q,p)
  double *u;   // [N x nu] its inputs
  double *y;   // [2n] (q,v)
  double *y_d; // [(N+1) x 2n] desired (q,v)
  double *q;   // [n] where it stands in the world
} runner;

static void lay_out(void *self, dm_block *b) {
  runner *w = self;
  size_t nx = 2 * (size_t)w->n, all = ((size_t)w->f->N + 1) * nx;
  w->d = dm_take(b, nx, sizeof *w->d);
  w->y = dm_take(b, nx, sizeof *w->y);
  w->x = dm_take(b, all, sizeof *w->x);
  w->u = dm_take(b, (size_t)w->f->N * (size_t)w->f->nu, sizeof *w->u);
  w->y_d = dm_take(b, all, sizeof *w->y_d);
  w->q = dm_take(b, (size_t)w->n, sizeof *w->q);
}

// (q,v) from (q,p)
static dm_status measure(runner *w, const double *x, double *y) {
  size_t half = (size_t)w->n * sizeof *y;
  memcpy(y, x, half);
  memset(y + w->n, 0, half);
  DM_TRY(dm_velocity_of(w->mechanics, x, x + w->n, y + w->n));
  return dm_velocity_restrict(w->mechanics, x, y + w->n);
}

static double largest(int n, const double *d) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(d[i]));
  return most;
}

// the state (q,p) at which sample s starts, in w->x
static dm_status start(runner *w, int s, fb_sample *row) {
  int n = w->n;
  if (w->set->from)
    w->set->draw(w->set->from, n, s, w->d);
  else
    fb_monte_carlo_draw(w->set, n, s, w->d, w->d + n);
  memcpy(w->y, w->y_d, 2 * (size_t)n * sizeof *w->y);
  dm_status status = fb_closed_loop_start(w->s, w->mechanics, w->d, w->y, w->x);
  bool moved = status == DM_OK && w->s->hol.nc;
  for (int i = 0; moved && i < n; i++) w->d[i] = w->y[i] - w->y_d[i];
  row->start_q_error = largest(n, w->d);
  row->start_v_error = largest(n, w->d + n);
  return status;
}

static void see_limits(const runner *w, const double *y, double t, fb_sample *row) {
  const fb_limits *l = w->set->limit;
  const double *lag = w->s->lag;
  if (!l) return;

  // a state's q lags where damping is stiff (lib/discrete/stiff_damping.h)
  for (int i = 0; i < w->n; i++) w->q[i] = y[i] + (lag ? lag[i] * y[w->n + i] : 0);
  fb_excess_see(&row->position, w->n, w->q, l->q_min, l->q_max, t);
  fb_excess_see_size(&row->speed, w->n, y + w->n, l->v_max, t);
}

// the errors of the states in w->x at knots 0 to last
static dm_status judge(runner *w, int last, fb_sample *row) {
  int nx = 2 * w->n;
  double bound = w->set->tolerance;
  for (int k = 0; k <= last; k++) {
    DM_TRY(measure(w, w->x + k * nx, w->y));
    row->final_error =
        fb_closed_loop_error(nx, w->y, w->y_d + k * nx, w->set->scale, &row->worst_state);
    if (!isfinite(row->final_error)) return DM_NOT_FINITE;
    row->worst_error = fmax(row->worst_error, row->final_error);
    see_limits(w, w->y, k * w->f->h, row);

    // where it is lost
    if (k == 0) bound = FB_LOST * fmax(bound, row->final_error);
    if (row->lost >= 0 || row->final_error <= bound) continue;
    row->lost = k;
    row->lost_state = row->worst_state;
  }
  return DM_OK;
}

static void run_sample(runner *w, int sample, fb_sample *row) {
  const fb_monte_carlo_settings *set = w->set;
  fb_closed_loop_result r = {0};
  row->lost = row->lost_state = row->worst_state = -1;
  row->position = row->speed = fb_excess_none();
  dm_status s = start(w, sample, row);
  const fb_sensor *eye = w->f->observer;
  if (eye) eye->begin(eye->self, sample);
  bool begun = s == DM_OK;
  if (begun)
    s = fb_closed_loop_run(w->f, w->plant, w->x, set->u_min, set->u_max, NULL, w->x, w->u, &r);
  row->steps = r.steps;
  row->saturated = r.saturated;

  // as far as it went
  dm_status seen = begun ? judge(w, r.steps, row) : DM_OK;
  if (s == DM_OK) s = seen;
  if (s != DM_OK) {
    if (row->lost < 0) row->lost_state = row->worst_state;
    if (row->lost < 0) row->lost = r.steps;
    row->final_error = row->worst_error = INFINITY;
    row->worst_state = -1;
  }
  row->held = row->final_error <= set->tolerance;
  row->position.sample = row->position.index < 0 ? -1 : sample;
  row->speed.sample = row->speed.index < 0 ? -1 : sample;
}

static void keep_fan(const runner *w, int steps, double *fan) {
  int n = w->n;
  for (int k = 0; k <= w->f->N; k++)
    for (int i = 0; i < n; i++) fan[k * n + i] = k <= steps ? w->x[2 * k * n + i] : NAN;
}

static dm_status run(runner *w, fb_sample *rows, int nfan, double *fan,
                     bool (*progress)(void *, int done), void *user) {
  size_t samples = (size_t)w->set->samples, one = ((size_t)w->f->N + 1) * (size_t)w->n;
  memset(rows, 0, samples * sizeof *rows);
  if (fan) memset(fan, 0, (size_t)nfan * one * sizeof *fan);
  for (int k = 0; k <= w->f->N; k++) {
    dm_status s = measure(w, w->f->x + k * 2 * w->n, w->y_d + k * 2 * w->n);
    if (s != DM_OK) return s;
  }
  for (int s = 0; s < w->set->samples; s++) {
    run_sample(w, w->set->first + s, &rows[s]);
    if (fan && s < nfan) keep_fan(w, rows[s].steps, dm_row(fan, s, one));
    if (progress && !progress(user, s + 1) && s + 1 < w->set->samples) return DM_INTERRUPTED;
  }
  return DM_OK;
}

dm_status fb_monte_carlo_run(const fb_tvlqr *f, const dm_system *s, const fb_plant *plant,
                             const fb_monte_carlo_settings *set, fb_sample *rows, int nfan,
                             double *fan, bool (*progress)(void *, int done), void *user) {
  runner sizes = {.f = f, .plant = plant, .set = set, .s = s, .n = s->L.nq};
  runner *w = dm_block_make(&sizes, sizeof sizes, lay_out);
  if (!w) return DM_NO_MEMORY;
  dm_status status = dm_continuous_new(&w->mechanics, s);
  if (status == DM_OK) {
    status = run(w, rows, nfan, fan, progress, user);
    dm_continuous_free(w->mechanics);
  }
  dm_block_free(w);
  return status;
}

fb_verdict fb_monte_carlo_verdict(const fb_sample *rows, int samples) {
  fb_verdict v = {.worst = samples > 0 ? 0 : -1};
  for (int s = 0; s < samples; s++) {
    v.held += rows[s].held;
    v.failed += rows[s].worst_state < 0;
    v.saturated += rows[s].saturated > 0;
    v.worst_error = fmax(v.worst_error, rows[s].worst_error);
    if (rows[s].final_error > rows[v.worst].final_error) v.worst = s;
  }
  if (samples > 0) v.worst_final_error = rows[v.worst].final_error;
  return v;
}
