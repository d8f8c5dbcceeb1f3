#include "problems/run/walk.h"

#include "control/loop/closed_loop.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/base/random.h"
#include "optim/program/cycle.h"
#include "optim/program/join_map.h"
#include "problems/readers/model/machines.h"
#include "problems/run/feet.h"

#include <math.h>
#include <string.h>

// A phase and the machine that runs it.
typedef struct walk_phase {
  const pb_run *run;
  const fb_tvlqr *f; // the law that runs; NULL: the planned inputs
  pb_machine machine;
  fb_mismatch *drawn; // makes the machine of a sample
  pb_feet *feet;      // of a machine whose feet may slip; NULL: they are pinned
  fb_sensor sensor;   // of drawn
  dm_continuous *model, *real;
  oc_task task; // of the machine
  oc_join join; // after this phase
  oc_join_map *map;
  oc_join_map *
      place; // of a machine with feet: map is without impact, and this one puts the foot in its place
  int event;      // row of the gap; -1: it ends by time
  double end;     // the value of that row at the touch
  double largest; // of the plan's gaps
  double sign;    // of the row's difference from it before the touch
  int armed;      // the knot from which a touch counts
  int lift;       // coordinate that lifts the whole robot; -1: none
  double *start;  // [2n] planned (q,v) at the start
  oc_pair *pairs; // of the join
  void *scratch;  // of outputs
} walk_phase;

struct pb_walk {
  const pb_phases *phases;
  int n, nx, nu, ny;       // phases; most states, inputs and outputs
  walk_phase *of;          // [n]
  double *x, *before;      // [nx] state of the machine, and at the start of a step
  double *earlier;         // [nx] and at the start of the step before
  double *y, *next;        // [nx] (q,v), and after a join
  double *seen, *measured; // [nx] (q,v) as compared with the plan, and its (q,p) of the model
  double *end;             // [nx] the planned change of (q,v) in the last step
  double *u, *u_earlier;   // [nu] in this step and the one before
  double *rows, *rows_q;   // [ny], [ny x nx / 2] outputs
  int sample;
};

static const oc_task *get_task(const pb_walk *w, int i) {
  return w->phases->task[i];
}

static void lay_out_walk(void *self, dm_block *b) {
  pb_walk *w = self;
  const size_t nx = (size_t)w->nx, ny = (size_t)w->ny;
  double **const rows[] = {&w->x,    &w->before, &w->earlier,  &w->y,
                           &w->next, &w->seen,   &w->measured, &w->end};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i] = dm_block_alloc(b, nx, sizeof(double));
  w->u = dm_block_alloc(b, (size_t)w->nu, sizeof *w->u);
  w->u_earlier = dm_block_alloc(b, (size_t)w->nu, sizeof *w->u_earlier);
  w->rows = dm_block_alloc(b, ny, sizeof *w->rows);
  w->rows_q = dm_block_alloc(b, ny * nx, sizeof *w->rows_q);
  w->of = dm_block_alloc(b, (size_t)w->n, sizeof *w->of);
  for (int i = 0; i < w->n; i++) {
    walk_phase none, *p = w->of ? &w->of[i] : &none;
    p->start = dm_block_alloc(b, nx, sizeof *p->start);
    p->pairs = dm_block_alloc(b, (size_t)w->phases->join[i].npairs, sizeof *p->pairs);
    p->scratch = dm_block_alloc(b, get_task(w, i)->outputs.y.scratch, 1);
  }
}

void pb_walk_free(pb_walk *w) {
  for (int i = 0; w && i < w->n; i++) {
    walk_phase *p = &w->of[i];
    oc_join_map_free(p->map);
    oc_join_map_free(p->place);
    fb_mismatch_free(p->drawn);
    dm_continuous_free(p->model);
    dm_continuous_free(p->real);
    pb_machine_free(&p->machine);
    pb_feet_free(p->feet);
  }
  dm_block_free(w);
}

// -- the phases

// the gap at the positions q, above ground of this height
static dm_status find_gap(pb_walk *w, const walk_phase *p, const double *q, double ground,
                          double *gap) {
  const dm_output_map *y = &p->run->p->task.outputs.y;
  const dm_status s = dm_output_map_eval(y, p->scratch, q, NULL, w->rows, NULL, NULL);
  *gap = p->sign * (w->rows[p->event] - p->end) - ground;
  return s == DM_NOT_FINITE && isfinite(*gap) ? DM_OK : s;
}

// The gap of the plan, and the knot from which a touch counts: the last one at which the gap is closed; if the plan
// swings through the ground, the highest one after that. Closed: within rounding of the largest gap.
static dm_status arm_touch(pb_walk *w, walk_phase *p) {
  static const double rounding = 1e-9;
  const dm_trajectory *x = p->run->x;
  double gap, largest = 0, highest = 0;
  bool through = false;
  int top = 0;
  p->sign = 1;
  p->end = 0;
  DM_TRY(find_gap(w, p, x->q + x->N * x->n, 0, &p->end));
  DM_TRY(find_gap(w, p, x->q + (x->N - 1) * x->n, 0, &gap));
  p->sign = copysign(1, gap);
  for (int k = 0; k < x->N; k++) {
    DM_TRY(find_gap(w, p, x->q + k * x->n, 0, &gap));
    largest = fmax(largest, fabs(gap));
  }
  const double closed = rounding * largest;
  p->largest = largest;
  for (int k = 0; k < x->N; k++) {
    DM_TRY(find_gap(w, p, x->q + k * x->n, 0, &gap));
    through |= gap < -closed;
    if (gap <= closed) {
      p->armed = k;
      highest = 0;
    }
    if (gap > highest) top = k;
    highest = fmax(highest, gap);
  }
  if (through) p->armed = top;
  return DM_OK;
}

// the sliding coordinate whose change is the gap's change
static dm_status find_lift(pb_walk *w, walk_phase *p) {
  static const double same = 1e-9;
  const dm_trajectory *x = p->run->x;
  const dm_output_map *y = &p->run->p->task.outputs.y;
  const dm_status s =
      dm_output_map_eval(y, p->scratch, x->q + x->N * x->n, NULL, w->rows, w->rows_q, NULL);
  p->lift = -1;
  for (int i = 0; i < x->n && p->lift < 0; i++)
    if (p->run->p->model->kind[i] == DM_SLIDE &&
        fabs(p->sign * w->rows_q[p->event * x->n + i] - 1) < same)
      p->lift = i;
  return s == DM_NOT_FINITE ? DM_OK : s;
}

// the part of a law that does not go on from phase to phase; NULL: all do
static const char *find_part(const pb_run *run, const fb_tvlqr *f) {
  if (run->control.estimator) return "feedback.estimator";
  if (run->control.sampled) return "feedback.rate";
  if (f->late) return "feedback.delay";
  if (f->lag) return "a lag of model.drives";
  if (f->ni) return "feedback.integral";
  if (f->envelope) return "feedback.envelope";
  if (f->rate_limit) return "feedback.rate_limit";
  if (run->p->feedback.measure > FB_VELOCITY) return "measurements of positions";
  return NULL;
}

// the disturbance that only the plants of one motion have; NULL: none
static const char *find_disturbance(const pb_verification *v) {
  const fb_mismatch_settings *set = &v->robust.set;
  if (set->q || set->v || set->torque) return "verify.noise";
  if (set->encoder || set->readings) return "verify.encoders";
  if (set->pushes.count) return "verify.pushes";
  if (set->size[FB_DELAY] > 0) return "verify.delay";
  if (set->size[FB_RESPONSE] > 0 || set->size[FB_LAG] > 0) return "verify.actuators";
  if (set->size[FB_MISSING] > 0 || set->size[FB_LATE] > 0 || set->size[FB_OFF] > 0)
    return "verify.calls";
  if (isfinite(v->robust.limit)) return "verify.limit";
  if (v->outputs.count) return "verify.tolerance of outputs";
  return NULL;
}

static dm_status open_walk_phase(pb_walk *w, int i, pb_run *run, pb_plant kind, bool feedback,
                                 dm_message *msg) {
  walk_phase *p = &w->of[i];
  const oc_task *task = get_task(w, i);
  const pb_verification *v = &run->p->verify;
  const char *name = w->phases->name[i];
  p->run = run;
  p->f = feedback && run->control.law ? &run->control.law->f : NULL;
  p->event = oc_cycle_event(task);
  if (p->event < 0 && task->time.free)
    return dm_fail(msg, DM_UNAVAILABLE, "phase '%s' has a free time and no touch", name);
  const char *part = p->f ? find_part(run, p->f) : NULL;
  if (!part && run->p->has.verify) part = find_disturbance(v);
  if (part)
    return dm_fail(msg, DM_UNAVAILABLE,
                   "found %s beside periodic phases, expected none: samples of gaits do not "
                   "support it",
                   part);

  // the planned start, the touch, and the machines
  DM_TRY(dm_continuous_new(&p->model, &task->system));
  memcpy(w->x, run->x->q, (size_t)run->x->n * sizeof *w->x);
  memcpy(w->x + run->x->n, run->x->p, (size_t)run->x->n * sizeof *w->x);
  DM_TRY(dm_configuration_of(p->model, w->x, p->start, p->start + run->x->n));
  if (p->event >= 0) DM_TRY(arm_touch(w, p));
  if (p->event >= 0) DM_TRY(find_lift(w, p));
  if (v->robust.set.size[FB_GROUND] > 0 && p->event >= 0 && p->lift < 0)
    return dm_fail(msg, DM_UNAVAILABLE,
                   "phase '%s' has no sliding coordinate that lifts the whole robot, by which "
                   "verify.errors.ground could raise the ground",
                   name);
  if (v->nfeet && kind == PB_CONTINUOUS) DM_TRY(pb_feet_new(&p->feet, run->p, msg));
  const pb_robot *robot = p->feet ? &p->feet->robot : &run->p->robot;
  const fb_perturbed_models machines =
      pb_machines_of(&p->machine, robot, &task->system.rule, run->p->fit.step, kind);
  if (p->feet) p->machine.height = p->feet->height;
  fb_mismatch_settings set = v->robust.set;
  if (!task->system.contacts) set.size[FB_GROUND] = 0; // of touches
  DM_TRY(fb_mismatch_new(&p->drawn, run->control.gains, &task->system, &machines, &set, NULL));
  p->sensor = fb_mismatch_sensor(p->drawn);
  return DM_OK;
}

dm_status pb_walk_new(pb_walk **out, const pb_phases *phases, pb_run *const *run, pb_plant kind,
                      bool feedback, dm_message *msg) {
  pb_walk sizes = {.phases = phases, .n = phases->n, .sample = -1};
  *out = NULL;
  for (int i = 0; i < phases->n; i++) {
    const oc_task *task = phases->task[i];
    const int nu = dm_system_inputs(&task->system);
    if (2 * task->system.L.nq > sizes.nx) sizes.nx = 2 * task->system.L.nq;
    if (nu > sizes.nu) sizes.nu = nu;
    if (task->outputs.y.ny > sizes.ny) sizes.ny = task->outputs.y.ny;
  }
  pb_walk *w = dm_block_make(&sizes, sizeof sizes, lay_out_walk);
  dm_status s = w ? DM_OK : DM_NO_MEMORY;
  msg->text[0] = 0;
  for (int i = 0; s == DM_OK && i < w->n; i++)
    s = open_walk_phase(w, i, run[i], kind, feedback, msg);
  if (s == DM_OK) *out = w;
  if (s != DM_OK && !msg->text[0]) dm_fail(msg, s, "%s", dm_status_text(s));
  if (s != DM_OK) pb_walk_free(w);
  return s;
}

// -- the machines of a sample

static dm_status make_machines(pb_walk *w, int sample) {
  if (w->sample == sample) return DM_OK;
  w->sample = -1;
  for (int i = 0; i < w->n; i++) {
    walk_phase *p = &w->of[i];
    p->sensor.begin(p->sensor.self, sample);
    if (!p->machine.plant.step) return DM_UNAVAILABLE;
    dm_continuous_free(p->real);
    p->real = NULL;
    DM_TRY(dm_continuous_new(&p->real, &p->machine.system));
    p->task = *get_task(w, i);
    p->task.system = p->machine.system;
    p->task.system.contacts = NULL;
  }

  // the impacts of these machines
  const oc_phases_task t = pb_phases_task(w->phases);
  for (int i = 0; i < w->n; i++) {
    walk_phase *p = &w->of[i];
    const int next = (i + 1) % w->n;
    oc_join_map_free(p->map);
    oc_join_map_free(p->place);
    p->map = p->place = NULL;
    p->join = oc_cycle_join(&t, i, p->pairs);
    if (p->feet) {
      DM_TRY(oc_join_map_new(&p->place, &p->join, get_task(w, i), get_task(w, next)));
      p->join.law = OC_JOIN_VELOCITY; // the impact is that of the feet
    }
    DM_TRY(oc_join_map_new(&p->map, &p->join, &p->task, &w->of[next].task));
  }
  w->sample = sample;
  return DM_OK;
}

// -- a phase

static void read_knot(const dm_trajectory *x, int k, double *state) {
  memcpy(state, x->q + k * x->n, (size_t)x->n * sizeof *state);
  memcpy(state + x->n, x->p + k * x->n, (size_t)x->n * sizeof *state);
}

// the change of (q,v) in the plan's last step: after its end the state is compared with the end, by the last gain
static dm_status find_planned_end(pb_walk *w, const walk_phase *p) {
  const dm_trajectory *x = p->run->x;
  const int nx = 2 * x->n;
  read_knot(x, x->N, w->measured);
  DM_TRY(dm_configuration_of(p->model, w->measured, w->end, w->end + x->n));
  read_knot(x, x->N - 1, w->measured);
  memcpy(w->seen, w->end, (size_t)nx * sizeof *w->seen);
  DM_TRY(dm_configuration_of(p->model, w->measured, w->seen, w->seen + x->n));
  for (int i = 0; i < nx; i++) w->end[i] -= w->seen[i];
  return DM_OK;
}

// The input of step k at w->y; returns whether a limit cut it. By the path, each phase begins at its first knot.
static dm_status decide_input(pb_walk *w, const walk_phase *p, int k, bool *cut) {
  const dm_trajectory *x = p->run->x;
  const int nx = 2 * x->n, nu = p->machine.plant.nu, last = x->N - 1;
  const pb_feedback *set = &p->run->p->feedback;
  const double past = k > last && !(p->f && p->f->path) ? 1 : 0;
  if (k > last) k = last;
  if (nu) memcpy(w->u, x->u + k * nu, (size_t)nu * sizeof *w->u);
  for (int i = 0; i < nx; i++) w->seen[i] = w->y[i] - past * w->end[i];
  if (p->f && nu) {
    DM_TRY(dm_state_of(p->model, w->seen, w->seen + x->n, w->measured));
    if (p->f->by)
      DM_TRY(p->f->by->input(p->f->by->self, k, w->measured, w->u));
    else
      fb_tvlqr_input(p->f, k, w->measured, w->u);
  }
  for (int i = 0; i < nu; i++) {
    const double u = w->u[i];
    if (set->u_max && u > set->u_max[i]) w->u[i] = set->u_max[i];
    if (set->u_min && u < set->u_min[i]) w->u[i] = set->u_min[i];
    *cut |= w->u[i] != u;
  }
  return DM_OK;
}

// a step of duration h from w->before to w->x and w->y, and the gap there
static dm_status step_machine(pb_walk *w, const walk_phase *p, double h, double ground,
                              double *gap) {
  const int n = p->run->x->n;
  memcpy(w->x, w->before, 2 * (size_t)n * sizeof *w->x);
  DM_TRY(p->machine.plant.step(p->machine.plant.self, w->x, w->u, h));
  DM_TRY(dm_configuration_of(p->real, w->x, w->y, w->y + n));
  return p->event < 0 ? DM_OK : find_gap(w, p, w->y, ground, gap);
}

// Find the duration in [low, high] of the step from w->before after which the gap is 0, by secants with halved ends
// (Illinois); open: the gap at low.
static dm_status find_touch(pb_walk *w, const walk_phase *p, double ground, double low, double open,
                            double high, double *at) {
  enum { MOST = 60 };
  const double h = high;
  double g_low = open, g_high = 0, gap = 0;
  DM_TRY(step_machine(w, p, high, ground, &g_high));
  *at = high;
  const double exact = 1e-14 * (open - g_high);
  if (g_high > 0) return DM_MAX_ITER;
  for (int i = 0; i < MOST && high - low > 1e-14 * h; i++) {
    *at = high - g_high * (high - low) / (g_high - g_low);
    DM_TRY(step_machine(w, p, *at, ground, &gap));
    if (fabs(gap) <= exact) break;
    if (gap > 0) {
      low = *at;
      g_low = gap;
      g_high /= 2;
    } else {
      high = *at;
      g_high = gap;
      g_low /= 2;
    }
  }
  return DM_OK;
}

// End step k at its touch. On the map, a touch in the first half of a step ends the step before later instead: the map
// has no very short steps, as v = (q1 - q0) / h.
static dm_status end_at_touch(pb_walk *w, const walk_phase *p, double ground, int k, double open,
                              double *late) {
  const dm_trajectory *x = p->run->x;
  const size_t bytes = 2 * (size_t)x->n * sizeof(double);
  const double h = x->h;
  double at;
  DM_TRY(find_touch(w, p, ground, 0, open, h, &at));
  *late = (k - x->N) * h + at;
  if (p->machine.kind != PB_DISCRETE || at > 0.5 * h || k == 0) return DM_OK;
  memcpy(w->before, w->earlier, bytes);
  memcpy(w->u, w->u_earlier, (size_t)p->machine.plant.nu * sizeof *w->u);
  if (find_touch(w, p, ground, h, open, 1.75 * h, &at) != DM_OK) return DM_MAX_ITER;
  *late = (k - 1 - x->N) * h + at;
  return DM_OK;
}

// run a phase from w->y to its end; *late: of its touch, compared with the plan [s]
static dm_status run_phase(pb_walk *w, int i, double ground, int *saturated, double *late) {
  walk_phase *p = &w->of[i];
  const dm_trajectory *x = p->run->x;
  const int steps = p->event < 0 ? x->N : 2 * x->N;
  const size_t bytes = 2 * (size_t)x->n * sizeof(double);
  bool opened = false;
  *late = 0;
  DM_TRY(find_planned_end(w, p));
  DM_TRY(dm_state_of(p->real, w->y, w->y + x->n, w->x));
  for (int k = 0; k < steps; k++) {
    bool cut = false;
    double open = 0, gap = 0;
    if (p->event >= 0) DM_TRY(find_gap(w, p, w->y, ground, &open));
    opened |= k >= p->armed && open > 0;
    memcpy(w->u_earlier, w->u, (size_t)p->machine.plant.nu * sizeof *w->u);
    DM_TRY(decide_input(w, p, k, &cut));
    *saturated += cut;
    memcpy(w->earlier, w->before, bytes);
    memcpy(w->before, w->x, bytes);
    DM_TRY(step_machine(w, p, x->h, ground, &gap));
    if (p->event >= 0 && opened && gap <= 0) return end_at_touch(w, p, ground, k, open, late);
  }
  return p->event < 0 ? DM_OK : DM_MAX_ITER;
}

// The same on feet: the touch is known to a part of a step, and counts once the foot has clearly been lifted.
static dm_status run_on_feet(pb_walk *w, int i, double ground, int *saturated, double *late) {
  static const double LIFTED = 0.01, TOUCHES = 1e-9; // of the plan's largest gap
  walk_phase *p = &w->of[i];
  const dm_trajectory *x = p->run->x;
  const int n = x->n, steps = p->event < 0 ? x->N : 2 * x->N;
  bool opened = false;
  *late = 0;
  DM_TRY(find_planned_end(w, p));
  DM_TRY(dm_state_of(p->real, w->y, w->y + n, w->x));
  DM_TRY(pb_feet_place(p->feet, w->y, ground, true));
  for (int part = 0; part < steps * PB_CONTACT_PARTS; part++) {
    const int k = part / PB_CONTACT_PARTS;
    bool cut = false;
    double gap = 0;
    if (part % PB_CONTACT_PARTS == 0) DM_TRY(decide_input(w, p, k, &cut));
    *saturated += cut;
    DM_TRY(p->machine.plant.step(p->machine.plant.self, w->x, w->u, x->h / PB_CONTACT_PARTS));
    DM_TRY(dm_configuration_of(p->real, w->x, w->y, w->y + n));
    DM_TRY(pb_feet_place(p->feet, w->y, ground, false));
    if (p->event < 0) continue;
    DM_TRY(find_gap(w, p, w->y, ground, &gap));
    opened |= k >= p->armed && gap > LIFTED * p->largest;
    if (!opened || gap > TOUCHES * p->largest) continue;
    *late = ((part + 1.) / PB_CONTACT_PARTS - x->N) * x->h;
    return DM_OK;
  }
  return p->event < 0 ? DM_OK : DM_MAX_ITER;
}

// -- periods

// the ground under a touch
static double draw_ground(const walk_phase *p, int sample, int touch) {
  const fb_mismatch_settings *set = &p->run->p->verify.robust.set;
  if (p->event < 0 || !(set->size[FB_GROUND] > 0)) return 0;
  return set->size[FB_GROUND] *
         dm_random_uniform(set->seed + ((uint64_t)(FB_GROUND + 1) << 40), sample, (uint64_t)touch);
}

// from w->y through phase i and its join to w->y at the start of the next one
static dm_status pass_phase(pb_walk *w, int i, double ground, pb_walked *out) {
  walk_phase *p = &w->of[i], *after = &w->of[(i + 1) % w->n];
  const size_t bytes = 2 * (size_t)after->run->x->n * sizeof(double);
  double late;
  DM_TRY((p->feet ? run_on_feet : run_phase)(w, i, ground, &out->saturated, &late));
  out->early = fmin(out->early, late);
  out->late = fmax(out->late, late);
  if (ground != 0) w->y[p->lift] -= ground;
  memcpy(w->next, after->start, bytes);
  DM_TRY(oc_join_map_apply(p->map, w->y, w->next));
  if (p->place) {
    memcpy(w->seen, after->start, bytes);
    DM_TRY(oc_join_map_apply(p->place, w->y, w->seen));
    memcpy(w->next, w->seen, bytes / 2);
  }
  memcpy(w->y, w->next, bytes);
  return DM_OK;
}

dm_status pb_walk_run(pb_walk *w, int sample, const double *d, int periods, double *y,
                      pb_walked *out) {
  walk_phase *first = &w->of[0];
  const int n = first->run->x->n, nx = 2 * n;
  const double *scale = first->run->p->verify.scale;
  *out = (pb_walked){.error = INFINITY, .worst = -1};
  DM_TRY(make_machines(w, sample));

  // the start, then the periods until the walker falls
  read_knot(first->run->x, 0, w->before);
  dm_status s = fb_closed_loop_offset(&get_task(w, 0)->system, w->before, d, w->x);
  if (s == DM_OK) s = dm_configuration_of(first->model, w->x, w->y, w->y + n);
  while (s == DM_OK && out->periods < periods) {
    for (int i = 0; s == DM_OK && i < w->n; i++)
      s = pass_phase(w, i, draw_ground(&w->of[i], sample, out->periods * w->n + i), out);
    if (s == DM_OK) out->periods++;
  }
  if (s == DM_NO_MEMORY) return s;
  if (s != DM_OK) return DM_OK;

  // the deviation at the start of the period after the last
  if (y) memcpy(y, w->y, (size_t)nx * sizeof *y);
  out->error = fb_closed_loop_error(nx, w->y, first->start, scale, &out->worst);
  return DM_OK;
}
