#include "lib/second/second_order.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/base/width.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MOST = DM_SECOND_MAX_ORDER, ENDS = 2 };

// -- splines

static dm_status eval_spline(const dm_second_order_lagrangian *C, int order, const double *x,
                             double *value, double *C_x, double *C_xx) {
  int n = C->n, at = C->k * n, size = at + n;
  memset(C_x, 0, (size_t)size * sizeof *C_x);
  if (order > 1) memset(C_xx, 0, (size_t)(size * size) * sizeof *C_xx);
  *value = 0;

  // the k-th derivatives alone count
  for (int i = at; i < size; i++) {
    *value += 0.5 * x[i] * x[i];
    C_x[i] = x[i];
    if (order > 1) C_xx[i * size + i] = 1;
  }
  return DM_OK;
}

dm_second_order_lagrangian dm_second_order_spline(int n, int k) {
  return (dm_second_order_lagrangian){.n = n, .k = k, .eval = eval_spline};
}

// -- rules

// the derivatives below the k-th on the line between the ends', at t of it
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

// the k-th derivative that carries the knot at the left (t = 0) or right end to the other's q:
// X_o^(0) = sum_r (+-h)^r/r! X_e^(r) + (+-h)^k/k! q^(k)
static void set_taylor(dm_second_order_node *s, int k, double t) {
  // e carries, o = !e is reached
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

// the k-th derivative as the difference of the (k-1)-th of both ends
static void set_difference(dm_second_order_node *s, int k, double t) {
  (void)t;
  s->c[k][0][k - 1] = -1;
  s->c[k][1][k - 1] = 1;
}

// the d-th derivative at t of t^r/r! (1-t)^k sum_j binomial(k-1+j, j) t^j, j < k-r: of the
// polynomial of degree 2k-1 whose r-th derivative is 1 at 0, and all others below the k-th are 0 at
// both ends
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

  // the d-th derivative by Horner's rule, of t^j it is j!/(j-d)! t^(j-d)
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

  // X^(d) = sum_e sum_r c[d][e][r] h^(r-d) X_e^(r), of the knot's derivatives alone
  set_hermite(&s, k, t);
  memset(X, 0, (size_t)(k * n) * sizeof *X);
  for (int d = 0; d < k; d++)
    for (int e = 0; e < ENDS; e++)
      for (int r = 0; r < k; r++) {
        double c = s.c[d][e][r] * power[r - d + MOST - 1];
        for (int i = 0; c != 0 && i < n; i++) X[d * n + i] += c * end[e][r * n + i];
      }
}

// points and weights on [0,1], by their number less one
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
    {{0}, {0}}, // there is none
    {{0, 1}, {0.5, 0.5}},
    {{0, 0.5, 1}, {1. / 6, 4. / 6, 1. / 6}},
    {{0, 0.5 - SQRT_1_5 / 2, 0.5 + SQRT_1_5 / 2, 1}, {1. / 12, 5. / 12, 5. / 12, 1. / 12}}};

static const struct row {
  const char *name;
  const quadrature *points;
  int base, per_k;                                        // their number: base + per_k k
  void (*lower)(dm_second_order_node *, int k, double t); // derivatives below the k-th
  void (*top)(dm_second_order_node *, int k, double t);   // the k-th; NULL: `lower` sets it too
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

    // base + per_k k nodes, of which the table has the points by their number less one
    *rule = (dm_second_order_rule){.name = row->name, .k = k, .nodes = row->base + row->per_k * k};

    // nodes at quadrature points of [0,1]
    const quadrature *p = &row->points[rule->nodes - 1];
    for (int s = 0; s < rule->nodes; s++) {
      rule->node[s].weight = p->weight[s];

      // the node's derivatives as combinations of the knots'
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

  // nodes of both, weights share and 1 - share
  for (int s = 0; s < sum.nodes; s++) {
    bool first = s < a->nodes;
    sum.node[s] = first ? a->node[s] : b->node[s - a->nodes];
    sum.node[s].weight *= first ? share : 1 - share;
  }
  *rule = sum;
  return DM_OK;
}

static void swap(double *a, double *b) {
  double t = *a;
  *a = *b;
  *b = t;
}

// the rank of sum_s w_s c_s[k][0] c_s[k][1]': of D01 in each coordinate for splines, and as h goes
// to 0 for every Lagrangian
static int find_rank(const dm_second_order_rule *rule) {
  int k = rule->k, rank = 0;
  double E[MOST][MOST] = {{0}};
  double size = 0;

  // E = sum_s w_s c_s[k][0] c_s[k][1]'
  for (int s = 0; s < rule->nodes; s++)
    for (int i = 0; i < k; i++)
      for (int j = 0; j < k; j++)
        E[i][j] += rule->node[s].weight * rule->node[s].c[k][0][i] * rule->node[s].c[k][1][j];

  // Gaussian elimination with complete pivoting, as far as pivots are not rounding
  for (;; rank++) {
    int row = rank, col = rank;
    for (int i = rank; i < k; i++) {
      for (int j = rank; j < k; j++) {
        if (!(fabs(E[i][j]) > fabs(E[row][col]))) continue;
        row = i;
        col = j;
      }
    }

    if (rank == 0) size = fabs(E[row][col]);
    if (rank == k || !(fabs(E[row][col]) > 1e-12 * size)) return rank;

    // the pivot to the diagonal
    for (int j = 0; j < k; j++) swap(&E[row][j], &E[rank][j]);
    for (int i = 0; i < k; i++) swap(&E[i][col], &E[i][rank]);

    // the rows below, from the right: E[i][rank] is the factor until it is cleared itself
    for (int i = rank + 1; i < k; i++)
      for (int j = k - 1; j >= rank; j--) E[i][j] -= E[i][rank] / E[rank][rank] * E[rank][j];
  }
}

// -- one interval

static void lay_out_second_order(void *self, dm_block *b) {
  dm_second_order *w = self;
  size_t size = (size_t)w->size, x = size + (size_t)w->n, d = sizeof(double);
  double **const vectors[] = {&w->D0, &w->D1, &w->row, &w->col, &w->r, &w->dX, &w->X, &w->grow};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = dm_block_alloc(b, size, d);

  // by knots; of a node
  double **const matrices[] = {&w->D00, &w->D01, &w->D11, &w->M};
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
    *matrices[i] = dm_block_alloc(b, size * size, d);
  double **const node[] = {&w->x, &w->C_x};
  for (size_t i = 0; i < sizeof node / sizeof *node; i++) *node[i] = dm_block_alloc(b, x, d);
  w->half = dm_block_alloc(b, (size_t)w->n * x, d);
  w->C_xx = dm_block_alloc(b, x * x, d);
  w->piv = dm_block_alloc(b, size, sizeof *w->piv);
}

dm_status dm_second_order_new(dm_second_order **out, const dm_second_order_lagrangian *C,
                              const dm_second_order_rule *rule, dm_message *msg) {
  if (C->k != rule->k)
    return dm_fail(msg, DM_BAD_INPUT,
                   "found a Lagrangian of order %d with a rule of order %d, expected equal orders",
                   C->k, rule->k);

  dm_second_order sizes = {.C = *C, .rule = *rule, .n = C->n, .k = C->k, .size = C->k * C->n};
  dm_second_order *w = dm_block_make(&sizes, sizeof sizes, lay_out_second_order);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  *out = w;
  return DM_OK;
}

void dm_second_order_free(dm_second_order *w) {
  dm_block_free(w);
}

enum { KNOTS, DEPARTURE }; // what a step's derivatives are by: (X0,X1) or (X0,Y)

// c_s[d][0][r] at a given Y, with X1 = Phi X0 + Y: c_s[d][0][r] + sum_i c_s[d][1][i] Phi_ir, in
// powers of h as they were. A rule gives the d-th derivative of what is of lower degree as 0.
static double departure_coefficient(const dm_second_order_node *s, int d, int r) {
  double sum = s->c[d][0][r], factorial = 1;

  // Phi_ir = h^(r-i)/(r-i)!
  for (int i = r; i >= 0; i--) {
    sum += s->c[d][1][i] / factorial;
    factorial *= r - i + 1;
  }
  return r < d ? 0 : sum;
}

// f[.][s][e][r][d] = c_s[d][e][r] h^(r-d), kept until h changes
static void set_step_size(dm_second_order *w, double h) {
  int k = w->k;
  if (w->h == h) return;

  double power[2 * MOST] = {1 / pow(h, k)}; // h^(r-d) at r-d+k
  for (int i = 1; i < 2 * k; i++) power[i] = power[i - 1] * h;

  // by X1 and by Y the derivatives are the same
  for (int s = 0; s < w->rule.nodes; s++)
    for (int r = 0; r < k; r++)
      for (int d = 0; d <= k; d++) {
        const dm_second_order_node *node = &w->rule.node[s];
        double p = power[r - d + k];
        w->f[KNOTS][s][0][r][d] = node->c[d][0][r] * p;
        w->f[DEPARTURE][s][0][r][d] = departure_coefficient(node, d, r) * p;
        w->f[KNOTS][s][1][r][d] = w->f[DEPARTURE][s][1][r][d] = node->c[d][1][r] * p;
      }
  w->h = h;
}

// A rule gives what is moved to where it is moved, so that it is enough to take q1 - q0: no digits
// are lost far from q = 0.
void dm_second_order_node_at(dm_second_order *w, int s, const double *X0, const double *X1,
                             double h, double *x) {
  const double *const X[ENDS] = {X0, X1};
  int n = w->n;

  set_step_size(w, h);

  memset(x, 0, (size_t)(w->size + n) * sizeof *x);

  // at X0 - (q0,0,..), X1 - (q0,0,..): the knot's own q0 is zero and left out
  for (int d = 0; d <= w->k; d++)
    for (int e = 0; e < ENDS; e++)
      for (int r = e == 0; r < w->k; r++) {
        double f = w->f[KNOTS][s][e][r][d];
        for (int i = 0; f != 0 && i < n; i++)
          x[d * n + i] += f * (X[e][r * n + i] - (r == 0 ? X0[i] : 0));
      }

  // and back by q0
  for (int i = 0; i < n; i++) x[i] += X0[i];
}

// out [columns] += c row
__attribute__((always_inline)) static inline void
add_scaled_row(int columns, double c, const double *restrict row, double *restrict out) {
  for (int j = 0; c != 0 && j < columns; j++) out[j] += c * row[j];
}

// out += c in of n rows, which are so far apart
__attribute__((always_inline)) static inline void add_scaled_block(int n, double c,
                                                                   const double *restrict in,
                                                                   int from, double *restrict out,
                                                                   int to) {
  for (int i = 0; c != 0 && i < n; i++)
    for (int j = 0; j < n; j++) out[i * to + j] += c * in[i * from + j];
}

// weight times g and H of node s into D0, D1 and D00, D01, D11: with F = f the derivatives of the
// node by both ends, F'g and F'H F, rows of H first and then its columns; D10 = D01' is left out
DM_EACH_WIDTH static void pull_to_ends(dm_second_order *w, int by, int s, double weight,
                                       const double *g, const double *H) {
  double(*f)[MOST][MOST + 1] = w->f[by][s];
  double *const D[ENDS] = {w->D0, w->D1};
  double *const block[ENDS][ENDS] = {{w->D00, w->D01}, {NULL, w->D11}};
  int n = w->n, k = w->k, size = w->size, wide = size + n;

  // F'g
  for (int e = 0; g && e < ENDS; e++)
    for (int r = 0; r < k; r++)
      for (int d = 0; d <= k; d++) add_scaled_row(n, weight * f[e][r][d], g + d * n, D[e] + r * n);

  // F'H of one derivative of one end [n x (k+1) n], then times F
  for (int e = 0; H && e < ENDS; e++)
    for (int r = 0; r < k; r++) {
      memset(w->half, 0, (size_t)(n * wide) * sizeof *w->half);
      for (int d = 0; d <= k; d++)
        add_scaled_row(n * wide, weight * f[e][r][d], H + d * n * wide, w->half);
      // to the ends from e on: the lower block is the upper one's transpose
      for (int e2 = e; e2 < ENDS; e2++)
        for (int r2 = 0; r2 < k; r2++)
          for (int d = 0; d <= k; d++)
            add_scaled_block(n, f[e2][r2][d], w->half + d * n, wide,
                             block[e][e2] + r * n * size + r2 * n, size);
    }
}

void dm_second_order_add_node(dm_second_order *w, int s, double h, double weight, const double *g,
                              const double *H) {
  set_step_size(w, h);
  pull_to_ends(w, KNOTS, s, weight, g, H);
}

static dm_status eval_interval(dm_second_order *w, int by, int order, const double *X0,
                               const double *X1, double h) {
  size_t size = (size_t)w->size;
  double *const all[] = {w->D0, w->D1, w->D00, w->D01, w->D11};

  // D0, D1 of order 1, D00, D01, D11 of order 2
  for (int i = 0; i < (order > 1 ? 5 : 2 * order); i++)
    memset(all[i], 0, (i < 2 ? size : size * size) * sizeof(double));

  // Ld = h sum_s w_s C(x_s)
  w->Ld = 0;
  for (int s = 0; s < w->rule.nodes; s++) {
    double value, weight = h * w->rule.node[s].weight;
    dm_second_order_node_at(w, s, X0, X1, h, w->x);
    DM_TRY(w->C.eval(&w->C, order, w->x, &value, w->C_x, w->C_xx));
    w->Ld += weight * value;
    if (order > 0) pull_to_ends(w, by, s, weight, w->C_x, order > 1 ? w->C_xx : NULL);
  }
  return isfinite(w->Ld) ? DM_OK : DM_NOT_FINITE;
}

dm_status dm_second_order_eval(dm_second_order *w, int order, const double *X0, const double *X1,
                               double h) {
  return eval_interval(w, KNOTS, order, X0, X1, h);
}

// dx_s/dh of node s [(k+1) n]: every entry is c h^(r-d) X_e^(r), the knot's own q0 left out
static void derive_node(const dm_second_order *w, int s, const double *X0, const double *X1,
                        double h, double *x_h) {
  const double *const X[ENDS] = {X0, X1};
  const int n = w->n;
  memset(x_h, 0, (size_t)(w->size + n) * sizeof *x_h);
  for (int d = 0; d <= w->k; d++)
    for (int e = 0; e < ENDS; e++)
      for (int r = e == 0; r < w->k; r++) {
        double f = w->f[KNOTS][s][e][r][d] * (r - d) / h;
        for (int i = 0; f != 0 && i < n; i++)
          x_h[d * n + i] += f * (X[e][r * n + i] - (r == 0 ? X0[i] : 0));
      }
}

dm_status dm_second_order_energy(dm_second_order *w, const double *X0, const double *X1, double h,
                                 double *E) {
  double *x_h = w->half, sum = 0;
  for (int s = 0; s < w->rule.nodes; s++) {
    double value, along = 0;
    dm_second_order_node_at(w, s, X0, X1, h, w->x);
    DM_TRY(w->C.eval(&w->C, 1, w->x, &value, w->C_x, w->C_xx));
    derive_node(w, s, X0, X1, h, x_h);

    // d/dh of h w_s C(x_s)
    for (int i = 0; i < w->size + w->n; i++) along += w->C_x[i] * x_h[i];
    sum += w->rule.node[s].weight * (value + h * along);
  }
  *E = -sum;
  return isfinite(*E) ? DM_OK : DM_NOT_FINITE;
}

dm_status dm_second_order_eval_departure(dm_second_order *w, int order, const double *X0,
                                         const double *X1, double h) {
  return eval_interval(w, DEPARTURE, order, X0, X1, h);
}

void dm_second_order_top_square(dm_second_order *w, double h, double *E) {
  int k = w->k;
  set_step_size(w, h);
  memset(E, 0, (size_t)(k * k) * sizeof *E);
  for (int s = 0; s < w->rule.nodes; s++)
    for (int r = 0; r < k; r++)
      for (int c = 0; c < k; c++)
        E[r * k + c] +=
            h * w->rule.node[s].weight * w->f[DEPARTURE][s][1][r][k] * w->f[DEPARTURE][s][1][c][k];
}

// -- the flow

// Factor A [size x size], with distance lda from row to row, its rows and then its columns divided
// by their largest entries: so no power of h and no unit counts.
static dm_status factor_equilibrated(dm_second_order *w, int size, const double *A, int lda) {
  w->condition = INFINITY;

  // rows
  for (int i = 0; i < size; i++) {
    double most = dm_largest(size, A + i * lda);
    w->row[i] = most > 0 ? 1 / most : 1;
    for (int j = 0; j < size; j++) w->M[i * size + j] = w->row[i] * A[i * lda + j];
  }

  // columns
  for (int j = 0; j < size; j++) {
    double most = 0;
    for (int i = 0; i < size; i++) most = fmax(most, fabs(w->M[i * size + j]));
    w->col[j] = most > 0 ? 1 / most : 1;
    for (int i = 0; i < size; i++) w->M[i * size + j] *= w->col[j];
  }

  DM_TRY(dm_lu_factor(size, w->M, w->piv));
  w->condition = dm_lu_growth(size, w->M, w->piv, w->grow); // the largest entry is 1
  return w->condition < 1 / (size * DBL_EPSILON) ? DM_OK : DM_SINGULAR;
}

dm_status dm_second_order_check(dm_second_order *w, const double *X0, const double *X1, double h,
                                dm_message *msg) {
  static const char *const top[] = {"velocities", "accelerations", "jerks"};
  int n = w->n, k = w->k, rank = find_rank(&w->rule);

  // 1  the rule alone
  if (rank < k)
    return dm_fail(
        msg, DM_SINGULAR,
        "the rule '%s' is degenerate for Lagrangians of order %d: its %s give D0 D1 Ld rank %d "
        "of %d in each coordinate, so that a step does not determine its end",
        w->rule.name, k, top[k - 1], rank, k);

  // 2  C at each node, by the derivatives of the highest order
  for (int s = 0; s < w->rule.nodes; s++) {
    double value;
    dm_second_order_node_at(w, s, X0, X1, h, w->x);
    DM_TRY(w->C.eval(&w->C, 2, w->x, &value, w->C_x, w->C_xx));
    dm_status status =
        factor_equilibrated(w, n, w->C_xx + w->size * (w->size + n) + w->size, w->size + n);
    if (status == DM_SINGULAR)
      return dm_fail(msg, status,
                     "the Lagrangian is singular: its second derivatives by the %s are (condition "
                     "number %.2g); an input that costs something must act on every coordinate",
                     top[k - 1], w->condition);
    if (status < 0) return dm_fail(msg, status, "%s", dm_status_text(status));
  }

  // 3  D01, which Newton's method factors
  DM_TRY(dm_second_order_eval(w, 2, X0, X1, h));
  dm_status status = factor_equilibrated(w, w->size, w->D01, w->size);
  if (status < 0)
    return dm_fail(msg, status, "D0 D1 Ld: %s (condition number %.2g, h = %g)",
                   dm_status_text(status), w->condition, h);
  return DM_OK;
}

// the largest of h^r X^(r)
static double scaled_length(const dm_second_order *w, double h, const double *X) {
  // h^r makes the derivatives of order r a length as q is
  double most = 0, power = 1;
  for (int r = 0; r < w->k; r++, power *= h)
    most = fmax(most, power * dm_largest(w->n, X + r * w->n));
  return most;
}

// r = P0 + D0 at w->X
static dm_status form_residual(dm_second_order *w, int order, const double *X0, const double *P0,
                               double h) {
  DM_TRY(dm_second_order_eval(w, order, X0, w->X, h));
  // a NaN or infinity anywhere is in the sum
  double sum = 0;
  for (int i = 0; i < w->size; i++) {
    w->r[i] = P0[i] + w->D0[i];
    sum += w->r[i];
  }
  return isfinite(sum) ? DM_OK : DM_NOT_FINITE;
}

// the largest entry of r, in rows scaled as the last matrix
static double scaled_residual(const dm_second_order *w) {
  double most = 0;
  for (int i = 0; i < w->size; i++) most = fmax(most, fabs(w->row[i] * w->r[i]));
  return most;
}

// X -= t dX
static void move_end(dm_second_order *w, double t) {
  for (int i = 0; i < w->size; i++) w->X[i] -= t * w->dX[i];
}

dm_status dm_second_order_step(dm_second_order *w, const double *X0, const double *P0, double h,
                               double *X1, double *P1, dm_second_order_info *info) {
  enum { MAX_ITER = 50, HALVINGS = 20 };

  // a Newton step below `last` is the last one, for what it leaves is of its square; where rounding
  // keeps the residual from falling, one below `rounding` is
  const double last = 1e-9, rounding = 1e-5;
  size_t bytes = (size_t)w->size * sizeof *X1;
  bool done = false, stuck = false;

  memcpy(w->X, X1, bytes);
  *info = (dm_second_order_info){0};
  while (!done && !stuck && info->iterations < MAX_ITER) {
    DM_TRY(form_residual(w, 2, X0, P0, h));
    dm_status status = factor_equilibrated(w, w->size, w->D01, w->size);
    info->condition = w->condition;
    DM_TRY(status);

    // dX = D01^-1 r by the factors of R D01 C, R and C the scales of rows and columns
    double before = scaled_residual(w), t = 1;
    for (int i = 0; i < w->size; i++) w->dX[i] = w->row[i] * w->r[i];
    dm_lu_solve(w->size, w->M, w->piv, 1, w->dX);
    for (int i = 0; i < w->size; i++) w->dX[i] *= w->col[i];

    // its size, each derivative in units of X1's
    info->iterations++;
    info->step = scaled_length(w, h, w->dX) / fmax(scaled_length(w, h, w->X), DBL_MIN);
    if (!isfinite(info->step)) return DM_NOT_FINITE;
    move_end(w, t);
    done = info->step <= last;

    // halve it until the residual falls
    while (!done && !(form_residual(w, 1, X0, P0, h) == DM_OK && scaled_residual(w) < before)) {
      done = info->step <= rounding;
      stuck = !done && t < ldexp(1, -HALVINGS);
      if (done || stuck) break;
      t /= 2;
      move_end(w, -t);
    }
  }

  // P1 = D1 at the end that was found
  DM_TRY(dm_second_order_eval(w, 1, X0, w->X, h));
  memcpy(X1, w->X, bytes);
  memcpy(P1, w->D1, bytes);
  return done ? DM_OK : DM_MAX_ITER;
}
