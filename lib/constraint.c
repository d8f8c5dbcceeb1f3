#include "lib/constraint.h"

#include "lib/block.h"
#include "lib/sweep.h"

#include <math.h>
#include <string.h>

// A vector carried by bodies: the sum of up to two terms, each a point or a direction fixed to a
// joint's frame, with a sign; and a part fixed to the world.
typedef struct carried {
  int joint[2];    // -1: no such term
  dm_vec local[2]; // in the joint's frame
  double sign[2];
  bool point; // else a direction
  dm_vec fixed;
} carried;

typedef struct row {
  int constraint;
  carried A, B; // h = A.B - c
  double c;
  int length;   // a coordinate whose square is taken off; -1: none
  int coord[2]; // linear: q_0 - ratio q_1 - shift; -1: not linear
  double ratio, shift;
  int first, n; // its joints in dm_constraints.joint
} row;

struct dm_constraints {
  const dm_model *m;
  int n, nc, most; // constraints, rows, the most joints that a row has
  row *row;        // [nc]
  int *joint;      // joints of the rows, root to tip
  const char **name;
  char *text;
};

// joint j is i or above it
static bool above(const dm_model *m, int j, int i) {
  while (i > j) i = m->parent[i];
  return i == j;
}

// -- compiling

static carried none(void) {
  return (carried){.joint = {-1, -1}};
}

// add a point or direction of a body, given in its frame
static void carry(const dm_model *m, carried *v, int body, dm_vec local, double sign) {
  const dm_pose *T = body < 0 ? &dm_identity : &m->body_pose[body];
  int joint = body < 0 ? -1 : m->body_joint[body];
  dm_vec x = v->point ? dm_place(T, local) : dm_rotate(T, local);
  if (joint < 0) {
    v->fixed = dm_add(v->fixed, dm_mul(sign, x));
    return;
  }
  int t = v->joint[0] >= 0;
  v->joint[t] = joint, v->local[t] = x, v->sign[t] = sign;
}

static dm_vec vec(const double a[3]) {
  return dm_v(a[0], a[1], a[2]);
}

static carried difference(const dm_model *m, const dm_constraint *c) {
  carried v = none();
  v.point = true;
  carry(m, &v, c->body[0], vec(c->point[0]), 1);
  carry(m, &v, c->body[1], vec(c->point[1]), -1);
  return v;
}

static carried direction(const dm_model *m, int body, dm_vec d) {
  carried v = none();
  carry(m, &v, body, d, 1);
  return v;
}

// two directions that make a right-handed frame with a
static void beside(dm_vec a, dm_vec *x, dm_vec *y) {
  dm_vec e = fabs(a.x) <= fabs(a.y) ? dm_v(1, 0, 0) : dm_v(0, 1, 0);
  *x = dm_cross(e, a);
  *x = dm_mul(1 / sqrt(dm_dot(*x, *x)), *x);
  *y = dm_cross(a, *x);
}

// the rows of a constraint, at most six; returns how many
static int rows_of(const dm_model *m, const dm_constraint *c, row *out) {
  const dm_vec e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  carried d = difference(m, c);
  dm_vec a = vec(c->axis), x, y;
  const int b0 = c->body[0], b1 = c->body[1];
  int n = 0;
#define ROW(...)                                                                                   \
  out[n++] = (row) {                                                                               \
    .length = -1, .coord = {-1, -1}, __VA_ARGS__                                                   \
  }
  switch (c->kind) {
  case DM_DISTANCE:
    ROW(.A = d, .B = d, .c = c->coord[0] < 0 ? c->length * c->length : 0);
    out[0].length = c->coord[0];
    break;
  case DM_EQUAL:
    ROW(.ratio = c->ratio, .shift = c->shift);
    out[0].coord[0] = c->coord[0], out[0].coord[1] = c->coord[1];
    break;
  case DM_PLANE:
    ROW(.A = direction(m, b1, a), .B = d);
    break;
  case DM_LINE:
    beside(a, &x, &y);
    ROW(.A = direction(m, b1, x), .B = d);
    ROW(.A = direction(m, b1, y), .B = d);
    break;
  case DM_POINT:
  case DM_POSE:
    for (int i = 0; i < 3; i++) ROW(.A = direction(m, -1, e[i]), .B = d);
    for (int i = 0; i < 3 && c->kind == DM_POSE; i++)
      ROW(.A = direction(m, b0, e[i]), .B = direction(m, b1, e[(i + 1) % 3]));
    break;
  case DM_POSE_PLANAR:
    beside(a, &x, &y);
    ROW(.A = direction(m, b1, x), .B = d);
    ROW(.A = direction(m, b1, y), .B = d);
    ROW(.A = direction(m, b0, x), .B = direction(m, b1, y));
    break;
  }
#undef ROW
  return n;
}

// the joints that move a row, root to tip; list NULL: only counted
static int joints_of(const dm_model *m, const row *r, int *list) {
  int n = 0;
  const int tip[] = {r->A.joint[0], r->A.joint[1], r->B.joint[0], r->B.joint[1]};
  for (int j = 0; j < m->nj && r->coord[0] < 0; j++) {
    bool moves = false;
    for (int t = 0; t < 4; t++) moves = moves || (tip[t] >= 0 && above(m, j, tip[t]));
    if (moves && list) list[n] = j;
    n += moves;
  }
  return n;
}

static dm_status check(const dm_model *m, const dm_constraint *c, dm_message *msg) {
  bool bodies = c->kind != DM_EQUAL;
  bool axis = c->kind == DM_LINE || c->kind == DM_PLANE || c->kind == DM_POSE_PLANAR;
  double a = dm_dot(vec(c->axis), vec(c->axis));
  for (int i = 0; i < 2; i++) {
    if (bodies && (c->body[i] < -1 || c->body[i] >= m->nbody))
      return dm_fail(msg, DM_BAD_INPUT, "constraint '%s': a body that is not there", c->name);
    if (!bodies && (c->coord[i] < 0 || c->coord[i] >= m->nq))
      return dm_fail(msg, DM_BAD_INPUT, "constraint '%s': a coordinate that is not there", c->name);
  }
  if (c->kind == DM_DISTANCE && (c->coord[0] < -1 || c->coord[0] >= m->nq))
    return dm_fail(msg, DM_BAD_INPUT, "constraint '%s': a coordinate that is not there", c->name);
  if (c->kind == DM_DISTANCE && c->coord[0] < 0 && !(c->length > 0))
    return dm_fail(msg, DM_BAD_INPUT, "constraint '%s': length must be > 0, got %g", c->name,
                   c->length);
  if (axis && !(fabs(a - 1) < 1e-9))
    return dm_fail(msg, DM_BAD_INPUT, "constraint '%s': its axis must have length 1, got %g",
                   c->name, sqrt(a));
  return DM_OK;
}

static void lay_out(dm_constraints *c, dm_block *b, size_t joints, size_t text) {
  c->row = dm_take(b, (size_t)c->nc, sizeof *c->row);
  c->joint = dm_take(b, joints, sizeof *c->joint);
  c->name = dm_take(b, (size_t)c->n, sizeof *c->name);
  c->text = dm_take(b, text, 1);
}

dm_status dm_constraints_new(dm_constraints **out, const dm_model *m, int n,
                             const dm_constraint *list, dm_message *msg) {
  dm_constraints sizes = {.m = m, .n = n};
  size_t joints = 0, text = 0;
  row rows[6];
  for (int i = 0; i < n; i++) {
    DM_TRY(check(m, &list[i], msg));
    int k = rows_of(m, &list[i], rows);
    sizes.nc += k;
    text += strlen(list[i].name) + 1;
    for (int r = 0; r < k; r++) joints += (size_t)joints_of(m, &rows[r], NULL);
  }
  dm_block block = {0};
  dm_constraints *c = dm_take(&block, 1, sizeof *c);
  lay_out(&sizes, &block, joints, text);
  if (dm_block_new(&block) != DM_OK) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  c = dm_take(&block, 1, sizeof *c);
  *c = sizes;
  lay_out(c, &block, joints, text);
  char *at = c->text;
  int *joint = c->joint;
  row *to = c->row;
  for (int i = 0; i < n; i++) {
    size_t size = strlen(list[i].name) + 1;
    c->name[i] = memcpy(at, list[i].name, size);
    at += size;
    int k = rows_of(m, &list[i], to);
    for (row *r = to; r < to + k; r++) {
      r->constraint = i;
      r->first = (int)(joint - c->joint);
      r->n = joints_of(m, r, joint);
      joint += r->n;
      if (r->n > c->most) c->most = r->n;
    }
    to += k;
  }
  *out = c;
  return DM_OK;
}

void dm_constraints_free(dm_constraints *c) {
  dm_block_free(c);
}

const char *dm_constraints_row_name(const dm_constraints *c, int i) {
  return c->name[c->row[i].constraint];
}

static const char *row_name(const void *self, int i) {
  return dm_constraints_row_name(self, i);
}

// -- evaluating

// one of a row's two vectors with its derivatives by the row's joints
typedef struct moved {
  dm_vec x, dx;   // itself; its change along a
  dm_vec *d, *dd; // [joints] by each joint; the change of that along a
} moved;

typedef struct work {
  dm_pose *X; // joint frames [nj]
  moved A, B;
  dm_vec *w, *dw; // [most] axes of the turns (zero for slides), their change along a
} work;

static work open_work(const dm_constraints *c, dm_block *b) {
  size_t most = (size_t)c->most;
  work w;
  w.X = dm_take(b, (size_t)c->m->nj, sizeof *w.X);
  dm_vec **arrays[] = {&w.A.d, &w.A.dd, &w.B.d, &w.B.dd, &w.w, &w.dw};
  for (int i = 0; i < 6; i++) *arrays[i] = dm_take(b, most, sizeof(dm_vec));
  return w;
}

static const int *joints(const dm_constraints *c, const row *r) {
  return c->joint + r->first;
}

static dm_vec place_of(const work *w, const carried *v, int t) {
  const dm_pose *X = &w->X[v->joint[t]];
  return v->point ? dm_place(X, v->local[t]) : dm_rotate(X, v->local[t]);
}

// a vector and its first derivatives
static void move(const dm_constraints *c, const work *w, const row *r, const carried *v,
                 moved *out) {
  out->x = v->fixed;
  for (int i = 0; i < r->n; i++) out->d[i] = dm_v(0, 0, 0);
  for (int t = 0; t < 2; t++) {
    if (v->joint[t] < 0) continue;
    dm_vec x = place_of(w, v, t);
    out->x = dm_add(out->x, dm_mul(v->sign[t], x));
    for (int i = 0; i < r->n; i++) {
      int j = joints(c, r)[i];
      if (!above(c->m, j, v->joint[t])) continue;
      const dm_pose *X = &w->X[j];
      dm_vec d = dm_v(0, 0, 0);
      if (!c->m->slides[j])
        d = dm_cross(X->z, v->point ? dm_sub(x, X->p) : x);
      else if (v->point)
        d = X->z;
      out->d[i] = dm_add(out->d[i], dm_mul(v->sign[t], d));
    }
  }
}

// the joints' axes, and both vectors
static void move_row(const dm_constraints *c, work *w, const row *r) {
  for (int i = 0; i < r->n; i++) {
    int j = joints(c, r)[i];
    w->w[i] = c->m->slides[j] ? dm_v(0, 0, 0) : w->X[j].z;
  }
  move(c, w, r, &r->A, &w->A);
  move(c, w, r, &r->B, &w->B);
}

// second derivative of a vector by joints i and j of the row, j at or above i; both related
static dm_vec second(const work *w, const moved *v, int i, int j) {
  return dm_cross(w->w[j], v->d[i]);
}

static double rate(const dm_constraints *c, const row *r, int i, const double *a) {
  int j = joints(c, r)[i];
  return c->m->ratio[j] * a[c->m->coord[j]];
}

// the change of everything along a
static void move_along(const dm_constraints *c, work *w, const row *r, const double *a) {
  moved *pair[] = {&w->A, &w->B};
  const int *joint = joints(c, r);
  for (int i = 0; i < r->n; i++) w->dw[i] = dm_v(0, 0, 0);
  for (int v = 0; v < 2; v++) {
    moved *x = pair[v];
    x->dx = dm_v(0, 0, 0);
    for (int i = 0; i < r->n; i++) {
      x->dd[i] = dm_v(0, 0, 0);
      x->dx = dm_add(x->dx, dm_mul(rate(c, r, i, a), x->d[i]));
    }
    for (int i = 0; i < r->n; i++)
      for (int j = 0; j <= i; j++) {
        if (!above(c->m, joint[j], joint[i])) continue;
        dm_vec d = second(w, x, i, j);
        x->dd[i] = dm_add(x->dd[i], dm_mul(rate(c, r, j, a), d));
        if (j < i) x->dd[j] = dm_add(x->dd[j], dm_mul(rate(c, r, i, a), d));
        if (v == 0 && j < i)
          w->dw[i] = dm_add(w->dw[i], dm_mul(rate(c, r, j, a), dm_cross(w->w[j], w->w[i])));
      }
  }
}

static dm_status frames(const dm_constraints *c, void *scratch, const double *q, work *w) {
  dm_block b = {.base = scratch};
  *w = open_work(c, &b);
  dm_sweep_frames(c->m, q, w->X);
  return DM_OK;
}

static dm_status eval(const void *self, void *scratch, const double *q, double *h, double *Dh) {
  const dm_constraints *c = self;
  const dm_model *m = c->m;
  work w;
  DM_TRY(frames(c, scratch, q, &w));
  if (Dh) memset(Dh, 0, (size_t)c->nc * (size_t)m->nq * sizeof *Dh);
  for (int k = 0; k < c->nc; k++) {
    const row *r = &c->row[k];
    double *D = Dh ? Dh + k * m->nq : NULL;
    if (r->coord[0] >= 0) {
      h[k] = q[r->coord[0]] - r->ratio * q[r->coord[1]] - r->shift;
      if (D) D[r->coord[0]] += 1, D[r->coord[1]] -= r->ratio;
      continue;
    }
    move_row(c, &w, r);
    h[k] = dm_dot(w.A.x, w.B.x) - r->c;
    if (r->length >= 0) h[k] -= q[r->length] * q[r->length];
    if (D && r->length >= 0) D[r->length] -= 2 * q[r->length];
    for (int i = 0; D && i < r->n; i++) {
      int j = joints(c, r)[i];
      D[m->coord[j]] += m->ratio[j] * (dm_dot(w.A.d[i], w.B.x) + dm_dot(w.A.x, w.B.d[i]));
    }
    if (!isfinite(h[k])) return DM_NOT_FINITE;
  }
  return DM_OK;
}

// h_ij by two joints of a row, j at or before i in root-to-tip order
static double hessian(const dm_constraints *c, const work *w, const row *r, int i, int j) {
  const moved *A = &w->A, *B = &w->B;
  double h = dm_dot(A->d[i], B->d[j]) + dm_dot(A->d[j], B->d[i]);
  if (above(c->m, joints(c, r)[j], joints(c, r)[i]))
    h += dm_dot(second(w, A, i, j), B->x) + dm_dot(A->x, second(w, B, i, j));
  return h;
}

// its derivative along a
static double third(const dm_constraints *c, const work *w, const row *r, int i, int j) {
  const moved *A = &w->A, *B = &w->B;
  double h = dm_dot(A->dd[i], B->d[j]) + dm_dot(A->d[i], B->dd[j]) + dm_dot(A->dd[j], B->d[i]) +
             dm_dot(A->d[j], B->dd[i]);
  if (above(c->m, joints(c, r)[j], joints(c, r)[i])) {
    dm_vec dA = dm_add(dm_cross(w->dw[j], A->d[i]), dm_cross(w->w[j], A->dd[i]));
    dm_vec dB = dm_add(dm_cross(w->dw[j], B->d[i]), dm_cross(w->w[j], B->dd[i]));
    h += dm_dot(dA, B->x) + dm_dot(second(w, A, i, j), B->dx) + dm_dot(A->dx, second(w, B, i, j)) +
         dm_dot(A->x, dB);
  }
  return h;
}

typedef double entry(const dm_constraints *c, const work *w, const row *r, int i, int j);

// add lambda times the symmetric matrix whose entries by joints are given
static void add(const dm_constraints *c, const work *w, const row *r, double lambda, entry *of,
                double *H) {
  const dm_model *m = c->m;
  for (int i = 0; i < r->n; i++)
    for (int j = 0; j <= i; j++) {
      int a = joints(c, r)[i], b = joints(c, r)[j];
      double h = lambda * m->ratio[a] * m->ratio[b] * of(c, w, r, i, j);
      H[m->coord[a] * m->nq + m->coord[b]] += h;
      if (i != j) H[m->coord[b] * m->nq + m->coord[a]] += h;
    }
}

static dm_status contract(const void *self, void *scratch, const double *q, const double *lambda,
                          double *H) {
  const dm_constraints *c = self;
  work w;
  DM_TRY(frames(c, scratch, q, &w));
  for (int k = 0; k < c->nc; k++) {
    const row *r = &c->row[k];
    if (r->coord[0] >= 0) continue;
    move_row(c, &w, r);
    add(c, &w, r, lambda[k], hessian, H);
    if (r->length >= 0) H[r->length * c->m->nq + r->length] -= 2 * lambda[k];
  }
  return DM_OK;
}

static dm_status along(const void *self, void *scratch, const double *q, const double *a,
                       const double *lambda, double *J, double *T) {
  const dm_constraints *c = self;
  const dm_model *m = c->m;
  work w;
  DM_TRY(frames(c, scratch, q, &w));
  memset(J, 0, (size_t)c->nc * (size_t)m->nq * sizeof *J);
  for (int k = 0; k < c->nc; k++) {
    const row *r = &c->row[k];
    double *Jk = J + k * m->nq;
    if (r->coord[0] >= 0) continue;
    move_row(c, &w, r);
    // D2h a = the change of Dh along a
    move_along(c, &w, r, a);
    for (int i = 0; i < r->n; i++) {
      int j = joints(c, r)[i];
      Jk[m->coord[j]] += m->ratio[j] * (dm_dot(w.A.dd[i], w.B.x) + dm_dot(w.A.d[i], w.B.dx) +
                                        dm_dot(w.A.dx, w.B.d[i]) + dm_dot(w.A.x, w.B.dd[i]));
    }
    if (r->length >= 0) Jk[r->length] -= 2 * a[r->length];
    if (T) add(c, &w, r, lambda[k], third, T);
  }
  return DM_OK;
}

dm_holonomic dm_constraints_holonomic(const dm_constraints *c) {
  dm_block b = {0};
  open_work(c, &b);
  return (dm_holonomic){.nc = c->nc,
                        .self = c,
                        .scratch = (b.used + 63) & ~(size_t)63,
                        .eval = eval,
                        .contract = contract,
                        .along = along,
                        .row_name = row_name};
}
