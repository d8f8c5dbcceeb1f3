#include "optim/identification/recording.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Samples without dropped ones; of inputs also the integral up to each.
typedef struct samples {
  int count;
  double *t, *y, *integral;
} samples;

struct oc_input_integral {
  int nu;
  bool held;
  samples *u; // [nu]
};

// -- samples

static dm_status check_times(const oc_recording *log, const oc_channel *c, dm_message *msg) {
  for (int i = 0; i < c->count; i++) {
    if (!isfinite(c->t[i]))
      return dm_fail(msg, DM_BAD_INPUT, "%s: sample %d of '%s' has no time", log->name, i + 1,
                     c->name);
    if (i > 0 && !(c->t[i] > c->t[i - 1]))
      return dm_fail(msg, DM_BAD_INPUT,
                     "%s: times of '%s' must increase, found %.9g s after %.9g s (sample %d)",
                     log->name, c->name, c->t[i], c->t[i - 1], i + 1);
  }
  return DM_OK;
}

// the integral of u from its first sample to t
static double integrate(const samples *u, bool held, double t, double *value) {
  const int n = u->count;
  *value = 0;
  if (n == 0) return 0;
  if (t <= u->t[0] || n == 1) {
    *value = u->y[0];
    return (t - u->t[0]) * u->y[0];
  }
  // u->t[i] <= t < u->t[i + 1]
  int i = 0, beyond = n;
  while (beyond - i > 1) {
    const int mid = (i + beyond) / 2;
    if (u->t[mid] <= t)
      i = mid;
    else
      beyond = mid;
  }
  const double past = t - u->t[i];
  *value = u->y[i];
  if (!held && i + 1 < n) *value += past * (u->y[i + 1] - u->y[i]) / (u->t[i + 1] - u->t[i]);
  return u->integral[i] + past * 0.5 * (u->y[i] + *value);
}

static void sum_integral(samples *u, bool held) {
  for (int i = 0; i + 1 < u->count; i++) {
    const double end = held ? u->y[i] : u->y[i + 1];
    u->integral[i + 1] = u->integral[i] + 0.5 * (u->y[i] + end) * (u->t[i + 1] - u->t[i]);
  }
}

// -- positions at knots

// The value at 0 of a polynomial with `terms` coefficients through samples (s,y), and its variance.
static double fit_polynomial(int terms, int n, const double *s, const double *y, double *variance) {
  double A[9] = {0}, b[6] = {0};
  int piv[3];
  for (int i = 0; i < n; i++) {
    const double row[3] = {1, s[i], s[i] * s[i]};
    for (int a = 0; a < terms; a++) {
      for (int c = 0; c < terms; c++) A[a * terms + c] += row[a] * row[c];
      b[2 * a] += row[a] * (y[i] - y[0]); // digits: relative to one sample
    }
  }
  b[1] = 1; // A^-1 e_0, whose first entry is the variance
  if (dm_lu_factor(terms, A, piv) != DM_OK) return NAN;
  dm_lu_solve(terms, A, piv, 2, b);
  *variance = b[1];
  return y[0] + b[0];
}

// the value at time t from samples about index `at`, the first one not before t - h/2
static double place_knot(const samples *c, int at, double t, double h, double *weight) {
  enum { MOST = 64 };
  double s[MOST], y[MOST], variance = 1;
  int inside = 0, first = at;
  while (at + inside < c->count && c->t[at + inside] <= t + 0.5 * h) inside++;
  *weight = 0;
  if (inside == 0) return NAN;

  int n = inside;
  if (inside < 4) {
    // the three nearest ones within two steps
    while (n < 3) {
      const double before = first > 0 ? t - c->t[first - 1] : INFINITY;
      const double after = first + n < c->count ? c->t[first + n] - t : INFINITY;
      if (fmin(before, after) > 2 * h) break;
      if (before < after) first--;
      n++;
    }
  }
  const int stride = 1 + (n - 1) / MOST;
  int used = 0;
  for (int i = 0; i < n; i += stride, used++) {
    s[used] = (c->t[first + i] - t) / h;
    y[used] = c->y[first + i];
  }
  double value = NAN;
  for (int terms = used < 3 ? used : 3; terms > 0 && !isfinite(value); terms--)
    value = fit_polynomial(terms, used, s, y, &variance);
  *weight = fmin(1 / variance, inside);
  return value;
}

static void place_channel(oc_measured_motion *w, const samples *c, int i) {
  int at = 0, last = -1;
  for (int k = 0; k < w->knots; k++) {
    const double t = w->start + k * w->h;
    while (at < c->count && c->t[at] < t - 0.5 * w->h) at++;
    double *q = &w->q[k * w->n + i];
    *q = place_knot(c, at, t, w->h, &w->weight[k * w->n + i]);
    if (!isfinite(*q)) continue;
    // a line over the knots without samples since the last one with some
    for (int j = last + 1; j < k; j++) {
      const double from = last < 0 ? *q : w->q[last * w->n + i];
      w->q[j * w->n + i] = from + (*q - from) * (last < 0 ? 0 : (j - last) / (double)(k - last));
    }
    last = k;
  }
  for (int j = last + 1; j < w->knots && last >= 0; j++) w->q[j * w->n + i] = w->q[last * w->n + i];
}

// -- the motion

void oc_measured_motion_delay(oc_measured_motion *w, double delay) {
  const struct oc_input_integral *o = w->integral;
  for (int c = 0; c < w->nu; c++) {
    double sum, u;
    sum = integrate(&o->u[c], o->held, w->start - delay, &u);
    for (int k = 0; k < w->knots; k++) {
      double end;
      const double next = integrate(&o->u[c], o->held, w->start + (k + 1) * w->h - delay, &end);
      w->u[k * w->nu + c] = (next - sum) / w->h;
      w->u_delay[k * w->nu + c] = -(end - u) / w->h;
      sum = next, u = end;
    }
  }
}

// times that all channels have, and the shortest mean time between samples of positions
static dm_status find_span(const oc_recording *log, const samples *c, double h, double *start,
                           double *end, dm_message *msg) {
  *start = -INFINITY, *end = INFINITY;
  for (int i = 0; i < log->n + log->nu; i++) {
    const oc_channel *x = i < log->n ? &log->q[i] : &log->u[i - log->n];
    if (i >= log->n && x->count == 0) continue;
    if (c[i].count < 3)
      return dm_fail(msg, DM_BAD_INPUT, "%s: found %d samples of '%s', expected at least 3",
                     log->name, c[i].count, x->name);
    const double last = c[i].t[c[i].count - 1], first = c[i].t[0];
    const double apart = (last - first) / (c[i].count - 1);
    if (i < log->n && h < 0.9 * apart)
      return dm_fail(msg, DM_BAD_INPUT,
                     "%s: steps of %g s are shorter than the time between samples of '%s', %.3g s; "
                     "take longer steps, or set identify.time_unit",
                     log->name, h, x->name, apart);
    *start = fmax(*start, first);
    *end = fmin(*end, last);
  }
  return DM_OK;
}

// mark knots inside gaps, then list runs of at least three others
static void cut_pieces(oc_measured_motion *w, const samples *c, int channels, bool *dead) {
  for (int i = 0; i < channels; i++)
    for (int s = 0; s + 1 < c[i].count; s++) {
      if (c[i].t[s + 1] - c[i].t[s] <= OC_LONGEST_GAP * w->h) continue;
      int k = (int)fmax(0, floor((c[i].t[s] - w->start) / w->h) + 1);
      for (; k < w->knots && w->start + k * w->h < c[i].t[s + 1]; k++) dead[k] = true;
    }
  for (int k = 0; k < w->knots;) {
    int end = k;
    while (end < w->knots && !dead[end]) end++;
    if (end - k >= 3) {
      w->piece[w->pieces][0] = k;
      w->piece[w->pieces++][1] = end - k;
    }
    k = end + 1;
  }
}

static void lay_out_motion(void *self, dm_block *b) {
  oc_measured_motion *w = self;
  const size_t knots = (size_t)w->knots, n = (size_t)w->n, nu = (size_t)w->nu;
  w->q = dm_block_alloc(b, knots * n, sizeof *w->q);
  w->weight = dm_block_alloc(b, knots * n, sizeof *w->weight);
  w->u = dm_block_alloc(b, knots * nu, sizeof *w->u);
  w->u_delay = dm_block_alloc(b, knots * nu, sizeof *w->u_delay);
  w->piece = dm_block_alloc(b, knots / 3 + 1, sizeof *w->piece);
}

// copies of all channels, positions first
static samples *copy_log(const oc_recording *log) {
  const int channels = log->n + log->nu;
  size_t total = 0;
  for (int i = 0; i < channels; i++)
    total += (size_t)(i < log->n ? log->q[i] : log->u[i - log->n]).count;
  samples *c = calloc(1, ((size_t)channels + 1) * sizeof *c + 3 * total * sizeof(double));
  if (!c) return NULL;
  double *at = (double *)(void *)(c + channels + 1);
  for (int i = 0; i < channels; i++) {
    const oc_channel *x = i < log->n ? &log->q[i] : &log->u[i - log->n];
    c[i] = (samples){.t = at, .y = at + x->count, .integral = at + 2 * (size_t)x->count};
    at += 3 * (size_t)x->count;
    for (int k = 0; k < x->count; k++) {
      if (!isfinite(x->y[k])) continue;
      c[i].t[c[i].count] = x->t[k];
      c[i].y[c[i].count++] = x->y[k];
    }
    if (i >= log->n) sum_integral(&c[i], log->held);
  }
  return c;
}

static bool has_times(const samples *a, const samples *b) {
  return a->count == b->count && !memcmp(a->t, b->t, (size_t)a->count * sizeof *a->t);
}

// -q is the same rotation as q
static dm_status align_quaternions(const oc_recording *log, const samples *c, dm_message *msg) {
  for (int k = 0; k < log->quaternions; k++) {
    const samples *q = c + log->quaternion[k];
    for (int i = 1; i < 4; i++)
      if (!has_times(&q[0], &q[i]))
        return dm_fail(msg, DM_BAD_INPUT,
                       "%s: found '%s' and '%s' with samples at different times, expected all four "
                       "numbers of a quaternion at the same times",
                       log->name, log->q[log->quaternion[k]].name,
                       log->q[log->quaternion[k] + i].name);
    for (int s = 1; s < q[0].count; s++) {
      double cosine = 0;
      for (int i = 0; i < 4; i++) cosine += q[i].y[s] * q[i].y[s - 1];
      for (int i = 0; i < 4 && cosine < 0; i++) q[i].y[s] = -q[i].y[s];
    }
  }
  return DM_OK;
}

static dm_status make_motion(oc_measured_motion **out, const oc_recording *log, double h,
                             samples *c, dm_message *msg) {
  double start, end;
  DM_TRY(find_span(log, c, h, &start, &end, msg));
  DM_TRY(align_quaternions(log, c, msg));
  const double steps = floor((end - start) / h + 1e-9);
  if (!(steps >= 2 && steps < 1e9))
    return dm_fail(msg, DM_BAD_INPUT,
                   "%s: its channels have %.3g s in common, expected at least two steps of %g s "
                   "(identify.step, identify.time_unit)",
                   log->name, fmax(end - start, 0), h);
  oc_measured_motion sizes = {.name = log->name,
                              .n = log->n,
                              .nu = log->nu,
                              .knots = (int)steps + 1,
                              .h = h,
                              .start = start};
  oc_measured_motion *w = dm_block_make(&sizes, sizeof sizes, lay_out_motion);
  bool *dead = calloc((size_t)sizes.knots, sizeof *dead);
  *out = w;
  if (!w || !dead) {
    free(dead);
    return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  }
  for (int i = 0; i < log->n; i++) place_channel(w, &c[i], i);
  cut_pieces(w, c, log->n + log->nu, dead);
  free(dead);
  if (w->pieces == 0)
    return dm_fail(msg, DM_BAD_INPUT, "%s: no three steps of %g s without a gap in its samples",
                   log->name, h);
  return DM_OK;
}

dm_status oc_measured_motion_new(oc_measured_motion **out, const oc_recording *log, double h,
                                 dm_message *msg) {
  assert(out && log && h > 0);
  *out = NULL;
  for (int i = 0; i < log->n; i++) DM_TRY(check_times(log, &log->q[i], msg));
  for (int i = 0; i < log->nu; i++) DM_TRY(check_times(log, &log->u[i], msg));
  samples *c = copy_log(log);
  struct oc_input_integral *o = calloc(1, sizeof *o);
  dm_status s = c && o ? DM_OK : dm_fail(msg, DM_NO_MEMORY, "out of memory");
  if (s == DM_OK) s = make_motion(out, log, h, c, msg);
  if (s != DM_OK) {
    dm_block_free(*out);
    *out = NULL;
    free(c);
    free(o);
    return s;
  }
  // the samples of inputs stay, behind those of positions
  *o = (struct oc_input_integral){.nu = log->nu, .held = log->held, .u = c + log->n};
  (*out)->integral = o;
  oc_measured_motion_delay(*out, 0);
  return DM_OK;
}

void oc_measured_motion_free(oc_measured_motion *w) {
  if (!w) return;
  free(w->integral->u - w->n);
  free(w->integral);
  dm_block_free(w);
}
