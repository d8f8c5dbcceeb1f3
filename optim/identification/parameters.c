#include "optim/identification/parameters.h"

#include "lib/base/names.h"
#include "lib/multibody/ball_joint.h"
#include "optim/identification/link_inertia.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- the catalogue of all parameters of a robot, from which paths select

// which paths select a candidate: its own; groups above it; and `all`
typedef enum reach { BY_PATH, BY_GROUP, BY_ALL } reach;

typedef struct catalogue {
  const dm_robot *r;
  int count, room;
  oc_fit_parameter *list;
  unsigned char *chosen, *reach; // [count] selected; of reach
  bool failed;                   // out of memory
} catalogue;

__attribute__((format(printf, 4, 5))) static oc_fit_parameter *
put_candidate(catalogue *w, reach by, oc_fit_parameter p, const char *format, ...) {
  if (w->count == w->room) {
    const int room = 2 * w->room + 32;
    oc_fit_parameter *list = realloc(w->list, (size_t)room * sizeof *list);
    if (list) w->list = list;
    unsigned char *flags = realloc(w->reach, (size_t)room);
    if (flags) w->reach = flags;
    w->failed = w->failed || !list || !flags;
    if (w->failed) return NULL;
    w->room = room;
  }
  va_list args;
  va_start(args, format);
  vsnprintf(p.path, sizeof p.path, format, args);
  va_end(args);
  w->reach[w->count] = (unsigned char)by;
  w->list[w->count] = p;
  return &w->list[w->count++];
}

// the first body that joint j carries
static const char *name_link(const dm_model *m, int j) {
  for (int b = 0; b < m->nbody; b++)
    if (m->body_joint[b] == j) return m->body_name[b];
  return m->name[m->coord[j]];
}

static void put_links(catalogue *w) {
  static const char *const axis[] = {"x", "y", "z"};
  static const char *const moment[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
  const dm_model *m = w->r->tree;
  const double extent = dm_model_extent(m);
  oc_fit_parameter p = {.low = -INFINITY, .high = INFINITY, .deviation = INFINITY, .part = {0}};
  for (p.index = 0; p.index < m->nj; p.index++) {
    double z[OC_LINK], value[OC_LINK];
    const char *name = name_link(m, p.index);
    if (!(m->body[p.index].m > 0)) continue;
    oc_link_inertia_start(&m->body[p.index], OC_THIN, extent, z);
    oc_link_inertia_values(z, value, NULL);
    const double trace = 0.5 * (value[4] + value[5] + value[6]);
    for (int e = 0; e < OC_LINK; e++) {
      p.value = value[e];
      p.entry = e == 0 ? 0 : (e - 1) % 3;
      if (e == 0) {
        p.kind = OC_FIT_MASS, p.unit = "kg", p.size = value[0];
        put_candidate(w, BY_ALL, p, "links.%s.mass", name);
      } else if (e < 4) {
        p.kind = OC_FIT_CENTER, p.unit = "m", p.size = sqrt(trace / value[0]);
        put_candidate(w, BY_ALL, p, "links.%s.center.%s", name, axis[p.entry]);
      } else {
        p.kind = OC_FIT_INERTIA, p.unit = "kg m2", p.size = trace, p.entry = e - 4;
        put_candidate(w, BY_ALL, p, "links.%s.inertia.%s", name, moment[p.entry]);
      }
    }
  }
}

// one number for each coordinate
static void put_coordinates(catalogue *w, oc_fit_parameter_kind kind) {
  const dm_model *m = w->r->tree;
  const double *inertia = m->inertia;
  for (int i = 0; i < m->nq; i++) {
    const bool m_long = m->length[i];
    oc_fit_parameter p = {.kind = kind,
                          .index = i,
                          .row = dm_ball_outside(m, i),
                          .low = -INFINITY,
                          .high = INFINITY,
                          .deviation = INFINITY};
    if (dm_ball_owns(m, i)) continue;
    if (kind != OC_FIT_ENCODER && m->kinematic[i]) continue;
    // sizes: the inertia, and the force that brings it to 1 rad/s or m/s in a second
    p.size = inertia[i];
    switch (kind) {
    case OC_FIT_ARMATURE:
      p.value = m->armature[i], p.low = 0, p.unit = m_long ? "kg" : "kg m2";
      put_candidate(w, BY_ALL, p, "armature.%s", m->name[i]);
      break;
    case OC_FIT_DAMPING:
      p.value = m->damping[i], p.low = 0, p.unit = m_long ? "N s/m" : "N m s";
      put_candidate(w, BY_ALL, p, "damping.%s", m->name[i]);
      break;
    case OC_FIT_OFFSET:
      p.unit = m_long ? "N" : "N m";
      put_candidate(w, BY_GROUP, p, "offset.%s", m->name[i]);
      break;
    default:
      p.unit = m_long ? "m" : "rad", p.size = m_long ? dm_model_extent(m) : 1;
      put_candidate(w, BY_GROUP, p, "encoders.%s", m->name[i]);
    }
  }
}

// the size of a parameter whose value is 0: of a force in a joint, the joint's inertia
static double find_part_size(const dm_robot *r, const dm_part *x, dm_part_kind kind) {
  const bool joint = dm_part_joint(kind) != DM_JOINT_KINDS;
  return joint ? r->tree->inertia[((const dm_joint_force *)(const void *)x)->coord] : 1;
}

// the unit of a part's parameter; for a force in a joint the half of "N or N m" that is its joint's
static const char *find_part_unit(const dm_robot *r, const dm_part *x, dm_part_kind kind,
                                  const char *unit) {
  static const char *const linear[] = {"N", "N s/m", "m/s"};
  const char *either = strstr(unit, " or ");
  if (dm_part_joint(kind) == DM_JOINT_KINDS || !either) return unit;
  if (!r->tree->length[((const dm_joint_force *)(const void *)x)->coord]) return either + 4;
  for (int i = 0; i < 3; i++)
    if (strlen(linear[i]) == (size_t)(either - unit) &&
        !strncmp(unit, linear[i], strlen(linear[i])))
      return linear[i];
  return unit;
}

// parameters of parts, each name once
static void put_parts(catalogue *w) {
  for (int kind = 0; kind < DM_PART_KINDS; kind++) {
    const dm_part_row *row = &dm_part_rows[kind];
    for (int i = 0; row->get && i < row->count(w->r); i++) {
      dm_part x;
      row->get(w->r, i, &x);
      const char *section = row->section(&x), *name = row->name(w->r, i);
      if (i > 0 && !strcmp(row->name(w->r, i - 1), name)) continue;
      for (const dm_part_parameter *k = row->parameters; k && k->section; k++) {
        if (strcmp(k->section, section) != 0 || !dm_part_has(k, &x)) continue;
        const double value = dm_part_value(k, &x);
        oc_fit_parameter p = {.kind = OC_FIT_PART,
                              .unit = find_part_unit(w->r, &x, (dm_part_kind)kind, k->unit),
                              .value = value,
                              .low = k->low,
                              .high = k->high,
                              .size = value != 0 ? fabs(value)
                                                 : find_part_size(w->r, &x, (dm_part_kind)kind),
                              .deviation = INFINITY};
        // terms that the part does not have, and the speed over which a force builds up, by name only
        const bool named =
            (value == 0 && strcmp(k->key, "force") != 0) || !strcmp(k->key, "smooth");
        put_candidate(w, named ? BY_PATH : BY_ALL, p, "%s.%s.%s", section, name, k->key);
      }
    }
  }
}

// dry friction where the robot has no friction: coordinates without a friction part
static void put_new_friction(catalogue *w) {
  const dm_joint_forces *c = w->r->joint[DM_JOINT_FRICTION];
  const dm_model *m = w->r->tree;
  for (int i = 0; i < m->nq; i++) {
    bool has = m->kinematic[i] || dm_ball_owns(m, i);
    for (int k = 0; k < dm_joint_forces_count(c); k++)
      has = has || dm_joint_forces_get(c, k)->coord == i ||
            !strcmp(dm_joint_forces_get(c, k)->name, m->name[i]);
    if (has) continue;
    oc_fit_parameter p = {.kind = OC_FIT_PART,
                          .index = i,
                          .row = dm_ball_outside(m, i),
                          .unit = m->length[i] ? "N" : "N m",
                          .size = m->inertia[i],
                          .high = INFINITY,
                          .deviation = INFINITY,
                          .part = {.count = -1}}; // not there yet
    put_candidate(w, BY_ALL, p, "friction.%s.force", m->name[i]);
  }
}

static void put_lengths(catalogue *w) {
  const dm_model *m = w->r->tree;
  for (int j = 0; j < m->nj; j++) {
    if (!(m->body[j].m > 0)) continue;
    const oc_fit_parameter p = {.kind = OC_FIT_LENGTH,
                                .index = j,
                                .unit = "",
                                .value = 1,
                                .low = 0.01,
                                .high = 100,
                                .size = 1,
                                .deviation = INFINITY};
    put_candidate(w, BY_GROUP, p, "lengths.%s", name_link(m, j));
  }
}

static void list_candidates(catalogue *w) {
  put_links(w);
  put_coordinates(w, OC_FIT_ARMATURE);
  put_coordinates(w, OC_FIT_DAMPING);
  put_parts(w);
  put_new_friction(w);
  put_coordinates(w, OC_FIT_OFFSET);
  put_coordinates(w, OC_FIT_ENCODER);
  put_lengths(w);
  const oc_fit_parameter p = {.kind = OC_FIT_DELAY,
                              .unit = "s",
                              .low = -INFINITY,
                              .high = INFINITY,
                              .size = 0.01,
                              .deviation = INFINITY};
  put_candidate(w, BY_GROUP, p, "delay");
}

// -- selection by paths

// whether `path` is p's path or a group that has it
static bool names_it(const char *path, const oc_fit_parameter *p, reach by) {
  const size_t n = strlen(path);
  if (!strcmp(path, "all")) return by == BY_ALL;
  if (strncmp(path, p->path, n) != 0) return false;
  return p->path[n] == 0 || (p->path[n] == '.' && by != BY_PATH);
}

// "one of .." for a path that nothing has
static dm_status refuse_path(const catalogue *w, const char *path, dm_message *msg) {
  const char **words = calloc((size_t)w->count + 1, sizeof *words);
  char text[200] = "";
  const char *near = NULL;
  if (words) {
    int n = 0;
    for (int i = 0; i < w->count; i++) words[n++] = w->list[i].path;
    near = dm_names_nearest(words, n, path);
    static const char *const groups[] = {"all",     "links",  "armature", "damping", "friction",
                                         "springs", "offset", "encoders", "lengths", "delay"};
    dm_names_list(groups, 10, text, sizeof text);
    free(words);
  }
  return dm_fail(msg, DM_BAD_INPUT, "found '%.100s', expected %s, or a path below them%s%.96s%s",
                 path, text, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static dm_status select_paths(catalogue *w, int n, const char *const *paths, dm_message *msg) {
  for (int k = 0; k < n; k++) {
    const char *path = paths[k], *model = "model.";
    if (!strncmp(path, model, strlen(model))) path += strlen(model);
    bool found = false;
    for (int i = 0; i < w->count; i++) {
      const oc_fit_parameter *p = &w->list[i];
      if (!names_it(path, p, (reach)w->reach[i])) continue;
      w->chosen[i] = 1;
      found = true;
    }
    if (!found) return refuse_path(w, path, msg);
  }

  // the six numbers of an inertia come together
  for (int i = 0; i < w->count; i++)
    for (int e = 0; w->list[i].kind == OC_FIT_INERTIA && w->chosen[i] && e < 6; e++)
      w->chosen[i - w->list[i].entry + e] = 1;
  return DM_OK;
}

// -- robots with other values

// r with the parts of `from`, compiled for r's tree: with the values of theta (NULL: those of `from`),
// dry friction over the speed `dry`, and further forces
static dm_status compile_parts(dm_robot *out, const dm_robot *from, const oc_fit_parameters *x,
                               const double *theta, const double *dry, int more,
                               const dm_joint_force *added, dm_message *msg) {
  for (int kind = 0; kind < DM_PART_KINDS; kind++) {
    const dm_part_row *row = &dm_part_rows[kind];
    if (!row->get) continue;

    // the descriptions of its parts, and room for nq more
    int n = row->count(from);
    unsigned char *list = calloc((size_t)(n + from->tree->nq + 1), row->size);
    if (!list) return DM_NO_MEMORY;
    for (int i = 0; i < n; i++) row->get(from, i, list + (size_t)i * row->size);
    for (int k = 0; theta && k < x->count; k++) {
      const dm_part_at *at = &x->list[k].part;
      for (int i = 0; x->list[k].kind == OC_FIT_PART && (int)at->kind == kind && i < at->count; i++)
        *(double *)(void *)(list + (size_t)(at->first + i) * row->size + at->parameter->offset) =
            theta[k];
    }
    dm_joint_force *friction = (void *)list;
    for (int i = 0; kind == DM_PART_FRICTION && i < more; i++) friction[n++] = added[i];
    for (int i = 0; kind == DM_PART_FRICTION && dry && i < n; i++)
      if (friction[i].friction.smooth == 0) friction[i].friction.smooth = dry[friction[i].coord];
    const dm_status s = n > 0 ? row->compile(out, n, list, msg) : DM_OK;
    free(list);
    DM_TRY(s);
  }
  return DM_OK;
}

static void borrow_constraints(dm_robot *out, const dm_robot *r) {
  out->constraints = r->constraints;
  out->borrowed |= 1u << DM_PART_CONSTRAINT;
}

static const int first_of[] = {[OC_FIT_MASS] = 0, [OC_FIT_CENTER] = 1, [OC_FIT_INERTIA] = 4};

static bool is_of_link(const oc_fit_parameter *p) {
  return p->kind <= OC_FIT_INERTIA;
}

// the numbers of link l at theta
static void read_link(const oc_fit_parameters *x, const double *theta, int l, double z[OC_LINK]) {
  memcpy(z, x->link_start + OC_LINK * l, OC_LINK * sizeof *z);
  for (int k = 0; k < x->count; k++) {
    const oc_fit_parameter *p = &x->list[k];
    if (is_of_link(p) && p->index == x->link[l]) z[first_of[p->kind] + p->entry] = theta[k];
  }
}

static void add_inertia(dm_inertia *to, double by, const dm_inertia *I) {
  to->m += by * I->m;
  to->c = dm_add(to->c, dm_mul(by, I->c));
  to->xx += by * I->xx, to->yy += by * I->yy, to->zz += by * I->zz;
  to->xy += by * I->xy, to->xz += by * I->xz, to->yz += by * I->yz;
}

// back to the robot's own numbers, before changes in proportion are added
static void reset_tree(const oc_fit_parameters *x, dm_model *m) {
  const dm_model *own = x->robot.tree;
  m->gravity = own->gravity;
  memcpy(m->body, own->body, (size_t)m->nj * sizeof *m->body);
  memcpy(m->armature, own->armature, (size_t)m->nq * sizeof *m->armature);
  memcpy(m->damping, own->damping, (size_t)m->nq * sizeof *m->damping);
}

static void add_change(const oc_tree_change *c, double by, dm_model *m) {
  m->gravity = dm_add(m->gravity, dm_mul(by, c->gravity));
  for (int j = 0; j < m->nj; j++) add_inertia(&m->body[j], by, &c->body[j]);
  for (int i = 0; i < m->nq; i++) {
    m->armature[i] += by * c->armature[i];
    m->damping[i] += by * c->damping[i];
  }
}

dm_joint_kind oc_fit_parameter_joint(const oc_fit_parameter *p) {
  return p->kind == OC_FIT_PART ? dm_part_joint(p->part.kind) : DM_JOINT_KINDS;
}

void oc_fit_parameter_put_joint(const oc_fit_parameter *p, double value, dm_robot *r) {
  dm_joint_forces *c = r->joint[oc_fit_parameter_joint(p)];
  for (int i = p->part.first; i < p->part.first + p->part.count; i++) {
    dm_joint_force x = *dm_joint_forces_get(c, i);
    memcpy((char *)&x + p->part.parameter->offset, &value, sizeof value);
    dm_joint_forces_put(c, i, &x);
  }
}

void oc_fit_parameters_put(const oc_fit_parameters *x, const double *theta, dm_robot *r) {
  if (x->changes) reset_tree(x, r->tree);
  for (int l = 0; l < x->links; l++) {
    double z[OC_LINK], pi[OC_LINK];
    read_link(x, theta, l, z);
    oc_link_inertia_coefficients(z, pi, NULL);
    r->tree->body[x->link[l]] = oc_link_inertia_of(pi);
  }
  for (int k = 0; k < x->count; k++) {
    const oc_fit_parameter *p = &x->list[k];
    if (p->kind == OC_FIT_ARMATURE) r->tree->armature[p->index] = theta[k];
    if (p->kind == OC_FIT_DAMPING) r->tree->damping[p->index] = theta[k];
  }
  for (int k = 0; k < x->count; k++)
    if (oc_fit_parameter_joint(&x->list[k]) != DM_JOINT_KINDS)
      oc_fit_parameter_put_joint(&x->list[k], theta[k], r);
  for (int k = 0; k < x->count; k++)
    if (x->list[k].kind == OC_FIT_NUMBER)
      add_change(&x->change[x->list[k].index], theta[k] - x->list[k].value, r->tree);
  // the external model of a robot with ball joints has its own damping
  for (int i = 0; r->embed && i < r->tree->nq; i++)
    if (!dm_ball_owns(r->tree, i))
      r->model->damping[dm_ball_outside(r->tree, i)] = r->tree->damping[i];
}

bool oc_fit_parameters_rebuild(const oc_fit_parameters *x) {
  for (int k = 0; k < x->count; k++)
    if (x->list[k].kind == OC_FIT_LENGTH ||
        (x->list[k].kind == OC_FIT_PART && oc_fit_parameter_joint(&x->list[k]) == DM_JOINT_KINDS))
      return true;
  return false;
}

dm_status oc_fit_parameters_robot(dm_robot *out, const oc_fit_parameters *x, const double *theta,
                                  const double *dry) {
  const dm_robot *r = &x->robot;
  const int nj = r->tree->nj;
  *out = (dm_robot){0};
  memcpy(out->at, r->at, sizeof out->at);

  // a tree with its lengths
  double *length = calloc((size_t)nj, sizeof *length);
  if (!length) return DM_NO_MEMORY;
  for (int j = 0; j < nj; j++) length[j] = 1;
  bool changes = false;
  for (int k = 0; k < x->count; k++)
    if (x->list[k].kind == OC_FIT_LENGTH) length[x->list[k].index] = theta[k], changes = true;
  const dm_change c = {.length = changes ? length : NULL};
  dm_status s = dm_model_changed(&out->tree, r->tree, &c);
  free(length);
  DM_TRY(s);

  borrow_constraints(out, r);
  s = compile_parts(out, r, x, theta, dry, 0, NULL, NULL);
  oc_fit_parameters_put(x, theta, out);
  if (s == DM_OK) s = dm_robot_embed(out);
  if (s < 0) dm_robot_free(out);
  return s;
}

// -- construction

// x->robot: r with dry friction at the chosen coordinates
static dm_status copy_robot(oc_fit_parameters *x, const dm_robot *r, dm_message *msg) {
  const dm_change same = {0};
  const int nq = r->tree->nq;
  DM_TRY(dm_model_changed(&x->robot.tree, r->tree, &same));
  borrow_constraints(&x->robot, r);
  memcpy(x->robot.at, r->at, sizeof x->robot.at);
  dm_joint_force *added = calloc((size_t)nq + 1, sizeof *added);
  if (!added) return DM_NO_MEMORY;
  int n = 0;
  for (int k = 0; k < x->count; k++)
    if (x->list[k].kind == OC_FIT_PART && x->list[k].part.count < 0)
      added[n++] =
          (dm_joint_force){.name = r->tree->name[x->list[k].index], .coord = x->list[k].index};
  const dm_status s = compile_parts(&x->robot, r, NULL, NULL, NULL, n, added, msg);
  free(added);
  DM_TRY(s);
  DM_TRY(dm_robot_embed(&x->robot));
  for (int k = 0; k < x->count; k++)
    if (x->list[k].kind == OC_FIT_PART)
      DM_TRY(dm_robot_find(&x->robot, x->list[k].path, &x->list[k].part, msg));
  return DM_OK;
}

static void name_coefficients(oc_fit_parameters *x) {
  static const char *const word[] = {"m", "mx", "my", "mz", "xx", "yy", "zz", "xy", "xz", "yz"};
  const dm_model *m = x->robot.tree;
  int c = 0;
  for (int l = 0; l < x->links; l++)
    for (int e = 0; e < OC_LINK; e++) {
      oc_coefficient *to = &x->coefficient[c++];
      snprintf(to->name, sizeof to->name, "%.80s.%s", name_link(m, x->link[l]), word[e]);
      to->unit = e == 0 ? "kg" : "kg m";
      if (e > 3) to->unit = "kg m2";
      const double *z = x->link_start + OC_LINK * l;
      double value[OC_LINK];
      oc_link_inertia_values(z, value, NULL);
      const double r = sqrt((value[4] + value[5] + value[6]) / 2 / value[0]);
      to->size = value[0] * (e == 0 ? 1 : e < 4 ? r : r * r);
      for (int k = x->count - 1; k >= 0; k--)
        if (is_of_link(&x->list[k]) && x->list[k].index == x->link[l]) to->parameter = k;
    }
  for (int k = 0; k < x->count; k++) {
    const oc_fit_parameter *p = &x->list[k];
    if (is_of_link(p)) continue;
    oc_coefficient *to = &x->coefficient[c++];
    *to = (oc_coefficient){.unit = p->unit, .parameter = k, .size = p->size};
    memcpy(to->name, p->path, sizeof to->name);
  }
}

static dm_status check_lengths(const catalogue *w, dm_message *msg) {
  if (!w->r->constraints) return DM_OK;
  for (int i = 0; i < w->count; i++)
    if (w->chosen[i] && w->list[i].kind == OC_FIT_LENGTH)
      return dm_fail(
          msg, DM_BAD_INPUT,
          "found '%s' beside constraints, expected no lengths: the logs show where loops "
          "close only through the lengths that the file has",
          w->list[i].path);
  return DM_OK;
}

// the chosen entries of the catalogue
static dm_status fill_parameters(oc_fit_parameters *x, const catalogue *w, dm_message *msg) {
  const dm_model *m = w->r->tree;
  for (int i = 0; i < w->count; i++) x->count += w->chosen[i];
  const size_t n = (size_t)x->count, nj = (size_t)m->nj;
  x->list = calloc(n + 1, sizeof *x->list);
  x->link = calloc(nj + 1, sizeof *x->link);
  x->link_start = calloc(OC_LINK * nj + 1, sizeof *x->link_start);
  x->coefficient = calloc(n + OC_LINK * nj + 1, sizeof *x->coefficient);
  if (!x->list || !x->link || !x->link_start || !x->coefficient) return DM_NO_MEMORY;
  int k = 0, others = 0;
  for (int i = 0; i < w->count; i++) {
    const oc_fit_parameter *p = &w->list[i];
    if (!w->chosen[i]) continue;
    x->list[k++] = *p;
    others += !is_of_link(p);
    if (!is_of_link(p) || (x->links > 0 && x->link[x->links - 1] == p->index)) continue;
    DM_TRY(oc_link_inertia_check(&m->body[p->index], name_link(m, p->index), msg));
    oc_link_inertia_start(&m->body[p->index], OC_THIN, dm_model_extent(m),
                          x->link_start + OC_LINK * x->links);
    x->link[x->links++] = p->index;
  }
  x->coefficients = OC_LINK * x->links + others;
  DM_TRY(copy_robot(x, w->r, msg));
  name_coefficients(x);
  return DM_OK;
}

dm_status oc_fit_parameters_new(oc_fit_parameters **out, const dm_robot *r, int n,
                                const char *const *paths, dm_message *msg) {
  assert(out && r && (paths || n == 0));
  *out = NULL;
  const unsigned others = 1u << DM_PART_CONTACT | 1u << DM_PART_ROLLING | 1u << DM_PART_FORMULA;
  DM_TRY(dm_robot_require(r, ~others, "a fit to logs", msg));
  catalogue w = {.r = r};
  list_candidates(&w);
  w.chosen = calloc((size_t)w.count + 1, 1);
  oc_fit_parameters *x = *out = calloc(1, sizeof *x);
  dm_status s = DM_OK;
  if (w.failed || !w.chosen || !x) s = dm_fail(msg, DM_NO_MEMORY, "out of memory");
  if (s == DM_OK) s = select_paths(&w, n, paths, msg);
  if (s == DM_OK) s = check_lengths(&w, msg);
  if (s == DM_OK) s = fill_parameters(x, &w, msg);
  free(w.list);
  free(w.chosen);
  free(w.reach);
  if (s < 0) {
    oc_fit_parameters_free(x);
    *out = NULL;
  }
  return s;
}

// the difference of two robots, per unit of the number; returns whether there is one
static bool find_change(const dm_model *a, const dm_model *b, double per, oc_tree_change *out) {
  double sum = 0;
  out->gravity = dm_mul(per, dm_sub(b->gravity, a->gravity));
  sum += dm_dot(out->gravity, out->gravity);
  for (int j = 0; j < a->nj; j++) {
    add_inertia(&out->body[j], per, &b->body[j]);
    add_inertia(&out->body[j], -per, &a->body[j]);
    const dm_inertia *I = &out->body[j];
    sum += fabs(I->m) + dm_dot(I->c, I->c) + fabs(I->xx) + fabs(I->yy) + fabs(I->zz) + fabs(I->xy) +
           fabs(I->xz) + fabs(I->yz);
  }
  for (int i = 0; i < a->nq; i++) {
    out->armature[i] = per * (b->armature[i] - a->armature[i]);
    out->damping[i] = per * (b->damping[i] - a->damping[i]);
    sum += fabs(out->armature[i]) + fabs(out->damping[i]);
  }
  return sum > 0;
}

// room for one more parameter; returns false if out of memory
static bool grow(oc_fit_parameters *x) {
  const size_t n = (size_t)x->count + 1, nc = (size_t)x->coefficients + 1;
  oc_fit_parameter *list = realloc(x->list, n * sizeof *list);
  if (list) x->list = list;
  oc_coefficient *coefficient = realloc(x->coefficient, nc * sizeof *coefficient);
  if (coefficient) x->coefficient = coefficient;
  oc_tree_change *change = realloc(x->change, ((size_t)x->changes + 1) * sizeof *change);
  if (change) x->change = change;
  return list && coefficient && change;
}

dm_status oc_fit_parameters_add(oc_fit_parameters *x, const char *path, const char *unit,
                                double value, double low, const dm_robot *other, double other_value,
                                dm_message *msg) {
  const dm_model *m = x->robot.tree, *o = other->tree;
  oc_tree_change c = {.gravity = dm_v(0, 0, 0)};
  const size_t nj = (size_t)m->nj, nq = (size_t)m->nq;
  c.body = calloc(nj, sizeof *c.body);
  c.armature = calloc(2 * nq + 1, sizeof *c.armature);
  const bool room = c.body && c.armature && grow(x);
  c.damping = c.armature ? c.armature + nq : NULL;
  const bool differs =
      room && o->nj == m->nj && o->nq == m->nq && find_change(m, o, 1 / (other_value - value), &c);
  if (!differs) {
    free(c.body);
    free(c.armature);
    return room ? dm_fail(
                      msg, DM_BAD_INPUT,
                      "found '%.100s', which changes no mass, inertia, damping or gravity of the "
                      "robot, expected one that does",
                      path)
                : DM_NO_MEMORY;
  }
  oc_fit_parameter p = {.unit = unit,
                        .kind = OC_FIT_NUMBER,
                        .index = x->changes,
                        .value = value,
                        .low = low,
                        .high = INFINITY,
                        .size = fabs(value) > 0 ? fabs(value) : fabs(other_value - value),
                        .deviation = INFINITY};
  snprintf(p.path, sizeof p.path, "%s", path);
  oc_coefficient k = {.unit = unit, .parameter = x->count, .size = p.size};
  memcpy(k.name, p.path, sizeof k.name);
  x->change[x->changes++] = c;
  x->list[x->count++] = p;
  x->coefficient[x->coefficients++] = k;
  return DM_OK;
}

void oc_fit_parameters_free(oc_fit_parameters *x) {
  if (!x) return;
  for (int i = 0; i < x->changes; i++) {
    free(x->change[i].body);
    free(x->change[i].armature);
  }
  free(x->change);
  dm_robot_free(&x->robot);
  free(x->list);
  free(x->link);
  free(x->link_start);
  free(x->coefficient);
  free(x);
}

// -- values

void oc_fit_parameters_start(const oc_fit_parameters *x, double *theta) {
  for (int k = 0; k < x->count; k++) {
    const oc_fit_parameter *p = &x->list[k];
    theta[k] = p->value;
    for (int l = 0; is_of_link(p) && l < x->links; l++)
      if (x->link[l] == p->index)
        theta[k] = x->link_start[OC_LINK * l + first_of[p->kind] + p->entry];
  }
}

// a function of the numbers of a link
typedef void link_function(const double z[OC_LINK], double out[OC_LINK], double *out_z);

static void find_link(const oc_fit_parameters *x, const double *theta, int l, link_function *f,
                      double out[OC_LINK], double out_z[OC_LINK * OC_LINK]) {
  double z[OC_LINK];
  read_link(x, theta, l, z);
  f(z, out, out_z);
}

void oc_fit_parameters_values(const oc_fit_parameters *x, const double *theta, double *value,
                              double *by_theta) {
  const int n = x->count;
  memcpy(value, theta, (size_t)n * sizeof *value);
  if (by_theta) memset(by_theta, 0, (size_t)n * (size_t)n * sizeof *by_theta);
  for (int k = 0; by_theta && k < n; k++) by_theta[k * n + k] = !is_of_link(&x->list[k]);
  for (int l = 0; l < x->links; l++) {
    double out[OC_LINK], out_z[OC_LINK * OC_LINK];
    find_link(x, theta, l, oc_link_inertia_values, out, out_z);
    for (int k = 0; k < n; k++) {
      const oc_fit_parameter *p = &x->list[k];
      if (!is_of_link(p) || p->index != x->link[l]) continue;
      const int row = first_of[p->kind] + p->entry;
      value[k] = out[row];
      for (int d = 0; by_theta && d < n; d++) {
        const oc_fit_parameter *o = &x->list[d];
        if (is_of_link(o) && o->index == x->link[l])
          by_theta[k * n + d] = out_z[row * OC_LINK + first_of[o->kind] + o->entry];
      }
    }
  }
}

void oc_fit_parameters_coefficients(const oc_fit_parameters *x, const double *theta, double *pi,
                                    double *by_theta) {
  const int n = x->count;
  if (by_theta) memset(by_theta, 0, (size_t)x->coefficients * (size_t)n * sizeof *by_theta);
  for (int l = 0; l < x->links; l++) {
    double out_z[OC_LINK * OC_LINK];
    find_link(x, theta, l, oc_link_inertia_coefficients, pi + OC_LINK * l, out_z);
    for (int k = 0; by_theta && k < n; k++) {
      const oc_fit_parameter *p = &x->list[k];
      if (!is_of_link(p) || p->index != x->link[l]) continue;
      for (int e = 0; e < OC_LINK; e++)
        by_theta[(OC_LINK * l + e) * n + k] = out_z[e * OC_LINK + first_of[p->kind] + p->entry];
    }
  }
  for (int c = OC_LINK * x->links; c < x->coefficients; c++) {
    const int k = x->coefficient[c].parameter;
    pi[c] = theta[k];
    if (by_theta) by_theta[c * n + k] = 1;
  }
}
