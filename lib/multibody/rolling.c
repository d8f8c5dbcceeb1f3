#include "lib/multibody/rolling.h"

#include "lib/base/block.h"
#include "lib/multibody/tree_lagrangian.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 2 };

// a linear function of the axis a, with the normal n; or a constant
typedef enum image { ZERO, ALONG, ACROSS, FLAT, SIDE, FIXED } image;

typedef struct row {
  int roller;
  image t, m;
  bool unit; // t is divided by its length
  double factor;
  dm_vec t0, m0; // of FIXED, in the ground's frame
} row;

// a joint between the ground and the body; sign -1: it carries the ground
typedef struct link {
  int joint;
  double sign;
} link;

typedef struct chain {
  int n;
  link *link; // [n] from the ground to the body
  int joint[2];
  dm_vec point, axis, normal; // in these joints' frames (-1: the world's)
} chain;

struct dm_rolling {
  const dm_model *m;
  const dm_constraints *first;
  dm_holonomic before;
  int n, nv, longest;
  size_t links, text_size;
  row *row;     // [nv]
  chain *chain; // [n]
  link *link;
  dm_roller *described; // [n]
  char *text;
};

// -- compiling

static dm_vec to_vec(const double a[3]) {
  return dm_v(a[0], a[1], a[2]);
}

static bool carries(const dm_model *m, int joint, int tip) {
  while (tip > joint) tip = m->parent[tip];
  return tip == joint;
}

// the joints that move body[0] relative to body[1]; list NULL: count only
static int list_links(const dm_model *m, const int tip[2], link *list) {
  int n = 0;
  for (int j = m->nj - 1; j >= 0; j--) {
    if (!carries(m, j, tip[1]) || carries(m, j, tip[0])) continue;
    if (list) list[n] = (link){j, -1};
    n++;
  }
  for (int j = 0; j < m->nj; j++) {
    if (!carries(m, j, tip[0]) || carries(m, j, tip[1])) continue;
    if (list) list[n] = (link){j, 1};
    n++;
  }
  return n;
}

static int find_joint(const dm_model *m, int body) {
  return body < 0 ? -1 : m->body_joint[body];
}

static int count_links(const dm_model *m, const dm_roller *r) {
  const int tip[] = {find_joint(m, r->body[0]), find_joint(m, r->body[1])};
  return list_links(m, tip, NULL);
}

static bool is_ball(const dm_roller *r) {
  return r->kind == DM_ROLLING_WHEEL && dm_dot(to_vec(r->axis), to_vec(r->axis)) == 0;
}

// two unit vectors normal to n
static void find_tangents(dm_vec n, dm_vec t[2]) {
  const dm_pose frame = dm_pose_along(n, dm_v(0, 0, 0));
  t[0] = frame.x;
  t[1] = frame.y;
}

// the rows of a roller; returns their number
static int list_rows(const dm_roller *r, row out[MOST_ROWS]) {
  dm_vec t[2];
  switch (r->kind) {
  case DM_ROLLING_WHEEL:
    if (is_ball(r)) break;
    out[0] = (row){.t = ACROSS, .unit = true, .m = ALONG, .factor = -r->radius};
    out[1] = (row){.t = FLAT, .unit = true, .m = ACROSS, .factor = r->radius};
    return 2;
  case DM_ROLLING_NO_SLIP:
    out[0] = (row){.t = ALONG, .m = ZERO};
    return 1;
  default:
    out[0] = (row){.t = SIDE, .m = ZERO};
    return 1;
  }

  // a ball: rho x t with rho = -r n
  find_tangents(to_vec(r->normal), t);
  for (int i = 0; i < 2; i++) {
    out[i] = (row){.t = FIXED, .m = FIXED, .factor = 1, .t0 = t[i]};
    out[i].m0 = dm_mul(-r->radius, dm_cross(to_vec(r->normal), t[i]));
  }
  return 2;
}

static dm_status check_unit(const dm_roller *r, const char *what, const double x[3],
                            dm_message *msg) {
  const double size = sqrt(dm_dot(to_vec(x), to_vec(x)));
  if (fabs(size - 1) < 1e-9) return DM_OK;
  return dm_fail(msg, DM_BAD_INPUT, "constraint '%s': its %s must have length 1, got %g", r->name,
                 what, size);
}

static dm_status check_roller(const dm_model *m, const dm_roller *r, dm_message *msg) {
  for (int i = 0; i < 2; i++)
    if (r->body[i] < -1 || r->body[i] >= m->nbody)
      return dm_fail(msg, DM_BAD_INPUT, "constraint '%s' refers to a body that does not exist",
                     r->name);
  if (r->kind == DM_ROLLING_WHEEL && !(r->radius > 0 && isfinite(r->radius)))
    return dm_fail(msg, DM_BAD_INPUT, "constraint '%s': its radius must be > 0, got %g", r->name,
                   r->radius);
  if (!is_ball(r)) DM_TRY(check_unit(r, "axis", r->axis, msg));
  if (r->kind != DM_ROLLING_NO_SLIP) DM_TRY(check_unit(r, "normal", r->normal, msg));
  if (count_links(m, r) == 0)
    return dm_fail(msg, DM_BAD_INPUT, "constraint '%s': no joint moves its body over the ground",
                   r->name);
  return DM_OK;
}

static void lay_out_rolling(void *self, dm_block *b) {
  dm_rolling *w = self;
  w->row = dm_block_alloc(b, (size_t)w->nv, sizeof *w->row);
  w->chain = dm_block_alloc(b, (size_t)w->n, sizeof *w->chain);
  w->link = dm_block_alloc(b, w->links, sizeof *w->link);
  w->described = dm_block_alloc(b, (size_t)w->n, sizeof *w->described);
  w->text = dm_block_alloc(b, w->text_size, 1);
}

// a direction or a point of a body, in the frame of its joint
static dm_vec direct(const dm_model *m, int body, const double x[3]) {
  return body < 0 ? to_vec(x) : dm_rotate(&m->body_pose[body], to_vec(x));
}

dm_status dm_rolling_new(dm_rolling **out, const dm_model *m, int n, const dm_roller *list,
                         const dm_constraints *first, dm_message *msg) {
  dm_rolling sizes = {.m = m, .first = first, .n = n};
  row rows[MOST_ROWS];
  for (int i = 0; i < n; i++) {
    DM_TRY(check_roller(m, &list[i], msg));
    const int links = count_links(m, &list[i]);
    sizes.nv += list_rows(&list[i], rows);
    sizes.links += (size_t)links;
    sizes.text_size += strlen(list[i].name) + 1;
    if (links > sizes.longest) sizes.longest = links;
  }
  dm_rolling *w = dm_block_make(&sizes, sizeof sizes, lay_out_rolling);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  if (first) w->before = dm_constraints_holonomic(first);

  char *text = w->text;
  link *at = w->link;
  row *to = w->row;
  for (int i = 0; i < n; i++) {
    const dm_roller *r = &list[i];
    chain *c = &w->chain[i];
    const size_t size = strlen(r->name) + 1;
    w->described[i] = *r;
    w->described[i].name = memcpy(text, r->name, size);
    text += size;

    // points and directions in the frames of the joints that carry them
    for (int k = 0; k < 2; k++) c->joint[k] = find_joint(m, r->body[k]);
    c->point =
        r->body[0] < 0 ? to_vec(r->point) : dm_place(&m->body_pose[r->body[0]], to_vec(r->point));
    c->axis = direct(m, r->body[0], r->axis);
    c->normal = direct(m, r->body[1], r->normal);
    c->link = at;
    c->n = list_links(m, c->joint, at);
    at += c->n;

    // rows; fixed directions in the frame of the ground's joint
    const int count = list_rows(r, to);
    for (row *x = to; x < to + count; x++) {
      x->roller = i;
      const double t[] = {x->t0.x, x->t0.y, x->t0.z}, m0[] = {x->m0.x, x->m0.y, x->m0.z};
      x->t0 = direct(m, r->body[1], t);
      x->m0 = direct(m, r->body[1], m0);
    }
    to += count;
  }
  *out = w;
  return DM_OK;
}

void dm_rolling_free(dm_rolling *w) {
  dm_block_free(w);
}

void dm_rolling_drop(dm_rolling *w, const bool *drop) {
  int kept = 0;
  for (int i = 0; i < w->nv; i++)
    if (!drop[i]) w->row[kept++] = w->row[i];
  w->nv = kept;
}

int dm_rolling_count(const dm_rolling *w) {
  return w->nv;
}

int dm_rolling_of_row(const dm_rolling *w, int i) {
  return w->row[i].roller;
}

int dm_rolling_described(const dm_rolling *w, const dm_roller **list) {
  *list = w->described;
  return w->n;
}

// -- the chain of a roller at one q

typedef struct place {
  dm_pose *X;     // [nj]
  dm_vec *W, *C;  // [longest] axes, and c by each joint
  dm_vec a, n;    // axis and normal
  dm_vec w;       // angular velocity of joint velocities v, sum_j v_j W_j
  dm_vec *before; // [longest] sum_{j<i} v_j W_j
  dm_vec *c_from; // [longest] sum_{j>=i} v_j C_j
  dm_vec *w_past; // [longest] sum_{j>i} v_j W_j
} place;

static void lay_out_place(place *x, dm_block *b, const dm_rolling *w) {
  dm_vec **arrays[] = {&x->W, &x->C, &x->before, &x->c_from, &x->w_past};
  x->X = dm_block_alloc(b, (size_t)w->m->nj, sizeof *x->X);
  for (size_t i = 0; i < 5; i++) *arrays[i] = dm_block_alloc(b, (size_t)w->longest, sizeof(dm_vec));
}

static dm_vec turn(const place *x, int joint, dm_vec d) {
  return joint < 0 ? d : dm_rotate(&x->X[joint], d);
}

// axes and derivatives of c of chain i; x->X has the frames
static void place_chain(const dm_rolling *w, int i, place *x) {
  const chain *c = &w->chain[i];
  const dm_vec p = c->joint[0] < 0 ? c->point : dm_place(&x->X[c->joint[0]], c->point);
  x->a = turn(x, c->joint[0], c->axis);
  x->n = turn(x, c->joint[1], c->normal);
  for (int j = 0; j < c->n; j++) {
    const dm_pose *X = &x->X[c->link[j].joint];
    const dm_vec z = dm_mul(c->link[j].sign, X->z);
    const bool slides = w->m->slides[c->link[j].joint];
    x->W[j] = slides ? dm_v(0, 0, 0) : z;
    x->C[j] = slides ? z : dm_cross(z, dm_sub(p, X->p));
  }
}

// the sums along the chain of velocities v [nq]
static void place_velocities(const dm_rolling *w, int i, const double *v, place *x) {
  const chain *c = &w->chain[i];
  const dm_model *m = w->m;
  dm_vec sum = dm_v(0, 0, 0), from = sum, past = sum;
  for (int j = 0; j < c->n; j++) {
    const int joint = c->link[j].joint;
    x->before[j] = sum;
    sum = dm_add(sum, dm_mul(m->ratio[joint] * v[m->coord[joint]], x->W[j]));
  }
  x->w = sum;
  for (int j = c->n - 1; j >= 0; j--) {
    const int joint = c->link[j].joint;
    const double rate = m->ratio[joint] * v[m->coord[joint]];
    x->w_past[j] = past;
    past = dm_add(past, dm_mul(rate, x->W[j]));
    from = dm_add(from, dm_mul(rate, x->C[j]));
    x->c_from[j] = from;
  }
}

// -- the vectors t and m of a row as functions of a

static dm_vec find_image(image kind, const place *x, dm_vec d) {
  if (kind == ALONG) return d;
  if (kind == ACROSS) return dm_cross(d, x->n);
  if (kind == FLAT) return dm_sub(d, dm_mul(dm_dot(x->n, d), x->n));
  if (kind == SIDE) return dm_cross(x->n, d);
  return dm_v(0, 0, 0);
}

static dm_vec find_t(const dm_rolling *w, const row *r, const place *x) {
  if (r->t == FIXED) return turn(x, w->chain[r->roller].joint[1], r->t0);
  const dm_vec y = find_image(r->t, x, x->a);
  return r->unit ? dm_mul(1 / sqrt(dm_dot(y, y)), y) : y;
}

static dm_vec find_m(const dm_rolling *w, const row *r, const place *x) {
  if (r->m == FIXED) return turn(x, w->chain[r->roller].joint[1], r->m0);
  return dm_mul(r->factor, find_image(r->m, x, x->a));
}

// the derivative of t along a change d of a
static dm_vec find_t_along(const row *r, const place *x, dm_vec d) {
  const dm_vec y = find_image(r->t, x, x->a), y1 = find_image(r->t, x, d);
  if (!r->unit) return y1;
  const double g = dm_dot(y, y), f = 1 / sqrt(g), f1 = -f / g * dm_dot(y, y1);
  return dm_add(dm_mul(f1, y), dm_mul(f, y1));
}

// the second derivative along changes d, e, and the second change de of a
static dm_vec find_t_along_two(const row *r, const place *x, dm_vec d, dm_vec e, dm_vec de) {
  dm_vec out = find_t_along(r, x, de);
  if (!r->unit) return out;
  const dm_vec y = find_image(r->t, x, x->a), y1 = find_image(r->t, x, d),
               y2 = find_image(r->t, x, e);
  const double g = dm_dot(y, y), f = 1 / sqrt(g), s1 = dm_dot(y, y1), s2 = dm_dot(y, y2);
  const double f12 = f / g * (3 * s1 * s2 / g - dm_dot(y1, y2));
  out = dm_add(out, dm_mul(f12, y));
  out = dm_sub(out, dm_mul(f / g * s1, y2));
  return dm_sub(out, dm_mul(f / g * s2, y1));
}

static dm_vec find_m_along(const row *r, const place *x, dm_vec d) {
  return dm_mul(r->factor, find_image(r->m, x, d));
}

// -- the interface

static place begin_place(const dm_rolling *w, void *scratch, const double *q) {
  dm_block b = {.base = scratch};
  place x;
  lay_out_place(&x, &b, w);
  dm_tree_frames(w->m, q, x.X);
  return x;
}

static int find_coord(const dm_rolling *w, const chain *c, int j) {
  return w->m->coord[c->link[j].joint];
}

static double find_ratio(const dm_rolling *w, const chain *c, int j) {
  return w->m->ratio[c->link[j].joint];
}

static dm_status eval_rolling(const void *self, void *scratch, const double *q, double *h,
                              double *Dh) {
  const dm_rolling *w = self;
  const int nq = w->m->nq, nh = w->before.nc;
  if (nh) DM_TRY(w->before.eval(w->before.self, scratch, q, h, Dh));
  memset(h + nh, 0, (size_t)w->nv * sizeof *h);
  if (!Dh) return DM_OK;
  place x = begin_place(w, scratch, q);
  memset(Dh + nh * nq, 0, (size_t)(w->nv * nq) * sizeof *Dh);
  double sum = 0;
  for (int k = 0; k < w->nv; k++) {
    const row *r = &w->row[k];
    const chain *c = &w->chain[r->roller];
    double *A = Dh + (nh + k) * nq;
    if (k == 0 || r->roller != w->row[k - 1].roller) place_chain(w, r->roller, &x);
    const dm_vec t = find_t(w, r, &x), m = find_m(w, r, &x);
    for (int j = 0; j < c->n; j++) {
      A[find_coord(w, c, j)] += find_ratio(w, c, j) * (dm_dot(t, x.C[j]) + dm_dot(m, x.W[j]));
      sum += A[find_coord(w, c, j)];
    }
  }
  return isfinite(sum) ? DM_OK : DM_NOT_FINITE;
}

// c' and w by joint i, for the velocities of place_velocities
static dm_vec find_c_by(const place *x, int i) {
  return dm_add(dm_cross(x->W[i], x->c_from[i]), dm_cross(x->before[i], x->C[i]));
}
static dm_vec find_w_by(const place *x, int i) {
  return dm_cross(x->W[i], x->w_past[i]);
}

// the derivative of t.c' + m.w by joint i
static double find_by(const row *r, const place *x, dm_vec t, dm_vec m, int i) {
  const dm_vec a_i = dm_cross(x->W[i], x->a);
  return dm_dot(t, find_c_by(x, i)) + dm_dot(m, find_w_by(x, i)) +
         dm_dot(find_t_along(r, x, a_i), x->c_from[0]) + dm_dot(find_m_along(r, x, a_i), x->w);
}

// the second derivative of t.c' + m.w by joints i <= k
static double find_by_two(const row *r, const place *x, dm_vec t, dm_vec m, int i, int k) {
  const dm_vec *W = x->W, *C = x->C;
  const dm_vec a_i = dm_cross(W[i], x->a), a_k = dm_cross(W[k], x->a), a_ik = dm_cross(W[i], a_k);

  // c' by i and k: joints j at or after k, between them, and before i
  dm_vec c_ik = dm_cross(W[i], dm_cross(W[k], x->c_from[k]));
  c_ik = dm_add(c_ik, dm_cross(W[i], dm_cross(dm_sub(x->before[k], x->before[i]), C[k])));
  c_ik = dm_add(c_ik, dm_cross(x->before[i], dm_cross(W[i], C[k])));
  const dm_vec w_ik = dm_cross(W[i], find_w_by(x, k));

  // product rule
  double sum = dm_dot(t, c_ik) + dm_dot(m, w_ik);
  sum += dm_dot(find_t_along(r, x, a_i), find_c_by(x, k));
  sum += dm_dot(find_t_along(r, x, a_k), find_c_by(x, i));
  sum += dm_dot(find_m_along(r, x, a_i), find_w_by(x, k));
  sum += dm_dot(find_m_along(r, x, a_k), find_w_by(x, i));
  sum += dm_dot(find_t_along_two(r, x, a_i, a_k, a_ik), x->c_from[0]);
  return sum + dm_dot(find_m_along(r, x, a_ik), x->w);
}

static dm_status directional_rolling(const void *self, void *scratch, const double *q,
                                     const double *v, const double *lambda, double *J, double *T) {
  const dm_rolling *w = self;
  const int nq = w->m->nq, nh = w->before.nc;
  if (nh) DM_TRY(w->before.directional(w->before.self, scratch, q, v, lambda, J, T));
  place x = begin_place(w, scratch, q);
  memset(J + nh * nq, 0, (size_t)(w->nv * nq) * sizeof *J);
  for (int k = 0; k < w->nv; k++) {
    const row *r = &w->row[k];
    const chain *c = &w->chain[r->roller];
    double *to = J + (nh + k) * nq;
    place_chain(w, r->roller, &x);
    place_velocities(w, r->roller, v, &x);
    const dm_vec t = find_t(w, r, &x), m = find_m(w, r, &x);
    for (int i = 0; i < c->n; i++)
      to[find_coord(w, c, i)] += find_ratio(w, c, i) * find_by(r, &x, t, m, i);

    // lambda times the second derivative, by pairs of joints
    for (int b = 0; T && b < c->n; b++)
      for (int a = 0; a <= b; a++) {
        const int i = find_coord(w, c, a), j = find_coord(w, c, b);
        const double by = lambda[nh + k] * find_ratio(w, c, a) * find_ratio(w, c, b) *
                          find_by_two(r, &x, t, m, a, b);
        T[i * nq + j] += by;
        if (a != b) T[j * nq + i] += by;
      }
  }
  return DM_OK;
}

// row j of the force by joint i: t.C_j + m.W_j, differentiated
static double find_entry_by(const row *r, const place *x, dm_vec t, dm_vec m, int j, int i) {
  const dm_vec a_i = dm_cross(x->W[i], x->a);
  const dm_vec C_ij = i <= j ? dm_cross(x->W[i], x->C[j]) : dm_cross(x->W[j], x->C[i]);
  double sum = dm_dot(find_t_along(r, x, a_i), x->C[j]) + dm_dot(t, C_ij) +
               dm_dot(find_m_along(r, x, a_i), x->W[j]);
  if (i < j) sum += dm_dot(m, dm_cross(x->W[i], x->W[j]));
  return sum;
}

static dm_status contract_rolling(const void *self, void *scratch, const double *q,
                                  const double *lambda, double *H) {
  const dm_rolling *w = self;
  const int nq = w->m->nq, nh = w->before.nc;
  if (nh) DM_TRY(w->before.contract(w->before.self, scratch, q, lambda, H));
  place x = begin_place(w, scratch, q);
  for (int k = 0; k < w->nv; k++) {
    const row *r = &w->row[k];
    const chain *c = &w->chain[r->roller];
    if (lambda[nh + k] == 0) continue;
    place_chain(w, r->roller, &x);
    const dm_vec t = find_t(w, r, &x), m = find_m(w, r, &x);
    for (int j = 0; j < c->n; j++)
      for (int i = 0; i < c->n; i++)
        H[find_coord(w, c, j) * nq + find_coord(w, c, i)] += lambda[nh + k] * find_ratio(w, c, i) *
                                                             find_ratio(w, c, j) *
                                                             find_entry_by(r, &x, t, m, j, i);
  }
  return DM_OK;
}

static const char *name_row(const void *self, int i) {
  const dm_rolling *w = self;
  const int nh = w->before.nc;
  if (i < nh) return w->before.row_name(w->before.self, i);
  return w->described[w->row[i - nh].roller].name;
}

dm_holonomic dm_rolling_holonomic(const dm_rolling *w) {
  dm_block b = {0};
  place x;
  lay_out_place(&x, &b, w);
  const size_t most = b.used > w->before.scratch ? b.used : w->before.scratch;
  return (dm_holonomic){.nc = w->before.nc + w->nv,
                        .nv = w->nv,
                        .self = w,
                        .scratch = (most + 63) & ~(size_t)63,
                        .eval = eval_rolling,
                        .contract = contract_rolling,
                        .directional = directional_rolling,
                        .row_name = name_row};
}

double dm_rolling_sine(const dm_rolling *w, int i, void *scratch, const double *q) {
  const dm_roller *r = &w->described[i];
  if (r->kind != DM_ROLLING_WHEEL || is_ball(r)) return 1;
  place x = begin_place(w, scratch, q);
  place_chain(w, i, &x);
  const dm_vec across = dm_cross(x.a, x.n);
  return sqrt(dm_dot(across, across));
}
