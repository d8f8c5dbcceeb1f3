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

static const char *find_kind(const xmlNode *e) {
  const char *name = (const char *)e->name;
  if (!strcmp(name, "freejoint")) return "joint";
  if (!strcmp(name, "fixed") || !strcmp(name, "spatial")) return "tendon";
  return name;
}

// the next element of a subtree in document order
static xmlNode *find_next(xmlNode *e, const xmlNode *top) {
  xmlNode *next = pb_xml_next(e->children, NULL);
  while (!next && e != top) {
    next = pb_xml_next(e->next, NULL);
    if (!next) e = e->parent;
  }
  return next;
}

dm_status pb_mjcf_names_add(const pb_xml *x, pb_mjcf_names *set, const xmlNode *top) {
  static char there[] = "there";
  for (const xmlNode *e = top; e; e = find_next((xmlNode *)e, top)) {
    const char *name;
    DM_TRY(pb_xml_text(x, e, "name", &name));
    if (name) xmlHashAddEntry2(set, (const xmlChar *)name, (const xmlChar *)find_kind(e), there);
  }
  return DM_OK;
}

static bool is_named(pb_mjcf_names *set, const char *name, const char *kind) {
  return xmlHashLookup2(set, (const xmlChar *)name, (const xmlChar *)kind) != NULL;
}

static dm_status rename_attribute(const pb_xml *x, const pb_mjcf_renaming *r, xmlNode *e,
                                  const char *attribute, const char *kind) {
  const char *name;
  char *new;
  DM_TRY(pb_xml_text(x, e, attribute, &name));
  if (!name || (r->of && !is_named(r->of, name, kind))) return DM_OK;
  if (!r->of && !strcmp(kind, "body") && !strcmp(name, "world")) return DM_OK;
  const size_t size = strlen(r->before) + strlen(name) + strlen(r->behind) + 1;
  PB_NEW(x->r->arena, new, size);
  snprintf(new, size, "%s%s%s", r->before, name, r->behind);
  return xmlSetProp(e, (const xmlChar *)attribute, (const xmlChar *)new) ? DM_OK : DM_NO_MEMORY;
}

dm_status pb_mjcf_rename(const pb_xml *x, const pb_mjcf_renaming *r, xmlNode *top) {
  for (xmlNode *e = top; e; e = find_next(e, top)) {
    // the name of a <default> is its class
    DM_TRY(rename_attribute(x, r, e, "name", find_kind(e)));
    for (int i = 0; i < REFERENCES; i++)
      if (!r->of || !references[i].outside)
        DM_TRY(rename_attribute(x, r, e, references[i].attribute, references[i].kind));
  }
  return DM_OK;
}

dm_status pb_mjcf_copy(const pb_xml *x, const xmlNode *e, xmlNode **out) {
  *out = xmlDocCopyNode((xmlNode *)e, x->doc, 1);
  if (!*out) return DM_NO_MEMORY;

  // xmlCopyNode drops the places; both subtrees have the same order
  xmlNode *to = *out;
  for (xmlNode *from = (xmlNode *)e; from && to; from = find_next(from, e)) {
    to->_private = from->_private;
    to = find_next(to, *out);
  }
  return DM_OK;
}

// whether an element or a descendant refers to a name of the set; only: to no other name
static bool refers_to(const pb_xml *x, pb_mjcf_names *set, const xmlNode *top, bool *only) {
  bool any = false;
  *only = true;
  for (const xmlNode *e = top; e; e = find_next((xmlNode *)e, top))
    for (int i = 0; i < REFERENCES; i++) {
      const char *name;
      if (references[i].outside) continue;
      if (pb_xml_text(x, e, references[i].attribute, &name) != DM_OK || !name) continue;
      if (!strcmp(references[i].kind, "body") && !strcmp(name, "world")) continue;
      const bool own = is_named(set, name, references[i].kind);
      any = any || own;
      *only = *only && own;
    }
  return any;
}

bool pb_mjcf_follows_only(const pb_xml *x, pb_mjcf_names *set, const xmlNode *e) {
  bool only;
  return refers_to(x, set, e, &only) && only;
}

// the renamed copies of one follower
static dm_status copy_follower(const pb_xml *x, int n, const pb_mjcf_renaming *r, xmlNode *e,
                               bool instead) {
  for (int i = n - 1; i >= 0; i--) {
    xmlNode *copy;
    DM_TRY(pb_mjcf_copy(x, e, &copy));
    const dm_status s = pb_mjcf_rename(x, &r[i], copy);
    if (s != DM_OK || !xmlAddNextSibling(e, copy)) {
      xmlFreeNode(copy);
      return s != DM_OK ? s : DM_NO_MEMORY;
    }
  }
  if (!instead) return DM_OK;
  xmlUnlinkNode(e);
  xmlFreeNode(e);
  return DM_OK;
}

dm_status pb_mjcf_copy_followers(const pb_xml *x, int n, const pb_mjcf_renaming *r, bool instead) {
  xmlNode *const first = xmlDocGetRootElement(x->doc)->children;
  bool only;
  for (size_t i = 0; n > 0 && i < sizeof followers / sizeof *followers; i++)
    for (xmlNode *s = pb_xml_next(first, followers[i]); s; s = pb_xml_next(s->next, followers[i]))
      for (xmlNode *e = pb_xml_next(s->children, NULL), *next; e; e = next) {
        next = pb_xml_next(e->next, NULL);
        if (!refers_to(x, r->of, e, &only)) continue;
        DM_TRY(pb_mjcf_names_add(x, r->of, e));
        DM_TRY(copy_follower(x, n, r, e, instead));
      }
  return DM_OK;
}
