#include "problems/readers/task/fitted_robot.h"

#include "problems/readers/format/xml.h"
#include "problems/readers/model/links.h"

#include <stdarg.h>
#include <string.h>

#define LOST " dmoc identify: not in this file: "

typedef struct fitted_robot {
  pb_xml xml;
  pb_arena *arena;
  bool no_memory; // an element or attribute could not be added
  bool urdf;
  const dm_robot *own, *fitted;
} fitted_robot;

// -- elements

// the first element below `from` with this name and attribute `name`; NULL: any name
static pb_xml_node *find_element(pb_xml_node *from, const char *element, const char *name) {
  for (pb_xml_node *e = pb_xml_next(from->children, NULL); e; e = pb_xml_next(e->next, NULL)) {
    const char *own = pb_xml_get(e, "name");
    if (!strcmp(e->name, element) && (!name || (own && !strcmp(own, name)))) return e;
    pb_xml_node *below = find_element(e, element, name);
    if (below) return below;
  }
  return NULL;
}

static pb_xml_node *add_node(fitted_robot *w, pb_xml_kind kind, const char *name,
                             const char *text) {
  pb_xml_node *node = pb_xml_new(w->arena, kind, name, text);
  w->no_memory = w->no_memory || !node;
  return node;
}

// the child with this name, which is added if it does not exist; NULL: out of memory
static pb_xml_node *get_child(fitted_robot *w, pb_xml_node *parent, const char *name) {
  pb_xml_node *child = parent ? pb_xml_next(parent->children, name) : NULL;
  if (child || !parent) return child;
  child = add_node(w, PB_XML_ELEMENT, name, NULL);
  if (child) pb_xml_append(parent, child);
  return child;
}

static void set_text(fitted_robot *w, pb_xml_node *element, const char *name, const char *text) {
  if (element && pb_xml_set(w->arena, element, name, text) != DM_OK) w->no_memory = true;
}

static void set_numbers(fitted_robot *w, pb_xml_node *element, const char *name, int n,
                        const double *value) {
  char text[200] = "";
  size_t used = 0;
  for (int i = 0; i < n; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.17g", i ? " " : "", value[i]);
  set_text(w, element, name, text);
}

static void remove_element(pb_xml_node *element) {
  if (element) pb_xml_unlink(element);
}

// a comment before the root
__attribute__((format(printf, 2, 3))) static void add_comment(fitted_robot *w, const char *format,
                                                              ...) {
  char text[300];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  // a comment must not have two hyphens in a row
  for (char *c = strstr(text, "--"); c; c = strstr(c, "--")) *c++ = '_';
  pb_xml_node *comment = add_node(w, PB_XML_COMMENT, NULL, text);
  if (comment) pb_xml_put_before(pb_xml_root(&w->xml), comment);
}

// -- numbers

static void write_urdf_inertia(fitted_robot *w, pb_xml_node *link, const pb_link *l) {
  static const char *const moment[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  pb_xml_node *inertial = get_child(w, link, "inertial");
  pb_xml_node *origin = get_child(w, inertial, "origin");
  set_numbers(w, origin, "xyz", 3, l->centre);
  if (origin) pb_xml_unset(origin, "rpy");
  set_numbers(w, get_child(w, inertial, "mass"), "value", 1, &l->mass);
  for (int e = 0; e < 6; e++)
    set_numbers(w, get_child(w, inertial, "inertia"), moment[e], 1, &l->inertia[e]);
}

static void write_mjcf_inertia(fitted_robot *w, pb_xml_node *body, const pb_link *l) {
  remove_element(pb_xml_next(body->children, "inertial"));
  pb_xml_node *inertial = add_node(w, PB_XML_ELEMENT, "inertial", NULL);
  if (!inertial) return;
  if (body->children)
    pb_xml_put_before(body->children, inertial);
  else
    pb_xml_append(body, inertial);
  set_numbers(w, inertial, "pos", 3, l->centre);
  set_numbers(w, inertial, "mass", 1, &l->mass);
  set_numbers(w, inertial, "fullinertia", 6, l->inertia);
}

// the inertia of joint j, whose first body has it alone in the new file
static dm_status write_link(fitted_robot *w, int j) {
  const dm_model *m = w->fitted->tree;
  pb_xml_node *root = pb_xml_root(&w->xml), *first = NULL;
  for (int b = 0; b < m->nbody; b++) {
    if (m->body_joint[b] != j) continue;
    pb_xml_node *body = find_element(root, w->urdf ? "link" : "body", m->body_name[b]);
    // the reader of MJCF makes bodies BODY/JOINT between the joints of a body
    if (!body && !w->urdf && strchr(m->body_name[b], '/')) continue;
    if (!body)
      return pb_refuse(
          w->xml.r, w->xml.file, 0, 0,
          "found no %s '%.64s' for its fitted inertia, expected all links of the robot",
          w->urdf ? "<link>" : "<body>", m->body_name[b]);
    if (first && !w->urdf)
      return pb_refuse_xml(&w->xml, body,
                           "found body '%.64s' that is fixed to another one, expected bodies with "
                           "joints: the logs show only the inertia of both",
                           m->body_name[b]);
    if (first) {
      remove_element(pb_xml_next(body->children, "inertial"));
      continue;
    }
    first = body;
    const dm_pose *T = &m->body_pose[b], back = dm_pose_relative(T, &dm_identity);
    const dm_inertia I = dm_inertia_move(&m->body[j], &back);
    const pb_link l = pb_link_of(&I);
    if (w->urdf)
      write_urdf_inertia(w, body, &l);
    else
      write_mjcf_inertia(w, body, &l);
  }
  return DM_OK;
}

// a number of coordinate i as an attribute of its joint, in URDF of <dynamics>; key NULL: the format
// does not have it
static void write_joint(fitted_robot *w, int i, const char *what, const char *key, double v) {
  const dm_model *m = w->fitted->tree;
  int joints = 0;
  for (int j = 0; j < m->nj; j++) joints += m->coord[j] == i;
  pb_xml_node *root = pb_xml_root(&w->xml);
  pb_xml_node *joint = key && joints == 1 ? find_element(root, "joint", m->name[i]) : NULL;
  if (joint)
    set_numbers(w, w->urdf ? get_child(w, joint, "dynamics") : joint, key, 1, &v);
  else
    add_comment(w, LOST "%s.%.64s = %.17g ", what, m->name[i], v);
}

static dm_status write_numbers(fitted_robot *w) {
  const dm_model *m = w->fitted->tree, *own = w->own->tree;
  for (int j = 0; j < m->nj; j++)
    if (memcmp(&m->body[j], &own->body[j], sizeof *m->body) != 0) DM_TRY(write_link(w, j));
  for (int i = 0; i < m->nq; i++) {
    if (m->damping[i] != own->damping[i]) write_joint(w, i, "damping", "damping", m->damping[i]);
    if (m->armature[i] != own->armature[i])
      write_joint(w, i, "armature", w->urdf ? NULL : "armature", m->armature[i]);
  }
  const dm_joint_forces *friction = w->fitted->joint[DM_JOINT_FRICTION];
  for (int k = 0; k < dm_joint_forces_count(friction); k++) {
    const dm_joint_force *f = dm_joint_forces_get(friction, k);
    write_joint(w, f->coord, "friction", w->urdf ? "friction" : "frictionloss", f->friction.force);
  }
  return DM_OK;
}

// -- files that the robot's file names

static void move_path(fitted_robot *w, pb_xml_node *element, const char *attribute,
                      const char *folder) {
  const char *own = pb_xml_get(element, attribute);
  char text[PB_PATH];
  if (!own || own[0] == '/' || strstr(own, "://")) return;
  snprintf(text, sizeof text, "%s%s%s", folder, own[0] ? "/" : "", own);
  set_text(w, element, attribute, text);
}

static void move_meshes(fitted_robot *w, pb_xml_node *from, const char *folder) {
  for (pb_xml_node *e = pb_xml_next(from->children, NULL); e; e = pb_xml_next(e->next, NULL)) {
    if (!strcmp(e->name, "mesh") || !strcmp(e->name, "texture"))
      move_path(w, e, "filename", folder);
    move_meshes(w, e, folder);
  }
}

static dm_status move_assets(fitted_robot *w, const char *folder) {
  static const char *const places[] = {"meshdir", "texturedir", "assetdir"};
  static const char *const scales[] = {"settotalmass", "boundmass", "boundinertia"};
  pb_xml_node *root = pb_xml_root(&w->xml);
  if (w->urdf) {
    move_meshes(w, root, folder);
    return DM_OK;
  }
  pb_xml_node *include = find_element(root, "include", NULL);
  if (include)
    return pb_refuse_xml(&w->xml, include, "found <include>, expected a robot in one file");
  pb_xml_node *compiler = get_child(w, root, "compiler");
  if (!compiler) return DM_NO_MEMORY;
  for (int i = 0; i < 3; i++)
    if (pb_xml_has(compiler, scales[i]))
      return pb_refuse_xml(&w->xml, compiler, "found %s, expected masses as they are", scales[i]);
  if (pb_xml_has(compiler, "inertiafromgeom")) set_text(w, compiler, "inertiafromgeom", "auto");
  if (!pb_xml_has(compiler, "assetdir"))
    for (int i = 0; i < 2; i++)
      if (!pb_xml_has(compiler, places[i])) set_text(w, compiler, places[i], "");
  for (int i = 0; i < 3; i++) move_path(w, compiler, places[i], folder);
  return DM_OK;
}

// -- the file

const struct pb_source *pb_fitted_robot_file(const pb_identification *x) {
  return x->robot_alone ? x->sources : x->robot.file;
}

const char *pb_fitted_robot_name(const pb_identification *x) {
  const struct pb_source *file = pb_fitted_robot_file(x);
  if (!file) return NULL;
  return strstr(file->bytes, "<mujoco") ? "fitted.xml" : "fitted.urdf";
}

static dm_status write_robot(fitted_robot *w, FILE *f, const char *folder) {
  DM_TRY(move_assets(w, folder));
  DM_TRY(write_numbers(w));
  if (w->no_memory) return DM_NO_MEMORY;
  pb_xml_write(f, w->xml.document);
  return ferror(f) ? DM_IO : DM_OK;
}

dm_status pb_fitted_robot_write(FILE *f, const pb_identification *x, const dm_robot *fitted,
                                const char *folder, int nlost, const char *const *lost,
                                dm_message *msg) {
  const struct pb_source *file = pb_fitted_robot_file(x);
  if (!file) return dm_fail(msg, DM_BAD_INPUT, "%.300s: found no robot's file", x->path);
  pb_arena arena = {0};
  struct pb_warnings warnings = {0};
  pb_reader r = {.arena = &arena, .warnings = &warnings, .msg = msg, .file = file->path};
  fitted_robot w = {.arena = &arena, .own = &x->robot.mechanism, .fitted = fitted};
  dm_status s = pb_xml_open(&w.xml, &r, file->path, file->bytes, file->size);
  if (s == DM_OK) {
    w.urdf = !strcmp(pb_xml_root(&w.xml)->name, "robot");
    for (int i = 0; i < nlost; i++) add_comment(&w, LOST "%.200s ", lost[i]);
    s = write_robot(&w, f, folder);
  }
  pb_warnings_free(&warnings);
  pb_arena_free(&arena);
  return s == DM_NO_MEMORY ? dm_fail(msg, s, "%.300s: out of memory", x->path) : s;
}
