#include "problems/readers/model/shape_section.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHAPE_WORD(NAME, name, word, must, may) " " word
#define FIELD(member, ...)                      PB_KEY(pb_shape_section, member, __VA_ARGS__)
#define GEOMETRY                                                                                   \
  FIELD(type, .type = PB_WORD, .absent = PB_REQUIRED, .words = DM_SHAPE_KINDS(SHAPE_WORD),         \
        .about = "Kind of shape"),                                                                 \
      FIELD(point, .type = PB_NODE, .unit = "m", .also = "center centre position origin xyz",      \
            .note = "[0, 0, 0]", .words = "[x, y, z]",                                             \
            .about = "Center; for a half-space a point on its surface"),                           \
      FIELD(points, .type = PB_NODE, .unit = "m", .also = "ends",                                  \
            .words = "[[x, y, z], [x, y, z]]", .about = "End points of a capsule's axis"),         \
      FIELD(axis, .type = PB_NODE, .also = "normal direction", .words = "[x, y, z]",               \
            .about = "Axis of a cylinder; outward normal of a half-space"),                        \
      FIELD(radius, .type = PB_NUMBER, .unit = "m", .also = "r", .range = "> 0",                   \
            .about = "Radius"),                                                                    \
      FIELD(length, .type = PB_NODE, .unit = "m", .also = "height", .note = "none",                \
            .words = "number > 0, or none", .about = "Length of a cylinder; `none` is infinite"),  \
      FIELD(size, .type = PB_NODE, .unit = "m", .also = "sizes extent", .words = "[x, y, z]",      \
            .about = "Edge lengths of a box"),                                                     \
      FIELD(rpy, .type = PB_NODE, .unit = "rad", .note = "[0, 0, 0]", .words = "[x, y, z]",        \
            .about = "Roll, pitch, yaw of a box")

const pb_key pb_shape_keys[] = {
    FIELD(name, .type = PB_TEXT, .absent = PB_REQUIRED, .about = "Unique name without a dot"),
    FIELD(body, .type = PB_NODE, .also = "link frame parent", .note = "world", .words = "text",
          .about = "Body that carries the shape; positions are in its frame"),
    GEOMETRY,
    {0}};
const pb_key pb_against_keys[] = {GEOMETRY, {0}};
#undef GEOMETRY
#undef FIELD
#undef SHAPE_WORD

// required and optional keys of each type, besides its name
static const struct form {
  const char *word;
  dm_shape_kind kind;
  const char *must, *may;
#define KIND_FORM(NAME, name, word, must, may) {word, DM_SHAPE_##NAME, must, "name type " may},
} forms[] = {DM_SHAPE_KINDS(KIND_FORM)};
#undef KIND_FORM

enum { PATH_SIZE = 128 };

static const char *join(char at[PATH_SIZE], const char *path, const char *key) {
  snprintf(at, PATH_SIZE, "%s.%s", path, key);
  return at;
}

// axis and midpoint from the two ends
static dm_status place_capsule(const pb_reader *r, const char *path, const pb_node *points,
                               pb_shape *s) {
  char found[64];
  double axis[3], length = 0;
  if (points->kind != PB_SEQUENCE || points->n != 2)
    return pb_refuse_node(r, points, "%s: found %s, expected two points", path,
                          pb_node_describe(points, found));
  DM_TRY(pb_schema_list(r, path, points->first, 3, s->point));
  DM_TRY(pb_schema_list(r, path, points->first->next, 3, s->end));
  for (int i = 0; i < 3; i++) {
    axis[i] = s->end[i] - s->point[i];
    length += axis[i] * axis[i];
  }
  if (length == 0)
    return pb_refuse_node(r, points,
                          "%s: found the same point twice, expected both ends of an axis", path);
  pb_shape_capsule(s);
  return DM_OK;
}

// the frame of a shape at a point: along an axis, by rotations, or parallel to its body's
static dm_status place_shape(const pb_reader *r, const char *path, const pb_shape_section *in,
                             pb_shape *s) {
  char at[PATH_SIZE];
  double axis[3], rpy[3] = {0};
  if (in->point) DM_TRY(pb_schema_list(r, join(at, path, "point"), in->point, 3, s->point));
  if (in->points) return place_capsule(r, join(at, path, "points"), in->points, s);
  const double *p = s->point;
  if (in->rpy) DM_TRY(pb_schema_list(r, join(at, path, "rpy"), in->rpy, 3, rpy));
  s->frame = dm_pose_rpy(rpy, p);
  s->swept = s->shape.kind == DM_SHAPE_SPHERE;
  if (!in->axis) return DM_OK;
  DM_TRY(pb_schema_list(r, join(at, path, "axis"), in->axis, 3, axis));
  DM_TRY(pb_schema_direction(r, join(at, path, "axis"), in->axis, axis, axis));
  s->frame = dm_pose_along(dm_v(axis[0], axis[1], axis[2]), dm_v(p[0], p[1], p[2]));
  return DM_OK;
}

dm_status pb_shape_read(const pb_reader *r, const char *path, const pb_node *node,
                        const pb_shape_section *in, pb_shape *out) {
  const struct form *f = forms;
  char at[PATH_SIZE];
  while (strcmp(f->word, in->type) != 0) f++;
  DM_TRY(pb_schema_form(r, path, node, "type", f->word, f->must, f->may));
  *out = (pb_shape){.body = -1, .shape.kind = f->kind};
  DM_TRY(place_shape(r, path, in, out));

  // the dimensions
  out->shape.radius = in->radius;
  if (out->shape.kind == DM_SHAPE_CYLINDER) {
    double length = INFINITY;
    if (in->length && strcmp(in->length->text ? in->length->text : "", "none"))
      DM_TRY(pb_schema_number(r, join(at, path, "length"), in->length, "> 0", &length));
    out->shape.half[2] = length / 2;
  }
  if (!in->size) return DM_OK;
  DM_TRY(pb_schema_list(r, join(at, path, "size"), in->size, 3, out->shape.half));
  for (int i = 0; i < 3; i++) {
    if (!(out->shape.half[i] > 0))
      return pb_refuse_node(r, in->size, "%s.size: found %g, expected sizes > 0", path,
                            out->shape.half[i]);
    out->shape.half[i] /= 2;
  }
  return DM_OK;
}
