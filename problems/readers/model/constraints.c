#include "problems/readers/model/constraints.h"

#include "lib/base/block.h"
#include "problems/readers/format/number.h"
#include "problems/readers/model/tendon.h"

#include <math.h>
#include <string.h>

typedef struct constraint_section {
  const char *name, *type;
  const pb_node *bodies, *points, *length, *coordinates;
  double axis[3], ratio, shift;
} constraint_section;

#define KIND_WORD(NAME, name, word, must, may) " " word
#define FIELD(member, ...)                     PB_KEY(constraint_section, member, __VA_ARGS__)
const pb_key pb_constraint_keys[] = {
    FIELD(name, .type = PB_TEXT, .absent = PB_REQUIRED),
    FIELD(type, .type = PB_WORD, .absent = PB_REQUIRED, .words = DM_CONSTRAINT_KINDS(KIND_WORD)),
    FIELD(bodies, .type = PB_NODE, .words = "[body, body]"),
    FIELD(points, .type = PB_NODE, .unit = "m", .note = "the bodies' origins",
          .words = "[[x, y, z], [x, y, z]]"),
    FIELD(axis, .type = PB_VECTOR),
    FIELD(length, .type = PB_NODE, .unit = "m", .words = "number > 0, or a coordinate"),
    FIELD(coordinates, .type = PB_NODE, .words = "[coordinate, coordinate]"),
    FIELD(ratio, .type = PB_NUMBER, .absent = "1"),
    FIELD(shift, .type = PB_NUMBER, .unit = "m or rad", .absent = "0"),
    {0}};
#undef FIELD
#undef KIND_WORD

// what a type must say beside its name, and what it may
static const struct form {
  const char *word;
  dm_constraint_kind kind;
  const char *must, *may;
#define KIND_FORM(NAME, name, word, must, may) {word, DM_##NAME, must, "name type " may},
} forms[] = {DM_CONSTRAINT_KINDS(KIND_FORM)};
#undef KIND_FORM

#define PATH "model.constraints[]"

// two different coordinates
static dm_status read_coordinates(const pb_reader *r, const pb_node *node, const dm_model *m,
                                  int pair[2]) {
  const char *path = PATH ".coordinates";
  if (node->kind != PB_SEQUENCE || node->n != 2) {
    char found[64];
    return pb_refuse_node(r, node, "%s: found %s, expected a list of 2 names", path,
                          pb_node_describe(node, found));
  }
  // q_0 = ratio q_1 + shift
  const pb_node *second = node->first->next;
  DM_TRY(pb_coordinate_read(r, path, node->first, m, pair));
  DM_TRY(pb_coordinate_read(r, path, second, m, pair + 1));
  if (pair[0] != pair[1]) return DM_OK;
  return pb_refuse_node(r, second, "%s: found '%.64s' twice, expected two of them", path,
                        second->text);
}

// a number, or the coordinate that is the length
static dm_status read_length(const pb_reader *r, const pb_node *node, const dm_model *m,
                             dm_constraint *c) {
  const char *path = PATH ".length";
  double x;
  if (!node) return DM_OK;

  // a number
  if (node->kind != PB_SCALAR || node->quoted || pb_number_parse(node->text, &x) != DM_BAD_INPUT)
    return pb_schema_number(r, path, node, "> 0", &c->length);

  // a coordinate, which is a length: it slides
  DM_TRY(pb_coordinate_read(r, path, node, m, c->coord));
  if (m->kind[c->coord[0]] == DM_SLIDE) return DM_OK;
  return pb_refuse_node(r, node, "%s: found '%.64s', which turns, expected one that slides", path,
                        node->text);
}

// a section of the list
static dm_status read_constraint(const pb_reader *r, const pb_node *node, const dm_model *m,
                                 dm_constraint *c) {
  constraint_section s = {0};
  pb_points x;
  const struct form *f = forms;

  // the section, which must have the fields of its type and no others
  DM_TRY(pb_schema_read(r, PATH, node, pb_constraint_keys, &s));
  while (strcmp(f->word, s.type) != 0) f++;
  DM_TRY(pb_schema_form(r, PATH, node, "type", f->word, f->must, f->may));

  // what every constraint has
  *c = (dm_constraint){.name = s.name,
                       .kind = f->kind,
                       .body = {-1, -1},
                       .coord = {-1, -1},
                       .ratio = s.ratio,
                       .shift = s.shift};

  // of two coordinates, or between points of two bodies
  if (f->kind == DM_EQUAL) return read_coordinates(r, s.coordinates, m, c->coord);
  DM_TRY(pb_points_read(r, PATH, s.bodies, s.points, false, m, &x));
  memcpy(c->body, x.body, sizeof c->body);
  memcpy(c->point, x.point, sizeof c->point);
  const pb_node *axis = pb_node_get(node, "axis");
  if (axis) DM_TRY(pb_schema_direction(r, PATH ".axis", axis, s.axis, c->axis));
  return read_length(r, s.length, m, c);
}

dm_status pb_constraints_read(const pb_reader *r, const pb_node *list, const dm_model *m,
                              dm_constraints **out) {
  dm_constraint *c;
  const char **name;
  dm_message why = {""};
  int n = 0;
  *out = NULL;
  if (!list || !list->n) return DM_OK;

  // the sections one by one, then all as rows h(q)
  PB_NEW(r->arena, c, list->n);
  PB_NEW(r->arena, name, list->n);
  for (const pb_node *e = list->first; e; e = e->next) {
    DM_TRY(read_constraint(r, e, m, c + n));
    DM_TRY(pb_schema_once(r, PATH, e, name, &n, c[n].name));
  }
  // the library's sentence names the constraint
  dm_status s = dm_constraints_new(out, m, n, c, &why);
  return s == DM_BAD_INPUT ? pb_refuse_node(r, list, "model.constraints: %s", why.text) : s;
}

dm_status pb_constraints_check(const pb_reader *r, const pb_node *node, const char *path,
                               const dm_holonomic *hol, const double *q) {
  double *h;
  int worst = 0;
  if (!hol->nc) return DM_OK;

  // h(q), with its scratch
  dm_block b = {0};
  PB_NEW(r->arena, h, hol->nc);
  dm_block_alloc(&b, 1, hol->scratch);
  DM_TRY(dm_block_new(&b));
  dm_status s = hol->eval(hol->self, dm_block_alloc(&b, 1, hol->scratch), q, h, NULL);
  dm_block_free(b.base);
  if (s == DM_NOT_FINITE)
    return pb_refuse_node(r, node, "%s: constraints: %s", path, dm_status_text(s));
  DM_TRY(s);

  // the worst row, which a value that is not a number is; 1e-6 is what digits leave
  for (int i = 0; i < hol->nc; i++)
    if (!(fabs(h[i]) <= fabs(h[worst]))) worst = i;
  if (fabs(h[worst]) <= 1e-6) return DM_OK;
  return pb_refuse_node(r, node, "%s: it violates the constraint '%.64s' by %.3g m or rad", path,
                        hol->row_name(hol->self, worst), h[worst]);
}
