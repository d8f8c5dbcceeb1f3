// Planar chains of N links: derivatives of L, a step, its linearization, inverse dynamics.
#include "benchmarks/figures.h"
#include "lib/multibody/output.h"
#include "lib/multibody/tree_system.h"
#include "tests/support/models.h"

typedef struct chain {
  dm_system s;
  dm_del *del;
  dm_linearize *lin;
  dm_interval *d;
  dm_inverse *inverse;
  dm_torque_cost *effort;
  dm_second_order *second;
  dm_outputs *outputs; // position of the last link's end
  dm_output_map tool;
  void *tool_scratch;
  int n;
  double q0[200], q1[200], p1[200], mu[400], X1[400], zero[200], W[200];
  double *A, *B, *F;
} chain;

static void evaluate_second_derivatives(void *self) {
  chain *c = self;
  c->s.L.eval(c->s.L.self, c->d->nodes->L_scratch, 2, c->q0, c->mu, &c->d->nodes->jet);
}

static void contract_third_derivatives(void *self) {
  chain *c = self;
  c->s.L.contract(c->s.L.self, c->d->nodes->L_scratch, c->q0, c->mu, c->mu, c->mu + c->n,
                  &c->d->nodes->T);
}

// from the previous knot, with the last step as the guess again
static void take_chain_step(void *self) {
  chain *c = self;
  double q2[200], p2[200];
  dm_del_info info;
  for (int i = 0; i < c->n; i++) q2[i] = 2 * c->q1[i] - c->q0[i];
  bench_need(dm_del_step(c->del, c->q1, c->p1, c->zero, 0.01, q2, p2, &info), "a step");
}

static void linearize_chain_step(void *self) {
  chain *c = self;
  bench_need(dm_linearize_step(c->lin, c->q0, c->q1, c->zero, NULL, 0.01, c->A, c->B),
             "a linearization");
}

static void linearize_second_order(void *self) {
  chain *c = self;
  size_t nn = (size_t)(c->n * c->n);
  bench_need(dm_linearize_second(c->lin, c->q0, c->q1, c->zero, NULL, 0.01, c->mu, c->F,
                                 c->F + 4 * nn, c->F + 6 * nn),
             "second order");
}

// tau with all first derivatives, and the Hessian of mu.tau at the same point
static void evaluate_inverse(void *self) {
  chain *c = self;
  bench_need(dm_inverse_eval(c->inverse, 1, c->q0, c->mu, c->mu + c->n), "inverse dynamics");
}

static void contract_inverse(void *self) {
  chain *c = self;
  bench_need(dm_inverse_contract(c->inverse, 2, c->mu), "second derivatives of tau");
}

// all second derivatives of tau, one row after the other
static void contract_every_inverse(void *self) {
  chain *c = self;
  double row[200] = {0};
  for (int i = 0; i < c->n; i++) {
    row[i] = 1;
    bench_need(dm_inverse_contract(c->inverse, 2, row), "second derivatives of tau");
    row[i] = 0;
  }
}

// one interval of the torque cost as a second-order discrete Lagrangian with two nodes, with its
// Hessian
static void evaluate_second_lagrangian(void *self) {
  chain *c = self;
  bench_need(dm_second_order_eval(c->second, 2, c->mu, c->X1, 0.01), "a second-order interval");
}

// D1, D2 of an interval with their derivatives, and the Hessian of mu0.D1 + mu1.D2
static void evaluate_interval(void *self) {
  chain *c = self;
  bench_need(dm_interval_eval(c->d, 1, c->q0, c->q1, c->zero, 0.01), "an interval");
  bench_need(dm_interval_contract(c->d, true, c->q0, c->q1, c->zero, 0.01, c->mu, c->mu + c->n),
             "its Hessian");
}

// the position of the end, with first derivatives, and at the same point, as in programs, the
// Hessian of lambda.y
static void evaluate_tool(void *self) {
  static const double lambda[3] = {0.3, -0.7, 1};
  chain *c = self;
  double y[3];
  bench_need(dm_output_map_eval(&c->tool, c->tool_scratch, c->q0, NULL, y, c->F, NULL), "a place");
  bench_need(
      dm_output_map_contract(&c->tool, c->tool_scratch, NULL, NULL, lambda, c->A, NULL, NULL),
      "its Hessian");
}

static const struct {
  const char *name;
  void (*call)(void *);
} rows[] = {{"second_derivatives", evaluate_second_derivatives},
            {"third_contracted", contract_third_derivatives},
            {"step", take_chain_step},
            {"linearize", linearize_chain_step},
            {"second_order", linearize_second_order},
            {"inverse", evaluate_inverse},
            {"inverse_second", contract_inverse},
            {"inverse_every_second", contract_every_inverse},
            {"second_lagrangian", evaluate_second_lagrangian},
            {"interval", evaluate_interval},
            {"tool", evaluate_tool}};

// initialize the chain of n links with its workspaces
static void open_chain(chain *c, dm_model *m, int n) {
  c->n = n;
  c->s = dm_system_of(m);
  bench_need(dm_del_new(&c->del, &c->s, NULL), "memory");
  bench_need(dm_linearize_new(&c->lin, &c->s), "memory");
  bench_need(dm_interval_new(&c->d, &c->s), "memory");
  bench_need(dm_inverse_new(&c->inverse, m, NULL), "memory");

  // torque cost with two nodes per interval
  dm_second_order_rule rule;
  bench_need(dm_torque_cost_new(&c->effort, m, NULL, NULL, c->W), "memory");
  dm_second_order_lagrangian C = dm_torque_cost_lagrangian(c->effort);
  bench_need(dm_second_order_rule_set(&rule, "hermite-gauss", 2, NULL), "a rule");
  bench_need(dm_second_order_new(&c->second, &C, &rule, NULL), "memory");
  c->A = calloc((size_t)(4 * n * n), sizeof *c->A);

  // the end position as an output
  const dm_output end = {.name = "tool",
                         .kind = DM_OUTPUT_POSITION,
                         .body = {m->nbody - 1, -1},
                         .point = {{0, 0, -0.4}}};
  bench_need(dm_outputs_new(&c->outputs, m, 1, &end, NULL), "memory");
  const dm_holonomic signals = dm_outputs_signals(c->outputs);
  c->tool = dm_outputs_map(c->outputs, &signals, n);
  c->tool_scratch = aligned_alloc(64, (c->tool.scratch + 127) & ~(size_t)63);
  c->F = malloc((size_t)(7 * n * n) * sizeof *c->F);
  c->B = malloc((size_t)(2 * n * n) * sizeof *c->B);
}

// a bent, moving configuration, the same for all lengths
static void set_motion(chain *c) {
  const int n = c->n;
  for (int i = 0; i < n; i++) {
    c->q0[i] = 0.1 * sin(i);
    c->q1[i] = c->q0[i] + 0.005 * cos(i);
    c->mu[i] = sin(2 * i);
    c->mu[n + i] = cos(3 * i);
    c->X1[i] = c->mu[i] + 0.01 * c->mu[n + i];
    c->X1[n + i] = c->mu[n + i];
    c->W[i] = 1;
  }
  bench_need(dm_interval_eval(c->d, 1, c->q0, c->q1, c->zero, 0.01), "an interval");
  memcpy(c->p1, c->d->D2, (size_t)n * sizeof(double));

  // needed by second derivatives of tau
  evaluate_inverse(c);
}

static void close_chain(chain *c) {
  free(c->A);
  free(c->B);
  free(c->F);
  free(c->tool_scratch);
  dm_outputs_free(c->outputs);
  dm_del_free(c->del);
  dm_linearize_free(c->lin);
  dm_interval_free(c->d);
  dm_second_order_free(c->second);
  dm_torque_cost_free(c->effort);
  dm_inverse_free(c->inverse);
}

void bench_mechanics(void) {
  static const int length[] = {2, 6, 7, 10, 20, 40, 80, 160};
  double at[COUNT(rows)][2] = {{0}};
  if (!bench_wanted("chain")) return;
  for (int k = 0; k < COUNT(length); k++) {
    static chain c;
    dm_model *m = models_chain(length[k], 0.4, 0);
    open_chain(&c, m, length[k]);
    set_motion(&c);
    for (int r = 0; r < COUNT(rows); r++) {
      char name[64];
      snprintf(name, sizeof name, "chain%d.%s_us", c.n, rows[r].name);
      if (!bench_wanted(name) && !bench_wanted("chain.")) continue;
      double us = bench_time_us(rows[r].call, &c);
      if (c.n == 10) at[r][0] = us;
      if (c.n == 160) at[r][1] = us;
      bench_print(name, us, "us");
    }
    close_chain(&c);
    dm_model_free(m);
  }

  // cost ~ n^exponent, from 10 to 160 links
  for (int r = 0; r < COUNT(rows); r++) {
    char name[64];
    snprintf(name, sizeof name, "chain.%s.growth", rows[r].name);
    bench_print(name, log(at[r][1] / at[r][0]) / log(16), "exponent");
  }
}
