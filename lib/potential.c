#include "lib/potential.h"

#include "lib/block.h"
#include "lib/sweep.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// -- L - V

struct dm_conservative {
  dm_lagrangian L;
  dm_potential V;
  int n, idle;
  int ncoord, *coord;  // [ncoord] those that V depends on
  int nentry, *entry;  // [nentry] where V_qq has entries
  unsigned char *mask; // [n x n] of both
};

static bool couples(const dm_potential *V, int i, int j) {
  return !V->mask || V->mask[i * V->nq + j];
}

static void lay_out_conservative(dm_conservative *c, dm_block *b, size_t entries) {
  size_t n = (size_t)c->n;
  c->coord = dm_take(b, n, sizeof *c->coord);
  c->entry = dm_take(b, entries, sizeof *c->entry);
  c->mask = dm_take(b, n * n, 1);
}

dm_status dm_conservative_new(dm_conservative **out, const dm_lagrangian *L,
                              const dm_potential *V) {
  int n = L->nq, entries = 0;
  assert(V->nq == n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) entries += couples(V, i, j);
  dm_conservative sizes = {.L = *L, .V = *V, .n = n, .idle = L->idle};
  dm_block b = {0};
  dm_take(&b, 1, sizeof sizes);
  lay_out_conservative(&sizes, &b, (size_t)entries);
  DM_TRY(dm_block_new(&b));
  dm_conservative *c = dm_take(&b, 1, sizeof *c);
  *c = sizes;
  lay_out_conservative(c, &b, (size_t)entries);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      int ij = i * n + j;
      c->mask[ij] = !L->mask || L->mask[ij] || couples(V, i, j);
      if (couples(V, i, j)) c->entry[c->nentry++] = ij;
    }
    if (!couples(V, i, i)) continue;
    c->coord[c->ncoord++] = i;
    if (c->idle > n - 1 - i) c->idle = n - 1 - i;
  }
  *out = c;
  return DM_OK;
}

void dm_conservative_free(dm_conservative *c) {
  dm_block_free(c);
}

// a caller's scratch: L's, V's, and V's derivatives at one point
typedef struct room {
  void *L, *V;
  double *q, *a, *V_q, *V_qq;
} room;

static room open_room(const dm_conservative *c, dm_block *b, bool lanes) {
  size_t n = (size_t)c->n;
  room r;
  r.L = dm_take(b, lanes ? c->L.lanes_scratch : c->L.scratch, 1);
  r.V = dm_take(b, c->V.scratch, 1);
  r.q = dm_take(b, n, sizeof(double));
  r.a = dm_take(b, n, sizeof(double));
  r.V_q = dm_take(b, n, sizeof(double));
  r.V_qq = dm_take(b, n * n, sizeof(double));
  return r;
}

static size_t room_size(const dm_conservative *c, bool lanes) {
  dm_block b = {0};
  open_room(c, &b, lanes);
  return (b.used + 63) & ~(size_t)63;
}

// lane l of x, which has W
static void gather(int n, int W, int l, const double *x, double *to) {
  for (int i = 0; i < n; i++) to[i] = x[i * W + l];
}

static void clear(const dm_conservative *c, const room *r) {
  for (int k = 0; k < c->nentry; k++) r->V_qq[c->entry[k]] = 0;
}

// take V_qq off lane l of L_qq
static void take_off(const dm_conservative *c, const room *r, int W, int l, double *L_qq) {
  for (int k = 0; k < c->nentry; k++) L_qq[c->entry[k] * W + l] -= r->V_qq[c->entry[k]];
}

static dm_status less(const dm_conservative *c, const room *r, int order, int W, const double *q,
                      dm_jet *out) {
  const dm_potential *V = &c->V;
  size_t n = (size_t)c->n;
  for (int l = 0; l < W; l++) {
    double energy = 0;
    gather(c->n, W, l, q, r->q);
    memset(r->V_q, 0, n * sizeof(double));
    if (order > 1) clear(c, r);
    DM_TRY(V->eval(V->self, r->V, order, r->q, &energy, r->V_q, r->V_qq));
    if (!isfinite(energy)) return DM_NOT_FINITE;
    out->L -= energy;
    for (int i = 0; i < c->ncoord; i++) out->L_q[c->coord[i] * W + l] -= r->V_q[c->coord[i]];
    if (order > 1) take_off(c, r, W, l, out->L_qq);
  }
  return DM_OK;
}

static dm_status less_contracted(const dm_conservative *c, const room *r, int W, const double *q,
                                 const double *a, dm_jet *out) {
  const dm_potential *V = &c->V;
  for (int l = 0; l < W; l++) {
    gather(c->n, W, l, q, r->q);
    gather(c->n, W, l, a, r->a);
    clear(c, r);
    DM_TRY(V->contract(V->self, r->V, r->q, r->a, r->V_qq));
    take_off(c, r, W, l, out->L_qq);
  }
  return DM_OK;
}

static dm_status eval(const void *self, void *scratch, int order, const double *q, const double *v,
                      dm_jet *out) {
  const dm_conservative *c = self;
  dm_block b = {.base = scratch};
  room r = open_room(c, &b, false);
  DM_TRY(c->L.eval(c->L.self, r.L, order, q, v, out));
  return less(c, &r, order, 1, q, out);
}

static dm_status contract(const void *self, void *scratch, const double *q, const double *v,
                          const double *a_q, const double *a_v, dm_jet *out) {
  const dm_conservative *c = self;
  dm_block b = {.base = scratch};
  room r = open_room(c, &b, false);
  DM_TRY(c->L.contract(c->L.self, r.L, q, v, a_q, a_v, out));
  return less_contracted(c, &r, 1, q, a_q, out);
}

static dm_status lanes_eval(const void *self, void *scratch, int order, const double *q,
                            const double *v, dm_jet *out) {
  const dm_conservative *c = self;
  dm_block b = {.base = scratch};
  room r = open_room(c, &b, true);
  DM_TRY(c->L.lanes_eval(c->L.self, r.L, order, q, v, out));
  return less(c, &r, order, c->L.lanes, q, out);
}

static dm_status lanes_contract(const void *self, void *scratch, const double *q, const double *v,
                                const double *a_q, const double *a_v, dm_jet *out) {
  const dm_conservative *c = self;
  dm_block b = {.base = scratch};
  room r = open_room(c, &b, true);
  DM_TRY(c->L.lanes_contract(c->L.self, r.L, q, v, a_q, a_v, out));
  return less_contracted(c, &r, c->L.lanes, q, a_q, out);
}

dm_lagrangian dm_conservative_lagrangian(const dm_conservative *c) {
  bool third = c->L.contract && c->V.contract, lanes = c->L.lanes > 1;
  return (dm_lagrangian){.nq = c->n,
                         .idle = c->idle,
                         .mask = c->mask,
                         .self = c,
                         .scratch = room_size(c, false),
                         .eval = eval,
                         .contract = third ? contract : NULL,
                         .lanes = c->L.lanes,
                         .lanes_scratch = lanes ? room_size(c, true) : 0,
                         .lanes_eval = lanes ? lanes_eval : NULL,
                         .lanes_contract = lanes && third ? lanes_contract : NULL};
}

// -- springs

struct dm_springs {
  int nq, n;
  dm_measures *along;
  dm_conservative *all;
  dm_law *law; // [n]
  const char **name;
  unsigned char *mask; // [nq x nq]
  double *tables;
  char *text;
};

static void lay_out(dm_springs *c, dm_block *b, size_t tables, size_t text) {
  size_t n = (size_t)c->n, nq = (size_t)c->nq;
  c->law = dm_take(b, n, sizeof *c->law);
  c->name = dm_take(b, n, sizeof *c->name);
  c->mask = dm_take(b, nq * nq, 1);
  c->tables = dm_take(b, tables, sizeof *c->tables);
  c->text = dm_take(b, text, 1);
}

// a law, its table copied to *at
static dm_law keep(const dm_law *law, double **at) {
  dm_law own = *law;
  const double **arrays[] = {&own.s, &own.f, &own.f_ss, &own.phi};
  for (int i = 0; i < 4 && law->n > 0; i++, *at += law->n)
    *arrays[i] = memcpy(*at, *arrays[i], (size_t)law->n * sizeof(double));
  return own;
}

static void add_mask(dm_springs *c, int i) {
  const int *coord;
  int n = dm_measures_coords(c->along, i, &coord);
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) c->mask[coord[a] * c->nq + coord[b]] = 1;
}

dm_status dm_springs_new(dm_springs **out, const dm_model *m, int n, const dm_spring *list,
                         dm_message *msg) {
  dm_springs sizes = {.nq = m->nq, .n = n};
  size_t tables = 0, text = 0;
  for (int i = 0; i < n; i++) {
    assert(list[i].law.eval);
    tables += 4 * (size_t)list[i].law.n;
    text += strlen(list[i].along.name) + 1;
  }
  dm_block b = {0};
  dm_take(&b, 1, sizeof sizes);
  dm_take(&b, (size_t)n, sizeof(dm_measure));
  lay_out(&sizes, &b, tables, text);
  if (dm_block_new(&b) != DM_OK) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  dm_springs *c = dm_take(&b, 1, sizeof *c);
  *c = sizes;
  dm_measure *along = dm_take(&b, (size_t)n, sizeof *along);
  lay_out(c, &b, tables, text);
  char *at = c->text;
  double *table = c->tables;
  for (int i = 0; i < n; i++) {
    size_t size = strlen(list[i].along.name) + 1;
    c->name[i] = memcpy(at, list[i].along.name, size);
    at += size;
    c->law[i] = keep(&list[i].law, &table);
    along[i] = list[i].along;
  }
  dm_status s = dm_measures_new(&c->along, m, n, along, msg);
  if (s == DM_OK) {
    for (int i = 0; i < n; i++) add_mask(c, i);
    dm_lagrangian L = dm_sweep_lagrangian(m);
    dm_potential V = dm_springs_potential(c);
    s = dm_conservative_new(&c->all, &L, &V);
    if (s != DM_OK) dm_fail(msg, s, "out of memory");
  }
  if (s == DM_OK)
    *out = c;
  else
    dm_springs_free(c);
  return s;
}

void dm_springs_free(dm_springs *c) {
  if (!c) return;
  dm_conservative_free(c->all);
  dm_measures_free(c->along);
  dm_block_free(c);
}

int dm_springs_count(const dm_springs *c) {
  return c->n;
}

const char *dm_springs_name(const dm_springs *c, int i) {
  return c->name[i];
}

// measure and law of spring k; the frames stand
static dm_status one_spring(const dm_springs *c, void *scratch, int k, int order, const double *q,
                            const double *a, dm_measured *s, double phi[4]) {
  DM_TRY(dm_measures_eval(c->along, scratch, k, order, q, a, s));
  DM_TRY(c->law[k].eval(&c->law[k], s->s, phi));
  return isfinite(phi[0] + phi[1]) ? DM_OK : DM_NOT_FINITE;
}

int dm_springs_undefined(const dm_springs *c, void *scratch, const double *q) {
  dm_measured s;
  double phi[4];
  dm_measures_place(c->along, scratch, q);
  for (int k = 0; k < c->n; k++)
    if (one_spring(c, scratch, k, 1, q, NULL, &s, phi) != DM_OK) return k;
  return -1;
}

static dm_status springs_eval(const void *self, void *scratch, int order, const double *q,
                              double *V, double *V_q, double *V_qq) {
  const dm_springs *c = self;
  dm_measures_place(c->along, scratch, q);
  for (int k = 0; k < c->n; k++) {
    dm_measured s;
    double phi[4];
    DM_TRY(one_spring(c, scratch, k, order, q, NULL, &s, phi));
    *V += phi[0];
    for (int i = 0; i < s.n; i++) {
      V_q[s.coord[i]] += phi[1] * s.s_q[i];
      if (order < 2) continue;
      double *row = V_qq + s.coord[i] * c->nq;
      for (int j = 0; j < s.n; j++)
        row[s.coord[j]] += phi[2] * (s.s_q[i] * s.s_q[j]) + phi[1] * s.s_qq[i * s.n + j];
    }
  }
  return DM_OK;
}

static dm_status springs_contract(const void *self, void *scratch, const double *q, const double *a,
                                  double *T) {
  const dm_springs *c = self;
  dm_measures_place(c->along, scratch, q);
  for (int k = 0; k < c->n; k++) {
    dm_measured s;
    double phi[4];
    DM_TRY(one_spring(c, scratch, k, 3, q, a, &s, phi));
    for (int i = 0; i < s.n; i++)
      for (int j = 0; j < s.n; j++) {
        int ij = i * s.n + j;
        double both = s.s_q[i] * s.s_q[j];
        double turned = (s.s_qa[i] * s.s_q[j] + s.s_q[i] * s.s_qa[j]) + s.s_a * s.s_qq[ij];
        T[s.coord[i] * c->nq + s.coord[j]] +=
            phi[3] * s.s_a * both + phi[2] * turned + phi[1] * s.s_qqa[ij];
      }
  }
  return DM_OK;
}

dm_potential dm_springs_potential(const dm_springs *c) {
  return (dm_potential){.nq = c->nq,
                        .mask = c->mask,
                        .self = c,
                        .scratch = dm_measures_scratch(c->along),
                        .eval = springs_eval,
                        .contract = springs_contract};
}

dm_lagrangian dm_springs_lagrangian(const dm_springs *c) {
  return dm_conservative_lagrangian(c->all);
}
