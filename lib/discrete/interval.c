#include "lib/discrete/interval.h"

#include "lib/base/block.h"
#include "lib/discrete/inner_nodes.h"

#include <assert.h>
#include <string.h>

// -- sparsity

// coupled by L, a general force or, with inner nodes, by constraints
static bool are_coupled(const dm_system *s, int i, int j) {
  const unsigned char *mask = s->L.mask;
  int n = s->L.nq;
  bool kept = s->rule.inner && s->hol.nc;
  return !mask || mask[i * n + j] || dm_forces_couple(&s->force, n, i, j) || kept;
}

// returns true if input c acts on coordinate i
static bool is_driven(const dm_system *s, int i, int c) {
  int nj = s->nu - s->force.nu;
  return c < nj ? s->input_coord[c] == i : dm_forces_driven(&s->force, s->L.nq, i, c - nj);
}

// returns true if input c has an entry in row i
static bool has_input_entry(const dm_interval *w, int i, int c) {
  for (int k = 0; k < w->n; k++)
    if (w->couples[i * w->n + k] && is_driven(&w->s, k, c)) return true;
  return false;
}

// entries of inputs, written to row and col if these exist; returns their number
static int list_passed_entries(const dm_interval *w, int *row, int *col) {
  int nz = 0;
  for (int c = 0; c < w->nu; c++)
    for (int i = 0; i < w->n; i++) {
      if (!has_input_entry(w, i, c)) continue;
      if (row) {
        row[nz] = i;
        col[nz] = c;
      }
      nz++;
    }
  return nz;
}

bool dm_interval_couples(const dm_interval *w, int i, int j) {
  return w->couples[i * w->n + j];
}

bool dm_interval_couples_inputs(const dm_interval *w, int c, int d) {
  int nf = w->nu - w->nj;
  assert(c >= w->nj && d >= w->nj);
  return w->meet[(c - w->nj) * nf + d - w->nj];
}

// -- construction

// masks, and with inner nodes separate arrays for the total derivatives by x
static void lay_out_interval(void *self, dm_block *b) {
  dm_interval *w = self;
  size_t n = (size_t)w->n, nu = (size_t)w->nu, nf = (size_t)(w->nu - w->nj), nz = (size_t)w->nz;
  w->couples = dm_block_alloc(b, n * n, 1);
  w->meet = dm_block_alloc(b, nf * nf, 1);
  if (!w->s.rule.inner) return;

  const struct {
    double **at;
    size_t count;
  } arrays[] = {{&w->D1, n},      {&w->D2, n},        {&w->D1h, n},     {&w->D2h, n},
                {&w->H0h, n},     {&w->H1h, n},       {&w->D11, n * n}, {&w->D12, n * n},
                {&w->D21, n * n}, {&w->D22, n * n},   {&w->H00, n * n}, {&w->H01, n * n},
                {&w->H11, n * n}, {&w->D1u, nz},      {&w->D2u, nz},    {&w->H0u, nz},
                {&w->H1u, nz},    {&w->Huu, nf * nf}, {&w->Huh, nu},    {&w->Hhh, 1}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i].at = dm_block_alloc(b, arrays[i].count, sizeof(double));
  w->row = dm_block_alloc(b, nz, sizeof *w->row);
  w->col = dm_block_alloc(b, nz, sizeof *w->col);
}

// without inner nodes, the arrays of the sum are those of the interval
static void share_arrays(dm_interval *w) {
  dm_step_nodes *g = w->nodes;
  // covectors and their derivatives
  w->D1 = g->g[0];
  w->D2 = g->g[1];
  w->D1h = g->g_h[0];
  w->D2h = g->g_h[1];
  w->D1u = g->g_u[0];
  w->D2u = g->g_u[1];
  w->D11 = g->G[0][0];
  w->D12 = g->G[0][1];
  w->D21 = g->G[1][0];
  w->D22 = g->G[1][1];
  // Hessian
  w->H00 = g->H[0][0];
  w->H01 = g->H[0][1];
  w->H11 = g->H[1][1];
  w->H0h = g->H_h[0];
  w->H1h = g->H_h[1];
  w->H0u = g->H_u[0];
  w->H1u = g->H_u[1];
  w->Huu = g->Huu;
  w->Huh = g->Huh;
  w->Hhh = g->Hhh;
  // entries of inputs
  w->row = g->row;
  w->col = g->col;
}

// create the workspace of a sum; on failure the sum is freed
static dm_status wrap_nodes(dm_interval **out, dm_step_nodes *g) {
  const bool inner = g->s.rule.inner > 0;
  dm_interval sizes = {.s = g->s, .n = g->n, .nu = g->nu, .lanes = g->lanes};
  sizes.by_step = true;
  sizes.nodes = g;
  sizes.active = inner ? g->n : g->active;
  sizes.nj = inner ? 0 : g->nj;
  sizes.nz = inner ? g->n * g->nu : g->nz; // upper bound
  dm_interval *w = dm_block_make(&sizes, sizeof sizes, lay_out_interval);
  if (!w) {
    dm_step_nodes_free(g);
    return DM_NO_MEMORY;
  }

  if (!inner) share_arrays(w);
  dm_status status = inner ? dm_inner_nodes_new(&w->inner, g) : DM_OK;
  if (status != DM_OK) {
    dm_interval_free(w);
    return status;
  }

  // coupled coordinates; inner nodes couple all connected coordinates
  const dm_system *s = &w->s;
  int n = w->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) w->couples[i * n + j] = i == j || are_coupled(s, i, j);

  // the transitive closure, through each k in turn
  for (int k = 0; w->inner && k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        w->couples[i * n + j] |= w->couples[i * n + k] && w->couples[k * n + j];

  if (inner) w->nz = list_passed_entries(w, w->row, w->col);

  // pairs of inputs after the first nj: coupled by general forces, or through connected coordinates
  int nf = w->nu - w->nj, joints = w->s.nu - w->s.force.nu - w->nj;
  for (int c = 0; c < nf; c++)
    for (int d = 0; d < nf; d++) {
      bool meet = c == d;
      if (c >= joints && d >= joints)
        meet |= dm_forces_couple_inputs(&w->s.force, c - joints, d - joints);
      for (int i = 0; w->inner && !meet && i < w->n; i++)
        meet = has_input_entry(w, i, c) && has_input_entry(w, i, d);
      w->meet[c * nf + d] = meet;
    }

  *out = w;
  return DM_OK;
}

dm_status dm_interval_new(dm_interval **out, const dm_system *s) {
  dm_step_nodes *g;
  assert(out && s);
  DM_TRY(dm_step_nodes_new(&g, s, 1));
  return wrap_nodes(out, g);
}

dm_status dm_interval_new_lanes(dm_interval **out, const dm_system *s) {
  dm_step_nodes *g;
  if (s->L.lanes <= 1 || s->rule.inner) return dm_interval_new(out, s);
  dm_system many = *s;
  many.L.eval = s->L.lanes_eval;
  many.L.contract = s->L.lanes_contract;
  many.L.scratch = s->L.lanes_scratch;

  // use the functions for several points, so that the number of lanes is a size
  DM_TRY(dm_step_nodes_new(&g, &many, s->L.lanes));
  return wrap_nodes(out, g);
}

void dm_interval_free(dm_interval *w) {
  if (!w) return;
  dm_inner_nodes_free(w->inner);
  dm_step_nodes_free(w->nodes);
  dm_block_free(w);
}

// -- evaluation

// copy a block of A with row length lda to B [rows x cols]
static void copy_block(int rows, int cols, const double *A, int lda, double *B) {
  for (int i = 0; i < rows; i++)
    memcpy(B + (size_t)i * (size_t)cols, A + (size_t)i * (size_t)lda, (size_t)cols * sizeof *B);
}

// column c of A with row length lda
static void copy_column(int rows, int c, const double *A, int lda, double *b) {
  for (int i = 0; i < rows; i++) b[i] = A[(size_t)i * (size_t)lda + (size_t)c];
}

// D1, D2 and, for order 2, their derivatives by x = (q0,q1,u,h), after elimination of the nodes
static void copy_covectors(dm_interval *w, int order) {
  const dm_inner_nodes *z = w->inner;
  int n = w->n, nx = z->nx;
  memcpy(w->D1, w->nodes->g[0], (size_t)n * sizeof(double));
  memcpy(w->D2, w->nodes->g[1], (size_t)n * sizeof(double));
  if (order < 2) return;

  const double *D1 = z->D_x, *D2 = z->D_x + n * nx;
  copy_block(n, n, D1, nx, w->D11);
  copy_block(n, n, D1 + n, nx, w->D12);
  copy_block(n, n, D2, nx, w->D21);
  copy_block(n, n, D2 + n, nx, w->D22);
  copy_column(n, nx - 1, D1, nx, w->D1h);
  copy_column(n, nx - 1, D2, nx, w->D2h);
  for (int e = 0; e < w->nz; e++) {
    int at = w->row[e] * nx + 2 * n + w->col[e];
    w->D1u[e] = D1[at];
    w->D2u[e] = D2[at];
  }
}

// copy the Hessian by x to its blocks
static void copy_hessian(dm_interval *w, bool with_h) {
  const dm_inner_nodes *z = w->inner;
  int n = w->n, nu = w->nu, nx = z->nx, h = nx - 1;
  const double *H0 = z->H_xx, *H1 = H0 + n * nx, *Hu = H1 + n * nx;
  copy_block(n, n, H0, nx, w->H00);
  copy_block(n, n, H0 + n, nx, w->H01);
  copy_block(n, n, H1 + n, nx, w->H11);
  copy_block(nu, nu, Hu + 2 * n, nx, w->Huu);
  for (int e = 0; e < w->nz; e++) {
    int at = w->row[e] * nx + 2 * n + w->col[e];
    w->H0u[e] = H0[at];
    w->H1u[e] = H1[at];
  }
  if (!with_h) return;
  copy_column(n, h, H0, nx, w->H0h);
  copy_column(n, h, H1, nx, w->H1h);
  copy_column(nu, h, Hu, nx, w->Huh);
  *w->Hhh = z->H_xx[h * nx + h];
}

dm_status dm_interval_eval(dm_interval *w, int order, const double *q0, const double *q1,
                           const double *u, double h) {
  const double *const ends[] = {q0, q1};
  if (w->inner) {
    DM_TRY(dm_inner_nodes_eval(w->inner, order, q0, q1, u, h));
    copy_covectors(w, order);
  } else {
    w->nodes->by_step = w->by_step;
    DM_TRY(dm_step_nodes_eval(w->nodes, order, ends, u, h));
  }
  w->Ld = w->nodes->Ld;
  w->energy = w->nodes->energy;
  return DM_OK;
}

void dm_interval_point(const dm_interval *w, int s, const double *q0, const double *q1, double h,
                       double *q, double *v) {
  const double *y[DM_MAX_NODES] = {q0, q1};
  for (int i = 0; w->inner && i < w->inner->count; i++) y[2 + i] = w->inner->q[i];
  dm_step_nodes_place(w->nodes, s, y, h, q, v);
}

dm_status dm_interval_contract(dm_interval *w, bool with_h, const double *q0, const double *q1,
                               const double *u, double h, const double *mu0, const double *mu1) {
  const double *const ends[] = {q0, q1}, *const mu[] = {mu0, mu1};
  if (!w->inner) return dm_step_nodes_contract(w->nodes, with_h, ends, u, h, mu);
  DM_TRY(dm_inner_nodes_contract(w->inner, with_h, q0, q1, u, h, mu0, mu1));
  copy_hessian(w, with_h);
  return DM_OK;
}

// -- one of several intervals

// lane l of x [n]
static void pick_lane(int n, int W, int l, const double *from, double *to) {
  for (int i = 0; i < n; i++) to[i] = from[i * W + l];
}

void dm_interval_pick(const dm_interval *many, int l, bool hessian, bool with_h, dm_interval *one) {
  if (hessian) {
    // H00 .. H11, and the columns of inputs with entries from general forces
    int n = many->n, nn = n * n, nu = many->nu, nz = many->nz, W = many->lanes;
    int nf = nu - many->nj;
    if (nf) {
      pick_lane(nz, W, l, many->H0u, one->H0u);
      pick_lane(nz, W, l, many->H1u, one->H1u);
      pick_lane(nf * nf, W, l, many->Huu, one->Huu);
    }

    // by q0 and q1
    pick_lane(nn, W, l, many->H00, one->H00);
    pick_lane(nn, W, l, many->H01, one->H01);
    pick_lane(nn, W, l, many->H11, one->H11);
    if (!with_h) return;

    // columns by h
    pick_lane(n, W, l, many->H0h, one->H0h);
    pick_lane(n, W, l, many->H1h, one->H1h);
    pick_lane(nu, W, l, many->Huh, one->Huh);
    *one->Hhh = many->Hhh[l];
  } else {
    // D1, D2 and their first derivatives
    int n = many->n, nn = n * n, nz = many->nz, W = many->lanes;
    pick_lane(n, W, l, many->D1, one->D1);
    pick_lane(n, W, l, many->D2, one->D2);

    // by q0 and q1, then by inputs
    pick_lane(nn, W, l, many->D11, one->D11);
    pick_lane(nn, W, l, many->D12, one->D12);
    pick_lane(nn, W, l, many->D21, one->D21);
    pick_lane(nn, W, l, many->D22, one->D22);
    pick_lane(nz, W, l, many->D1u, one->D1u);
    pick_lane(nz, W, l, many->D2u, one->D2u);
    if (!with_h) return;

    // columns by h
    pick_lane(n, W, l, many->D1h, one->D1h);
    pick_lane(n, W, l, many->D2h, one->D2h);
  }
}
