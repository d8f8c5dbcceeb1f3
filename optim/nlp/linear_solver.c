#include "optim/nlp/linear_solver.h"

#include "lib/base/block.h"
#include "optim/nlp/ldl.h"

#include <assert.h>

// s: constant, per unknown, and per product or entry
static const double ldl_model[] = {0.1e-3, 0.1e-6, 2.2e-9};
static const double mumps_model[] = {0.7e-3, 1.8e-6, 0.07e-6};

typedef struct pattern {
  int n, nz;            // unknowns; entries
  int room;             // capacity for entries
  int *row, *col;       // [room] from 1
  int *unknown;         // index of each variable, from 1; 0: fixed             [nlp->n]
  int *iw, *keep, *iw1; // for ldl's ordering
} pattern;

static bool is_fixed(const oc_nlp *nlp, int j) {
  return nlp->x_min[j] == nlp->x_max[j];
}

static void lay_out_pattern(pattern *p, const oc_nlp *nlp, dm_block *b) {
  size_t max_unknowns = (size_t)nlp->n + 2 * (size_t)nlp->m, room = (size_t)p->room;
  p->row = dm_block_alloc(b, room, sizeof(int));
  p->col = dm_block_alloc(b, room, sizeof(int));
  p->unknown = dm_block_alloc(b, (size_t)nlp->n, sizeof(int));
  p->iw = dm_block_alloc(b, 2 * room + 2 * max_unknowns + 3, sizeof(int));
  p->keep = dm_block_alloc(b, 3 * max_unknowns + 1, sizeof(int));
  p->iw1 = dm_block_alloc(b, 2 * max_unknowns + 2, sizeof(int));
}

static void put_entry(pattern *p, int row, int col) {
  p->row[p->nz] = row;
  p->col[p->nz] = col;
  p->nz++;
}

// convert the entries [from, nz) of a walk, which start at 0, to entries of the system
static void move_entries(pattern *p, int from, int count, int first_row) {
  p->nz = from;
  for (int e = from; e < from + count; e++) {
    // rows of the Jacobian come after variables and slacks; fixed variables have no unknown
    int row = first_row > 0 ? first_row + p->row[e] : p->unknown[p->row[e]];
    int col = p->unknown[p->col[e]];
    if (row > 0 && col > 0) put_entry(p, row, col);
  }
}

static dm_status fill_pattern(pattern *p, const oc_nlp *nlp) {
  // unknowns: free variables, slacks of inequalities, rows
  for (int j = 0; j < nlp->n; j++) p->unknown[j] = is_fixed(nlp, j) ? 0 : ++p->n;
  int slack = p->n, slacks = 0;
  for (int i = 0; i < nlp->m; i++) slacks += nlp->g_min[i] < nlp->g_max[i];
  int first_row = p->n + slacks + 1;
  p->n += slacks + nlp->m;

  // Hessian, Jacobian
  oc_triplets hess = {p->row, p->col, NULL, 0};
  DM_TRY(nlp->hess(nlp->self, NULL, 1, NULL, &hess));
  move_entries(p, 0, hess.n, 0);
  int from = p->nz;
  oc_triplets jac = {p->row + from, p->col + from, NULL, 0};
  DM_TRY(nlp->jac(nlp->self, NULL, &jac));
  move_entries(p, from, jac.n, first_row);

  // slacks in their rows, and the diagonal
  for (int i = 0; i < nlp->m; i++)
    if (nlp->g_min[i] < nlp->g_max[i]) put_entry(p, first_row + i, ++slack);
  for (int v = 1; v <= p->n; v++) put_entry(p, v, v);
  return DM_OK;
}

dm_status oc_linear_solver_measure(const oc_nlp *nlp, oc_linear_solver_work *out) {
  assert(nlp && out);
  // sizes, and memory for the pattern and ldl's ordering
  pattern p = {.room = nlp->hess_nnz + nlp->jac_nnz + nlp->n + 3 * nlp->m};
  dm_block b = {0};
  lay_out_pattern(&p, nlp, &b);
  DM_TRY(dm_block_new(&b));
  lay_out_pattern(&p, nlp, &b);

  // the pattern; its ordering counts ldl's products
  dm_status s = fill_pattern(&p, nlp);
  int room = 0, steps, flag = 0, icntl[30], info[20] = {0}; // ldl needs no memory in iw here
  double cntl[5], products = 0;
  oc_ldl_default(icntl, cntl);
  if (s == DM_OK)
    oc_ldl_order(&p.n, &p.nz, p.row, p.col, p.iw, &room, p.keep, p.iw1, &steps, &flag, icntl, cntl,
                 info, &products);
  dm_block_free(p.row);
  if (s == DM_OK) *out = (oc_linear_solver_work){p.n, p.nz, products};
  return s;
}

static double estimate_seconds(const double model[3], double unknowns, double last) {
  return model[0] + model[1] * unknowns + model[2] * last;
}

oc_linear_solver_cost oc_linear_solver_estimate(const oc_linear_solver_work *work) {
  return (oc_linear_solver_cost){.ldl = estimate_seconds(ldl_model, work->unknowns, work->products),
                                 .mumps =
                                     estimate_seconds(mumps_model, work->unknowns, work->entries)};
}
