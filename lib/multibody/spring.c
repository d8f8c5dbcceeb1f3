#include "lib/multibody/spring.h"

#include "lib/base/block.h"
#include "lib/multibody/tree_lagrangian.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dm_springs {
  int nq, n;
  size_t table_size, text_size; // numbers in the tables of the laws, bytes of the names
  dm_tendons *along;
  dm_conservative *all;
  dm_spring_law *law; // [n]
  const char **name;
  unsigned char *mask; // [nq x nq]
  double *tables;
  char *text;
};

static void lay_out_springs(void *self, dm_block *b) {
  dm_springs *c = self;
  size_t n = (size_t)c->n, nq = (size_t)c->nq;
  c->law = dm_block_alloc(b, n, sizeof *c->law);
  c->name = dm_block_alloc(b, n, sizeof *c->name);
  c->mask = dm_block_alloc(b, nq * nq, 1);
  c->tables = dm_block_alloc(b, c->table_size, sizeof *c->tables);
  c->text = dm_block_alloc(b, c->text_size, 1);
}

// copy a law, and its table to *at
static dm_spring_law copy_law(const dm_spring_law *law, double **at) {
  dm_spring_law own = *law;
  const double **arrays[] = {&own.s, &own.f, &own.f_ss, &own.phi};
  // s, f, f_ss, phi of the table, consecutively
  for (int i = 0; i < 4 && law->n > 0; i++, *at += law->n)
    *arrays[i] = memcpy(*at, *arrays[i], (size_t)law->n * sizeof(double));
  return own;
}

static void add_spring_mask(dm_springs *c, int i) {
  const int *coord;
  int n = dm_tendons_coords(c->along, i, &coord);
  // V_qq couples all coordinates of its tendon
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) c->mask[coord[a] * c->nq + coord[b]] = 1;
}

dm_status dm_springs_new(dm_springs **out, const dm_model *m, int n, const dm_spring *list,
                         dm_message *msg) {
  dm_springs sizes = {.nq = m->nq, .n = n};
  for (int i = 0; i < n; i++) {
    assert(list[i].law.eval);
    sizes.table_size += 4 * (size_t)list[i].law.n;
    sizes.text_size += strlen(list[i].tendon.name) + 1;
  }
  dm_springs *c = dm_block_make(&sizes, sizeof sizes, lay_out_springs);
  dm_tendon *along = malloc(((size_t)n + 1) * sizeof *along);
  if (!c || !along) {
    free(along);
    dm_block_free(c);
    return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  }

  // names, laws with their tables, and tendons
  char *at = c->text;
  double *table = c->tables;
  for (int i = 0; i < n; i++) {
    size_t size = strlen(list[i].tendon.name) + 1;
    c->name[i] = memcpy(at, list[i].tendon.name, size);
    at += size;
    c->law[i] = copy_law(&list[i].law, &table);
    along[i] = list[i].tendon;
  }
  dm_status s = dm_tendons_new(&c->along, m, n, along, msg);
  free(along);

  // L of the tree minus V, which couples the coordinates of each tendon
  if (s == DM_OK) {
    for (int i = 0; i < n; i++) add_spring_mask(c, i);
    dm_lagrangian L = dm_tree_lagrangian(m);
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
  dm_tendons_free(c->along);
  dm_block_free(c);
}

int dm_springs_count(const dm_springs *c) {
  return c->n;
}

const char *dm_springs_name(const dm_springs *c, int i) {
  return c->name[i];
}

dm_spring dm_springs_get(const dm_springs *c, int i) {
  dm_spring x = {.tendon = dm_tendons_described(c->along, i), .law = c->law[i]};
  x.tendon.name = c->name[i];
  return x;
}

bool dm_springs_linear(const dm_springs *c, int i, double *stiffness, double *rest) {
  const dm_spring_law *law = &c->law[i];
  if (law->eval != dm_spring_law_linear(0, 0).eval) return false;
  *stiffness = law->a;
  *rest = law->b;
  return true;
}

int dm_springs_pieces(const dm_springs *c) {
  return dm_tendons_pieces(c->along);
}

dm_segment dm_springs_piece(const dm_springs *c, int i) {
  return dm_tendons_piece(c->along, i);
}

// tendon and law of spring k; the frames are placed
static dm_status eval_spring(const dm_springs *c, void *scratch, int k, int order, const double *q,
                             const double *a, dm_tendon_value *s, double phi[4]) {
  DM_TRY(dm_tendons_eval(c->along, scratch, k, order, q, a, s));
  DM_TRY(c->law[k].eval(&c->law[k], s->s, phi));
  return isfinite(phi[0] + phi[1]) ? DM_OK : DM_NOT_FINITE; // phi, phi', phi'', phi'''
}

const dm_tendons *dm_springs_tendons(const dm_springs *c) {
  return c->along;
}

void dm_springs_tensions(const dm_springs *c, void *scratch, const double *q, double *tension) {
  dm_tendon_value s;
  double phi[4];
  dm_tendons_place(c->along, scratch, q);
  for (int k = 0; k < c->n; k++) {
    const bool defined = eval_spring(c, scratch, k, 1, q, NULL, &s, phi) == DM_OK;
    tension[k] = defined ? phi[1] : NAN;
  }
}

int dm_springs_undefined(const dm_springs *c, void *scratch, const double *q) {
  dm_tendon_value s;
  double phi[4];
  dm_tendons_place(c->along, scratch, q);
  for (int k = 0; k < c->n; k++)
    if (eval_spring(c, scratch, k, 1, q, NULL, &s, phi) != DM_OK) return k;
  return -1;
}

static dm_status springs_eval(const void *self, void *scratch, int order, const double *q,
                              double *V, double *V_q, double *V_qq) {
  const dm_springs *c = self;
  dm_tendons_place(c->along, scratch, q);
  for (int k = 0; k < c->n; k++) {
    dm_tendon_value s;
    double phi[4]; // derivatives up to the third
    DM_TRY(eval_spring(c, scratch, k, order, q, NULL, &s, phi));

    // V = phi, V_q = phi' s_q, V_qq = phi'' s_q s_q' + phi' s_qq
    *V += phi[0];
    for (int i = 0; i < s.n; i++) {
      V_q[s.coord[i]] += phi[1] * s.s_q[i];
      if (order < 2) continue;
      double *row = V_qq + s.coord[i] * c->nq;
      // symmetric, as s_q s_q' and s_qq are
      for (int j = 0; j < s.n; j++)
        row[s.coord[j]] += phi[2] * (s.s_q[i] * s.s_q[j]) + phi[1] * s.s_qq[i * s.n + j];
    }
  }
  return DM_OK;
}

static dm_status springs_contract(const void *self, void *scratch, const double *q, const double *a,
                                  double *T) {
  const dm_springs *c = self;
  dm_tendons_place(c->along, scratch, q);
  for (int k = 0; k < c->n; k++) {
    dm_tendon_value s;
    double phi[4];
    DM_TRY(eval_spring(c, scratch, k, 3, q, a, &s, phi));

    // phi''' s_a s_q s_q' + phi'' (s_qa s_q' + s_q s_qa' + s_a s_qq) + phi' s_qqa
    for (int i = 0; i < s.n; i++)
      for (int j = 0; j < s.n; j++) {
        int ij = i * s.n + j;
        // the derivative of phi'' s_q s_q' along a
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
                        .scratch = dm_tendons_scratch(c->along),
                        .eval = springs_eval,
                        .contract = springs_contract};
}

dm_lagrangian dm_springs_lagrangian(const dm_springs *c) {
  return dm_conservative_lagrangian(c->all);
}
