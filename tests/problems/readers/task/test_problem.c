// tests/problems/readers/task/test_problem.c: problem files, and what becomes of what they say.
#include "tests/support/cart_pole.h"

#include "lib/multibody/tree_lagrangian.h"
#include "problems/readers/format/sha256.h"
#include "problems/readers/task/stiff_steps.h"

#include <glob.h>
#include <math.h>

#define HEAD_REST "horizon: {steps: 4, time: 2}\nstart: {q: 0, v: 0}\n"

static const double pi = 3.14159265358979323846;

static void every_section_arrives(void **state) {
  (void)state;
  pb_problem *p =
      get_problem("name: swing\n"
                  "model: {urdf: c.urdf, gravity: [0, 0, -9.8], damping: {slider: 2},\n"
                  "        armature: 0.5}\n"
                  "inputs: [{joint: slider, effort: 10}]\n"
                  "horizon: {steps: 100, time: 2.0}\n"
                  "rule: {lagrangian: midpoint, alpha: 0.25, force: left}\n"
                  "start: {q: {slider: 0, pole: 0}, v: 0}\n"
                  "goal: {q: {pole: pi}, v: {slider: 0}}\n"
                  "bounds: {q: {slider: [-1, 1.5]}, v: {pole: 12}, u: {slider: [-5, none]}}\n"
                  "cost: {input: 2, state: {q: {pole: 3}, v: 4, p: 5}, terminal: {q: 6},\n"
                  "       time: 7, weighting: sum}\n"
                  "solver: {tol: 1e-6, max_iter: 50, max_time: 10, linear: mumps}\n"
                  "feedback: {Q: {q: 100, p: {pole: 2}}, R: 3, Qf: {q: 1, p: 2}}\n"
                  "verify: {samples: 7, seed: 9, spread: {q: {pole: 0.1}, v: 0.2}, "
                  "tolerance: 0.3,\n"
                  "         scale: {q: {pole: 2}, v: 4}, required: 0.5}\n");
  const oc_task *t = &p->task;
  assert_string_equal(p->file.name, "swing");
  assert_true(p->has.task && p->has.feedback && p->has.verify && !p->has.simulate);
  assert_true(p->model->gravity.z == -9.8);
  EXPECT(p->model->damping, 2, 0.1);
  EXPECT(p->model->armature, 0.5, 0.5);
  EXPECT(p->model->u_max, 10);
  assert_int_equal(t->N, 100);
  assert_true(t->time.T == 2 && !t->time.free);
  assert_true(t->system.rule.at[0] == 0.25 && t->system.rule.left == 1);
  assert_string_equal(t->coord_name[1], "pole");
  assert_string_equal(t->input_name[0], "slider");
  EXPECT(t->start.q, 0, 0);
  EXPECT(t->start.v, 0, 0);
  EXPECT(t->goal.q, NAN, pi);
  EXPECT(t->goal.v, 0, NAN);
  EXPECT(t->bounds[OC_Q].low, -1, -INFINITY);
  EXPECT(t->bounds[OC_Q].high, 1.5, INFINITY);
  EXPECT(t->bounds[OC_V].high, 50, 12);
  EXPECT(t->bounds[OC_U].low, -5);
  EXPECT(t->bounds[OC_U].high, INFINITY);
  EXPECT(t->cost[OC_U].running, 2);
  EXPECT(t->cost[OC_Q].running, 0, 3);
  EXPECT(t->cost[OC_V].running, 4, 4);
  EXPECT(t->cost[OC_P].running, 5, 5);
  EXPECT(t->cost[OC_Q].goal, 6, 6);
  assert_true(!t->cost[OC_V].goal && !t->cost[OC_P].goal && !t->cost[OC_Q].reference &&
              !t->cost[OC_U].reference && t->time.weight == 7 && t->sum);
  assert_true(p->options.tol == 1e-6 && p->options.max_iter == 50 && p->options.max_time == 10);
  assert_string_equal(p->options.linear, "mumps");
  EXPECT(p->feedback.Q, 100, 100, 0, 2);
  EXPECT(p->feedback.R, 3);
  EXPECT(p->feedback.Qf, 1, 1, 2, 2);
  assert_true(p->verify.samples == 7 && p->verify.seed == 9 && p->verify.tolerance == 0.3 &&
              p->verify.required == 0.5);
  EXPECT(p->verify.spread_q, 0, 0.1);
  EXPECT(p->verify.spread_v, 0.2, 0.2);
  EXPECT(p->verify.scale, 1, 2, 4, 4);
  assert_int_equal(p->warnings.n, 2); // the cost on a fixed time, a plan beyond the law's limits
  pb_problem_free(p);
}

static void what_is_left_out_has_its_default(void **state) {
  (void)state;
  pb_problem *p = get_problem(HEAD "cost: {input: 1}\nfeedback: {}\nverify: {}\n");
  const oc_task *t = &p->task;
  assert_int_equal(p->warnings.n, 1); // no motor on the pole
  assert_true(p->model->gravity.z == -9.81);
  assert_int_equal(p->model->nu, 1); // the slider alone has an effort limit
  EXPECT(t->bounds[OC_U].high, 20);
  EXPECT(t->goal.q, NAN, NAN);
  EXPECT(t->bounds[OC_Q].high, 2, INFINITY);
  EXPECT(t->bounds[OC_V].high, 50, INFINITY);
  assert_true(t->system.rule.at[0] == 0.5 && t->system.rule.left == 0.5 && !t->sum);
  assert_true(p->guess.kind == PB_OWN && !p->guess.csv && !p->guess.u);
  assert_true(p->options.tol == 1e-9 && p->options.max_iter == 3000 && isinf(p->options.max_time));
  assert_string_equal(p->options.linear, "auto");
  EXPECT(p->feedback.Q, 1, 1, 1, 1);
  EXPECT(p->feedback.R, 1);
  assert_null(p->feedback.Qf);
  assert_true(p->verify.samples == 100 && p->verify.seed == 1 && p->verify.tolerance == 0.1 &&
              p->verify.required == 0.9);
  EXPECT(p->verify.spread_q, 0.05, 0.05);
  EXPECT(p->verify.spread_v, 0.1, 0.1);
  EXPECT(p->verify.scale, 1, 1, 1, 1);
  pb_problem_free(p);
}

static void the_name_is_folder_and_file(void **state) {
  (void)state;
  pb_problem *p = get_problem(HEAD);
  char name[300];
  snprintf(name, sizeof name, "%s-p", strrchr(folder, '/') + 1);
  assert_string_equal(p->file.name, name);
  pb_problem_free(p);
}

static void the_digest_is_of_all_files_in_turn(void **state) {
  (void)state;
  pb_problem *p = get_problem(HEAD);
  pb_sha256 s;
  char text[65];
  pb_sha256_init(&s);
  pb_sha256_add(&s, HEAD, strlen(HEAD));
  pb_sha256_add(&s, CART_POLE, strlen(CART_POLE));
  pb_sha256_text(&s, text);
  assert_string_equal(p->file.sha256, text);
  pb_problem_free(p);
}

static void a_free_time_has_bounds_and_a_guess(void **state) {
  (void)state;
  pb_problem *p = get_problem("model: {urdf: c.urdf}\nhorizon: {steps: 4, time: {free: [1, 5]}}\n"
                              "start: {q: 0, v: 0}\n");
  assert_true(p->task.time.free && p->task.time.min == 1 && p->task.time.max == 5 &&
              p->task.time.T == 3);
  pb_problem_free(p);
  p = get_problem("model: {urdf: c.urdf}\nhorizon: {steps: 4, time: {free: [1, 5], guess: 2}}\n"
                  "start: {q: 0, v: 0}\n");
  assert_true(p->task.time.T == 2);
  pb_problem_free(p);
}

static void a_start_left_out_is_free_and_said(void **state) {
  (void)state;
  pb_problem *p = get_problem("model: {urdf: c.urdf}\ninputs: all\nhorizon: {steps: 4, time: 1}\n"
                              "start: {q: {slider: 0}}\ncost: {input: 1}\n");
  EXPECT(p->task.start.q, 0, NAN);
  EXPECT(p->task.start.v, NAN, NAN);
  assert_int_equal(p->warnings.n, 2);
  assert_non_null(strstr(p->warnings.text[0], "p.yaml:4: start.q has no 'pole'"));
  assert_non_null(strstr(p->warnings.text[1], "p.yaml:4: start has no v"));
  pb_problem_free(p);
  p = get_problem("model: {urdf: c.urdf}\ninputs: all\nhorizon: {steps: 4, time: 1}\n"
                  "start: {q: {slider: 0, pole: free}, v: free}\ncost: {input: 1}\n");
  EXPECT(p->task.start.q, 0, NAN);
  assert_int_equal(p->warnings.n, 0);
  pb_problem_free(p);
}

// legal but probably unintended input: one sentence each, with its line
static void a_goal_and_a_cost_of_nothing_are_said(void **state) {
  (void)state;
  const struct {
    const char *goal, *cost, *said;
  } rows[] = {
      {"goal: {}", "{input: 1}", "p.yaml:4: goal is empty"},
      {"goal: {q: free, v: {pole: free}}", "{input: 1}", "p.yaml:4: goal is empty"},
      {"goal: {q: {pole: pi}}", "{input: 1}", "p.yaml:4: goal has no v"},
      {"goal: {q: 0, v: free}", "{input: 1}", NULL},
      {"goal: {q: {pole: pi}, v: {pole: 0}}", "{input: 1}", NULL},
      {"goal: {v: 0}", "{input: 1}", NULL},
      {"goal: {q: 0, v: 0}", "{}", "p.yaml:5: cost has no weight above 0"},
      {"goal: {q: 0, v: 0}", "{input: 0, state: {q: 0}, time: 0}", "cost has no weight above 0"},
      {"goal: {q: 0, v: 0}", "{terminal: {p: {pole: 1}}}", NULL},
  };
  for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
    char text[400];
    snprintf(text, sizeof text,
             "model: {urdf: c.urdf}\nhorizon: {steps: 4, time: 1}\nstart: {q: 0, v: 0}\n%s\n"
             "cost: %s\n",
             rows[i].goal, rows[i].cost);
    pb_problem *p = get_problem(text);
    assert_int_equal(p->warnings.n, rows[i].said ? 2 : 1); // the last: no motor on the pole
    if (rows[i].said) assert_non_null(strstr(p->warnings.text[0], rows[i].said));
    pb_problem_free(p);
  }
}

static void bounds_replace_the_robots(void **state) {
  (void)state;
  pb_problem *p = get_problem(HEAD "bounds: {q: {slider: [-9, 9]}, v: none, u: none}\n");
  EXPECT(p->task.bounds[OC_Q].low, -9, -INFINITY);
  EXPECT(p->task.bounds[OC_V].high, INFINITY, INFINITY);
  EXPECT(p->task.bounds[OC_U].high, INFINITY);
  EXPECT(p->model->q_max, 2, INFINITY);
  pb_problem_free(p);
  p = get_problem(HEAD "bounds: {q: [-7, none], v: 3}\n");
  EXPECT(p->task.bounds[OC_Q].low, -7, -7);
  EXPECT(p->task.bounds[OC_Q].high, INFINITY, INFINITY);
  EXPECT(p->task.bounds[OC_V].high, 3, 3);
  pb_problem_free(p);
}

// the plan within its bounds, the law within the robot's limits, or its own; a plan that may ask for
// more than the law gives is warned about
static void the_law_has_limits_of_its_own(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double low, high;
    const char *said;
  } rows[] = {
      {"bounds: {u: [-14, 12]}\nfeedback: {}\n", -20, 20, NULL},
      {"bounds: {u: [-14, 12]}\n", -20, 20, NULL},
      {"bounds: {u: [-14, 12]}\nfeedback: {limits: [-14, 12]}\n", -14, 12, NULL},
      {"bounds: {u: [-14, 12]}\nfeedback: {limits: {slider: [-18, none]}}\n", -18, INFINITY, NULL},
      {"feedback: {limits: [[-30, 30]]}\n", -30, 30, NULL},
      {"feedback: {limits: {slider: 30}}\n", -30, 30, NULL},
      {"bounds: {u: 14}\nfeedback: {limits: 14}\n", -14, 14, NULL},
      {"feedback: {limits: none}\n", -INFINITY, INFINITY, NULL},
      {"bounds: {u: [-30, 14]}\nfeedback: {}\n", -20, 20,
       "p.yaml:7: feedback.limits: the plan may ask [-30, 14] of 'slider', which the law cuts to "
       "[-20, 20]; narrow bounds.u, or widen feedback.limits"},
      {"feedback:\n  limits: [-5, 5]\n", -5, 5,
       "p.yaml:7: feedback.limits: the plan may ask [-20, 20] of 'slider', which the law cuts to "
       "[-5, 5]; narrow"},
      {"inputs: [{joint: slider, effort: none}]\nbounds: {u: [-14, 12]}\nfeedback: {}\n", -14, 12,
       NULL}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    char text[600];
    snprintf(text, sizeof text, HEAD "cost: {input: 1}\n%s%s",
             strstr(rows[i].text, "inputs") ? "" : "inputs: [{joint: slider, effort: 20}]\n",
             rows[i].text);
    pb_problem *p = get_problem(text);
    EXPECT(p->feedback.u_min, rows[i].low);
    EXPECT(p->feedback.u_max, rows[i].high);
    assert_int_equal(p->warnings.n, rows[i].said ? 1 : 0);
    if (rows[i].said && !strstr(p->warnings.text[0], rows[i].said))
      fail_msg("%s", p->warnings.text[0]);
    pb_problem_free(p);
  }
}

static void inputs_take_their_limits_in_turn(void **state) {
  (void)state;
  pb_problem *p = get_problem(HEAD "inputs: [{joint: pole}, {joint: slider, min: -1}]\n");
  assert_int_equal(p->model->nu, 2);
  assert_string_equal(p->model->input_name[0], "pole");
  assert_int_equal(p->model->input_coord[0], 1);
  EXPECT(p->task.bounds[OC_U].low, -INFINITY, -1);
  EXPECT(p->task.bounds[OC_U].high, INFINITY, 20);
  pb_problem_free(p);
  p = get_problem(HEAD "inputs: []\n");
  assert_int_equal(p->model->nu, 0);
  pb_problem_free(p);
}

static void references_are_sampled_at_the_knots(void **state) {
  (void)state;
  pb_problem *p = get_problem(HEAD "cost: {reference: {constant: {q: {pole: pi}, u: 2}}}\n");
  EXPECT(p->task.cost[OC_Q].reference, 0, pi, 0, pi, 0, pi, 0, pi, 0, pi);
  EXPECT(p->task.cost[OC_U].reference, 2, 2, 2, 2);
  assert_null(p->task.cost[OC_V].reference);
  pb_problem_free(p);
  // t = 0, 0.5, 1, 1.5, 2: the change at 1 s is in force at the third knot
  p = get_problem(HEAD "cost: {reference: {step: {at: 1, before: {q: 1}, after: {q: 2, v: 3}}}}\n");
  EXPECT(p->task.cost[OC_Q].reference, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2);
  EXPECT(p->task.cost[OC_V].reference, 0, 0, 0, 0, 3, 3, 3, 3, 3, 3);
  pb_problem_free(p);
  p = get_problem(HEAD "cost: {reference: {step: {fraction: 0.6, before: {q: 1}}}}\n");
  EXPECT(p->task.cost[OC_Q].reference, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0);
  pb_problem_free(p);
  put_file(folder, "x.csv",
           "# made by hand\nk,t,q.slider,q.pole,u.slider,other\n"
           "0,0,0,1,5,x\n1,1,2,1,6,\n2,1.75,2,4,,\n");
  p = get_problem(HEAD "cost: {reference: {csv: x.csv}}\n");
  EXPECT(p->task.cost[OC_Q].reference, 0, 1, 1, 1, 2, 1, 2, 3, 2, 4);
  EXPECT(p->task.cost[OC_U].reference, 5, 5, 6, 6);
  pb_problem_free(p);
}

// the paper's reference changes at knot 50 of 100 whatever rounding does to 50 T/100
static void a_step_lands_on_its_knot(void **state) {
  (void)state;
  const char *const time[] = {"10", "1.1", "0.7", "3.3"}, *const at[] = {"5", "0.55", "0.35",
                                                                         "1.65"};
  for (int i = 0; i < 4; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "model: {urdf: c.urdf}\nhorizon: {steps: 100, time: %s}\nstart: {q: 0, v: 0}\n"
             "cost: {reference: {step: {at: %s, after: {q: pi}}}}\n",
             time[i], at[i]);
    pb_problem *p = get_problem(text);
    EXPECT(p->task.cost[OC_Q].reference + 2 * 49, 0, 0, pi, pi);
    pb_problem_free(p);
  }
}

static void guesses_arrive(void **state) {
  (void)state;
  pb_problem *p = get_problem(HEAD "guess: rollout\n");
  assert_int_equal(p->guess.kind, PB_ROLLOUT);
  EXPECT(p->guess.u, 0);
  pb_problem_free(p);
  p = get_problem(HEAD "guess: {rollout: {u: {slider: 3}}}\n");
  assert_int_equal(p->guess.kind, PB_ROLLOUT);
  EXPECT(p->guess.u, 3);
  pb_problem_free(p);
  put_file(folder, "x.csv", "t,q.slider,q.pole,u.slider\n10,0,0,1\n11,1,0,2\n12,1,4,\n");
  p = get_problem(HEAD "guess: {csv: x.csv}\n");
  const dm_trajectory *x = p->guess.csv;
  assert_int_equal(p->guess.kind, PB_CSV);
  assert_true(x->N == 4 && x->n == 2 && x->nu == 1 && x->h == 0.5);
  EXPECT(x->q, 0, 0, 0.5, 0, 1, 0, 1, 2, 1, 4);
  EXPECT(x->u, 1, 1, 2, 2);
  // the slider carries 1.3 kg, and at half a metre in half a second has 1.3 N s, less half a force
  assert_true(fabs(x->p[0] - (1.3 * 1 - 0.25 * 1)) < 1e-12);
  pb_problem_free(p);
}

static void angles_in_degrees_are_told(void **state) {
  (void)state;
  const struct {
    const char *limits, *table, *told;
  } rows[] = {{"[-3, 3]", "1,0,0\n2,1,170\n", "x.csv: column 'q.pole' reaches 170 rad, beyond its"},
              {"[-3, 3]", "1,0,0\n2,1,-170\n", "x.csv: column 'q.pole' reaches -170 rad"},
              {"[-3, 3]", "1,0,0\n2,1,4\n", NULL},    // a guess beyond its limit
              {"[-3, 3]", "1,0,0\n2,1,720\n", NULL},  // as degrees beyond it
              {"none", "1,0,0\n2,1,170\n", NULL},     // turns without limits
              {"[-3, 3]", "1,0,0\n2,100,1\n", NULL}}; // a place in m
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    char text[300];
    snprintf(text, sizeof text, "t,q.slider,q.pole\n%s", rows[i].table);
    put_file(folder, "x.csv", text);
    snprintf(text, sizeof text,
             HEAD "cost: {input: 1}\nbounds: {q: {slider: [-2, 2], pole: %s}}\nguess: {csv: x.csv}",
             rows[i].limits);
    pb_problem *p = get_problem(text);
    assert_int_equal(p->warnings.n, rows[i].told ? 2 : 1); // the first: no motor on the pole
    if (rows[i].told) assert_non_null(strstr(p->warnings.text[1], rows[i].told));
    pb_problem_free(p);
  }
}

static void a_free_time_follows_the_guesss_file(void **state) {
  (void)state;
  put_file(folder, "x.csv", "t,q.slider,q.pole\n0,0,0\n4,1,0\n");
  pb_problem *p = get_problem("model: {urdf: c.urdf}\nhorizon: {steps: 4, time: {free: [1, 9]}}\n"
                              "start: {q: 0, v: 0}\nguess: {csv: x.csv}\n");
  assert_true(p->task.time.T == 4 && p->guess.csv->h == 1);
  pb_problem_free(p);
}

static void rates_are_read_by_input(void **state) {
  (void)state;
  pb_problem *p = get_problem(HEAD "bounds: {rate: {slider: 30}}\ncost: {rate: {slider: 2}}\n");
  EXPECT(p->task.bounds[OC_RATE].high, 30);
  EXPECT(p->task.cost[OC_RATE].running, 2);
  pb_problem_free(p);
}

static void damping_that_a_rule_does_not_settle_is_warned_of(void **state) {
  (void)state;
  pb_problem *p = get_problem("model: {urdf: c.urdf, damping: {slider: 2000}}\n"
                              "rule: {lagrangian: lobatto-3}\n"
                              "simulate: {time: 1, step: 0.1}\n");
  assert_int_equal(p->task.system.rule.inner, 1);
  assert_true(p->fit.now->count == 0 && !p->task.system.lag);

  // of the joint, in steps that are long enough
  char text[PB_STIFF_STEPS_TEXT];
  assert_true(pb_stiff_steps_describe(p, 0, p->fit.step, false, text));
  assert_non_null(strstr(text, "a rule with nodes within the step does not settle"));
  assert_false(pb_stiff_steps_describe(p, 1, p->fit.step, false, text));
  assert_false(pb_stiff_steps_describe(p, 0, 1e-9, false, text) || text[0]);
  pb_problem_free(p);
}

static void files_may_only_simulate_or_balance(void **state) {
  (void)state;
  pb_problem *p = get_problem("model: {urdf: c.urdf}\nrule: {lagrangian: trapezoid}\n"
                              "simulate: {time: 1, step: 0.01, start: {q: {pole: 1}}, every: 5}\n");
  assert_true(!p->has.task && p->has.simulate);
  assert_true(p->simulate.steps == 100 && p->simulate.h == 0.01 && p->simulate.every == 5 &&
              !p->simulate.u);
  assert_int_equal(p->task.system.rule.points, 2);
  EXPECT(p->simulate.q, 0, 1);
  EXPECT(p->simulate.v, 0, 0);
  pb_problem_free(p);
  p = get_problem(HEAD "simulate: {start: {v: {pole: 3}}, input: {slider: 2}}\n");
  assert_true(p->has.task && p->simulate.steps == 4 && p->simulate.h == 0.5 &&
              p->simulate.every == 1);
  EXPECT(p->simulate.u, 2, 2, 2, 2);
  EXPECT(p->simulate.v, 0, 3);
  pb_problem_free(p);
  p = get_problem(HEAD "simulate: {time: 3, steps: 6}\n");
  assert_true(p->simulate.steps == 6 && p->simulate.h == 0.5);
  pb_problem_free(p);
  put_file(folder, "x.csv", "t,u.slider\n0,1\n1,2\n1.5,\n");
  p = get_problem(HEAD "simulate: {steps: 4, step: 0.5, input: {csv: x.csv}}\n");
  EXPECT(p->simulate.u, 1, 1, 2, 2);
  pb_problem_free(p);
  // or balance: what is not given is found
  p = get_problem("model: {urdf: c.urdf, gravity: [-1, 0, -9.81]}\n"
                  "balance: {q: {slider: 0.5}, near: {pole: 3}, steps: 5, time: 0.1}\n");
  const dm_trajectory *x = p->rest;
  assert_true(!p->has.task && !p->has.simulate && x && x->N == 5 && x->h == 0.02);
  for (int k = 0; k < 5; k++)
    assert_true(x->q[2 * k + 2] == 0.5 && x->q[2 * k + 3] == x->q[1] &&
                fabs(x->u[k] - 1.3) < 1e-12);
  pb_problem_free(p);
}

// a simulated motion is stabilized as an optimized one is, kinematic coordinates as forces are;
// limits are the robot's
static void feedback_needs_no_horizon(void **state) {
  (void)state;
  pb_problem *p = get_problem("model: {urdf: c.urdf, kinematic: [slider]}\n"
                              "simulate: {time: 1, steps: 2}\n"
                              "feedback: {R: {slider: 3}, Qf: {q: 1}}\n"
                              "verify: {samples: 7, start: {hold: 4, q: {pole: 0.1}}}\n");
  assert_true(p->verify.has_start && p->verify.start_plant == PB_PLANTS); // nothing said
  EXPECT(p->verify.start_q, 0, 0.1);
  EXPECT(p->verify.start_v, 0, 0);
  assert_true(!p->has.task && p->has.feedback && p->has.verify && p->verify.samples == 7);
  assert_true(p->task.system.nu == 0 && p->feedback.R[0] == 3 && p->verify.start_hold == 4);
  EXPECT(p->feedback.Qf, 1, 1, 1, 1);
  EXPECT(p->task.bounds[OC_U].low, -2);
  EXPECT(p->task.bounds[OC_U].high, 2);
  pb_problem_free(p);

  // the one start's plant by its word
  for (int i = 0; i < PB_PLANTS; i++) {
    char text[300];
    snprintf(text, sizeof text,
             HEAD "simulate: {time: 1, steps: 2}\nfeedback: {R: 1}\n"
                  "verify: {start: {plant: %s}}\n",
             pb_plant_names[i]);
    p = get_problem(text);
    assert_int_equal(p->verify.start_plant, i);
    pb_problem_free(p);
  }
  dm_message msg = {""};
  assert_int_equal(read_problem(HEAD "simulate: {time: 1, steps: 2}\nfeedback: {R: 1}\n"
                                     "verify: {start: {plant: cvode}}\n",
                                &p, &msg),
                   DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "expected one of discrete, continuous, mujoco"));
}

static void kinematic_coordinates_are_inputs_by_name(void **state) {
  (void)state;
  const char *model = "model: {urdf: c.urdf, kinematic: [slider]}\ninputs: [{joint: pole}]\n";
  char text[400];
  snprintf(text, sizeof text, "%ssimulate: {time: 1, steps: 2, start: {q: {slider: 3}}}\n", model);
  pb_problem *p = get_problem(text);
  assert_true(p->task.system.nk == 1 && p->task.system.nu == 1);
  assert_string_equal(p->names.input[1], "slider");
  EXPECT(p->simulate.u, 0, 3, 0, 3); // it stays
  pb_problem_free(p);
  snprintf(text, sizeof text, "%ssimulate: {time: 1, steps: 2, input: 5}\n", model);
  p = get_problem(text);
  EXPECT(p->simulate.u, 5, 0, 5, 0); // a number for all is a force
  pb_problem_free(p);
  snprintf(text, sizeof text, "%ssimulate: {time: 1, steps: 2, input: {slider: 2}}\n", model);
  p = get_problem(text);
  EXPECT(p->simulate.u, 0, 2, 0, 2);
  pb_problem_free(p);
  put_file(folder, "x.csv", "u.pole\n7\n8\n");
  snprintf(text, sizeof text, "%ssimulate: {time: 1, steps: 2, input: {csv: x.csv}}\n", model);
  p = get_problem(text);
  EXPECT(p->simulate.u, 7, 0, 8, 0);
  pb_problem_free(p);
  put_file(folder, "x.csv", "u.slider\n7\n8\n");
  dm_message msg = {""};
  assert_int_equal(read_problem(text, &p, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "found no column 'u.pole'"));
}

// every type: rows that a cart does not keep anyway, and values that vanish where they should alone
static void constraints_hold_what_they_say(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int rows;
    double q[2], h[6]; // off the manifold
  } types[] = {
      {"type: distance, bodies: [tip, world], points: [[0, 0, -1], [0, 0, -3]], length: 2",
       1,
       {1, 0},
       {1}},
      {"type: distance, bodies: [cart, world], points: [[0, 2, 0], [0, 0, 0]], length: slider",
       1,
       {5, 0},
       {4}},
      {"type: point, bodies: [cart, world]", 1, {3, 0}, {3, 0, 0}},
      {"type: plane, bodies: [cart, world], axis: [2, 0, 0]", 1, {3, 0}, {3}},
      {"type: line, bodies: [cart, world], axis: [0, 0, 7]", 1, {3, 0}, {3}},
      {"type: equal, coordinates: [slider, pole], ratio: 2", 1, {3, 0.5}, {2}},
      {"type: pose, bodies: [cart, world]", 1, {3, 0}, {3, 0, 0, 0, 0, 0}},
      {"type: planar-pose, bodies: [cart, world], axis: [0, 1, 0]", 1, {0, 0}, {0, 0, 0}},
  };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    char text[400];
    double h[6];
    snprintf(text, sizeof text,
             "model: {urdf: c.urdf, constraints: [{name: a, %s}]}\n"
             "horizon: {steps: 4, time: 2}\nstart: {q: 0, v: 0, assemble: none}\n",
             types[i].text);
    pb_problem *p = get_problem(text);
    const dm_holonomic *hol = &p->task.system.hol;
    assert_int_equal(hol->nc, types[i].rows);
    assert_string_equal(dm_constraints_row_name(p->robot.mechanism.constraints, hol->nc - 1), "a");
    void *scratch = aligned_alloc(64, (hol->scratch + 63) / 64 * 64);
    assert_int_equal(hol->eval(hol->self, scratch, types[i].q, h, NULL), DM_OK);
    free(scratch);
    double got = 0, want = 0;
    for (int k = 0; k < hol->nc; k++) got += h[k] * h[k], want += types[i].h[k] * types[i].h[k];
    if (fabs(got - want) > 1e-12) fail_msg("%s: %.17g, expected %.17g", types[i].text, got, want);
    pb_problem_free(p);
  }
}

// the cart-pole again, written as bodies: the same Lagrangian to the last bit
static void bodies_make_the_same_model(void **state) {
  (void)state;
  pb_problem *a = get_problem(HEAD);
  pb_problem *b = get_problem(
      "model:\n  bodies:\n"
      "    - {name: cart, joints: [{name: slider, type: tx, limits: [-2, 2], effort: 20, velocity: "
      "50}],\n       mass: 1, inertia: [1, 1, 1]}\n"
      "    - {name: tip, parent: cart, joints: [{name: pole, rotate: [0, 3, 0], damping: 0.1}],\n"
      "       mass: 0.3, inertia: {xx: 1, yy: 1, zz: 1}}\n"
      "horizon: {steps: 4, time: 2}\nstart: {q: 0, v: 0}\n");
  assert_int_equal(b->warnings.n, 1);
  dm_lagrangian La = dm_tree_lagrangian(a->model), Lb = dm_tree_lagrangian(b->model);
  assert_true(La.scratch == Lb.scratch);
  void *scratch = aligned_alloc(64, (La.scratch + 63) & ~(size_t)63);
  const double q[] = {0.3, 0.7}, v[] = {1.1, -0.4};
  double g[2][4];
  dm_jet x = {.L_q = g[0], .L_v = g[0] + 2}, y = {.L_q = g[1], .L_v = g[1] + 2};
  assert_int_equal(La.eval(La.self, scratch, 1, q, v, &x), DM_OK);
  assert_int_equal(Lb.eval(Lb.self, scratch, 1, q, v, &y), DM_OK);
  assert_true(x.L == y.L && x.L != 0 && !memcmp(g[0], g[1], sizeof g[0]));
  assert_true(!memcmp(a->model->q_min, b->model->q_min, 2 * sizeof(double)));
  assert_true(!memcmp(a->model->v_max, b->model->v_max, 2 * sizeof(double)));
  EXPECT(b->task.bounds[OC_U].high, 20);
  EXPECT(b->model->damping, 0, 0.1);
  free(scratch);
  pb_problem_free(a);
  pb_problem_free(b);
}

static void bodies_take_offsets_products_and_short_joints(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      "model:\n  gravity: [0, 0, 0]\n  bodies:\n"
      "    - {name: base, offset: {xyz: [0, 0, 1], rpy: [0, 0, pi/2]}}\n"
      "    - {name: top, parent: base, offset: {xyz: [1, 0, 0]}, joints: [tx, ry, rz], mass: 2,\n"
      "       centre: [0, 0, 0.5], inertia: {xx: 2, yy: 3, zz: 4, xz: 0.1}}\n"
      "    - {name: hand, parent: top, joints: [rx], mass: 1, inertia: [1, 1, 1]}\n"
      "simulate: {time: 1, steps: 10}\n");
  const char *name[] = {"top.tx", "top.ry", "top.rz", "hand"};
  for (int i = 0; i < 4; i++) assert_string_equal(p->model->name[i], name[i]);
  dm_lagrangian L = dm_tree_lagrangian(p->model);
  void *scratch = aligned_alloc(64, (L.scratch + 63) & ~(size_t)63);
  const double q[4] = {0.25, 0, 0, 0};
  dm_pose top = dm_tree_pose(p->model, scratch, q, dm_model_body(p->model, "top"));
  assert_true(fabs(top.p.x) + fabs(top.p.y - 1.25) + fabs(top.p.z - 1) < 1e-15);
  free(scratch);
  pb_problem_free(p);
}

static void models_read_from_either_kind_of_file(void **state) {
  (void)state;
  pb_robot a, b, c, d;
  dm_message msg = {""};
  struct pb_warnings w = {0};
  put_file(folder, "c.urdf", CART_POLE);
  assert_int_equal(pb_model_read(&a, put_file(folder, "p.yaml", HEAD), false, &w, &msg), DM_OK);
  const char *told = put_file(folder, "x.csv", CART_POLE); // by its content
  assert_int_equal(pb_model_read(&b, told, false, NULL, &msg), DM_OK);
  put_file(
      folder, "c.urdf",
      ROBOT(LINK("a", "1", ROUND) LINK("b", "1", ROUND) JOINT("j", "continuous", "a", "b", "")));
  const char *floats = put_file(folder, "p.yaml", "model: {urdf: c.urdf, base: floating}\n");
  assert_int_equal(pb_model_read(&c, floats, false, &w, &msg), DM_OK);
  assert_int_equal(pb_model_read(&d, put_file(folder, "p.yaml", HEAD), true, &w, &msg), DM_OK);
  pb_robot *const read[] = {&a, &b, &c, &d};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(read[i]->mechanism.model->nq, i < 2 ? 2 : 7);
    pb_robot_free(read[i]);
  }
  assert_int_equal(w.n, 0);
  pb_warnings_free(&w);
}

// Two warnings are expected: that a study is not for use, and that equations of a loop are left out.
static void the_worked_problems_read_without_a_warning(void **state) {
  (void)state;
  char pattern[600];
  glob_t found;
  snprintf(pattern, sizeof pattern, "%s/problems/*/*.yaml", source_folder());
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  int count = 0;
  for (size_t i = 0; i < found.gl_pathc; i++) {
    if (strstr(found.gl_pathv[i], "/expect.yaml")) continue;
    pb_problem *p;
    dm_message msg = {""};
    if (pb_problem_read(&p, found.gl_pathv[i], &msg) != DM_OK) fail_msg("%s", msg.text);
    const char *at = found.gl_pathv[i];
    const int redundant = strstr(at, "/delta") ? 3 : strstr(at, "r/space.yaml") != NULL;
    assert_true(p->warnings.n > 0 || !p->simulate.points.two);
    if (p->warnings.n > p->simulate.points.two + redundant) fail_msg("%s", p->warnings.text[0]);
    if (redundant) assert_int_equal(p->warnings.n, redundant);
    pb_problem_free(p);
    count++;
  }
  globfree(&found);
  assert_true(count > 0);
}

// the same problem, said by names and in lists that have the order of the names
static void a_list_says_what_a_mapping_says(void **state) {
  (void)state;
  static const char *const text[] = {
      HEAD "goal: {q: {slider: 1, pole: pi}, v: {slider: free, pole: 0}}\n"
           "bounds: {q: {slider: [-1, 1.5], pole: none}, v: {slider: none, pole: 12},\n"
           "         u: {slider: [-5, none]}}\n"
           "cost: {input: {slider: 2}, state: {q: {slider: 0, pole: 3}}}\n"
           "feedback: {Q: {q: {slider: 1, pole: 2}, p: 1}, R: {slider: 3}}\n"
           "verify: {spread: {q: {slider: 0.1, pole: 0.2}}, scale: {v: {slider: 3, pole: 4}}}\n"
           "simulate: {input: {slider: 4}, start: {v: {slider: 5, pole: 6}}}\n",
      HEAD "goal: {q: [1, pi], v: [free, 0]}\n"
           "bounds: {q: [[-1, 1.5], none], v: [none, 12], u: [[-5, none]]}\n"
           "cost: {input: [2], state: {q: [0, 3]}}\n"
           "feedback: {Q: {q: [1, 2], p: [1, 1]}, R: [3]}\n"
           "verify: {spread: {q: [0.1, 0.2]}, scale: {v: [3, 4]}}\n"
           "simulate: {input: [4], start: {v: [5, 6]}}\n"};
  for (int i = 0; i < 2; i++) {
    pb_problem *p = get_problem(text[i]);
    EXPECT(p->task.goal.q, 1, pi);
    EXPECT(p->task.goal.v, NAN, 0);
    EXPECT(p->task.bounds[OC_Q].low, -1, -INFINITY);
    EXPECT(p->task.bounds[OC_Q].high, 1.5, INFINITY);
    EXPECT(p->task.bounds[OC_V].high, INFINITY, 12);
    EXPECT(p->task.bounds[OC_U].low, -5);
    EXPECT(p->task.bounds[OC_U].high, INFINITY);
    EXPECT(p->task.cost[OC_U].running, 2);
    EXPECT(p->task.cost[OC_Q].running, 0, 3);
    EXPECT(p->feedback.Q, 1, 2, 1, 1);
    EXPECT(p->feedback.R, 3);
    EXPECT(p->verify.spread_q, 0.1, 0.2);
    EXPECT(p->verify.scale, 1, 1, 3, 4);
    EXPECT(p->simulate.v, 5, 6);
    EXPECT(p->simulate.u, 4, 4, 4, 4);
    pb_problem_free(p);
  }
}

// of kinematic coordinates too, after the forces; of a model in the order of its coordinates
static void lists_of_inputs_have_kinematic_ones_last(void **state) {
  (void)state;
  pb_problem *p =
      get_problem("model: {urdf: c.urdf, kinematic: [slider], damping: [3, 4]}\n"
                  "inputs: [{joint: pole}]\n"
                  "simulate: {steps: 2, time: 1, input: [7, 0.5], start: {q: [1, 2]}}\n");
  EXPECT(p->simulate.u, 7, 0.5, 7, 0.5);
  EXPECT(p->model->damping, 3, 4);
  EXPECT(p->simulate.q, 1, 2);
  pb_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_section_arrives),
      cmocka_unit_test(a_list_says_what_a_mapping_says),
      cmocka_unit_test(lists_of_inputs_have_kinematic_ones_last),
      cmocka_unit_test(what_is_left_out_has_its_default),
      cmocka_unit_test(the_name_is_folder_and_file),
      cmocka_unit_test(the_digest_is_of_all_files_in_turn),
      cmocka_unit_test(a_free_time_has_bounds_and_a_guess),
      cmocka_unit_test(a_start_left_out_is_free_and_said),
      cmocka_unit_test(a_goal_and_a_cost_of_nothing_are_said),
      cmocka_unit_test(bounds_replace_the_robots),
      cmocka_unit_test(the_law_has_limits_of_its_own),
      cmocka_unit_test(inputs_take_their_limits_in_turn),
      cmocka_unit_test(references_are_sampled_at_the_knots),
      cmocka_unit_test(a_step_lands_on_its_knot),
      cmocka_unit_test(guesses_arrive),
      cmocka_unit_test(angles_in_degrees_are_told),
      cmocka_unit_test(a_free_time_follows_the_guesss_file),
      cmocka_unit_test(rates_are_read_by_input),
      cmocka_unit_test(damping_that_a_rule_does_not_settle_is_warned_of),
      cmocka_unit_test(files_may_only_simulate_or_balance),
      cmocka_unit_test(feedback_needs_no_horizon),
      cmocka_unit_test(kinematic_coordinates_are_inputs_by_name),
      cmocka_unit_test(constraints_hold_what_they_say),
      cmocka_unit_test(bodies_make_the_same_model),
      cmocka_unit_test(bodies_take_offsets_products_and_short_joints),
      cmocka_unit_test(models_read_from_either_kind_of_file),
      cmocka_unit_test(the_worked_problems_read_without_a_warning),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
