#include "control/codegen/prediction.h"

#include "control/codegen/lines.h"
#include "control/codegen/number.h"
#include "lib/base/block.h"
#include "lib/multibody/tree_lagrangian.h"

#include <assert.h>
#include <math.h>
#include <string.h>

dm_status fb_prediction_check(const dm_model *m, const dm_system *s, dm_message *msg) {
  const dm_lagrangian tree = dm_tree_lagrangian(m);
  if (s->nk) return dm_fail(msg, DM_UNAVAILABLE, "it has a prescribed coordinate");
  DM_TRY(fb_momentum_check(m, s, msg));
  if (s->force.count)
    return dm_fail(msg, DM_UNAVAILABLE,
                   "it has forces beside those of its motors: on bodies, of "
                   "tendons, or of the caller");
  if (s->L.eval != tree.eval || s->L.self != tree.self)
    return dm_fail(msg, DM_UNAVAILABLE, "it has springs, or a Lagrangian that is not a tree's");
  if (s->rule.inner) return dm_fail(msg, DM_UNAVAILABLE, "its rule has nodes within the step");
  return DM_OK;
}

static void lay_out_prediction(void *self, dm_block *b) {
  fb_prediction *w = self;
  const size_t n = (size_t)w->n, nu = (size_t)w->nu;
  double **vectors[] = {&w->damping, &w->q, &w->v, &w->f, &w->D1, &w->D2, &w->q1};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = dm_block_alloc(b, n, sizeof(double));
  w->p = dm_block_alloc(b, 2 * n, sizeof *w->p);
  w->impulse = dm_block_alloc(b, nu, sizeof *w->impulse);
  w->coord = dm_block_alloc(b, nu, sizeof *w->coord);
}

dm_status fb_prediction_new(fb_prediction **out, const dm_model *m, const dm_system *s, double h,
                            dm_message *msg) {
  fb_prediction sizes = {.n = s->L.nq, .nu = s->nu, .h = h, .rule = s->rule};
  assert(out && m->nq == s->L.nq);
  *out = NULL;
  DM_TRY(fb_prediction_check(m, s, msg));
  fb_prediction *w = dm_block_make(&sizes, sizeof sizes, lay_out_prediction);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");

  // h f of damping and inputs
  for (int i = 0; s->damping && i < w->n; i++) w->damping[i] = s->damping[i];
  for (int j = 0; j < w->nu; j++) {
    w->coord[j] = s->input_coord[j];
    w->impulse[j] = h * (s->input_gear ? s->input_gear[j] : 1);
  }
  dm_status status = fb_momentum_new(&w->L, m, s, true, msg);
  if (status == DM_OK)
    *out = w;
  else
    fb_prediction_free(w);
  return status;
}

void fb_prediction_free(fb_prediction *w) {
  if (!w) return;
  fb_momentum_free(w->L);
  dm_block_free(w);
}

// -- a step

static double round_entry(const fb_prediction *w, double x) {
  return fb_number_rounded(w->single, x);
}

// sum + a b, rounded after each operation
static double add_rounded(const fb_prediction *w, double sum, double a, double b) {
  return round_entry(w, sum + round_entry(w, round_entry(w, a) * b));
}

// D1 and D2 [n] of the step from q0 to q1
static void eval_impulses(fb_prediction *w, const double *q0, const double *q1, const double *u) {
  const int n = w->n;
  const double left = w->rule.left, rate = round_entry(w, 1 / w->h);

  // h f, split between both ends: damping -d (q1 - q0), inputs
  for (int i = 0; i < n; i++) {
    const double way = round_entry(w, q1[i] - q0[i]);
    w->v[i] = round_entry(w, way * rate);
    w->f[i] = -round_entry(w, round_entry(w, w->damping[i]) * way);
  }
  for (int j = 0; j < w->nu; j++)
    w->f[w->coord[j]] = add_rounded(w, w->f[w->coord[j]], w->impulse[j], u[j]);
  for (int i = 0; i < n; i++) {
    w->D1[i] = round_entry(w, round_entry(w, left) * w->f[i]);
    w->D2[i] = round_entry(w, round_entry(w, 1 - left) * w->f[i]);
  }

  // c P L_q + weight R L_v at each point
  for (int s = 0; s < w->rule.points; s++) {
    const double at = w->rule.at[s], weight = w->rule.weight[s], c = weight * w->h;
    for (int i = 0; i < n; i++)
      w->q[i] = add_rounded(w, round_entry(w, round_entry(w, 1 - at) * q0[i]), at, q1[i]);
    fb_momentum_eval(w->L, w->single, w->q, w->v, w->p);
    for (int i = 0; i < n; i++) {
      w->D1[i] = add_rounded(w, w->D1[i], c * (1 - at), w->p[n + i]);
      w->D1[i] = add_rounded(w, w->D1[i], -weight, w->p[i]);
      w->D2[i] = add_rounded(w, w->D2[i], weight, w->p[i]);
      w->D2[i] = add_rounded(w, w->D2[i], c * at, w->p[n + i]);
    }
  }
}

// D1 <- r = p0 + D1; returns its size |r|_1
static double find_residual(fb_prediction *w, const double *x, const double *q1, const double *u) {
  double size = 0;
  eval_impulses(w, x, q1, u);
  for (int i = 0; i < w->n; i++) {
    w->D1[i] = round_entry(w, x[w->n + i] + w->D1[i]);
    size = round_entry(w, size + fabs(w->D1[i]));
  }
  return size;
}

void fb_prediction_step(fb_prediction *w, const double *x, const double *u, const double *A,
                        double *x1) {
  const int n = w->n;
  memcpy(w->q1, x1, (size_t)n * sizeof *x1);
  const double first = find_residual(w, x, w->q1, u);

  // q1 <- q1 + S r, S = A_qp
  double size = first;
  for (int round = 0; round < FB_ROUNDS; round++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        w->q1[i] = add_rounded(w, w->q1[i], A[i * 2 * n + n + j], w->D1[j]);
    size = find_residual(w, x, w->q1, u);
  }

  // not converged: the linear prediction stays
  if (!(size <= first)) return;
  memcpy(x1, w->q1, (size_t)n * sizeof *x1);
  memcpy(x1 + n, w->D2, (size_t)n * sizeof *x1);
}

static void predict_by_map(void *self, const double *x, const double *u, const double *A,
                           double *x1) {
  fb_prediction_step(self, x, u, A, x1);
}

fb_predictor fb_prediction_predictor(fb_prediction *w) {
  return (fb_predictor){w, predict_by_map};
}

// -- the text

static const char head_text[] =
    "\n"
    "// p0 + D1 in r and D2, from q0 to q1; the size of r\n"
    "static controller_real residual(const controller_real *q0, const controller_real *p0,\n"
    "                                const controller_real *q1, const controller_real *u,\n"
    "                                controller_real *r, controller_real *D2) {\n"
    "  controller_real q[CONTROLLER_NQ];\n"
    "  controller_real v[CONTROLLER_NQ];\n"
    "  controller_real f[CONTROLLER_NQ];\n"
    "  controller_real p[2 * CONTROLLER_NQ];\n"
    "  controller_real product;\n"
    "  controller_real size = ZERO;\n"
    "  int i;\n"
    "  int s;\n"
    "  for (i = 0; i < CONTROLLER_NQ; i++) {\n"
    "    controller_real way = q1[i] - q0[i];\n"
    "    v[i] = way * rate;\n"
    "    product = damping[i] * way;\n"
    "    f[i] = -product;\n"
    "  }\n"
    "  for (i = 0; i < CONTROLLER_NU; i++) {\n"
    "    product = impulse[i] * u[i];\n"
    "    f[driven[i]] = f[driven[i]] + product;\n"
    "  }\n"
    "  for (i = 0; i < CONTROLLER_NQ; i++) {\n"
    "    r[i] = force_share[0] * f[i];\n"
    "    D2[i] = force_share[1] * f[i];\n"
    "  }\n"
    "  for (s = 0; s < POINTS; s++) {\n"
    "    const controller_real *c = point[s];\n"
    "    for (i = 0; i < CONTROLLER_NQ; i++) {\n"
    "      q[i] = c[0] * q0[i];\n"
    "      product = c[1] * q1[i];\n"
    "      q[i] = q[i] + product;\n"
    "    }\n"
    "    slopes(q, v, p);\n"
    "    for (i = 0; i < CONTROLLER_NQ; i++) {\n"
    "      product = c[2] * p[CONTROLLER_NQ + i];\n"
    "      r[i] = r[i] + product;\n"
    "      product = c[3] * p[i];\n"
    "      r[i] = r[i] - product;\n"
    "      D2[i] = D2[i] + product;\n"
    "      product = c[4] * p[CONTROLLER_NQ + i];\n"
    "      D2[i] = D2[i] + product;\n"
    "    }\n"
    "  }\n"
    "  for (i = 0; i < CONTROLLER_NQ; i++) {\n"
    "    r[i] = p0[i] + r[i];\n"
    "    size = size + ((r[i] < ZERO) ? -r[i] : r[i]);\n"
    "  }\n"
    "  return size;\n"
    "}\n"
    "\n"
    "// x1, the linear prediction of the step from x under u, becomes the step of the model\n"
    "static void map_step(const controller_real *x, const controller_real *u,\n"
    "                     const controller_real *Ak, controller_real *x1) {\n"
    "  controller_real q1[CONTROLLER_NQ];\n"
    "  controller_real r[CONTROLLER_NQ];\n"
    "  controller_real D2[CONTROLLER_NQ];\n"
    "  controller_real size_at_first;\n"
    "  controller_real size;\n"
    "  int i;\n"
    "  int j;\n"
    "  int round;\n"
    "  for (i = 0; i < CONTROLLER_NQ; i++) {\n"
    "    q1[i] = x1[i];\n"
    "  }\n"
    "  size_at_first = residual(x, &x[CONTROLLER_NQ], q1, u, r, D2);\n"
    "  size = size_at_first;\n"
    "  for (round = 0; round < ROUNDS; round++) {\n"
    "    for (i = 0; i < CONTROLLER_NQ; i++) {\n"
    "      for (j = 0; j < CONTROLLER_NQ; j++) {\n"
    "        controller_real product = Ak[(i * 2 * CONTROLLER_NQ) + CONTROLLER_NQ + j] * r[j];\n"
    "        q1[i] = q1[i] + product;\n"
    "      }\n"
    "    }\n"
    "    size = residual(x, &x[CONTROLLER_NQ], q1, u, r, D2);\n"
    "  }\n"
    "  if (size <= size_at_first) {\n"
    "    for (i = 0; i < CONTROLLER_NQ; i++) {\n"
    "      x1[i] = q1[i];\n"
    "      x1[CONTROLLER_NQ + i] = D2[i];\n"
    "    }\n"
    "  }\n"
    "}\n";

void fb_prediction_tell(FILE *f, const fb_prediction *w, bool single) {
  fprintf(
      f,
      "// From there q + q_d and p + p_d go a step of the model, by its equations: %d rounds "
      "from the linear z.\n// Where these do not find it, and by time, that stays. It takes the "
      "robot's mechanics %d times, and is linked with\n// %s and %s of the machine's library "
      "(-lm), which may change z by rounding.\n//\n",
      FB_ROUNDS, (FB_ROUNDS + 1) * w->rule.points, single ? "sinf" : "sin",
      single ? "cosf" : "cos");
}

static void put_numbers(FILE *f, bool single, const char *prefix, const char *name, int count,
                        const double *x) {
  fb_lines_print(f, prefix, "static const controller_real %s[%d] = {", name, count);
  for (int i = 0; i < count; i++) {
    if (i) fputs(", ", f);
    fb_number_write(f, single, x[i]);
  }
  fputs("};\n", f);
}

void fb_prediction_write(FILE *f, const fb_prediction *w, bool single, const char *prefix) {
  const dm_rule *r = &w->rule;
  const char *real = single ? "float" : "double", *end = single ? "f" : "";
  if (w->L->turns)
    fprintf(f, "\n%s sin%s(%s x);\n%s cos%s(%s x);\n", real, end, real, real, end, real);

  // constants: 1/h, shares of forces, weights of points, inputs
  fb_lines_print(f, prefix,
                 "\nenum { ROUNDS = %d, POINTS = %d };\nstatic const controller_real rate = ",
                 FB_ROUNDS, r->points);
  fb_number_write(f, single, 1 / w->h);
  fputs(";\n", f);
  put_numbers(f, single, prefix, "force_share", 2, (double[]){r->left, 1 - r->left});
  put_numbers(f, single, prefix, "damping", w->n, w->damping);
  put_numbers(f, single, prefix, "impulse", w->nu, w->impulse);
  fprintf(f, "static const int driven[%d] = {", w->nu);
  for (int j = 0; j < w->nu; j++) fprintf(f, "%s%d", j ? ", " : "", w->coord[j]);
  fb_lines_put(f, prefix, "};\nstatic const controller_real point[POINTS][5] = {");
  for (int s = 0; s < r->points; s++) {
    const double at = r->at[s], c = r->weight[s] * w->h;
    const double row[] = {1 - at, at, c * (1 - at), r->weight[s], c * at};
    for (int i = 0; i < 5; i++) {
      fputs(i ? ", " : "\n    {", f);
      fb_number_write(f, single, row[i]);
    }
    fputs(s + 1 < r->points ? "}," : "}};\n", f);
  }

  // L_v and L_q, then the step
  fb_lines_put(
      f, prefix,
      "\n// L_v and L_q of q and v\n"
      "static void slopes(const controller_real *q, const controller_real *v, controller_real *p) "
      "{\n");
  fb_momentum_write(f, w->L, single, prefix);
  fputs("}\n", f);
  fb_lines_put(f, prefix, head_text);
}
