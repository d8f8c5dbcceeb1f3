#include "lib/multibody/joint_friction.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double PI = 3.141592653589793;
static const double BENCH = 100; // s/m or s/rad: the rate used in test benches [wiebe-2024]

// f = -size atan(rate v) at a coordinate
typedef struct term {
  int coord;
  double size, rate;
} term;

struct dm_frictions {
  int nq, n, nterms;       // coordinates; described elements; active terms
  dm_joint_friction *list; // [n]
  char *names;
  term *term; // [nterms] terms of the list, then additional ones
  size_t letters;
};

static void lay_out_frictions(void *self, dm_block *b) {
  dm_frictions *c = self;
  c->list = dm_block_alloc(b, (size_t)c->n, sizeof *c->list);
  c->term = dm_block_alloc(b, (size_t)c->nterms, sizeof *c->term);
  c->names = dm_block_alloc(b, c->letters, 1);
}

static dm_status check_friction(const dm_model *m, const dm_joint_friction *x, dm_message *msg) {
  if (x->coord < 0 || x->coord >= m->nq)
    return dm_fail(msg, DM_BAD_INPUT, "friction '%s' refers to a coordinate that does not exist",
                   x->name);
  if (m->kinematic && m->kinematic[x->coord])
    return dm_fail(msg, DM_BAD_INPUT, "friction '%s': its coordinate is prescribed", x->name);
  if (!(x->force >= 0 && isfinite(x->force)))
    return dm_fail(msg, DM_BAD_INPUT, "friction '%s': its force must be >= 0, got %g", x->name,
                   x->force);
  if (!(x->smooth > 0 && isfinite(x->smooth)))
    return dm_fail(msg, DM_BAD_INPUT, "friction '%s': its speed must be > 0, got %g", x->name,
                   x->smooth);
  return DM_OK;
}

// copy a list [n] and reserve `more` additional terms
static dm_status copy_frictions(dm_frictions **out, int nq, int n, const dm_joint_friction *list,
                                int more) {
  // sizes and one allocation
  dm_frictions sizes = {.nq = nq, .n = n, .nterms = n + more, .letters = 1};
  for (int i = 0; i < n; i++) sizes.letters += strlen(list[i].name) + 1;
  dm_frictions *c = *out = dm_block_make(&sizes, sizeof sizes, lay_out_frictions);
  if (!c) return DM_NO_MEMORY;
  char *at = c->names;
  // names, and the coefficients of f = -(2/pi) F atan(pi v / 2 s)
  for (int i = 0; i < n; i++) {
    const dm_joint_friction *x = &list[i];
    c->list[i] = *x;
    c->list[i].name = strcpy(at, x->name);
    at += strlen(x->name) + 1;
    c->term[i] = (term){x->coord, 2 / PI * x->force, PI / (2 * x->smooth)};
  }
  return DM_OK;
}

dm_status dm_frictions_new(dm_frictions **out, const dm_model *m, int n,
                           const dm_joint_friction *list, dm_message *msg) {
  assert(out && m && (list || n == 0));
  *out = NULL;
  for (int i = 0; i < n; i++) DM_TRY(check_friction(m, &list[i], msg));
  return copy_frictions(out, m->nq, n, list, 0);
}

dm_status dm_frictions_changed(dm_frictions **out, const dm_frictions *c, const dm_model *m,
                               const double *more) {
  const int n = dm_frictions_count(c);
  DM_TRY(copy_frictions(out, m->nq, n, c ? c->list : NULL, m->nq));
  for (int i = 0; i < m->nq; i++) (*out)->term[n + i] = (term){i, more[i], BENCH};
  return DM_OK;
}

void dm_frictions_free(dm_frictions *c) {
  dm_block_free(c);
}

int dm_frictions_count(const dm_frictions *c) {
  return c ? c->n : 0;
}

dm_joint_friction dm_frictions_get(const dm_frictions *c, int i) {
  return c->list[i];
}

static dm_status add_frictions(const void *self, void *scratch, int order, const double *q,
                               const double *v, const double *u, dm_force_jet *out) {
  const dm_frictions *c = self;
  (void)scratch;
  (void)q;
  (void)u;
  for (const term *t = c->term; t < c->term + c->nterms; t++) {
    const double x = t->rate * v[t->coord];
    out->f[t->coord] -= t->size * atan(x);
    if (order == 2) out->f_v[t->coord * c->nq + t->coord] -= t->size * t->rate / (1 + x * x);
  }
  return DM_OK;
}

// d2 atan(r v) / dv2 = -2 r^2 x / (1 + x^2)^2,  x = r v
static dm_status contract_frictions(const void *self, void *scratch, const double *q,
                                    const double *v, const double *u, const double *mu,
                                    dm_force_hessian *out) {
  const dm_frictions *c = self;
  (void)scratch;
  (void)q;
  (void)u;
  for (const term *t = c->term; t < c->term + c->nterms; t++) {
    const double x = t->rate * v[t->coord], square = 1 + x * x;
    out->vv[t->coord * c->nq + t->coord] +=
        mu[t->coord] * t->size * 2 * t->rate * t->rate * x / (square * square);
  }
  return DM_OK;
}

dm_force dm_frictions_force(const dm_frictions *c) {
  return (dm_force){.self = c, .eval = add_frictions, .contract = contract_frictions};
}
