#include "lib/second/second_order_rule.h"

#include <stdbool.h>
#include <string.h>

enum { MOST = DM_SECOND_MAX_ORDER, ENDS = 2 };

// derivatives below the k-th, interpolated linearly between the ends at t
static void set_line(dm_second_order_node *s, int k, double t) {
  for (int d = 0; d < k; d++) {
    s->c[d][0][d] = 1 - t;
    s->c[d][1][d] = t;
  }
}

static void set_mean(dm_second_order_node *s, int k, double t) {
  (void)t;
  set_line(s, k, 0.5);
}

// the k-th derivative that extrapolates the knot at the left (t = 0) or right end to the other's q:
// X_o^(0) = sum_r (+-h)^r/r! X_e^(r) + (+-h)^k/k! q^(k)
static void set_taylor(dm_second_order_node *s, int k, double t) {
  // from end e to end o = !e
  int e = t > 0.5, sign = e ? -1 : 1;
  double power = 1, factorial = 1; // (+-1)^r, r!

  // -sum_r (+-1)^r/r! X_e^(r) + X_o^(0)
  for (int r = 0; r < k; r++) {
    s->c[k][e][r] -= power / factorial;
    power *= sign;
    factorial *= r + 1;
  }

  // times k!/(+-1)^k
  for (int r = 0; r < k; r++) s->c[k][e][r] *= factorial * power;
  s->c[k][!e][0] = factorial * power;
}

// the k-th derivative as the difference of the (k-1)-th at both ends
static void set_difference(dm_second_order_node *s, int k, double t) {
  (void)t;
  s->c[k][0][k - 1] = -1;
  s->c[k][1][k - 1] = 1;
}

// the d-th derivative at t of t^r/r! (1-t)^k sum_j binomial(k-1+j, j) t^j, j < k-r: the polynomial
// of degree 2k-1 whose r-th derivative at 0 is 1, and whose other derivatives below the k-th are 0
// at both ends
static double hermite_basis(int k, int r, int d, double t) {
  double p[2 * MOST] = {0};
  double coefficient = 1;

  // coefficients of t^r/r! times the sum over j
  for (int i = 2; i <= r; i++) coefficient /= i;
  for (int j = 0; j < k - r; j++) {
    p[r + j] = coefficient;
    coefficient *= (double)(k + j) / (j + 1);
  }

  // times (1-t), k times
  for (int i = 0; i < k; i++)
    for (int j = 2 * k - 1; j > 0; j--) p[j] -= p[j - 1];

  // d-th derivative by Horner's rule; of t^j it is j!/(j-d)! t^(j-d)
  double value = 0;
  for (int j = 2 * k - 1; j >= d; j--) {
    value *= t;
    double term = p[j];
    for (int i = 0; i < d; i++) term *= j - i;
    value += term;
  }
  return value;
}

static void set_hermite(dm_second_order_node *s, int k, double t) {
  for (int d = 0; d <= k; d++)
    for (int r = 0; r < k; r++) {
      s->c[d][0][r] = hermite_basis(k, r, d, t);
      s->c[d][1][r] = ((r + d) % 2 ? -1 : 1) * hermite_basis(k, r, d, 1 - t); // mirrored
    }
}

void dm_second_order_between(int n, int k, const double *X0, const double *X1, double h, double t,
                             double *X) {
  const double *const end[ENDS] = {X0, X1};
  dm_second_order_node s = {0};
  double power[2 * MOST - 1] = {0}; // h^(r-d) at r-d+MOST-1

  power[MOST - 1] = 1;
  for (int i = 1; i < k; i++) {
    power[MOST - 1 + i] = power[MOST - 2 + i] * h;
    power[MOST - 1 - i] = power[MOST - i] / h;
  }

  // X^(d) = sum_e sum_r c[d][e][r] h^(r-d) X_e^(r)
  set_hermite(&s, k, t);
  memset(X, 0, (size_t)(k * n) * sizeof *X);
  for (int d = 0; d < k; d++)
    for (int e = 0; e < ENDS; e++)
      for (int r = 0; r < k; r++) {
        double c = s.c[d][e][r] * power[r - d + MOST - 1];
        for (int i = 0; c != 0 && i < n; i++) X[d * n + i] += c * end[e][r * n + i];
      }
}

// points and weights on [0,1], indexed by their number minus one
typedef struct quadrature {
  double at[MOST + 1], weight[MOST + 1];
} quadrature;
#define SQRT_1_3 0.57735026918962576451
#define SQRT_3_5 0.77459666924148337704
#define SQRT_1_5 0.44721359549995793928
static const quadrature gauss[] = {
    {{0.5}, {1}},
    {{0.5 - SQRT_1_3 / 2, 0.5 + SQRT_1_3 / 2}, {0.5, 0.5}},
    {{0.5 - SQRT_3_5 / 2, 0.5, 0.5 + SQRT_3_5 / 2}, {5. / 18, 8. / 18, 5. / 18}}};
static const quadrature lobatto[] = {
    {{0}, {0}}, // does not exist
    {{0, 1}, {0.5, 0.5}},
    {{0, 0.5, 1}, {1. / 6, 4. / 6, 1. / 6}},
    {{0, 0.5 - SQRT_1_5 / 2, 0.5 + SQRT_1_5 / 2, 1}, {1. / 12, 5. / 12, 5. / 12, 1. / 12}}};

static const struct row {
  const char *name;
  const quadrature *points;
  int base, per_k;                                        // number of points: base + per_k k
  void (*lower)(dm_second_order_node *, int k, double t); // sets derivatives below the k-th
  void (*top)(dm_second_order_node *, int k, double t);   // sets the k-th; NULL: `lower` sets it
} rows[] = {{"taylor", lobatto, 2, 0, set_mean, set_taylor},
            {"taylor-ends", lobatto, 2, 0, set_line, set_taylor},
            {"difference-ends", lobatto, 2, 0, set_line, set_difference},
            {"difference-midpoint", gauss, 1, 0, set_line, set_difference},
            {"hermite-gauss", gauss, 0, 1, set_hermite, NULL},
            {"hermite-lobatto", lobatto, 1, 1, set_hermite, NULL}};
enum { ROWS = sizeof rows / sizeof *rows };

const char *dm_second_order_rule_name(int i) {
  return i < ROWS ? rows[i].name : NULL;
}

dm_status dm_second_order_rule_set(dm_second_order_rule *rule, const char *name, int k,
                                   dm_message *msg) {
  if (k < 1 || k > MOST)
    return dm_fail(msg, DM_BAD_INPUT, "expected a Lagrangian of order 1 to %d, found %d", MOST, k);
  for (const struct row *row = rows; row < rows + ROWS; row++) {
    if (strcmp(name, row->name) != 0) continue;

    // base + per_k k nodes
    *rule = (dm_second_order_rule){.name = row->name, .k = k, .nodes = row->base + row->per_k * k};

    // nodes at quadrature points of [0,1]
    const quadrature *p = &row->points[rule->nodes - 1];
    for (int s = 0; s < rule->nodes; s++) {
      rule->node[s].weight = p->weight[s];

      // derivatives at the node as combinations of the knots' derivatives
      row->lower(&rule->node[s], k, p->at[s]);
      if (row->top) row->top(&rule->node[s], k, p->at[s]);
    }
    return DM_OK;
  }
  return dm_fail(msg, DM_BAD_INPUT,
                 "no discrete Lagrangian of higher order is called '%s'; there are %s, %s, %s, %s, "
                 "%s, %s",
                 name, rows[0].name, rows[1].name, rows[2].name, rows[3].name, rows[4].name,
                 rows[5].name);
}

dm_status dm_second_order_rule_average(dm_second_order_rule *rule, double share,
                                       const dm_second_order_rule *a,
                                       const dm_second_order_rule *b) {
  if (a->k != b->k || a->nodes + b->nodes > DM_SECOND_NODES) return DM_BAD_INPUT;
  dm_second_order_rule sum = {.name = "average", .k = a->k, .nodes = a->nodes + b->nodes};

  // the nodes of both, with weights share and 1 - share
  for (int s = 0; s < sum.nodes; s++) {
    bool first = s < a->nodes;
    sum.node[s] = first ? a->node[s] : b->node[s - a->nodes];
    sum.node[s].weight *= first ? share : 1 - share;
  }
  *rule = sum;
  return DM_OK;
}
