// The robot and its motion as a MuJoCo XML file: bodies with inertias and visuals, joints, motors,
// sensors, and keyframes at knots, whose inputs reproduce the plan in MuJoCo.
//
//   a body of the file   the joints between two inertias; its frame is that of the link on them
//   a joint's axis       z of its own frame, expressed in the body's frame at q = 0
//   qpos, qvel           q and v of hinges and slides; the quaternion of a ball, and 2 conj(q) v
//
// A warning names anything that the file cannot represent, or represents only approximately.
// Source: [todorov-2012] in docs/sources.md.
#include "cli/console/log.h"
#include "cli/exchange/engine_contacts.h"
#include "cli/exchange/engine_parts.h"
#include "cli/exchange/formats.h"
#include "lib/base/blas.h"
#include "lib/base/decimal.h"
#include "lib/multibody/ball_joint.h"
#include "lib/multibody/outline.h"
#include "problems/readers/model/visuals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- joints

// both limits; a missing one is far away
static void print_limits(const cli_engine_file *w, dm_range q) {
  static const double FAR = 1e6;
  if (!isfinite(q.low) && !isfinite(q.high)) return;
  fputs(" limited=\"true\"", w->f);
  cli_engine_values(w, "range", (const double[]){fmax(q.low, -FAR), fmin(q.high, FAR)}, 2);
}

// forces along a coordinate act on its first joint
static void print_joint_forces(const cli_engine_file *w, int j) {
  const int i = w->m->coord[j];
  cli_engine_joint_force f = cli_engine_joint_forces(w, j);
  f.damping += w->m->damping[i];
  if (f.stiffness > 0) {
    cli_engine_values(w, "stiffness", &f.stiffness, 1);
    cli_engine_values(w, "springref", &f.rest, 1);
  }
  if (f.damping > 0) cli_engine_values(w, "damping", &f.damping, 1);
  if (f.friction > 0) cli_engine_values(w, "frictionloss", &f.friction, 1);
  if (w->m->armature[i] > 0) cli_engine_values(w, "armature", &w->m->armature[i], 1);
}

static void print_joint(cli_engine_file *w, int j, int depth) {
  const dm_model *m = w->m;
  const int i = m->coord[j];
  const dm_pose C = cli_engine_frame(w, j);
  char name[256];
  cli_engine_joint_name(m, j, name, sizeof name);
  cli_engine_indent(w, depth);
  fputs("<joint", w->f);
  cli_engine_name(w, "name", name);

  // a ball joint has no axis, a slide no position, and a mimic joint no limits
  if (m->ball[j]) {
    fputs(" type=\"ball\"", w->f);
  } else {
    fprintf(w->f, " type=\"%s\"", m->slides[j] ? "slide" : "hinge");
    cli_engine_point(w, "axis", cli_engine_axis(w, j));
    if (!m->slides[j]) cli_engine_point(w, "pos", dm_unrotate(&C, dm_mul(-1, C.p)));
    if (!cli_engine_copies(m, j)) print_limits(w, dm_bounds_at(dm_model_limits(m).q, i));
  }
  if (!cli_engine_copies(m, j)) print_joint_forces(w, j);
  fputs("/>\n", w->f);
  w->order[w->written++] = j;
}

// -- masses and visuals of bodies

// whether moments violate the triangle inequality by more than rounding, which MuJoCo refuses
static bool is_odd(const double moment[3]) {
  return moment[0] + moment[1] < moment[2] * (1 - 1e-9);
}

// The inertia about the center of mass, as principal moments in ascending order and the pose of
// their axes. Moments below zero due to rounding, as for a rod, become zero; MuJoCo then replaces
// them by a tiny value.
static dm_pose find_principal(const dm_inertia *body, double moment[3]) {
  dm_inertia about = *body;
  const dm_vec centre = dm_mul(body->m > 0 ? 1 / body->m : 0, body->c);
  dm_shift(&about, dm_mul(-1, centre));
  double A[9] = {about.xx, about.xy, about.xz, about.xy, about.yy,
                 about.yz, about.xz, about.yz, about.zz};
  dm_blas()->LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', 3, A, 3, moment);
  for (int i = 0; i < 3; i++)
    if (moment[i] < 1e-14 * moment[2]) moment[i] = 0;
  // a rotor, without mass and transverse inertia, becomes a disk
  const double more = body->m > 0 ? 0 : (moment[2] - moment[0] - moment[1]) / 2;
  for (int i = 0; i < 2 && more > 0; i++) moment[i] += more;
  if (!is_odd(moment)) moment[2] = fmin(moment[2], moment[0] + moment[1]);

  // a right-handed frame of the eigenvectors, which are columns
  const dm_vec x = dm_v(A[0], A[3], A[6]), y = dm_v(A[1], A[4], A[7]);
  return (dm_pose){x, y, dm_cross(x, y), centre};
}

// a mass, or moments without mass, as for a rotor
static bool has_inertia(const dm_inertia *body) {
  return body->m > 0 || body->xx + body->yy + body->zz > 0;
}

static void print_inertia(const cli_engine_file *w, int joint, int depth) {
  const dm_inertia *body = &w->m->body[joint];
  double moment[3];
  if (!has_inertia(body)) return;
  const dm_pose link = cli_engine_link(w->m, joint), axes = find_principal(body, moment);
  const dm_pose at = dm_pose_relative(&link, &axes);
  cli_engine_indent(w, depth);
  fputs("<inertial", w->f);
  cli_engine_values(w, "mass", &body->m, 1);
  cli_engine_pose(w, &at);
  cli_engine_values(w, "diaginertia", moment, 3);
  fputs("/>\n", w->f);
}

// six times the enclosed volume, relative to the cube of the size: MuJoCo refuses flat meshes
static bool is_flat(const pb_visual *v) {
  double volume = 0, size = 0;
  for (int i = 0; i < v->triangles; i++) {
    const double *x = v->x + 9 * (size_t)i;
    const dm_vec o = dm_v(v->x[0], v->x[1], v->x[2]);
    const dm_vec a = dm_sub(dm_v(x[0], x[1], x[2]), o), b = dm_sub(dm_v(x[3], x[4], x[5]), o);
    const dm_vec c = dm_sub(dm_v(x[6], x[7], x[8]), o);
    volume += dm_dot(a, dm_cross(b, c));
    size = fmax(size, sqrt(fmax(dm_dot(a, a), fmax(dm_dot(b, b), dm_dot(c, c)))));
  }
  return v->triangles && !(fabs(volume) > 1e-6 * size * size * size);
}

static void print_look(const cli_engine_file *w, int i, int depth) {
  const pb_visual *v = &w->looks.list[i];
  if (is_flat(v)) return;
  const bool box = !strcmp(v->kind, "box"), sphere = !strcmp(v->kind, "sphere");
  const double half[] = {v->size[0] / 2, v->size[1] / 2, v->size[2] / 2};
  const double round[] = {v->size[0], v->size[1] / 2};
  if (v->triangles)
    cli_engine_geom(w, "mesh", v->joint, &v->frame, NULL, 0, v->colour, depth);
  else
    cli_engine_geom(w, v->kind, v->joint, &v->frame, box ? half : round,
                    box      ? 3
                    : sphere ? 1
                             : 2,
                    v->colour, depth);
  if (v->triangles) fprintf(w->f, " mesh=\"mesh %d\"", i);
  fputs("/>\n", w->f);
}

// a shape of keep_out, transparent; infinite shapes are 10 m long
static void print_shape(const cli_engine_file *w, const pb_kept_shape *k, int depth) {
  static const char *const type[] = {[DM_SHAPE_HALF_SPACE] = "plane",
                                     [DM_SHAPE_SPHERE] = "sphere",
                                     [DM_SHAPE_CAPSULE] = "capsule",
                                     [DM_SHAPE_CYLINDER] = "cylinder",
                                     [DM_SHAPE_BOX] = "box"};
  static const double colour[] = {0.85, 0.55, 0.37, 0.3}, MOST = 5;

  // half lengths; a plane is drawn MOST wide
  const dm_shape *s = &k->shape;
  const bool box = s->kind == DM_SHAPE_BOX, plane = s->kind == DM_SHAPE_HALF_SPACE;
  const double half[] = {fmin(s->half[0], MOST), fmin(s->half[1], MOST), fmin(s->half[2], MOST)};
  const double flat[] = {MOST, MOST, 1}, round[] = {s->radius, half[2]};
  const int n = plane || box ? 3 : s->kind == DM_SHAPE_SPHERE ? 1 : 2;
  cli_engine_geom(w, type[s->kind], k->joint, &k->frame,
                  plane ? flat
                  : box ? half
                        : round,
                  n, colour, depth);
  fputs(" group=\"3\"/>\n", w->f);
}

// the other end of a line in the frame of the joint that carries its first end; returns false if it
// moves there
static bool find_other_end(const cli_engine_file *w, const dm_segment *at, dm_vec *end) {
  const int from = at->joint[0], to = at->joint[1];
  *end = at->end[1];
  if (to == from) return true;
  if (to < 0 || w->m->parent[to] != from || w->m->slides[to]) return false;
  *end = dm_place(&w->m->offset[to], at->end[1]);
  return true;
}

// a point in the frame of a joint, expressed in its body's frame
static dm_vec place_in_body(const cli_engine_file *w, int joint, dm_vec a) {
  const dm_pose link = cli_engine_link(w->m, joint);
  return dm_unrotate(&link, dm_sub(a, link.p));
}

// sticks and masses, if a joint carries no visuals
static void print_outline(const cli_engine_file *w, int joint, int depth) {
  // sticks that begin at the joint, then masses as spheres
  for (int i = 0; i < w->outline->nline; i++) {
    const dm_outline_line *l = &w->outline->line[i];
    dm_vec end;
    if (l->kind != DM_OUTLINE_LINK || l->at.joint[0] != joint) continue;
    if (!find_other_end(w, &l->at, &end)) continue;
    const dm_vec a = place_in_body(w, joint, l->at.end[0]), b = place_in_body(w, joint, end);
    const dm_vec d = dm_sub(b, a);
    if (!(dm_dot(d, d) > w->thick * w->thick)) continue;
    cli_engine_indent(w, depth);
    fputs("<geom type=\"capsule\"", w->f);
    cli_engine_values(w, "size", &w->thick, 1);
    cli_engine_values(w, "fromto", (const double[]){a.x, a.y, a.z, b.x, b.y, b.z}, 6);
    fputs("/>\n", w->f);
  }
  for (int i = 0; i < w->outline->nmark; i++) {
    const dm_outline_mark *mark = &w->outline->mark[i];
    dm_pose at = dm_identity;
    if (mark->joint != joint || !(mark->mass > 0)) continue;
    at.p = mark->at;
    cli_engine_geom(w, "sphere", joint, &at, (const double[]){2 * w->thick}, 1, NULL, depth);
    fputs("/>\n", w->f);
  }
}

// everything visible on a joint; -1: the world
static void print_looks(const cli_engine_file *w, int joint, int depth) {
  for (int i = 0; i < w->looks.n; i++)
    if (w->looks.list[i].joint == joint) print_look(w, i, depth);
  if (!cli_engine_looks_at(w, joint)) print_outline(w, joint, depth);
  const pb_outputs *of = &w->robot->outputs;
  for (int i = 0; i < of->nshapes; i++)
    if (of->shape[i].joint == joint) print_shape(w, &of->shape[i], depth);
  cli_engine_print_sites(w, joint, depth);
  cli_engine_print_surfaces(w, joint, depth);
}

// -- bodies

// the name of the first body on a joint; "world" is reserved by MuJoCo
static void name_engine_body(const dm_model *m, int joint, char *text, size_t size) {
  for (int b = 0; b < m->nbody; b++)
    if (m->body_joint[b] == joint) {
      const bool taken = !strcmp(m->body_name[b], "world");
      snprintf(text, size, "%s%s", m->body_name[b], taken ? " body" : "");
      return;
    }
  snprintf(text, size, "on %s %d", m->name[m->coord[joint]], joint);
}

static void print_children(cli_engine_file *w, int joint, int depth);

// print the body whose first joint this is, with its descendants
static void print_body(cli_engine_file *w, int first, int depth) {
  const dm_model *m = w->m;
  const int last = cli_engine_last(w, first);
  const dm_pose C = cli_engine_frame(w, first), above = cli_engine_link(m, m->parent[first]);
  const dm_pose own = dm_compose(&m->offset[first], &C), at = dm_pose_relative(&above, &own);
  char name[300];
  name_engine_body(m, last, name, sizeof name);
  cli_engine_indent(w, depth);
  fputs("<body", w->f);
  cli_engine_name(w, "name", name);
  cli_engine_pose(w, &at);
  fputs(">\n", w->f);

  // inertia, joints, visuals, children
  print_inertia(w, last, depth + 1);
  for (int j = first; j >= 0; j = cli_engine_next(w, j))
    if (m->ball[j] != 2) print_joint(w, j, depth + 1);
  print_looks(w, last, depth + 1);
  print_children(w, last, depth + 1);
  cli_engine_indent(w, depth);
  fputs("</body>\n", w->f);
}

static void print_children(cli_engine_file *w, int joint, int depth) {
  for (int j = joint + 1; j < w->m->nj; j++)
    if (w->m->parent[j] == joint) print_body(w, j, depth);
}

// -- sections of the file

// an integer fraction of the motion's step: at most 1 ms, or 0.1 ms if stiff forces enforce
// constraints or there are contacts, and short compared with the decay by damping
static double find_engine_step(const cli_engine_file *w) {
  const dm_trajectory *x = w->x->call.run.x;
  const bool stiff = !w->m->direct || w->robot->mechanism.constraints || cli_engine_has_contacts(w);
  double rate = stiff ? 1e4 : 1e3, lost = 0;
  for (int i = 0; i < w->m->nq; i++)
    if (w->m->inertia[i] > 0) lost += w->m->damping[i] / w->m->inertia[i];
  if (lost > rate) rate = lost;
  return x->h / ceil(x->h * rate);
}

// the first joint with an impossible inertia; -1: none
static int find_odd_inertia(const cli_engine_file *w) {
  double moment[3];
  for (int j = 0; j < w->m->nj; j++) {
    if (!has_inertia(&w->m->body[j])) continue;
    find_principal(&w->m->body[j], moment);
    if (is_odd(moment)) return j;
  }
  return -1;
}

// the first joint with inertia about one axis alone and no mass; -1: none
static int find_rotor(const cli_engine_file *w) {
  for (int j = 0; j < w->m->nj; j++) {
    const dm_inertia *body = &w->m->body[j];
    const double all = body->xx + body->yy + body->zz;
    double moment[3];
    if (body->m > 0 || !has_inertia(body)) continue;
    find_principal(body, moment);
    if (moment[0] + moment[1] + moment[2] > all * (1 + 1e-9)) return j;
  }
  return -1;
}

static void print_options(const cli_engine_file *w) {
  const double step = find_engine_step(w);
  const char *balance = find_odd_inertia(w) >= 0 ? " balanceinertia=\"true\"" : "";
  fprintf(w->f, "  <compiler angle=\"radian\" boundmass=\"2e-15\" boundinertia=\"2e-15\"%s/>\n",
          balance);
  fputs("  <option integrator=\"RK4\"", w->f);
  cli_engine_values(w, "timestep", &step, 1);
  cli_engine_point(w, "gravity", w->m->gravity);
  if (cli_engine_has_contacts(w)) fputs(" cone=\"elliptic\" impratio=\"10\"", w->f);
  fputs("/>\n  <default>\n", w->f);
  fputs("    <geom contype=\"0\" conaffinity=\"0\" mass=\"0\" rgba=\"0.56 0.64 0.71 1\"/>\n", w->f);
  fputs("    <equality solimp=\"0.9999 0.9999 0.001 0.5 2\"", w->f);
  cli_engine_values(w, "solref", (const double[]){2 * step, 1}, 2);
  fputs("/>\n  </default>\n", w->f);
}

// meshes are embedded in the file, in the order of their numbers
static void print_mesh(const cli_engine_file *w, int i) {
  const pb_visual *v = &w->looks.list[i];
  fprintf(w->f, "    <mesh name=\"mesh %d\" vertex=\"", i);
  for (int k = 0; k < 9 * v->triangles; k++) fprintf(w->f, "%s%.9g", k ? " " : "", v->x[k]);
  fputs("\" face=\"", w->f);
  for (int k = 0; k < 3 * v->triangles; k++) fprintf(w->f, "%s%d", k ? " " : "", k);
  fputs("\"/>\n", w->f);
}

static bool has_solid_mesh(const pb_visual *v) {
  return v->triangles && !is_flat(v);
}

static void print_assets(const cli_engine_file *w) {
  int meshes = 0;
  for (int i = 0; i < w->looks.n; i++) meshes += has_solid_mesh(&w->looks.list[i]);
  if (!meshes) return;
  fputs("  <asset>\n", w->f);
  for (int i = 0; i < w->looks.n; i++)
    if (has_solid_mesh(&w->looks.list[i])) print_mesh(w, i);
  fputs("  </asset>\n", w->f);
}

// the joint of an input, or -1 for the input of a load
static int find_driven(const dm_model *m, int input) {
  for (int j = 0; j < m->nj; j++)
    if (m->coord[j] == m->input_coord[input]) return j;
  return -1;
}

// a motor on a joint; for a ball joint a torque about an axis of the body
static void open_motor(const cli_engine_file *w, int j, int input) {
  const dm_model *m = w->m;
  char name[256];

  // the joint, or the first joint of a ball, with the axis as its gear
  int first = j;
  while (m->ball[first] == 2) first--;
  cli_engine_joint_name(m, first, name, sizeof name);
  fputs("    <motor", w->f);
  cli_engine_name(w, "joint", name);
  if (m->ball[j])
    cli_engine_point(w, "gear", dm_mul(m->input_gear[input], cli_engine_axis(w, j)));
  else
    cli_engine_values(w, "gear", &m->input_gear[input], 1);
}

// the motor of an input on a joint or of a load, with its name and limits
static void print_motor(const cli_engine_file *w, int input) {
  const dm_model *m = w->m;
  const int j = find_driven(m, input);
  if (j >= 0)
    open_motor(w, j, input);
  else if (!cli_engine_open_load(w, input))
    return;
  cli_engine_name(w, "name", m->input_name[input]);
  if (isfinite(m->u_min[input]) && isfinite(m->u_max[input])) {
    fputs(" ctrllimited=\"true\"", w->f);
    cli_engine_values(w, "ctrlrange", (const double[]){m->u_min[input], m->u_max[input]}, 2);
  }
  fputs("/>\n", w->f);
}

static bool has_motor(const cli_engine_file *w, int input) {
  return find_driven(w->m, input) >= 0 || cli_engine_has_load(w, input);
}

static int count_motors(const cli_engine_file *w) {
  int n = 0;
  for (int i = 0; i < w->m->nu; i++) n += has_motor(w, i);
  return n;
}

static void print_motors(const cli_engine_file *w) {
  if (count_motors(w) + cli_engine_count_constants(w) == 0) return;
  fputs("  <actuator>\n", w->f);
  for (int i = 0; i < w->m->nu; i++) print_motor(w, i);
  cli_engine_print_constants(w);
  fputs("  </actuator>\n", w->f);
}

static void print_sensors(const cli_engine_file *w) {
  fputs("  <sensor>\n", w->f);
  for (int k = 0; k < w->written; k++) {
    const int j = w->order[k];
    char name[256], sensor[280];
    cli_engine_joint_name(w->m, j, name, sizeof name);

    // position, then velocity
    for (int rate = 0; rate < 2; rate++) {
      const char *kind = w->m->ball[j] ? rate ? "ballangvel" : "ballquat"
                         : rate        ? "jointvel"
                                       : "jointpos";
      snprintf(sensor, sizeof sensor, "%s.%s", rate ? "v" : "q", name);
      fprintf(w->f, "    <%s", kind);
      cli_engine_name(w, "name", sensor);
      cli_engine_name(w, "joint", name);
      fputs("/>\n", w->f);
    }
  }
  fputs("  </sensor>\n", w->f);
}

// mimic joints, which MuJoCo couples softly
static void print_copies(const cli_engine_file *w) {
  const dm_model *m = w->m;
  for (int j = 0; j < m->nj; j++) {
    if (!cli_engine_copies(m, j)) continue;
    char name[256];
    cli_engine_joint_name(m, j, name, sizeof name);
    fputs("    <joint", w->f);
    cli_engine_name(w, "joint1", name);
    cli_engine_name(w, "joint2", m->name[m->coord[j]]);
    cli_engine_values(w, "polycoef", (const double[]){m->shift[j], m->ratio[j], 0, 0, 0}, 5);
    fputs("/>\n", w->f);
  }
}

static void print_equalities(const cli_engine_file *w) {
  if (w->m->direct && !w->robot->mechanism.constraints) return;
  fputs("  <equality>\n", w->f);
  print_copies(w);
  cli_engine_print_constraints(w);
  fputs("  </equality>\n", w->f);
}

// -- keyframes

// the value or rate of a joint in MuJoCo from coordinates p and rates r; returns how many numbers
static int find_joint_state(const cli_engine_file *w, int j, const double *p, const double *r,
                            bool rates, double value[4]) {
  const dm_model *m = w->m;
  if (!m->ball[j]) {
    value[0] = rates ? m->ratio[j] * r[0] : m->ratio[j] * p[0] + m->shift[j];
    return 1;
  }

  // for a ball joint p, or W = 2 vec(conj(p) r), both in the axes of the body
  const dm_pose C = cli_engine_frame(w, j);
  dm_vec a = dm_v(p[1], p[2], p[3]);
  if (rates) {
    const dm_vec s = dm_v(r[1], r[2], r[3]);
    a = dm_mul(2, dm_sub(dm_sub(dm_mul(p[0], s), dm_mul(r[0], a)), dm_cross(a, s)));
  }
  a = dm_unrotate(&C, a);
  const double all[] = {p[0], a.x, a.y, a.z};
  memcpy(value, rates ? all + 1 : all, (rates ? 3 : 4) * sizeof *all);
  return rates ? 3 : 4;
}

// qpos or qvel of one knot in the file's order
static void print_state(const cli_engine_file *w, int k, bool rates) {
  const dm_trajectory *x = w->x->call.run.x;
  const double *q = x->q + (size_t)k * (size_t)x->n, *v = x->v + (size_t)k * (size_t)x->n;
  char text[DM_DECIMAL];
  fprintf(w->f, " %s=\"", rates ? "qvel" : "qpos");
  for (int a = 0; a < w->written; a++) {
    const int j = w->order[a], i = dm_ball_outside(w->m, w->m->coord[j]);
    double value[4];
    const int n = find_joint_state(w, j, q + i, v + i, rates, value);
    for (int c = 0; c < n; c++) {
      dm_decimal_put(value[c], text);
      fprintf(w->f, "%s%s", a || c ? " " : "", text);
    }
  }
  fputc('"', w->f);
}

// the inputs of the step from a knot; for the last knot the previous ones
static void print_inputs(const cli_engine_file *w, int k) {
  const dm_trajectory *x = w->x->call.run.x;
  const double *u = x->u + (size_t)(k < x->N ? k : x->N - 1) * (size_t)x->nu;
  char text[DM_DECIMAL];
  const int constants = cli_engine_count_constants(w);
  int n = 0;
  if (count_motors(w) + constants == 0) return;
  fputs(" ctrl=\"", w->f);
  for (int i = 0; i < w->m->nu; i++) {
    if (!has_motor(w, i)) continue;
    dm_decimal_put(u[i], text);
    fprintf(w->f, "%s%s", n++ ? " " : "", text);
  }
  for (int i = 0; i < constants; i++) fprintf(w->f, "%s0", n++ ? " " : "");
  fputc('"', w->f);
}

static void print_key(const cli_engine_file *w, const char *name, int k) {
  const double t = dm_trajectory_time(w->x->call.run.x, k);
  fputs("    <key", w->f);
  cli_engine_name(w, "name", name);
  cli_engine_values(w, "time", &t, 1);
  print_state(w, k, false);
  print_state(w, k, true);
  print_inputs(w, k);
  fputs("/>\n", w->f);
}

// the start, the goal, and every knot; on fine grids every n-th
static void print_keys(const cli_engine_file *w) {
  enum { MOST = 1000 };
  const int N = w->x->call.run.x->N, every = N / MOST + 1;
  fputs("  <keyframe>\n", w->f);
  print_key(w, "start", 0);
  print_key(w, "goal", N);
  for (int k = 0; k <= N; k += every) {
    char name[32];
    snprintf(name, sizeof name, "knot %d", k);
    print_key(w, name, k);
  }
  fputs("  </keyframe>\n", w->f);
}

// -- the file

static const char *name_carrier(const dm_model *m, int joint) {
  return joint < 0 ? "the world" : m->name[m->coord[joint]];
}

// warn about everything that the file does not contain
static void warn_of_rest(const cli_engine_file *w) {
  // parts of the robot that MuJoCo cannot represent
  cli_engine_warn_parts(w);
  for (int i = 0; i < w->m->nq; i++)
    if (w->m->kinematic[i])
      cli_note(w->args, "warning: the file for MuJoCo: '%s' is prescribed, and free in it",
               w->m->name[i]);
  const int odd = find_odd_inertia(w), rotor = find_rotor(w);
  if (rotor >= 0)
    cli_note(
        w->args,
        "warning: the file for MuJoCo: the inertia about one axis on '%s' is that of a disk, which "
        "also has half of it across",
        w->m->name[w->m->coord[rotor]]);
  if (odd >= 0)
    cli_note(w->args,
             "warning: the file for MuJoCo: no rigid body has the inertia that '%s' moves; "
             "MuJoCo takes the mean of its moments",
             w->m->name[w->m->coord[odd]]);
  for (int i = 0; i < w->looks.n; i++)
    if (is_flat(&w->looks.list[i]))
      cli_note(w->args, "warning: the file for MuJoCo: a mesh on '%s' is flat, and not in it",
               name_carrier(w->m, w->looks.list[i].joint));
  cli_note_missing(w->args, &w->looks);
}

static double find_thickness(const cli_engine_file *w) {
  double longest = 0;
  for (int j = 0; j < w->m->nj; j++) {
    const dm_vec p = w->m->offset[j].p, tip = w->outline->tip[j];
    longest = fmax(longest, sqrt(fmax(dm_dot(p, p), dm_dot(tip, tip))));
  }
  return 0.02 * (longest > 0 ? longest : 0.5);
}

static dm_status open_engine_file(cli_engine_file *w) {
  const cli_exhibit *x = w->x;
  const char *source = cli_json_get_text(x->call.result, "problem");
  w->robot = &x->call.run.p->robot;
  w->m = w->robot->mechanism.tree;
  w->order = calloc((size_t)w->m->nj + 1, sizeof *w->order);
  w->held = calloc((size_t)w->m->nj + 1, sizeof *w->held);
  if (!w->order || !w->held) return DM_NO_MEMORY;
  DM_TRY(cli_engine_parts_new(&w->parts, w));
  DM_TRY(pb_visuals_read(&w->looks, w->robot, source ? source : x->call.run.p->file.path));
  DM_TRY(dm_outline_new(&w->outline, w->m, w->robot->mechanism.constraints,
                        w->robot->mechanism.springs, w->robot->mechanism.contacts));
  w->thick = find_thickness(w);
  return DM_OK;
}

static void print_engine_file(cli_engine_file *w) {
  fputs("<mujoco", w->f);
  cli_engine_name(w, "model", w->x->call.run.p->file.name);
  fputs(">\n", w->f);

  // model, then actuators and sensors, then the motion
  print_options(w);
  print_assets(w);
  fputs("  <worldbody>\n    <light pos=\"0 0 4\" dir=\"0 0 -1\" directional=\"true\"/>\n", w->f);
  print_looks(w, -1, 2);
  print_children(w, -1, 2);
  fputs("  </worldbody>\n", w->f);
  cli_engine_print_pairs(w, find_engine_step(w));
  cli_engine_print_tendons(w);
  print_equalities(w);
  print_motors(w);
  print_sensors(w);
  print_keys(w);
  fputs("</mujoco>\n", w->f);
}

static int write_mujoco(const cli_conversion *c, FILE *f) {
  cli_engine_file w = {.f = f, .args = c->args, .x = c->all->at[0]};
  const dm_status s = open_engine_file(&w);
  if (s == DM_OK) {
    warn_of_rest(&w);
    print_engine_file(&w);
  }
  free(w.order);
  free(w.held);
  cli_engine_parts_free(w.parts);
  pb_visuals_free(&w.looks);
  dm_outline_free(w.outline);
  return s == DM_OK ? CLI_DONE : cli_fail_status(c->args, s, NULL);
}

const cli_format cli_format_mujoco = {
    .word = "mujoco",
    .suffix = ".xml",
    .file = CLI_MUJOCO,
    .write = write_mujoco,
};
