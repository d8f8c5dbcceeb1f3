#include "cli/stages/fitted_values.h"

#include "problems/readers/model/links.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- frames

// the frame of a link, the first body on its joint, in the frame of the joint
static dm_pose find_frame(const dm_model *m, int joint) {
  for (int b = 0; b < m->nbody; b++)
    if (m->body_joint[b] == joint) return m->body_pose[b];
  return dm_identity;
}

static const char *find_link(const dm_model *m, int joint) {
  for (int b = 0; b < m->nbody; b++)
    if (m->body_joint[b] == joint) return m->body_name[b];
  return "";
}

// the parameters of one vector or one inertia of a link: at[entry], -1: not fitted
static void find_entries(const oc_fit_parameters *p, const oc_fit_parameter *of, int at[6]) {
  for (int e = 0; e < 6; e++) at[e] = -1;
  for (int i = 0; i < p->count; i++)
    if (p->list[i].kind == of->kind && p->list[i].index == of->index) at[p->list[i].entry] = i;
}

// row i of the derivative of values in the links' frames by those in the joints' frames
static void put_row(const oc_fit_parameters *p, int i, double *row) {
  const oc_fit_parameter *of = &p->list[i];
  memset(row, 0, (size_t)p->count * sizeof *row);
  if (of->kind != OC_FIT_CENTER && of->kind != OC_FIT_INERTIA) {
    row[i] = 1;
    return;
  }
  const dm_pose T = find_frame(p->robot.tree, of->index);
  const dm_vec axes[] = {T.x, T.y, T.z};
  int at[6];
  find_entries(p, of, at);
  for (int e = 0; e < 6; e++) {
    double turned[6];
    if (at[e] < 0) continue;

    // the moments xx yy zz xy xz yz of a unit entry e, turned into the frame T
    double unit[6] = {0};
    unit[e] = 1;
    const dm_inertia I = {
        .xx = unit[0], .yy = unit[1], .zz = unit[2], .xy = unit[3], .xz = unit[4], .yz = unit[5]};
    dm_pose turn = dm_pose_relative(&T, &dm_identity);
    turn.p = dm_v(0, 0, 0);
    const dm_inertia J = dm_inertia_move(&I, &turn);
    memcpy(turned, (double[]){J.xx, J.yy, J.zz, J.xy, J.xz, J.yz}, 6 * sizeof *turned);

    const dm_vec a = axes[of->entry % 3];
    const double center[] = {a.x, a.y, a.z};
    row[at[e]] = of->kind == OC_FIT_INERTIA ? turned[of->entry] : center[e % 3];
  }
}

// the center is measured from the link's origin
static double find_shift(const oc_fit_parameters *p, int i) {
  const oc_fit_parameter *of = &p->list[i];
  if (of->kind != OC_FIT_CENTER) return 0;
  const dm_pose T = find_frame(p->robot.tree, of->index);
  const dm_vec axes[] = {T.x, T.y, T.z};
  return -dm_dot(axes[of->entry % 3], T.p);
}

// -- values

// out [count x count] = A B
static void multiply(int n, const double *A, const double *B, bool transposed, double *out) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += A[i * n + k] * (transposed ? B[j * n + k] : B[k * n + j]);
      out[i * n + j] = sum;
    }
}

// values in the links' frames: F v + shift
static void place_values(const oc_fit_parameters *p, const double *F, const double *v,
                         double *out) {
  for (int i = 0; i < p->count; i++) {
    out[i] = find_shift(p, i);
    for (int k = 0; k < p->count; k++) out[i] += F[i * p->count + k] * v[k];
  }
}

dm_status cli_fitted_values_make(cli_fitted_values *out, const oc_fit_parameters *p,
                                 const double *theta, const double *covariance, const bool *bound) {
  const int n = p->count;
  const size_t vector = (size_t)n + 1, matrix = (size_t)n * (size_t)n + 1;
  *out = (cli_fitted_values){.count = n};
  out->start = calloc(vector, sizeof *out->start);
  out->value = calloc(vector, sizeof *out->value);
  out->deviation = calloc(vector, sizeof *out->deviation);
  out->covariance = calloc(matrix, sizeof *out->covariance);
  double *room = calloc(vector + 4 * matrix, sizeof *room);
  if (!room || !out->start || !out->value || !out->deviation || !out->covariance) {
    free(room);
    return DM_NO_MEMORY;
  }
  double *v = room, *F = v + vector, *by_theta = F + matrix, *G = by_theta + matrix,
         *C = G + matrix;
  for (int i = 0; i < n; i++) put_row(p, i, F + (size_t)i * (size_t)n);

  // of the robot, then of the fit with the covariance G C G', G = F dv/dtheta
  oc_fit_parameters_start(p, C);
  oc_fit_parameters_values(p, C, v, NULL);
  place_values(p, F, v, out->start);
  oc_fit_parameters_values(p, theta, v, by_theta);
  place_values(p, F, v, out->value);
  multiply(n, F, by_theta, false, G);
  for (int i = 0; bound && i < n; i++)
    for (int k = 0; bound[i] && k < n; k++) G[k * n + i] = 0;
  if (covariance) multiply(n, G, covariance, false, C);
  if (covariance) multiply(n, C, G, true, out->covariance);
  for (int i = 0; i < n; i++) out->deviation[i] = sqrt(fmax(0, out->covariance[i * n + i]));
  free(room);
  return DM_OK;
}

void cli_fitted_values_free(cli_fitted_values *v) {
  free(v->start);
  free(v->value);
  free(v->deviation);
  free(v->covariance);
}

// -- replacements

bool cli_fitted_in_file(const oc_fit_parameter *p) {
  return p->kind <= OC_FIT_DAMPING || p->kind >= OC_FIT_PART;
}

static bool is_of_link(const oc_fit_parameter *p) {
  return p->kind == OC_FIT_MASS || p->kind == OC_FIT_CENTER || p->kind == OC_FIT_INERTIA;
}

static char *print_link(const dm_model *m, int joint) {
  const dm_pose T = find_frame(m, joint), back = dm_pose_relative(&T, &dm_identity);
  const dm_inertia I = dm_inertia_move(&m->body[joint], &back);
  const pb_link l = pb_link_of(&I);
  const double *c = l.centre, *J = l.inertia;
  char text[400];
  snprintf(text, sizeof text,
           "{mass: %.10g, center: [%.10g, %.10g, %.10g], inertia: {xx: %.10g, yy: %.10g, zz: "
           "%.10g, xy: %.10g, xz: %.10g, yz: %.10g}}",
           l.mass, c[0], c[1], c[2], J[0], J[1], J[2], J[3], J[4], J[5]);
  return strdup(text);
}

// whether an earlier parameter is of the same link
static bool is_known(const oc_fit_parameters *p, int i) {
  for (int k = 0; k < i; k++)
    if (is_of_link(&p->list[k]) && p->list[k].index == p->list[i].index) return true;
  return false;
}

dm_status cli_fitted_replacements(const oc_fit_parameters *p, const double *theta,
                                  const cli_fitted_values *v, pb_replace **list, int *n) {
  dm_robot robot = {0};
  *n = 0;
  *list = calloc((size_t)p->count + 1, sizeof **list);
  if (!*list) return DM_NO_MEMORY;
  dm_status s = oc_fit_parameters_robot(&robot, p, theta, 0);
  for (int i = 0; s == DM_OK && i < p->count; i++) {
    const oc_fit_parameter *of = &p->list[i];
    char path[160], text[40];
    const bool link = is_of_link(of);
    if (!cli_fitted_in_file(of) || (link && is_known(p, i))) continue;
    snprintf(path, sizeof path, "%.96s", of->path);
    if (link) snprintf(path, sizeof path, "links.%.128s", find_link(robot.tree, of->index));
    snprintf(text, sizeof text, "%.10g", v->value[i]);
    (*list)[*n].path = strdup(path);
    (*list)[*n].text = link ? print_link(robot.tree, of->index) : strdup(text);
    if (!(*list)[*n].path || !(*list)[*n].text) s = DM_NO_MEMORY;
    ++*n;
  }
  dm_robot_free(&robot);
  return s;
}

void cli_fitted_replacements_free(pb_replace *list, int n) {
  for (int i = 0; list && i < n; i++) {
    free((char *)list[i].path);
    free((char *)list[i].text);
  }
  free(list);
}
