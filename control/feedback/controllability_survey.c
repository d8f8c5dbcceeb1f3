#include "control/feedback/controllability_survey.h"

#include "control/feedback/state_size.h"
#include "lib/base/block.h"

#include <assert.h>
#include <string.h>

static void lay_out_survey(void *self, dm_block *b) {
  fb_survey *w = self;
  size_t nx = 2 * (size_t)w->x->n, W = (size_t)w->window;
  w->size = dm_block_alloc(b, nx, sizeof *w->size);
  w->A = dm_block_alloc(b, W * nx * nx, sizeof *w->A);
  w->B = dm_block_alloc(b, W * nx * (size_t)w->x->nu, sizeof *w->B);
  w->C = dm_block_alloc(b, W * (size_t)w->ny * nx, sizeof *w->C);
}

dm_status fb_survey_new(fb_survey **out, const dm_trajectory *x, const dm_system *s, int window,
                        int ny, const int *output) {
  assert(out && x && s && window >= 1 && x->N >= 1 && ny >= 0 && (output || !ny));

  fb_survey sizes = {.x = x, .window = window < x->N ? window : x->N, .ny = ny, .output = output};
  fb_survey *w = dm_block_make(&sizes, sizeof sizes, lay_out_survey);
  if (!w) return DM_NO_MEMORY;

  // inputs and outputs are analyzed one after another; outputs are coordinates
  int most = x->n > x->nu ? x->n : x->nu;
  dm_status status = dm_linearize_new(&w->w, s);
  if (status == DM_OK)
    status = fb_constraint_tangent_new(&w->tangent, s->L.nq, s->hol.nc, s->hol.nv, s->kinematic);
  if (status == DM_OK) status = fb_controllability_new(&w->controllability, 2 * x->n, most);
  if (status == DM_OK) status = fb_state_size(w->size, s, x->q, x->N * x->h);
  if (status != DM_OK) {
    fb_survey_free(w);
    return status;
  }

  fb_constraint_tangent_size(w->tangent, w->size);

  // deviations that satisfy the constraints; no position shows the velocities of prescribed
  // coordinates
  w->full[FB_REACHED] = 2 * (s->L.nq - s->hol.nc) + s->hol.nv;
  w->full[FB_SHOWN] = w->full[FB_REACHED] - s->nk;
  for (int i = 0; i < FB_QUESTIONS; i++) w->pair[i].knot = w->windows[i].knot = -1;
  *out = w;
  return DM_OK;
}

void fb_survey_free(fb_survey *w) {
  if (!w) return;
  dm_linearize_free(w->w);
  fb_constraint_tangent_free(w->tangent);
  fb_controllability_free(w->controllability);
  dm_block_free(w);
}

// A, B, C of knot k, for deviations that satisfy the constraints, as stage j
static dm_status linearize_survey_stage(fb_survey *w, int k, int j) {
  const dm_trajectory *x = w->x;
  size_t nx = 2 * (size_t)x->n, nu = (size_t)x->nu, ny = (size_t)w->ny, at = (size_t)j;
  double *A = w->A + at * nx * nx, *B = w->B + at * nx * nu, *C = w->C + at * ny * nx;
  DM_TRY(dm_trajectory_linearize(x, k, w->w, A, B));

  // at the step's end, without the component that the next step removes: along A(q1), not along the
  // rows in the middle of the step
  if (w->w->nv) DM_TRY(dm_kkt_end(w->w->k, x->q + (size_t)(k + 1) * (size_t)x->n));
  DM_TRY(fb_constraint_tangent_set(w->tangent, w->w->k->Dh1));
  fb_constraint_tangent_quotient(w->tangent, (int)nx, A);
  fb_constraint_tangent_quotient(w->tangent, (int)nu, B);

  // at its beginning, along the constraint tangent
  DM_TRY(fb_constraint_tangent_set(w->tangent, w->w->k->Dh0));
  fb_constraint_tangent_restrict(w->tangent, (int)nx, A);
  memset(C, 0, ny * nx * sizeof *C);
  for (size_t i = 0; i < ny; i++) C[i * nx + (size_t)w->output[i]] = 1;
  fb_constraint_tangent_restrict(w->tangent, w->ny, C);
  return DM_OK;
}

typedef dm_status (*question)(fb_controllability *w, const fb_stages *s, fb_span *out);

// both analyses over stages j..j+N-1, which begin at knot k; the lowest rank so far is kept
static dm_status ask_both(fb_survey *w, question ask, int j, int N, int k, fb_lowest_rank *least,
                          fb_span *answer) {
  size_t nx = 2 * (size_t)w->x->n, at = (size_t)j;
  for (int shown = 0; shown < FB_QUESTIONS; shown++) {
    fb_span *span = &answer[shown];
    fb_stages s = {.N = N, .m = shown ? w->ny : w->x->nu, .outputs = shown, .size = w->size};
    s.A = w->A + at * nx * nx;
    s.B = (shown ? w->C : w->B) + at * (size_t)s.m * nx;

    // without inputs or outputs, the rank is 0
    *span = (fb_span){.kept = 1};
    if (s.m) DM_TRY(ask(w->controllability, &s, span));

    // between equal ranks, the smaller least pivot is the less certain
    const fb_span *so_far = &least[shown].span;
    bool less =
        span->rank < so_far->rank || (span->rank == so_far->rank && span->kept < so_far->kept);
    if (least[shown].knot < 0 || less) least[shown] = (fb_lowest_rank){*span, k};
  }
  return DM_OK;
}

dm_status fb_survey_window(fb_survey *w, int k, fb_span answer[FB_QUESTIONS]) {
  assert(w && k >= 0 && k < w->x->N);
  const int W = w->window, N = w->x->N;

  // a window that would end too late is moved back
  w->start = k + W <= N ? k : N - W;
  for (int j = 0; j < W; j++) DM_TRY(linearize_survey_stage(w, w->start + j, j));
  return ask_both(w, fb_controllability_window, 0, W, w->start, w->windows, answer);
}

dm_status fb_survey_pair(fb_survey *w, int k, fb_span answer[FB_QUESTIONS]) {
  assert(w && k >= w->start && k < w->start + w->window);
  return ask_both(w, fb_controllability_pair, k - w->start, 1, k, w->pair, answer);
}
