#include "cli/exchange/scene_message.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// -- schemas: the fields of each message

#define OBJECT(fields)  "{\"type\":\"object\",\"properties\":{" fields "}}"
#define LIST(of)        "{\"type\":\"array\",\"items\":" of "}"
#define NUMBER          "{\"type\":\"number\"}"
#define WHOLE           "{\"type\":\"integer\"}"
#define TEXT            "{\"type\":\"string\"}"
#define FLAG            "{\"type\":\"boolean\"}"
#define FIELD(name, of) "\"" name "\":" of
#define TIME            OBJECT(FIELD("sec", WHOLE) "," FIELD("nsec", WHOLE))
#define XYZ             FIELD("x", NUMBER) "," FIELD("y", NUMBER) "," FIELD("z", NUMBER)
#define VECTOR          OBJECT(XYZ)
#define QUATERNION      OBJECT(XYZ "," FIELD("w", NUMBER))
#define POSE            OBJECT(FIELD("position", VECTOR) "," FIELD("orientation", QUATERNION))
#define COLOUR                                                                                     \
  OBJECT(FIELD("r", NUMBER) "," FIELD("g", NUMBER) "," FIELD("b", NUMBER) "," FIELD("a", NUMBER))
#define SOLID FIELD("pose", POSE) "," FIELD("size", VECTOR) "," FIELD("color", COLOUR)

const char cli_frames_schema[] = OBJECT(FIELD(
    "transforms", LIST(OBJECT(FIELD("timestamp", TIME) "," FIELD("parent_frame_id", TEXT) "," FIELD(
                      "child_frame_id",
                      TEXT) "," FIELD("translation", VECTOR) "," FIELD("rotation", QUATERNION)))));

const char cli_joints_schema[] = OBJECT(FIELD("timestamp", TIME) "," FIELD(
    "joints", LIST(OBJECT(FIELD("name", TEXT) "," FIELD("position", NUMBER) "," FIELD(
                  "velocity", NUMBER) "," FIELD("effort", NUMBER)))));

const char cli_scene_schema[] = OBJECT(
    FIELD("deletions", LIST(OBJECT(FIELD("timestamp", TIME) "," FIELD("type", WHOLE) "," FIELD("id", TEXT)))) "," FIELD(
        "entities",
        LIST(OBJECT(FIELD("timestamp", TIME) "," FIELD("frame_id", TEXT) "," FIELD("id", TEXT) "," FIELD("lifetime", TIME) "," FIELD("frame_locked", FLAG) "," FIELD("cubes", LIST(OBJECT(SOLID))) "," FIELD(
            "spheres",
            LIST(OBJECT(
                SOLID))) "," FIELD("cylinders",
                                   LIST(OBJECT(SOLID "," FIELD("bottom_scale", NUMBER) "," FIELD(
                                       "top_scale",
                                       NUMBER)))) "," FIELD("lines",
                                                            LIST(OBJECT(FIELD("type", WHOLE) "," FIELD("pose", POSE) "," FIELD("thickness", NUMBER) "," FIELD("scale_invariant", FLAG) "," FIELD(
                                                                "points",
                                                                LIST(
                                                                    VECTOR)) "," FIELD("color",
                                                                                       COLOUR)))) "," FIELD("triangles",
                                                                                                            LIST(OBJECT(FIELD("pose", POSE) "," FIELD(
                                                                                                                "points",
                                                                                                                LIST(
                                                                                                                    VECTOR)) "," FIELD("color",
                                                                                                                                       COLOUR))))))));

// -- parts of messages

static const double BARE[4] = {0.56, 0.64, 0.71, 1}; // color if the file has none

cli_json *cli_message_time(uint64_t time) {
  cli_json *o = json_object_new_object();
  cli_json_int(o, "sec", (long long)(time / 1000000000));
  cli_json_int(o, "nsec", (long long)(time % 1000000000));
  return o;
}

static cli_json *make_vector3(dm_vec a) {
  cli_json *o = json_object_new_object();
  cli_json_number(o, "x", a.x);
  cli_json_number(o, "y", a.y);
  cli_json_number(o, "z", a.z);
  return o;
}

static cli_json *make_rotation(const dm_pose *X) {
  double q[4];
  dm_pose_quaternion(X, q);
  cli_json *o = make_vector3(dm_v(q[1], q[2], q[3]));
  cli_json_number(o, "w", q[0]);
  return o;
}

static cli_json *make_pose(const dm_pose *X) {
  cli_json *o = json_object_new_object();
  json_object_object_add(o, "position", make_vector3(X->p));
  json_object_object_add(o, "orientation", make_rotation(X));
  return o;
}

static cli_json *make_colour(const double colour[4]) {
  static const char *const key[] = {"r", "g", "b", "a"};
  cli_json *o = json_object_new_object();
  for (int i = 0; i < 4; i++) cli_json_number(o, key[i], colour[i]);
  return o;
}

// an entity in a frame, with which it moves; all lists exist, even if empty
static cli_json *make_entity(const char *frame, const char *id, uint64_t time) {
  static const char *const list[] = {"metadata", "arrows", "cubes",     "spheres", "cylinders",
                                     "lines",    "texts",  "triangles", "models"};
  cli_json *o = json_object_new_object();
  json_object_object_add(o, "timestamp", cli_message_time(time));
  cli_json_text(o, "frame_id", frame);
  cli_json_text(o, "id", id);
  json_object_object_add(o, "lifetime", cli_message_time(0));
  cli_json_bool(o, "frame_locked", true);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    json_object_object_add(o, list[i], json_object_new_array());
  return o;
}

// append an object to a list of an entity
static cli_json *add_to(cli_json *entity, const char *list, const dm_pose *pose,
                        const double colour[4]) {
  cli_json *o = json_object_new_object();
  json_object_object_add(o, "pose", make_pose(pose));
  json_object_object_add(o, "color", make_colour(colour));
  json_object_array_add(json_object_object_get(entity, list), o);
  return o;
}

static cli_json *add_solid(cli_json *entity, const char *list, const dm_pose *pose, dm_vec size,
                           const double colour[4]) {
  cli_json *o = add_to(entity, list, pose, colour);
  json_object_object_add(o, "size", make_vector3(size));
  return o;
}

static void add_sphere(cli_json *entity, const dm_pose *pose, double radius,
                       const double colour[4]) {
  add_solid(entity, "spheres", pose, dm_v(2 * radius, 2 * radius, 2 * radius), colour);
}

static void add_cylinder(cli_json *entity, const dm_pose *pose, double radius, double length,
                         const double colour[4]) {
  cli_json *o = add_solid(entity, "cylinders", pose, dm_v(2 * radius, 2 * radius, length), colour);
  cli_json_number(o, "bottom_scale", 1);
  cli_json_number(o, "top_scale", 1);
}

// a cylinder with a sphere at either end
static void add_capsule(cli_json *entity, const dm_pose *pose, double radius, double length,
                        const double colour[4]) {
  add_cylinder(entity, pose, radius, length, colour);
  for (int end = -1; end <= 1; end += 2) {
    dm_pose at = *pose;
    at.p = dm_add(at.p, dm_mul(0.5 * end * length, at.z));
    add_sphere(entity, &at, radius, colour);
  }
}

// -- visuals

static void add_look(cli_json *entity, const pb_visual *v, const dm_pose *pose) {
  const double *colour = v->colour[0] >= 0 ? v->colour : BARE;
  if (!strcmp(v->kind, "box"))
    add_solid(entity, "cubes", pose, dm_v(v->size[0], v->size[1], v->size[2]), colour);
  else if (!strcmp(v->kind, "sphere"))
    add_sphere(entity, pose, v->size[0], colour);
  else if (!strcmp(v->kind, "cylinder"))
    add_cylinder(entity, pose, v->size[0], v->size[1], colour);
  else if (!strcmp(v->kind, "capsule"))
    add_capsule(entity, pose, v->size[0], v->size[1], colour);
  else {
    // add triangles
    cli_json *o = add_to(entity, "triangles", pose, colour), *points = json_object_new_array();
    json_object_object_add(o, "points", points);
    json_object_object_add(o, "colors", json_object_new_array());
    json_object_object_add(o, "indices", json_object_new_array());
    for (int i = 0; i < 3 * v->triangles; i++) {
      const double *x = v->x + 3 * (size_t)i;
      json_object_array_add(points, make_vector3(dm_v(x[0], x[1], x[2])));
    }
  }
}

// an update that removes previous entities, with a list to be filled
static cli_json *make_update(bool removes, uint64_t time, cli_json **entities) {
  enum { ALL = 1 };
  cli_json *o = json_object_new_object(), *deletions = json_object_new_array();
  *entities = json_object_new_array();
  json_object_object_add(o, "deletions", deletions);
  json_object_object_add(o, "entities", *entities);
  if (!removes) return o;
  cli_json *all = json_object_new_object();
  json_object_object_add(all, "timestamp", cli_message_time(time));
  cli_json_int(all, "type", ALL);
  cli_json_text(all, "id", "");
  json_object_array_add(deletions, all);
  return o;
}

cli_json *cli_looks_message(const cli_body_frames *w, const pb_visuals *looks, uint64_t time) {
  cli_json *entities, *o = make_update(true, time, &entities);
  const pb_outputs *of = &w->robot->outputs;
  dm_pose at;
  char id[640];

  // visuals of the robot, then keep_out shapes, each in the frame of its body
  for (int i = 0; i < looks->n; i++) {
    const pb_visual *v = &looks->list[i];
    const int body = cli_body_frames_carrier(w, v->joint, &v->frame, &at);
    const char *frame = cli_body_frames_name(w, body);
    snprintf(id, sizeof id, "%s %d", frame, i);
    cli_json *entity = make_entity(frame, id, time);
    json_object_array_add(entities, entity);
    add_look(entity, v, &at);
  }
  for (int i = 0; i < of->nshapes; i++) {
    const pb_kept_shape *s = &of->shape[i];
    const int body = cli_body_frames_carrier(w, s->joint, &s->frame, &at);
    snprintf(id, sizeof id, "keep_out %s %d", s->name, i);
    cli_json *entity = make_entity(cli_body_frames_name(w, body), id, time);
    json_object_array_add(entities, entity);

    // a shape of keep_out, transparent; infinite shapes are 10 m long
    static const double colour[] = {0.85, 0.55, 0.37, 0.4}, MOST = 5, THIN = 1e-3;
    const dm_vec half = dm_v(fmin(s->shape.half[0], MOST), fmin(s->shape.half[1], MOST),
                             fmin(s->shape.half[2], MOST));
    if (s->shape.kind == DM_SHAPE_HALF_SPACE)
      add_solid(entity, "cubes", &at, dm_v(2 * MOST, 2 * MOST, THIN), colour);
    else if (s->shape.kind == DM_SHAPE_SPHERE)
      add_sphere(entity, &at, s->shape.radius, colour);
    else if (s->shape.kind == DM_SHAPE_CAPSULE)
      add_capsule(entity, &at, s->shape.radius, 2 * half.z, colour);
    else if (s->shape.kind == DM_SHAPE_CYLINDER)
      add_cylinder(entity, &at, s->shape.radius, 2 * half.z, colour);
    else
      add_solid(entity, "cubes", &at, dm_mul(2, half), colour);
  }
  return o;
}

// -- sticks

static bool has_look(const pb_visuals *looks, int joint) {
  for (int i = 0; i < looks->n; i++)
    if (looks->list[i].joint == joint) return true;
  return false;
}

// append both ends of a line to a list of points
static void add_stick(cli_json *entity, const cli_body_frames *w, const dm_outline_line *l,
                      double size) {
  static const double tone[][4] = {[DM_OUTLINE_LINK] = {0.44, 0.58, 0.74, 1},
                                   [DM_OUTLINE_BOX] = {0.5, 0.56, 0.64, 1},
                                   [DM_OUTLINE_ROD] = {0.6, 0.6, 0.6, 1},
                                   [DM_OUTLINE_SPRING] = {0.18, 0.62, 0.44, 1}};
  enum { STRIP = 0 };
  cli_json *o = add_to(entity, "lines", &dm_identity, tone[l->kind]);
  cli_json *points = json_object_new_array();
  cli_json_int(o, "type", STRIP);
  cli_json_number(o, "thickness", (l->kind == DM_OUTLINE_LINK ? 0.03 : 0.008) * size);
  cli_json_bool(o, "scale_invariant", false);
  json_object_object_add(o, "points", points);
  json_object_object_add(o, "colors", json_object_new_array());
  json_object_object_add(o, "indices", json_object_new_array());
  for (int end = 0; end < 2; end++)
    json_object_array_add(points,
                          make_vector3(dm_outline_place(w->X, l->at.joint[end], l->at.end[end])));
}

cli_json *cli_outline_message(const cli_body_frames *w, const dm_outline *outline,
                              const pb_visuals *looks, double size, uint64_t time) {
  static const double colour[] = {0.88, 0.63, 0.19, 1};
  cli_json *entities, *o = make_update(false, time, &entities);
  cli_json *entity = make_entity(w->root, "outline", time);
  int shown = 0;
  json_object_array_add(entities, entity);
  for (int i = 0; i < outline->nline; i++) {
    // links and cuboids are shown only without visuals, rods and springs always
    const dm_outline_line *l = &outline->line[i];
    const bool stands_in = l->kind == DM_OUTLINE_LINK || l->kind == DM_OUTLINE_BOX;
    if (!(!stands_in || !has_look(looks, l->at.joint[0]))) continue;

    add_stick(entity, w, &outline->line[i], size);
    shown++;
  }
  for (int i = 0; i < outline->nmark; i++) {
    const dm_outline_mark *mark = &outline->mark[i];
    if (has_look(looks, mark->joint)) continue;
    dm_pose at = dm_identity;
    at.p = dm_outline_place(w->X, mark->joint, mark->at);
    add_sphere(entity, &at, (mark->mass > 0 ? 0.03 : 0.015) * size, colour);
    shown++;
  }
  if (shown) return o;
  json_object_put(o);
  return NULL;
}

// -- frames

cli_json *cli_frames_message(const cli_body_frames *w, uint64_t time) {
  cli_json *o = json_object_new_object(), *list = json_object_new_array();
  json_object_object_add(o, "transforms", list);
  for (int b = 0; b < w->m->nbody; b++) {
    const dm_pose at = cli_body_frames_pose(w, b);
    cli_json *frame = json_object_new_object();
    json_object_object_add(frame, "timestamp", cli_message_time(time));
    cli_json_text(frame, "parent_frame_id", cli_body_frames_name(w, w->parent[b]));
    cli_json_text(frame, "child_frame_id", cli_body_frames_name(w, b));
    json_object_object_add(frame, "translation", make_vector3(at.p));
    json_object_object_add(frame, "rotation", make_rotation(&at));
    json_object_array_add(list, frame);
  }
  return o;
}
