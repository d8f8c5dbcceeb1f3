#include "cli/exchange/engine_parts.h"

#include "cli/console/log.h"
#include "cli/exchange/engine_contacts.h"
#include "lib/base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- classification of parts

static int count_springs(const cli_engine_file *w) {
  return w->robot->mechanism.springs ? dm_springs_count(w->robot->mechanism.springs) : 0;
}

static int count_loads(const cli_engine_file *w) {
  return w->robot->mechanism.loads ? dm_loads_count(w->robot->mechanism.loads) : 0;
}

static int list_constraints(const cli_engine_file *w, const dm_constraint **list) {
  return w->robot->mechanism.constraints
             ? dm_constraints_described(w->robot->mechanism.constraints, list)
             : 0;
}

// the single coordinate of a tendon, with its factor; -1: a path, or several coordinates
static int find_only_coord(const dm_tendons *t, int i, double *factor) {
  const int *coord;
  int first;
  if (dm_tendons_pieces_of(t, i, &first) > 0 || dm_tendons_coords(t, i, &coord) != 1) return -1;
  *factor = dm_tendons_factors(t, i)[0];
  return coord[0];
}

static bool is_path(const dm_tendons *t, int i) {
  int first;
  return dm_tendons_pieces_of(t, i, &first) > 0;
}

// a combination of at least two coordinates
static bool is_combination(const dm_tendons *t, int i) {
  double factor;
  return !is_path(t, i) && find_only_coord(t, i, &factor) < 0;
}

static bool is_said_spring(const dm_springs *c, int i) {
  double stiffness, rest;
  return dm_springs_linear(c, i, &stiffness, &rest);
}

// a wrench in the axes of its body or of the world, at a point of the body
static bool is_site_wrench(const dm_load_place *x) {
  return x->kind == DM_WRENCH_BODY || x->kind == DM_WRENCH_MIXED;
}

static bool is_said_load(const dm_loads *c, int i) {
  const dm_load_place x = dm_loads_place(c, i);
  const dm_tendons *t = dm_loads_tendons(c);
  if (x.kind == DM_DAMPER && x.input < 0) return true;
  if (x.kind == DM_CABLE) return x.input >= 0 && is_path(t, x.tendon);
  return is_site_wrench(&x);
}

// Whether the tree itself keeps a point of body 0 in the plane through x1, from the gradient in a
// generic configuration; through: the plane must contain x1.
static bool keeps_plane(const cli_engine_file *w, const dm_constraint *c, bool through) {
  enum { PLACES = 4 };
  const int nq = w->m->nq;
  dm_constraints *plane = NULL;
  double h = 0, off = 0, *q = calloc(2 * (size_t)nq, sizeof *q), *Dh = q ? q + nq : NULL;
  dm_constraint own = *c;
  own.kind = DM_PLANE;
  if (!q || dm_constraints_new(&plane, w->m, 1, &own, NULL) != DM_OK) off = INFINITY;
  const dm_holonomic rows = plane ? dm_constraints_holonomic(plane) : (dm_holonomic){0};
  void *scratch = plane ? aligned_alloc(64, (rows.scratch + 63) / 64 * 64 + 64) : NULL;
  if (!scratch) off = INFINITY;

  // h and its gradient at random configurations
  for (int p = 0; scratch && p < PLACES; p++) {
    for (int i = 0; i < nq; i++) q[i] = 0.6 + 0.5 * dm_random_uniform(7, p, (uint64_t)i);
    if (dm_constraints_rows(plane, scratch, q, 1, NULL, &h, Dh) != DM_OK) off = INFINITY;
    for (int i = 0; i < nq; i++) off = fmax(off, fabs(Dh[i]));
    if (through) off = fmax(off, fabs(h));
  }
  free(scratch);
  dm_constraints_free(plane);
  free(q);
  return off < 1e-12;
}

// a line is equivalent to a point, and a planar pose to a pose, if the tree itself moves in that
// plane
static bool is_planar(const cli_engine_file *w, const dm_constraint *c) {
  bool planar = keeps_plane(w, c, true);
  for (int i = 0; c->kind == DM_POSE_PLANAR && i < 3; i++) {
    dm_constraint beside = *c;
    beside.point[0][i] += 1;
    planar = planar && keeps_plane(w, &beside, false);
  }
  return planar;
}

// enforced by a weld, with or without the rows of rotations
static bool is_pose(const cli_engine_file *w, const dm_constraint *c) {
  return c->kind == DM_POSE || (c->kind == DM_POSE_PLANAR && is_planar(w, c));
}

static bool is_point(const cli_engine_file *w, const dm_constraint *c) {
  return c->kind == DM_POINT || (c->kind == DM_LINE && is_planar(w, c));
}

static bool is_said_constraint(const cli_engine_file *w, const dm_constraint *c) {
  return c->kind == DM_DISTANCE || (c->kind == DM_EQUAL && !c->terms) || is_point(w, c) ||
         is_pose(w, c);
}

// the load multiplied by an input; -1: the input of a joint
static int find_load(const cli_engine_file *w, int input) {
  const int own = input - (w->m->nu - w->m->nload);
  for (int i = 0; own >= 0 && i < count_loads(w); i++)
    if (dm_loads_place(w->robot->mechanism.loads, i).input == own) return i;
  return -1;
}

// -- sites and tendons

static dm_status add_site(cli_engine_parts *p, int joint, dm_vec at) {
  cli_engine_site *more = realloc(p->site, ((size_t)p->nsites + 1) * sizeof *more);
  if (!more) return DM_NO_MEMORY;
  p->site = more;
  p->site[p->nsites++] = (cli_engine_site){joint, at};
  return DM_OK;
}

// add a tendon through the ends of segments [n], in reverse order: each ends where the previous one
// begins
static dm_status add_tendon(cli_engine_parts *p, cli_engine_tendon t, const dm_segment *line,
                            int n) {
  cli_engine_tendon *more = realloc(p->tendon, ((size_t)p->ntendons + 1) * sizeof *more);
  if (!more) return DM_NO_MEMORY;
  p->tendon = more;
  t.site = p->nsites;
  t.sites = n + 1;
  p->tendon[p->ntendons++] = t;
  DM_TRY(add_site(p, line[0].joint[1], line[0].end[1]));
  for (int k = 0; k < n; k++) DM_TRY(add_site(p, line[k].joint[0], line[k].end[0]));
  return DM_OK;
}

static dm_status add_path(cli_engine_parts *p, cli_engine_tendon t, const dm_tendons *of, int i) {
  int first;
  const int n = dm_tendons_pieces_of(of, i, &first);
  dm_segment *line = calloc((size_t)n, sizeof *line);
  if (!line) return DM_NO_MEMORY;
  for (int k = 0; k < n; k++) line[k] = dm_tendons_piece(of, first + k);
  const dm_status s = add_tendon(p, t, line, n);
  free(line);
  return s;
}

// add a tendon without sites
static dm_status add_combination(cli_engine_parts *p, cli_engine_tendon t, const dm_tendons *of,
                                 int i) {
  cli_engine_tendon *more = realloc(p->tendon, ((size_t)p->ntendons + 1) * sizeof *more);
  if (!more) return DM_NO_MEMORY;
  p->tendon = more;
  t.of = of;
  t.index = i;
  p->tendon[p->ntendons++] = t;
  return DM_OK;
}

// a point of a body in the frame of the joint that carries it
static dm_vec place_point(const dm_model *m, int body, const double point[3], int *joint) {
  const dm_vec x = dm_v(point[0], point[1], point[2]);
  *joint = body < 0 ? -1 : m->body_joint[body];
  return body < 0 ? x : dm_place(&m->body_pose[body], x);
}

static dm_status add_rod(cli_engine_parts *p, const dm_model *m, const dm_constraint *c) {
  dm_segment line;
  for (int i = 0; i < 2; i++) line.end[i] = place_point(m, c->body[i], c->point[i], &line.joint[i]);
  const cli_engine_tendon t = {.kind = "distance",
                               .name = c->name,
                               .keeps = true,
                               .length = c->length,
                               .coord = c->coord[0]};
  return add_tendon(p, t, &line, 1);
}

static dm_status list_spring_tendons(cli_engine_parts *p, const cli_engine_file *w) {
  const dm_springs *c = w->robot->mechanism.springs;
  for (int i = 0; i < count_springs(w); i++) {
    cli_engine_tendon t = {.kind = "spring", .name = dm_springs_name(c, i)};
    const bool linear = dm_springs_linear(c, i, &t.stiffness, &t.rest);
    if (linear && is_path(dm_springs_tendons(c), i))
      DM_TRY(add_path(p, t, dm_springs_tendons(c), i));
    else if (linear && is_combination(dm_springs_tendons(c), i))
      DM_TRY(add_combination(p, t, dm_springs_tendons(c), i));
  }
  return DM_OK;
}

static dm_status list_load_tendons(cli_engine_parts *p, const cli_engine_file *w) {
  const dm_loads *c = w->robot->mechanism.loads;
  for (int i = 0; i < count_loads(w); i++) {
    const dm_load_place x = dm_loads_place(c, i);
    const bool damper = x.kind == DM_DAMPER;
    const cli_engine_tendon t = {.kind = damper ? "damper" : "cable",
                                 .name = dm_loads_name(c, i),
                                 .damping = damper ? x.damping : 0};
    if (!is_said_load(c, i)) continue;
    if (is_site_wrench(&x))
      DM_TRY(add_site(p, x.joint, x.point));
    else if (is_path(dm_loads_tendons(c), x.tendon))
      DM_TRY(add_path(p, t, dm_loads_tendons(c), x.tendon));
    else if (damper && is_combination(dm_loads_tendons(c), x.tendon))
      DM_TRY(add_combination(p, t, dm_loads_tendons(c), x.tendon));
  }
  return DM_OK;
}

static dm_status list_parts(cli_engine_parts *p, const cli_engine_file *w) {
  const dm_constraint *list = NULL;
  const int n = list_constraints(w, &list);

  // site 0 is the world's origin, a reference for wrenches
  DM_TRY(add_site(p, -1, dm_v(0, 0, 0)));
  DM_TRY(list_spring_tendons(p, w));
  DM_TRY(list_load_tendons(p, w));
  for (int i = 0; i < n; i++)
    if (list[i].kind == DM_DISTANCE) DM_TRY(add_rod(p, w->m, &list[i]));
  return DM_OK;
}

// mark joints with sites and ends of welds
static void mark_held(const cli_engine_parts *p, const cli_engine_file *w) {
  const dm_constraint *list = NULL;
  const int n = list_constraints(w, &list);
  for (int i = 0; i < p->nsites; i++)
    if (p->site[i].joint >= 0) w->held[p->site[i].joint] = true;

  // also for a line that is not in the file
  for (int i = 0; i < 2 * n; i++) {
    const dm_constraint *c = &list[i / 2];
    const int body = c->body[i % 2];
    if (c->kind == DM_DISTANCE || c->kind == DM_EQUAL) continue;
    if (body >= 0 && w->m->body_joint[body] >= 0) w->held[w->m->body_joint[body]] = true;
  }
}

dm_status cli_engine_parts_new(cli_engine_parts **out, const cli_engine_file *w) {
  *out = calloc(1, sizeof **out);
  if (!*out) return DM_NO_MEMORY;
  DM_TRY(list_parts(*out, w));
  mark_held(*out, w);
  cli_engine_hold_contacts(w);
  return DM_OK;
}

void cli_engine_parts_free(cli_engine_parts *p) {
  if (!p) return;
  free(p->site);
  free(p->tendon);
  free(p);
}

// -- bodies and joints

// add a spring along s = factor q of a coordinate, which equals (joint value - shift) / ratio
static void add_joint_spring(cli_engine_joint_force *f, const dm_model *m, int joint, double factor,
                             double stiffness, double rest) {
  const double along = factor / m->ratio[joint], k = stiffness * along * along;
  const double place = rest / along + m->shift[joint];
  if (!(k > 0)) return;
  f->rest = (f->stiffness * f->rest + k * place) / (f->stiffness + k);
  f->stiffness += k;
}

cli_engine_joint_force cli_engine_joint_forces(const cli_engine_file *w, int joint) {
  const dm_model *m = w->m;
  cli_engine_joint_force f = {0};
  double factor = 1, stiffness, rest;

  // combine several springs into one, with its rest at their equilibrium
  for (int i = 0; i < count_springs(w); i++) {
    const int coord = find_only_coord(dm_springs_tendons(w->robot->mechanism.springs), i, &factor);
    if (coord != m->coord[joint]) continue;
    if (dm_springs_linear(w->robot->mechanism.springs, i, &stiffness, &rest))
      add_joint_spring(&f, m, joint, factor, stiffness, rest);
  }

  // friction
  const dm_joint_forces *frictions = w->robot->mechanism.joint[DM_JOINT_FRICTION];
  for (int i = 0; i < dm_joint_forces_count(frictions); i++) {
    const dm_joint_force *x = dm_joint_forces_get(frictions, i);
    if (x->coord != m->coord[joint]) continue;
    f.friction += x->friction.force / fabs(m->ratio[joint]);
    f.damping += x->friction.viscous / (m->ratio[joint] * m->ratio[joint]);
  }

  // dampers are added
  for (int i = 0; i < count_loads(w); i++) {
    const dm_load_place x = dm_loads_place(w->robot->mechanism.loads, i);
    if (x.kind != DM_DAMPER || !is_said_load(w->robot->mechanism.loads, i)) continue;
    if (find_only_coord(dm_loads_tendons(w->robot->mechanism.loads), x.tendon, &factor) !=
        m->coord[joint])
      continue;
    f.damping += x.damping * (factor / m->ratio[joint]) * (factor / m->ratio[joint]);
  }
  return f;
}

static void print_end_name(const cli_engine_file *w, const char *key, const dm_constraint *c,
                           int end) {
  char name[300];
  snprintf(name, sizeof name, "%s end %d", c->name, end + 1);
  cli_engine_name(w, key, name);
}

// print a body without joints at each point of a weld, with the body's orientation
static void print_ends(const cli_engine_file *w, int joint, int depth) {
  const dm_model *m = w->m;
  const dm_pose link = cli_engine_link(m, joint);
  const dm_constraint *list = NULL;
  const int n = list_constraints(w, &list);
  for (int i = 0; i < 2 * n; i++) {
    const dm_constraint *c = &list[i / 2];
    const int body = c->body[i % 2];
    if (!is_point(w, c) && !is_pose(w, c)) continue;
    if ((body < 0 ? -1 : m->body_joint[body]) != joint) continue;

    // the body's axes, at the point
    dm_pose own = body < 0 ? dm_identity : m->body_pose[body];
    own.p = place_point(m, body, c->point[i % 2], &(int){0});
    const dm_pose at = dm_pose_relative(&link, &own);
    cli_engine_indent(w, depth);
    fputs("<body", w->f);
    print_end_name(w, "name", c, i % 2);
    cli_engine_pose(w, &at);
    fputs("/>\n", w->f);
  }
}

void cli_engine_print_sites(const cli_engine_file *w, int joint, int depth) {
  const dm_pose link = cli_engine_link(w->m, joint);
  for (int i = 0; i < w->parts->nsites; i++) {
    const cli_engine_site *s = &w->parts->site[i];
    if (s->joint != joint) continue;
    dm_pose own = dm_identity;
    own.p = s->at;
    const dm_pose at = dm_pose_relative(&link, &own);
    cli_engine_indent(w, depth);
    fprintf(w->f, "<site name=\"site %d\" size=\"0.001\"", i);
    cli_engine_pose(w, &at);
    fputs("/>\n", w->f);
  }
  print_ends(w, joint, depth);
}

// -- tendons

static void print_tendon_name(const cli_engine_file *w, const char *key,
                              const cli_engine_tendon *t) {
  char name[300];
  snprintf(name, sizeof name, "%s %s", t->kind, t->name);
  cli_engine_name(w, key, name);
}

static void print_length_name(const cli_engine_file *w, const char *key,
                              const cli_engine_tendon *t) {
  char name[300];
  snprintf(name, sizeof name, "length of %s", t->name);
  cli_engine_name(w, key, name);
}

// the first joint of a coordinate, and its name
static int name_coord_joint(const dm_model *m, int coord, char *name, size_t size) {
  int j = 0;
  while (m->coord[j] != coord) j++;
  cli_engine_joint_name(m, j, name, size);
  return j;
}

// print the constraint of a string whose length is a coordinate, except for the joint's shift
static void print_length(const cli_engine_file *w, const cli_engine_tendon *t) {
  char name[256];
  const int j = name_coord_joint(w->m, t->coord, name, sizeof name);
  const double coef = 1 / w->m->ratio[j];
  fputs("    <fixed", w->f);
  print_length_name(w, "name", t);
  fputs("><joint", w->f);
  cli_engine_name(w, "joint", name);
  cli_engine_values(w, "coef", &coef, 1);
  fputs("/></fixed>\n", w->f);
}

static void print_softness(const cli_engine_file *w, const cli_engine_tendon *t, double rest) {
  if (t->stiffness > 0) {
    cli_engine_values(w, "stiffness", &t->stiffness, 1);
    cli_engine_values(w, "springlength", &rest, 1);
  }
  if (t->damping > 0) cli_engine_values(w, "damping", &t->damping, 1);
}

// sum factor q, with q = (x - shift) / ratio of the joint's value x
static void print_combination(const cli_engine_file *w, const cli_engine_tendon *t) {
  const int *coord, n = dm_tendons_coords(t->of, t->index, &coord);
  const double *factor = dm_tendons_factors(t->of, t->index);
  char name[256];
  double rest = t->rest;
  for (int i = 0; i < n; i++) {
    const int j = name_coord_joint(w->m, coord[i], name, sizeof name);
    rest += factor[i] * w->m->shift[j] / w->m->ratio[j];
  }
  fputs("    <fixed", w->f);
  print_tendon_name(w, "name", t);
  print_softness(w, t, rest);
  fputs(">", w->f);
  for (int i = 0; i < n; i++) {
    const int j = name_coord_joint(w->m, coord[i], name, sizeof name);
    const double coef = factor[i] / w->m->ratio[j];
    fputs("<joint", w->f);
    cli_engine_name(w, "joint", name);
    cli_engine_values(w, "coef", &coef, 1);
    fputs("/>", w->f);
  }
  fputs("</fixed>\n", w->f);
}

void cli_engine_print_tendons(const cli_engine_file *w) {
  const cli_engine_parts *p = w->parts;
  if (!p->ntendons) return;
  fputs("  <tendon>\n", w->f);
  for (const cli_engine_tendon *t = p->tendon; t < p->tendon + p->ntendons; t++) {
    if (t->of) {
      print_combination(w, t);
      continue;
    }
    fputs("    <spatial width=\"0.002\"", w->f);
    print_tendon_name(w, "name", t);
    print_softness(w, t, t->rest);
    fputs(">", w->f);

    // the sites along its path
    for (int i = t->site; i < t->site + t->sites; i++) fprintf(w->f, "<site site=\"site %d\"/>", i);
    fputs("</spatial>\n", w->f);
    if (t->keeps && t->coord >= 0) print_length(w, t);
  }
  fputs("  </tendon>\n", w->f);
}

// -- constraints

// the frame of a joint in the world with all joints of the file at zero
static dm_pose find_zero_frame(const dm_model *m, int joint) {
  dm_pose X = dm_identity;
  for (int j = joint; j >= 0; j = m->parent[j]) X = dm_compose(&m->offset[j], &X);
  return X;
}

// the length of a tendon between two sites in that configuration, the reference for MuJoCo's
// constraint
static double find_zero_length(const cli_engine_file *w, const cli_engine_tendon *t) {
  dm_vec x[2];
  for (int i = 0; i < 2; i++) {
    const cli_engine_site *s = &w->parts->site[t->site + i];
    const dm_pose X = find_zero_frame(w->m, s->joint);
    x[i] = dm_place(&X, s->at);
  }
  const dm_vec d = dm_sub(x[1], x[0]);
  return sqrt(dm_dot(d, d));
}

// |x0 - x1| = length, or = (x - shift)/ratio for the joint x of a coordinate, itself a tendon
static void print_rod(const cli_engine_file *w, const cli_engine_tendon *t) {
  double poly[5] = {t->length - find_zero_length(w, t)};
  char name[256];
  fputs("    <tendon", w->f);
  print_tendon_name(w, "tendon1", t);
  if (t->coord >= 0) {
    const int j = name_coord_joint(w->m, t->coord, name, sizeof name);
    poly[0] = -w->m->shift[j] / w->m->ratio[j] - find_zero_length(w, t);
    poly[1] = 1;
    print_length_name(w, "tendon2", t);
  }
  cli_engine_values(w, "polycoef", poly, 5);
  fputs("/>\n", w->f);
}

// q_0 = ratio q_1 + shift, for joints with their own ratio and shift
static void print_equal(const cli_engine_file *w, const dm_constraint *c) {
  const dm_model *m = w->m;
  char name[2][256];
  int j[2];
  for (int i = 0; i < 2; i++) j[i] = name_coord_joint(m, c->coord[i], name[i], sizeof name[i]);
  const double slope = m->ratio[j[0]] * c->ratio / m->ratio[j[1]];
  const double at = m->shift[j[0]] + m->ratio[j[0]] * c->shift - slope * m->shift[j[1]];
  fputs("    <joint", w->f);
  cli_engine_name(w, "joint1", name[0]);
  cli_engine_name(w, "joint2", name[1]);
  cli_engine_values(w, "polycoef", (const double[]){at, slope, 0, 0, 0}, 5);
  fputs("/>\n", w->f);
}

// the frames at both points coincide
static void print_weld(const cli_engine_file *w, const dm_constraint *c) {
  fputs("    <weld", w->f);
  cli_engine_name(w, "name", c->name);
  print_end_name(w, "body1", c, 0);
  print_end_name(w, "body2", c, 1);
  cli_engine_values(w, "relpose", (const double[]){0, 0, 0, 1, 0, 0, 0}, 7);
  if (is_point(w, c)) fputs(" torquescale=\"0\"", w->f);
  fputs("/>\n", w->f);
}

void cli_engine_print_constraints(const cli_engine_file *w) {
  const dm_constraint *list = NULL;
  const int n = list_constraints(w, &list);
  for (int i = 0; i < w->parts->ntendons; i++)
    if (w->parts->tendon[i].keeps) print_rod(w, &w->parts->tendon[i]);
  for (int i = 0; i < n; i++) {
    if (list[i].kind == DM_EQUAL && !list[i].terms) print_equal(w, &list[i]);
    if (is_point(w, &list[i]) || is_pose(w, &list[i])) print_weld(w, &list[i]);
  }
}

// -- actuators

// the site of a wrench; they are in the order of loads
static int find_site(const cli_engine_file *w, const dm_load_place *x) {
  int i = 1;
  for (; i < w->parts->nsites; i++) {
    const cli_engine_site *s = &w->parts->site[i];
    const dm_vec d = dm_sub(s->at, x->point);
    if (s->joint == x->joint && dm_dot(d, d) == 0) break;
  }
  return i;
}

static void print_site_gear(const cli_engine_file *w, const dm_load_place *x) {
  const double gear[] = {x->force.x, x->force.y, x->force.z, x->torque.x, x->torque.y, x->torque.z};
  fprintf(w->f, " site=\"site %d\"", find_site(w, x));
  if (x->kind == DM_WRENCH_MIXED) fputs(" refsite=\"site 0\"", w->f);
  cli_engine_values(w, "gear", gear, 6);
}

bool cli_engine_has_load(const cli_engine_file *w, int input) {
  const int i = find_load(w, input);
  return i >= 0 && is_said_load(w->robot->mechanism.loads, i);
}

bool cli_engine_open_load(const cli_engine_file *w, int input) {
  if (!cli_engine_has_load(w, input)) return false;
  const int i = find_load(w, input);
  const dm_load_place x = dm_loads_place(w->robot->mechanism.loads, i);
  fputs("    <motor", w->f);
  if (is_site_wrench(&x)) {
    print_site_gear(w, &x);
    return true;
  }

  // a tension shortens the path
  const cli_engine_tendon t = {.kind = "cable",
                               .name = dm_loads_name(w->robot->mechanism.loads, i)};
  print_tendon_name(w, "tendon", &t);
  fputs(" gear=\"-1\"", w->f);
  return true;
}

static bool is_constant(const cli_engine_file *w, int load) {
  const dm_load_place x = dm_loads_place(w->robot->mechanism.loads, load);
  return x.input < 0 && is_site_wrench(&x);
}

int cli_engine_count_constants(const cli_engine_file *w) {
  int n = 0;
  for (int i = 0; i < count_loads(w); i++) n += is_constant(w, i);
  return n;
}

int cli_engine_print_constants(const cli_engine_file *w) {
  for (int i = 0; i < count_loads(w); i++) {
    const dm_load_place x = dm_loads_place(w->robot->mechanism.loads, i);
    if (!is_constant(w, i)) continue;
    fputs("    <general gainprm=\"0\" biastype=\"affine\" biasprm=\"1 0 0\"", w->f);
    cli_engine_name(w, "name", dm_loads_name(w->robot->mechanism.loads, i));
    print_site_gear(w, &x);
    fputs("/>\n", w->f);
  }
  return cli_engine_count_constants(w);
}

// -- parts that cannot be represented

static bool says_spring(const cli_engine_file *w, int i) {
  return is_said_spring(w->robot->mechanism.springs, i);
}

static bool says_load(const cli_engine_file *w, int i) {
  return is_said_load(w->robot->mechanism.loads, i);
}

static bool says_constraint(const cli_engine_file *w, int i) {
  const dm_constraint *list;
  list_constraints(w, &list);
  return is_said_constraint(w, &list[i]);
}

static bool says_friction(const cli_engine_file *w, int i) {
  (void)w;
  (void)i;
  return true;
}

// The kinds that the file may have: whether part i is in it, and why it is not. Parts of other kinds
// are not in it.
static const struct said {
  bool (*has)(const cli_engine_file *w, int i);
  const char *why;
} says[DM_PART_KINDS] = {
    [DM_PART_SPRING] = {.has = says_spring},
    [DM_PART_CONSTRAINT] = {.has = says_constraint},
    [DM_PART_LOAD] = {.has = says_load},
    [DM_PART_FRICTION] = {.has = says_friction},
    [DM_PART_CONTACT] = {.has = cli_engine_says_contact},
};

// friction of which MuJoCo has some terms
static void warn_frictions(const cli_engine_file *w, const dm_joint_forces *all) {
  for (int i = 0; i < dm_joint_forces_count(all); i++) {
    const dm_joint_force *x = dm_joint_forces_get(all, i);
    const bool falls = dm_joint_force_law(x).excess > 0, biased = x->friction.offset != 0;
    if (falls || biased)
      cli_note(
          w->args,
          "warning: the file for MuJoCo: the friction '%s' is in it without its %s%s%s: MuJoCo "
          "has a constant frictionloss and damping",
          x->name, falls ? "static" : "", falls && biased ? " and " : "", biased ? "offset" : "");
  }
}

void cli_engine_warn_parts(const cli_engine_file *w) {
  const dm_robot *robot = &w->robot->mechanism;
  bool soft = !w->m->direct;
  warn_frictions(w, robot->joint[DM_JOINT_FRICTION]);
  for (int kind = 0; kind < DM_PART_KINDS; kind++)
    for (int i = 0; i < dm_part_rows[kind].count(robot); i++) {
      const bool has = says[kind].has && says[kind].has(w, i);
      soft = soft || (has && kind == DM_PART_CONSTRAINT);
      if (has) continue;
      cli_note(w->args, "warning: the file for MuJoCo: the %s '%s' is not in it: %s",
               dm_part_rows[kind].word, dm_part_rows[kind].name(robot, i),
               says[kind].why ? says[kind].why : "MuJoCo has no such thing");
    }
  if (cli_engine_has_contacts(w))
    cli_note(w->args,
             "warning: the file for MuJoCo: contacts are soft there, and without restitution");
  if (soft)
    cli_note(w->args, "warning: the file for MuJoCo: constraints and joints that copy others are "
                      "kept softly there, by forces off by 1e-4");
}
