#include "problems/readers/model/mjcf_mass.h"

#include "problems/readers/model/mjcf_geom.h"

#include <math.h>
#include <string.h>

// -- principal axes

// swap two of three axes by a rotation of 90 degrees about the third
static void swap_axes(dm_pose *X, double moment[3], int i) {
  dm_vec *const axis[] = {&X->x, &X->y, &X->z};
  const dm_vec first = *axis[i];
  const double size = moment[i];
  *axis[i] = *axis[i + 1];
  *axis[i + 1] = dm_mul(-1, first);
  moment[i] = moment[i + 1];
  moment[i + 1] = size;
}

// The principal moments of J, descending, and axes near those of the frame: Jacobi's method,
// eliminating the largest off-diagonal element first.
static void find_principal_axes(const double J[6], dm_pose *X, double moment[3]) {
  static const double SMALL = 1e-16;
  double A[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}};
  dm_vec *const axis[] = {&X->x, &X->y, &X->z};
  *X = dm_identity;
  for (int sweep = 0; sweep < 100; sweep++) {
    int a = 0, b = 1;
    if (fabs(A[0][2]) > fabs(A[a][b])) b = 2;
    if (fabs(A[1][2]) > fabs(A[a][b])) a = 1, b = 2;
    if (!(fabs(A[a][b]) > SMALL * (fabs(A[a][a]) + fabs(A[b][b])))) break;

    // the smaller rotation angle in the plane of a and b that eliminates A_ab
    const double tau = (A[b][b] - A[a][a]) / (2 * A[a][b]);
    const double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
    const double c = 1 / sqrt(1 + t * t), s = t * c;
    for (int i = 0; i < 3; i++) {
      const double p = A[i][a], q = A[i][b];
      A[i][a] = c * p - s * q;
      A[i][b] = s * p + c * q;
    }
    for (int i = 0; i < 3; i++) {
      const double p = A[a][i], q = A[b][i];
      A[a][i] = c * p - s * q;
      A[b][i] = s * p + c * q;
    }
    const dm_vec p = *axis[a], q = *axis[b];
    *axis[a] = dm_sub(dm_mul(c, p), dm_mul(s, q));
    *axis[b] = dm_add(dm_mul(s, p), dm_mul(c, q));
  }

  // sort in descending order: both pairs, then the first pair again
  for (int i = 0; i < 3; i++) moment[i] = A[i][i];
  for (int k = 0; k < 3; k++)
    if (moment[k % 2] < moment[k % 2 + 1]) swap_axes(X, moment, k % 2);
}

static bool is_diagonal(const double J[6]) {
  return J[3] == 0 && J[4] == 0 && J[5] == 0;
}

// transform to principal axes, unless already diagonal
static void make_principal(pb_mjcf_weight *w) {
  double moment[3];
  dm_pose X;
  if (is_diagonal(w->moment)) return;
  find_principal_axes(w->moment, &X, moment);
  w->frame = dm_compose(&w->frame, &X);
  memcpy(w->moment, (double[6]){moment[0], moment[1], moment[2]}, sizeof w->moment);
}

// -- <inertial>

// principal moments in rotated axes, or all six entries in body axes
static dm_status read_moments(const pb_mjcf *m, pb_mjcf_element at, bool turned, const char *body,
                              double J[6]) {
  static const char *const name[] = {"diaginertia", "fullinertia"};
  double own[2][6];
  int n[2];
  for (int i = 0; i < 2; i++) DM_TRY(pb_mjcf_numbers(m, at, name[i], i ? 6 : 3, own[i], &n[i]));

  // exactly one of the forms, complete
  const int form = n[1] > 0;
  if (n[0] && n[1])
    return pb_refuse_xml(m->x, at.e, "body '%.64s': found both diaginertia and fullinertia", body);
  if (form && turned)
    return pb_refuse_xml(m->x, at.e,
                         "body '%.64s': found a turned frame beside fullinertia, which is in that "
                         "of the body, expected one of them",
                         body);
  if (n[form] && n[form] < (form ? 6 : 3))
    return pb_refuse_xml(m->x, at.e, "body '%.64s': found %d numbers in %s, expected %d", body,
                         n[form], name[form], form ? 6 : 3);
  memset(J, 0, 6 * sizeof *J);
  memcpy(J, own[form], (size_t)n[form] * sizeof *J);
  if (n[form]) return DM_OK;
  return pb_warn_xml(m->x, at.e,
                     "body '%.64s' has neither diaginertia nor fullinertia: a point mass", body);
}

static dm_status read_inertial(const pb_mjcf *m, const pb_xml_node *e, const char *name,
                               pb_mjcf_weight *out) {
  const pb_mjcf_element at = {e, -1};
  bool turned, there;
  DM_TRY(pb_mjcf_pose(m, at, &out->frame, &turned));
  DM_TRY(pb_xml_number(m->x, e, "mass", &out->mass, &there));
  if (!there || out->mass < 0)
    return pb_refuse_xml(m->x, e, "body '%.64s': found %s, expected a mass >= 0", name,
                         there ? "a negative mass" : "<inertial> without a mass");
  out->given = true;
  return read_moments(m, at, turned, name, out->moment);
}

// -- geoms

// sum of a body's geoms about their common center; a single geom keeps its own axes
static dm_status weigh_geoms(const pb_mjcf *m, const pb_xml_node *e, int class,
                             pb_mjcf_weight *out) {
  dm_inertia sum = {0};
  int weights = 0;
  for (const pb_xml_node *g = pb_xml_next(e->children, "geom"); g;
       g = pb_xml_next(g->next, "geom")) {
    pb_mjcf_geom geom;
    const double before = sum.m;
    DM_TRY(pb_mjcf_geom_read(m, g, class, &geom));
    DM_TRY(pb_mjcf_geom_weigh(m, &geom, &sum));
    weights += sum.m > before;
    if (sum.m > before && weights == 1) out->frame = geom.frame;
  }
  if (!(sum.m > 0)) return DM_OK;
  const dm_vec centre = dm_mul(1 / sum.m, sum.c);
  dm_shift(&sum, dm_mul(-1, centre));
  if (weights > 1) out->frame = dm_identity;

  // about the center, in the axes of the single geom or of the body
  dm_pose back = {dm_v(out->frame.x.x, out->frame.y.x, out->frame.z.x),
                  dm_v(out->frame.x.y, out->frame.y.y, out->frame.z.y),
                  dm_v(out->frame.x.z, out->frame.y.z, out->frame.z.z), dm_v(0, 0, 0)};
  sum = dm_inertia_move(&sum, &back);
  out->frame.p = centre;
  out->mass = sum.m;
  memcpy(out->moment, (double[]){sum.xx, sum.yy, sum.zz, sum.xy, sum.xz, sum.yz},
         sizeof out->moment);
  return DM_OK;
}

// -- adjustments by the compiler

// raise mass and moments to their bounds
static dm_status bound_weight(const pb_mjcf *m, const pb_xml_node *e, pb_mjcf_weight *w) {
  const pb_mjcf_settings *s = pb_mjcf_settings_of(m, e);
  const double *bound = s->lightest;
  if (!(bound[0] > 0) && !(bound[1] > 0)) return DM_OK;

  // MuJoCo places the inertial frame of an empty body at the body's pose in its parent
  const bool empty = !w->given && w->mass == 0;
  if (empty) DM_TRY(pb_mjcf_pose(m, (pb_mjcf_element){e, -1}, &w->frame, NULL));
  w->mass = fmax(w->mass, bound[0]);
  make_principal(w);
  for (int i = 0; i < 3; i++) w->moment[i] = fmax(w->moment[i], bound[1]);
  return DM_OK;
}

// replace moments that violate the triangle inequality by their mean
static void balance_weight(const pb_mjcf *m, const pb_xml_node *e, pb_mjcf_weight *w) {
  const double *J = w->moment;
  if (!pb_mjcf_settings_of(m, e)->balance) return;
  make_principal(w);
  if (J[0] + J[1] >= J[2] && J[0] + J[2] >= J[1] && J[1] + J[2] >= J[0]) return;
  const double mean = (J[0] + J[1] + J[2]) / 3;
  memcpy(w->moment, (double[6]){mean, mean, mean}, sizeof w->moment);
}

dm_status pb_mjcf_weigh(const pb_mjcf *m, const pb_xml_node *body, int class, const char *name,
                        pb_mjcf_weight *out) {
  const pb_mjcf_settings *s = pb_mjcf_settings_of(m, body);
  pb_xml_node *inertial;
  *out = (pb_mjcf_weight){.frame = dm_identity};
  DM_TRY(pb_xml_child(m->x, body, "inertial", &inertial));
  if (inertial && s->source != PB_MJCF_GEOMS)
    DM_TRY(read_inertial(m, inertial, name, out));
  else if (s->source != PB_MJCF_INERTIAL)
    DM_TRY(weigh_geoms(m, body, class, out));
  DM_TRY(bound_weight(m, body, out));
  balance_weight(m, body, out);
  return DM_OK;
}

// -- alignment

dm_status pb_mjcf_aligned(const pb_mjcf *m, const pb_xml_node *body, bool *aligned) {
  static const char *const words[] = {"false", "true", "auto"};
  const pb_xml_node *free = pb_xml_next(body->children, "freejoint");
  int joints = 0, word = 2;
  *aligned = false;
  for (const pb_xml_node *e = pb_xml_next(body->children, NULL); e;
       e = pb_xml_next(e->next, NULL)) {
    if (!strcmp(e->name, "body")) return DM_OK;
    joints += !strcmp(e->name, "joint") || e == free;
  }
  if (joints != 1) return DM_OK;

  // a <joint type="free"> is aligned only by the compiler setting
  if (free) DM_TRY(pb_xml_word(m->x, free, "align", words, 3, &word));
  *aligned = word == 2 ? pb_mjcf_settings_of(m, body)->align : word;
  return DM_OK;
}

dm_status pb_mjcf_align(const pb_mjcf *m, const pb_xml_node *body, pb_mjcf_weight *w, dm_pose *at) {
  make_principal(w);
  *at = dm_compose(at, &w->frame);

  // the inverse of the frame
  dm_pose back = {dm_v(w->frame.x.x, w->frame.y.x, w->frame.z.x),
                  dm_v(w->frame.x.y, w->frame.y.y, w->frame.z.y),
                  dm_v(w->frame.x.z, w->frame.y.z, w->frame.z.z), dm_v(0, 0, 0)};
  back.p = dm_mul(-1, dm_unrotate(&w->frame, w->frame.p));

  w->frame = dm_identity;
  for (pb_xml_node *e = pb_xml_next(body->children, NULL); e; e = pb_xml_next(e->next, NULL)) {
    const char *word = e->name;
    if (strcmp(word, "geom") != 0 && strcmp(word, "site") != 0) continue;
    DM_TRY(pb_mjcf_wrap(m->x, e, &(pb_mjcf_note){.frame = back}));
  }
  return DM_OK;
}

// -- bodies

dm_status pb_mjcf_put_weight(pb_tree *t, pb_place at, const pb_mjcf_weight *w, dm_body *body) {
  static const double zero[3];
  const dm_vec c = w->frame.p;
  dm_pose turn = w->frame;
  turn.p = dm_v(0, 0, 0);

  // R J R' about the center
  dm_inertia I = dm_inertia_about(0, zero, w->moment);
  I = dm_inertia_move(&I, &turn);
  body->mass = w->mass;
  memcpy(body->centre, (double[]){c.x, c.y, c.z}, sizeof body->centre);
  memcpy(body->inertia, (double[]){I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}, sizeof body->inertia);
  return w->given ? pb_tree_check_inertia(t, body, at) : DM_OK;
}

void pb_mjcf_scale_masses(pb_tree *t, double total) {
  double sum = 0;
  for (int b = 0; b < t->nbody; b++) sum += t->body[b].mass;
  if (!(total > 0 && sum > 0)) return;
  for (int b = 0; b < t->nbody; b++) {
    t->body[b].mass *= total / sum;
    for (int i = 0; i < 6; i++) t->body[b].inertia[i] *= total / sum;
  }
}

dm_status pb_mjcf_align_body(const pb_mjcf *m, const pb_xml_node *body, int class,
                             const char *name) {
  pb_mjcf_weight weight;
  dm_pose at = dm_identity;
  bool aligned;
  DM_TRY(pb_mjcf_aligned(m, body, &aligned));
  if (!aligned) return DM_OK;
  DM_TRY(pb_mjcf_weigh(m, body, class, name, &weight));
  return pb_mjcf_align(m, body, &weight, &at);
}
