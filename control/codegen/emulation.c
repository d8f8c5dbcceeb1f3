#include "control/codegen/emulation.h"

#include "control/codegen/replay.h"
#include "control/feedback/law_tables.h"
#include "control/loop/stopped_plant.h"
#include "lib/base/block.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// -- the text's arithmetic

// u cut to the limits of input i
static double cut_to_limits(const fb_emulation *e, int i, double u) {
  const fb_codegen_settings *set = &e->c->set;
  if (set->u_max && u > set->u_max[i]) u = set->u_max[i];
  if (set->u_min && u < set->u_min[i]) u = set->u_min[i];
  return u;
}

// x as printed in the text
static double rounded(const fb_emulation *e, double x) {
  return fb_codegen_rounded(e->c, x);
}

// the largest |text - library| so far; NAN stays
static void note_difference(fb_emulation *e, double text, double library) {
  double off = fabs(text - library);
  if (!(off <= e->difference)) e->difference = off; // also if off is NAN
}

// -- one knot

// y and u of one form at knot k into row; *end is the end of its entries
static dm_status answer_form(fb_emulation *e, fb_output_feedback *w, int k, double *row,
                             double **end) {
  const int nu = w->f.nu, ny = w->ny, n = w->n, way = (int)w->form;
  const double *x = e->x + (size_t)k * (size_t)w->f.nx, *u = e->u + (size_t)k * (size_t)nu;
  double *answer = row + fb_codegen_width(e->c, way);

  // the measurement; by velocity with computed p, the row has v
  const bool computed = fb_codegen_computes_momentum(e->c, way);
  if (k > 0 && w->f.ni) w->board->by->integrate(w->board, w->z);
  if (k > 0 && w->f.nl)
    w->board->by->follow(w->board, w->f.late ? u - nu : w->decided, w->z + w->f.ni);
  if (fb_output_feedback_measure(w, k, x, k ? w->q : x, k ? u - nu : u) != DM_OK)
    return DM_SINGULAR;
  if (w->f.late) memcpy(w->y + ny - nu, u, (size_t)nu * sizeof *row);
  fb_output_feedback_decide(w, k, NULL, w->decided);
  memcpy(e->y, w->y, (size_t)ny * sizeof *row);
  memcpy(w->q, w->y, (size_t)n * sizeof *row);
  if (computed && way != FB_POSITIONS) memcpy(e->y + n, w->v, (size_t)n * sizeof *row);
  for (int j = 0; j < ny; j++) e->y[j] = rounded(e, e->y[j]);

  // the row has the arguments of its function: q, then v, or q and forces of a step before
  double *v = e->y + ny, *given = row + n;
  fb_onboard *board = e->board[way];
  const fb_call call = {.k = k};
  if (k == 0) board->by->begin(board);
  if (way == FB_DIFFERENCE) board->by->differ(board, &call, e->y, e->y + n);
  memcpy(row, e->y, (size_t)n * sizeof *row);
  memcpy(v, e->y + n, (size_t)n * sizeof *row);
  if (computed && way == FB_POSITIONS) {
    for (int j = 0; j < n; j++) *given++ = rounded(e, w->before[j]);
    for (int j = 0; j < w->nf; j++) *given++ = rounded(e, w->force[j]);
  } else if (way != FB_DIFFERENCE) {
    for (int j = 0; j < n; j++) *given++ = v[j];
  }
  memcpy(given, e->y + 2 * n, (size_t)(ny - 2 * n) * sizeof *row);

  // the on-board result; for the form that ran, compare it with the input that the plant received
  if (computed && way == FB_POSITIONS)
    board->by->past(board, &call, row, row + n, row + 2 * n, e->y + n);
  else if (computed)
    board->by->momentum(board, row, v, e->y + n);
  board->by->decide(board, &call, e->y, v, NULL, answer);
  for (int i = 0; i < nu; i++) {
    // a late input acts in the next step
    size_t step = (size_t)(k + w->f.late), at = step * (size_t)nu + (size_t)i;
    bool ran = w == e->runs && !e->c->estimator && step < (size_t)e->steps;
    w->decided[i] = ran ? e->u[at] : cut_to_limits(e, i, w->decided[i]);
    note_difference(e, answer[i], w->decided[i]);
  }
  w->board->by->apply(w->board, w->decided);
  *end = answer + nu;
  return DM_OK;
}

// y and u for encoders; the filter advances to the next knot
static void answer_encoders(fb_emulation *e, int k, double *row) {
  const fb_estimator *w = e->c->estimator;
  const size_t nx = (size_t)w->f->nx, nu = (size_t)w->f->nu, ny = (size_t)w->ny, at = (size_t)k;
  const size_t late = (size_t)w->f->late, acts = at + late; // the step in which u acts
  double *under = row + ny, *u = under + late * nu;
  fb_onboard *board = e->board[FB_ENCODERS];

  // encoder measurements, and the input under way if inputs are late
  fb_estimator_read(w, k, e->x + at * nx, row);
  if (late) memcpy(under, e->u + at * nu, nu * sizeof *u);
  for (size_t i = 0; i < ny + late * nu; i++) row[i] = rounded(e, row[i]);
  if (k == 0) board->by->begin(board);
  const fb_call call = {.k = k};
  board->by->read(board, &call, row, under, u);

  // a step after the loop's end was not applied
  for (size_t i = 0; i < nu; i++)
    if (acts < (size_t)e->steps) note_difference(e, u[i], e->u[acts * nu + i]);
}

dm_status fb_emulation_row(fb_emulation *e, int k, const double **row) {
  double *at = e->row;
  assert(row && k >= 0 && k < e->steps);

  for (int form = 0; form < FB_FORMS; form++)
    if (e->c->law[form]) DM_TRY(answer_form(e, e->c->law[form], k, at, &at));
  if (e->c->estimator) answer_encoders(e, k, at);
  *row = e->row;
  return DM_OK;
}

// -- the loop

// the closed loop on the discrete map, with its contacts, sample 0, with the form that runs
static dm_status run_emulated_loop(fb_emulation *e, const dm_system *s, const double *x0) {
  const fb_codegen_settings *set = &e->c->set;
  const fb_sensor *sensor = e->runs->f.sensor;
  fb_plant plant;
  fb_closed_loop_result r = {.steps = 0};
  DM_TRY(s->contacts ? fb_plant_sticking(&plant, s, 1) : fb_plant_discrete(&plant, s));
  if (sensor) sensor->begin(sensor->self, 0);
  // sample 0: the plan's own start, and its noise
  dm_status status =
      fb_closed_loop_run(&e->runs->f, &plant, x0, set->u_min, set->u_max, NULL, e->x, e->u, &r);
  e->steps = r.steps;
  fb_plant_free(&plant);
  return e->steps > 0 ? DM_OK : status; // a loop that fails early has rows up to that step
}

static void lay_out_emulation(void *self, dm_block *b) {
  fb_emulation *e = self;
  size_t N = (size_t)e->runs->f.N, nx = (size_t)e->runs->f.nx, nu = (size_t)e->runs->f.nu;
  e->x = dm_block_alloc(b, (N + 1) * nx, sizeof *e->x);
  e->u = dm_block_alloc(b, N * nu, sizeof *e->u);
  e->row = dm_block_alloc(b, (size_t)e->columns, sizeof *e->row);
  e->limits = dm_block_alloc(b, 2 * nu, sizeof *e->limits);
  e->y = dm_block_alloc(b, 2 * nx + 3 * nu, sizeof *e->y);
}

// each form's law in the text's precision, with limits
static dm_status make_boards(fb_emulation *e) {
  const fb_precision *by = e->c->set.single ? &fb_precision_single : &fb_precision_double;
  const int nu = e->runs->f.nu;
  for (int i = 0; i < nu; i++) {
    const fb_codegen_settings *set = &e->c->set;
    e->limits[i] = fmax(set->u_min ? set->u_min[i] : -DBL_MAX, -DBL_MAX);
    e->limits[nu + i] = fmin(set->u_max ? set->u_max[i] : DBL_MAX, DBL_MAX);
  }
  for (int way = 0; way < FB_WAYS; way++) {
    if (!fb_codegen_has(e->c, way)) continue;
    const fb_estimator *filter = way == FB_ENCODERS ? e->c->estimator : NULL;
    tables T = fb_law_tables(e->c->law[filter ? (int)FB_STATE : way]);
    if (filter) T = fb_filter_tables(T, filter);
    T.u_min = e->limits;
    T.u_max = e->limits + nu;
    e->board[way] = by->make(&T);
    if (!e->board[way]) return DM_NO_MEMORY;
  }
  return DM_OK;
}

dm_status fb_emulation_new(fb_emulation **out, fb_codegen *c, const dm_system *s, fb_form runs,
                           const double *x0) {
  assert(out && (unsigned)runs < FB_FORMS && c->law[runs]);
  *out = NULL;

  fb_emulation count = {.c = c, .runs = c->law[runs], .columns = fb_replay_columns(c)};
  fb_emulation *e = dm_block_make(&count, sizeof count, lay_out_emulation);
  if (!e) return DM_NO_MEMORY;

  dm_status status = make_boards(e);
  if (status == DM_OK) status = run_emulated_loop(e, s, x0);
  if (status != DM_OK) {
    fb_emulation_free(e);
    return status;
  }
  *out = e;
  return DM_OK;
}

void fb_emulation_free(fb_emulation *e) {
  for (int way = 0; e && way < FB_WAYS; way++) dm_block_free(e->board[way]);
  dm_block_free(e);
}
