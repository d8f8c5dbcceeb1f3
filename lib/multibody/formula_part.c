#include "lib/multibody/formula_part.h"

#include "lib/base/block.h"
#include "lib/mechanics/potential.h"
#include "lib/multibody/formula_force.h"

#include <limits.h>
#include <math.h>
#include <string.h>

struct dm_formulas {
  int nq, nu, n;
  dm_formula *list;          // [n]
  const dm_formula *own;     // the Lagrangian among them; NULL: none
  unsigned char *own_mask;   // [nq x nq] of its second derivatives
  unsigned char *mask;       // [nq x nq] of those of the potentials
  int nx;                    // most variables
  size_t room;               // doubles for a tape, most
  dm_conservative *all;      // L - V
  dm_formula_forces *forces; // NULL: none
};

static void lay_out_formulas(void *self, dm_block *b) {
  dm_formulas *c = self;
  const size_t nq = (size_t)c->nq;
  c->list = dm_block_alloc(b, (size_t)c->n, sizeof *c->list);
  c->own_mask = dm_block_alloc(b, nq * nq, 1);
  c->mask = dm_block_alloc(b, nq * nq, 1);
}

// the number of inputs of all formulas
static int count_inputs(const dm_model *m, int n, const dm_formula *list) {
  int nu = 0;
  for (const dm_formula *x = list; x < list + n; x++)
    for (int a = 0; a < x->f->nx; a++) {
      const int k = x->variable[a] - 2 * m->nq + 1;
      if (k > nu) nu = k;
    }
  return nu;
}

static dm_status check_formula(const dm_model *m, const dm_formula *x, dm_message *msg) {
  static const char *const words[] = {"potential", "force", "Lagrangian"};
  const int most[] = {m->nq, m->nq * 2 + m->nload, m->nq * 2};
  const int least = x->role == DM_FORMULA_FORCE ? -INT_MAX : 0;
  for (int a = 0; a < x->f->nx; a++)
    if (x->variable[a] < least || x->variable[a] >= most[x->role])
      return dm_fail(
          msg, DM_BAD_INPUT,
          "the %s '%.64s' has a variable that it cannot have: a potential has positions, "
          "a Lagrangian positions and velocities",
          words[x->role], x->name);
  if (x->role != DM_FORMULA_FORCE || x->along) return DM_OK;
  if (x->coord < 0 || x->coord >= m->nq)
    return dm_fail(msg, DM_BAD_INPUT, "the force '%.64s' acts on a coordinate that does not exist",
                   x->name);
  if (m->kinematic[x->coord])
    return dm_fail(msg, DM_BAD_INPUT, "the force '%.64s' acts on '%.64s', which is kinematic",
                   x->name, m->name[x->coord]);
  return DM_OK;
}

// pairs of variables of an energy
static void mark_formula(dm_formulas *c, const dm_formula *x) {
  const int nq = c->nq;
  unsigned char *mask = x->role == DM_FORMULA_LAGRANGIAN ? c->own_mask : c->mask;
  for (int ab = 0; ab < x->f->nx * x->f->nx; ab++)
    mask[x->variable[ab / x->f->nx] % nq * nq + x->variable[ab % x->f->nx] % nq] = 1;
}

// work arrays of a call, in the caller's scratch
typedef struct formula_work {
  void *base;         // of the Lagrangian below
  double *x, *x_a;    // [nx] variables, and their changes
  double *f_x, *f_xx; // [nx], [nx x nx]
  double *room;
} formula_work;

static formula_work open_work(const dm_formulas *c, dm_block *b) {
  const size_t nx = (size_t)c->nx, d = sizeof(double);
  formula_work w;
  w.x = dm_block_alloc(b, nx, d);
  w.x_a = dm_block_alloc(b, nx, d);
  w.f_x = dm_block_alloc(b, nx, d);
  w.f_xx = dm_block_alloc(b, nx * nx, d);
  w.room = dm_block_alloc(b, c->room, d);
  return w;
}

static size_t measure_work(const dm_formulas *c) {
  dm_block b = {0};
  open_work(c, &b);
  return (b.used + 63) & ~(size_t)63;
}

// entries of (q, v) that are the variables of an energy
static void gather(const dm_formulas *c, const dm_formula *f, const double *q, const double *v,
                   double *x) {
  for (int a = 0; a < f->f->nx; a++) {
    const int i = f->variable[a];
    x[a] = i < c->nq ? q[i] : v[i - c->nq];
  }
}

// -- potentials

static dm_status eval_potentials(const void *self, void *scratch, int order, const double *q,
                                 double *V, double *V_q, double *V_qq) {
  const dm_formulas *c = self;
  dm_block b = {.base = scratch};
  const formula_work w = open_work(c, &b);
  for (const dm_formula *p = c->list; p < c->list + c->n; p++) {
    const int nx = p->f->nx;
    if (p->role != DM_FORMULA_POTENTIAL) continue;
    gather(c, p, q, NULL, w.x);
    *V += dm_tape_eval(p->f, w.x, w.room, w.f_x, order > 1 ? w.f_xx : NULL);
    for (int a = 0; a < nx; a++) V_q[p->variable[a]] += w.f_x[a];
    for (int ab = 0; order > 1 && ab < nx * nx; ab++)
      V_qq[p->variable[ab / nx] * c->nq + p->variable[ab % nx]] += w.f_xx[ab];
  }
  return DM_OK;
}

static dm_status bend_potentials(const void *self, void *scratch, const double *q, const double *a,
                                 double *V_qqa) {
  const dm_formulas *c = self;
  dm_block b = {.base = scratch};
  const formula_work w = open_work(c, &b);
  for (const dm_formula *p = c->list; p < c->list + c->n; p++) {
    const int nx = p->f->nx;
    if (p->role != DM_FORMULA_POTENTIAL) continue;
    gather(c, p, q, NULL, w.x);
    gather(c, p, a, NULL, w.x_a);
    dm_tape_bend(p->f, w.x, w.x_a, w.room, w.f_xx);
    for (int ab = 0; ab < nx * nx; ab++)
      V_qqa[p->variable[ab / nx] * c->nq + p->variable[ab % nx]] += w.f_xx[ab];
  }
  return DM_OK;
}

// -- the Lagrangian

// the entry of L_qq, L_qv or L_vv of two variables; NULL: that of L_qv with both exchanged
static double *find_entry(int nq, dm_jet *out, int i, int j) {
  if (i < nq && j < nq) return &out->L_qq[i * nq + j];
  if (i < nq) return &out->L_qv[i * nq + j - nq];
  return j < nq ? NULL : &out->L_vv[(i - nq) * nq + j - nq];
}

static void put_second(const dm_formulas *c, const double *f_xx, dm_jet *out) {
  const int nq = c->nq, nx = c->own->f->nx;
  const size_t size = (size_t)(nq * nq) * sizeof(double);
  memset(out->L_qq, 0, size);
  memset(out->L_qv, 0, size);
  memset(out->L_vv, 0, size);
  for (int ab = 0; ab < nx * nx; ab++) {
    double *to = find_entry(nq, out, c->own->variable[ab / nx], c->own->variable[ab % nx]);
    if (to) *to = f_xx[ab];
  }
}

static dm_status eval_own(const void *self, void *scratch, int order, const double *q,
                          const double *v, dm_jet *out) {
  const dm_formulas *c = self;
  const dm_tape *f = c->own->f;
  dm_block b = {.base = scratch};
  const formula_work w = open_work(c, &b);
  gather(c, c->own, q, v, w.x);
  out->L = dm_tape_eval(f, w.x, w.room, w.f_x, order > 1 ? w.f_xx : NULL);
  memset(out->L_q, 0, (size_t)c->nq * sizeof(double));
  memset(out->L_v, 0, (size_t)c->nq * sizeof(double));
  for (int a = 0; a < f->nx; a++) {
    const int i = c->own->variable[a];
    *(i < c->nq ? &out->L_q[i] : &out->L_v[i - c->nq]) = w.f_x[a];
  }
  if (order > 1) put_second(c, w.f_xx, out);
  return isfinite(out->L) ? DM_OK : DM_NOT_FINITE;
}

static dm_status bend_own(const void *self, void *scratch, const double *q, const double *v,
                          const double *a_q, const double *a_v, dm_jet *out) {
  const dm_formulas *c = self;
  dm_block b = {.base = scratch};
  const formula_work w = open_work(c, &b);
  gather(c, c->own, q, v, w.x);
  gather(c, c->own, a_q, a_v, w.x_a);
  dm_tape_bend(c->own->f, w.x, w.x_a, w.room, w.f_xx);
  put_second(c, w.f_xx, out);
  return DM_OK;
}

// the Lagrangian without potentials
static dm_lagrangian find_base(const dm_formulas *c, const dm_lagrangian *L) {
  if (!c->own) return *L;
  return (dm_lagrangian){.nq = c->nq,
                         .mask = c->own_mask,
                         .self = c,
                         .scratch = measure_work(c),
                         .eval = eval_own,
                         .contract = bend_own};
}

// -- the group

dm_status dm_formulas_new(dm_formulas **out, const dm_model *m, const dm_lagrangian *L, int n,
                          const dm_formula *list, dm_message *msg) {
  dm_formulas sizes = {.nq = m->nq, .n = n, .nu = count_inputs(m, n, list)};
  bool bent = false, forced = false;
  for (const dm_formula *x = list; x < list + n; x++) DM_TRY(check_formula(m, x, msg));
  dm_formulas *c = dm_block_make(&sizes, sizeof sizes, lay_out_formulas);
  if (!c) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  memcpy(c->list, list, (size_t)n * sizeof *list);
  for (const dm_formula *x = c->list; x < c->list + n; x++) {
    const size_t room = dm_tape_bend_room(x->f);
    if (room > c->room) c->room = room;
    if (x->f->nx > c->nx) c->nx = x->f->nx;
    if (x->role == DM_FORMULA_LAGRANGIAN) c->own = x;
    if (x->role == DM_FORMULA_FORCE)
      forced = true;
    else
      mark_formula(c, x);
    bent |= x->role != DM_FORMULA_FORCE;
  }

  // L - V, also without a potential, so that there is one Lagrangian
  const dm_lagrangian base = find_base(c, L);
  const dm_potential V = {.nq = m->nq,
                          .mask = c->mask,
                          .self = c,
                          .scratch = measure_work(c),
                          .eval = eval_potentials,
                          .contract = bend_potentials};
  dm_status s = bent ? dm_conservative_new(&c->all, &base, &V) : DM_OK;
  if (s != DM_OK) dm_fail(msg, s, "out of memory");
  if (s == DM_OK && forced) s = dm_formula_forces_new(&c->forces, m, c->nu, n, c->list, msg);
  if (s == DM_OK)
    *out = c;
  else
    dm_formulas_free(c);
  return s;
}

void dm_formulas_free(dm_formulas *c) {
  if (c) dm_conservative_free(c->all);
  if (c) dm_formula_forces_free(c->forces);
  dm_block_free(c);
}

int dm_formulas_count(const dm_formulas *c) {
  return c ? c->n : 0;
}

const dm_formula *dm_formulas_get(const dm_formulas *c, int i) {
  return &c->list[i];
}

bool dm_formulas_replace(const dm_formulas *c) {
  return c && c->own;
}

bool dm_formulas_bend(const dm_formulas *c) {
  return c && c->all;
}

dm_lagrangian dm_formulas_lagrangian(const dm_formulas *c) {
  return dm_conservative_lagrangian(c->all);
}

bool dm_formulas_act(const dm_formulas *c) {
  return c && c->forces;
}

dm_force dm_formulas_force(const dm_formulas *c) {
  return dm_formula_forces_force(c->forces);
}

int dm_formulas_undefined(const dm_formulas *c, const double *q, const double *v, const double *u,
                          char *text, size_t size) {
  const size_t own = measure_work(c), all = c->forces ? dm_formulas_force(c).scratch + own : own;
  dm_block b = {0};
  int found = -1;
  dm_block_alloc(&b, all, 1);
  if (dm_block_new(&b) != DM_OK) return -1;
  char *scratch = dm_block_alloc(&b, all, 1);
  dm_block of_energies = {.base = scratch};
  const formula_work w = open_work(c, &of_energies);
  for (int i = 0; found < 0 && i < c->n; i++) {
    if (c->list[i].role == DM_FORMULA_FORCE) continue;
    gather(c, &c->list[i], q, v, w.x);
    if (dm_tape_fault(c->list[i].f, w.x, 2, w.room, text, size)) found = i;
  }
  if (found < 0 && c->forces)
    found = dm_formula_forces_undefined(c->forces, scratch + own, q, v, u, text, size);
  dm_block_free(scratch);
  return found;
}
