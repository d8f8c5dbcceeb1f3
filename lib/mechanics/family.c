#include "lib/mechanics/family.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/mechanics/family_basis.h"

#include <math.h>
#include <string.h>

struct dm_family {
  int np, m, n;           // parameters, members, coordinates of a member
  dm_family_basis *basis; // l_j
  dm_system *member;      // [m]
  dm_family_functions hol;
  dm_holonomic *hol_member;  // [m]
  bool *kinematic, *length;  // [n+np]
  double *damping, *inertia; // [n+np]
  unsigned char *mask, *force_mask, *mask_u, *mask_uu;
  bool joint; // the general force includes joint inputs and damping
  int inputs; // inputs of the general force: all, or only those of the members' general forces,
              // which come last
};

// -- scratch

typedef struct family_place {
  void *scratch; // of a member
  dm_family_place *basis;
  dm_jet jet, T;
  double *row, *square, *other; // [max(nc,1) x n], [n x n], [max(nc,1) x n]
  double *h;                    // [nc]
} family_place;

static void lay_out_family_place(family_place *x, dm_block *b, const dm_family *w, int nc,
                                 size_t scratch) {
  // scratch of a member, its derivatives, and temporary matrices
  const size_t n = (size_t)w->n, nn = n * n, rows = (size_t)(nc > 1 ? nc : 1);
  x->scratch = dm_block_alloc(b, scratch, 1);
  x->basis = dm_block_alloc(b, 1, sizeof *x->basis);
  dm_jet *jets[] = {&x->jet, &x->T};
  for (int i = 0; i < 2; i++) {
    jets[i]->L_q = dm_block_alloc(b, n, sizeof(double));
    jets[i]->L_v = dm_block_alloc(b, n, sizeof(double));
    jets[i]->L_qq = dm_block_alloc(b, nn, sizeof(double));
    jets[i]->L_qv = dm_block_alloc(b, nn, sizeof(double));
    jets[i]->L_vv = dm_block_alloc(b, nn, sizeof(double));
  }
  x->row = dm_block_alloc(b, rows * n, sizeof(double));
  x->other = dm_block_alloc(b, rows * n, sizeof(double));
  x->square = dm_block_alloc(b, nn, sizeof(double));
  x->h = dm_block_alloc(b, rows, sizeof(double));
}

static family_place place_family(const dm_family *w, int nc, size_t inner, void *scratch,
                                 const double *p) {
  dm_block b = {.base = scratch};
  family_place x;
  lay_out_family_place(&x, &b, w, nc, inner);
  dm_family_basis_place(w->basis, p, x.basis);
  return x;
}

static size_t size_family_place(const dm_family *w, int nc, size_t inner) {
  dm_block b = {0};
  family_place x;
  lay_out_family_place(&x, &b, w, nc, inner);
  return (b.used + 63) & ~(size_t)63;
}

// -- blocks of (q,p) from blocks of q

// add t times [n x n] to the q block of [N x N]
static void add_corner(const dm_family *w, double t, const double *from, double *to) {
  const int N = w->n + w->np;
  for (int i = 0; i < w->n; i++)
    for (int k = 0; k < w->n; k++) to[i * N + k] += t * from[i * w->n + k];
}

// add to the (p,q) block and its transpose in a symmetric matrix: row i is d_i from
static void add_border(const dm_family *w, const double *d, const double *from, double *to) {
  const int N = w->n + w->np;
  for (int i = 0; i < w->np; i++)
    for (int k = 0; k < w->n; k++) {
      to[(w->n + i) * N + k] += d[i] * from[k];
      to[k * N + w->n + i] += d[i] * from[k];
    }
}

// add the p rows of a block by (q,v)
static void add_rows(const dm_family *w, const double *d, const double *from, double *to) {
  const int N = w->n + w->np;
  for (int i = 0; i < w->np; i++)
    for (int k = 0; k < w->n; k++) to[(w->n + i) * N + k] += d[i] * from[k];
}

static void add_parameters(const dm_family *w, double t,
                           const double dd[DM_FAMILY_PARAMETERS][DM_FAMILY_PARAMETERS],
                           double *to) {
  const int N = w->n + w->np;
  for (int i = 0; i < w->np; i++)
    for (int k = 0; k < w->np; k++) to[(w->n + i) * N + w->n + k] += t * dd[i][k];
}

static void clear(double *x, int count) {
  memset(x, 0, (size_t)count * sizeof *x);
}

// -- L

static dm_status eval_family(const void *self, void *scratch, int order, const double *q,
                             const double *v, dm_jet *out) {
  const dm_family *w = self;
  const int n = w->n, N = n + w->np;
  family_place x = place_family(w, 0, w->member[0].L.scratch, scratch, q + n);
  out->L = 0;
  clear(out->L_q, N);
  clear(out->L_v, N);
  for (int b = 0; order > 1 && b < 3; b++)
    clear((double *[]){out->L_qq, out->L_qv, out->L_vv}[b], N * N);

  for (int j = 0; j < w->m; j++) {
    const dm_lagrangian *L = &w->member[j].L;
    const dm_member_weight l = dm_family_basis_weigh(w->basis, x.basis, j, order, NULL);
    DM_TRY(L->eval(L->self, x.scratch, order, q, v, &x.jet));
    out->L += l.l * x.jet.L;
    dm_add_to(n, l.l, x.jet.L_q, out->L_q);
    dm_add_to(n, l.l, x.jet.L_v, out->L_v);
    for (int i = 0; i < w->np; i++) out->L_q[n + i] += l.d[i] * x.jet.L;
    if (order < 2) continue;

    // second derivatives by (q,q), (q,v), (v,v), and those with p
    add_corner(w, l.l, x.jet.L_qq, out->L_qq);
    add_corner(w, l.l, x.jet.L_qv, out->L_qv);
    add_corner(w, l.l, x.jet.L_vv, out->L_vv);
    add_border(w, l.d, x.jet.L_q, out->L_qq);
    add_rows(w, l.d, x.jet.L_v, out->L_qv);
    add_parameters(w, x.jet.L, l.dd, out->L_qq);
  }
  return DM_OK;
}

// out = A x + B y, or with B'
static void multiply_pair(int n, const double *A, const double *x, const double *B, bool transposed,
                          const double *y, double *out) {
  for (int i = 0; i < n; i++) {
    out[i] = 0;
    for (int k = 0; k < n; k++)
      out[i] += A[i * n + k] * x[k] + B[transposed ? k * n + i : i * n + k] * y[k];
  }
}

static dm_status contract_family(const void *self, void *scratch, const double *q, const double *v,
                                 const double *a_q, const double *a_v, dm_jet *out) {
  const dm_family *w = self;
  const int n = w->n, N = n + w->np;
  family_place x = place_family(w, 0, w->member[0].L.scratch, scratch, q + n);
  for (int b = 0; b < 3; b++) clear((double *[]){out->L_qq, out->L_qv, out->L_vv}[b], N * N);

  for (int j = 0; j < w->m; j++) {
    const dm_lagrangian *L = &w->member[j].L;
    const dm_member_weight l = dm_family_basis_weigh(w->basis, x.basis, j, 2, a_q + n);
    DM_TRY(L->eval(L->self, x.scratch, 2, q, v, &x.jet));
    DM_TRY(L->contract(L->self, x.scratch, q, v, a_q, a_v, &x.T));

    // l T(a) + (l_p a_p) L_xx
    const double *const third[] = {x.T.L_qq, x.T.L_qv, x.T.L_vv};
    const double *const second[] = {x.jet.L_qq, x.jet.L_qv, x.jet.L_vv};
    double *const to[] = {out->L_qq, out->L_qv, out->L_vv};
    for (int b = 0; b < 3; b++) {
      add_corner(w, l.l, third[b], to[b]);
      add_corner(w, l.c, second[b], to[b]);
    }

    // with p: l_p (L_xx a) + (l_pp a_p) L_x
    double slope = 0;
    for (int i = 0; i < n; i++) slope += x.jet.L_q[i] * a_q[i] + x.jet.L_v[i] * a_v[i];
    multiply_pair(n, x.jet.L_qq, a_q, x.jet.L_qv, false, a_v, x.row);
    multiply_pair(n, x.jet.L_vv, a_v, x.jet.L_qv, true, a_q, x.other);
    add_border(w, l.d, x.row, out->L_qq);
    add_border(w, l.dc, x.jet.L_q, out->L_qq);
    add_rows(w, l.d, x.other, out->L_qv);
    add_rows(w, l.dc, x.jet.L_v, out->L_qv);

    // l_pp (L_x a) + (l_ppp a_p) L
    add_parameters(w, slope, l.dd, out->L_qq);
    add_parameters(w, x.jet.L, l.ddc, out->L_qq);
  }
  return DM_OK;
}

// -- constraints and signals

static dm_status eval_functions(const void *self, void *scratch, const double *q, double *h,
                                double *Dh) {
  const dm_family_functions *f = self;
  const dm_family *w = f->family;
  const int n = w->n, N = n + w->np, nc = f->member[0].nc;
  family_place x = place_family(w, nc, f->member[0].scratch, scratch, q + n);
  dm_status status = DM_OK;
  clear(h, nc);
  if (Dh) clear(Dh, nc * N);
  // s = sum_j l_j s_j, its Jacobian by q: l_j Ds_j, by p: l_j' s_j; keep rows with NaN and go on
  for (int j = 0; j < w->m; j++) {
    const dm_holonomic *of = &f->member[j];
    const dm_member_weight l = dm_family_basis_weigh(w->basis, x.basis, j, Dh ? 1 : 0, NULL);
    const dm_status s = of->eval(of->self, x.scratch, q, x.h, Dh ? x.row : NULL);
    if (s < 0 && s != DM_NOT_FINITE) return s;
    if (s < 0) status = s;
    for (int c = 0; c < nc; c++) {
      h[c] += l.l * x.h[c];
      for (int i = 0; Dh && i < n; i++) Dh[c * N + i] += l.l * x.row[c * n + i];
      for (int i = 0; Dh && i < w->np; i++) Dh[c * N + n + i] += l.d[i] * x.h[c];
    }
  }
  return status;
}

// Dh' lambda of rows [nc x n]
static void gather_slope(int n, int nc, const double *Dh, const double *lambda, double *out) {
  clear(out, n);
  for (int c = 0; c < nc; c++)
    if (lambda[c] != 0) dm_add_to(n, lambda[c], Dh + c * n, out);
}

static dm_status contract_functions(const void *self, void *scratch, const double *q,
                                    const double *lambda, double *H) {
  const dm_family_functions *f = self;
  const dm_family *w = f->family;
  const int n = w->n, nc = f->member[0].nc;
  family_place x = place_family(w, nc, f->member[0].scratch, scratch, q + n);
  for (int j = 0; j < w->m; j++) {
    const dm_holonomic *of = &f->member[j];
    const dm_member_weight l = dm_family_basis_weigh(w->basis, x.basis, j, 2, NULL);
    const dm_status s = of->eval(of->self, x.scratch, q, x.h, x.row);
    if (s < 0 && s != DM_NOT_FINITE) return s;
    clear(x.square, n * n);
    DM_TRY(of->contract(of->self, x.scratch, q, lambda, x.square));

    // by (q,q), (p,q), (p,p)
    double value = 0;
    for (int c = 0; c < nc; c++)
      if (lambda[c] != 0) value += lambda[c] * x.h[c];
    gather_slope(n, nc, x.row, lambda, x.jet.L_q);
    add_corner(w, l.l, x.square, H);
    add_border(w, l.d, x.jet.L_q, H);
    add_parameters(w, value, l.dd, H);
  }
  return DM_OK;
}

static dm_status eval_functions_directional(const void *self, void *scratch, const double *q,
                                            const double *a, const double *lambda, double *J,
                                            double *T) {
  const dm_family_functions *f = self;
  const dm_family *w = f->family;
  const int n = w->n, N = n + w->np, nc = f->member[0].nc;
  family_place x = place_family(w, nc, f->member[0].scratch, scratch, q + n);
  clear(J, nc * N);
  for (int j = 0; j < w->m; j++) {
    const dm_holonomic *of = &f->member[j];
    const dm_member_weight l = dm_family_basis_weigh(w->basis, x.basis, j, 2, a + n);
    const dm_status s = of->eval(of->self, x.scratch, q, x.h, x.row);
    if (s < 0 && s != DM_NOT_FINITE) return s;

    // rows of D2h a by q and p; x.other: D2h_j a_q
    clear(x.square, n * n);
    DM_TRY(of->directional(of->self, x.scratch, q, a, lambda, x.other, T ? x.square : NULL));
    for (int c = 0; c < nc; c++) {
      const double *Dh = x.row + c * n, *D2h = x.other + c * n;
      dm_add_to(n, l.l, D2h, J + c * N);
      dm_add_to(n, l.c, Dh, J + c * N);
      const double slope = dm_inner(n, Dh, a);
      for (int i = 0; i < w->np; i++) J[c * N + n + i] += l.d[i] * slope + l.dc[i] * x.h[c];
    }
    if (!T) continue;

    // sum lambda D3h a: by (q,q), then the blocks with p
    double value = 0;
    for (int c = 0; c < nc; c++)
      if (lambda[c] != 0) value += lambda[c] * x.h[c];
    add_corner(w, l.l, x.square, T);
    clear(x.square, n * n);
    DM_TRY(of->contract(of->self, x.scratch, q, lambda, x.square));
    add_corner(w, l.c, x.square, T);
    gather_slope(n, nc, x.other, lambda, x.jet.L_q);
    add_border(w, l.d, x.jet.L_q, T);
    gather_slope(n, nc, x.row, lambda, x.jet.L_v);
    add_border(w, l.dc, x.jet.L_v, T);
    add_parameters(w, dm_inner(n, x.jet.L_v, a), l.dd, T);
    add_parameters(w, value, l.ddc, T);
  }
  return DM_OK;
}

static const char *find_function_name(const void *self, int row) {
  const dm_holonomic *of = &((const dm_family_functions *)self)->member[0];
  return of->row_name ? of->row_name(of->self, row) : "?";
}

dm_holonomic dm_family_holonomic(const dm_family_functions *f) {
  const dm_holonomic *of = &f->member[0];
  return (dm_holonomic){.nc = of->nc,
                        .self = f,
                        .scratch = size_family_place(f->family, of->nc, of->scratch),
                        .eval = eval_functions,
                        .contract = contract_functions,
                        .directional = of->directional ? eval_functions_directional : NULL,
                        .row_name = find_function_name};
}

// -- forces

typedef struct force_place {
  void *scratch;
  dm_family_place *basis;
  dm_force_jet f;
  dm_force_hessian H;
  double *slope; // [n] mu f_x
} force_place;

static size_t find_forces_scratch(const dm_family *w) {
  return dm_forces_scratch(&w->member[0].force, w->n);
}

static void lay_out_force_place(force_place *x, dm_block *b, const dm_family *w) {
  const size_t n = (size_t)w->n, nu = (size_t)w->member[0].nu;
  x->scratch = dm_block_alloc(b, find_forces_scratch(w), 1);
  x->basis = dm_block_alloc(b, 1, sizeof *x->basis);
  x->f.f = dm_block_alloc(b, n, sizeof(double));
  x->slope = dm_block_alloc(b, n + nu, sizeof(double));
  double **squares[] = {&x->f.f_q, &x->f.f_v, &x->H.qq, &x->H.qv, &x->H.vv};
  for (int i = 0; i < 5; i++) *squares[i] = dm_block_alloc(b, n * n, sizeof(double));
  double **wide[] = {&x->f.f_u, &x->H.qu, &x->H.vu};
  for (int i = 0; i < 3; i++) *wide[i] = dm_block_alloc(b, n * nu, sizeof(double));
  x->H.uu = dm_block_alloc(b, nu * nu, sizeof(double));
}

static force_place place_force(const dm_family *w, void *scratch, const double *p) {
  dm_block b = {.base = scratch};
  force_place x;
  lay_out_force_place(&x, &b, w);
  dm_family_basis_place(w->basis, p, x.basis);
  return x;
}

// f of member j with derivatives; f_u has nu columns, the family's inputs
static dm_status eval_member_force(const dm_family *w, int j, force_place *x, const double *q,
                                   const double *v, const double *u) {
  const dm_system *s = &w->member[j];
  const int n = w->n, nu = w->inputs, joints = s->nu - s->force.nu;
  const int first = w->joint ? joints : 0;
  clear(x->f.f, n);
  clear(x->f.f_q, n * n);
  clear(x->f.f_v, n * n);
  clear(x->f.f_u, n * nu);

  // general forces; their columns follow those of the joints
  dm_force_jet general = x->f;
  general.f_u = x->H.qu;
  clear(general.f_u, n * s->force.nu);
  if (s->force.count)
    DM_TRY(dm_forces_eval(&s->force, n, x->scratch, 2, q, v, u + first, &general));
  for (int i = 0; i < n; i++)
    for (int c = 0; c < s->force.nu; c++)
      x->f.f_u[i * nu + first + c] = general.f_u[i * s->force.nu + c];
  if (!w->joint) return DM_OK;

  // B u - damping v
  for (int c = 0; c < joints; c++) {
    const double gear = s->input_gear ? s->input_gear[c] : 1;
    x->f.f[s->input_coord[c]] += gear * u[c];
    x->f.f_u[s->input_coord[c] * nu + c] += gear;
  }
  for (int i = 0; s->damping && i < n; i++) {
    x->f.f[i] -= s->damping[i] * v[i];
    x->f.f_v[i * n + i] -= s->damping[i];
  }
  return DM_OK;
}

static dm_status eval_family_force(const void *self, void *scratch, int order, const double *q,
                                   const double *v, const double *u, dm_force_jet *out) {
  const dm_family *w = self;
  const int n = w->n, N = n + w->np, nu = w->inputs;
  force_place x = place_force(w, scratch, q + n);
  // f = sum_j l_j f_j; by p: l_j' f_j
  for (int j = 0; j < w->m; j++) {
    const dm_member_weight l = dm_family_basis_weigh(w->basis, x.basis, j, 1, NULL);
    DM_TRY(eval_member_force(w, j, &x, q, v, u));
    dm_add_to(n, l.l, x.f.f, out->f);
    if (order < 2) continue;
    add_corner(w, l.l, x.f.f_q, out->f_q);
    add_corner(w, l.l, x.f.f_v, out->f_v);
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < w->np; k++) out->f_q[i * N + n + k] += l.d[k] * x.f.f[i];
      dm_add_to(nu, l.l, x.f.f_u + i * nu, out->f_u + i * nu);
    }
  }
  return DM_OK;
}

// add to the q rows of a matrix with nu columns
static void add_inputs(const dm_family *w, double t, int first, int from_nu, const double *from,
                       int nu, double *to) {
  for (int i = 0; i < w->n; i++)
    for (int c = 0; c < from_nu; c++) to[i * nu + first + c] += t * from[i * from_nu + c];
}

// mu A for A [n x columns]
static void gather_rows(int n, int columns, const double *mu, const double *A, double *out) {
  clear(out, columns);
  for (int i = 0; i < n; i++) dm_add_to(columns, mu[i], A + i * columns, out);
}

static dm_status contract_family_force(const void *self, void *scratch, const double *q,
                                       const double *v, const double *u, const double *mu,
                                       dm_force_hessian *out) {
  const dm_family *w = self;
  const int n = w->n, nu = w->inputs;
  force_place x = place_force(w, scratch, q + n);
  for (int j = 0; j < w->m; j++) {
    const dm_system *s = &w->member[j];
    const int own = s->force.nu, first = w->joint ? s->nu - own : 0;
    const dm_member_weight l = dm_family_basis_weigh(w->basis, x.basis, j, 2, NULL);
    DM_TRY(eval_member_force(w, j, &x, q, v, u));

    // l_p times the gradient of mu.f by q, v and u; l_pp times mu.f
    gather_rows(n, n, mu, x.f.f_q, x.slope);
    add_border(w, l.d, x.slope, out->qq);
    gather_rows(n, n, mu, x.f.f_v, x.slope);
    add_rows(w, l.d, x.slope, out->qv);
    gather_rows(n, nu, mu, x.f.f_u, x.slope);
    for (int i = 0; i < w->np; i++) dm_add_to(nu, l.d[i], x.slope, out->qu + (n + i) * nu);
    add_parameters(w, dm_inner(n, mu, x.f.f), l.dd, out->qq);
    if (!s->force.count) continue;

    // l times the second derivatives of the member
    double *const squares[] = {x.H.qq, x.H.qv, x.H.vv};
    for (int b = 0; b < 3; b++) clear(squares[b], n * n);
    clear(x.H.qu, n * own);
    clear(x.H.vu, n * own);
    clear(x.H.uu, own * own);
    DM_TRY(dm_forces_contract(&s->force, n, x.scratch, q, v, u + first, mu, &x.H));
    add_corner(w, l.l, x.H.qq, out->qq);
    add_corner(w, l.l, x.H.qv, out->qv);
    add_corner(w, l.l, x.H.vv, out->vv);
    add_inputs(w, l.l, first, own, x.H.qu, nu, out->qu);
    add_inputs(w, l.l, first, own, x.H.vu, nu, out->vu);
    for (int c = 0; c < own; c++)
      for (int d = 0; d < own; d++)
        out->uu[(first + c) * nu + first + d] += l.l * x.H.uu[c * own + d];
  }
  return DM_OK;
}

// -- construction

static void lay_out_family(void *self, dm_block *b) {
  dm_family *w = self;
  const size_t m = (size_t)w->m, np = (size_t)w->np, N = (size_t)w->n + np;
  const size_t nu = (size_t)w->inputs;
  w->member = dm_block_alloc(b, m, sizeof *w->member);
  w->hol_member = dm_block_alloc(b, m, sizeof *w->hol_member);
  w->kinematic = dm_block_alloc(b, N, sizeof *w->kinematic);
  w->length = dm_block_alloc(b, N, sizeof *w->length);
  w->damping = dm_block_alloc(b, N, sizeof(double));
  w->inertia = dm_block_alloc(b, N, sizeof(double));
  w->mask = dm_block_alloc(b, N * N, 1);
  w->force_mask = dm_block_alloc(b, N * N, 1);
  w->mask_u = dm_block_alloc(b, N * nu, 1);
  w->mask_uu = dm_block_alloc(b, nu * nu, 1);
}

// returns true if joint inputs or damping differ between members
static bool differ_at_joints(int m, const dm_system *s) {
  const int joints = s->nu - s->force.nu, n = s->L.nq;
  for (int j = 1; j < m; j++) {
    for (int c = 0; c < joints; c++) {
      const double a = s->input_gear ? s->input_gear[c] : 1;
      if (a != (s[j].input_gear ? s[j].input_gear[c] : 1)) return true;
    }
    for (int i = 0; i < n; i++)
      if ((s->damping ? s->damping[i] : 0) != (s[j].damping ? s[j].damping[i] : 0)) return true;
  }
  return false;
}

static dm_status check_members(int m, const dm_system *s, dm_message *msg) {
  // sizes of the members, and the derivatives they must offer
  for (int j = 0; j < m; j++) {
    const char *what = NULL;
    if (s[j].L.nq != s->L.nq || s[j].nk != s->nk) what = "coordinates";
    if (s[j].nu != s->nu || s[j].force.nu != s->force.nu || s[j].force.count != s->force.count)
      what = "inputs or forces";
    if (s[j].hol.nc != s->hol.nc) what = "constraints";
    if (what) return dm_fail(msg, DM_BAD_INPUT, "members of a family have different %s", what);
    if (!s[j].L.contract || !dm_forces_contractible(&s[j].force))
      return dm_fail(msg, DM_BAD_INPUT, "a member of a family offers no second derivatives");
    if (s[j].physical)
      return dm_fail(
          msg, DM_BAD_INPUT,
          "a member of a family has a joint whose damping decays within a step: take more steps");
  }
  return DM_OK;
}

// sparsity: all entries with p may be nonzero
static void set_family_masks(dm_family *w) {
  const int n = w->n, N = n + w->np, nu = w->inputs;
  const dm_system *s = w->member;
  const int joints = s->nu - s->force.nu, first = w->joint ? joints : 0;
  // 1. L, and the forces by coordinates
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) {
      const bool own = i < n && k < n;
      const int at = i * N + k;
      w->mask[at] = !own || !s->L.mask || s->L.mask[i * n + k];
      w->force_mask[at] =
          !own || (s->force.count && dm_forces_couple(&s->force, n, i, k)) || (w->joint && i == k);
    }
  // 2. forces by inputs
  for (int i = 0; i < N; i++)
    for (int c = 0; c < nu; c++) {
      const bool general = c >= first;
      w->mask_u[i * nu + c] = i >= n || (general ? dm_forces_driven(&s->force, n, i, c - first)
                                                 : s->input_coord[c] == i);
    }
  // 3. forces by two inputs
  for (int c = 0; c < nu; c++)
    for (int d = 0; d < nu; d++)
      w->mask_uu[c * nu + d] =
          c >= first && d >= first && dm_forces_couple_inputs(&s->force, c - first, d - first);
}

dm_status dm_family_new(dm_family **out, int np, int degree, const double *low, const double *high,
                        const dm_system *member, dm_message *msg) {
  // 1. sizes and structure
  const int m = dm_family_members(np, degree);
  *out = NULL;
  if (np < 1 || np > DM_FAMILY_PARAMETERS || m > DM_FAMILY_MEMBERS)
    return dm_fail(msg, DM_BAD_INPUT, "a family of %d parameters of degree %d is too large", np,
                   degree);
  DM_TRY(check_members(m, member, msg));
  dm_family sizes = {.np = np, .m = m, .n = member->L.nq};
  sizes.joint = differ_at_joints(m, member);
  sizes.inputs = sizes.joint ? member->nu : member->force.nu;
  dm_family *w = dm_block_make(&sizes, sizeof sizes, lay_out_family);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  memcpy(w->member, member, (size_t)m * sizeof *member);

  // 2. interpolation polynomials
  const dm_status s = dm_family_basis_new(&w->basis, np, degree, low, high);
  if (s != DM_OK) {
    dm_family_free(w);
    if (s == DM_NO_MEMORY) return dm_fail(msg, s, "out of memory");
    return dm_fail(msg, s, "the values of a family's members are too near one another");
  }
  // 3. masks, functions and per-coordinate data
  set_family_masks(w);
  for (int j = 0; j < m; j++) w->hol_member[j] = w->member[j].hol;
  w->hol = (dm_family_functions){w, w->hol_member};
  for (int i = 0; i < w->n; i++) {
    w->kinematic[i] = member->nk && member->kinematic[i];
    w->length[i] = member->length && member->length[i];
    w->damping[i] = member->damping ? member->damping[i] : 0;
    w->inertia[i] = member->inertia ? member->inertia[i] : 0;
  }
  for (int i = 0; i < np; i++) w->kinematic[w->n + i] = true;
  *out = w;
  return DM_OK;
}

void dm_family_free(dm_family *w) {
  if (w) dm_block_free(w->basis);
  dm_block_free(w);
}

dm_system dm_family_system(const dm_family *w) {
  dm_system s = *w->member;
  const int N = w->n + w->np;
  dm_block b = {0};
  force_place x;
  lay_out_force_place(&x, &b, w);
  s.L = (dm_lagrangian){.nq = N,
                        .quadratic = w->member->L.quadratic,
                        .mask = w->mask,
                        .self = w,
                        .scratch = size_family_place(w, 0, w->member->L.scratch),
                        .eval = eval_family,
                        .contract = contract_family};
  s.physical = NULL;
  s.lag = NULL;
  if (s.hol.nc) s.hol = dm_family_holonomic(&w->hol);
  s.nk += w->np;
  s.kinematic = w->kinematic;
  s.length = w->length;
  s.damping = w->joint || !w->member->damping ? NULL : w->damping;
  s.inertia = w->inertia;
  if (w->joint) s.input_coord = NULL;
  if (w->joint) s.input_gear = NULL;

  // a single general force
  s.force = (dm_forces){.count = 0};
  const int nu = s.nu;
  s.nu = nu - w->inputs;
  if (w->joint || w->member->force.count)
    dm_system_add_force(&s, (dm_force){.nu = w->inputs,
                                       .mask = w->force_mask,
                                       .mask_u = w->mask_u,
                                       .mask_uu = w->mask_uu,
                                       .self = w,
                                       .scratch = (b.used + 63) & ~(size_t)63,
                                       .eval = eval_family_force,
                                       .contract = contract_family_force});
  return s;
}
