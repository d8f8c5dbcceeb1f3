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

  // only the k-th derivatives enter
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

// -- regularity

static void swap(double *a, double *b) {
  double t = *a;
  *a = *b;
  *b = t;
}

// rank of sum_s w_s c_s[k][0] c_s[k][1]': of D01 per coordinate for splines, and for every
// Lagrangian in the limit h -> 0
static int find_rank(const dm_second_order_rule *rule) {
  int k = rule->k, rank = 0;
  double E[MOST][MOST] = {{0}};
  double size = 0;

  // E = sum_s w_s c_s[k][0] c_s[k][1]'
  for (int s = 0; s < rule->nodes; s++)
    for (int i = 0; i < k; i++)
      for (int j = 0; j < k; j++)
        E[i][j] += rule->node[s].weight * rule->node[s].c[k][0][i] * rule->node[s].c[k][1][j];

  // Gaussian elimination with complete pivoting, until the pivots are rounding
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

    // move the pivot to the diagonal
    for (int j = 0; j < k; j++) swap(&E[row][j], &E[rank][j]);
    for (int i = 0; i < k; i++) swap(&E[i][col], &E[i][rank]);

    // eliminate from right to left: E[i][rank] is the factor until it is cleared
    for (int i = rank + 1; i < k; i++)
      for (int j = k - 1; j >= rank; j--) E[i][j] -= E[i][rank] / E[rank][rank] * E[rank][j];
  }
}

// -- one interval

// work arrays for C.lanes steps, entry i of step l at i lanes + l
struct dm_second_order_batch {
  double *X[ENDS];         // [size]
  double *x, *C_x, *C_xx;  // of a node: [(k+1) n], its square
  double *value;           // [1]
  double *half;            // [n x (k+1) n]
  double *D[ENDS];         // [size]
  double *D00, *D01, *D11; // [size x size]
};

static void lay_out_second_order(void *self, dm_block *b) {
  dm_second_order *w = self;
  size_t size = (size_t)w->size, x = size + (size_t)w->n, d = sizeof(double);
  double **const vectors[] = {&w->D0, &w->D1, &w->row, &w->col, &w->r, &w->dX, &w->X, &w->grow};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = dm_block_alloc(b, size, d);

  // matrices by knots; arrays of a node
  double **const matrices[] = {&w->D00, &w->D01, &w->D11, &w->M};
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
    *matrices[i] = dm_block_alloc(b, size * size, d);
  double **const node[] = {&w->x, &w->C_x};
  for (size_t i = 0; i < sizeof node / sizeof *node; i++) *node[i] = dm_block_alloc(b, x, d);
  w->half = dm_block_alloc(b, (size_t)w->n * x, d);
  w->C_xx = dm_block_alloc(b, x * x, d);
  w->piv = dm_block_alloc(b, size, sizeof *w->piv);

  // arrays of several steps, whose struct does not exist during counting
  size_t lanes = (size_t)w->C.lanes;
  struct dm_second_order_batch none, *a = &none;
  w->batch = dm_block_alloc(b, lanes > 0, sizeof *w->batch);
  if (lanes > 0 && w->batch) a = w->batch;
  double **const knots[] = {&a->X[0], &a->X[1], &a->D[0], &a->D[1]};
  for (size_t i = 0; i < 4; i++) *knots[i] = dm_block_alloc(b, size * lanes, d);
  double **const blocks[] = {&a->D00, &a->D01, &a->D11};
  for (size_t i = 0; i < 3; i++) *blocks[i] = dm_block_alloc(b, size * size * lanes, d);
  a->x = dm_block_alloc(b, x * lanes, d);
  a->C_x = dm_block_alloc(b, x * lanes, d);
  a->C_xx = dm_block_alloc(b, x * x * lanes, d);
  a->value = dm_block_alloc(b, lanes, d);
  a->half = dm_block_alloc(b, (size_t)w->n * x * lanes, d);
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

enum { KNOTS, DEPARTURE }; // variables of a step's derivatives: (X0,X1) or (X0,Y)

// f[.][s][e][r][d] = c_s[d][e][r] h^(r-d), computed when h changes
static void set_step_size(dm_second_order *w, double h) {
  int k = w->k;
  if (w->h == h) return;

  double power[2 * MOST] = {1 / pow(h, k)}; // h^(r-d) at r-d+k
  for (int i = 1; i < 2 * k; i++) power[i] = power[i - 1] * h;

  // derivatives by X1 and by Y are equal
  for (int s = 0; s < w->rule.nodes; s++)
    for (int r = 0; r < k; r++)
      for (int d = 0; d <= k; d++) {
        const dm_second_order_node *node = &w->rule.node[s];
        double p = power[r - d + k];
        w->f[KNOTS][s][0][r][d] = node->c[d][0][r] * p;

        // c_s[d][0][r] for constant Y, with X1 = Phi X0 + Y: c_s[d][0][r] + sum_i c_s[d][1][i] Phi_ir, with
        // the same powers of h. The d-th derivative of a polynomial of lower degree is exactly 0.
        double sum = node->c[d][0][r], factorial = 1;

        // Phi_ir = h^(r-i)/(r-i)!
        for (int i = r; i >= 0; i--) {
          sum += node->c[d][1][i] / factorial;
          factorial *= r - i + 1;
        }
        w->f[DEPARTURE][s][0][r][d] = (r < d ? 0 : sum) * p;

        w->f[KNOTS][s][1][r][d] = w->f[DEPARTURE][s][1][r][d] = node->c[d][1][r] * p;
      }
  w->h = h;
}

// Node s between X0 and X1, for `lanes` steps. A rule is invariant under translation, so q0 is
// subtracted first, which keeps accuracy far from q = 0.
static void place_node(const dm_second_order *w, int s, int lanes, const double *X0,
                       const double *X1, double *x) {
  const double *const X[ENDS] = {X0, X1};
  int n = w->n * lanes;
  memset(x, 0, (size_t)((w->k + 1) * n) * sizeof *x);

  // at X0 - (q0,0,..), X1 - (q0,0,..): the knot's own q0 is zero and skipped
  for (int d = 0; d <= w->k; d++)
    for (int e = 0; e < ENDS; e++)
      for (int r = e == 0; r < w->k; r++) {
        double f = w->f[KNOTS][s][e][r][d];
        for (int i = 0; f != 0 && i < n; i++)
          x[d * n + i] += f * (X[e][r * n + i] - (r == 0 ? X0[i] : 0));
      }

  // add q0 again
  for (int i = 0; i < n; i++) x[i] += X0[i];
}

void dm_second_order_node_at(dm_second_order *w, int s, const double *X0, const double *X1,
                             double h, double *x) {
  set_step_size(w, h);
  place_node(w, s, 1, X0, X1, x);
}

// out [columns] += c row
__attribute__((always_inline)) static inline void
add_scaled_row(int columns, double c, const double *restrict row, double *restrict out) {
  for (int j = 0; c != 0 && j < columns; j++) out[j] += c * row[j];
}

// out += c in, for n rows with the given columns and strides
__attribute__((always_inline)) static inline void add_scaled_block(int n, int columns, double c,
                                                                   const double *restrict in,
                                                                   int from, double *restrict out,
                                                                   int to) {
  for (int i = 0; c != 0 && i < n; i++)
    for (int j = 0; j < columns; j++) out[i * to + j] += c * in[i * from + j];
}

// destination of derivatives transformed to the knots, for several steps at once
typedef struct ends {
  int lanes;
  double *D[ENDS], *D00, *D01, *D11, *half;
} ends;

// add weight times g and H of node s to D0, D1 and D00, D01, D11: F'g and F'H F, with F = f the
// derivatives of the node by both ends; rows of H first, then columns; D10 = D01' is omitted
DM_EACH_WIDTH static void pull_to_ends(const dm_second_order *w, const ends *to, int by, int s,
                                       double weight, const double *g, const double *H) {
  const double(*f)[MOST][MOST + 1] = w->f[by][s];
  double *const block[ENDS][ENDS] = {{to->D00, to->D01}, {NULL, to->D11}};
  int n = w->n, k = w->k, across = n * to->lanes, row = k * across, wide = row + across;

  // F'g
  for (int e = 0; g && e < ENDS; e++)
    for (int r = 0; r < k; r++)
      for (int d = 0; d <= k; d++)
        add_scaled_row(across, weight * f[e][r][d], g + d * across, to->D[e] + r * across);

  // F'H for one derivative of one end [n x (k+1) n], then times F
  for (int e = 0; H && e < ENDS; e++)
    for (int r = 0; r < k; r++) {
      memset(to->half, 0, (size_t)(n * wide) * sizeof *to->half);
      for (int d = 0; d <= k; d++)
        add_scaled_row(n * wide, weight * f[e][r][d], H + d * n * wide, to->half);
      // only ends from e: the lower block is the transpose of the upper one
      for (int e2 = e; e2 < ENDS; e2++)
        for (int r2 = 0; r2 < k; r2++)
          for (int d = 0; d <= k; d++)
            add_scaled_block(n, across, f[e2][r2][d], to->half + d * across, wide,
                             block[e][e2] + r * n * row + r2 * across, row);
    }
}

// destination for one step
static ends ends_of_step(const dm_second_order *w) {
  return (ends){1, {w->D0, w->D1}, w->D00, w->D01, w->D11, w->half};
}

void dm_second_order_add_node(dm_second_order *w, int s, double h, double weight, const double *g,
                              const double *H) {
  set_step_size(w, h);
  ends to = ends_of_step(w);
  pull_to_ends(w, &to, KNOTS, s, weight, g, H);
}

static dm_status eval_interval(dm_second_order *w, int by, int order, const double *X0,
                               const double *X1, double h) {
  size_t size = (size_t)w->size;
  double *const all[] = {w->D0, w->D1, w->D00, w->D01, w->D11};
  ends to = ends_of_step(w);

  // clear D0, D1 for order 1, and D00, D01, D11 for order 2
  for (int i = 0; i < (order > 1 ? 5 : 2 * order); i++)
    memset(all[i], 0, (i < 2 ? size : size * size) * sizeof(double));

  // Ld = h sum_s w_s C(x_s)
  w->Ld = 0;
  for (int s = 0; s < w->rule.nodes; s++) {
    double value, weight = h * w->rule.node[s].weight;
    dm_second_order_node_at(w, s, X0, X1, h, w->x);
    DM_TRY(w->C.eval(&w->C, order, w->x, &value, w->C_x, w->C_xx));
    w->Ld += weight * value;
    if (order > 0) pull_to_ends(w, &to, by, s, weight, w->C_x, order > 1 ? w->C_xx : NULL);
  }
  return isfinite(w->Ld) ? DM_OK : DM_NOT_FINITE;
}

dm_status dm_second_order_eval(dm_second_order *w, int order, const double *X0, const double *X1,
                               double h) {
  return eval_interval(w, KNOTS, order, X0, X1, h);
}

dm_status dm_second_order_energy(dm_second_order *w, const double *X0, const double *X1, double h,
                                 double *E) {
  double *x_h = w->half, sum = 0;
  for (int s = 0; s < w->rule.nodes; s++) {
    double value, along = 0;
    dm_second_order_node_at(w, s, X0, X1, h, w->x);
    DM_TRY(w->C.eval(&w->C, 1, w->x, &value, w->C_x, w->C_xx));

    // dx_s/dh of node s [(k+1) n]: every entry is c h^(r-d) X_e^(r), without the knot's own q0
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

// -- chains of steps

// entries of step l out of `lanes`
static void take_lane(int count, int lanes, int l, const double *from, double *to) {
  for (int i = 0; i < count; i++) to[i] = from[i * lanes + l];
}

// the first `count` of C.lanes steps from X; unused lanes repeat the last step
static dm_status eval_batch(dm_second_order *w, int order, int count, const double *X, double h,
                            double *Ld, double *g, double *H) {
  struct dm_second_order_batch *a = w->batch;
  int L = w->C.lanes, size = w->size, square = size * size;
  for (int l = 0; l < L; l++)
    for (int e = 0; e < ENDS; e++)
      for (int i = 0; i < size; i++)
        a->X[e][i * L + l] = X[((l < count ? l : count - 1) + e) * size + i];

  ends to = {L, {a->D[0], a->D[1]}, a->D00, a->D01, a->D11, a->half};
  double *const all[] = {a->D[1], a->D[0], a->D11, a->D01, a->D00};
  for (int i = 0; i < (order > 1 ? 5 : 2 * order); i++)
    memset(all[i], 0, (size_t)(i < 2 ? size * L : square * L) * sizeof(double));

  // Ld = h sum_s w_s C(x_s)
  for (int l = 0; l < count; l++) Ld[l] = 0;
  for (int s = 0; s < w->rule.nodes; s++) {
    double weight = h * w->rule.node[s].weight;
    place_node(w, s, L, a->X[0], a->X[1], a->x);
    DM_TRY(w->C.eval_lanes(&w->C, order, a->x, a->value, a->C_x, a->C_xx));
    for (int l = 0; l < count; l++) Ld[l] += weight * a->value[l];
    if (order > 0) pull_to_ends(w, &to, DEPARTURE, s, weight, a->C_x, order > 1 ? a->C_xx : NULL);
  }

  // copy to the arrays of each step
  for (int l = 0; l < count; l++) {
    for (int i = 0; order > 0 && i < 2; i++) take_lane(size, L, l, all[i], g + (2 * l + i) * size);
    for (int i = 0; order > 1 && i < 3; i++)
      take_lane(square, L, l, all[2 + i], H + (3 * l + i) * square);
  }
  return DM_OK;
}

// a single step from X
static dm_status eval_single(dm_second_order *w, int order, const double *X, double h, double *Ld,
                             double *g, double *H) {
  size_t size = (size_t)w->size, bytes = size * sizeof *X;
  const double *const all[] = {w->D1, w->D0, w->D11, w->D01, w->D00};
  DM_TRY(dm_second_order_eval_departure(w, order, X, X + size, h));
  *Ld = w->Ld;
  for (size_t i = 0; order > 0 && i < 2; i++) memcpy(g + i * size, all[i], bytes);
  for (size_t i = 0; order > 1 && i < 3; i++) memcpy(H + i * size * size, all[2 + i], size * bytes);
  return DM_OK;
}

dm_status dm_second_order_eval_chain(dm_second_order *w, int order, int count, const double *X,
                                     double h, double *Ld, double *g, double *H) {
  // in batches of C.lanes steps if available
  int lanes = w->C.lanes, size = w->size;
  set_step_size(w, h);
  for (int k = 0, now = 1; k < count; k += now) {
    if (lanes > 0) {
      now = count - k < lanes ? count - k : lanes;
      DM_TRY(eval_batch(w, order, now, X, h, Ld, g, H));
    } else {
      DM_TRY(eval_single(w, order, X, h, Ld, g, H));
    }
    X += now * size;
    Ld += now;
    if (order > 0) g += 2 * now * size;
    if (order > 1) H += 3 * now * size * size;
  }
  return DM_OK;
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

// Factor A [size x size] with row length lda after dividing its rows, then its columns, by their
// largest entries, so that powers of h and units do not matter.
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

  // 1  the rule
  if (rank < k)
    return dm_fail(
        msg, DM_SINGULAR,
        "the rule '%s' is degenerate for Lagrangians of order %d: its %s give D0 D1 Ld rank %d "
        "of %d in each coordinate, so that a step does not determine its end",
        w->rule.name, k, top[k - 1], rank, k);

  // 2  C at each node, by the highest derivatives
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

  // 3  D01, the matrix of Newton's method
  DM_TRY(dm_second_order_eval(w, 2, X0, X1, h));
  dm_status status = factor_equilibrated(w, w->size, w->D01, w->size);
  if (status < 0)
    return dm_fail(msg, status, "D0 D1 Ld: %s (condition number %.2g, h = %g)",
                   dm_status_text(status), w->condition, h);
  return DM_OK;
}

// the largest of h^r X^(r)
static double scaled_length(const dm_second_order *w, double h, const double *X) {
  // h^r gives the derivatives of order r the unit of q
  double most = 0, power = 1;
  for (int r = 0; r < w->k; r++, power *= h)
    most = fmax(most, power * dm_largest(w->n, X + r * w->n));
  return most;
}

// r = P0 + D0 at w->X
static dm_status form_residual(dm_second_order *w, int order, const double *X0, const double *P0,
                               double h) {
  DM_TRY(dm_second_order_eval(w, order, X0, w->X, h));
  // the sum detects NaN and infinity
  double sum = 0;
  for (int i = 0; i < w->size; i++) {
    w->r[i] = P0[i] + w->D0[i];
    sum += w->r[i];
  }
  return isfinite(sum) ? DM_OK : DM_NOT_FINITE;
}

// the largest entry of r, with the row scales of the last matrix
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

  // a Newton step below `last` is the last one, as convergence is quadratic; if rounding prevents a
  // decrease of the residual, a step below `rounding` is accepted
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

    // dX = D01^-1 r from the factors of R D01 C, with R and C the row and column scales
    double before = scaled_residual(w), t = 1;
    for (int i = 0; i < w->size; i++) w->dX[i] = w->row[i] * w->r[i];
    dm_lu_solve(w->size, w->M, w->piv, 1, w->dX);
    for (int i = 0; i < w->size; i++) w->dX[i] *= w->col[i];

    // its size, each derivative relative to X1
    info->iterations++;
    info->step = scaled_length(w, h, w->dX) / fmax(scaled_length(w, h, w->X), DBL_MIN);
    if (!isfinite(info->step)) return DM_NOT_FINITE;
    move_end(w, t);
    done = info->step <= last;

    // halve it until the residual decreases
    while (!done && !(form_residual(w, 1, X0, P0, h) == DM_OK && scaled_residual(w) < before)) {
      done = info->step <= rounding;
      stuck = !done && t < ldexp(1, -HALVINGS);
      if (done || stuck) break;
      t /= 2;
      move_end(w, -t);
    }
  }

  // P1 = D1 at the converged end
  DM_TRY(dm_second_order_eval(w, 1, X0, w->X, h));
  memcpy(X1, w->X, bytes);
  memcpy(P1, w->D1, bytes);
  return done ? DM_OK : DM_MAX_ITER;
}
