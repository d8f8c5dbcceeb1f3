#include "lib/multibody/joint_friction.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double PI = 3.141592653589793;

struct dm_frictions {
  int nq, n;
  dm_joint_friction *list; // [n]
  char *names;
  size_t letters;
};

static void lay_out_frictions(void *self, dm_block *b) {
  dm_frictions *c = self;
  c->list = dm_block_alloc(b, (size_t)c->n, sizeof *c->list);
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
  if (!(x->smooth >= 0 && isfinite(x->smooth)))
    return dm_fail(msg, DM_BAD_INPUT, "friction '%s': its speed must be >= 0, got %g", x->name,
                   x->smooth);
  return DM_OK;
}

dm_status dm_frictions_new(dm_frictions **out, const dm_model *m, int n,
                           const dm_joint_friction *list, dm_message *msg) {
  assert(out && m && (list || n == 0));
  *out = NULL;
  for (int i = 0; i < n; i++) DM_TRY(check_friction(m, &list[i], msg));

  // sizes and one allocation
  dm_frictions sizes = {.nq = m->nq, .n = n, .letters = 1};
  for (int i = 0; i < n; i++) sizes.letters += strlen(list[i].name) + 1;
  dm_frictions *c = *out = dm_block_make(&sizes, sizeof sizes, lay_out_frictions);
  if (!c) return dm_fail(msg, DM_NO_MEMORY, "out of memory");

  // the elements with their names
  char *at = c->names;
  for (int i = 0; i < n; i++) {
    c->list[i] = list[i];
    c->list[i].name = strcpy(at, list[i].name);
    at += strlen(list[i].name) + 1;
  }
  return DM_OK;
}

void dm_frictions_free(dm_frictions *c) {
  dm_block_free(c);
}

int dm_frictions_count(const dm_frictions *c) {
  return c ? c->n : 0;
}

int dm_frictions_dry(const dm_frictions *c) {
  int dry = 0;
  for (int i = 0; i < dm_frictions_count(c); i++) dry += c->list[i].smooth == 0;
  return dry;
}

dm_joint_friction dm_frictions_get(const dm_frictions *c, int i) {
  return c->list[i];
}

// f = -size atan(rate v)
typedef struct term {
  double size, rate;
} term;

static term find_term(const dm_joint_friction *x) {
  return (term){2 / PI * x->force, PI / (2 * x->smooth)};
}

double dm_frictions_force_at(const dm_frictions *c, int i, double v) {
  if (c->list[i].smooth == 0) return 0;
  const term t = find_term(&c->list[i]);
  return -t.size * atan(t.rate * v);
}

static dm_status add_frictions(const void *self, void *scratch, int order, const double *q,
                               const double *v, const double *u, dm_force_jet *out) {
  const dm_frictions *c = self;
  (void)scratch;
  (void)q;
  (void)u;
  for (const dm_joint_friction *f = c->list; f < c->list + c->n; f++) {
    if (f->smooth == 0) continue;
    const term t = find_term(f);
    const double x = t.rate * v[f->coord];
    out->f[f->coord] -= t.size * atan(x);
    if (order == 2) out->f_v[f->coord * c->nq + f->coord] -= t.size * t.rate / (1 + x * x);
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
  for (const dm_joint_friction *f = c->list; f < c->list + c->n; f++) {
    if (f->smooth == 0) continue;
    const term t = find_term(f);
    const double x = t.rate * v[f->coord], square = 1 + x * x;
    out->vv[f->coord * c->nq + f->coord] +=
        mu[f->coord] * t.size * 2 * t.rate * t.rate * x / (square * square);
  }
  return DM_OK;
}

dm_force dm_frictions_force(const dm_frictions *c) {
  return (dm_force){.self = c, .eval = add_frictions, .contract = contract_frictions};
}
