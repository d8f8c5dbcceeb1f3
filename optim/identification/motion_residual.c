#include "optim/identification/motion_residual.h"

#include "lib/base/dense.h"
#include "lib/multibody/ball_joint.h"
#include "lib/multibody/chain_rule.h"
#include "lib/multibody/tree_lagrangian.h"
#include "optim/identification/link_inertia.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SHARE = 1e-3; // of a parameter's size: the differences of parts and lengths

// A robot with another value of one parameter, a length or a parameter of a part.
typedef struct variant {
  dm_robot robot;
  dm_interval *interval;
  double value;
} variant;

// The chain rule from the tree's coordinates to those of the residual.
typedef struct ball_maps {
  const dm_model *tree;
  int nc;
  dm_chain_rule rule;
  dm_chained at;
  double *Lq, *Lv; // [n x nc] in coordinates of the residual
} ball_maps;

struct oc_motion_residual {
  const oc_fit_parameters *x;
  int n, nt, nc, nvariant; // coordinates, those of the tree, coefficients, changed robots
  double h;
  dm_robot robot;
  dm_interval *interval;
  variant *variants;         // [2 nvariant] below and above
  int *varied;               // [nvariant] parameters
  double *theta;             // [count]
  double *D1, *D2, *Y1, *Y2; // [n], [n x nc]
  double *Lq, *Lv;           // [nt x nc] L_q and L_v of the tree by coefficients
  double *dry;               // [nt]
  double *vv;                // [nt x nt] scratch
  double *q, *v;             // [n] of a point of the rule
  double *vt, *mut;          // [nt] of the tree
  ball_maps *balls;          // NULL: the tree has no ball joints
  dm_pose *X;                // [nj]
  dm_spatial *S, *Sd, *V;    // [nj]
  double *information;       // scratch of oc_motion_residual_information
};

// -- construction

static void free_machine(oc_motion_residual *w) {
  dm_interval_free(w->interval);
  w->interval = NULL;
  dm_robot_free(&w->robot);
  for (variant *a = w->variants; a && a < w->variants + 2 * w->nvariant; a++) {
    dm_interval_free(a->interval);
    dm_robot_free(&a->robot);
    *a = (variant){0};
  }
}

void oc_motion_residual_free(oc_motion_residual *w) {
  if (!w) return;
  free_machine(w);
  free(w->variants);
  free(w->varied);
  free(w->theta);
  dm_block_free(w->balls);
  free(w->X);
  free(w->S);
  free(w->information);
  free(w);
}

static bool is_varied(const oc_fit_parameter *p) {
  const bool other = p->kind == OC_FIT_LENGTH || p->kind >= OC_FIT_PART;
  return other && oc_fit_parameter_joint(p) == DM_JOINT_KINDS;
}

// theta of a parameter moved to a side, within its bounds
static double move_aside(const oc_fit_parameter *p, double theta, int side) {
  const double step = SHARE * p->size;
  return side == 0 ? fmax(p->low, theta - step) : fmin(p->high, theta + step);
}

// the robots with varied parameter i moved to both sides, which are made at the first call
static dm_status make_variants(oc_motion_residual *w, int i) {
  const int k = w->varied[i];
  const double theta = w->theta[k];
  for (int side = 0; side < 2; side++) {
    variant *a = &w->variants[2 * i + side];
    w->theta[k] = a->value = move_aside(&w->x->list[k], theta, side);
    dm_status s = DM_OK;
    if (a->interval)
      oc_fit_parameters_put(w->x, w->theta, &a->robot);
    else
      s = oc_fit_parameters_robot(&a->robot, w->x, w->theta, w->dry);
    w->theta[k] = theta;
    DM_TRY(s);
    if (a->interval) continue;
    const dm_system of = dm_robot_system(&a->robot);
    DM_TRY(dm_interval_new(&a->interval, &of));
  }
  return DM_OK;
}

static dm_status make_machine(oc_motion_residual *w) {
  free_machine(w);
  DM_TRY(oc_fit_parameters_robot(&w->robot, w->x, w->theta, w->dry));
  const dm_system s = dm_robot_system(&w->robot);
  DM_TRY(dm_interval_new(&w->interval, &s));
  w->interval->by_step = false;
  for (int i = 0; i < w->nvariant; i++) DM_TRY(make_variants(w, i));
  return DM_OK;
}

static void lay_out_balls(void *self, dm_block *b) {
  ball_maps *w = self;
  dm_chain_rule_lay_out(&w->rule, b, w->tree);
  dm_chained_lay_out(&w->at, b, &w->rule);
  w->Lq = dm_block_alloc(b, 2 * (size_t)(w->rule.n * w->nc) + 2, sizeof *w->Lq);
  if (w->Lq) w->Lv = w->Lq + w->rule.n * w->nc;
}

static dm_status make_balls(oc_motion_residual *w) {
  const dm_model *tree = w->x->robot.tree;
  ball_maps sizes = {.tree = tree, .nc = w->nc};
  if (!tree->nball) return DM_OK;
  w->balls = dm_block_make(&sizes, sizeof sizes, lay_out_balls);
  if (!w->balls) return DM_NO_MEMORY;
  dm_chain_rule_set(&w->balls->rule, tree);
  return DM_OK;
}

static dm_status allocate(oc_motion_residual *w) {
  const oc_fit_parameters *x = w->x;
  const size_t n = (size_t)w->n, nt = (size_t)w->nt, nj = (size_t)x->robot.tree->nj;
  const size_t count = (size_t)x->count, forms = n * (size_t)w->nc, inner = nt * (size_t)w->nc;
  w->varied = calloc(count + 1, sizeof *w->varied);
  for (int k = 0; w->varied && k < x->count; k++)
    if (is_varied(&x->list[k])) w->varied[w->nvariant++] = k;
  w->variants = calloc(2 * (size_t)w->nvariant + 1, sizeof *w->variants);
  double *a = w->theta =
      calloc(count + 4 * n + 3 * nt + 2 * forms + 2 * inner + nt * nt + 1, sizeof *w->theta);
  w->X = calloc(nj, sizeof *w->X);
  w->S = calloc(3 * nj, sizeof *w->S);
  if (!w->varied || !w->variants || !a || !w->X || !w->S) return DM_NO_MEMORY;
  w->D1 = a += count, w->D2 = a += n, w->q = a += n, w->v = a += n, w->dry = a += n;
  w->vt = a += nt, w->mut = a += nt, w->Y1 = a += nt, w->Y2 = a += forms;
  w->Lq = a += forms, w->Lv = a += inner, w->vv = a + inner;
  w->Sd = w->S + nj, w->V = w->Sd + nj;
  return make_balls(w);
}

dm_status oc_motion_residual_new(oc_motion_residual **out, const oc_fit_parameters *x, double h,
                                 const double *dry, dm_message *msg) {
  assert(out && x && h > 0 && dry);
  oc_motion_residual *w = *out = calloc(1, sizeof *w);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  const dm_robot *r = &x->robot;
  *w = (oc_motion_residual){
      .x = x, .n = r->model->nq, .nt = r->tree->nq, .nc = x->coefficients, .h = h};
  dm_status s = allocate(w);
  if (s == DM_OK) {
    for (int i = 0; i < w->nt; i++) w->dry[i] = dry[dm_ball_outside(r->tree, i)];
    oc_fit_parameters_start(x, w->theta);
    s = make_machine(w);
  }
  if (s == DM_OK) return DM_OK;
  oc_motion_residual_free(w);
  *out = NULL;
  return dm_fail(msg, s, "the robot of the fit cannot be made: %s", dm_status_text(s));
}

dm_status oc_motion_residual_set(oc_motion_residual *w, const double *theta) {
  memcpy(w->theta, theta, (size_t)w->x->count * sizeof *theta);
  if (oc_fit_parameters_rebuild(w->x)) return make_machine(w);
  oc_fit_parameters_put(w->x, theta, &w->robot);
  for (int i = 0; i < w->nvariant; i++) DM_TRY(make_variants(w, i));
  return DM_OK;
}

// -- derivatives by the inertial parameters of links

// frames, screws and velocities at (q,v) of the tree
static void find_screws(oc_motion_residual *w, const double *q, const double *v) {
  const dm_model *m = w->robot.tree;
  dm_tree_frames(m, q, w->X);
  const dm_vec o = w->X[m->origin].p;
  for (int j = 0; j < m->nj; j++) {
    const dm_vec z = w->X[j].z, at = dm_sub(w->X[j].p, o);
    const dm_spatial S = m->slides[j] ? (dm_spatial){.v = z} : (dm_spatial){z, dm_cross(at, z)};
    dm_spatial V = dm_smul(m->ratio[j] * v[m->coord[j]], S);
    if (m->parent[j] >= 0) V = dm_sadd(V, w->V[m->parent[j]]);
    w->S[j] = S;
    w->Sd[j] = dm_bracket(V, S);
    w->V[j] = V;
  }
}

// a motion about o, in the axes of T and about its origin
static dm_spatial move_motion(const dm_pose *T, dm_vec o, dm_spatial A) {
  const dm_vec at = dm_sub(T->p, o);
  return (dm_spatial){dm_unrotate(T, A.w), dm_unrotate(T, dm_add(A.v, dm_cross(A.w, at)))};
}

// X.h(e) for the ten unit parameters e of a body with velocity V, both in its frame
static void pair_units(dm_spatial X, dm_spatial V, double y[OC_LINK]) {
  const dm_vec a = X.w, l = X.v, b = V.w, v = V.v;
  const dm_vec c = dm_add(dm_cross(l, b), dm_cross(v, a));
  const double all[OC_LINK] = {dm_dot(l, v),
                               c.x,
                               c.y,
                               c.z,
                               a.x * b.x,
                               a.y * b.y,
                               a.z * b.z,
                               a.x * b.y + a.y * b.x,
                               a.x * b.z + a.z * b.x,
                               a.y * b.z + a.z * b.y};
  memcpy(y, all, sizeof all);
}

// L_q and L_v by the coefficients of all links
static void find_columns(oc_motion_residual *w) {
  const dm_model *m = w->robot.tree;
  const dm_vec o = w->X[m->origin].p;
  memset(w->Lq, 0, 2 * (size_t)w->nt * (size_t)w->nc * sizeof *w->Lq);
  for (int l = 0; l < w->x->links; l++) {
    const int b = w->x->link[l];
    const dm_pose *T = &w->X[b];
    const dm_spatial V = move_motion(T, o, w->V[b]);
    const dm_vec g = dm_unrotate(T, m->gravity);
    for (int i = b; i >= 0; i = m->parent[i]) {
      double L_v[OC_LINK], L_q[OC_LINK];
      const dm_spatial S = move_motion(T, o, w->S[i]);
      pair_units(S, V, L_v);
      pair_units(move_motion(T, o, w->Sd[i]), V, L_q);
      const dm_vec c = dm_cross(g, S.w);
      L_q[0] += dm_dot(S.v, g);
      L_q[1] += c.x, L_q[2] += c.y, L_q[3] += c.z;
      dm_add_to(OC_LINK, m->ratio[i], L_q, dm_row(w->Lq, m->coord[i], w->nc) + OC_LINK * l);
      dm_add_to(OC_LINK, m->ratio[i], L_v, dm_row(w->Lv, m->coord[i], w->nc) + OC_LINK * l);
    }
  }
}

// L_q and L_v [nt] along dpi: those of links with these inertias
static void find_direction(oc_motion_residual *w, const double *dpi) {
  const dm_model *m = w->robot.tree;
  const dm_vec o = w->X[m->origin].p;
  memset(w->Lq, 0, (size_t)w->nt * sizeof *w->Lq);
  memset(w->Lv, 0, (size_t)w->nt * sizeof *w->Lv);
  for (int l = 0; l < w->x->links; l++) {
    const int b = w->x->link[l];
    const dm_pose *T = &w->X[b], at = {T->x, T->y, T->z, dm_sub(T->p, o)};
    const dm_inertia own = oc_link_inertia_of(dpi + OC_LINK * l), I = dm_inertia_move(&own, &at);
    const dm_spatial h = dm_momentum(&I, w->V[b]);
    const dm_spatial weight = {dm_cross(I.c, m->gravity), dm_mul(I.m, m->gravity)};
    for (int i = b; i >= 0; i = m->parent[i]) {
      w->Lv[m->coord[i]] += m->ratio[i] * dm_pair(w->S[i], h);
      w->Lq[m->coord[i]] += m->ratio[i] * (dm_pair(w->Sd[i], h) + dm_pair(w->S[i], weight));
    }
  }
}

// Y1 += weight (h (1-at) L_q - L_v) and Y2 += weight (h at L_q + L_v) of `cols` columns, in the
// coordinates of the residual
static void add_forms(oc_motion_residual *w, int s, int cols, double *Y1, double *Y2) {
  const dm_rule *rule = &w->interval->s.rule;
  const double weight = rule->weight[s], at = rule->at[s];
  const double left = weight * w->h * (1 - at), right = weight * w->h * at;
  const double *Lq = w->Lq, *Lv = w->Lv;
  if (w->balls) {
    ball_maps *o = w->balls;
    const dm_chain_maps J = dm_chained_maps(&o->at);
    memset(o->Lq, 0, 2 * (size_t)(w->n * w->nc) * sizeof *o->Lq);
    dm_chain_left(&o->rule, J.turns_q, cols, Lq, o->Lq);
    dm_chain_left(&o->rule, J.rates_q, cols, Lv, o->Lq);
    dm_chain_left(&o->rule, J.rates_v, cols, Lv, o->Lv);
    Lq = o->Lq, Lv = o->Lv;
  }
  for (int i = 0; i < w->n * cols; i++) {
    Y1[i] += left * Lq[i] - weight * Lv[i];
    Y2[i] += right * Lq[i] + weight * Lv[i];
  }
}

// (q,v) at point s of the step, and the tree's screws there
static void set_point(oc_motion_residual *w, int s, const double *q0, const double *q1) {
  dm_interval_point(w->interval, s, q0, q1, w->h, w->q, w->v);
  if (w->balls) dm_chained_set(&w->balls->rule, &w->balls->at, w->q, w->v);
  find_screws(w, w->balls ? w->balls->at.q : w->q, w->balls ? w->balls->at.v : w->v);
}

// -- derivatives by the other parameters

// forces of the laws of a part in joints, by the difference of two values of parameter k
static void add_joint_part(oc_motion_residual *w, int k, int c) {
  const oc_fit_parameter *p = &w->x->list[k];
  const dm_joint_forces *forces = w->robot.joint[oc_fit_parameter_joint(p)];
  const double left = w->interval->s.rule.left, theta = w->theta[k];
  const double low = move_aside(p, theta, 0), high = move_aside(p, theta, 1);
  for (int side = 0; side < 2; side++) {
    oc_fit_parameter_put_joint(p, side ? high : low, &w->robot);
    const double per = (side ? w->h : -w->h) / (high - low);
    for (int i = p->part.first; i < p->part.first + p->part.count; i++) {
      const int coord = dm_ball_outside(w->robot.tree, dm_joint_forces_get(forces, i)->coord);
      const double f = per * dm_joint_forces_at(forces, i, w->v[coord]);
      w->Y1[coord * w->nc + c] += left * f;
      w->Y2[coord * w->nc + c] += (1 - left) * f;
    }
  }
  oc_fit_parameter_put_joint(p, theta, &w->robot);
}

static dm_status add_variant(oc_motion_residual *w, const variant *a, const double *q0,
                             const double *q1, const double *u, int c) {
  for (int side = 0; side < 2; side++) {
    const dm_interval *o = a[side].interval;
    const double per = (side ? 1 : -1) / (a[1].value - a[0].value);
    DM_TRY(dm_interval_eval(a[side].interval, 1, q0, q1, u, w->h));
    for (int i = 0; i < w->n; i++) {
      w->Y1[i * w->nc + c] += per * o->D1[i];
      w->Y2[i * w->nc + c] += per * o->D2[i];
    }
  }
  return DM_OK;
}

static void put_row(oc_motion_residual *w, int i, int c, double y1, double y2) {
  w->Y1[i * w->nc + c] = y1;
  w->Y2[i * w->nc + c] = y2;
}

static dm_status add_others(oc_motion_residual *w, const double *q0, const double *q1,
                            const double *u, const double *u_delay) {
  const oc_fit_parameters *x = w->x;
  const dm_interval *o = w->interval;
  const double left = w->interval->s.rule.left * w->h, right = w->h - left;
  int variants = 0;
  for (int c = OC_LINK * x->links; c < w->nc; c++) {
    const oc_fit_parameter *p = &x->list[x->coefficient[c].parameter];
    const int i = p->row;
    const double v = (q1[i] - q0[i]) / w->h;
    if (p->kind == OC_FIT_ARMATURE) put_row(w, i, c, -v, v);
    if (p->kind == OC_FIT_DAMPING) put_row(w, i, c, -left * v, -right * v);
    if (p->kind == OC_FIT_OFFSET) put_row(w, i, c, left, right);
    for (int z = 0; p->kind == OC_FIT_DELAY && u_delay && z < o->nz; z++) {
      w->Y1[o->row[z] * w->nc + c] += o->D1u[z] * u_delay[o->col[z]];
      w->Y2[o->row[z] * w->nc + c] += o->D2u[z] * u_delay[o->col[z]];
    }
    if (oc_fit_parameter_joint(p) != DM_JOINT_KINDS)
      add_joint_part(w, x->coefficient[c].parameter, c);
    if (is_varied(p)) DM_TRY(add_variant(w, &w->variants[2 * variants++], q0, q1, u, c));
  }
  return DM_OK;
}

// -- steps

dm_status oc_motion_residual_step(oc_motion_residual *w, int order, const double *q0,
                                  const double *q1, const double *u, const double *u_delay,
                                  oc_step_forms *out) {
  dm_interval *o = w->interval;
  DM_TRY(dm_interval_eval(o, order < 2 ? 1 : 2, q0, q1, u, w->h));
  memcpy(w->D1, o->D1, (size_t)w->n * sizeof *w->D1);
  memcpy(w->D2, o->D2, (size_t)w->n * sizeof *w->D2);
  for (int k = 0; k < w->x->count; k++) {
    const oc_fit_parameter *p = &w->x->list[k];
    if (p->kind != OC_FIT_OFFSET) continue;
    const double left = o->s.rule.left * w->h;
    w->D1[p->row] += left * w->theta[k];
    w->D2[p->row] += (w->h - left) * w->theta[k];
  }
  *out = (oc_step_forms){w->D1, w->D2, o->D11, o->D12, o->D21, o->D22, w->Y1, w->Y2};
  if (order < 3) return DM_OK;

  memset(w->Y1, 0, 2 * (size_t)w->n * (size_t)w->nc * sizeof *w->Y1);
  for (int s = 0; s < o->s.rule.points; s++) {
    set_point(w, s, q0, q1);
    find_columns(w);
    add_forms(w, s, w->nc, w->Y1, w->Y2);
  }
  return add_others(w, q0, q1, u, u_delay);
}

dm_status oc_motion_residual_along(oc_motion_residual *w, const double *q0, const double *q1,
                                   const double *u, const double *u_delay, const double *dpi,
                                   double *y1, double *y2) {
  const int first = OC_LINK * w->x->links, others = w->nc - first;
  memset(y1, 0, (size_t)w->n * sizeof *y1);
  memset(y2, 0, (size_t)w->n * sizeof *y2);
  for (int s = 0; s < w->interval->s.rule.points; s++) {
    set_point(w, s, q0, q1);
    find_direction(w, dpi);
    add_forms(w, s, 1, y1, y2);
  }

  // add_others adds to the entries of the other coefficients
  for (int i = 0; i < w->n; i++) {
    memset(dm_row(w->Y1, i, w->nc) + first, 0, (size_t)others * sizeof *w->Y1);
    memset(dm_row(w->Y2, i, w->nc) + first, 0, (size_t)others * sizeof *w->Y2);
  }
  DM_TRY(add_others(w, q0, q1, u, u_delay));
  for (int i = 0; i < w->n; i++) {
    y1[i] += dm_inner(others, dm_row(w->Y1, i, w->nc) + first, dpi + first);
    y2[i] += dm_inner(others, dm_row(w->Y2, i, w->nc) + first, dpi + first);
  }
  return DM_OK;
}

dm_status oc_motion_residual_curvature(oc_motion_residual *w, const double *q0, const double *q1,
                                       const double *mu0, const double *mu1, double *curve) {
  const int n = w->n, nt = w->nt;
  const dm_model *m = w->robot.tree;
  const double left = w->interval->s.rule.left;
  memset(curve, 0, (size_t)n * sizeof *curve);
  for (int j = 0; j < nt; j++) {
    const int i = dm_ball_outside(m, j);
    w->vt[j] = (q1[i] - q0[i]) / w->h;
    w->mut[j] = (left * mu0[i] + (1 - left) * mu1[i]) / w->h; // h of the impulse, 1/h^2 of v
  }
  memset(w->vv, 0, (size_t)(nt * nt) * sizeof *w->vv);
  for (int kind = 0; kind < DM_JOINT_KINDS; kind++) {
    const dm_joint_forces *c = w->robot.joint[kind];
    if (dm_joint_forces_count(c) == 0) continue;
    const dm_force f = dm_joint_forces_force(c);
    dm_force_hessian out = {.vv = w->vv};
    DM_TRY(f.contract(f.self, NULL, q0, w->vt, NULL, w->mut, &out));
  }
  for (int j = 0; j < nt; j++)
    if (!dm_ball_owns(m, j)) curve[dm_ball_outside(m, j)] = fabs(w->vv[j * (nt + 1)]);
  return DM_OK;
}

dm_status oc_motion_residual_forces(oc_motion_residual *w, int knots, const double *q,
                                    const double *u, double *force) {
  const int n = w->n, nu = w->robot.tree->nu;
  for (int k = 0; k + 1 < knots; k++) {
    oc_step_forms f;
    DM_TRY(oc_motion_residual_step(w, 1, dm_row(q, k, n), dm_row(q, k + 1, n), dm_row(u, k, nu),
                                   NULL, &f));
    for (int i = 0; i < n; i++) {
      if (k > 0) force[(k - 1) * n + i] += f.D1[i] / w->h;
      if (k + 2 < knots) force[k * n + i] = f.D2[i] / w->h;
    }
  }
  return DM_OK;
}

// -- information

// Y1 and Y2 of a step without inputs, to `to` [2 x n x nc]
static dm_status put_forms(oc_motion_residual *w, const double *q, int k, const double *u,
                           double *to) {
  oc_step_forms f;
  const int n = w->n;
  DM_TRY(oc_motion_residual_step(w, 3, dm_row(q, k, n), dm_row(q, k + 1, n), u, NULL, &f));
  memcpy(to, w->Y1, 2 * (size_t)n * (size_t)w->nc * sizeof *to);
  return DM_OK;
}

// G.(Y'Y) of r_k/h for Y = Y2 of the step before and Y1 of the step after it
static double weigh_forms(const oc_motion_residual *w, const double *before, const double *after,
                          const double *sigma, const double *G, double *y) {
  const int n = w->n, nc = w->nc;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < nc; c++)
      y[c] = (before[n * nc + i * nc + c] + after[i * nc + c]) / (w->h * sigma[i]);
    for (int a = 0; a < nc; a++)
      if (y[a] != 0) sum += y[a] * dm_inner(nc, dm_row(G, a, nc), y);
  }
  return sum;
}

// B = T' A T (down) of A [nc x nc], or T A T' of A [count x count]; T [nc x count]
static void change_basis(const oc_motion_residual *w, const double *T, bool down, const double *A,
                         double *B) {
  const int p = w->x->count, nc = w->nc, from = down ? nc : p, to = down ? p : nc;
  for (int i = 0; i < from; i++)
    for (int j = 0; j < from; j++) {
      const double a = A[i * from + j];
      if (a == 0) continue;
      for (int r = 0; r < to; r++) {
        const double t = a * (down ? T[i * p + r] : T[r * p + i]);
        if (t == 0) continue;
        for (int s = 0; s < to; s++) B[r * to + s] += t * (down ? T[j * p + s] : T[s * p + j]);
      }
    }
}

// Scratch of an information matrix: forms of five steps, the matrix by coefficients, T, G.
typedef struct information_work {
  double *forms, *C, *T, *pi, *G, *u, *y, *q;
} information_work;

static dm_status open_information(oc_motion_residual *w, int knots, information_work *o) {
  const size_t n = (size_t)w->n, nc = (size_t)w->nc, p = (size_t)w->x->count;
  const size_t forms = 2 * n * nc, nu = (size_t)w->robot.tree->nu;
  free(w->information);
  w->information =
      calloc((size_t)knots * (forms + n) + 4 * forms + 2 * nc * nc + nc * p + 2 * nc + nu + 1,
             sizeof(double));
  if (!w->information) return DM_NO_MEMORY;
  o->forms = w->information;
  o->C = o->forms + ((size_t)knots + 4) * forms;
  o->G = o->C + nc * nc, o->T = o->G + nc * nc, o->pi = o->T + nc * p, o->y = o->pi + nc;
  o->u = o->y + nc, o->q = o->u + nu;
  return DM_OK;
}

// the derivative of the weighted sum by coordinate i of knot k: central differences over the steps
// that end or begin there
static dm_status difference_knot(oc_motion_residual *w, information_work *o, int knots, int k,
                                 int i, const double *sigma, double *slope) {
  const size_t size = 2 * (size_t)w->n * (size_t)w->nc;
  const double step = 1e-3 * w->h, here = o->q[k * w->n + i]; // 1e-3 rad/s or m/s
  double *moved = o->forms + (size_t)knots * size, sum[2] = {0, 0};
  for (int side = 0; side < 2; side++) {
    o->q[k * w->n + i] = here + (side ? step : -step);
    for (int s = k - 1; s <= k; s++)
      if (s >= 0 && s + 1 < knots)
        DM_TRY(put_forms(w, o->q, s, o->u, moved + (size_t)(s - k + 1) * size));
    for (int r = k - 1; r <= k + 1; r++) {
      if (r < 1 || r + 1 >= knots) continue;
      const double *before =
          r == k - 1 ? o->forms + (size_t)(r - 1) * size : moved + (size_t)(r - 1 - k + 1) * size;
      const double *after =
          r == k + 1 ? o->forms + (size_t)r * size : moved + (size_t)(r - k + 1) * size;
      sum[side] += weigh_forms(w, before, after, sigma, o->G, o->y);
    }
  }
  o->q[k * w->n + i] = here;
  *slope += (sum[1] - sum[0]) / (2 * step);
  return DM_OK;
}

dm_status oc_motion_residual_information(oc_motion_residual *w, int knots, const double *q,
                                         const double *sigma, double *information, const double *G,
                                         double *by_q) {
  assert(knots >= 3 && q && sigma && information && (!by_q || G));
  const int n = w->n, nc = w->nc;
  const size_t size = 2 * (size_t)n * (size_t)nc;
  information_work o;
  DM_TRY(open_information(w, knots, &o));
  memcpy(o.q, q, (size_t)knots * (size_t)n * sizeof *q);
  oc_fit_parameters_coefficients(w->x, w->theta, o.pi, o.T);
  for (int k = 0; k + 1 < knots; k++) DM_TRY(put_forms(w, q, k, o.u, o.forms + (size_t)k * size));

  // C = sum Y'Y of r/h by coefficients
  for (int k = 1; k + 1 < knots; k++) {
    const double *after = o.forms + (size_t)k * size, *before = after - size + n * nc;
    for (int i = 0; i < n; i++) {
      for (int c = 0; c < nc; c++)
        o.y[c] = (before[i * nc + c] + after[i * nc + c]) / (w->h * sigma[i]);
      for (int a = 0; a < nc; a++)
        if (o.y[a] != 0) dm_add_to(nc, o.y[a], o.y, dm_row(o.C, a, nc));
    }
  }
  change_basis(w, o.T, true, o.C, information);
  if (!by_q) return DM_OK;
  change_basis(w, o.T, false, G, o.G);
  for (int k = 0; k < knots; k++)
    for (int i = 0; i < n; i++)
      DM_TRY(difference_knot(w, &o, knots, k, i, sigma, &by_q[k * n + i]));
  return DM_OK;
}
