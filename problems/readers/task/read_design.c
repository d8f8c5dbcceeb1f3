#include "problems/readers/task/read_design.h"

#include "problems/readers/format/number.h"
#include "problems/readers/format/replace.h"

#include <math.h>
#include <string.h>

typedef struct design_section {
  const char *name;
  const pb_node *at, *within;
  double price, weight, prefer;
} design_section;

const pb_key pb_design_keys[] = {
    PB_KEY(design_section, name, .type = PB_TEXT, .absent = PB_REQUIRED,
           .about = "Name of the parameter p"),
    PB_KEY(design_section, at, .type = PB_NODE, .also = "path value values number",
           .absent = PB_REQUIRED, .words = "path, or factors by path",
           .about = "Path of a number in `model`, `inputs` or `outputs`, with dots (indices from "
                    "0, also for x, y, z); or several paths, each with a factor of p"),
    PB_KEY(design_section, within, .type = PB_NODE, .also = "bounds range limits",
           .absent = PB_REQUIRED, .words = "[low, high]",
           .about = "Range of p; it must contain the file's value"),
    PB_KEY(design_section, price, .type = PB_NUMBER, .also = "cost", .unit = "per unit",
           .absent = "0", .about = "w in the cost w p"),
    PB_KEY(design_section, weight, .type = PB_NUMBER, .range = ">= 0", .unit = "per unit2",
           .absent = "0", .about = "w in the cost w/2 (p - prefer)^2"),
    PB_KEY(design_section, prefer, .type = PB_NUMBER, .also = "reference target", .absent = "0",
           .about = "Preferred value of p"),
    {0}};

#define PATH "design[]"

// only numbers of the robot can be parameters
static bool is_of_robot(const char *path) {
  return !strncmp(path, "model.", 6) || !strncmp(path, "inputs.", 7) ||
         !strncmp(path, "outputs.", 8);
}

// a number in the file, and its relation to the parameter
static dm_status read_place(const pb_reader *r, const pb_node *root, const pb_node *name,
                            const char *path, const pb_node *factor, pb_design_place *out,
                            double *value) {
  char found[64];
  *out = (pb_design_place){path, 1};
  if (factor) DM_TRY(pb_schema_number(r, PATH ".at", factor, NULL, &out->factor));
  if (out->factor == 0)
    return pb_refuse_node(r, factor, PATH ".at: found the factor 0, expected another");
  if (!is_of_robot(path))
    return pb_refuse_node(
        r, name,
        PATH ".at: found '%.80s', expected a number of 'model', 'inputs' or 'outputs', as "
             "model.bodies.0.mass",
        path);
  const pb_node *node = pb_node_at(root, path);
  if (!node)
    return pb_refuse_node(r, name,
                          PATH ".at: found nothing at '%.80s', expected a number; places in lists "
                               "count from 0",
                          path);
  if (node->kind != PB_SCALAR || node->quoted || pb_number_parse(node->text, value) != DM_OK)
    return pb_refuse_node(r, node, PATH ".at: found %s at '%.80s', expected a number",
                          pb_node_describe(node, found), path);
  *value /= out->factor;
  return DM_OK;
}

// all places of a parameter; they must agree on its value, whose range has this size
static dm_status read_places(const pb_reader *r, const pb_node *root, const design_section *s,
                             double size, pb_design_place **out, int *count, double *value) {
  const pb_node *at = s->at;
  char found[64];
  const bool one = at->kind == PB_SCALAR && at->text[0];
  *count = one ? 1 : at->n;
  if (!one && (at->kind != PB_MAPPING || at->n == 0))
    return pb_refuse_node(r, at, PATH ".at: found %s, expected a path, or factors by path",
                          pb_node_describe(at, found));
  PB_NEW(r->arena, *out, *count);
  if (one) return read_place(r, root, at, at->text, NULL, *out, value);

  int i = 0;
  for (const pb_node *e = at->first; e; e = e->next, i++) {
    pb_node name = {
        .kind = PB_SCALAR, .line = e->key_line, .column = e->key_column, .text = e->key};
    double here;
    DM_TRY(read_place(r, root, &name, e->key, e, &(*out)[i], &here));
    if (i == 0) *value = here;
    if (fabs(here - *value) > 1e-9 * fmax(size, fabs(*value)))
      return pb_refuse_node(r, &name,
                            PATH ".at: by '%.80s' '%.64s' is %g, and by the first it is %g: "
                                 "expected numbers that agree",
                            e->key, s->name, here, *value);
  }
  return DM_OK;
}

static dm_status read_parameter(const pb_reader *r, const pb_node *root, const pb_node *node,
                                oc_parameter *p, pb_design_place **at, int *count) {
  design_section s = {0};
  double range[2];
  DM_TRY(pb_schema_read(r, PATH, node, pb_design_keys, &s));
  DM_TRY(pb_schema_limits(r, PATH ".within", s.within, range));
  *p = (oc_parameter){.name = s.name,
                      .low = range[0],
                      .high = range[1],
                      .price = s.price,
                      .weight = s.weight,
                      .prefer = s.prefer};
  if (!isfinite(p->low) || !isfinite(p->high) || !(p->low < p->high))
    return pb_refuse_node(r, s.within,
                          PATH ".within: found [%g, %g], expected two numbers, the first below the "
                               "second",
                          p->low, p->high);
  // slopes are finite differences over the range: in a narrower range rounding dominates
  const double size = fmax(fabs(p->low), fabs(p->high)), narrow = 1e-6 * size;
  if (p->high - p->low < narrow)
    return pb_refuse_node(
        r, s.within, PATH ".within: found a range of %.2g at %g, expected one of %.2g at least",
        p->high - p->low, p->high, narrow);
  DM_TRY(read_places(r, root, &s, size, at, count, &p->guess));
  const double room = 1e-9 * (p->high - p->low); // tolerance for rounding in text
  if (p->guess >= p->low - room && p->guess <= p->high + room) return DM_OK;
  return pb_refuse_node(r, s.within,
                        PATH ".within: found [%g, %g], expected it to have %g, which '%.64s' is in "
                             "the file",
                        p->low, p->high, p->guess, s.name);
}

// the name of the parameter among the first n that already uses a number of the file, or NULL
static const char *find_owner(const pb_node *root, const pb_design *d, int n,
                              const pb_node *number) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < d->places[i]; k++)
      if (pb_node_at(root, d->at[i][k].path) == number) return d->parameter[i].name;
  return NULL;
}

// Each number may belong to only one parameter: a second one would overwrite its value.
static dm_status check_owners(const pb_reader *r, const pb_node *root, const pb_node *list,
                              const pb_design *d) {
  int i = 0;
  for (const pb_node *e = list->first; e; e = e->next, i++)
    for (int k = 0; k < d->places[i]; k++) {
      const char *path = d->at[i][k].path;
      const char *owner = find_owner(root, d, i, pb_node_at(root, path));
      if (owner)
        return pb_refuse_node(r, pb_node_get(e, "at"),
                              PATH ".at: found '%.80s', which '%.64s' is already, expected each "
                                   "number in one parameter",
                              path, owner);
    }
  return DM_OK;
}

dm_status pb_design_read(const pb_reader *r, const pb_node *root, const pb_node *list,
                         pb_design *out) {
  oc_parameter *parameter;
  pb_design_place **at;
  int *count, n = 0;
  const char **name;
  *out = (pb_design){0};
  if (!list) return DM_OK;
  if (list->n > DM_FAMILY_PARAMETERS)
    return pb_refuse_node(r, list, "design: found %d parameters, expected %d at most", list->n,
                          DM_FAMILY_PARAMETERS);
  PB_NEW(r->arena, parameter, list->n);
  PB_NEW(r->arena, at, list->n);
  PB_NEW(r->arena, count, list->n);
  PB_NEW(r->arena, name, list->n);
  int i = 0;
  for (const pb_node *e = list->first; e; e = e->next, i++) {
    DM_TRY(read_parameter(r, root, e, &parameter[i], &at[i], &count[i]));
    DM_TRY(pb_schema_once(r, PATH, e, name, &n, parameter[i].name));
  }
  *out = (pb_design){list->n, parameter, count, (const pb_design_place *const *)at};
  return check_owners(r, root, list, out);
}
