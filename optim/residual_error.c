#include "optim/residual_error.h"

#include "optim/program/residual.h"
#include "optim/rows/ratio.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const double ORDER_LEAST = 0.7, ORDER_MOST = 3.5;
static const double JUMPS = 0.4;   // relative to E: a larger share of the forces makes it doubtful
static const double SPREAD = 1.35; // ratio of two estimates
static const double ROUNDING = 1e-9; // relative to the objective

// The estimate on one grid, for all phases together.
static dm_status estimate_on(oc_residual *out, const oc_solution *w, oc_motions x, int times) {
  oc_other_grids g;
  dm_status s = oc_other_grids_make(&g, w, x, (oc_steps_by){times, 1});
  *out = (oc_residual){0};
  for (int i = 0; s == DM_OK && i < g.n; i++) {
    const oc_transcription *a = w->phases ? oc_phases_program(w->phases, i) : w->first;
    const oc_point from = w->phases ? oc_phases_point(w->phases, i, &w->point) : w->point;
    oc_transcription *b;
    dm_message msg;
    s = oc_transcription_new(&b, g.task[i], &msg);
    if (s != DM_OK) break;
    s = oc_residual_add(out, a, &from, b);
    oc_transcription_free(b);
  }
  oc_other_grids_free(&g);
  return s;
}

// The program's own objective, and the complementarity gap left by its solver.
static dm_status evaluate_solution(const oc_solution *w, double *f, double *rest) {
  const oc_nlp *nlp = w->nlp;
  double *g = malloc(((size_t)nlp->m + 1) * sizeof *g);
  dm_status s = g ? nlp->f(nlp->self, w->point.x, f) : DM_NO_MEMORY;
  if (s == DM_OK) s = nlp->g(nlp->self, w->point.x, g);
  if (s == DM_OK) *rest = oc_residual_complementarity(nlp, &w->point, g);
  free(g);
  return s;
}

const char *oc_doubt_text(oc_doubt doubt) {
  static const char *const text[] = {
      [OC_SURE] = "",
      [OC_DOUBT_ORDER] = "the defects of steps do not fall as the steps get shorter",
      [OC_DOUBT_FORCES] = "forces jump within steps",
      [OC_DOUBT_LIMITS] = "limits are met within steps",
      [OC_DOUBT_VALUE] = "the motion between knots cannot be evaluated"};
  return text[doubt];
}

static oc_doubt find_doubt(const oc_residual_error *e, double forces) {
  const double size = fabs(e->error), other = fabs(e->other);
  if (fmax(size, other) <= e->floor) return OC_SURE;
  if (!(e->order > ORDER_LEAST && e->order < ORDER_MOST)) return OC_DOUBT_ORDER;
  if (fabs(forces) > JUMPS * size) return OC_DOUBT_FORCES;
  if (!(e->error * e->other > 0) || fmax(size, other) > SPREAD * fmin(size, other))
    return OC_DOUBT_LIMITS;
  return OC_SURE;
}

dm_status oc_residual_error_measure(oc_residual_error *out, const oc_solution *w, oc_motions x) {
  assert(out && w && (w->first || w->phases));
  double f = 0, rest = 0;
  oc_residual two, four;
  *out = (oc_residual_error){.error = NAN, .other = NAN, .order = NAN, .doubt = OC_DOUBT_VALUE};
  out->status = evaluate_solution(w, &f, &rest);
  if (out->status == DM_OK) out->status = estimate_on(&two, w, x, 2);
  if (out->status == DM_OK) out->status = estimate_on(&four, w, x, 4);
  if (out->status == DM_NO_MEMORY) return DM_NO_MEMORY;
  if (out->status != DM_OK) return DM_OK;

  // E by the order from the two grids, otherwise assuming order 2
  const double way = w->first ? oc_ratio_way(w->first, w->point.x) : 1;
  // p from J_N - L_2 and J_N - L_4
  const double ratio = (f - four.objective) / (f - two.objective); // 1 + 2^-p
  out->order = ratio > 1 && ratio < 2 ? -log2(ratio - 1) : NAN;
  const bool shown = out->order > ORDER_LEAST && out->order < ORDER_MOST;
  const double share = (1 - pow(4, shown ? -out->order : -2)) * way;
  out->error = (f - four.objective) / share;
  out->other = (f - four.other) / share;
  out->floor = rest / fabs(way) + ROUNDING * fabs(w->info.objective);
  out->doubt = find_doubt(out, four.forces / share);
  return DM_OK;
}
