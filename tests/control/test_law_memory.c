// Call the functions that make, run and write controllers with their first, second, … allocation
// failing: they report the failure and leak nothing.
#include "control/codegen/emulation.h"
#include "control/feedback/constraint_tangent.h"
#include "control/feedback/controllability.h"
#include "control/feedback/controllability_survey.h"
#include "control/feedback/dare.h"
#include "control/feedback/estimator.h"
#include "control/feedback/mechanics.h"
#include "control/feedback/output_feedback.h"
#include "control/feedback/output_weight.h"
#include "control/feedback/resample.h"
#include "control/feedback/rest.h"
#include "control/loop/bench.h"
#include "control/loop/criteria.h"
#include "control/loop/evolution.h"
#include "control/loop/follow.h"
#include "control/loop/monte_carlo.h"
#include "control/loop/racing.h"
#include "control/loop/stopped_plant.h"
#include "lib/multibody/contact_geometry.h"
#include "tests/support/hoist.h"
#include "tests/support/shortage.h"

static hoist crane; // with constraints and kinematic coordinates
static dm_trajectory *lift;

static dm_status new_schedule(void) {
  fb_tvlqr *f = NULL;
  double Q[] = {1, 1, 1, 1}, R[] = {1};
  int failed;
  dm_status status =
      fb_tvlqr_new(&f, traj, &s, &(fb_weights){.Q = Q, .R = R, .Qf = Q}, &failed, NULL);
  fb_tvlqr_free(f);
  return status;
}
static dm_status new_tangent(void) {
  fb_constraint_tangent *w = NULL;
  dm_status status = fb_constraint_tangent_new(&w, 3, 1, 0, NULL);
  fb_constraint_tangent_free(w);
  return status;
}
static dm_status new_reach(void) {
  fb_controllability *w = NULL;
  dm_status status = fb_controllability_new(&w, 4, 1);
  fb_controllability_free(w);
  return status;
}
static dm_status new_survey(void) {
  fb_survey *w = NULL;
  const int output[] = {0, 1};
  dm_status status = fb_survey_new(&w, traj, &s, 4, 2, output);
  fb_survey_free(w);
  return status;
}
static dm_status new_steady_schedule(void) {
  fb_tvlqr *f = NULL;
  double Q[] = {1, 1, 1, 1}, R[] = {1};
  int failed;
  dm_status status = fb_tvlqr_new(&f, traj, &s, &(fb_weights){.Q = Q, .R = R}, &failed, NULL);
  fb_estimator *est = NULL;
  fb_sensor_noise set = {.encoder = Q, .process = Q, .start_q = Q, .start_p = Q};
  if (status == DM_OK) status = fb_estimator_new(&est, f, &s, &set, &failed, NULL);
  fb_estimator_free(est);
  fb_tvlqr_free(f);
  return status;
}
static dm_status new_late_schedule(void) {
  fb_tvlqr *f = NULL;
  double Q[] = {1, 1, 1, 1}, R[] = {1};
  int failed;
  fb_weights weights = {.Q = Q, .R = R, .delay = 1};
  dm_status status = fb_tvlqr_new(&f, traj, &s, &weights, &failed, NULL);
  fb_tvlqr_free(f);
  return status;
}
// an output that is the first coordinate
static dm_status eval_first(const void *self, void *scratch, const double *q, double *y,
                            double *y_q) {
  (void)self;
  (void)scratch;
  y[0] = q[0];
  for (int j = 0; y_q && j < 2; j++) y_q[j] = j == 0;
  return DM_OK;
}
static dm_status new_weighed_schedule(void) {
  fb_tvlqr *f = NULL;
  double Q[] = {1, 1, 1, 1}, R[] = {1};
  int failed;
  const dm_holonomic first = {.nc = 1, .eval = eval_first};
  const fb_output_weight w = {dm_output_map_of(first, 2), 1, Q};
  const fb_knot_weight at = fb_output_weight_at_knots(&w);
  fb_weights weights = {.Q = Q, .R = R, .Qf = Q, .Q_at = &at, .Qf_at = &at};
  dm_status status = fb_tvlqr_new(&f, traj, &s, &weights, &failed, NULL);
  fb_tvlqr_free(f);
  return status;
}
static dm_status new_laws(void) {
  double K[12] = {0};
  fb_tvlqr f = {.N = 3, .nx = 4, .nu = 1, .h = 0.1, .x = (double[16]){0}, .u = K, .K = K};
  dm_status status = DM_OK;
  for (fb_form form = FB_STATE; form <= FB_POSITIONS && status == DM_OK; form++) {
    fb_output_feedback *w = NULL;
    status = fb_output_feedback_new(&w, &f, &s, form, form == FB_VELOCITY, NULL);
    fb_output_feedback_free(w);
  }
  return status;
}
static dm_status resample(void) {
  double K[12] = {0};
  fb_tvlqr f = {.N = 3, .nx = 4, .nu = 1, .h = 0.1, .x = (double[16]){0}, .u = K, .K = K}, *g;
  dm_status status = fb_resample_new(&g, &f, &s, 25, true, 1, NULL);
  fb_tvlqr_free(g);
  return status;
}
static dm_status stuck(void) {
  double A[] = {1, 0, 0, 1}, B[] = {1, 0};
  int state;
  return fb_dare_stuck(2, 1, A, B, NULL, NULL, 0, &state);
}
static dm_status new_plant(void) {
  fb_plant p = {0};
  dm_status status = fb_plant_discrete(&p, &s);
  fb_plant_free(&p);
  return status;
}
static dm_status new_stopped_plants(void) {
  const dm_contact stop = {.name = "stop", .kind = DM_NOT_ABOVE, .coord = 0, .length = 9};
  dm_contacts *c = NULL;
  fb_plant map = {0}, equations = {0};
  dm_status status = dm_contacts_new(&c, model, 1, &stop, NULL);
  if (status != DM_OK) return status;
  const dm_unilateral g = dm_contacts_unilateral(c);
  status = fb_plant_discrete_stopped(&map, &s, &g, NULL);
  if (status == DM_OK) status = fb_plant_continuous_stopped(&equations, &s, &g, 1e-9, NULL);
  fb_plant_free(&map);
  fb_plant_free(&equations);
  dm_contacts_free(c);
  return status;
}
static dm_status new_continuous_plant(void) {
  fb_plant p = {0};
  dm_status status = fb_plant_continuous(&p, &s, 1e-9);
  fb_plant_free(&p);
  return status == DM_UNAVAILABLE ? new_plant() : status;
}
static dm_status stay(void *self, double *x, const double *u, double h) {
  (void)self;
  (void)x;
  (void)u;
  (void)h;
  return DM_OK;
}
// a sample from a valid start succeeds, or the run reports why not
static dm_status samples(void) {
  double none[4] = {0};
  fb_plant p = {.n = 2, .nu = 1, .step = stay};
  fb_tvlqr f = {.N = 1, .nx = 4, .nu = 1, .h = 0.1, .x = (double[8]){0}, .u = none, .K = none};
  const fb_output_bound bound = {.rows = 1, .within = 1};
  const dm_holonomic first = {.nc = 1, .eval = eval_first};
  const fb_output_bounds outputs = {.y = dm_output_map_of(first, 2), .count = 1, .bound = &bound};
  fb_monte_carlo_settings set = {.samples = 1, .spread_q = none, .spread_v = none};
  set.outputs = &outputs;
  fb_sample row;
  dm_status status = fb_monte_carlo_run(&f, &s, &p, &set, &row, 0, NULL, NULL, NULL);
  return status == DM_OK && !row.succeeded ? DM_NO_MEMORY : status;
}
static dm_status follow(void) {
  double q[4] = {0}, u[1] = {0}, y[8];
  dm_trajectory x = {.N = 1, .n = 2, .nu = 1, .h = 0.1, .q = q, .p = q, .v = q, .u = u};
  fb_plant p = {.n = 2, .nu = 1, .step = stay};
  fb_following out;
  return fb_follow(&x, &s, &p, 1, 1, &(dm_limits){0}, NULL, y, u, &out);
}
static dm_status emulate(void) {
  static const bool form[FB_FORMS] = {true, true, true};
  double K[12] = {0}, x0[4] = {0};
  fb_tvlqr f = {.N = 3, .nx = 4, .nu = 1, .h = 0.1, .x = (double[16]){0}, .u = K, .K = K};
  fb_codegen_settings set = fb_codegen_default();
  fb_codegen *c = NULL;
  fb_emulation *e = NULL;
  dm_status status = fb_codegen_new(&c, &f, &s, form, NULL, &set, NULL);
  if (status == DM_OK) status = fb_emulation_new(&e, c, &s, FB_STATE, x0);
  fb_emulation_free(e);
  fb_codegen_free(c);
  return status;
}
static dm_status hold_end(void) {
  dm_trajectory *both = NULL;
  fb_rest_settings set = fb_rest_default();
  int steps;
  double off;
  dm_status status = fb_rest_append(&both, traj, &s, &set, &steps, &off, NULL);
  dm_trajectory_free(both);
  return status;
}
static dm_status make_machine(void *self, const dm_change *c, const fb_plant **plant,
                              const dm_system **system) {
  (void)c;
  *plant = self;
  *system = &s;
  return DM_OK;
}
static dm_status new_bench(void) {
  double none[4] = {0};
  fb_plant p = {.n = 2, .nu = 1, .step = stay};
  fb_tvlqr f = {.N = 1, .nx = 4, .nu = 1, .h = 0.1, .x = (double[8]){0}, .u = none, .K = none};
  fb_perturbed_models machines = {.self = &p, .nj = model->nj, .build = make_machine};
  fb_mismatch_settings mismatch = {.size[FB_DELAY] = 0.05};
  fb_bench_settings set = fb_bench_default();
  set.mismatch = &mismatch;
  fb_bench *g = NULL;
  dm_status status = fb_bench_new(&g, &f, &s, &machines, &set);
  fb_bench_free(g);
  return status;
}
static dm_status new_score(void) {
  double none[4] = {0};
  fb_tvlqr f = {.N = 1, .nx = 4, .nu = 1, .h = 0.1, .x = (double[8]){0}, .u = none, .K = none};
  const fb_output_bound bound = {.rows = 1, .within = 1};
  const dm_holonomic first = {.nc = 1, .eval = eval_first};
  const fb_output_bounds outputs = {.y = dm_output_map_of(first, 2), .count = 1, .bound = &bound};
  const fb_perturbed_models machines = {.self = none, .nj = model->nj, .build = make_machine};
  const fb_criterion row = {"mass", FB_VARY_MASS, -1, 1, 1.1, 2, 1, 0, 0, {0}};
  fb_criteria *w = NULL;
  bool survived;
  fb_criteria_settings set = {.tolerance = 1, .outputs = &outputs};
  dm_status status = fb_criteria_new(&w, &f, &s, &machines, &set, 0, 0.01);
  if (status == DM_OK) status = fb_criteria_run(w, &row, 1, &survived);
  fb_criteria_free(w);
  return status;
}
static dm_status tune(void) {
  fb_evolution *w = NULL;
  fb_racing *r = NULL;
  dm_status status = fb_evolution_new(&w, 3, 1, 0.1);
  if (status == DM_OK) status = fb_racing_new(&r, 4);
  fb_racing_free(r);
  fb_evolution_free(w);
  return status;
}
// code generated for a tree: its momentum, the range of its input, its step
static dm_status write_tree(void) {
  static const bool form[FB_FORMS] = {[FB_VELOCITY] = true};
  double K[12] = {0};
  fb_tvlqr f = {.N = 3, .nx = 4, .nu = 1, .h = 0.1, .x = (double[16]){0}, .u = K, .K = K};
  fb_codegen_settings set = fb_codegen_default();
  fb_codegen *c = NULL;
  fb_mechanics *of = NULL;
  set.off_q = set.off_v = K;
  dm_status status =
      fb_mechanics_new(&of, &(dm_robot){.tree = model, .model = model}, &s, 0.1, FB_OF_STEPS, NULL);
  if (status == DM_OK) f.tree = fb_mechanics_tables(of);
  if (status == DM_OK) status = fb_codegen_new(&c, &f, &s, form, NULL, &set, NULL);
  fb_codegen_free(c);
  fb_mechanics_free(of);
  return status;
}
// controllers and filter of a constrained system
static dm_status steer_crane(void) {
  static const double Q[2 * HOIST_N] = {1, 1, 1, 1, 1, 1, 1, 1}, R[] = {1, 1};
  const fb_sensor_noise noise = {.encoder = Q, .process = Q, .start_q = Q, .start_p = Q};
  const fb_weights weights = {.Q = Q, .R = R, .Qf = Q};
  fb_tvlqr *f = NULL;
  fb_estimator *est = NULL;
  int failed;
  dm_status status = fb_tvlqr_new(&f, lift, &crane.s, &weights, &failed, NULL);
  for (int form = 0; form < FB_FORMS && status == DM_OK; form++) {
    fb_output_feedback *w = NULL;
    status = fb_output_feedback_new(&w, f, &crane.s, (fb_form)form, false, NULL);
    fb_output_feedback_free(w);
  }
  if (status == DM_OK) status = fb_estimator_new(&est, f, &crane.s, &noise, &failed, NULL);
  fb_estimator_free(est);
  fb_tvlqr_free(f);
  return status;
}
static dm_status find_radius(void) {
  const double A[] = {0.5, 0, 0, 0.25}, B[] = {1, 0}, K[] = {0, 0}, W[] = {0};
  double largest, P[4], own[2];
  DM_TRY(fb_dare_radius(2, 1, A, B, K, W, &largest));
  return fb_dare_solve(2, 1, A, B, (double[]){1, 0, 0, 1}, (double[]){1}, NULL, P, own);
}

static const shortage_row rows[] = {
    {"schedule", new_schedule},
    {"tangent", new_tangent},
    {"reach", new_reach},
    {"survey", new_survey},
    {"steady schedule", new_steady_schedule},
    {"late schedule", new_late_schedule},
    {"weighed schedule", new_weighed_schedule},
    {"laws", new_laws},
    {"resample", resample},
    {"stuck", stuck},
    {"plant", new_plant},
    {"continuous plant", new_continuous_plant},
    {"stopped plants", new_stopped_plants},
    {"samples", samples},
    {"follow", follow},
    {"emulation", emulate},
    {"hold", hold_end},
    {"bench", new_bench},
    {"score", new_score},
    {"tuning", tune},
    {"written tree", write_tree},
    {"constrained laws", steer_crane},
    {"spectral radius", find_radius},
};

static void failed_allocations_are_told_and_cleaned_up(void **state) {
  (void)state;
  shortage_open();
  crane = hoist_open();
  lift = hoist_motion(&crane, 3, 0.02, 0.1);
  for (int r = 0; r < COUNT(rows); r++) shortage_try(&rows[r]);
  dm_trajectory_free(lift);
  hoist_close(&crane);
  shortage_close();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(failed_allocations_are_told_and_cleaned_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
