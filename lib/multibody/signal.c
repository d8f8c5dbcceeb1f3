#include "lib/multibody/signal.h"

#include "lib/base/width.h"
#include "lib/multibody/tree_lagrangian.h"

#include <assert.h>
#include <math.h>

// -- compiling

void dm_signals_lay_out(dm_signals *w, dm_block *b) {
  const size_t n = (size_t)w->n, nq = (size_t)w->m->nq, nj = (size_t)w->m->nj;
  const size_t products = (size_t)w->products, vectors = 3 * products;
  w->signal = dm_block_alloc(b, n, sizeof *w->signal);
  w->p = dm_block_alloc(b, products, sizeof *w->p);
  w->weight = dm_block_alloc(b, products, sizeof *w->weight);
  w->of_q = dm_block_alloc(b, (size_t)w->linear * nq, sizeof *w->of_q);
  w->by = dm_block_alloc(b, w->joints, sizeof *w->by);
  w->mask = dm_block_alloc(b, n * nq, 1);
  w->seen = dm_block_alloc(b, products, sizeof *w->seen);
  w->vector = dm_block_alloc(b, vectors, sizeof *w->vector);
  w->chain = dm_block_alloc(b, products, sizeof *w->chain);
  w->link = dm_block_alloc(b, w->joints, sizeof *w->link);

  // for all signals, then for a subset
  w->place = dm_block_alloc(b, 2 * nj, sizeof *w->place);
  w->use = dm_block_alloc(b, 2 * vectors, sizeof *w->use);
}

void dm_signals_begin(dm_signals *w) {
  w->n = w->products = w->linear = 0;
  w->joints = 0;
}

dm_signal *dm_signals_add(dm_signals *w) {
  dm_signal *s = w->signal ? &w->signal[w->n] : &w->counted;
  *s = (dm_signal){.first = w->products, .of_q = -1};
  w->n++;
  return s;
}

void dm_signals_add_product(dm_signals *w, double weight, dm_vector_product p) {
  const int joints = dm_vector_product_joints(w->m, &p, NULL);
  if (joints > w->max_joints) w->max_joints = joints;
  if (w->signal) {
    w->signal[w->n - 1].count++;
    w->weight[w->products] = weight;
    p.by = w->by + w->joints;
    p.n = dm_vector_product_joints(w->m, &p, w->by + w->joints);
    w->p[w->products] = p;
  }
  w->joints += (size_t)joints;
  w->products++;
}

double *dm_signals_add_coordinates(dm_signals *w) {
  const int at = w->linear++;
  if (!w->signal) return NULL;
  w->signal[w->n - 1].of_q = at;
  return w->of_q + at * w->m->nq;
}

static bool is_same_vector(const dm_carried *a, const dm_carried *b) {
  return a->joint == b->joint && a->point == b->point && a->local.x == b->local.x &&
         a->local.y == b->local.y && a->local.z == b->local.z;
}

// index of a vector in the list; appended if new
static int find_vector(dm_signals *w, dm_carried v) {
  for (int i = 0; i < w->vectors; i++)
    if (is_same_vector(&w->vector[i], &v)) return i;
  w->vector[w->vectors] = v;
  return w->vectors++;
}

// The term with the given sign, or else the part fixed to the world.
static dm_carried find_end(const dm_body_vector *v, double sign) {
  for (int t = 0; t < 2; t++)
    if (v->joint[t] >= 0 && v->sign[t] == sign)
      return (dm_carried){v->joint[t], v->point, v->local[t]};
  return (dm_carried){-1, v->point, dm_mul(sign, v->fixed)};
}

// the joints that move a product, from its base to its tip: on the base's side from the base
// inwards
static int find_chain(dm_signals *w, const dm_vector_product *p, int base, int tip) {
  for (int c = 0; c < w->chains; c++)
    if (w->chain[c].base == base && w->chain[c].tip == tip) return c;
  dm_chain *c = &w->chain[w->chains];
  *c = (dm_chain){.base = base, .tip = tip};
  if (w->chains > 0) c->first = c[-1].first + c[-1].count;

  // bits 2 and 3 are the terms of B; the tip carries those with positive sign
  unsigned tips = 0;
  for (int t = 0; t < 2; t++)
    if (p->B.joint[t] >= 0 && p->B.sign[t] > 0) tips |= 4u << t;
  for (int side = -1; side <= 1; side += 2)
    for (int i = 0; i < p->n; i++) {
      const dm_moving_joint *by = &p->by[side > 0 ? i : p->n - 1 - i];
      if (((by->terms & tips) != 0) != (side > 0)) continue;
      w->link[c->first + c->count++] = (dm_chain_joint){.joint = by->joint,
                                                        .coord = w->m->coord[by->joint],
                                                        .rate = side * w->m->ratio[by->joint]};
    }
  return w->chains++;
}

// a product relative to the base of its chain, which carries A, and o if B is a difference of
// points
static dm_seen see_product(dm_signals *w, const dm_vector_product *p) {
  const dm_carried A = find_end(&p->A, 1), x = find_end(&p->B, 1), o = find_end(&p->B, -1);
  assert(!p->square && !p->A.point && (!x.point || o.joint == A.joint));

  // only one end can be fixed to the world
  const bool from_zero = o.joint < 0 && x.joint < 0;
  const dm_carried from = from_zero ? (dm_carried){-1, true, dm_v(0, 0, 0)} : o;
  return (dm_seen){.chain = find_chain(w, p, A.joint, x.joint),
                   .A = find_vector(w, A),
                   .x = find_vector(w, x),
                   .o = x.point ? find_vector(w, from) : -1};
}

static bool is_wanted(const dm_signals *w, int i) {
  return !w->wanted || w->wanted[i];
}

// mark a joint and its ancestors
static void mark_joints(const dm_signals *w, int j, int *marks) {
  for (; j >= 0; j = w->m->parent[j]) marks[j] = 1;
}

// replace the marks by the indices of the set marks, in order; returns their number
static int list_marks(int n, int *marks) {
  int count = 0;
  for (int i = 0; i < n; i++)
    if (marks[i]) marks[count++] = i;
  return count;
}

// joints and vectors that the wanted signals need
static void find_needs(dm_signals *w) {
  const int nj = w->m->nj;
  // 1. mark the vectors and the joints of the chains of all wanted signals
  memset(w->place, 0, (size_t)nj * sizeof *w->place);
  memset(w->use, 0, (size_t)w->vectors * sizeof *w->use);
  for (int i = 0; i < w->n; i++) {
    const dm_signal *s = &w->signal[i];
    for (int k = s->first; is_wanted(w, i) && k < s->first + s->count; k++) {
      const dm_seen *seen = &w->seen[k];
      w->use[seen->A] = w->use[seen->x] = 1;
      if (seen->o >= 0) w->use[seen->o] = 1;
      mark_joints(w, w->chain[seen->chain].tip, w->place);
      mark_joints(w, w->chain[seen->chain].base, w->place);
    }
  }
  // 2. lists of the marked indices
  w->placed = list_marks(nj, w->place);
  w->used = list_marks(w->vectors, w->use);
}

// a signal depends on the coordinates of its products' joints and those with nonzero weight
void dm_signals_finish(dm_signals *w) {
  const int n = w->m->nq;
  for (int k = 0; k < w->products; k++) w->seen[k] = see_product(w, &w->p[k]);
  for (int i = 0; i < w->n; i++) {
    const dm_signal *s = &w->signal[i];
    for (int k = s->first; k < s->first + s->count; k++)
      for (int j = 0; j < w->p[k].n; j++) w->mask[i * n + w->m->coord[w->p[k].by[j].joint]] = 1;
    for (int j = 0; s->of_q >= 0 && j < n; j++) w->mask[i * n + j] |= w->of_q[s->of_q * n + j] != 0;

    // all products of a nonlinear phi must have the same chain
    for (int k = 1; s->phi && k < s->count; k++)
      assert(w->seen[s->first + k].chain == w->seen[s->first].chain);
  }
  find_needs(w);
}

dm_signals dm_signals_part(const dm_signals *w, const bool *wanted) {
  dm_signals part = *w;
  part.wanted = wanted;
  part.place = w->place + w->m->nj;
  part.use = w->use + 3 * w->products;
  find_needs(&part);
  return part;
}

// -- evaluating

// Accumulated terms of a chain: the sums of force and D over its products, and the stiffness K
// (upper triangle). Wrenches are (moment, force).
typedef struct chain_sum {
  bool asked, bent; // has D, has K
  dm_vec force;
  dm_vec D[3]; // rows
  double K[6][6];
} chain_sum;

enum { BLOCK = 8 }; // joints of a chain processed side by side

static int find_blocks(int joints) {
  return (joints + BLOCK - 1) / BLOCK;
}

// work arrays of a call, in the caller's scratch
typedef struct signal_place {
  // kept between calls at the same q
  double *q;         // [nq]
  dm_spatial *screw; // [nj] motions of joints
  dm_vec *vector;    // [vectors] in the world
  // temporary
  dm_pose *X;           // [nj] frames of joints
  chain_sum *sum;       // [chains]
  double *along;        // [6 x width] motions of a chain's joints per unit of their coordinates, by
                        // components
  dm_spatial *response; // [max_joints] response of a chain's sums to each joint
  double *pair;         // [max_joints x width] second derivatives, lower triangle
  int width;            // joints of the longest chain, rounded up to whole blocks
} signal_place;

static void lay_out_kept(signal_place *x, dm_block *b, const dm_signals *w) {
  x->q = dm_block_alloc(b, (size_t)w->m->nq, sizeof *x->q);
  x->screw = dm_block_alloc(b, (size_t)w->m->nj, sizeof *x->screw);
  x->vector = dm_block_alloc(b, (size_t)w->vectors, sizeof *x->vector);
}

static void lay_out_place(signal_place *x, dm_block *b, const dm_signals *w) {
  x->width = find_blocks(w->max_joints) * BLOCK;
  lay_out_kept(x, b, w);
  x->X = dm_block_alloc(b, (size_t)w->m->nj, sizeof *x->X);
  x->sum = dm_block_alloc(b, (size_t)w->chains, sizeof *x->sum);
  x->along = dm_block_alloc(b, 6 * (size_t)x->width, sizeof *x->along);
  x->response = dm_block_alloc(b, (size_t)w->max_joints, sizeof *x->response);
  x->pair = dm_block_alloc(b, (size_t)(w->max_joints * x->width), sizeof *x->pair);
}

// screw of a joint with frame X: rotation about its axis, or translation along it
static dm_spatial find_screw(const dm_pose *X, bool slides) {
  const dm_vec none = {0, 0, 0};
  return slides ? (dm_spatial){none, X->z} : (dm_spatial){X->z, dm_cross(X->p, X->z)};
}

// joint screws and vectors at q; q NULL: as the last call left them
static signal_place place_signals(const dm_signals *w, void *scratch, const double *q) {
  const dm_model *m = w->m;
  dm_block b = {.base = scratch};
  signal_place x;
  lay_out_place(&x, &b, w);
  if (!q) return x;
  memcpy(x.q, q, (size_t)m->nq * sizeof *q);

  // frames and screws of the required joints, then the vectors fixed to them
  dm_tree_frames_of(m, w->placed, w->place, q, x.X);
  for (int i = 0; i < w->placed; i++)
    x.screw[w->place[i]] = find_screw(&x.X[w->place[i]], m->slides[w->place[i]]);

  for (int i = 0; i < w->used; i++) {
    const dm_carried *v = &w->vector[w->use[i]];
    dm_vec *to = &x.vector[w->use[i]];
    *to = v->local;
    if (v->joint < 0) continue;
    *to = v->point ? dm_place(&x.X[v->joint], v->local) : dm_rotate(&x.X[v->joint], v->local);
  }
  return x;
}

// value of product k
static double find_product(const dm_signals *w, const signal_place *x, int k) {
  const dm_seen *s = &w->seen[k];
  const dm_vec to = x->vector[s->x];
  return dm_dot(x->vector[s->A], s->o < 0 ? to : dm_sub(to, x->vector[s->o]));
}

// wrench F of product k
static dm_spatial find_wrench(const dm_signals *w, const signal_place *x, int k) {
  const dm_seen *s = &w->seen[k];
  const dm_vec A = x->vector[s->A], none = {0, 0, 0};
  return (dm_spatial){dm_cross(x->vector[s->x], A), s->o < 0 ? none : A};
}

// phi of a signal with its derivatives by the products; returns the first derivatives
static const double *eval_phi(const dm_signals *w, const signal_place *x, const dm_signal *r,
                              int order, double *y, double y_p[DM_SIGNAL_PRODUCTS],
                              double y_pp[DM_SIGNAL_PRODUCTS * DM_SIGNAL_PRODUCTS]) {
  // linear: the derivatives are the weights
  if (!r->phi) {
    *y = 0;
    for (int i = r->first; i < r->first + r->count; i++) *y += w->weight[i] * find_product(w, x, i);
    return w->weight + r->first;
  }

  double value[DM_SIGNAL_PRODUCTS];
  for (int i = 0; i < r->count; i++) value[i] = find_product(w, x, r->first + i);
  r->phi(r, order, value, y, y_p, y_pp);
  return y_p;
}

static bool are_finite(const double *x, int count) {
  for (int i = 0; i < count; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

// sum phi_k p_k,q = S.F: one wrench for consecutive products with the same chain
static void add_gradient(const dm_signals *w, const signal_place *x, const dm_signal *r,
                         const double *phi, double *row) {
  for (int k = 0; k < r->count;) {
    const int at = w->seen[r->first + k].chain;
    dm_spatial F = {{0, 0, 0}, {0, 0, 0}};
    for (; k < r->count && w->seen[r->first + k].chain == at; k++)
      F = dm_sadd(F, dm_smul(phi[k], find_wrench(w, x, r->first + k)));
    const dm_chain_joint *link = w->link + w->chain[at].first;
    for (int i = 0; i < w->chain[at].count; i++)
      row[link[i].coord] += link[i].rate * dm_pair(x->screw[link[i].joint], F);
  }
}

static dm_status eval_signals(const void *self, void *scratch, const double *q, double *h,
                              double *Dh) {
  const dm_signals *w = self;
  const int n = w->m->nq;
  const signal_place x = place_signals(w, scratch, q);
  dm_status status = DM_OK;
  double slopes[DM_SIGNAL_PRODUCTS];
  if (Dh) memset(Dh, 0, (size_t)w->n * (size_t)n * sizeof *Dh);

  for (int i = 0; i < w->n; i++) {
    const dm_signal *r = &w->signal[i];
    if (!is_wanted(w, i)) {
      h[i] = NAN;
      continue;
    }
    const double *phi = eval_phi(w, &x, r, Dh != NULL, &h[i], slopes, NULL);

    // linear function of the coordinates
    const double *of_q = r->of_q < 0 ? NULL : w->of_q + r->of_q * n;
    h[i] += r->shift;
    for (int j = 0; of_q && j < n; j++) h[i] += of_q[j] * x.q[j];
    for (int j = 0; of_q && Dh && j < n; j++) Dh[i * n + j] += of_q[j];
    if (!isfinite(h[i])) {
      h[i] = NAN;
      status = DM_NOT_FINITE;
    }

    // sum phi_p p_q; NAN if not finite, without effect on other signals
    const bool finite = !Dh || are_finite(phi, r->count);
    if (Dh && finite) add_gradient(w, &x, r, phi, Dh + i * n);
    for (int j = 0; !finite && j < n; j++) Dh[i * n + j] = NAN;
    if (!finite) status = DM_NOT_FINITE;
  }
  return status;
}

// -- second derivatives: accumulate over chains, then pair their joints

// add a product times its multiplier: D += x a' - (x.a) 1, force += a
static void add_moment(chain_sum *sum, dm_vec x, dm_vec a, bool point) {
  const double along = dm_dot(x, a);
  sum->D[0] = dm_add(sum->D[0], dm_v(x.x * a.x - along, x.x * a.y, x.x * a.z));
  sum->D[1] = dm_add(sum->D[1], dm_v(x.y * a.x, x.y * a.y - along, x.y * a.z));
  sum->D[2] = dm_add(sum->D[2], dm_v(x.z * a.x, x.z * a.y, x.z * a.z - along));
  if (point) sum->force = dm_add(sum->force, a);
}

// add signal i to the sums of its chains
static dm_status add_signal(const dm_signals *w, const signal_place *x, int i, double lambda) {
  double y, slopes[DM_SIGNAL_PRODUCTS], curves[DM_SIGNAL_PRODUCTS * DM_SIGNAL_PRODUCTS];
  const dm_signal *r = &w->signal[i];
  if (lambda == 0 || r->count == 0) return DM_OK;
  const double *phi = w->weight + r->first;
  if (r->phi) phi = eval_phi(w, x, r, 2, &y, slopes, curves);
  if (!are_finite(phi, r->count)) return DM_NOT_FINITE;

  // lambda phi_p enters force and D, lambda phi_pp the stiffness
  for (int k = 0; k < r->count; k++) {
    const dm_seen *s = &w->seen[r->first + k];
    chain_sum *sum = &x->sum[s->chain];
    if (!sum->asked) {
      // the first of its chain: sums of zero
      const dm_vec none = {0, 0, 0};
      sum->asked = true;
      sum->bent = false;
      sum->force = sum->D[0] = sum->D[1] = sum->D[2] = none;
    }
    add_moment(sum, x->vector[s->x], dm_mul(lambda * phi[k], x->vector[s->A]), s->o >= 0);
  }
  if (!r->phi) return DM_OK;
  chain_sum *sum = &x->sum[w->seen[r->first].chain];
  if (!sum->bent) memset(sum->K, 0, sizeof sum->K);
  sum->bent = true;

  // K += lambda sum phi_ab F_a F_b', upper triangle
  const int count = r->count;
  double F[DM_SIGNAL_PRODUCTS][6];
  for (int a = 0; a < count; a++) dm_spatial_list(find_wrench(w, x, r->first + a), F[a]);
  for (int a = 0; a < count; a++) {
    // T = lambda sum phi_ab F_b; skip rows without curvature (plane, axis of a cylinder)
    double T[6] = {0};
    bool bends = false;
    for (int b = 0; b < count; b++) {
      const double bend = lambda * curves[a * count + b];
      if (bend == 0) continue;
      bends = true;
      for (int c = 0; c < 6; c++) T[c] += bend * F[b][c];
    }
    for (int c = 0; bends && c < 6; c++)
      for (int d = c; d < 6; d++) sum->K[c][d] += F[a][c] * T[d];
  }

  return DM_OK;
}

// K S + (v x f + D w, 0)
static dm_spatial find_response(const chain_sum *s, dm_spatial S) {
  const dm_vec turn = dm_v(dm_dot(s->D[0], S.w), dm_dot(s->D[1], S.w), dm_dot(s->D[2], S.w));
  dm_spatial F = {dm_add(dm_cross(S.v, s->force), turn), {0, 0, 0}};
  if (!s->bent) return F;
  double in[6], out[6];
  dm_spatial_list(S, in);
  for (int c = 0; c < 6; c++) {
    out[c] = 0;
    for (int d = 0; d < 6; d++) out[c] += s->K[c < d ? c : d][c < d ? d : c] * in[d];
  }
  F.w = dm_add(F.w, dm_v(out[0], out[1], out[2]));
  F.v = dm_v(out[3], out[4], out[5]);
  return F;
}

// S_j.F_i for joints j <= i, in whole blocks; only w_j.F_i if `bent` is false
DM_EACH_WIDTH static void pair_joints(int count, int width, const double *restrict S,
                                      const dm_spatial *restrict F, bool bent,
                                      double *restrict out) {
  for (int i = 0; i < count; i++, out += width, F++) {
    for (int b = 0; b <= i; b += BLOCK)
      for (int j = b; j < b + BLOCK; j++)
        out[j] = S[j] * F->w.x + S[width + j] * F->w.y + S[2 * width + j] * F->w.z;
    for (int b = 0; bent && b <= i; b += BLOCK)
      for (int j = b; j < b + BLOCK; j++)
        out[j] += S[3 * width + j] * F->v.x + S[4 * width + j] * F->v.y + S[5 * width + j] * F->v.z;
  }
}

// motions of a chain's joints per unit of their coordinates, zero after its end, and the responses
static void list_motions(const dm_signals *w, const signal_place *x, int c) {
  const dm_chain_joint *link = w->link + w->chain[c].first;
  memset(x->along, 0, 6 * (size_t)x->width * sizeof *x->along);
  for (int i = 0; i < w->chain[c].count; i++) {
    const dm_spatial S = dm_smul(link[i].rate, x->screw[link[i].joint]);
    double part[6];
    dm_spatial_list(S, part);
    for (int a = 0; a < 6; a++) x->along[a * x->width + i] = part[a];
    x->response[i] = find_response(&x->sum[c], S);
  }
}

static dm_status contract_signals(const void *self, void *scratch, const double *q,
                                  const double *lambda, double *H) {
  const dm_signals *w = self;
  const signal_place x = place_signals(w, scratch, q);
  for (int c = 0; c < w->chains; c++) x.sum[c].asked = false;
  for (int i = 0; i < w->n; i++) DM_TRY(add_signal(w, &x, i, lambda[i]));
  for (int c = 0; c < w->chains; c++)
    if (x.sum[c].asked) {
      // second derivatives of a chain's sums: joint i with those between the base and i
      const dm_chain_joint *link = w->link + w->chain[c].first;
      const size_t n = (size_t)w->m->nq;
      const int count = w->chain[c].count;
      const double *pair = x.pair;
      list_motions(w, &x, c);
      pair_joints(count, x.width, x.along, x.response, x.sum[c].bent, x.pair);
      for (int i = 0; i < count; i++, pair += x.width) {
        // both orders of the two coordinates
        const size_t at = (size_t)link[i].coord;
        for (int j = 0; j < i; j++) {
          const size_t with = (size_t)link[j].coord;
          H[at * n + with] += pair[j];
          H[with * n + at] += pair[j];
        }
        H[at * n + at] += pair[i];
      }
    }
  return DM_OK;
}

// -- rates: each product separately

// work arrays of the vector products, after those kept at q
static void lay_out_products(signal_place *x, dm_vector_products *at, dm_block *b,
                             const dm_signals *w) {
  lay_out_place(x, b, w);
  dm_vector_products_lay_out(at, b, w->m, w->max_joints);
}

static dm_status eval_signals_directional(const void *self, void *scratch, const double *q,
                                          const double *a, const double *lambda, double *J,
                                          double *T) {
  const dm_signals *w = self;
  const int n = w->m->nq;

  // the workspace, then the frames of all bodies
  place_signals(w, scratch, q);
  dm_block b = {.base = scratch};
  signal_place x;
  dm_vector_products at;
  lay_out_products(&x, &at, &b, w);
  dm_tree_frames_of(w->m, w->placed, w->place, x.q, at.X);

  memset(J, 0, (size_t)w->n * (size_t)n * sizeof *J);

  // w_i p_i,qq a, and lambda times the derivative of w_i p_i,qq along a
  for (int i = 0; i < w->n; i++) {
    const dm_signal *r = &w->signal[i];
    const bool changes = !r->phi && is_wanted(w, i);
    for (int k = r->first; changes && k < r->first + r->count; k++) {
      const double weight = w->weight[k];
      dm_vector_products_place(&at, &w->p[k], 2);
      dm_vector_products_place_directional(&at, a);
      dm_vector_products_add_gradient_directional(&at, weight, J + i * n);
      if (T && lambda[i] != 0)
        dm_vector_products_add_hessian_directional(&at, lambda[i] * weight, T);
    }
  }
  return DM_OK;
}

dm_holonomic dm_signals_functions(const dm_signals *w) {
  dm_block kept = {0}, all = {0};
  signal_place x;
  dm_vector_products at;
  lay_out_kept(&x, &kept, w);
  lay_out_products(&x, &at, &all, w);
  return (dm_holonomic){.nc = w->n,
                        .self = w,
                        .scratch = (all.used + 63) & ~(size_t)63,
                        .kept = kept.used,
                        .eval = eval_signals,
                        .contract = contract_signals,
                        .directional = eval_signals_directional,
                        .mask = w->mask};
}
