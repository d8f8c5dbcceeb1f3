#include "lib/base/dense.h"
#include "optim/identification/fit_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double RANK = 1e-9; // of an equilibrated matrix: a dependent column has less
static const double ABSENT =
    1e-11; // of the sum of squares of a column, before the knots take their share
static const double ROUNDING = 1e-12; // of an equilibrated matrix with a weak prior
static const double SHORT = 1e-5;     // of sizes: factors of combinations below it are rounding

// -- parameters that the logs determine

// H^-1 of a symmetric matrix over the entries with use[i], equilibrated, with a shift; the others
// have zero rows. A [p x p] scratch. Returns false if a pivot is not positive.
static bool invert(int p, const double *H, const bool *use, double shift, double *A, double *out) {
  for (int i = 0; i < p; i++)
    for (int j = 0; j < p; j++) {
      const double size = sqrt(H[i * p + i] * H[j * p + j]);
      A[i * p + j] = use[i] && use[j] ? H[i * p + j] / size + (i == j ? shift : 0) : i == j;
      out[i * p + j] = i == j;
    }
  // L L'
  for (int i = 0; i < p; i++)
    for (int j = 0; j <= i; j++) {
      const double s = A[i * p + j] - dm_inner(j, dm_row(A, i, p), dm_row(A, j, p));
      if (i == j && !(s > 0)) return false;
      A[i * p + j] = i == j ? sqrt(s) : s / A[j * p + j];
    }
  for (int i = 0; i < p; i++) {
    dm_subtract_rows(i, dm_row(A, i, p), p, out, p, dm_row(out, i, p));
    for (int c = 0; c < p; c++) out[i * p + c] /= A[i * p + i];
  }
  for (int i = p - 1; i >= 0; i--) {
    for (int k = i + 1; k < p; k++)
      dm_add_to(p, -A[k * p + i], dm_row(out, k, p), dm_row(out, i, p));
    for (int c = 0; c < p; c++) out[i * p + c] /= A[i * p + i];
  }
  for (int i = 0; i < p; i++)
    for (int j = 0; j < p; j++)
      out[i * p + j] =
          use[i] && use[j] ? out[i * p + j] / sqrt(H[i * p + i]) / sqrt(H[j * p + j]) : 0;
  return true;
}

// Entries that H does not determine: with a shift of RANK, their variance is that of the shift.
static dm_status find_unseen(int p, const double *H, const double *raw, const bool *skip, double *A,
                             bool *unseen) {
  double *C = calloc((size_t)(p * p) + 1, sizeof *C);
  bool *use = calloc((size_t)p + 1, sizeof *use);
  dm_status s = C && use ? DM_OK : DM_NO_MEMORY;
  for (int k = 0; s == DM_OK && k < p; k++)
    use[k] = !skip[k] && H[k * p + k] > ABSENT * raw[k] && H[k * p + k] > 0;
  if (s == DM_OK && !invert(p, H, use, RANK, A, C)) s = DM_NOT_FINITE;
  for (int k = 0; s == DM_OK && k < p; k++)
    unseen[k] = !skip[k] && (!use[k] || C[k * p + k] * H[k * p + k] > 0.01 / RANK);
  free(C);
  free(use);
  return s;
}

// sum of squares of the columns by theta, without the knots' share
static void find_raw(const oc_fit *w, double *raw) {
  for (int k = 0; k < w->p; k++) {
    raw[k] = 0;
    for (int c = 0; c < w->nc; c++) {
      const double t = w->T[c * w->p + k];
      raw[k] += t * t * w->positions->raw[c];
    }
  }
}

static void mark_bounds(oc_fit *w) {
  for (int k = 0; k < w->p; k++) {
    const oc_fit_parameter *o = &w->x->list[k];
    w->result.bound[k] =
        o->kind > OC_FIT_INERTIA && (w->theta[k] <= o->low || w->theta[k] >= o->high);
  }
}

// "a, b, c" of the marked parameters
static void list_paths(const oc_fit *w, const bool *marked, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (int k = 0; k < w->p && used + 8 < size; k++)
    if (marked[k]) {
      const int n =
          snprintf(text + used, size - used, "%s%s", used ? ", " : "", w->x->list[k].path);
      if (used + (size_t)n >= size) snprintf(text + size - 6, 6, ", ..");
      used += (size_t)n;
    }
}

// -- combinations of coefficients

// Cholesky's elimination of the equilibrated C in the order of columns: a column whose pivot is
// rounding depends on those before it. order: moments and first moments before masses, tip after base.
// Returns the rank; independent columns are marked.
static int find_rank(int nc, const double *C, int ld, const double *raw, const int *order,
                     double *A, bool *independent) {
  int rank = 0;
  for (int i = 0; i < nc; i++)
    for (int j = 0; j < nc; j++) {
      const int a = order[i], b = order[j];
      const double size = sqrt(fmax(C[a * ld + a], 0)) * sqrt(fmax(C[b * ld + b], 0));
      A[i * nc + j] = size > 0 ? C[a * ld + b] / size : 0;
    }
  for (int k = 0; k < nc; k++) {
    const int c = order[k];
    independent[c] = C[c * ld + c] > ABSENT * raw[c] && A[k * nc + k] > RANK;
    rank += independent[c];
    if (!independent[c]) continue;
    for (int i = k + 1; i < nc; i++) {
      const double t = A[i * nc + k] / A[k * nc + k];
      for (int j = k + 1; t != 0 && j < nc; j++) A[i * nc + j] -= t * A[k * nc + j];
    }
  }
  return rank;
}

static void choose_order(const oc_fit *w, int *order) {
  static const int within[] = {4, 5, 6, 7, 8, 9, 1, 2, 3, 0};
  int n = 0;
  for (int l = 0; l < w->x->links; l++)
    for (int e = 0; e < 10; e++) order[n++] = 10 * l + within[e];
  for (int c = 10 * w->x->links; c < w->nc; c++) order[n++] = c;
}

// independent column i with the columns that depend on it: pi_i + sum_d K_id pi_d, K = C_ii^-1 C_id
static void put_combination(oc_fit *w, const double *V, const bool *independent, int i) {
  const int nc = w->nc, ld = nc + 1;
  const double *C = w->positions->S, *raw = w->positions->raw;
  const oc_coefficient *x = w->x->coefficient;
  oc_combination *o = &w->result.combination[w->result.combinations];
  const int at = w->result.combinations++ * nc;
  int *terms = w->terms + at;
  double *factors = w->factors + at;
  *o = (oc_combination){.terms = 1, .coefficient = terms, .factor = factors, .value = w->pi[i]};
  o->deviation = sqrt(V[i * nc + i]);
  terms[0] = i;
  factors[0] = 1;
  for (int d = 0; d < nc; d++) {
    if (independent[d] || !(C[d * ld + d] > ABSENT * raw[d])) continue;
    double K = 0;
    for (int j = 0; j < nc; j++) K += V[i * nc + j] * C[j * ld + d];
    if (fabs(K) * x[d].size < SHORT * x[i].size) continue;
    terms[o->terms] = d;
    factors[o->terms++] = K;
    o->value += K * w->pi[d];
  }
}

static dm_status find_combinations(oc_fit *w) {
  const int nc = w->nc, ld = nc + 1;
  const size_t size = (size_t)nc * (size_t)nc;
  const oc_position_fit *sums = w->positions;
  double *A = calloc(3 * size + 1, sizeof *A);
  bool *independent = calloc((size_t)nc + 1, sizeof *independent);
  int *order = calloc((size_t)nc + 1, sizeof *order);
  dm_status s = A && independent && order ? DM_OK : DM_NO_MEMORY;
  w->result.combinations = 0;
  if (s == DM_OK) {
    double *V = A + size, *C = V + size;
    choose_order(w, order);
    w->result.rank = find_rank(nc, sums->S, ld, sums->raw, order, A, independent);
    for (int a = 0; a < nc; a++)
      for (int b = 0; b < nc; b++) C[a * nc + b] = sums->S[a * ld + b];
    if (invert(nc, C, independent, 0, A, V))
      for (int k = 0; k < nc; k++)
        if (independent[order[k]]) put_combination(w, V, independent, order[k]);
  }
  free(A);
  free(independent);
  free(order);
  return s;
}

// -- the result

// deviations of values: the diagonal of J cov J'
static void find_deviations(oc_fit *w, double *J) {
  const int p = w->p;
  oc_fit_result *r = &w->result;
  oc_fit_parameters_values(w->x, w->theta, r->value, J);
  for (int k = 0; k < p; k++) {
    double variance = 0;
    for (int a = 0; a < p; a++)
      if (J[k * p + a] != 0)
        variance += J[k * p + a] * dm_inner(p, dm_row(r->covariance, a, p), dm_row(J, k, p));
    r->deviation[k] = sqrt(fmax(variance, 0));
  }
}

dm_status oc_fit_conclude(oc_fit *w, dm_message *msg) {
  const int p = w->p;
  oc_fit_result *r = &w->result;
  double *H = calloc((size_t)(p * p) + 1, sizeof *H);
  bool *use = calloc(3 * (size_t)p + 1, sizeof *use);
  if (!H || !use) {
    free(H);
    free(use);
    return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  }
  bool *lost = use + p, *sure = use + 2 * p;
  char text[300];
  memcpy(r->theta, w->theta, (size_t)p * sizeof *r->theta);
  mark_bounds(w);
  find_raw(w, w->b);
  for (int i = 0; i < p * p; i++) H[i] = w->S[i] + w->P[i];
  for (int k = 0; k < p; k++) {
    r->unseen[k] = false;
    use[k] = !r->bound[k];
    sure[k] = r->bound[k] || w->P[k * p + k] > 0;
  }

  // seen by the data alone; and beside known values of those that have a prior
  dm_status s = find_unseen(p, w->S, w->b, r->bound, w->A, r->unseen);
  if (s == DM_OK) s = find_unseen(p, w->S, w->b, sure, w->A, lost);
  // ..and none at their bound without either
  bool any = false;
  for (int k = 0; s == DM_OK && k < p; k++) {
    if (r->bound[k] && !(w->P[k * p + k] > 0)) lost[k] = !(w->S[k * p + k] > ABSENT * w->b[k]);
    any = any || lost[k];
  }
  if (any) {
    list_paths(w, lost, text, sizeof text);
    s = dm_fail(
        msg, DM_BAD_INPUT,
        "the logs have no information about %s; leave them out, give them a prior, or log a "
        "motion that excites them",
        text);
  } else if (s == DM_OK && !invert(p, H, use, 0, w->A, r->covariance) &&
             !invert(p, H, use, ROUNDING, w->A, r->covariance)) {
    s = dm_fail(msg, DM_SINGULAR, "the covariance of the parameters does not exist");
  }
  if (s == DM_OK) {
    find_deviations(w, H);
    s = find_combinations(w);
  }
  free(H);
  free(use);
  if (s == DM_OK) s = oc_position_fit_judge(w->positions, r->joint);
  r->knots = w->positions->of.knots;
  r->samples = w->positions->samples;
  return s;
}

// -- a likely missing part

// the share of the force's square that a single regressor explains
typedef struct suspicion {
  double xx, xy, yy;
} suspicion;

static void add_pair(suspicion *s, double x, double y) {
  s->xx += x * x;
  s->xy += x * y;
  s->yy += y * y;
}

static double share_of(const suspicion *s) {
  return s->xx > 0 && s->yy > 0 ? s->xy * s->xy / (s->xx * s->yy) : 0;
}

static const char *const missing[] = {"dry friction (friction)", "viscous friction (damping)",
                                      "a constant force (offset)", "a delay of the inputs (delay)",
                                      "the inputs with another factor or sign (torque_constant)"};
enum { SUSPECTS = 5, WINDINGS = 20 };

static void question_coordinate(const oc_position_fit *a, int i, suspicion s[SUSPECTS]) {
  const dm_model *m = a->x->robot.model;
  for (const oc_run *r = a->run; r < a->run + a->nruns; r++)
    for (int k = 1; k + 1 < r->knots; k++) {
      const double *q = dm_row(a->of.q, r->first + k, a->of.n);
      const double v = (q[a->of.n + i] - q[i - a->of.n]) / (2 * a->of.h);
      const double force = a->of.force[(r->first + k) * a->of.n + i];
      add_pair(&s[0], (v > 0) - (v < 0), force);
      add_pair(&s[1], v, force);
      add_pair(&s[2], 1, force);
      double rate = 0, input = 0;
      for (int c = 0; c < m->nu; c++) {
        const double *u = dm_row(r->log->u, r->from + k, m->nu);
        if (m->input_coord[c] != i) continue;
        rate += m->input_gear[c] * (u[c] - u[c - m->nu]);
        input += m->input_gear[c] * (u[c] + u[c - m->nu]);
      }
      add_pair(&s[3], rate, force);
      add_pair(&s[4], input, force);
    }
}

// If a joint rotates farther than a robot's cables allow, its log may be in degrees: a sentence for the joint that
// rotates farthest, or "". Degrees look like other forces as well, so that this comes first.
static void suspect_degrees(const oc_position_fit *a, char *text, size_t size) {
  const dm_model *m = a->x->robot.model;
  int joint = -1;
  double most = WINDINGS;
  for (int k = 0; k < a->of.knots; k++)
    for (int i = 0; i < a->of.n; i++) {
      const double angle = m->length[i] ? 0 : fabs(dm_row(a->of.q, k, a->of.n)[i]);
      if (angle > most) most = angle, joint = i;
    }
  text[0] = 0;
  if (joint >= 0)
    snprintf(text, size,
             "; '%.64s' reaches %.3g rad: are its angles in degrees (identify.unit)? If not",
             m->name[joint], most);
}

bool oc_fit_suspect(const oc_fit *w, dm_message *msg) {
  const oc_position_fit *a = w->positions;
  const oc_fit_joint *joint = w->result.joint;
  int worst = 0;
  dm_fail(msg, DM_OK, "%s", "");
  for (int i = 1; i < w->n; i++)
    if (joint[i].force_rms / w->sigma_f[i] > joint[worst].force_rms / w->sigma_f[worst]) worst = i;
  const double ratio = joint[worst].force_rms / w->sigma_f[worst];
  if (!(ratio > 2)) return false;
  suspicion s[SUSPECTS] = {{0}};
  question_coordinate(a, worst, s);
  int likely = 0;
  for (int k = 1; k < SUSPECTS; k++)
    if (share_of(&s[k]) > share_of(&s[likely])) likely = k;
  const dm_model *m = w->x->robot.model;
  const char *unit = m->length[worst] ? "N" : "N m";
  const double share = share_of(&s[likely]);
  char degrees[200], like[160];
  suspect_degrees(a, degrees, sizeof degrees);
  snprintf(like, sizeof like, "%.0f %% of its square look like %s", 100 * share, missing[likely]);
  dm_fail(msg, DM_OK,
          "the model lacks a force of %.3g %s rms at '%.64s', %.3g times the stated noise%s%s %s",
          joint[worst].force_rms, unit, m->name[worst], ratio, degrees, degrees[0] ? "," : ";",
          share > 0.1 ? like
                      : "it resembles neither friction, an offset, a delay nor the inputs: is this "
                        "the log of this robot?");
  return true;
}
