#include "lib/multibody/vector_product.h"

// returns true if joint j is i or an ancestor of i
static bool is_above(const dm_model *m, int j, int i) {
  while (i > j) i = m->parent[i];
  return i == j;
}

// add a point or direction of a body, given in its frame
static void add_term(const dm_model *m, dm_body_vector *v, int body, dm_vec local, double sign) {
  const dm_pose *T = body < 0 ? &dm_identity : &m->body_pose[body];
  int joint = body < 0 ? -1 : m->body_joint[body];
  dm_vec x = v->point ? dm_place(T, local) : dm_rotate(T, local);

  // parts of fixed bodies belong to the world
  if (joint < 0) {
    v->fixed = dm_add(v->fixed, dm_mul(sign, x));
    return;
  }
  int t = v->joint[0] >= 0; // first free term
  v->joint[t] = joint;
  v->local[t] = x;
  v->sign[t] = sign;
}

dm_body_vector dm_body_vector_difference(const dm_model *m, int body0, const double x0[3],
                                         int body1, const double x1[3]) {
  dm_body_vector v = {.joint = {-1, -1}, .point = true};
  add_term(m, &v, body0, dm_v(x0[0], x0[1], x0[2]), 1);
  add_term(m, &v, body1, dm_v(x1[0], x1[1], x1[2]), -1);
  return v;
}

dm_segment dm_body_vector_segment(const dm_body_vector *difference) {
  // the part fixed to the world is one of the ends, with its sign
  const dm_vec fixed = difference->fixed;
  dm_segment line = {.joint = {-1, -1}, .end = {fixed, dm_mul(-1, fixed)}};
  for (int t = 0; t < 2; t++) {
    if (difference->joint[t] < 0) continue;
    const int side = difference->sign[t] < 0;
    line.joint[side] = difference->joint[t];
    line.end[side] = difference->local[t];
  }
  return line;
}

dm_body_vector dm_body_vector_direction(const dm_model *m, int body, dm_vec d) {
  dm_body_vector v = {.joint = {-1, -1}};
  add_term(m, &v, body, d, 1);
  return v;
}

// returns true if joints carry all ends of a vector, so that it rotates with a joint that carries
// all
static bool is_carried(const dm_body_vector *v) {
  return v->joint[0] >= 0 && (!v->point || v->joint[1] >= 0);
}

int dm_vector_product_joints(const dm_model *m, const dm_vector_product *p, dm_moving_joint *list) {
  int n = 0;
  static const int none[2] = {-1, -1};
  const int *a = p->A.joint;
  const int *b = p->square ? none : p->B.joint;
  // a joint changes the product if it is at or above the joint of one of the four terms
  const int tip[] = {a[0], a[1], b[0], b[1]};

  // but not if it carries all of them
  unsigned ends = 0;
  for (int t = 0; t < 4; t++)
    if (tip[t] >= 0) ends |= 1u << t;
  const bool carried = is_carried(&p->A) && (p->square || is_carried(&p->B));

  for (int j = 0; j < m->nj; j++) {
    // terms carried by joint j
    unsigned terms = 0;
    for (int t = 0; t < 4; t++)
      if (tip[t] >= 0 && is_above(m, j, tip[t])) terms |= 1u << t;
    if (terms == 0 || (carried && terms == ends)) continue;
    if (list) list[n] = (dm_moving_joint){j, terms};
    n++;
  }
  return n;
}

void dm_vector_products_lay_out(dm_vector_products *w, dm_block *b, const dm_model *m, int joints) {
  size_t n = (size_t)joints;
  w->m = m;
  w->X = dm_block_alloc(b, (size_t)m->nj, sizeof *w->X);
  for (int v = 0; v < 2; v++) {
    dm_moved_vector *x = &w->own[v];
    dm_vec **arrays[] = {&x->d, &x->dd, &x->e, &x->de};
    for (int i = 0; i < 4; i++) *arrays[i] = dm_block_alloc(b, n, sizeof(dm_vec));
  }
  w->w = dm_block_alloc(b, n, sizeof(dm_vec));
  w->dw = dm_block_alloc(b, n, sizeof(dm_vec));
  w->rate = dm_block_alloc(b, n, sizeof(double));
}

// term t of a vector, without its sign
static dm_vec find_term(const dm_vector_products *w, const dm_body_vector *v, int t) {
  const dm_pose *T = &w->X[v->joint[t]];
  return v->point ? dm_place(T, v->local[t]) : dm_rotate(T, v->local[t]);
}

// the sum of its terms
static dm_vec find_vector_sum(const dm_vector_products *w, const dm_body_vector *v) {
  dm_vec x = v->fixed;
  for (int t = 0; t < 2; t++)
    if (v->joint[t] >= 0) x = dm_add(x, dm_mul(v->sign[t], find_term(w, v, t)));
  return x;
}

double dm_vector_products_value(const dm_vector_products *w, const dm_vector_product *p) {
  const dm_vec x = find_vector_sum(w, &p->A);
  return dm_dot(x, p->square ? x : find_vector_sum(w, &p->B));
}

// a vector and its first derivatives; shift: position of its terms in the bits
static const dm_moved_vector *find_vector_derivatives(const dm_vector_products *w,
                                                      const dm_body_vector *v, int shift, int order,
                                                      dm_moved_vector *out) {
  const dm_vector_product *p = w->p;
  out->x = v->fixed;
  for (int i = 0; i < p->n; i++) out->d[i] = dm_v(0, 0, 0);

  for (int t = 0; t < 2; t++) {
    if (v->joint[t] < 0) continue;
    dm_vec x = find_term(w, v, t);
    out->x = dm_add(out->x, dm_mul(v->sign[t], x));

    // x_j = w_j x (x - p_j), for a direction w_j x x; prismatic: the axis, for a direction 0
    for (int i = 0; i < p->n; i++) {
      // 0 unless joint j carries this term
      if (!(p->by[i].terms >> (shift + t) & 1)) continue;
      int j = p->by[i].joint;
      const dm_pose *X = &w->X[j];
      dm_vec d = dm_v(0, 0, 0);
      if (!w->m->slides[j])
        d = dm_cross(X->z, v->point ? dm_sub(x, X->p) : x);
      else if (v->point)
        d = X->z;
      out->d[i] = dm_add(out->d[i], dm_mul(v->sign[t], d));
    }
  }

  // x_j + x x w_j, for second derivatives
  for (int i = 0; order > 1 && i < p->n; i++)
    out->e[i] = dm_add(out->d[i], dm_cross(out->x, w->w[i]));
  return out;
}

void dm_vector_products_place(dm_vector_products *w, const dm_vector_product *p, int order) {
  w->p = p;
  // rotation axes; zero for prismatic joints
  for (int i = 0; order > 1 && i < p->n; i++) {
    int j = p->by[i].joint;
    w->w[i] = w->m->slides[j] ? dm_v(0, 0, 0) : w->X[j].z;
  }
  w->A = find_vector_derivatives(w, &p->A, 0, order, &w->own[0]);
  w->B = p->square ? w->A : find_vector_derivatives(w, &p->B, 2, order, &w->own[1]);
}

// derivative of x_j along a: turn x x_j with the rotation of all joints at or above j, and w_j x
// the change of x by the joints below j
static void find_change(const dm_vector_products *w, dm_moved_vector *x) {
  const dm_moving_joint *by = w->p->by;
  int n = w->p->n;
  x->dx = dm_v(0, 0, 0);
  for (int j = 0; j < n; j++) {
    // rotation of the joints at and above j, change of x by those below
    dm_vec turn = dm_v(0, 0, 0);
    dm_vec below = dm_v(0, 0, 0);
    for (int i = 0; i < n; i++) {
      // only joints that carry the same end interact
      if (!(by[i].terms & by[j].terms)) continue;
      if (i <= j)
        turn = dm_add(turn, dm_mul(w->rate[i], w->w[i]));
      else
        below = dm_add(below, dm_mul(w->rate[i], x->d[i]));
    }

    // w_j rotates with it, x_j changes by both; x changes by all joints
    w->dw[j] = dm_cross(turn, w->w[j]);
    x->dd[j] = dm_add(dm_cross(turn, x->d[j]), dm_cross(w->w[j], below));
    x->dx = dm_add(x->dx, dm_mul(w->rate[j], x->d[j]));
  }

  // derivative of x_j + x x w_j
  for (int j = 0; j < n; j++)
    x->de[j] = dm_add(x->dd[j], dm_add(dm_cross(x->dx, w->w[j]), dm_cross(x->x, w->dw[j])));
}

void dm_vector_products_place_directional(dm_vector_products *w, const double *a) {
  const dm_vector_product *p = w->p;
  for (int i = 0; i < p->n; i++) {
    int j = p->by[i].joint;
    w->rate[i] = w->m->ratio[j] * a[w->m->coord[j]]; // velocity of joint j along a
  }
  find_change(w, &w->own[0]);
  if (!p->square) find_change(w, &w->own[1]);
}

void dm_vector_products_add_gradient(const dm_vector_products *w, double scale, double *D) {
  const dm_model *m = w->m;
  for (int i = 0; i < w->p->n; i++) {
    int j = w->p->by[i].joint;
    D[m->coord[j]] += scale * m->ratio[j] * dm_vector_product_by(w, i);
  }
}

void dm_vector_products_add_gradient_directional(const dm_vector_products *w, double scale,
                                                 double *D) {
  const dm_model *m = w->m;
  for (int i = 0; i < w->p->n; i++) {
    int j = w->p->by[i].joint;
    D[m->coord[j]] += scale * m->ratio[j] * dm_vector_product_by_directional(w, i);
  }
}

// derivative by joints i and j, added to the coordinates that these follow
static inline void add_by_two(const dm_vector_products *w, int i, int j, double h, double *H) {
  const dm_model *m = w->m;
  const int a = w->p->by[i].joint, b = w->p->by[j].joint;
  h *= m->ratio[a] * m->ratio[b];
  H[m->coord[a] * m->nq + m->coord[b]] += h;
  if (i != j) H[m->coord[b] * m->nq + m->coord[a]] += h;
}

void dm_vector_products_add_hessian(const dm_vector_products *w, double scale, double *H) {
  for (int i = 0; i < w->p->n; i++)
    for (int j = 0; j <= i; j++) add_by_two(w, i, j, scale * dm_vector_product_by_two(w, i, j), H);
}

void dm_vector_products_add_hessian_directional(const dm_vector_products *w, double scale,
                                                double *H) {
  for (int i = 0; i < w->p->n; i++)
    for (int j = 0; j <= i; j++)
      add_by_two(w, i, j, scale * dm_vector_product_by_two_directional(w, i, j), H);
}
