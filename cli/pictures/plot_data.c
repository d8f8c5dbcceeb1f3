#include "cli/pictures/plot_data.h"

#include "cli/results/monitors.h"
#include "cli/stages/bench.h"

#include <math.h>

enum { ROWS = 3000 }; // of a curve

typedef struct writer {
  FILE *f;
  const cli_job *job;
  const cli_figure_data *d;
} writer;

static void put(FILE *f, const double *x, int n) {
  for (int i = 0; i < n; i++) fprintf(f, isfinite(x[i]) ? " %.8g" : " NaN", x[i]);
}

// t, q, the velocity of the step that begins there (what is bounded; of the knot itself where knots
// between were not kept), u, kinetic and potential energy, and what their sum has gained; the last
// knot repeats what belongs to the last step
static void put_motion(const writer *s) {
  const dm_trajectory *x = s->job->x;
  size_t n = (size_t)x->n, nu = (size_t)x->nu;
  int stride = x->N / ROWS + 1;
  fprintf(s->f, "$x << EOD\n");
  for (int k = 0; k <= x->N; k += stride) {
    size_t at = (size_t)k;
    fprintf(s->f, "%.8g", k * x->h);
    put(s->f, x->q + at * n, x->n);
    const double *q = x->q + (k < x->N ? at : at - 1) * n;
    for (size_t i = 0; i < n; i++) {
      double v = s->d->sparse ? x->v[at * n + i] : (q[n + i] - q[i]) / x->h;
      put(s->f, &v, 1);
    }
    put(s->f, x->u + (k < x->N ? at : at - 1) * nu, x->nu);
    const double *e = s->d->energy;
    if (e) {
      double gained = e[2 * at] + e[2 * at + 1] - (e[0] + e[1]);
      put(s->f, e + 2 * at, 2);
      put(s->f, &gained, 1);
    }
    fprintf(s->f, "\n");
  }
  fprintf(s->f, "EOD\n");
}

// t, q and v of the plant that followed the plan, between knots as well
static void put_followed(const writer *s) {
  const dm_trajectory *x = s->job->x;
  int cols = 1 + 2 * x->n + x->nu, rows = s->d->followed_rows, stride = rows / ROWS + 1;
  fprintf(s->f, "$y << EOD\n");
  for (int k = 0; k < rows; k += stride) {
    put(s->f, s->d->followed + (size_t)k * (size_t)cols, 1 + 2 * x->n);
    fprintf(s->f, "\n");
  }
  fprintf(s->f, "EOD\n");
}

static double norm(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

// t and each gain; where they are many, for each input the norm of its gains on q and that on p
static void put_gains(const writer *s) {
  const dm_trajectory *x = s->job->x;
  int n = x->n, nk = cli_gain_count(&s->job->names), stride = x->N / ROWS + 1;
  fprintf(s->f, "$K << EOD\n");
  for (int k = 0; k < x->N; k += stride) {
    const double *K = s->d->K + (size_t)k * (size_t)nk;
    fprintf(s->f, "%.8g", k * x->h);
    if (nk <= CLI_NAMED_GAINS) put(s->f, K, nk);
    for (int i = 0; nk > CLI_NAMED_GAINS && i < 2 * x->nu; i++) {
      double size = norm(K + i * n, n);
      put(s->f, &size, 1);
    }
    fprintf(s->f, "\n");
  }
  fprintf(s->f, "EOD\n");
}

// q_d of a coordinate at time t, along straight lines
static double planned(const dm_trajectory *x, double t, int j) {
  double at = t / x->h;
  int k = at >= x->N ? x->N - 1 : (int)at;
  const double *q = x->q + (size_t)k * (size_t)x->n + (size_t)j;
  return q[0] + (at - k) * (q[x->n] - q[0]);
}

// one curve a sample, separated by empty lines: t, q, q - q_d
static void put_fan(const writer *s) {
  const dm_trajectory *x = s->job->x;
  int n = x->n, cols = 3 + n, stride = s->d->fan_rows / CLI_FAN_ROWS + 1;
  fprintf(s->f, "$fan << EOD\n");
  for (int i = 0; i < s->d->fan_rows; i++) {
    const double *row = s->d->fan + (size_t)i * (size_t)cols;
    int k = (int)row[1];
    if (i && k == 0) fprintf(s->f, "\n");
    bool last = i + 1 == s->d->fan_rows || row[cols + 1] == 0;
    if (k % stride && !last) continue;
    put(s->f, row + 2, 1 + n);
    for (int j = 0; j < n; j++) {
      double deviation = row[3 + j] - planned(x, row[2], j);
      put(s->f, &deviation, 1);
    }
    fprintf(s->f, "\n");
  }
  fprintf(s->f, "EOD\n");
}

// t, norms of the error, q without feedback and with it
static void put_response(const writer *s) {
  const dm_trajectory *x = s->job->x;
  int cols = 4 + 2 * x->n + x->nu, rows = s->d->response_rows, stride = rows / ROWS + 1;
  fprintf(s->f, "$r << EOD\n");
  for (int k = 0; k < rows; k += stride) {
    put(s->f, s->d->response + (size_t)k * (size_t)cols + 1, 3 + 2 * x->n);
    fprintf(s->f, "\n");
  }
  fprintf(s->f, "EOD\n");
}

static void put_convergence(const writer *s) {
  fprintf(s->f, "$c << EOD\n");
  for (int i = 0; i < s->d->convergence_rows; i++) {
    put(s->f, s->d->convergence + i * CLI_CONVERGENCE_COLUMNS, CLI_CONVERGENCE_COLUMNS);
    fprintf(s->f, "\n");
  }
  fprintf(s->f, "EOD\n");
}

static void put_descent(const writer *s, int method) {
  const double *last = NULL, *end = s->d->descent + s->d->descent_rows * CLI_DESCENT_COLUMNS;
  for (const double *r = s->d->descent; r < end; r += CLI_DESCENT_COLUMNS)
    if ((int)r[0] == method) last = r;
  if (!last) return;
  fprintf(s->f, "$d%d << EOD\n", method);
  for (const double *r = s->d->descent; r < end; r += CLI_DESCENT_COLUMNS) {
    double x[] = {r[1] + 1, 1e3 * r[CLI_DESCENT_COLUMNS - 1], fabs(r[3] - last[3]), -r[5]};
    if ((int)r[0] != method) continue;
    put(s->f, x, 4);
    fprintf(s->f, "\n");
  }
  fprintf(s->f, "EOD\n");
}

static void put_contacts(const writer *s) {
  fprintf(s->f, "$i << EOD\n");
  for (int i = 0; i < s->d->contacts_rows; i++) {
    const double *r = s->d->contacts + i * CLI_EVENT_COLUMNS, x[] = {r[2], r[1], r[4], r[5]};
    if (!(r[4] > 0)) continue;
    put(s->f, x, 4);
    fprintf(s->f, "\n");
  }
  fprintf(s->f, "EOD\n");
}

static void put_monitors(const writer *s) {
  enum { COLUMNS = 2 + DM_MONITORS };
  const double *first = s->d->monitors;
  int stride = s->d->monitors_rows / ROWS + 1;
  fprintf(s->f, "$m << EOD\n");
  for (int k = 0; k < s->d->monitors_rows; k += stride) {
    double x[COLUMNS];
    for (int i = 1; i < COLUMNS; i++) {
      bool change = i > 1 && i != 2 + DM_MONITOR_CONSTRAINT;
      x[i] = s->d->monitors[k * COLUMNS + i] - (change ? first[i] : 0);
    }
    put(s->f, x + 1, COLUMNS - 1);
    fprintf(s->f, "\n");
  }
  fprintf(s->f, "EOD\n");
}

// axis, part, level, rate and its interval in percent
static void put_robustness(const writer *s) {
  fprintf(s->f, "$s << EOD\n");
  for (int i = 0; i < s->d->robustness_rows; i++) {
    const double *r = s->d->robustness + i * CLI_ROBUSTNESS_COLUMNS;
    double x[] = {r[0], r[1], r[2], 100 * r[3] / r[4], 100 * r[5], 100 * r[6]};
    put(s->f, x, 6);
    fprintf(s->f, "\n");
  }
  fprintf(s->f, "EOD\n");
}

static int ascending(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

// sizes in ascending order, and the share of directions that reach them; those that hold at the
// largest tried are not known to end there
static void put_region(const writer *s) {
  int n = s->d->region_rows;
  double *size = malloc((size_t)n * sizeof *size);
  double tried = 0;
  for (int i = 0; size && i < n; i++) {
    const double *r = s->d->region + i * CLI_REGION_COLUMNS;
    size[i] = r[1], tried = fmax(tried, r[2]);
  }
  if (size) qsort(size, (size_t)n, sizeof *size, ascending);
  fprintf(s->f, "$g << EOD\n0 100\n");
  for (int i = 0; size && i < n && (i == 0 || size[i - 1] < tried); i++)
    fprintf(s->f, "%.8g %.8g\n%.8g %.8g\n", size[i], 100. * (n - i) / n, size[i],
            100. * (size[i] < tried ? n - i - 1 : n - i) / n);
  fprintf(s->f, "EOD\n");
  free(size);
}

void cli_blocks_write(FILE *f, const cli_job *job, const cli_figure_data *d) {
  writer s = {f, job, d};
  put_motion(&s);
  if (d->K) put_gains(&s);
  if (d->fan) put_fan(&s);
  if (d->response) put_response(&s);
  if (d->followed) put_followed(&s);
  if (d->convergence) put_convergence(&s);
  if (d->contacts) put_contacts(&s);
  if (d->monitors) put_monitors(&s);
  if (d->robustness) put_robustness(&s);
  if (d->region_rows > 0) put_region(&s);
  for (int m = 0; oc_method_names[m]; m++) put_descent(&s, m);
}
