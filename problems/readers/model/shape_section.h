// problems/readers/model/shape_section.h: shapes of problem files: `keep_out.shapes[]` and
// `model.contacts[].against`.
#ifndef PB_MODEL_SHAPE_SECTION_H
#define PB_MODEL_SHAPE_SECTION_H
#include "problems/readers/model/collision.h"

typedef struct pb_shape_section {
  const char *name, *type;
  const pb_node *body, *point, *points, *axis, *size, *rpy, *length;
  double radius;
} pb_shape_section;

extern const pb_key pb_shape_keys[];   // with a name and a body
extern const pb_key pb_against_keys[]; // the geometry alone

// The kind, frame and dimensions of a shape from its section.
//   path  for messages, at most 100 characters
//   node  of the section, which must have the keys of its type and no others
//   out   .body and .name remain
dm_status pb_shape_read(const pb_reader *r, const char *path, const pb_node *node,
                        const pb_shape_section *in, pb_shape *out);
#endif
