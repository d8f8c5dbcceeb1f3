#include "problems/readers/task/robustness.h"
#include "lib/multibody/tree_system.h"

#include "control/loop/attraction.h"
#include "control/loop/mujoco.h"
#include "lib/multibody/ball_joint.h"
#include "lib/multibody/tree.h"
#include "lib/multibody/tree_lagrangian.h"
#include "problems/readers/format/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const pb_key pb_errors_keys[] = {
    PB_KEY(pb_errors, mass, .type = PB_NUMBER, .range = "[0, 0.99]", .absent = "0"),
    PB_KEY(pb_errors, inertia, .type = PB_NUMBER, .range = "[0, 0.99]", .absent = "0"),
    PB_KEY(pb_errors, length, .type = PB_NUMBER, .range = "[0, 0.99]", .absent = "0"),
    PB_KEY(pb_errors, damping, .type = PB_NUMBER, .unit = "N s/m or N m s/rad", .range = ">= 0",
           .absent = "0"),
    {0}};

const pb_key pb_noise_keys[] = {
    PB_KEY(pb_noise, q, .type = PB_EACH_COORD, .unit = "m or rad", .range = ">= 0", .note = "0"),
    PB_KEY(pb_noise, v, .type = PB_EACH_COORD, .unit = "m/s or rad/s", .range = ">= 0",
           .note = "0"),
    PB_KEY(pb_noise, torque, .type = PB_EACH_INPUT, .unit = "N or N m", .range = ">= 0",
           .note = "0"),
    {0}};

const pb_key pb_sweep_keys[] = {
    PB_KEY(struct pb_sweep, points, .type = PB_INTEGER, .range = "[2, 1000]", .absent = "11"),
    PB_KEY(struct pb_sweep, samples, .type = PB_INTEGER, .range = "[1, 1e6]", .absent = "50"),
    PB_KEY(struct pb_sweep, times, .type = PB_NUMBER, .range = "> 0", .absent = "2"),
    PB_KEY(struct pb_sweep, start, .type = PB_NUMBER, .range = ">= 0", .absent = "1"),
    {0}};

const pb_key pb_region_keys[] = {
    PB_KEY(struct pb_region, directions, .type = PB_INTEGER, .range = "[1, 1e6]", .absent = "100"),
    PB_KEY(struct pb_region, most, .type = PB_NUMBER, .range = "> 0", .absent = "10"),
    PB_KEY(struct pb_region, halvings, .type = PB_INTEGER, .range = "[1, 50]", .absent = "8"),
    PB_KEY(struct pb_region, rate, .type = PB_NUMBER, .range = "(0, 1)", .absent = "0.98"),
    PB_KEY(struct pb_region, confidence, .type = PB_NUMBER, .range = "(0, 1)", .absent = "0.99"),
    PB_KEY(struct pb_region, samples, .type = PB_INTEGER, .range = "[1, 1e7]", .absent = "1000"),
    {0}};

static double sum(int n, const double *x) {
  double s = 0;
  for (int i = 0; x && i < n; i++) s += x[i];
  return s;
}

// whether verify sets anything against the gains that could be swept
static bool is_anything(const pb_reader *r, const pb_problem *p, double spread) {
  const struct pb_robust *x = &p->robust;
  double noise = sum(r->n, x->set.q) + sum(r->n, x->set.v) + sum(r->nu, x->set.torque);
  double errors = sum(FB_DAMPING - FB_MASS + 1, x->set.half + FB_MASS);
  return spread + noise + errors + x->set.delay > 0 || isfinite(x->limit);
}

static dm_status read_sweep(const pb_reader *r, const pb_node *node, double spread, pb_problem *p) {
  struct pb_robust *x = &p->robust;
  DM_TRY(pb_schema_read(r, "verify.sweep", node, pb_sweep_keys, &x->sweep));
  if (!is_anything(r, p, spread))
    return pb_refuse_node(r, node,
                          "verify.sweep: found no errors, noise, limit, delay or spread in verify, "
                          "expected one to sweep");
  for (int a = FB_MASS; a < FB_DAMPING; a++)
    if (x->sweep.times * x->set.half[a] >= 1)
      return pb_refuse_node(r, node,
                            "verify.sweep: found %g times verify.errors.%s: %g, which takes all "
                            "of it, expected less than 1",
                            x->sweep.times, fb_axis_names[a], x->set.half[a]);
  return DM_OK;
}

static dm_status read_region(const pb_reader *r, const pb_node *node, double spread,
                             pb_problem *p) {
  struct pb_region *x = &p->robust.region;
  DM_TRY(pb_schema_read(r, "verify.region", node, pb_region_keys, x));
  if (!(spread > 0))
    return pb_refuse_node(r, node,
                          "verify.region: found a spread of 0, expected one above, which starts "
                          "are measured by");
  double needed = fb_attraction_needs(x->rate, x->confidence);
  const pb_node *samples = pb_node_get(node, "samples");
  if (x->samples < needed)
    return pb_refuse_node(r, samples ? samples : node,
                          "verify.region.samples: found %d, expected at least %.0f: fewer cannot "
                          "show a rate of %g with confidence %g even where all hold",
                          x->samples, needed, x->rate, x->confidence);
  return DM_OK;
}

dm_status pb_robustness_read(const pb_reader *r, const pb_node *node,
                             const pb_robustness_section *s, pb_problem *p) {
  struct pb_robust *x = &p->robust;
  const pb_robot *robot = &p->robot;
  x->set.seed = p->seed;
  x->set.half[FB_MASS] = s->errors.mass;
  x->set.half[FB_INERTIA] = s->errors.inertia;
  x->set.half[FB_LENGTH] = s->errors.length;
  x->set.half[FB_DAMPING] = s->errors.damping;
  x->set.delay = s->delay;
  x->limit = s->limit;
  x->mujoco = !strcmp(s->plants, "all");
  x->disturbed = pb_node_get(node, "errors") || pb_node_get(node, "noise") || s->delay > 0;
  if (s->errors.length > 0 && (robot->constraints || robot->springs || robot->loads))
    return pb_refuse_node(r, pb_node_get(pb_node_get(node, "errors"), "length"),
                          "verify.errors.length: found beside constraints, springs or forces on "
                          "bodies, whose points lie on links, expected none");
  x->set.q = s->noise.q, x->set.v = s->noise.v, x->set.torque = s->noise.torque;
  x->has_sweep = s->sweep != NULL;
  x->has_region = s->region != NULL;
  double spread = sum(r->n, p->spread_q) + sum(r->n, p->spread_v);
  if (s->sweep) DM_TRY(read_sweep(r, s->sweep, spread, p));
  if (s->region) DM_TRY(read_region(r, s->region, spread, p));
  return DM_OK;
}

const char *const pb_plant_names[PB_PLANTS] = {"discrete", "continuous", "mujoco"};

void pb_machine_free(pb_machine *w) {
  fb_plant_free(&w->plant);
  dm_stiff_damping_free(w->fitted);
  dm_quaternion_system_free(w->embed);
  if (w->model != w->tree) dm_model_free(w->model);
  dm_conservative_free(w->springs);
  dm_model_free(w->tree);
  w->fitted = NULL, w->embed = NULL, w->springs = NULL, w->model = w->tree = NULL;
}

// its tree, with damping said of coordinates as they are seen from outside
static dm_status change_tree(pb_machine *w, const dm_change *c) {
  const dm_model *m = w->robot->tree;
  double *damping = calloc((size_t)m->nq, sizeof *damping);
  dm_change inside = *c;
  if (!damping) return DM_NO_MEMORY;
  for (int i = 0; i < m->nq; i++) damping[i] = c->damping ? c->damping[dm_ball_outside(m, i)] : 0;
  inside.damping = damping;
  dm_status s = dm_model_changed(&w->tree, m, &inside);
  free(damping);
  return s;
}

// the robot's system with another tree: what lies on bodies is where it was
static dm_status change(pb_machine *w, const dm_change *c) {
  const pb_robot *r = w->robot;
  DM_TRY(change_tree(w, c));
  dm_system s = dm_system_of(w->tree);
  if (r->springs) {
    dm_potential V = dm_springs_potential(r->springs);
    DM_TRY(dm_conservative_new(&w->springs, &s.L, &V));
    s.L = dm_conservative_lagrangian(w->springs);
  }
  if (r->constraints) s.hol = dm_constraints_holonomic(r->constraints);
  if (r->loads) dm_system_add_force(&s, dm_loads_force(r->loads));
  w->model = w->tree;
  if (w->tree->nball) {
    w->model = NULL;
    DM_TRY(dm_ball_model(&w->model, w->tree, NULL));
    DM_TRY(dm_quaternion_system_new(&w->embed, w->tree, w->model, &s));
    s = dm_quaternion_system_of(w->embed);
  }
  w->system = s;
  return DM_OK;
}

// in MuJoCo, from the robot's own file
static dm_status simulated(pb_machine *w, const dm_change *c) {
  const pb_robot *r = w->robot;
  if (!r->urdf || r->springs) return DM_UNAVAILABLE; // of the rest the plant knows
  return fb_plant_mujoco(&w->plant, &w->system, r->tree, c, r->urdf, r->urdf_size);
}

static dm_status make(void *self, const dm_change *c, const fb_plant **plant,
                      const dm_system **system) {
  pb_machine *w = self;
  pb_machine_free(w);
  if (c)
    DM_TRY(change(w, c));
  else
    w->system = pb_robot_system(w->robot);
  w->system.rule = w->rule;
  DM_TRY(dm_stiff_damping_new(&w->fitted, &w->system, w->step));
  w->system = dm_stiff_damping_system(w->fitted, &w->system);
  if (w->kind == PB_DISCRETE) DM_TRY(fb_plant_discrete(&w->plant, &w->system));
  if (w->kind == PB_CONTINUOUS) DM_TRY(fb_plant_continuous(&w->plant, &w->system, 1e-9));
  if (w->kind == PB_MUJOCO) DM_TRY(simulated(w, c));
  *plant = &w->plant;
  *system = &w->system;
  return DM_OK;
}

fb_perturbed_models pb_machines_of(pb_machine *w, const pb_problem *p, pb_plant kind) {
  *w = (pb_machine){.robot = &p->robot, .rule = p->task.system.rule, .step = p->step, .kind = kind};
  return (fb_perturbed_models){.self = w, .nj = p->robot.tree->nj, .make = make};
}
