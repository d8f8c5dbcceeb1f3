#include "control/feedback/ball_tables.h"

#include "control/feedback/law_tables.h"
#include "lib/base/block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fb_ball_tables {
  int N, n, balls, nu, nx, size; // size: numbers of a state, n + balls + n
  int knots, ends;               // rows of the reference, of P
  bool bounded, fast, travels;
  double *y_d, *G, *Q, *P, *y;                            // rows of knots
  double *q_min, *q_max, *soft, *v_max, *soft_v, *travel; // [n]
  int *turns;                                             // [size]
};

static void lay_out(void *self, dm_block *b) {
  fb_ball_tables *w = self;
  const size_t N = (size_t)w->N, n = (size_t)w->n, nx = (size_t)w->nx, size = (size_t)w->size;
  w->y_d = dm_block_alloc(b, (N + 1) * size, sizeof(double));
  w->G = dm_block_alloc(b, N * (size_t)w->nu * size, sizeof(double));
  w->Q = dm_block_alloc(b, (N + 1) * nx * nx, sizeof(double));
  w->P = dm_block_alloc(b, (size_t)w->ends * nx * nx, sizeof(double));
  w->y = dm_block_alloc(b, (size_t)w->knots * size, sizeof(double));
  double **const each[] = {&w->q_min, &w->q_max, &w->soft, &w->v_max, &w->soft_v, &w->travel};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++)
    *each[i] = dm_block_alloc(b, n, sizeof(double));
  w->turns = dm_block_alloc(b, size, sizeof *w->turns);
}

// the ball joint of coordinate i, or -1; and the place of the coordinate, or of its quaternion, outside
static int find_ball(const tree_tables *M, int i, int *outside) {
  *outside = i;
  for (int b = 0; b < M->balls; b++) {
    const int part = i - M->turned[b];
    if (part >= 3) ++*outside;
    if (part < 0 || part >= 3) continue;
    *outside = M->turned[b] + b;
    return b;
  }
  return -1;
}

// -- changes of a state

// q (0,a) [4], a [3] about the axes z, x, y
static void turn_by(const double q[4], const double a[3], double scale, double out[4]) {
  const double x = a[1], y = a[2], z = a[0];
  out[0] = scale * -(q[1] * x + q[2] * y + q[3] * z);
  out[1] = scale * (q[0] * x + q[2] * z - q[3] * y);
  out[2] = scale * (q[0] * y + q[3] * x - q[1] * z);
  out[3] = scale * (q[0] * z + q[1] * y - q[2] * x);
}

void fb_ball_tables_state(const tree_tables *M, const double *on_board, double *x) {
  const int n = M->n, outer = n + M->balls;
  const double *p = on_board + outer;
  for (int i = 0; i < n; i++) {
    int at;
    const int b = find_ball(M, i, &at);
    if (b < 0) {
      x[at] = on_board[i];
      x[outer + at] = p[i];
    } else if (i == M->turned[b]) {
      const double *v = on_board + i; // about z, x, y
      const double q[4] = {on_board[n + b], v[1], v[2], v[0]};
      memcpy(x + at, q, sizeof q);
      turn_by(q, p + i, 2, x + outer + at);
    }
  }
}

// column k of S [2 (n + balls) x 2n] at the state x, with x on board and `room` for n + balls numbers
static void set_column(const tree_tables *M, const double *x, const double *on_board, int k,
                       double *column) {
  const int n = M->n, outer = n + M->balls, i = k % n;
  int at;
  memset(column, 0, 2 * (size_t)outer * sizeof *column);
  const int b = find_ball(M, i, &at);
  if (b < 0) {
    column[k < n ? at : outer + at] = 1;
    return;
  }
  const double *q = x + at, *p = x + outer + at, *Pi = on_board + outer + M->turned[b];
  double a[3] = {0}, dPi[3];
  a[i - M->turned[b]] = 1;
  memcpy(dPi, a, sizeof dPi);
  if (k < n) {
    double inner = 0;
    for (int r = 0; r < 4; r++) inner += q[r] * p[r];
    for (int r = 0; r < 3; r++) {
      const int next = (r + 1) % 3, last = (r + 2) % 3;
      dPi[r] = inner * a[r] / 4 + (a[next] * Pi[last] - a[last] * Pi[next]) / 2;
    }
    turn_by(q, a, 0.5, column + at);
  }
  turn_by(q, dPi, 2, column + outer + at);
}

// S, and the state on board
static void set_state(const tree_tables *M, const double *x, double *on_board, double *S,
                      double *room) {
  const int n = M->n, outer = n + M->balls, nx = 2 * n;
  fb_balls.take(M, x, on_board);
  fb_balls.take_rates(M, 0.5, on_board, x + outer, room, on_board + outer);
  for (int k = 0; k < nx; k++) {
    double *column = room + outer;
    set_column(M, x, on_board, k, column);
    for (int r = 0; r < 2 * outer; r++) S[r * nx + k] = column[r];
  }
}

// out [rows x cols] = A [rows x m] B [m x cols]
static void multiply(int rows, int m, int cols, const double *A, const double *B, double *out) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) {
      double sum = 0;
      for (int k = 0; k < m; k++) sum += A[i * m + k] * B[k * cols + j];
      out[i * cols + j] = sum;
    }
}

// S'WS [nx x nx] of W [outer x outer]; room: outer x nx
static void reduce_weight(int outer, int nx, const double *S, const double *W, double *room,
                          double *out) {
  multiply(outer, outer, nx, W, S, room);
  for (int i = 0; i < nx; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < outer; k++) sum += S[k * nx + i] * room[k * nx + j];
      out[i * nx + j] = out[j * nx + i] = sum;
    }
}

// -- tables

// numbers of each coordinate; of ball joints `none`
static void take_each(const tree_tables *M, const double *from, double none, double *to) {
  for (int i = 0; i < M->n; i++) {
    int at;
    to[i] = find_ball(M, i, &at) < 0 && from ? from[at] : none;
  }
}

static void fill_bounds(fb_ball_tables *w, const tree_tables *M, const fb_tvlqr *f,
                        const fb_receding *o) {
  take_each(M, o->q_min, -INFINITY, w->q_min);
  take_each(M, o->q_max, INFINITY, w->q_max);
  take_each(M, o->soft, 1, w->soft);
  take_each(M, o->v_max, INFINITY, w->v_max);
  take_each(M, o->soft_v, 1, w->soft_v);
  take_each(M, o->travel, 0, w->travel);
  for (int i = 0; i < M->n; i++) {
    int at;
    w->turns[i] = find_ball(M, i, &at) < 0 && f->turns && f->turns[at];
  }
}

// the tables of each knot; room: S, and W S, and (n + balls) 3 numbers
static void fill_knots(fb_ball_tables *w, const tree_tables *M, const fb_tvlqr *f,
                       const fb_receding *o, double *room) {
  const int outer = f->nx, nx = w->nx, nu = w->nu, size = w->size;
  double *S = room, *WS = S + outer * nx, *rest = WS + outer * nx, *other = rest + 2 * outer;
  for (int k = 0; k <= w->N; k++) {
    const double *x = f->x + (size_t)k * (size_t)outer;
    const double *Q = f->Q + (f->weighed > 1 ? (size_t)k : 0) * (size_t)(outer * outer);
    set_state(M, x, w->y_d + k * size, S, rest);

    // K S, without columns for the scalars of quaternions
    if (k < w->N) multiply(nu, outer, nx, f->K + k * nu * outer, S, WS);
    for (int r = 0; k < w->N && r < nu; r++) {
      double *G = w->G + (k * nu + r) * size;
      memcpy(G, WS + r * nx, (size_t)w->n * sizeof *G);
      memcpy(G + size - w->n, WS + r * nx + w->n, (size_t)w->n * sizeof *G);
    }

    // weights: Q at the state of the reference
    if (!o->P_end) reduce_weight(outer, nx, S, f->P + k * outer * outer, WS, w->P + k * nx * nx);
    if (o->P_end && k == w->N) reduce_weight(outer, nx, S, o->P_end, WS, w->P);
    if (o->y) set_state(M, o->y + (k < o->knots ? k : o->knots - 1) * outer, other, S, rest);
    reduce_weight(outer, nx, S, Q, WS, w->Q + k * nx * nx);
  }
  for (int k = 0; k < w->knots; k++) set_state(M, o->y + k * outer, w->y + k * size, S, rest);
}

dm_status fb_ball_tables_new(fb_ball_tables **out, const fb_tvlqr *f, const fb_receding *o,
                             dm_message *msg) {
  const tree_tables *M = f->tree;
  const int n = M->n, balls = M->balls, outer = f->nx;
  fb_ball_tables sizes = {.N = f->N,
                          .n = n,
                          .balls = balls,
                          .nu = f->nu,
                          .nx = 2 * n,
                          .size = 2 * n + balls,
                          .knots = o->y ? o->knots : 0,
                          .ends = o->P_end ? 1 : f->N + 1};
  *out = NULL;
  fb_ball_tables *w = dm_block_make(&sizes, sizeof sizes, lay_out);
  double *room = calloc((size_t)(4 * outer * n + 5 * outer), sizeof *room);
  if (!w || !room) {
    free(room);
    dm_block_free(w);
    return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  }
  fill_bounds(w, M, f, o);
  fill_knots(w, M, f, o, room);
  free(room);
  *out = w;
  return DM_OK;
}

void fb_ball_tables_free(fb_ball_tables *w) {
  dm_block_free(w);
}

void fb_ball_tables_put(const fb_ball_tables *w, tables *T, horizon_tables *W) {
  const int square = w->nx * w->nx;
  T->nq = w->n;
  T->ny = w->size;
  T->y_d = (table){w->y_d, w->N + 1, w->size};
  T->G = (table){w->G, w->N, w->nu * w->size};
  T->turns = w->turns;
  W->nx = w->nx;
  W->places = w->n + w->balls;
  W->softs = W->softs ? w->n : 0;
  W->speeds = W->speeds ? w->n : 0;
  W->travel = w->travel;
  W->y = w->knots ? (table){w->y, w->knots, w->size} : T->y_d;
  W->Q = (table){w->Q, w->N + 1, square};
  W->P = (table){w->P, w->ends, square};
  W->q_min = w->q_min;
  W->q_max = w->q_max;
  W->soft = w->soft;
  W->v_max = w->v_max;
  W->soft_v = w->soft_v;
}
