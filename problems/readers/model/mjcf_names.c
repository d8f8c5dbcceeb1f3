#include "problems/readers/model/mjcf_names.h"

#include <stdio.h>
#include <string.h>

// attributes that refer to names of a kind; outside: of a kind outside the tree of bodies
static const struct reference {
  const char *attribute, *kind;
  bool outside;
} references[] = {
    {"joint", "joint", false},      {"jointinparent", "joint", false}, {"joint1", "joint", false},
    {"joint2", "joint", false},     {"body", "body", false},           {"body1", "body", false},
    {"body2", "body", false},       {"site", "site", false},           {"site1", "site", false},
    {"site2", "site", false},       {"refsite", "site", false},        {"sidesite", "site", false},
    {"slidersite", "site", false},  {"cranksite", "site", false},      {"geom", "geom", false},
    {"geom1", "geom", false},       {"geom2", "geom", false},          {"tendon", "tendon", false},
    {"tendon1", "tendon", false},   {"tendon2", "tendon", false},      {"mesh", "mesh", true},
    {"material", "material", true}, {"hfield", "hfield", true},        {"texture", "texture", true},
    {"class", "default", true},     {"childclass", "default", true},   {"model", "model", true}};

enum { REFERENCES = sizeof references / sizeof *references };

static const char *const followers[] = {"tendon", "equality", "actuator"};

static const char *find_kind(const pb_xml_node *e) {
  const char *name = e->name;
  if (!strcmp(name, "freejoint")) return "joint";
  if (!strcmp(name, "fixed") || !strcmp(name, "spatial")) return "tendon";
  return name;
}

// the next element of a subtree in document order
static pb_xml_node *find_next(pb_xml_node *e, const pb_xml_node *top) {
  pb_xml_node *next = pb_xml_next(e->children, NULL);
  while (!next && e != top) {
    next = pb_xml_next(e->next, NULL);
    if (!next) e = e->parent;
  }
  return next;
}

static pb_mjcf_named **find_bucket(pb_mjcf_names *set, const char *name) {
  unsigned hash = 0;
  for (; *name; name++) hash = 31 * hash + (unsigned char)*name;
  return &set->bucket[hash % PB_MJCF_BUCKETS];
}

static bool is_named(pb_mjcf_names *set, const char *name, const char *kind) {
  const pb_mjcf_named *n = *find_bucket(set, name);
  while (n && (strcmp(n->name, name) != 0 || strcmp(n->kind, kind) != 0)) n = n->next;
  return n != NULL;
}

dm_status pb_mjcf_names_add(const pb_xml *x, pb_mjcf_names *set, const pb_xml_node *top) {
  for (const pb_xml_node *e = top; e; e = find_next((pb_xml_node *)e, top)) {
    const char *name = pb_xml_get(e, "name");
    if (!name || is_named(set, name, find_kind(e))) continue;
    pb_mjcf_named *new;
    PB_NEW(x->r->arena, new, 1);
    pb_mjcf_named **first = find_bucket(set, name);
    *new = (pb_mjcf_named){name, find_kind(e), *first};
    *first = new;
  }
  return DM_OK;
}

static dm_status rename_attribute(const pb_xml *x, const pb_mjcf_renaming *r, pb_xml_node *e,
                                  const char *attribute, const char *kind) {
  const char *name;
  char *new;
  name = pb_xml_get(e, attribute);
  if (!name || (r->of && !is_named(r->of, name, kind))) return DM_OK;
  if (!r->of && !strcmp(kind, "body") && !strcmp(name, "world")) return DM_OK;
  const size_t size = strlen(r->before) + strlen(name) + strlen(r->behind) + 1;
  PB_NEW(x->r->arena, new, size);
  snprintf(new, size, "%s%s%s", r->before, name, r->behind);
  return pb_xml_set(x->r->arena, e, attribute, new);
}

dm_status pb_mjcf_rename(const pb_xml *x, const pb_mjcf_renaming *r, pb_xml_node *top) {
  for (pb_xml_node *e = top; e; e = find_next(e, top)) {
    // the name of a <default> is its class
    DM_TRY(rename_attribute(x, r, e, "name", find_kind(e)));
    for (int i = 0; i < REFERENCES; i++)
      if (!r->of || !references[i].outside)
        DM_TRY(rename_attribute(x, r, e, references[i].attribute, references[i].kind));
  }
  return DM_OK;
}

// whether an element or a descendant refers to a name of the set; only: to no other name
static bool refers_to(pb_mjcf_names *set, const pb_xml_node *top, bool *only) {
  bool any = false;
  *only = true;
  for (const pb_xml_node *e = top; e; e = find_next((pb_xml_node *)e, top))
    for (int i = 0; i < REFERENCES; i++) {
      const char *name = pb_xml_get(e, references[i].attribute);
      if (references[i].outside || !name) continue;
      if (!strcmp(references[i].kind, "body") && !strcmp(name, "world")) continue;
      const bool own = is_named(set, name, references[i].kind);
      any = any || own;
      *only = *only && own;
    }
  return any;
}

bool pb_mjcf_follows_only(pb_mjcf_names *set, const pb_xml_node *e) {
  bool only;
  return refers_to(set, e, &only) && only;
}

// the renamed copies of one follower
static dm_status copy_follower(const pb_xml *x, int n, const pb_mjcf_renaming *r, pb_xml_node *e,
                               bool instead) {
  for (int i = n - 1; i >= 0; i--) {
    pb_xml_node *copy = pb_xml_copy(x->r->arena, e);
    if (!copy) return DM_NO_MEMORY;
    DM_TRY(pb_mjcf_rename(x, &r[i], copy));
    pb_xml_put_behind(e, copy);
  }
  if (instead) pb_xml_unlink(e);
  return DM_OK;
}

dm_status pb_mjcf_copy_followers(const pb_xml *x, int n, const pb_mjcf_renaming *r, bool instead) {
  pb_xml_node *const first = pb_xml_root(x)->children;
  bool only;
  for (size_t i = 0; n > 0 && i < sizeof followers / sizeof *followers; i++)
    for (pb_xml_node *s = pb_xml_next(first, followers[i]); s;
         s = pb_xml_next(s->next, followers[i]))
      for (pb_xml_node *e = pb_xml_next(s->children, NULL), *next; e; e = next) {
        next = pb_xml_next(e->next, NULL);
        if (!refers_to(r->of, e, &only)) continue;
        DM_TRY(pb_mjcf_names_add(x, r->of, e));
        DM_TRY(copy_follower(x, n, r, e, instead));
      }
  return DM_OK;
}
