#include "lib/multibody/load.h"

#include "lib/base/block.h"
#include "lib/multibody/tree_lagrangian.h"

#include <math.h>
#include <string.h>

typedef struct load {
  const char *name;
  dm_load described; // except for its name, tendon and planes
  dm_load_kind kind;
  int input;  // index of its input; -1: none
  int tendon; // index in dm_loads.tendons; -1: not along a tendon
  double damping;
  dm_vec point;         // in the frame of the joint that carries the body
  dm_vec torque, force; // of DM_WRENCH_BODY in the same frame
  int n;                // number of joints on the path from the root
  const int *joint;     // [n]
  int nplanes;          // > 0 for steering
  const dm_plane *plane;
} load;

struct dm_loads {
  const dm_model *m;
  int n, nu, max_joints;    // loads; inputs; the largest number of joints of a wrench
  size_t joints, text_size; // of all wrenches; bytes of the names
  size_t planes;            // of all steering loads
  load *load;
  int *joint;
  dm_plane *plane;
  dm_tendons *tendons;
  unsigned char *mask, *mask_u, *mask_uu;
  char *text; // names
};

// -- compiling

static bool is_wrench(const dm_load *x) {
  return x->kind <= DM_WRENCH_MIXED;
}

static bool has_tendon(const dm_load *x) {
  return x->kind == DM_DAMPER || x->kind == DM_CABLE;
}

static dm_vec to_vec(const double a[3]) {
  return dm_v(a[0], a[1], a[2]);
}

// the joints from the root to the joint that carries a body; list NULL: count only
static int list_chain(const dm_model *m, int body, int *list) {
  int n = 0, at;
  for (int j = m->body_joint[body]; j >= 0; j = m->parent[j]) n++;
  at = n;
  for (int j = m->body_joint[body]; list && j >= 0; j = m->parent[j]) list[--at] = j;
  return n;
}

static dm_status check_load(const dm_model *m, const dm_load *x, dm_message *msg) {
  // the sum detects NaN and infinity
  double sum = x->damping;
  for (int i = 0; i < 3; i++) sum += x->point[i] + x->torque[i] + x->force[i];
  if (!isfinite(sum)) return dm_fail(msg, DM_BAD_INPUT, "'%s': a number is not finite", x->name);
  if (x->damping < 0)
    return dm_fail(msg, DM_BAD_INPUT, "'%s': damping must be >= 0, got %g", x->name, x->damping);
  for (int i = 0; i < x->nplanes; i++) {
    const dm_plane *p = &x->plane[i];
    for (int k = 0; k < 2; k++)
      if (p->coord[k] < 0 || p->coord[k] >= m->nq)
        return dm_fail(msg, DM_BAD_INPUT, "'%s' refers to a coordinate that does not exist",
                       x->name);
    if (p->coord[0] == p->coord[1] || !isfinite(p->factor))
      return dm_fail(msg, DM_BAD_INPUT, "'%s' wants two coordinates and a finite factor", x->name);
  }
  if (!is_wrench(x)) return DM_OK;
  if (x->body < 0 || x->body >= m->nbody)
    return dm_fail(msg, DM_BAD_INPUT, "'%s' refers to a body that does not exist", x->name);
  if (m->body_joint[x->body] < 0)
    return dm_fail(msg, DM_BAD_INPUT, "'%s' acts on a body that nothing moves", x->name);
  return DM_OK;
}

static void lay_out_loads(void *self, dm_block *b) {
  dm_loads *c = self;
  size_t nq = (size_t)c->m->nq, nu = (size_t)c->nu;
  c->load = dm_block_alloc(b, (size_t)c->n, sizeof *c->load);
  c->joint = dm_block_alloc(b, c->joints, sizeof *c->joint);
  c->plane = dm_block_alloc(b, c->planes, sizeof *c->plane);
  c->mask = dm_block_alloc(b, nq * nq, 1);
  c->mask_u = dm_block_alloc(b, nq * nu, 1);
  c->mask_uu = dm_block_alloc(b, nu * nu, 1);
  c->text = dm_block_alloc(b, c->text_size, 1);
}

static load compile_load(const dm_model *m, const dm_load *x, int *joint) {
  load y = {.described = *x, .kind = x->kind, .joint = joint};
  y.input = y.tendon = -1; // no input, no tendon
  if (x->kind == DM_DAMPER) y.damping = x->damping;
  if (!is_wrench(x)) return y;

  // convert the point, and a wrench in the body's axes, to the frame of the joint that carries the
  // body
  const dm_pose *T = &m->body_pose[x->body];
  bool turned = x->kind == DM_WRENCH_BODY;
  y.point = dm_place(T, to_vec(x->point));
  y.torque = turned ? dm_rotate(T, to_vec(x->torque)) : to_vec(x->torque);
  y.force = turned ? dm_rotate(T, to_vec(x->force)) : to_vec(x->force);
  y.n = list_chain(m, x->body, joint);
  return y;
}

// the i-th coordinate that a load depends on, or -1
static int find_coupled(const dm_loads *c, const load *x, int i) {
  const int *coord;
  if (x->nplanes > 0) return i < 2 * x->nplanes ? x->plane[i / 2].coord[i % 2] : -1;
  if (x->tendon < 0) return i < x->n ? c->m->coord[x->joint[i]] : -1;
  return i < dm_tendons_coords(c->tendons, x->tendon, &coord) ? coord[i] : -1;
}

// a load couples all coordinates that it depends on
static void set_masks(dm_loads *c) {
  int nq = c->m->nq;
  for (const load *x = c->load; x < c->load + c->n; x++)
    for (int i = 0, a = 0; a = find_coupled(c, x, i), a >= 0; i++) {
      // all pairs of these coordinates, and each of them with the load's input
      for (int j = 0, b = 0; b = find_coupled(c, x, j), b >= 0; j++) c->mask[a * nq + b] = 1;
      if (x->input >= 0) c->mask_u[a * c->nu + x->input] = 1;
    }
}

// tendons of the loads that act along one
static dm_status add_tendons(dm_loads *c, const dm_load *list, dm_message *msg) {
  // temporary list until they are compiled
  size_t n = 0;
  dm_block b = {0};
  for (int i = 0; i < c->n; i++) n += has_tendon(&list[i]);
  if (n == 0) return DM_OK;
  dm_block_alloc(&b, n, sizeof(dm_tendon));
  if (dm_block_new(&b) != DM_OK) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  dm_tendon *along = dm_block_alloc(&b, n, sizeof *along);

  // a tendon has the name of its load, for messages
  n = 0;
  for (int i = 0; i < c->n; i++) {
    if (!has_tendon(&list[i])) continue;
    c->load[i].tendon = (int)n;
    along[n] = list[i].tendon;
    along[n].name = list[i].name;
    n++;
  }
  dm_status s = dm_tendons_new(&c->tendons, c->m, (int)n, along, msg);
  dm_block_free(along);
  return s;
}

dm_status dm_loads_new(dm_loads **out, const dm_model *m, int n, const dm_load *list,
                       dm_message *msg) {
  dm_loads sizes = {.m = m, .n = n};

  // count joints, inputs and bytes of names
  for (int i = 0; i < n; i++) {
    sizes.text_size += strlen(list[i].name) + 1;
    DM_TRY(check_load(m, &list[i], msg));
    int own = is_wrench(&list[i]) ? list_chain(m, list[i].body, NULL) : 0;
    sizes.joints += (size_t)own;
    if (own > sizes.max_joints) sizes.max_joints = own;
    sizes.nu += list[i].driven;
    sizes.planes += (size_t)list[i].nplanes;
  }
  dm_loads *c = dm_block_make(&sizes, sizeof sizes, lay_out_loads);
  if (!c) return dm_fail(msg, DM_NO_MEMORY, "out of memory");

  // number the inputs in the order of the driven loads
  int *joint = c->joint;
  dm_plane *plane = c->plane;
  int input = 0;
  char *at = c->text;
  for (int i = 0; i < n; i++) {
    size_t size = strlen(list[i].name) + 1;
    c->load[i] = compile_load(m, &list[i], joint);
    c->load[i].name = memcpy(at, list[i].name, size);
    at += size;
    joint += c->load[i].n;
    c->load[i].nplanes = list[i].nplanes;
    c->load[i].plane = plane;
    for (int k = 0; k < list[i].nplanes; k++) *plane++ = list[i].plane[k];
    if (list[i].driven) c->load[i].input = input++;
  }

  // dampers and cables act along their own tendons
  dm_status s = add_tendons(c, list, msg);
  if (s != DM_OK) {
    dm_loads_free(c);
    return s;
  }
  set_masks(c);
  *out = c;
  return DM_OK;
}

void dm_loads_free(dm_loads *c) {
  if (c) dm_tendons_free(c->tendons);
  dm_block_free(c);
}

int dm_loads_count(const dm_loads *c) {
  return c->n;
}

const char *dm_loads_name(const dm_loads *c, int i) {
  return c->load[i].name;
}

dm_load dm_loads_get(const dm_loads *c, int i) {
  const load *x = &c->load[i];
  dm_load out = x->described;
  out.name = x->name;
  out.plane = x->plane;
  if (x->tendon >= 0) out.tendon = dm_tendons_described(c->tendons, x->tendon);
  return out;
}

dm_load_place dm_loads_place(const dm_loads *c, int i) {
  const load *x = &c->load[i];
  return (dm_load_place){.kind = x->kind,
                         .input = x->input,
                         .joint = x->n > 0 ? x->joint[x->n - 1] : -1,
                         .point = x->point,
                         .torque = x->torque,
                         .force = x->force,
                         .tendon = x->tendon,
                         .damping = x->damping};
}

const dm_tendons *dm_loads_tendons(const dm_loads *c) {
  return c->tendons;
}

// "N s/m" if all planes are lengths, "N m s" if all are angles, for factors of size 1; else none
static const char *find_steering_unit(const dm_model *m, const load *x) {
  bool one = true, slides = true, turns = true;
  for (int i = 0; i < x->nplanes; i++) {
    one = one && fabs(x->plane[i].factor) == 1;
    for (int k = 0; k < 2; k++) {
      slides = slides && m->kind[x->plane[i].coord[k]] == DM_SLIDE;
      turns = turns && m->kind[x->plane[i].coord[k]] == DM_TURN;
    }
  }
  if (one && slides) return "N s/m";
  return one && turns ? "N m s" : "1";
}

const char *dm_loads_unit(const dm_loads *c, int i) {
  const load *x = c->load;
  while (x->input != i) x++; // find the load that has this input
  if (x->kind == DM_STEERING) return find_steering_unit(c->m, x);

  // a wrench has a unit if u = 1 is a unit force (N) or a unit torque (N m); mixed wrenches have
  // none
  double force = sqrt(dm_dot(x->force, x->force)), torque = sqrt(dm_dot(x->torque, x->torque));
  if (x->kind == DM_CABLE || fabs(force - 1) < 1e-9) return "N";
  return force == 0 && fabs(torque - 1) < 1e-9 ? "N m" : "1";
}

// -- evaluating

typedef struct work {
  const dm_loads *c;
  dm_pose *X;                 // joint frames [nj]
  dm_spatial W, *S, *W_i, *Y; // wrench, joint screws, derivative of the wrench by each joint,
                              // derivative of V
  double *a, *b, *w;          // [nq]
  void *tendons;
} work;

static work open_work(const dm_loads *c, dm_block *b) {
  size_t joints = (size_t)c->max_joints, nq = (size_t)c->m->nq;
  work w = {.c = c};
  w.X = dm_block_alloc(b, (size_t)c->m->nj, sizeof *w.X);
  w.S = dm_block_alloc(b, joints, sizeof *w.S);
  w.W_i = dm_block_alloc(b, joints, sizeof *w.W_i);
  w.Y = dm_block_alloc(b, joints, sizeof *w.Y);
  w.a = dm_block_alloc(b, nq, sizeof *w.a);
  w.b = dm_block_alloc(b, nq, sizeof *w.b);
  w.w = dm_block_alloc(b, nq, sizeof *w.w);
  w.tendons = dm_block_alloc(b, c->tendons ? dm_tendons_scratch(c->tendons) : 0, 1);
  return w;
}

static work begin_evaluation(const dm_loads *c, void *scratch, const double *q) {
  dm_block b = {.base = scratch};
  work w = open_work(c, &b);
  if (c->max_joints > 0) dm_tree_frames(c->m, q, w.X);
  if (c->tendons) dm_tendons_place(c->tendons, w.tendons, q);
  return w;
}

static dm_spatial force_at(dm_vec torque, dm_vec force) {
  return (dm_spatial){torque, force};
}

// The wrench, its joint screws, and its derivative by each joint. Moments are taken about the
// current position O of the point, to keep accuracy far from the world's origin.
static void place_wrench(work *w, const load *x) {
  const dm_model *m = w->c->m;
  const dm_vec none = {0, 0, 0};
  const dm_pose *T = &w->X[x->joint[x->n - 1]]; // frame of the joint that carries the body
  dm_vec O = dm_place(T, x->point);

  // W about O: unchanged for mixed, rotated for body, shifted for world
  w->W = force_at(x->torque, x->force);
  if (x->kind == DM_WRENCH_BODY) w->W = force_at(dm_rotate(T, x->torque), dm_rotate(T, x->force));
  if (x->kind == DM_WRENCH_WORLD) w->W.w = dm_sub(x->torque, dm_cross(O, x->force));

  // S_i and W_i, the derivative of the wrench by joint i
  for (int i = 0; i < x->n; i++) {
    int j = x->joint[i];
    dm_vec z = w->X[j].z;
    w->S[i] = m->slides[j] ? force_at(none, z) : force_at(z, dm_cross(dm_sub(w->X[j].p, O), z));
    w->W_i[i] = force_at(none, none);
    // a body wrench moves with the body; for a mixed wrench only the moment changes, as its point
    // moves
    if (x->kind == DM_WRENCH_BODY) w->W_i[i] = dm_dual(w->S[i], w->W);
    if (x->kind == DM_WRENCH_MIXED) w->W_i[i].w = dm_cross(w->S[i].v, w->W.v);
  }
}

// second derivative of W by joints i and k, i at or above k
static dm_spatial wrench_by_two(const work *w, const load *x, int i, int k) {
  dm_spatial none = {{0, 0, 0}, {0, 0, 0}};
  // W_ik = S_i x* W_k; for a mixed wrench from the second derivative S_i.w x S_k.v of the point
  if (x->kind == DM_WRENCH_BODY) return dm_dual(w->S[i], w->W_i[k]);
  if (x->kind == DM_WRENCH_MIXED) none.w = dm_cross(dm_cross(w->S[i].w, w->S[k].v), w->W.v);
  return none;
}

// r f of a wrench and its derivatives; r is its input, or 1
static void add_wrench(work *w, const load *x, int order, double r, dm_force_jet *out) {
  const dm_model *m = w->c->m;
  place_wrench(w, x);
  for (int j = 0; j < x->n; j++) {
    // f_j = S_j.W
    int at = m->coord[x->joint[j]];
    double ratio = m->ratio[x->joint[j]];
    double f = ratio * dm_pair(w->S[j], w->W); // conjugate to the coordinate: ratio S.W
    out->f[at] += r * f;
    if (order < 2) continue;
    if (x->input >= 0) out->f_u[at * w->c->nu + x->input] += f;

    // f_j,i = S_j.W_i + [S_i,S_j].W, as joint i moves the screw of j
    for (int i = 0; i < x->n; i++) {
      double f_i = dm_pair(w->S[j], w->W_i[i]);
      // only joints above j move the screw of j
      if (i < j) f_i += dm_pair(dm_bracket(w->S[i], w->S[j]), w->W);
      out->f_q[at * m->nq + m->coord[x->joint[i]]] += r * ratio * m->ratio[x->joint[i]] * f_i;
    }
  }
}

static void contract_wrench(work *w, const load *x, double r, const double *mu,
                            dm_force_hessian *out) {
  const dm_model *m = w->c->m;
  const int *joint = x->joint, n = x->n;
  dm_spatial V = {{0, 0, 0}, {0, 0, 0}};
  place_wrench(w, x);

  // tip to root: Y_i = [S_i,V] with V the sum over the joints below i; after the loop V is complete
  for (int i = n - 1; i >= 0; i--) {
    int j = joint[i];
    w->Y[i] = dm_bracket(w->S[i], V);
    V = dm_sadd(V, dm_smul(m->ratio[j] * mu[m->coord[j]], w->S[i])); // V = sum mu_j S_j
  }

  for (int k = 0; k < n; k++) {
    // derivative by q_k, and by q_k and the input: Y_k.W + V.W_k
    int ck = m->coord[joint[k]];
    // (V.W)_k = V_k.W + V.W_k
    double by_k = dm_pair(w->Y[k], w->W) + dm_pair(V, w->W_i[k]);
    if (x->input >= 0) out->qu[ck * w->c->nu + x->input] += m->ratio[joint[k]] * by_k;

    // (V.W)_ik = V_ik.W + V_i.W_k + V_k.W_i + V.W_ik
    for (int i = 0; i <= k; i++) {
      int ci = m->coord[joint[i]];
      double by_both = dm_pair(dm_bracket(w->S[i], w->Y[k]), w->W) + dm_pair(w->Y[i], w->W_i[k]) +
                       dm_pair(w->Y[k], w->W_i[i]) + dm_pair(V, wrench_by_two(w, x, i, k));
      // symmetric: i above k, then the transposed entry
      by_both *= r * m->ratio[joint[i]] * m->ratio[joint[k]];
      out->qq[ci * m->nq + ck] += by_both;
      if (i != k) out->qq[ck * m->nq + ci] += by_both;
    }
  }
}

static double sum_rates(const dm_tendon_value *s, const double *x) {
  // s_q.x: rate of change of the length for velocities x
  double sum = 0;
  for (int i = 0; i < s->n; i++) sum += s->s_q[i] * x[s->coord[i]];
  return sum;
}

// y = s_qq x, in the tendon's own coordinates
static void multiply_tendon_hessian(const dm_tendon_value *s, const double *x, double *y) {
  for (int i = 0; i < s->n; i++) {
    y[i] = 0;
    for (int j = 0; j < s->n; j++) y[i] += s->s_qq[i * s->n + j] * x[s->coord[j]];
  }
}

// Tension c s_q.v of a damper, or 1 of a cable; f = -tension s_q.
static double find_tension(const load *x, const dm_tendon_value *s, const double *v) {
  return x->kind == DM_DAMPER ? x->damping * sum_rates(s, v) : 1;
}

// r f and its derivatives
static dm_status add_tendon_force(work *w, const load *x, int order, double r, const double *q,
                                  const double *v, dm_force_jet *out) {
  const dm_loads *c = w->c;
  dm_tendon_value s;
  DM_TRY(dm_tendons_eval(c->tendons, w->tendons, x->tendon, order, q, NULL, &s));
  double tension = find_tension(x, &s, v); // positive tension shortens the tendon
  if (order >= 2) multiply_tendon_hessian(&s, v, w->a);

  // f = -tension s_q; f_q = -tension s_qq - c s_q (s_qq v)', f_v = -c s_q s_q'
  for (int i = 0; i < s.n; i++) {
    int at = s.coord[i];
    out->f[at] -= r * tension * s.s_q[i];
    if (order < 2) continue;
    if (x->input >= 0) out->f_u[at * c->nu + x->input] -= tension * s.s_q[i];
    for (int j = 0; j < s.n; j++) {
      int k = at * c->m->nq + s.coord[j];
      out->f_q[k] -= r * (tension * s.s_qq[i * s.n + j] + x->damping * s.s_q[i] * w->a[j]);
      out->f_v[k] -= r * x->damping * s.s_q[i] * s.s_q[j];
    }
  }
  return DM_OK;
}

// with m = s_q.mu, a = s_qq v, b = s_qq mu: mu.f = -tension m has the gradient -(tension b + c m a)
// and the second derivatives -(s_qqq along tension mu + c m v) - c (a b' + b a')
static dm_status contract_tendon_force(work *w, const load *x, double r, const double *q,
                                       const double *v, const double *mu, dm_force_hessian *out) {
  const dm_loads *c = w->c;
  int nq = c->m->nq;
  dm_tendon_value s;
  DM_TRY(dm_tendons_eval(c->tendons, w->tendons, x->tendon, 2, q, NULL, &s));
  double m = sum_rates(&s, mu), tension = find_tension(x, &s, v), d = x->damping;
  multiply_tendon_hessian(&s, v, w->a);
  multiply_tendon_hessian(&s, mu, w->b);

  // s_qqq along w = tension mu + c m v: it is linear in its direction, so one contraction gives
  // both terms
  for (int i = 0; i < nq; i++) w->w[i] = tension * mu[i] + d * m * v[i];
  DM_TRY(dm_tendons_eval(c->tendons, w->tendons, x->tendon, 3, q, w->w, &s));

  for (int i = 0; i < s.n; i++) {
    // by q and the input: the gradient of mu.f without the factor r
    int at = s.coord[i];
    if (x->input >= 0) {
      out->qu[at * c->nu + x->input] -= tension * w->b[i] + d * m * w->a[i];
      out->vu[at * c->nu + x->input] -= d * m * s.s_q[i];
    }

    // by q and q, and by q and v
    for (int j = 0; j < s.n; j++) {
      int k = at * nq + s.coord[j], ij = i * s.n + j;
      // outer products from the derivative c s_qq v of the tension
      out->qq[k] -= r * (s.s_qqa[ij] + d * (w->a[i] * w->b[j] + w->b[i] * w->a[j]));
      // mu.f by q and v: c (m s_qq + b s_q')
      out->qv[k] -= r * d * (m * s.s_qq[ij] + w->b[i] * s.s_q[j]);
    }
  }
  return DM_OK;
}

static double input_value(const load *x, const double *u) {
  return x->input < 0 ? 1 : u[x->input]; // undriven loads have factor 1
}

static dm_status eval_loads(const void *self, void *scratch, int order, const double *q,
                            const double *v, const double *u, dm_force_jet *out) {
  const dm_loads *c = self;
  work w = begin_evaluation(c, scratch, q);
  for (const load *x = c->load; x < c->load + c->n; x++) {
    if (x->kind == DM_STEERING)
      dm_steering_add(x->nplanes, x->plane, c->m->nq, order, input_value(x, u), x->input, c->nu, v,
                      out);
    else if (x->tendon < 0)
      add_wrench(&w, x, order, input_value(x, u), out);
    else
      DM_TRY(add_tendon_force(&w, x, order, input_value(x, u), q, v, out));
  }
  return DM_OK;
}

static dm_status contract_loads(const void *self, void *scratch, const double *q, const double *v,
                                const double *u, const double *mu, dm_force_hessian *out) {
  const dm_loads *c = self;
  work w = begin_evaluation(c, scratch, q);
  for (const load *x = c->load; x < c->load + c->n; x++) {
    if (x->kind == DM_STEERING)
      dm_steering_contract(x->nplanes, x->plane, x->input, c->nu, mu, out);
    else if (x->tendon < 0)
      contract_wrench(&w, x, input_value(x, u), mu, out);
    else
      DM_TRY(contract_tendon_force(&w, x, input_value(x, u), q, v, mu, out));
  }
  return DM_OK;
}

int dm_loads_undefined(const dm_loads *c, void *scratch, const double *q) {
  work w = begin_evaluation(c, scratch, q);
  dm_tendon_value s;
  for (int i = 0; i < c->n; i++) {
    int k = c->load[i].tendon;
    if (k >= 0 && dm_tendons_eval(c->tendons, w.tendons, k, 2, q, NULL, &s) != DM_OK) return i;
  }
  return -1;
}

dm_force dm_loads_force(const dm_loads *c) {
  dm_block b = {0};
  open_work(c, &b);
  return (dm_force){.nu = c->nu,
                    .mask = c->mask,
                    .mask_u = c->mask_u,
                    .mask_uu = c->mask_uu,
                    .self = c,
                    .scratch = (b.used + 63) & ~(size_t)63,
                    .eval = eval_loads,
                    .contract = contract_loads};
}
