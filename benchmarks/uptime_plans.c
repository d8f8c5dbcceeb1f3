#include "benchmarks/uptime_plans.h"

#include "benchmarks/outside/double_pendulum.h"
#include "control/feedback/mechanics.h"
#include "control/onboard/onboard.h"
#include "lib/discrete/del.h"

#include <stdlib.h>
#include <string.h>

enum {
  STEPS = 60,
  STAGES = 40,
  TRIED = 16,
  AHEAD = 200,
  STAYS = 40,
  AGAIN = 5,
  LATE = 10,
  TURNS = 2
};
static const double LIMIT = 6, PLANNED = 5.5, PI = 3.141592653589793;
static const double TIME_WEIGHT = 60,
                    WEIGHT = 0.05; // of time in a plan [N2 m2]; of x'P x in a choice [s]
static const double DAMPING = 0.5; // of the motor without a plan [N m s]

typedef struct plan {
  dm_trajectory *x;
  fb_tvlqr *f;
  fb_output_feedback *law;
} plan;

struct uptime_plans {
  bool elbow;
  dm_model *m;
  dm_system system;
  fb_mechanics *mechanics;
  dm_del *del;
  int n;
  plan *plan;
  // the plan that is followed, -1: none; its knot; steps until another choice, if the tip is not up then
  int now, k, left;
  double turns[2]; // whole turns of the robot against the plan
  int choices;
  double seconds; // processor time of all of them
};

typedef struct choice {
  int plan, k;
  double cost, turns[2];
} choice;

bool uptime_is_up(const double *q) {
  return -0.2 * cos(q[0]) - 0.3 * cos(q[0] + q[1]) > 0.9 * 0.5;
}

// -- plans

static dm_model *make_robot(bool elbow) {
  const machine *w = &MODEL;
  dm_coordinate c[] = {dm_coordinate_turn("shoulder", 0, 1, 0),
                       dm_coordinate_turn("elbow", 0, 1, 0)};
  dm_body b[] = {
      {"upper", -1, dm_identity, 0, 1, w->m1, {0, 0, -w->r1}, {0, w->I1 - w->m1 * w->r1 * w->r1}},
      {"lower", 0, dm_identity, 1, 1, w->m2, {0, 0, -w->r2}, {0, w->I2 - w->m2 * w->r2 * w->r2}}};
  b[1].offset.p.z = -w->l1;
  dm_input u[] = {{elbow ? "elbow" : "shoulder", elbow, .u_min = -PLANNED, .u_max = PLANNED}};
  dm_tree tree = {2, 2, 1, b, c, u, .gravity = {0, 0, -9.81}};
  dm_model *m;
  bench_need(dm_model_new(&m, &tree, NULL), "a robot");
  return m;
}

// the motion from x to upright of q, by the least of time and effort; NULL: none is found
static dm_trajectory *find_motion(const uptime_plans *w, const double *x, const double *up) {
  const double rest[2] = {0, 0}, one = 1;
  oc_setup set = oc_setup_default();
  set.options.only_guess = true;
  set.options.max_iter = 150;
  oc_task task = oc_task_of(w->m, STEPS, 0.8);
  task.time = (oc_duration){.T = 0.8, .free = true, .min = 0.2, .max = 2, .weight = TIME_WEIGHT};
  task.start = (oc_end){x, x + 2};
  task.goal = (oc_end){up, rest};
  task.cost[OC_U].running = &one;
  dm_trajectory *first, *motion = NULL;
  if (oc_solve(&task, &set, &first, NULL, NULL) >= 0 && first) {
    // in whole steps of the controller
    const int N = (int)ceil(first->N * first->h / UPTIME_STEP) + 1;
    oc_task fixed = oc_task_of(w->m, N, N * UPTIME_STEP);
    fixed.start = task.start, fixed.goal = task.goal;
    fixed.cost[OC_U].running = &one;
    set.guess = first;
    oc_solve_info info;
    const dm_status s = oc_solve(&fixed, &set, &motion, &info, NULL);
    if (s != DM_OK && s != DM_ACCEPTABLE) {
      dm_trajectory_free(motion);
      motion = NULL;
    }
  }
  dm_trajectory_free(first);
  return motion;
}

// the shortest motion, over whole turns of both joints
static dm_trajectory *find_shortest(const uptime_plans *w, const double *x) {
  dm_trajectory *best = NULL;
  const double shoulder = PI + 2 * PI * floor((x[0] - PI) / (2 * PI)),
               elbow = 2 * PI * floor(x[1] / (2 * PI));
  for (int i = 0; i < TURNS * TURNS; i++) {
    const double up[2] = {shoulder + 2 * PI * (i % TURNS), elbow + 2 * PI * (i / TURNS)};
    dm_trajectory *motion = find_motion(w, x, up);
    if (motion && (!best || motion->N < best->N)) {
      dm_trajectory_free(best);
      best = motion;
    } else {
      dm_trajectory_free(motion);
    }
  }
  return best;
}

// its gains and horizon
static void make_plan(uptime_plans *w, plan *z, dm_trajectory *x) {
  static const double Q[4] = {10, 10, 10, 10}, R = 0.3, low = -6, high = 6;
  const fb_weights weights = {.Q = Q, .R = &R};
  const fb_receding o = {
      .stages = STAGES, .sweeps = 20, .u_min = &low, .u_max = &high, .rests = true};
  dm_message msg = {""};
  int failed;
  *z = (plan){.x = x};
  bench_need(fb_tvlqr_new(&z->f, x, &w->system, &weights, &failed, &msg), "gains");
  z->f->tree = fb_mechanics_tables(w->mechanics);
  bench_need(fb_output_feedback_new(&z->law, z->f, &w->system, FB_STATE, true, &msg), "a law");
  bench_need(fb_receding_start(z->law, &o, &msg), "a horizon");
}

uptime_plans *uptime_plans_new(bool elbow, int count, const double *starts) {
  uptime_plans *w = calloc(1, sizeof *w);
  bench_need(w ? DM_OK : DM_NO_MEMORY, "memory");
  dm_message msg = {""};
  w->elbow = elbow;
  w->m = make_robot(elbow);
  w->system = dm_system_of(w->m);
  w->plan = calloc((size_t)count, sizeof *w->plan);
  bench_need(w->plan ? DM_OK : DM_NO_MEMORY, "memory");
  bench_need(dm_del_new(&w->del, &w->system, NULL), "memory");
  bench_need(fb_mechanics_new(&w->mechanics, &(dm_robot){.tree = w->m, .model = w->m}, &w->system,
                              UPTIME_STEP, FB_OF_STEPS, &msg),
             "mechanics");
  for (int i = 0; i < count; i++) {
    dm_trajectory *x = find_shortest(w, &starts[4 * i]);
    if (x) make_plan(w, &w->plan[w->n++], x);
  }
  uptime_plans_reset(w);
  return w;
}

void uptime_plans_free(uptime_plans *w) {
  for (int i = 0; i < w->n; i++) {
    fb_output_feedback_free(w->plan[i].law);
    fb_tvlqr_free(w->plan[i].f);
    dm_trajectory_free(w->plan[i].x);
  }
  dm_del_free(w->del);
  fb_mechanics_free(w->mechanics);
  dm_model_free(w->m);
  free(w->plan);
  free(w);
}

int uptime_plans_count(const uptime_plans *w) {
  return w->n;
}

double uptime_plans_time(const uptime_plans *w, int i) {
  return w->plan[i].x->N * UPTIME_STEP;
}

double uptime_plans_choice_time(const uptime_plans *w) {
  return w->seconds / fmax(1, w->choices);
}

// -- the choice of a plan

// (q, p) of a measured state
static void find_momenta(const double *x, double *z) {
  double M[3];
  mass_matrix(&MODEL, x[1], M);
  z[0] = x[0], z[1] = x[1];
  z[2] = M[0] * x[2] + M[1] * x[3];
  z[3] = M[1] * x[2] + M[2] * x[3];
}

// the cheapest knot of a plan from z, whole turns aside
static choice find_knot(const uptime_plans *w, int i, const double *z) {
  const fb_tvlqr *f = w->plan[i].f;
  choice best = {.plan = i, .cost = INFINITY};
  for (int k = 0; k <= f->N; k++) {
    const double *x = &f->x[4 * k], *P = &f->P[16 * k];
    double e[4], turns[2], cost = 0;
    for (int j = 0; j < 4; j++) e[j] = z[j] - x[j];
    for (int j = 0; j < 2; j++) turns[j] = 2 * PI * rint(e[j] / (2 * PI)), e[j] -= turns[j];
    for (int ab = 0; ab < 16; ab++) cost += e[ab / 4] * P[ab] * e[ab % 4];
    cost = (f->N - k) * UPTIME_STEP + WEIGHT * cost;
    if (cost < best.cost) best = (choice){i, k, cost, {turns[0], turns[1]}};
  }
  return best;
}

// Follow a choice from z on the map: the number of steps until the tip stays up, if less than `most`; else AHEAD + 1.
static int try_choice(const uptime_plans *w, const choice *c, const double *z, int most) {
  fb_horizon *h = w->plan[c->plan].law->horizon;
  double x[4] = {z[0] - c->turns[0], z[1] - c->turns[1], z[2], z[3]}, u;
  int last = 0;
  h->begin(h);
  for (int k = 0; k < AHEAD && k - last < STAYS && last < most; k++) {
    double q[2] = {x[0], x[1]};
    dm_del_info info;
    h->prepare(h, c->k + k);
    h->input(h, c->k + k, x, &u, NULL);
    if (dm_del_step(w->del, x, x + 2, &u, UPTIME_STEP, q, x + 2, &info) != DM_OK) return AHEAD + 1;
    memcpy(x, q, sizeof q);
    if (!uptime_is_up(q)) last = k + 1;
  }
  return last > AHEAD - STAYS || last >= most ? AHEAD + 1 : last;
}

// Choose the plan that is up first, of the cheapest TRIED; none if none is up.
static void choose(uptime_plans *w, const double *z) {
  const double begun = bench_now();
  choice best[TRIED];
  int found = 0, soonest = AHEAD + 1;
  for (int i = 0; i < w->n; i++) {
    const choice c = find_knot(w, i, z);
    int at = found < TRIED ? found++ : TRIED;
    for (; at > 0 && best[at - 1].cost > c.cost; at--)
      if (at < TRIED) best[at] = best[at - 1];
    if (at < TRIED) best[at] = c;
  }
  w->now = -1;
  for (int i = 0; i < found; i++) {
    const int steps = try_choice(w, &best[i], z, soonest);
    if (steps >= soonest) continue;
    soonest = steps;
    w->now = best[i].plan;
    w->k = best[i].k;
    memcpy(w->turns, best[i].turns, sizeof w->turns);
  }
  w->left = w->now < 0 ? AGAIN : soonest + LATE;
  w->choices++;
  w->seconds += bench_now() - begun;
  if (w->now < 0) return;
  fb_horizon *h = w->plan[w->now].law->horizon;
  h->begin(h);
}

void uptime_plans_reset(uptime_plans *w) {
  w->now = -1;
  w->left = 0;
}

double uptime_plans_torque(uptime_plans *w, const double *x) {
  double z[4], u = 0;
  find_momenta(x, z);
  if (w->left-- <= 0 && !uptime_is_up(x)) choose(w, z);
  if (w->now < 0) return fmax(-LIMIT, fmin(LIMIT, -DAMPING * x[2 + w->elbow]));
  for (int i = 0; i < 2; i++) z[i] -= w->turns[i];
  fb_horizon *h = w->plan[w->now].law->horizon;
  h->prepare(h, w->k);
  h->input(h, w->k++, z, &u, NULL);
  return u;
}
