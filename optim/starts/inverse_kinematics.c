#include "optim/starts/inverse_kinematics.h"

#include "lib/base/block.h"
#include "lib/base/random.h"
#include "lib/discrete/assembly.h"

#include <math.h>
#include <string.h>

enum {
  TRIES = 24, // starting points around q
  LOOKED = 8, // of these, the number used to find a nearer posture
  ROUNDS = 8
};

static const double SAME = 1e-7; // m or rad: tolerance for a posture after repeated projection

// The constraints of the system, with the active limits on outputs as further constraints.
typedef struct posture {
  const oc_task *t;
  int n, k, nlimits;
  bool *active;       // [nlimits], then a copy
  double *value;      // [nlimits] target value of an active limit
  bool *fixed, *held; // [n] fixed by the caller; those and coordinates at their limits, then a copy
  double *q, *best;   // [n]
  double *wound, *asked; // [n] scratch
  double *y, *slope;     // [outputs.y.ny], [outputs.y.ny x n]
  void *scratch;
} posture;

static void lay_out_posture(void *self, dm_block *b) {
  posture *w = self;
  const size_t n = (size_t)w->n, ny = (size_t)w->t->outputs.y.ny, nl = (size_t)w->nlimits;
  w->active = dm_block_alloc(b, 2 * nl, sizeof *w->active);
  w->value = dm_block_alloc(b, nl, sizeof *w->value);
  w->fixed = dm_block_alloc(b, n, sizeof *w->fixed);
  w->held = dm_block_alloc(b, 2 * n, sizeof *w->held);
  w->q = dm_block_alloc(b, n, sizeof *w->q);
  w->best = dm_block_alloc(b, n, sizeof *w->best);
  w->wound = dm_block_alloc(b, n, sizeof *w->wound);
  w->asked = dm_block_alloc(b, n, sizeof *w->asked);
  w->y = dm_block_alloc(b, ny, sizeof *w->y);
  w->slope = dm_block_alloc(b, ny * n, sizeof *w->slope);
  w->scratch = dm_block_alloc(b, w->t->outputs.y.scratch, 1);
}

// is the limit on a position output, which a posture can satisfy?
static bool is_of_place(const oc_task *t, const oc_output_limit *l) {
  return !dm_output_map_is_rated(&t->outputs.y, l->output) &&
         !oc_outputs_driven(&t->outputs, l->output);
}

bool oc_is_waypoint(const oc_task *t, int k) {
  if (t->outputs.follow.curve) return true;
  for (int i = 0; i < t->outputs.nlimits; i++) {
    const oc_output_limit *l = &t->outputs.limits[i];
    int first, last;
    if (!is_of_place(t, l)) continue;
    oc_span_knots(l->at, t->N, &first, &last);
    if (first == k && last == k && l->low == l->high) return true;
  }
  return false;
}

bool oc_has_waypoints(const oc_task *t) {
  for (int k = 0; k <= t->N; k++)
    if (oc_is_waypoint(t, k)) return true;
  return false;
}

// -- the system with these constraints

static dm_status eval_posture_outputs(const posture *w, const double *q, double *slope) {
  return oc_outputs_eval(&w->t->outputs, w->t->N, w->k, w->scratch, q, NULL, w->y, slope, NULL);
}

static int count_active(const posture *w) {
  int count = 0;
  for (int i = 0; i < w->nlimits; i++) count += w->active[i];
  return count;
}

static dm_status eval_posture(const void *self, void *scratch, const double *q, double *h,
                              double *Dh) {
  const posture *w = self;
  const dm_holonomic *hol = &w->t->system.hol;
  const int nh = hol->nc - hol->nv, first = nh + count_active(w);
  if (hol->nc) DM_TRY(hol->eval(hol->self, scratch, q, h, Dh));
  DM_TRY(eval_posture_outputs(w, q, Dh ? w->slope : NULL));

  // nonholonomic rows remain the last ones
  memmove(h + first, h + nh, (size_t)hol->nv * sizeof *h);
  if (Dh) memmove(Dh + first * w->n, Dh + nh * w->n, (size_t)(hol->nv * w->n) * sizeof *Dh);

  // y_i(q) - value of the active limits, after the holonomic constraints
  for (int i = 0, row = nh; i < w->nlimits; i++) {
    const int output = w->t->outputs.limits[i].output;
    if (!w->active[i]) continue;
    h[row] = w->y[output] - w->value[i];
    if (Dh) memcpy(Dh + row * w->n, w->slope + output * w->n, (size_t)w->n * sizeof *Dh);
    row++;
  }
  return DM_OK;
}

static const char *name_posture_row(const void *self, int row) {
  const posture *w = self;
  const dm_holonomic *hol = &w->t->system.hol;
  const int nh = hol->nc - hol->nv, active = count_active(w);
  if (row < nh || row >= nh + active)
    return hol->row_name ? hol->row_name(hol->self, row < nh ? row : row - active) : "?";
  row -= nh;
  for (int i = 0; i < w->nlimits; i++)
    if (w->active[i] && row-- == 0)
      return oc_outputs_name(&w->t->outputs, w->t->outputs.limits[i].output);
  return "?";
}

static dm_status project_posture(posture *w, dm_message *msg) {
  dm_system s = w->t->system;
  s.hol.nc += count_active(w);
  s.hol.self = w;
  s.hol.eval = eval_posture;
  s.hol.contract = NULL; // the system's contract covers only its own constraints
  s.hol.row_name = name_posture_row;
  return dm_assembly_project_fixed(&s, w->held, w->q, msg);
}

// -- activation of limits

// activate the violated limits on outputs at their nearest end; returns true if any was activated
static bool activate_outputs(posture *w) {
  const oc_outputs *o = &w->t->outputs;
  bool any = false;
  if (eval_posture_outputs(w, w->q, NULL) != DM_OK) return false;
  for (int i = 0; i < w->nlimits; i++) {
    const oc_output_limit *l = &o->limits[i];
    const double y = w->y[l->output], room = 1e-9 * (1 + fabs(y));
    if (w->active[i] || !is_of_place(w->t, l) || !oc_span_has(l->at, w->t->N, w->k)) continue;
    if (oc_output_limit_excess(l, w->k, y) <= room) continue;
    w->active[i] = any = true;
    const double from = oc_output_limit_reference(l, w->k);
    w->value[i] = from + (y < from + l->low ? l->low : l->high);
  }
  return any;
}

// the same for coordinates beyond their own limits
static bool activate_positions(posture *w) {
  const oc_task *t = w->t;
  bool any = false;
  for (int i = 0; i < w->n; i++) {
    const double low = oc_low(t, OC_Q, i);
    const double high = oc_high(t, OC_Q, i);
    if (w->held[i] || (w->q[i] >= low && w->q[i] <= high)) continue;
    w->held[i] = any = true;
    w->q[i] = w->q[i] < low ? low : high;
  }
  return any;
}

// from w->q to a posture that satisfies all limits
static dm_status find_posture(posture *w, dm_message *msg) {
  const oc_outputs *o = &w->t->outputs;
  for (int i = 0; i < w->nlimits; i++) {
    const oc_output_limit *l = &o->limits[i];
    w->active[i] = l->low == l->high && is_of_place(w->t, l) && oc_span_has(l->at, w->t->N, w->k);
    w->value[i] = oc_output_limit_reference(l, w->k) + l->low;
  }
  memcpy(w->held, w->fixed, (size_t)w->n * sizeof *w->held);
  for (int round = 0; round < ROUNDS; round++) {
    const dm_status s = project_posture(w, msg);
    if (s != DM_OK) return s;
    const bool outputs = activate_outputs(w), positions = activate_positions(w);
    if (!outputs && !positions) return DM_OK;
  }
  return dm_fail(msg, DM_INFEASIBLE, "no configuration keeps all limits of that knot");
}

// Steps from nearly stretched links are large, and angles may come out with extra revolutions: these are
// removed if no limit needs them.
static void unwind_posture(posture *w, const double *near) {
  const double turn = 2 * 3.141592653589793;
  for (int i = 0; i < w->n; i++) {
    const double turns = round((w->q[i] - near[i]) / turn);
    if (turns == 0 || w->held[i]) continue;
    memcpy(w->wound, w->q, (size_t)w->n * sizeof *w->q);
    memcpy(w->asked, w->q, (size_t)w->n * sizeof *w->q);
    w->q[i] = w->asked[i] -= turns * turn;

    // Is w->q, the requested point, itself a posture: it needs no step and violates no further limit? Newly
    // activated limits are deactivated again.
    memcpy(w->active + w->nlimits, w->active, (size_t)w->nlimits * sizeof *w->active);
    memcpy(w->held + w->n, w->held, (size_t)w->n * sizeof *w->held);
    bool same = project_posture(w, NULL) == DM_OK;
    for (int j = 0; j < w->n; j++) same = same && fabs(w->q[j] - w->asked[j]) <= SAME;
    same = same && !activate_outputs(w) && !activate_positions(w);

    memcpy(w->active, w->active + w->nlimits, (size_t)w->nlimits * sizeof *w->active);
    memcpy(w->held, w->held + w->n, (size_t)w->n * sizeof *w->held);
    if (!same) memcpy(w->q, w->wound, (size_t)w->n * sizeof *w->q);
  }
}

// -- starting points

// starting point number i: q itself, then points increasingly far from it; for a branch, anywhere
static void draw_posture(posture *w, const double *q, uint64_t branch, int i) {
  const oc_task *t = w->t;
  const double pi = 3.141592653589793, size = branch ? 1 : (double)i / TRIES;
  for (int j = 0; j < w->n; j++) {
    double low = t->bounds[OC_Q].low ? fmax(oc_low(t, OC_Q, j), q[j] - pi) : q[j] - pi;
    double high = t->bounds[OC_Q].high ? fmin(oc_high(t, OC_Q, j), q[j] + pi) : q[j] + pi;
    const double share = 0.5 * (1 + dm_random_uniform(branch, i, (uint64_t)j));
    const double away = low + share * (high - low) - q[j];
    w->q[j] = w->fixed[j] ? q[j] : q[j] + size * away;
  }
}

dm_status oc_inverse_kinematics(const oc_task *t, int k, const bool *fixed, uint64_t branch,
                                double *q, dm_message *msg) {
  posture sizes = {.t = t, .n = t->system.L.nq, .k = k, .nlimits = t->outputs.nlimits};
  posture *w = dm_block_make(&sizes, sizeof sizes, lay_out_posture);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  for (int i = 0; i < w->n; i++)
    w->fixed[i] = (fixed && fixed[i]) || (t->system.kinematic && t->system.kinematic[i]);

  // the nearest of several; for a branch, or along a curve, the first
  const bool along = t->outputs.follow.curve && k > 0;
  double nearest = INFINITY;
  dm_status s = DM_INFEASIBLE;
  bool told = false; // has msg been set, by the first attempt with finite values?
  for (int i = 0; i < TRIES; i++) {
    draw_posture(w, q, branch, i);
    s = find_posture(w, told ? NULL : msg);
    told |= s != DM_NOT_FINITE;
    if (s == DM_OK) unwind_posture(w, q);
    // squared distance from the posture wanted
    double away = 0;
    for (int j = 0; j < w->n; j++) away += (w->q[j] - q[j]) * (w->q[j] - q[j]);
    if (s == DM_OK && away < nearest) {
      nearest = away;
      memcpy(w->best, w->q, (size_t)w->n * sizeof *q);
    }
    const bool enough = isfinite(nearest) && (branch || along || i + 1 >= LOOKED);
    if (s == DM_NO_MEMORY || enough) break;
  }
  if (s != DM_NO_MEMORY) s = isfinite(nearest) ? DM_OK : DM_INFEASIBLE;
  if (s == DM_OK) memcpy(q, w->best, (size_t)w->n * sizeof *q);
  dm_block_free(w);
  return s;
}
