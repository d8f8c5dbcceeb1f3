#include "problems/readers/task/fitted_robot.h"

#include "problems/readers/format/xml.h"
#include "problems/readers/model/links.h"

#include <stdarg.h>
#include <string.h>

#define LOST " dmoc identify: not in this file: "

typedef struct fitted_robot {
  pb_xml xml;
  bool urdf;
  const dm_robot *own, *fitted;
} fitted_robot;

// -- elements

// the first element below `from` with this name and attribute `name`; NULL: any name
static xmlNode *find_element(xmlNode *from, const char *element, const char *name) {
  for (xmlNode *e = pb_xml_next(from->children, NULL); e; e = pb_xml_next(e->next, NULL)) {
    if (!strcmp((const char *)e->name, element)) {
      xmlChar *own = xmlGetProp(e, BAD_CAST "name");
      const bool is = !name || (own && !strcmp((const char *)own, name));
      xmlFree(own);
      if (is) return e;
    }
    xmlNode *below = find_element(e, element, name);
    if (below) return below;
  }
  return NULL;
}

static xmlNode *get_child(xmlNode *parent, const char *name) {
  xmlNode *child = pb_xml_next(parent->children, name);
  return child ? child : xmlNewChild(parent, NULL, BAD_CAST name, NULL);
}

static void set_numbers(xmlNode *element, const char *name, int n, const double *value) {
  char text[200] = "";
  size_t used = 0;
  for (int i = 0; i < n; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.17g", i ? " " : "", value[i]);
  xmlSetProp(element, BAD_CAST name, BAD_CAST text);
}

static void remove_element(xmlNode *element) {
  if (!element) return;
  xmlUnlinkNode(element);
  xmlFreeNode(element);
}

// a comment before the root
__attribute__((format(printf, 2, 3))) static void add_comment(const fitted_robot *w,
                                                              const char *format, ...) {
  char text[300];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  // a comment must not have two hyphens in a row
  for (char *c = strstr(text, "--"); c; c = strstr(c, "--")) *c++ = '_';
  xmlAddPrevSibling(xmlDocGetRootElement(w->xml.doc), xmlNewDocComment(w->xml.doc, BAD_CAST text));
}

// -- numbers

static void write_urdf_inertia(xmlNode *link, const pb_link *l) {
  static const char *const moment[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  xmlNode *inertial = get_child(link, "inertial"), *origin = get_child(inertial, "origin");
  set_numbers(origin, "xyz", 3, l->centre);
  xmlUnsetProp(origin, BAD_CAST "rpy");
  set_numbers(get_child(inertial, "mass"), "value", 1, &l->mass);
  for (int e = 0; e < 6; e++)
    set_numbers(get_child(inertial, "inertia"), moment[e], 1, &l->inertia[e]);
}

static void write_mjcf_inertia(xmlNode *body, const pb_link *l) {
  remove_element(pb_xml_next(body->children, "inertial"));
  xmlNode *inertial = xmlNewNode(NULL, BAD_CAST "inertial");
  if (!inertial) return;
  if (body->children)
    xmlAddPrevSibling(body->children, inertial);
  else
    xmlAddChild(body, inertial);
  set_numbers(inertial, "pos", 3, l->centre);
  set_numbers(inertial, "mass", 1, &l->mass);
  set_numbers(inertial, "fullinertia", 6, l->inertia);
}

// the inertia of joint j, whose first body has it alone in the new file
static dm_status write_link(const fitted_robot *w, int j) {
  const dm_model *m = w->fitted->tree;
  xmlNode *root = xmlDocGetRootElement(w->xml.doc), *first = NULL;
  for (int b = 0; b < m->nbody; b++) {
    if (m->body_joint[b] != j) continue;
    xmlNode *body = find_element(root, w->urdf ? "link" : "body", m->body_name[b]);
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
      write_urdf_inertia(body, &l);
    else
      write_mjcf_inertia(body, &l);
  }
  return DM_OK;
}

// a number of coordinate i as an attribute of its joint, in URDF of <dynamics>; key NULL: the format
// does not have it
static void write_joint(const fitted_robot *w, int i, const char *what, const char *key, double v) {
  const dm_model *m = w->fitted->tree;
  int joints = 0;
  for (int j = 0; j < m->nj; j++) joints += m->coord[j] == i;
  xmlNode *root = xmlDocGetRootElement(w->xml.doc);
  xmlNode *joint = key && joints == 1 ? find_element(root, "joint", m->name[i]) : NULL;
  if (joint)
    set_numbers(w->urdf ? get_child(joint, "dynamics") : joint, key, 1, &v);
  else
    add_comment(w, LOST "%s.%.64s = %.17g ", what, m->name[i], v);
}

static dm_status write_numbers(const fitted_robot *w) {
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

static void move_path(xmlNode *element, const char *attribute, const char *folder) {
  xmlChar *own = xmlGetProp(element, BAD_CAST attribute);
  char text[PB_PATH];
  if (own && own[0] != '/' && !strstr((const char *)own, "://")) {
    snprintf(text, sizeof text, "%s%s%s", folder, own[0] ? "/" : "", (const char *)own);
    xmlSetProp(element, BAD_CAST attribute, BAD_CAST text);
  }
  xmlFree(own);
}

static void move_meshes(xmlNode *from, const char *folder) {
  for (xmlNode *e = pb_xml_next(from->children, NULL); e; e = pb_xml_next(e->next, NULL)) {
    if (!strcmp((const char *)e->name, "mesh") || !strcmp((const char *)e->name, "texture"))
      move_path(e, "filename", folder);
    move_meshes(e, folder);
  }
}

static dm_status move_assets(const fitted_robot *w, const char *folder) {
  static const char *const places[] = {"meshdir", "texturedir", "assetdir"};
  static const char *const scales[] = {"settotalmass", "boundmass", "boundinertia"};
  xmlNode *root = xmlDocGetRootElement(w->xml.doc);
  if (w->urdf) {
    move_meshes(root, folder);
    return DM_OK;
  }
  xmlNode *include = find_element(root, "include", NULL);
  if (include)
    return pb_refuse_xml(&w->xml, include, "found <include>, expected a robot in one file");
  xmlNode *compiler = get_child(root, "compiler");
  for (int i = 0; i < 3; i++)
    if (xmlHasProp(compiler, BAD_CAST scales[i]))
      return pb_refuse_xml(&w->xml, compiler, "found %s, expected masses as they are", scales[i]);
  if (xmlHasProp(compiler, BAD_CAST "inertiafromgeom"))
    xmlSetProp(compiler, BAD_CAST "inertiafromgeom", BAD_CAST "auto");
  if (!xmlHasProp(compiler, BAD_CAST "assetdir"))
    for (int i = 0; i < 2; i++)
      if (!xmlHasProp(compiler, BAD_CAST places[i]))
        xmlSetProp(compiler, BAD_CAST places[i], BAD_CAST "");
  for (int i = 0; i < 3; i++) move_path(compiler, places[i], folder);
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
  return xmlDocDump(f, w->xml.doc) < 0 ? DM_IO : DM_OK;
}

dm_status pb_fitted_robot_write(FILE *f, const pb_identification *x, const dm_robot *fitted,
                                const char *folder, int nlost, const char *const *lost,
                                dm_message *msg) {
  const struct pb_source *file = pb_fitted_robot_file(x);
  if (!file) return dm_fail(msg, DM_BAD_INPUT, "%.300s: found no robot's file", x->path);
  pb_arena arena = {0};
  struct pb_warnings warnings = {0};
  pb_reader r = {.arena = &arena, .warnings = &warnings, .msg = msg, .file = file->path};
  fitted_robot w = {.own = &x->robot.mechanism, .fitted = fitted};
  dm_status s = pb_xml_open(&w.xml, &r, file->path, file->bytes, file->size);
  if (s == DM_OK) {
    w.urdf = !strcmp((const char *)xmlDocGetRootElement(w.xml.doc)->name, "robot");
    for (int i = 0; i < nlost; i++) add_comment(&w, LOST "%.200s ", lost[i]);
    s = write_robot(&w, f, folder);
    pb_xml_close(&w.xml);
  }
  pb_warnings_free(&warnings);
  pb_arena_free(&arena);
  return s == DM_NO_MEMORY ? dm_fail(msg, s, "%.300s: out of memory", x->path) : s;
}
