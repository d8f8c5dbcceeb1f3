#include "lib/multibody/joint_force.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// -- laws: f, df/dv and d2f/dv2 at the speed v

static const double PI = 3.141592653589793;

dm_contact_law dm_joint_force_law(const dm_joint_force *x) {
  const dm_friction_values *p = &x->friction;
  return (dm_contact_law){.name = x->name,
                          .gap = -1,
                          .force = p->force,
                          .excess = p->rest > p->force ? p->rest - p->force : 0,
                          .speed = p->stribeck};
}

bool dm_joint_force_is_dry(const dm_joint_force *x) {
  return x->friction.smooth == 0 && (x->friction.force > 0 || x->friction.rest > 0);
}

// f = -B(v) sign(v) - b v - f0,  sign = (2/pi) atan(r v)
static void eval_friction(const dm_joint_force *x, double v, double f[3]) {
  f[0] = -x->friction.viscous * v - x->friction.offset;
  f[1] = -x->friction.viscous;
  f[2] = 0;
  if (x->friction.smooth == 0) return; // B is dry
  const dm_contact_law law = dm_joint_force_law(x);
  const double a = 2 / PI, r = PI / (2 * x->friction.smooth);
  const double rv = r * v, square = 1 + rv * rv;
  const double s[] = {a * atan(rv), a * r / square, -2 * a * r * r * rv / (square * square)};
  double b[3];
  dm_contact_law_bound(&law, v, b);
  f[0] -= b[0] * s[0];
  f[1] -= b[1] * s[0] + b[0] * s[1];
  f[2] -= b[2] * s[0] + 2 * b[1] * s[1] + b[0] * s[2];
}

// -- the table of kinds

enum { MOST_PARAMETERS = 8 };

#define KEY(kind, member, key, unit, range, ...) {key, (range) != NULL},
#define ROW(KIND, kind, ...)                                                                       \
  {#kind, eval_##kind, sizeof(dm_##kind##_values) / sizeof(double), {DM_##KIND##_PARAMETERS(KEY)}},
static const struct joint_row {
  const char *word;
  void (*eval)(const dm_joint_force *x, double v, double f[3]);
  size_t n;
  struct {
    const char *key;
    bool bounded;               // >= 0
  } parameter[MOST_PARAMETERS]; // [n]
} rows[] = {DM_JOINT_FORCES(ROW)};
#undef ROW
#undef KEY

struct dm_joint_forces {
  dm_joint_kind kind;
  int nq, n;
  dm_joint_force *list; // [n]
  char *names;
  size_t letters;
};

static void lay_out_forces(void *self, dm_block *b) {
  dm_joint_forces *c = self;
  c->list = dm_block_alloc(b, (size_t)c->n, sizeof *c->list);
  c->names = dm_block_alloc(b, c->letters, 1);
}

static dm_status check_force(dm_joint_kind kind, const dm_model *m, const dm_joint_force *x,
                             dm_message *msg) {
  const struct joint_row *row = &rows[kind];
  double value[MOST_PARAMETERS];
  if (x->coord < 0 || x->coord >= m->nq)
    return dm_fail(msg, DM_BAD_INPUT, "%s '%s' refers to a coordinate that does not exist",
                   row->word, x->name);
  if (m->kinematic && m->kinematic[x->coord])
    return dm_fail(msg, DM_BAD_INPUT, "%s '%s': its coordinate is prescribed", row->word, x->name);
  memcpy(value, (const char *)x + offsetof(dm_joint_force, friction), row->n * sizeof *value);
  for (size_t i = 0; i < row->n; i++)
    if (!(isfinite(value[i]) && (value[i] >= 0 || !row->parameter[i].bounded)))
      return dm_fail(msg, DM_BAD_INPUT, "%s '%s': its %s must be %s, got %g", row->word, x->name,
                     row->parameter[i].key, row->parameter[i].bounded ? ">= 0" : "finite",
                     value[i]);

  // the force at rest and the speed over which it falls
  const dm_friction_values *p = &x->friction;
  if (kind != DM_JOINT_FRICTION || p->rest == 0) return DM_OK;
  if (p->rest < p->force)
    return dm_fail(msg, DM_BAD_INPUT,
                   "friction '%s': found static %g below its force %g, expected at least the force",
                   x->name, p->rest, p->force);
  if (p->rest > p->force && p->stribeck == 0)
    return dm_fail(msg, DM_BAD_INPUT,
                   "friction '%s': found static %g above its force %g without 'stribeck', expected "
                   "the speed over which friction falls",
                   x->name, p->rest, p->force);
  return DM_OK;
}

dm_status dm_joint_forces_new(dm_joint_forces **out, dm_joint_kind kind, const dm_model *m, int n,
                              const dm_joint_force *list, dm_message *msg) {
  assert(out && m && (list || n == 0));
  *out = NULL;
  for (int i = 0; i < n; i++) DM_TRY(check_force(kind, m, &list[i], msg));

  // sizes and one allocation
  dm_joint_forces sizes = {.kind = kind, .nq = m->nq, .n = n, .letters = 1};
  for (int i = 0; i < n; i++) sizes.letters += strlen(list[i].name) + 1;
  dm_joint_forces *c = *out = dm_block_make(&sizes, sizeof sizes, lay_out_forces);
  if (!c) return dm_fail(msg, DM_NO_MEMORY, "out of memory");

  // the forces with their names
  char *at = c->names;
  for (int i = 0; i < n; i++) {
    c->list[i] = list[i];
    c->list[i].name = strcpy(at, list[i].name);
    at += strlen(list[i].name) + 1;
  }
  return DM_OK;
}

void dm_joint_forces_free(dm_joint_forces *c) {
  dm_block_free(c);
}

int dm_joint_forces_count(const dm_joint_forces *c) {
  return c ? c->n : 0;
}

int dm_joint_forces_dry(const dm_joint_forces *c) {
  int dry = 0;
  for (int i = 0; i < dm_joint_forces_count(c); i++)
    dry += c->kind == DM_JOINT_FRICTION && dm_joint_force_is_dry(&c->list[i]);
  return dry;
}

bool dm_joint_forces_act(const dm_joint_forces *c) {
  for (int i = 0; i < dm_joint_forces_count(c); i++) {
    const dm_friction_values *p = &c->list[i].friction;
    if (c->kind != DM_JOINT_FRICTION || p->smooth > 0 || p->viscous > 0 || p->offset != 0)
      return true;
  }
  return false;
}

const dm_joint_force *dm_joint_forces_get(const dm_joint_forces *c, int i) {
  return &c->list[i];
}

void dm_joint_forces_put(dm_joint_forces *c, int i, const dm_joint_force *x) {
  const dm_joint_force own = c->list[i];
  c->list[i] = *x;
  c->list[i].name = own.name;
  c->list[i].coord = own.coord;
}

double dm_joint_forces_at(const dm_joint_forces *c, int i, double v) {
  double f[3];
  rows[c->kind].eval(&c->list[i], v, f);
  return f[0];
}

static dm_status add_forces(const void *self, void *scratch, int order, const double *q,
                            const double *v, const double *u, dm_force_jet *out) {
  const dm_joint_forces *c = self;
  (void)scratch, (void)q, (void)u;
  for (const dm_joint_force *x = c->list; x < c->list + c->n; x++) {
    double f[3];
    rows[c->kind].eval(x, v[x->coord], f);
    out->f[x->coord] += f[0];
    if (order == 2) out->f_v[x->coord * c->nq + x->coord] += f[1];
  }
  return DM_OK;
}

static dm_status contract_forces(const void *self, void *scratch, const double *q, const double *v,
                                 const double *u, const double *mu, dm_force_hessian *out) {
  const dm_joint_forces *c = self;
  (void)scratch, (void)q, (void)u;
  for (const dm_joint_force *x = c->list; x < c->list + c->n; x++) {
    double f[3];
    rows[c->kind].eval(x, v[x->coord], f);
    out->vv[x->coord * c->nq + x->coord] += mu[x->coord] * f[2];
  }
  return DM_OK;
}

dm_force dm_joint_forces_force(const dm_joint_forces *c) {
  return (dm_force){.self = c, .eval = add_forces, .contract = contract_forces};
}
