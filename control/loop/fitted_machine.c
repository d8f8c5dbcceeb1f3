#include "control/loop/fitted_machine.h"

#include "lib/base/block.h"
#include "lib/base/names.h"
#include "lib/base/random.h"
#include "lib/multibody/ball_joint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COMPONENTS = 10, MOMENTS = 4, DRAWS = 20, SLICES = 400, HALVINGS = 60 };

static const char *const components[COMPONENTS] = {
    "mass",       "center.x",   "center.y",   "center.z",   "inertia.xx",
    "inertia.yy", "inertia.zz", "inertia.xy", "inertia.xz", "inertia.yz"};

// -- a link, by mass, center and moments about the center in the frame of a body

// the inertia about the center; *r: the center
static dm_inertia center_inertia(const dm_inertia *about, dm_vec *r) {
  dm_inertia I = *about;
  *r = I.m > 0 ? dm_mul(1 / I.m, I.c) : dm_v(0, 0, 0);
  dm_shift(&I, dm_mul(-1, *r));
  return I;
}

// about: the inertia about the joint, in which the body has the pose `frame`
static void get_link(const dm_inertia *about, const dm_pose *frame, double x[COMPONENTS]) {
  const dm_pose out = dm_pose_relative(frame, &dm_identity);
  const dm_inertia moved = dm_inertia_move(about, &out);
  dm_vec r;
  const dm_inertia I = center_inertia(&moved, &r);
  const double list[COMPONENTS] = {I.m, r.x, r.y, r.z, I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
  memcpy(x, list, sizeof list);
}

static dm_inertia make_link(const dm_pose *frame, const double x[COMPONENTS]) {
  const dm_inertia I = dm_inertia_about(x[0], x + 1, x + MOMENTS);
  return dm_inertia_move(&I, frame);
}

// the derivative of make_link at x along d
static dm_inertia turn_link(const dm_pose *frame, const double x[COMPONENTS],
                            const double d[COMPONENTS]) {
  const double *r = x + 1, *dr = d + 1, m = x[0];
  const double rr = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  const double rdr = r[0] * dr[0] + r[1] * dr[1] + r[2] * dr[2];
  double moments[6];
  static const int row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
  for (int i = 0; i < 6; i++) {
    const int a = row[i], b = column[i];
    moments[i] = d[MOMENTS + i] - d[0] * r[a] * r[b] - m * (dr[a] * r[b] + r[a] * dr[b]);
    if (a == b) moments[i] += d[0] * rr + 2 * m * rdr;
  }
  const dm_vec c = dm_v(d[0] * r[0] + m * dr[0], d[0] * r[1] + m * dr[1], d[0] * r[2] + m * dr[2]);
  const dm_inertia I = {d[0],       c,          moments[0], moments[1],
                        moments[2], moments[3], moments[4], moments[5]};
  return dm_inertia_move(&I, frame);
}

// I += t dI
static void add_inertia(dm_inertia *I, double t, const dm_inertia *d) {
  const dm_inertia by = {t * d->m,  dm_mul(t, d->c), t * d->xx, t * d->yy,
                         t * d->zz, t * d->xy,       t * d->xz, t * d->yz};
  dm_inertia_add(I, &by);
}

// whether a symmetric 3 x 3 matrix (xx yy zz xy xz yz) plus `slack` is positive semidefinite
static bool is_positive(const double x[6], double slack) {
  const double a = x[0] + slack, b = x[1] + slack, c = x[2] + slack;
  const double ab = a * b - x[3] * x[3], ac = a * c - x[4] * x[4], bc = b * c - x[5] * x[5];
  const double det = a * bc - x[3] * (x[3] * c - x[4] * x[5]) + x[4] * (x[3] * x[5] - b * x[4]);
  return a >= 0 && b >= 0 && c >= 0 && ab >= 0 && ac >= 0 && bc >= 0 && det >= 0;
}

// whether an inertia is that of a body: a mass, moments about the center, and, if full, the triangle
// inequalities of the moments
static bool is_body(const dm_inertia *about, bool full) {
  dm_vec r;
  const dm_inertia I = center_inertia(about, &r);
  const double trace = I.xx + I.yy + I.zz;
  const double slack = 1e-9 * (fabs(trace) + fabs(I.m) * dm_dot(r, r));
  const double moments[] = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
  const double second[] = {
      trace / 2 - I.xx, trace / 2 - I.yy, trace / 2 - I.zz, -I.xy, -I.xz, -I.yz};
  return I.m > 0 && is_positive(moments, slack) && (!full || is_positive(second, slack));
}

// -- parameters

// the joint that carries a body of this name
static dm_status find_body(const dm_model *tree, const char *name, fb_fitted_parameter *out,
                           dm_message *msg) {
  char known[200];
  const int body = dm_names_find(tree->body_name, tree->nbody, name);
  if (body < 0)
    return dm_fail(msg, DM_BAD_INPUT, "found the link '%.64s', expected %s", name,
                   dm_names_list(tree->body_name, tree->nbody, known, sizeof known));
  out->index = tree->body_joint[body];
  out->body = body;
  if (out->index >= 0 && !tree->bare[out->index]) return DM_OK;
  return dm_fail(msg, DM_BAD_INPUT, "found the link '%.64s', which %s, expected one with inertia",
                 name, out->index < 0 ? "is fixed to the world" : "has no inertia");
}

// NAME.COMPONENT; a name may contain dots
static dm_status find_link(const dm_robot *r, const char *path, fb_fitted_parameter *out,
                           dm_message *msg) {
  char who[128], known[200];
  double x[COMPONENTS];
  for (int i = 0; i < COMPONENTS; i++) {
    const size_t all = strlen(path), end = strlen(components[i]);
    if (all <= end + 1 || strcmp(path + all - end, components[i]) != 0) continue;
    if (path[all - end - 1] != '.') continue;
    snprintf(who, sizeof who, "%.*s", (int)(all - end - 1), path);
    DM_TRY(find_body(r->tree, who, out, msg));
    get_link(&r->tree->body[out->index], &r->tree->body_pose[out->body], x);
    out->component = i;
    out->nominal = x[i];
    return DM_OK;
  }
  return dm_fail(msg, DM_BAD_INPUT, "found '%.64s' of links, expected NAME. and %s", path,
                 dm_names_list(components, COMPONENTS, known, sizeof known));
}

// a coordinate that moves by forces, external for all but armature
static dm_status find_joint(const dm_robot *r, const char *name, fb_fitted_parameter *out,
                            dm_message *msg) {
  char known[200];
  const dm_model *m = out->kind == FB_FITTED_ARMATURE ? r->tree : r->model;
  const int i = dm_names_find(m->name, m->nq, name);
  const bool damps = out->kind == FB_FITTED_DAMPING || out->kind == FB_FITTED_FRICTION;
  if (i < 0 || m->kinematic[i] || (!damps && m->kind[i] == DM_QUATERNION))
    return dm_fail(msg, DM_BAD_INPUT, "found '%.64s', expected a joint that moves by forces: %s",
                   name, dm_names_list(m->name, m->nq, known, sizeof known));
  out->index = i;
  if (out->kind == FB_FITTED_DAMPING) out->nominal = m->damping[i];
  if (out->kind == FB_FITTED_ARMATURE) out->nominal = m->armature[i];
  return DM_OK;
}

// dry friction of a joint without it
static dm_status find_friction(const dm_robot *r, const char *path, fb_fitted_parameter *out) {
  static const char end[] = ".force";
  char who[128];
  dm_message unused;
  const size_t all = strlen(path);
  if (all <= strlen(end) || strcmp(path + all - strlen(end), end) != 0) return DM_BAD_INPUT;
  snprintf(who, sizeof who, "%.*s", (int)(all - strlen(end)), path);
  out->kind = FB_FITTED_FRICTION;
  return find_joint(r, who, out, &unused);
}

dm_status fb_fitted_find(const dm_robot *r, const char *path, fb_fitted_parameter *out,
                         dm_message *msg) {
  static const struct {
    const char *start;
    fb_fitted_kind kind;
    dm_status (*find)(const dm_robot *r, const char *, fb_fitted_parameter *, dm_message *);
  } rows[] = {{"links.", FB_FITTED_LINK, find_link},
              {"armature.", FB_FITTED_ARMATURE, find_joint},
              {"damping.", FB_FITTED_DAMPING, find_joint},
              {"offset.", FB_FITTED_OFFSET, find_joint},
              {"encoders.", FB_FITTED_ENCODER, find_joint}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const size_t length = strlen(rows[i].start);
    *out = (fb_fitted_parameter){.kind = rows[i].kind};
    if (!strncmp(path, rows[i].start, length)) return rows[i].find(r, path + length, out, msg);
  }
  *out = (fb_fitted_parameter){.kind = FB_FITTED_LENGTH, .nominal = 1};
  if (!strncmp(path, "lengths.", 8)) {
    DM_TRY(find_body(r->tree, path + 8, out, msg));
    if (!r->constraints) return DM_OK;
    return dm_fail(msg, DM_BAD_INPUT, "found a length of a robot with constraints, expected none");
  }

  if (!strcmp(path, "delay"))
    return dm_fail(msg, DM_BAD_INPUT,
                   "found the delay of inputs, which no machine here has: remove "
                   "its row, and set verify.delay");

  *out = (fb_fitted_parameter){.kind = FB_FITTED_PART};
  const dm_status s = dm_robot_find(r, path, &out->at, msg);
  if (s == DM_OK) out->nominal = dm_robot_parameter(r, &out->at);
  if (s != DM_OK && !strncmp(path, "friction.", 9) && find_friction(r, path + 9, out) == DM_OK)
    return DM_OK;
  return s;
}

// -- covariance

int fb_fitted_factor(int n, const double *C, double *L) {
  // a pivot below this share of its variance is zero: the parameter depends on those before it
  static const double SMALL = 1e-10;
  memset(L, 0, (size_t)n * (size_t)n * sizeof *L);
  for (int j = 0; j < n; j++) {
    const double variance = C[j * n + j];
    double pivot = variance;
    for (int k = 0; k < j; k++) pivot -= L[j * n + k] * L[j * n + k];
    if (!(variance >= 0) || !(pivot >= -1e-6 * variance)) return j;
    const bool has = pivot > SMALL * variance;
    L[j * n + j] = has ? sqrt(pivot) : 0;
    for (int i = j + 1; i < n; i++) {
      double rest = C[i * n + j];
      for (int k = 0; k < j; k++) rest -= L[i * n + k] * L[j * n + k];
      if (has) L[i * n + j] = rest / L[j * n + j];
      // |c_ij| <= sqrt(c_ii c_jj) for the rests of both; else no covariance has these entries
      if (!has && !(fabs(rest) <= 2e-5 * sqrt(variance * fmax(C[i * n + i], 0)))) return i;
    }
  }
  return -1;
}

// -- machines

void fb_fitted_lay_out(const fb_fitted *f, fb_fitted_draw *out, dm_block *b) {
  if (!f) return;
  const size_t n = (size_t)f->n, nj = (size_t)f->robot->tree->nj;
  const int inside = f->robot->tree->nq, outside = f->robot->model->nq;
  const size_t nq = (size_t)(inside > outside ? inside : outside);
  out->x = dm_block_alloc(b, n, sizeof *out->x);
  out->z = dm_block_alloc(b, 3 * n, sizeof *out->z);
  out->body = dm_block_alloc(b, nj, sizeof *out->body);
  out->length = dm_block_alloc(b, nj, sizeof *out->length);
  for (int i = 0; i <= FB_FITTED_FRICTION; i++)
    out->by_coord[i] = dm_block_alloc(b, nq, sizeof(double));
  out->error = dm_block_alloc(b, n, sizeof *out->error);
}

// whether i is the first parameter of its link
static bool is_first(const fb_fitted *f, int i) {
  for (int k = 0; k < i; k++)
    if (f->list[k].kind == FB_FITTED_LINK && f->list[k].index == f->list[i].index) return false;
  return true;
}

// Replace moments about the center other than parameters, has [COMPONENTS], by those of the robot:
// they stay, while the linear change of moments about the joint would move them.
static void keep_moments(const bool *has, const dm_pose *frame, const double *robot,
                         dm_inertia *about) {
  double x[COMPONENTS];
  get_link(about, frame, x);
  for (int i = MOMENTS; i < COMPONENTS; i++)
    if (!has[i]) x[i] = robot[i];
  *about = make_link(frame, x);
}

// the link of parameter i: its inertia in the robot, plus level times the sum of the fit's
// difference and of the drawn one, w->x. Returns whether it is physical.
static bool put_link(const fb_fitted *f, int i, double level, fb_fitted_draw *w) {
  const int j = f->list[i].index;
  const dm_inertia *robot = &f->robot->tree->body[j];
  const dm_pose *frame = &f->robot->tree->body_pose[f->list[i].body];
  double start[COMPONENTS], fit[COMPONENTS], d[COMPONENTS] = {0};
  bool has[COMPONENTS] = {false}, full = true;
  get_link(robot, frame, start);
  memcpy(fit, start, sizeof fit);
  for (int k = i; k < f->n; k++) {
    const fb_fitted_parameter *p = &f->list[k];
    if (p->kind != FB_FITTED_LINK || p->index != j) continue;
    fit[p->component] = f->value[k];
    d[p->component] = w->x[k];
    has[p->component] = true;
  }
  for (int k = MOMENTS; k < COMPONENTS; k++) full = full && has[k];

  // linear in mass, first moment and moments about the joint
  const dm_inertia fitted = make_link(frame, fit), off = turn_link(frame, fit, d);
  dm_inertia *I = &w->body[j];
  *I = *robot;
  add_inertia(I, level, &fitted);
  add_inertia(I, -level, robot);
  add_inertia(I, level, &off);
  if (!(I->m > 0)) return false;
  if (!full) keep_moments(has, frame, start, I);
  return is_body(I, full);
}

static bool put_parameter(const fb_fitted *f, int i, double level, fb_fitted_draw *w) {
  const fb_fitted_parameter *p = &f->list[i];
  const double off = level * (f->value[i] - p->nominal + w->x[i]), x = p->nominal + off;
  if (p->kind == FB_FITTED_PART) {
    w->error[w->nerror++] = (dm_part_error){.at = p->at, .amount = x, .replaces = true};
    return x >= p->at.parameter->low && x <= p->at.parameter->high;
  }
  if (p->kind == FB_FITTED_LENGTH) {
    w->length[p->index] = x;
    w->changes_lengths = true;
    return x > 0;
  }
  // friction x = F 2/pi atan(100 v)
  w->by_coord[p->kind][p->index] = p->kind == FB_FITTED_FRICTION ? 2 / acos(-1) * off : off;
  return x >= 0 || p->kind == FB_FITTED_OFFSET || p->kind == FB_FITTED_ENCODER;
}

// The machine at w->x. Returns the first parameter of a part that is not physical, or -1.
static int put_machine(const fb_fitted *f, double level, fb_fitted_draw *w) {
  const dm_model *tree = f->robot->tree;
  const int nq = tree->nq > f->robot->model->nq ? tree->nq : f->robot->model->nq;
  int bad = -1;
  w->nerror = 0;
  w->changes_lengths = false;
  memcpy(w->body, tree->body, (size_t)tree->nj * sizeof *w->body);
  for (int j = 0; j < tree->nj; j++) w->length[j] = 1;
  for (int i = 0; i <= FB_FITTED_FRICTION; i++)
    memset(w->by_coord[i], 0, (size_t)nq * sizeof(double));
  for (int i = 0; i < f->n; i++) {
    const bool link = f->list[i].kind == FB_FITTED_LINK;
    if (link && !is_first(f, i)) continue;
    const bool good = (link ? put_link : put_parameter)(f, i, level, w);
    if (!good && bad < 0) bad = i;
  }
  return bad;
}

int fb_fitted_flaw(const fb_fitted *f, fb_fitted_draw *scratch) {
  memset(scratch->x, 0, (size_t)f->n * sizeof *scratch->x);
  return put_machine(f, 1, scratch);
}

// x = L z
static void put_deviation(const fb_fitted *f, const double *z, double *x) {
  const int n = f->n;
  for (int i = 0; i < n; i++) {
    x[i] = 0;
    for (int k = 0; k <= i; k++) x[i] += f->factor[i * n + k] * z[k];
  }
}

// Elliptical slice sampling of a normal z within a set: from a point of it, turn towards a new draw v,
// z cos a + v sin a, by an angle that shrinks towards 0 until the point is in the set. draw: index
// of random numbers, raised.
static bool turn_slice(const fb_fitted *f, uint64_t seed, int sample, double level,
                       fb_fitted_draw *w, uint64_t *draw) {
  const int n = f->n;
  double *z = w->z, *v = z + n, *turned = v + n;
  for (int i = 0; i < n; i++) v[i] = dm_random_normal(seed, sample, (*draw)++);
  double angle = acos(-1) * dm_random_uniform(seed, sample, (*draw)++);
  double low = angle > 0 ? angle - 2 * acos(-1) : angle, high = low + 2 * acos(-1);
  for (int i = 0; i < HALVINGS; i++) {
    for (int k = 0; k < n; k++) turned[k] = cos(angle) * z[k] + sin(angle) * v[k];
    put_deviation(f, turned, w->x);
    if (put_machine(f, level, w) < 0) {
      memcpy(z, turned, (size_t)n * sizeof *z);
      return true;
    }
    *(angle < 0 ? &low : &high) = angle;
    angle = low + (high - low) * (1 + dm_random_uniform(seed, sample, (*draw)++)) / 2;
  }
  return false;
}

dm_status fb_fitted_machine(const fb_fitted *f, uint64_t seed, int sample, double level,
                            fb_fitted_draw *w) {
  const int n = f->n;
  uint64_t draw = 0;
  for (int i = 0; i < DRAWS; i++) {
    for (int k = 0; k < n; k++) w->z[k] = dm_random_normal(seed, sample, draw++);
    put_deviation(f, w->z, w->x);
    if (put_machine(f, level, w) < 0) return DM_OK;
  }

  // physical machines are rare among the draws: walk through them from the fit
  memset(w->z, 0, (size_t)n * sizeof *w->z);
  for (int i = 0; i < SLICES; i++) turn_slice(f, seed, sample, level, w, &draw);
  put_deviation(f, w->z, w->x);
  return put_machine(f, level, w) < 0 ? DM_OK : DM_BAD_INPUT;
}
