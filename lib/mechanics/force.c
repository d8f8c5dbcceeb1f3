#include "lib/mechanics/force.h"

#include "lib/base/block.h"

#include <assert.h>
#include <string.h>

void dm_forces_add(dm_forces *f, dm_force force) {
  assert(f->count < DM_MAX_FORCES && force.eval && force.nu >= 0);
  f->row[f->count++] = force;
  f->nu += force.nu;
}

// Work arrays for one of several forces: scratch of its functions, and derivatives by its own
// inputs, whose rows are shorter than those for all inputs.
typedef struct force_room {
  double *f_u, *qu, *vu, *uu; // [n x nu], [n x nu], [n x nu], [nu x nu]; f_u is qu
  void *inner;
} force_room;

static force_room lay_out_room(const dm_forces *f, int n, dm_block *b) {
  // the largest size of any force
  size_t inner = 0, nu = 0;
  for (int k = 0; k < f->count; k++) {
    if (f->row[k].scratch > inner) inner = f->row[k].scratch;
    if ((size_t)f->row[k].nu > nu) nu = (size_t)f->row[k].nu;
  }
  force_room r = {0}; // counting pass, or pointers into b
  r.f_u = r.qu = dm_block_alloc(b, (size_t)n * nu, sizeof *r.qu);
  r.vu = dm_block_alloc(b, (size_t)n * nu, sizeof *r.vu);
  r.uu = dm_block_alloc(b, nu * nu, sizeof *r.uu);
  r.inner = dm_block_alloc(b, inner, 1);
  return r;
}

size_t dm_forces_scratch(const dm_forces *f, int n) {
  // a single force works in the caller's arrays
  if (f->count <= 1) return f->count ? f->row[0].scratch : 0;
  dm_block b = {0};
  lay_out_room(f, n, &b);
  return b.used;
}

// add [rows x narrow] to the columns from `at` of [rows x wide]
static void add_columns(int rows, int narrow, const double *from, int at, int wide, double *to) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < narrow; j++) to[i * wide + at + j] += from[i * narrow + j];
}

dm_status dm_forces_eval(const dm_forces *f, int n, void *scratch, int order, const double *q,
                         const double *v, const double *u, dm_force_jet *out) {
  const dm_force *x = f->row;
  if (f->count == 1) return x->eval(x->self, scratch, order, q, v, u, out);
  dm_block b = {.base = scratch};
  force_room r = lay_out_room(f, n, &b);

  // each adds to f, f_q, f_v directly; its f_u goes to its own columns
  for (int k = 0, at = 0; k < f->count; at += f->row[k++].nu) {
    x = &f->row[k];
    dm_force_jet own = {out->f, out->f_q, out->f_v, r.f_u};
    if (order >= 2) memset(own.f_u, 0, (size_t)(n * x->nu) * sizeof *own.f_u);
    DM_TRY(x->eval(x->self, r.inner, order, q, v, u + at, &own));
    if (order >= 2) add_columns(n, x->nu, own.f_u, at, f->nu, out->f_u);
  }
  return DM_OK;
}

dm_status dm_forces_contract(const dm_forces *f, int n, void *scratch, const double *q,
                             const double *v, const double *u, const double *mu,
                             dm_force_hessian *out) {
  const dm_force *x = f->row;
  if (f->count == 1) return x->contract(x->self, scratch, q, v, u, mu, out);
  dm_block b = {.base = scratch};
  force_room r = lay_out_room(f, n, &b);

  // each adds to qq, qv, vv directly; blocks by inputs go to its own columns
  for (int k = 0, at = 0; k < f->count; at += f->row[k++].nu) {
    x = &f->row[k];
    dm_force_hessian own = {out->qq, out->qv, out->vv, r.qu, r.vu, r.uu};
    memset(own.qu, 0, (size_t)(n * x->nu) * sizeof *own.qu);
    memset(own.vu, 0, (size_t)(n * x->nu) * sizeof *own.vu);
    memset(own.uu, 0, (size_t)(x->nu * x->nu) * sizeof *own.uu);
    DM_TRY(x->contract(x->self, r.inner, q, v, u + at, mu, &own));
    add_columns(n, x->nu, own.qu, at, f->nu, out->qu);
    add_columns(n, x->nu, own.vu, at, f->nu, out->vu);
    add_columns(x->nu, x->nu, own.uu, at, f->nu, out->uu + at * f->nu);
  }
  return DM_OK;
}

bool dm_forces_contractible(const dm_forces *f) {
  for (int k = 0; k < f->count; k++)
    if (!f->row[k].contract) return false;
  return true;
}

bool dm_forces_couple(const dm_forces *f, int n, int i, int j) {
  for (int k = 0; k < f->count; k++)
    if (!f->row[k].mask || f->row[k].mask[i * n + j]) return true;
  return false;
}

// the force that owns input c; c becomes the index within this force
static const dm_force *find_owner(const dm_forces *f, int *c) {
  const dm_force *x = f->row;
  for (; *c >= x->nu; x++) *c -= x->nu;
  return x;
}

bool dm_forces_driven(const dm_forces *f, int n, int i, int c) {
  assert(i < n && c < f->nu);
  const dm_force *x = find_owner(f, &c);
  return !x->mask_u || x->mask_u[i * x->nu + c];
}

bool dm_forces_couple_inputs(const dm_forces *f, int c, int d) {
  assert(c < f->nu && d < f->nu);
  const dm_force *x = find_owner(f, &c);
  if (x != find_owner(f, &d)) return false; // different forces do not share inputs
  return !x->mask_uu || x->mask_uu[c * x->nu + d];
}
