#include "lib/multibody/formula_force.h"

#include "lib/base/block.h"

#include <math.h>
#include <string.h>

struct dm_formula_forces {
  int nq, nu, nz, n; // coordinates, inputs, entries of z = (q, v, u), formulas
  const dm_formula *list;
  int *load;   // [n] its number among the loads; -1: it acts on a coordinate
  int nw, nx;  // loads; most variables
  size_t room; // doubles for a tape, most
  dm_loads *loads;
  dm_force act; // of the loads, with nw inputs
  dm_outputs *outputs;
  dm_output_map y;                    // ny 0: none
  unsigned char *mask, *mask_u;       // as in dm_force
  unsigned char *mask_uu, *has_coord; // has_coord [nq]: of one formula
};

static void lay_out_forces(void *self, dm_block *b) {
  dm_formula_forces *c = self;
  const size_t nq = (size_t)c->nq, nu = (size_t)c->nu;
  c->load = dm_block_alloc(b, (size_t)c->n, sizeof *c->load);
  c->mask = dm_block_alloc(b, nq * nq, 1);
  c->mask_u = dm_block_alloc(b, nq * nu, 1);
  c->mask_uu = dm_block_alloc(b, nu * nu, 1);
  c->has_coord = dm_block_alloc(b, nq, 1);
}

// -- work arrays of a call, in the caller's scratch

typedef struct force_work {
  void *of_loads, *of_outputs;
  double *x, *x_z;          // [nx], [nx x nz] variables of a formula
  double *f_x, *f_xx, *f_z; // [nx], [nx x nx], [nz]
  double *room;             // of its tape
  double *y, *y_q, *y_v,
      *by_y;                   // [ny], [ny x nq] twice, [ny] rows of outputs, and their multipliers
  double *w, *w_z;             // [nw], [nw x nz] inputs of the loads
  double *g, *c_q;             // [nq x nw] g_w, c_qw
  double *f, *n_n, *n_w, *w_w; // [nq], [nq x nq], [nq x nw], [nw x nw] not used
} force_work;

static force_work open_work(const dm_formula_forces *c, dm_block *b) {
  const size_t nx = (size_t)c->nx, nq = (size_t)c->nq, nz = (size_t)c->nz, nw = (size_t)c->nw;
  const size_t ny = (size_t)c->y.ny;
  force_work w = {.of_loads = dm_block_alloc(b, c->act.scratch, 1),
                  .of_outputs = dm_block_alloc(b, c->y.scratch, 1)};
  const struct {
    double **to;
    size_t size;
  } arrays[] = {{&w.x, nx},        {&w.x_z, nx * nz},  {&w.f_x, nx}, {&w.f_xx, nx * nx},
                {&w.f_z, nz},      {&w.room, c->room}, {&w.y, ny},   {&w.y_q, ny * nq},
                {&w.y_v, ny * nq}, {&w.by_y, ny},      {&w.w, nw},   {&w.w_z, nw * nz},
                {&w.g, nq * nw},   {&w.c_q, nq * nw},  {&w.f, nq},   {&w.n_n, nq * nq},
                {&w.n_w, nq * nw}, {&w.w_w, nw * nw}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i].to = dm_block_alloc(b, arrays[i].size, sizeof(double));
  return w;
}

static void set_zero(double *x, int n) {
  memset(x, 0, (size_t)n * sizeof *x);
}

// rows of outputs, with slopes for order > 0; a row without a value makes its formula not finite
static dm_status place_outputs(const dm_formula_forces *c, force_work *w, int order,
                               const double *q, const double *v) {
  if (!c->y.ny) return DM_OK;
  const dm_status s = dm_output_map_eval(&c->y, w->of_outputs, q, v, w->y, order ? w->y_q : NULL,
                                         order ? w->y_v : NULL);
  return s == DM_NOT_FINITE ? DM_OK : s;
}

// -- one formula

// the entries of z on which a variable depends: low <= i < high
static void find_span(const dm_formula_forces *c, int variable, int *low, int *high) {
  *low = variable < 0 ? 0 : variable;
  *high = variable < 0 ? 2 * c->nq : variable + 1;
}

// x, and x_z for order > 0
static void gather(const dm_formula_forces *c, force_work *w, const dm_formula *p, int order,
                   const double *q, const double *v, const double *u) {
  const int nq = c->nq;
  for (int a = 0; a < p->f->nx; a++) {
    const int i = p->variable[a], row = -1 - i;
    double *z = w->x_z + a * c->nz;
    if (row >= 0)
      w->x[a] = w->y[row];
    else if (i < 2 * nq)
      w->x[a] = i < nq ? q[i] : v[i - nq];
    else
      w->x[a] = u ? u[i - 2 * nq] : 0;
    if (!order) continue;
    if (row < 0) z[i] = 1;
    for (int k = 0; row >= 0 && k < nq; k++) z[k] = w->y_q[row * nq + k];
    for (int k = 0; row >= 0 && k < nq; k++) z[nq + k] = w->y_v[row * nq + k];
  }
}

// F, with F_z for order > 0, and F_x, F_xx for order > 1
static double eval_formula(const dm_formula_forces *c, force_work *w, const dm_formula *p,
                           int order, const double *q, const double *v, const double *u) {
  gather(c, w, p, order, q, v, u);
  const double f =
      dm_tape_eval(p->f, w->x, w->room, order ? w->f_x : NULL, order > 1 ? w->f_xx : NULL);
  if (!order) return f;
  set_zero(w->f_z, c->nz);
  for (int a = 0; a < p->f->nx; a++) {
    int low, high;
    find_span(c, p->variable[a], &low, &high);
    for (int k = low; k < high && w->f_x[a] != 0; k++)
      w->f_z[k] += w->f_x[a] * w->x_z[a * c->nz + k];
  }
  return f;
}

// -- the sum

// row j of f_z += factor F_z
static void add_row(const dm_formula_forces *c, int j, double factor, const double *f_z,
                    dm_force_jet *out) {
  const int nq = c->nq, nu = c->nu;
  for (int k = 0; k < nq; k++) out->f_q[j * nq + k] += factor * f_z[k];
  for (int k = 0; k < nq; k++) out->f_v[j * nq + k] += factor * f_z[nq + k];
  for (int k = 0; k < nu; k++) out->f_u[j * nu + k] += factor * f_z[2 * nq + k];
}

static dm_status eval_forces(const void *self, void *scratch, int order, const double *q,
                             const double *v, const double *u, dm_force_jet *out) {
  const dm_formula_forces *c = self;
  const int nw = c->nw;
  dm_block b = {.base = scratch};
  force_work w = open_work(c, &b);
  DM_TRY(place_outputs(c, &w, order > 1, q, v));

  // 1  F, on coordinates at once
  for (int i = 0; i < c->n; i++) {
    const dm_formula *p = &c->list[i];
    if (p->role != DM_FORMULA_FORCE) continue;
    const double f = eval_formula(c, &w, p, order > 1, q, v, u);
    if (!isfinite(f)) return DM_NOT_FINITE;
    if (c->load[i] < 0) {
      out->f[p->coord] += f;
      if (order > 1) add_row(c, p->coord, 1, w.f_z, out);
      continue;
    }
    w.w[c->load[i]] = f;
    if (order > 1) memcpy(w.w_z + c->load[i] * c->nz, w.f_z, (size_t)c->nz * sizeof *w.f_z);
  }

  // 2  g_p F_z + F_p g_p,q of loads
  if (!nw) return DM_OK;
  dm_force_jet jet = {.f = out->f, .f_q = out->f_q, .f_v = out->f_v, .f_u = w.g};
  set_zero(w.g, c->nq * nw);
  DM_TRY(c->act.eval(c->act.self, w.of_loads, order, q, v, w.w, &jet));
  for (int ji = 0; order > 1 && ji < c->nq * nw; ji++)
    if (w.g[ji] != 0) add_row(c, ji / nw, w.g[ji], w.w_z + ji % nw * c->nz, out);
  return DM_OK;
}

// add to the entry of two entries of z in the Hessian of mu.f, unless its transpose is stored
static void add_entry(const dm_formula_forces *c, dm_force_hessian *out, int i, int j, double x) {
  const int nq = c->nq, nu = c->nu;
  const int of_i = i < nq ? 0 : i < 2 * nq ? 1 : 2, of_j = j < nq ? 0 : j < 2 * nq ? 1 : 2;
  double *const block[3][3] = {
      {out->qq, out->qv, out->qu}, {NULL, out->vv, out->vu}, {NULL, NULL, out->uu}};
  if (of_i > of_j) return;
  block[of_i][of_j][(i - of_i * nq) * (of_j == 2 ? nu : nq) + j - of_j * nq] += x;
}

// c x_z' F_xx x_z
static void add_curvature(const dm_formula_forces *c, const force_work *w, const dm_formula *p,
                          double factor, dm_force_hessian *out) {
  const int nx = p->f->nx, nz = c->nz;
  for (int ab = 0; ab < nx * nx; ab++) {
    const int a = ab / nx, b = ab % nx;
    int low[2], high[2];
    if (w->f_xx[ab] == 0) continue;
    find_span(c, p->variable[a], &low[0], &high[0]);
    find_span(c, p->variable[b], &low[1], &high[1]);
    for (int i = low[0]; i < high[0]; i++) {
      const double slope = factor * w->f_xx[ab] * w->x_z[a * nz + i];
      for (int j = low[1]; slope != 0 && j < high[1]; j++)
        add_entry(c, out, i, j, slope * w->x_z[b * nz + j]);
    }
  }
}

// g, c_q and F (mu.g)_qq of the loads, whose inputs are in w
static dm_status contract_loads(const dm_formula_forces *c, force_work *w, const double *q,
                                const double *v, const double *mu, dm_force_hessian *out) {
  const int nq = c->nq, nw = c->nw;
  dm_force_jet jet = {.f = w->f, .f_q = w->n_n, .f_v = w->n_n, .f_u = w->g};
  dm_force_hessian bent = {
      .qq = out->qq, .qv = out->qv, .vv = out->vv, .qu = w->c_q, .vu = w->n_w, .uu = w->w_w};
  set_zero(w->f, nq);
  set_zero(w->n_n, nq * nq);
  set_zero(w->g, nq * nw);
  set_zero(w->c_q, nq * nw);
  set_zero(w->n_w, nq * nw);
  set_zero(w->w_w, nw * nw);
  DM_TRY(c->act.eval(c->act.self, w->of_loads, 2, q, v, w->w, &jet));
  return c->act.contract(c->act.self, w->of_loads, q, v, w->w, mu, &bent);
}

// c_q F_z' + F_z c_q' of load k
static void add_mixed(const dm_formula_forces *c, const force_work *w, int k,
                      dm_force_hessian *out) {
  for (int i = 0; i < c->nq; i++) {
    const double c_i = w->c_q[i * c->nw + k];
    for (int j = 0; c_i != 0 && j < c->nz; j++) {
      add_entry(c, out, i, j, c_i * w->f_z[j]);
      add_entry(c, out, j, i, c_i * w->f_z[j]);
    }
  }
}

static dm_status contract_forces(const void *self, void *scratch, const double *q, const double *v,
                                 const double *u, const double *mu, dm_force_hessian *out) {
  const dm_formula_forces *c = self;
  dm_block b = {.base = scratch};
  force_work w = open_work(c, &b);
  DM_TRY(place_outputs(c, &w, 1, q, v));

  // 1  F of the loads, and from these c_p and its derivatives
  for (int i = 0; i < c->n; i++)
    if (c->load[i] >= 0) w.w[c->load[i]] = eval_formula(c, &w, &c->list[i], 0, q, v, u);
  if (c->nw) DM_TRY(contract_loads(c, &w, q, v, mu, out));

  // 2  the formulas
  set_zero(w.by_y, c->y.ny);
  for (int i = 0; i < c->n; i++) {
    const dm_formula *p = &c->list[i];
    const int k = c->load[i];
    if (p->role != DM_FORMULA_FORCE || (k < 0 && mu[p->coord] == 0)) continue;
    if (!isfinite(eval_formula(c, &w, p, 2, q, v, u))) return DM_NOT_FINITE;
    double by = k < 0 ? mu[p->coord] : 0;
    for (int j = 0; k >= 0 && j < c->nq; j++) by += mu[j] * w.g[j * c->nw + k];
    add_curvature(c, &w, p, by, out);
    for (int a = 0; a < p->f->nx; a++)
      if (p->variable[a] < 0) w.by_y[-1 - p->variable[a]] += by * w.f_x[a];
    if (k >= 0) add_mixed(c, &w, k, out);
  }

  // 3  F_x y_zz
  if (!c->y.ny) return DM_OK;
  return dm_output_map_contract(&c->y, w.of_outputs, q, v, w.by_y, out->qq, out->qv, out->vv);
}

// -- compiling

// the coordinates of a formula: of its variables, and those that it acts on
static void find_coords(dm_formula_forces *c, int p) {
  const dm_formula *x = &c->list[p];
  const int nq = c->nq, k = c->load[p];
  memset(c->has_coord, 0, (size_t)nq);
  if (k < 0) c->has_coord[x->coord] = 1;
  for (int j = 0; k >= 0 && j < nq; j++) c->has_coord[j] |= c->act.mask_u[j * c->nw + k];
  for (int a = 0; a < x->f->nx; a++) {
    const int i = x->variable[a];
    if (i >= 0 && i < 2 * nq) c->has_coord[i % nq] = 1;
    for (int j = 0; i < 0 && j < nq; j++) c->has_coord[j] |= dm_output_map_moves(&c->y, -1 - i, j);
  }
}

static void set_masks(dm_formula_forces *c) {
  const int nq = c->nq, nu = c->nu;
  for (int p = 0; p < c->n; p++) {
    const dm_formula *x = &c->list[p];
    if (x->role != DM_FORMULA_FORCE) continue;
    find_coords(c, p);
    for (int ij = 0; ij < nq * nq; ij++)
      c->mask[ij] |= c->has_coord[ij / nq] && c->has_coord[ij % nq];
    for (int a = 0; a < x->f->nx; a++) {
      const int input = x->variable[a] - 2 * nq;
      if (input < 0) continue;
      for (int j = 0; j < nq; j++) c->mask_u[j * nu + input] |= c->has_coord[j];
      for (int b = 0; b < x->f->nx; b++)
        if (x->variable[b] >= 2 * nq) c->mask_uu[input * nu + x->variable[b] - 2 * nq] = 1;
    }
  }
}

// the loads that formulas multiply, and the outputs that they have
static dm_status compile_parts(dm_formula_forces *c, const dm_model *m, dm_message *msg) {
  dm_block b = {0};
  dm_load *load;
  const dm_formula *with = NULL;
  for (int i = 0; i < c->n; i++) {
    const dm_formula *p = &c->list[i];
    c->load[i] = p->role == DM_FORMULA_FORCE && p->along ? c->nw++ : -1;
    if (p->role == DM_FORMULA_FORCE && p->noutputs) with = p;
  }
  if (with) {
    DM_TRY(dm_outputs_new(&c->outputs, m, with->noutputs, with->output, msg));
    const dm_holonomic signals = dm_outputs_signals(c->outputs);
    c->y = dm_outputs_map(c->outputs, &signals, m->nq);
  }
  if (!c->nw) return DM_OK;
  dm_block_alloc(&b, (size_t)c->nw, sizeof *load);
  if (dm_block_new(&b) != DM_OK) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  load = dm_block_alloc(&b, (size_t)c->nw, sizeof *load);
  for (int i = 0; i < c->n; i++) {
    if (c->load[i] < 0) continue;
    load[c->load[i]] = *c->list[i].along;
    load[c->load[i]].driven = true;
  }
  const dm_status s = dm_loads_new(&c->loads, m, c->nw, load, msg);
  dm_block_free(b.base);
  if (s == DM_OK) c->act = dm_loads_force(c->loads);
  return s;
}

static dm_status check_variables(const dm_formula_forces *c, dm_message *msg) {
  for (const dm_formula *p = c->list; p < c->list + c->n; p++)
    for (int a = 0; a < p->f->nx && p->role == DM_FORMULA_FORCE; a++) {
      const int row = -1 - p->variable[a];
      if (row < c->y.ny && (row < 0 || !dm_output_map_is_driven(&c->y, row))) continue;
      return dm_fail(msg, DM_BAD_INPUT,
                     "the force '%.64s' has an output that it cannot have, expected outputs of "
                     "positions and velocities",
                     p->name);
    }
  return DM_OK;
}

dm_status dm_formula_forces_new(dm_formula_forces **out, const dm_model *m, int nu, int n,
                                const dm_formula *list, dm_message *msg) {
  dm_formula_forces sizes = {.nq = m->nq, .nu = nu, .nz = 2 * m->nq + nu, .n = n, .list = list};
  dm_formula_forces *c = dm_block_make(&sizes, sizeof sizes, lay_out_forces);
  if (!c) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  for (const dm_formula *x = list; x < list + n; x++) {
    if (x->role != DM_FORMULA_FORCE) continue;
    const size_t room = dm_tape_room(x->f);
    if (room > c->room) c->room = room;
    if (x->f->nx > c->nx) c->nx = x->f->nx;
  }
  dm_status s = compile_parts(c, m, msg);
  if (s == DM_OK) s = check_variables(c, msg);
  if (s != DM_OK) {
    dm_formula_forces_free(c);
    return s;
  }
  set_masks(c);
  *out = c;
  return DM_OK;
}

void dm_formula_forces_free(dm_formula_forces *c) {
  if (c) dm_loads_free(c->loads);
  if (c) dm_outputs_free(c->outputs);
  dm_block_free(c);
}

dm_force dm_formula_forces_force(const dm_formula_forces *c) {
  dm_block b = {0};
  open_work(c, &b);
  return (dm_force){.nu = c->nu,
                    .mask = c->mask,
                    .mask_u = c->mask_u,
                    .mask_uu = c->mask_uu,
                    .self = c,
                    .scratch = (b.used + 63) & ~(size_t)63,
                    .eval = eval_forces,
                    .contract = contract_forces};
}

int dm_formula_forces_undefined(const dm_formula_forces *c, void *scratch, const double *q,
                                const double *v, const double *u, char *text, size_t size) {
  dm_block b = {.base = scratch};
  force_work w = open_work(c, &b);
  if (place_outputs(c, &w, 0, q, v) != DM_OK) return -1;
  for (int i = 0; i < c->n; i++) {
    const dm_formula *p = &c->list[i];
    if (p->role != DM_FORMULA_FORCE) continue;
    gather(c, &w, p, 0, q, v, u);
    if (dm_tape_fault(p->f, w.x, 2, w.room, text, size)) return i;
  }
  return -1;
}
