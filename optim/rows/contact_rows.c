#include "optim/rows/contact_rows.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/mechanics/continuous.h"
#include "optim/rows/contact_cone.h"
#include "optim/rows/contact_scale.h"
#include "optim/rows/friction_bound.h"

#include <math.h>
#include <string.h>

enum { PAIRS = 6 }; // of a law, at most: the gap's, that of sliding, and one for each direction

// -- making them

int oc_contact_rows_count(const oc_task *task) {
  const dm_contact_laws *laws = task->system.contacts;
  int count = 0;
  for (const dm_contact_law *law = laws ? laws->law : NULL; law && law < laws->law + laws->n; law++)
    count += (law->gap >= 0 ? 2 : 0) + (law->tangents ? 2 + 4 * law->tangents : 0);
  return count;
}

static void lay_out_contacts(void *self, dm_block *b) {
  oc_contacts *c = self;
  const size_t n = (size_t)c->n, nr = (size_t)c->nr, nz = (size_t)c->nz, K = (size_t)c->knots;
  c->place = dm_block_alloc(b, (size_t)c->laws->n, sizeof *c->place);
  c->pair = dm_block_alloc(b, (size_t)c->laws->n * PAIRS, sizeof *c->pair);
  c->state = dm_block_alloc(b, K * (size_t)c->laws->n, 1);
  c->against = dm_block_alloc(b, K * (size_t)c->laws->n, 1);
  c->unit = dm_block_alloc(b, nz, sizeof(double));
  c->size = dm_block_alloc(b, nz, sizeof(double));
  c->r = dm_block_alloc(b, K * nr, sizeof(double));
  c->Dr = dm_block_alloc(b, K * nr * n, sizeof(double));
  c->end = dm_block_alloc(b, nr * n, sizeof(double));
  const size_t slid = c->laws->slides ? K * nr : 0;
  c->s = dm_block_alloc(b, slid, sizeof(double));
  c->Ds0 = dm_block_alloc(b, slid * n, sizeof(double));
  c->Ds1 = dm_block_alloc(b, slid * n, sizeof(double));
  c->Hs = dm_block_alloc(b, n * n, sizeof(double));
  c->H01 = dm_block_alloc(b, n * n, sizeof(double));
  double **rows[] = {&c->force, &c->weight, &c->weight_v};
  for (int i = 0; i < 3; i++) *rows[i] = dm_block_alloc(b, nr, sizeof(double));
  c->J = dm_block_alloc(b, nr * n, sizeof(double));
  c->H = dm_block_alloc(b, n * n, sizeof(double));
  c->Hv = dm_block_alloc(b, n * n, sizeof(double));
  c->meets = dm_block_alloc(b, n * n, sizeof *c->meets);
  c->scratch = dm_block_alloc(b, c->laws->rows.scratch, 1);
}

// the unknowns of all laws, and their pairs
static void place_laws(oc_contacts *c) {
  int at = 0;
  for (int l = 0; l < c->laws->n; l++) {
    const dm_contact_law *law = &c->laws->law[l];
    oc_contact_place *p = &c->place[l];
    *p = (oc_contact_place){.c = -1, .gap = -1, .slide = -1, .left = -1};
    if (law->gap >= 0) {
      p->c = at++;
      p->gap = at++;
      c->pair[c->npairs++] = (oc_contact_pair){p->c, p->gap, false};
    }
    if (!law->tangents) continue;
    p->slide = at++;
    p->left = at++;
    c->pair[c->npairs++] = (oc_contact_pair){p->slide, p->left, has_cone(law)};
    for (int d = 0; d < 2 * law->tangents; d++) {
      p->t[d] = at++;
      p->w[d] = at++;
      c->pair[c->npairs++] = (oc_contact_pair){p->t[d], p->w[d], has_cone(law)};
    }
  }
}

static void set_scales(oc_contacts *c, const oc_task *task) {
  for (int l = 0; l < c->laws->n; l++) {
    const oc_contact_place *p = &c->place[l];
    const oc_contact_scale scale = oc_contact_scale_of(task, &c->laws->law[l]);
    if (p->c >= 0) {
      c->unit[p->c] = scale.impulse;
      c->unit[p->gap] = c->size[p->gap] = scale.gap;
    }
    if (p->slide < 0) continue;
    c->unit[p->slide] = scale.slid;
    c->unit[p->left] = c->size[p->left] = scale.impulse;
    for (int d = 0; d < 2 * c->laws->law[l].tangents; d++) {
      c->unit[p->t[d]] = scale.impulse;
      c->unit[p->w[d]] = c->size[p->w[d]] = scale.slid;
    }
  }
  for (int i = 0; i < c->npairs; i++)
    c->size[c->pair[i].a] = c->unit[c->pair[i].a] * c->unit[c->pair[i].b];
}

static void set_meets(oc_contacts *c) {
  for (int r = 0; r < c->nr; r++)
    for (int i = 0; i < c->n; i++)
      for (int j = 0; j < c->n; j++)
        c->meets[i * c->n + j] |=
            c->laws->rows.mask[r * c->n + i] && c->laws->rows.mask[r * c->n + j];
}

dm_status oc_contact_rows_new(oc_transcription *t) {
  if (!t->nz) return DM_OK;
  const dm_contact_laws *laws = t->task.system.contacts;
  oc_contacts sizes = {.laws = laws,
                       .n = t->n,
                       .nr = laws->rows.nc,
                       .nz = t->nz,
                       .knots = t->N + 1,
                       .step = oc_task_step(&t->task)};
  oc_contacts *c = t->contact = dm_block_make(&sizes, sizeof sizes, lay_out_contacts);
  if (!c) return DM_NO_MEMORY;
  place_laws(c);
  set_scales(c, &t->task);
  set_meets(c);
  return DM_OK;
}

void oc_contact_rows_free(oc_contacts *c) {
  dm_block_free(c);
}

const double *oc_contact_rows_units(const oc_transcription *t) {
  return t->nz ? t->contact->unit : NULL;
}

const double *oc_contact_rows_sizes(const oc_transcription *t) {
  return t->nz ? t->contact->size : NULL;
}

// -- names and bounds

// the law of unknown or row i of a knot
static int find_law(const oc_contacts *c, int i) {
  int l = c->laws->n - 1;
  while (l > 0 && i < (c->place[l].c >= 0 ? c->place[l].c : c->place[l].slide)) l--;
  return l;
}

const char *oc_contact_rows_text(const oc_transcription *t, int i, const char **name) {
  const oc_contacts *c = t->contact;
  const int l = find_law(c, i);
  const oc_contact_place *p = &c->place[l];
  *name = c->laws->law[l].name;
  if (i == p->gap) return "gap of";
  if (i == p->c) return "impulse without contact of";
  return i == p->left ? "friction bound of" : "sliding of";
}

int oc_contact_rows_own(const oc_transcription *t, int x) {
  const oc_contacts *c = t->contact;
  if (!c || x < t->z || x >= oc_transcription_contact(t, t->N + 1)) return -1;
  const int k = (x - t->z) / t->nz, i = (x - t->z) % t->nz, l = find_law(c, i);
  const oc_contact_place *p = &c->place[l];
  bool has = i == p->gap;
  // a round cone has other rows
  for (int d = 0; d < 2 * c->laws->law[l].tangents; d++)
    has |= !(c->round && has_cone(&c->laws->law[l])) && (i == p->left || i == p->w[d]);
  return has ? oc_rows_at(t, OC_CONTACT_ROWS, k) + i : -1;
}

void oc_contact_pairs_open(oc_transcription *t, double room) {
  const oc_contacts *c = t->contact;
  for (int k = 0; k <= t->N && c; k++) {
    const int x = oc_transcription_contact(t, k), row = oc_rows_at(t, OC_CONTACT_ROWS, k);
    for (int i = 0; i < t->nz; i++) {
      t->x_min[x + i] = 0;
      t->x_max[x + i] = INFINITY;
      t->g_min[row + i] = t->g_max[row + i] = 0;
    }
    for (int i = 0; i < c->npairs; i++) {
      t->g_min[row + c->pair[i].a] = -INFINITY;
      t->g_max[row + c->pair[i].a] = room * c->size[c->pair[i].a];
    }
  }
}

void oc_contact_rows_open(oc_transcription *t, double room) {
  t->contact->searched = true;
  t->contact->round = false;
  oc_contact_pairs_open(t, room);
}

void oc_contact_rows_curve(oc_transcription *t, bool curved) {
  t->contact->searched = !curved;
}

void oc_contact_rows_bound(oc_transcription *t, oc_rows_kind kind) {
  (void)kind;
  oc_contact_pairs_open(t, 1);
}

// -- values and first derivatives

// impulses along all rows at a knot with the unknowns z
static void find_forces(const oc_contacts *c, const double *z, double *force) {
  memset(force, 0, (size_t)c->nr * sizeof *force);
  for (int l = 0; l < c->laws->n; l++) {
    const dm_contact_law *law = &c->laws->law[l];
    const oc_contact_place *p = &c->place[l];
    if (law->gap >= 0) force[law->gap] = z[p->c];
    for (int d = 0; d < law->tangents; d++)
      force[law->tangent[d]] = z[p->t[2 * d]] - z[p->t[2 * d + 1]];
  }
}

int oc_contact_rows_unknown(const oc_transcription *t, int k, int row, bool back) {
  const oc_contacts *c = t->contact;
  const int z = oc_transcription_contact(t, k);
  for (int l = 0; l < c->laws->n; l++) {
    const dm_contact_law *law = &c->laws->law[l];
    if (law->gap == row) return back ? -1 : z + c->place[l].c;
    for (int d = 0; d < law->tangents; d++)
      if (law->tangent[d] == row) return z + c->place[l].t[2 * d + back];
  }
  return -1;
}

// r, Dr at all knots, and D2r v at the last one
static dm_status eval_all(oc_transcription *t, const double *x) {
  oc_contacts *c = t->contact;
  const dm_holonomic *rows = &c->laws->rows;
  const int n = t->n, nr = c->nr;
  for (int k = 0; k <= t->N; k++)
    DM_TRY(rows->eval(rows->self, c->scratch, x + oc_transcription_q(t, k), c->r + k * nr,
                      c->Dr + k * nr * n));
  for (int k = 0; c->laws->slides && k < t->N; k++)
    DM_TRY(c->laws->slide(rows->self, c->scratch, x + oc_transcription_q(t, k),
                          x + oc_transcription_q(t, k + 1), c->s + k * nr, c->Ds0 + k * nr * n,
                          c->Ds1 + k * nr * n));
  memset(c->weight, 0, (size_t)nr * sizeof(double));
  return rows->directional(rows->self, c->scratch, x + oc_transcription_q(t, t->N), x + t->v[1],
                           c->weight, c->end, NULL);
}

static bool has_slide(const oc_contacts *c, int r) {
  return c->laws->slides && c->laws->slides[r];
}

double oc_contact_change(const oc_transcription *t, const double *x, int k, int r) {
  const oc_contacts *c = t->contact;
  const int nr = c->nr, n = t->n;
  double rate = 0;
  if (k < t->N && has_slide(c, r)) return c->s[k * nr + r];
  if (k < t->N) return c->r[(k + 1) * nr + r] - c->r[k * nr + r];
  for (int i = 0; i < n; i++) rate += c->Dr[(k * nr + r) * n + i] * x[t->v[1] + i];
  return c->step * rate;
}

// the bound of law l, joint friction, in the step after knot k; x NULL: for its pattern
static oc_friction_bound bound_of(const oc_transcription *t, const double *x, int k, int l) {
  const int r = k * t->contact->nr + t->contact->laws->law[l].tangent[0];
  return (oc_friction_bound){.t = t, .x = x, .k = k, .law = l, .Dr = t->contact->Dr + r * t->n};
}

// times sign, the derivative of r' (and with `less` of r' - r) after knot k
static void put_change(const oc_transcription *t, oc_triplets *s, int k, int row, int r,
                       double sign, bool less) {
  const oc_contacts *c = t->contact;
  const int n = t->n, nr = c->nr, q = oc_transcription_q(t, k);
  const bool slides = has_slide(c, r);
  const double *at = c->Dr + (k * nr + r) * n,
               *next = slides ? c->Ds1 + (k * nr + r) * n : at + nr * n;
  for (int i = 0; i < n; i++) {
    if (!c->laws->rows.mask[r * n + i]) continue;
    if (k < t->N) {
      oc_put(s, row, oc_transcription_q(t, k + 1) + i, sign * next[i]);
      if (less) oc_put(s, row, q + i, sign * (slides ? c->Ds0[(k * nr + r) * n + i] : -at[i]));
    } else {
      // r + T/N Dr v
      oc_put(s, row, q + i, sign * ((less ? 0 : at[i]) + c->step * c->end[r * n + i]));
      oc_put(s, row, t->v[1] + i, sign * c->step * at[i]);
    }
  }
}

// the friction bound of a law with tangents in the step after knot k
static double find_friction(const oc_transcription *t, const double *x, int k, int l) {
  const int c = t->contact->place[l].c;
  if (c < 0) return oc_friction_bound_value(bound_of(t, x, k, l));
  return t->contact->laws->law[l].friction * x[oc_transcription_contact(t, k) + c];
}

void oc_contact_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                              double *g) {
  const oc_contacts *c = t->contact;
  const int n = t->n, nr = c ? c->nr : 0;
  for (int k = 0; c && k <= t->N; k++) {
    const double *z = x + oc_transcription_contact(t, k);
    double *out = g + oc_rows_at(t, kind, k);
    // impulses in the row of motion
    find_forces(c, z, c->force);
    for (int r = 0; r < nr; r++)
      for (int i = 0; i < n; i++) g[k * n + i] += c->Dr[(k * nr + r) * n + i] * c->force[r];
    // gaps, friction bounds, distances against each direction; products
    for (int l = 0; l < c->laws->n; l++) {
      const dm_contact_law *law = &c->laws->law[l];
      const oc_contact_place *p = &c->place[l];
      if (law->gap >= 0)
        out[p->gap] = c->r[k * nr + law->gap] + oc_contact_change(t, x, k, law->gap) - z[p->gap];
      if (!law->tangents) continue;
      double left = find_friction(t, x, k, l);
      for (int d = 0; d < 2 * law->tangents; d++) {
        const double change = oc_contact_change(t, x, k, law->tangent[d / 2]);
        left -= z[p->t[d]];
        out[p->w[d]] = z[p->slide] + (d % 2 ? -change : change) - z[p->w[d]];
      }
      out[p->left] = left - z[p->left];
    }
    for (int i = 0; i < c->npairs; i++) out[c->pair[i].a] = z[c->pair[i].a] * z[c->pair[i].b];
    for (int l = 0; c->round && l < c->laws->n; l++) oc_contact_cone_evaluate(c, k, l, z, out);
  }
}

// the impulses in the row of motion of knot k: by them, and by q_k
static dm_status put_impulses(oc_transcription *t, const double *x, oc_triplets *s, int k) {
  oc_contacts *c = t->contact;
  const dm_holonomic *rows = &c->laws->rows;
  const int n = t->n, z = oc_transcription_contact(t, k), q = oc_transcription_q(t, k);
  for (int l = 0; l < c->laws->n; l++) {
    const dm_contact_law *law = &c->laws->law[l];
    const oc_contact_place *p = &c->place[l];
    for (int i = 0; i < n; i++) {
      const double *Dr = c->Dr + k * c->nr * n + i;
      if (law->gap >= 0 && rows->mask[law->gap * n + i])
        oc_put(s, k * n + i, z + p->c, Dr[law->gap * n]);
      for (int d = 0; d < 2 * law->tangents; d++)
        if (rows->mask[law->tangent[d / 2] * n + i])
          oc_put(s, k * n + i, z + p->t[d], (d % 2 ? -1 : 1) * Dr[law->tangent[d / 2] * n]);
    }
  }
  if (s->val) {
    memset(c->H, 0, (size_t)(n * n) * sizeof(double));
    find_forces(c, x + z, c->force);
    DM_TRY(rows->contract(rows->self, c->scratch, x + q, c->force, c->H));
  }
  for (int i = 0; i < n * n; i++)
    if (c->meets[i]) oc_put(s, k * n + i / n, q + i % n, c->H[i]);
  return DM_OK;
}

// the rows of law l at knot k
static void put_law(const oc_transcription *t, const double *x, oc_triplets *s, int k, int l) {
  const oc_contacts *c = t->contact;
  const dm_contact_law *law = &c->laws->law[l];
  const oc_contact_place *p = &c->place[l];
  const int z = oc_transcription_contact(t, k), row = oc_rows_at(t, OC_CONTACT_ROWS, k);
  if (law->gap >= 0) {
    put_change(t, s, k, row + p->gap, law->gap, 1, false);
    oc_put(s, row + p->gap, z + p->gap, -1);
  }
  for (int d = 0; d < 2 * law->tangents; d++)
    put_change(t, s, k, row + p->w[d], law->tangent[d / 2], d % 2 ? -1 : 1, true);
  if (!law->tangents || has_cone(law)) return;
  if (law->gap >= 0) oc_put(s, row + p->left, z + p->c, law->friction);
  if (law->gap < 0) oc_friction_bound_put(bound_of(t, s->val ? x : NULL, k, l), s, row + p->left);
  oc_put(s, row + p->left, z + p->left, -1);
  for (int d = 0; d < 2 * law->tangents; d++) {
    oc_put(s, row + p->left, z + p->t[d], -1);
    oc_put(s, row + p->w[d], z + p->slide, 1);
    oc_put(s, row + p->w[d], z + p->w[d], -1);
  }
}

dm_status oc_contact_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x,
                              oc_triplets *s) {
  const oc_contacts *c = t->contact;
  if (!c) return DM_OK;
  if (s->val) DM_TRY(eval_all(t, x));
  for (int k = 0; k <= t->N; k++) {
    const int z = oc_transcription_contact(t, k), row = oc_rows_at(t, kind, k);
    DM_TRY(put_impulses(t, x, s, k));
    for (int l = 0; l < c->laws->n; l++) {
      put_law(t, x, s, k, l);
      if (has_cone(&c->laws->law[l]))
        oc_contact_cone_put(c, k, l, s->val ? x + z : NULL, row, z, s);
    }
    for (int i = 0; i < c->npairs; i++) {
      const oc_contact_pair *p = &c->pair[i];
      if (p->cone) continue;
      oc_put(s, row + p->a, z + p->a, s->val ? x[z + p->b] : 0);
      oc_put(s, row + p->a, z + p->b, s->val ? x[z + p->a] : 0);
    }
  }
  return DM_OK;
}

// -- second derivatives

// The multipliers of D2r at knot k: from the rows at k - 1 by r' there, and those at k by -r, into c->weight. At
// the last knot also those of r + T/N Dr v, with those of Dr v in c->weight_v.
static void weigh_rows(oc_contacts *c, const oc_transcription *t, const double *lambda, int k) {
  memset(c->weight, 0, (size_t)c->nr * sizeof(double));
  memset(c->weight_v, 0, (size_t)c->nr * sizeof(double));
  for (int at = k > 0 ? k - 1 : 0; at <= k; at++) {
    const double *of = lambda + oc_rows_at(t, OC_CONTACT_ROWS, at);
    for (int l = 0; l < c->laws->n; l++) {
      const dm_contact_law *law = &c->laws->law[l];
      const oc_contact_place *p = &c->place[l];
      const bool next = at < k, end = at == k && k == t->N;
      if (law->gap >= 0 && (next || end)) c->weight[law->gap] += of[p->gap];
      if (law->gap >= 0 && end) c->weight_v[law->gap] += c->step * of[p->gap];
      for (int d = 0; d < law->tangents; d++) {
        const double w = of[p->w[2 * d]] - of[p->w[2 * d + 1]];
        if (end)
          c->weight_v[law->tangent[d]] += c->step * w;
        else if (!has_slide(c, law->tangent[d]))
          c->weight[law->tangent[d]] += next ? w : -w;
      }
    }
  }
}

// Second derivatives of s in the step after knot k: by (q0,q0) to c->H, to which those of the step before by (q1,q1) are
// added, and by (q0,q1) into c->H01.
static dm_status contract_slides(oc_transcription *t, const double *x, const double *lambda,
                                 int k) {
  oc_contacts *c = t->contact;
  const size_t square = (size_t)(t->n * t->n) * sizeof(double);
  if (k > 0) dm_add_to(t->n * t->n, 1, c->Hs, c->H);
  memset(c->Hs, 0, square);
  memset(c->H01, 0, square);
  if (k == t->N) return DM_OK;
  const double *of = lambda + oc_rows_at(t, OC_CONTACT_ROWS, k);
  memset(c->weight, 0, (size_t)c->nr * sizeof(double));
  for (int l = 0; l < c->laws->n; l++)
    for (int d = 0; d < c->laws->law[l].tangents; d++)
      c->weight[c->laws->law[l].tangent[d]] =
          of[c->place[l].w[2 * d]] - of[c->place[l].w[2 * d + 1]];
  return c->laws->slide_contract(c->laws->rows.self, c->scratch, x + oc_transcription_q(t, k),
                                 x + oc_transcription_q(t, k + 1), c->weight, c->H, c->H01, c->Hs);
}

// Second derivatives at knot k: by (q,q) into c->H, by (v,q) at the end into c->Hv, and D2r mu in c->J, with
// mu the multipliers of the row of motion.
static dm_status contract_knot(oc_transcription *t, const double *x, const double *lambda, int k) {
  oc_contacts *c = t->contact;
  const dm_holonomic *rows = &c->laws->rows;
  const int n = t->n;
  const double *q = x + oc_transcription_q(t, k), *v = x + t->v[1];
  const size_t square = (size_t)(n * n) * sizeof(double);
  memset(c->H, 0, square);
  weigh_rows(c, t, lambda, k);
  DM_TRY(rows->contract(rows->self, c->scratch, q, c->weight, c->H));
  if (c->laws->slides) DM_TRY(contract_slides(t, x, lambda, k));
  if (k == t->N) {
    memset(c->Hv, 0, square);
    DM_TRY(rows->contract(rows->self, c->scratch, q, c->weight_v, c->Hv));
    DM_TRY(rows->directional(rows->self, c->scratch, q, v, c->weight_v, c->J, c->H));
  }
  find_forces(c, x + oc_transcription_contact(t, k), c->force);
  return rows->directional(rows->self, c->scratch, q, t->mu + k * n, c->force, c->J, c->H);
}

dm_status oc_contact_rows_put_hessian(oc_transcription *t, oc_rows_kind kind, const double *x,
                                      double sigma, const double *lambda, oc_triplets *s) {
  oc_contacts *c = t->contact;
  const int n = t->n;
  (void)sigma;
  for (int k = 0; c && k <= t->N; k++) {
    const int q = oc_transcription_q(t, k), z = oc_transcription_contact(t, k);
    if (s->val) DM_TRY(contract_knot(t, x, lambda, k));
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        if (!c->meets[i * n + j]) continue;
        if (j <= i) oc_put(s, q + i, q + j, c->H[i * n + j]);
        if (k == t->N) oc_put(s, t->v[1] + i, q + j, c->Hv[i * n + j]);
        if (k < t->N && c->laws->slides)
          oc_put(s, oc_transcription_q(t, k + 1) + j, q + i, c->H01[i * n + j]);
      }
    // products
    for (int i = 0; i < c->npairs; i++) {
      const oc_contact_pair *p = &c->pair[i];
      if (p->cone) continue;
      const double value = s->val && !c->searched ? lambda[oc_rows_at(t, kind, k) + p->a] : 0;
      oc_put(s, z + (p->a > p->b ? p->a : p->b), z + (p->a > p->b ? p->b : p->a), value);
    }
    for (int l = 0; l < c->laws->n; l++)
      if (has_cone(&c->laws->law[l]))
        oc_contact_cone_put_hessian(c, k, l, s->val ? lambda + oc_rows_at(t, kind, k) : NULL, z, s);
    // falling bounds; impulses with positions
    for (int l = 0; l < c->laws->n; l++) {
      const dm_contact_law *law = &c->laws->law[l];
      const oc_contact_place *p = &c->place[l];
      if (law->excess > 0)
        oc_friction_bound_put_hessian(bound_of(t, s->val ? x : NULL, k, l), s,
                                      s->val ? lambda[oc_rows_at(t, kind, k) + p->left] : 0);
      for (int i = 0; i < n; i++) {
        if (law->gap >= 0) oc_put(s, z + p->c, q + i, c->J[law->gap * n + i]);
        for (int d = 0; d < 2 * law->tangents; d++)
          oc_put(s, z + p->t[d], q + i, (d % 2 ? -1 : 1) * c->J[law->tangent[d / 2] * n + i]);
      }
    }
  }
  return DM_OK;
}

// -- to and from a trajectory

void oc_contact_rows_pack(oc_transcription *t, const dm_trajectory *traj, double *x) {
  oc_contacts *c = t->contact;
  if (!c || eval_all(t, x) != DM_OK) return;
  t->fresh = false;
  // a guess without impulses has small ones
  bool known = false;
  for (int i = 0; i < (t->N + 1) * traj->nr; i++) known |= traj->contact[i] != 0;
  for (int k = 0; k <= t->N; k++) {
    double *z = x + oc_transcription_contact(t, k);
    const double *given = known ? traj->contact + k * c->nr : NULL;
    for (int l = 0; l < c->laws->n; l++) {
      const dm_contact_law *law = &c->laws->law[l];
      const oc_contact_place *p = &c->place[l];
      if (law->gap >= 0) {
        z[p->c] = given ? given[law->gap] : c->unit[p->c];
        z[p->gap] = fmax(0, c->r[k * c->nr + law->gap] + oc_contact_change(t, x, k, law->gap));
      }
      if (!law->tangents) continue;
      double left = find_friction(t, x, k, l), slide = 0;
      for (int d = 0; d < law->tangents; d++)
        slide = fmax(slide, fabs(oc_contact_change(t, x, k, law->tangent[d])));
      for (int d = 0; d < 2 * law->tangents; d++) {
        const double change = oc_contact_change(t, x, k, law->tangent[d / 2]);
        const double force = given ? given[law->tangent[d / 2]] : 0;
        z[p->w[d]] = slide + (d % 2 ? -change : change);
        z[p->t[d]] = fmax(0, d % 2 ? -force : force);
        left -= z[p->t[d]];
      }
      z[p->slide] = slide;
      z[p->left] = fmax(0, left);
    }
  }
}

void oc_contact_rows_follow(oc_transcription *t, double *x) {
  const oc_contacts *c = t->contact;
  if (!c || eval_all(t, x) != DM_OK) return;
  t->fresh = false;
  for (int k = 0; k <= t->N; k++)
    for (int l = 0; l < c->laws->n; l++) {
      const int r = c->laws->law[l].gap;
      double *gap = x + oc_transcription_contact(t, k) + c->place[l].gap;
      if (r >= 0) *gap = fmax(0, c->r[k * c->nr + r] + oc_contact_change(t, x, k, r));
    }
}

// v of p + half the impulses of the knot
static dm_status find_velocity(dm_continuous *w, const oc_contacts *c, const double *q, int k,
                               const double *p, double *v) {
  double *mean = c->H;
  for (int i = 0; i < c->n; i++) {
    mean[i] = p[i];
    for (int r = 0; r < c->nr; r++)
      mean[i] += 0.5 * c->Dr[(k * c->nr + r) * c->n + i] * c->force[r];
  }
  DM_TRY(dm_velocity_of(w, q, mean, v));
  return dm_velocity_restrict(w, q, v);
}

dm_status oc_contact_rows_unpack(oc_transcription *t, const double *x, dm_trajectory *traj) {
  oc_contacts *c = t->contact;
  dm_continuous *w = NULL;
  const int n = t->n;
  if (!c) return DM_OK;
  DM_TRY(eval_all(t, x));
  t->fresh = false;
  DM_TRY(dm_continuous_new(&w, &t->task.system));
  dm_status s = DM_OK;
  for (int k = 0; k <= t->N && s == DM_OK; k++) {
    find_forces(c, x + oc_transcription_contact(t, k), c->force);
    memcpy(traj->contact + k * c->nr, c->force, (size_t)c->nr * sizeof(double));
    for (int i = 0; k < t->N && i < n; i++)
      for (int r = 0; r < c->nr; r++)
        traj->p[k * n + i] -= c->Dr[(k * c->nr + r) * n + i] * c->force[r];
    s = find_velocity(w, c, traj->q + k * n, k, traj->p + k * n, traj->v + k * n);
  }
  memcpy(traj->v + t->N * n, x + t->v[1], (size_t)n * sizeof(double));
  memcpy(traj->v, x + t->v[0], (size_t)n * sizeof(double));
  dm_continuous_free(w);
  return s;
}
