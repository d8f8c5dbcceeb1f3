#include "problems/readers/model/mjcf_parts.h"

#include <stdio.h>
#include <string.h>

pb_place pb_mjcf_place(const pb_mjcf_parts *w, const pb_xml_node *e) {
  return (pb_place){.file = pb_xml_file(w->m.x, e), .line = pb_xml_line(e)};
}

bool pb_mjcf_is_single(const pb_mjcf_joint *j) {
  return j->kind == PB_MJCF_HINGE || j->kind == PB_MJCF_SLIDE;
}

// the name of part i in a list of structs of this size, which begin with their names
static const char *name_at(const void *list, size_t size, int i) {
  return *(const char *const *)((const char *)list + size * (size_t)i);
}

// find the part that an attribute names
static dm_status find_part(const pb_mjcf_parts *w, const pb_xml_node *e, const char *attribute,
                           const char *what, const void *list, size_t size, int n, int *out) {
  const char *name, **known;
  char meant[96];
  DM_TRY(pb_xml_name(w->m.x, e, attribute, &name));
  for (*out = 0; *out < n; ++*out)
    if (!strcmp(name_at(list, size, *out), name)) return DM_OK;
  PB_NEW(w->t->r->arena, known, n + 1);
  for (int i = 0; i < n; i++) known[i] = name_at(list, size, i);
  return pb_refuse_xml(w->m.x, e, "<%s>: found %s=\"%.64s\", which no %s is%s", e->name, attribute,
                       name, what, pb_did_you_mean(known, n, name, meant));
}

dm_status pb_mjcf_find_joint(const pb_mjcf_parts *w, const pb_xml_node *e, const char *attribute,
                             int *out) {
  return find_part(w, e, attribute, "joint", w->joint, sizeof *w->joint, w->njoint, out);
}

dm_status pb_mjcf_find_tendon(const pb_mjcf_parts *w, const pb_xml_node *e, const char *attribute,
                              int *out) {
  return find_part(w, e, attribute, "tendon", w->tendon, sizeof *w->tendon, w->ntendon, out);
}

dm_status pb_mjcf_find_site(const pb_mjcf_parts *w, const pb_xml_node *e, const char *attribute,
                            int *out) {
  int i;
  DM_TRY(find_part(w, e, attribute, "site", w->site, sizeof *w->site, w->nsite, &i));
  *out = w->site[i].body;
  return DM_OK;
}

dm_status pb_mjcf_find_body(const pb_mjcf_parts *w, const pb_xml_node *e, const char *attribute,
                            int *out) {
  const char *name;
  int i;
  DM_TRY(pb_xml_name(w->m.x, e, attribute, &name));
  *out = -1;
  if (!strcmp(name, "world")) return DM_OK;
  DM_TRY(find_part(w, e, attribute, "body", w->t->body, sizeof *w->t->body, w->t->nbody, &i));
  *out = i;
  return DM_OK;
}

dm_status pb_mjcf_coefficient(const pb_mjcf_parts *w, pb_mjcf_element at, const char *what,
                              const char *name, double *value) {
  double own[3] = {0};
  int n;
  DM_TRY(pb_mjcf_numbers(&w->m, at, name, 3, own, &n));
  if (n == 0) return DM_OK;
  if (own[1] != 0 || own[2] != 0)
    return pb_refuse_xml(w->m.x, pb_mjcf_holder(&w->m, at, name),
                         "%s: found %s by a curve, %g %g %g, expected one number", what, name,
                         own[0], own[1], own[2]);
  if (own[0] < 0)
    return pb_refuse_xml(w->m.x, at.e, "%s: found %s %g, expected a number >= 0", what, name,
                         own[0]);
  *value = own[0];
  return DM_OK;
}

dm_status pb_mjcf_part_name(const pb_mjcf_parts *w, const pb_xml_node *e, int number,
                            const char **name) {
  char *own;
  if (pb_xml_has(e, "name")) return pb_xml_name(w->m.x, e, "name", name);
  PB_NEW(w->t->r->arena, own, 40);
  snprintf(own, 40, "%.20s_%d", e->name, number);
  *name = own;
  return DM_OK;
}
