#include "problems/readers/model/links.h"

#include "problems/readers/model/bodies.h"

#include <stdio.h>
#include <string.h>

typedef struct link_section {
  double mass;
  const pb_node *centre, *center, *inertia;
} link_section;

// entries of a section that are left out keep their values
#define ENTRY(member, at_, unit_, text)                                                            \
  {                                                                                                \
    .key = #member, .at = (at_) * sizeof(double), .type = PB_NUMBER, .unit = unit_,                \
    .note = "the robot's", .about = text                                                           \
  }
static const pb_key centre_keys[] = {ENTRY(x, 0, "m", "Coordinates"),
                                     ENTRY(y, 1, "m", "Coordinates"),
                                     ENTRY(z, 2, "m", "Coordinates"),
                                     {0}};
static const pb_key moment_keys[] = {
    ENTRY(xx, 0, "kg m2", "Moments about the axes"),
    ENTRY(yy, 1, "kg m2", "Moments about the axes"),
    ENTRY(zz, 2, "kg m2", "Moments about the axes"),
    ENTRY(xy, 3, "kg m2", "Products of inertia, as entries of the matrix"),
    ENTRY(xz, 4, "kg m2", "Products of inertia, as entries of the matrix"),
    ENTRY(yz, 5, "kg m2", "Products of inertia, as entries of the matrix"),
    {0}};
#undef ENTRY

const pb_key pb_link_keys[] = {
    PB_KEY(link_section, mass, .type = PB_NUMBER, .unit = "kg", .range = ">= 0",
           .note = "the robot's", .about = "Mass"),
    PB_KEY(link_section, centre, .type = PB_NODE, .unit = "m", .note = "the robot's",
           .words = "[x, y, z], or a section", .sub = centre_keys,
           .about = "Center of mass in the link's frame"),
    PB_KEY(link_section, center, .type = PB_NODE, .unit = "m", .note = "the robot's",
           .words = "[x, y, z], or a section", .sub = centre_keys,
           .about = "Other spelling of `centre`; give only one of them"),
    PB_KEY(link_section, inertia, .type = PB_NODE, .unit = "kg m2", .note = "the robot's",
           .words = "[xx, yy, zz], or a section", .sub = moment_keys,
           .about = "Inertia about the center of mass, in the link's axes"),
    {0}};

pb_link pb_link_of(const dm_inertia *I) {
  pb_link out = {.mass = I->m};
  const double c[3] = {I->c.x, I->c.y, I->c.z};
  for (int i = 0; I->m > 0 && i < 3; i++) out.centre[i] = c[i] / I->m;
  const double *r = out.centre, m = I->m;
  const double about[6] = {I->xx - m * (r[1] * r[1] + r[2] * r[2]),
                           I->yy - m * (r[0] * r[0] + r[2] * r[2]),
                           I->zz - m * (r[0] * r[0] + r[1] * r[1]),
                           I->xy + m * r[0] * r[1],
                           I->xz + m * r[0] * r[2],
                           I->yz + m * r[1] * r[2]};
  memcpy(out.inertia, about, sizeof about);
  return out;
}

// the link with everything fixed to it, in its frame; fixed bodies lose their inertia
static pb_link gather(pb_tree *t, int link, dm_pose *pose, bool *fixed) {
  const dm_body *b = &t->body[link];
  pb_link own = {b->mass, {b->centre[0], b->centre[1], b->centre[2]}, {0}};
  memcpy(own.inertia, b->inertia, sizeof own.inertia);
  dm_inertia sum = dm_inertia_about(b->mass, b->centre, b->inertia);
  bool alone = true;
  memset(fixed, 0, (size_t)t->nbody * sizeof *fixed);
  fixed[link] = true;
  pose[link] = dm_identity;

  // parents stand before
  for (int i = link + 1; i < t->nbody; i++) {
    dm_body *x = &t->body[i];
    if (x->ncoord || x->parent < 0 || !fixed[x->parent]) continue;
    fixed[i] = true;
    alone = false;
    pose[i] = dm_compose(&pose[x->parent], &x->offset);
    const dm_inertia about = dm_inertia_about(x->mass, x->centre, x->inertia),
                     moved = dm_inertia_move(&about, &pose[i]);
    dm_inertia_add(&sum, &moved);
    x->mass = 0;
    memset(x->centre, 0, sizeof x->centre);
    memset(x->inertia, 0, sizeof x->inertia);
  }
  return alone ? own : pb_link_of(&sum);
}

static dm_status read_link(pb_tree *t, const pb_node *node, dm_pose *pose, bool *fixed) {
  link_section s = {0};
  char path[PB_NAME_MOST + 32];
  int link;
  snprintf(path, sizeof path, "model.links.%.*s", PB_NAME_MOST, node->key);
  DM_TRY(
      pb_body_find(t, "model.links", node, node->key, "a link or body of the robot", false, &link));
  dm_body *b = &t->body[link];
  if (!b->ncoord)
    return pb_refuse_key(t->r, node,
                         "%s: found a link that is fixed to '%.64s', expected one that a joint "
                         "moves, with everything fixed to it",
                         path, b->parent < 0 ? "world" : t->body[b->parent].name);

  // keys left out keep their values
  const pb_link old = gather(t, link, pose, fixed);
  s.mass = old.mass;
  DM_TRY(pb_schema_read(t->r, path, node, pb_link_keys, &s));
  b->mass = s.mass;
  memcpy(b->centre, old.centre, sizeof b->centre);
  memcpy(b->inertia, old.inertia, sizeof b->inertia);
  const pb_node *centre = s.centre ? s.centre : s.center;
  if (s.centre && s.center)
    return pb_refuse_node(t->r, s.center,
                          "%s: found centre and center, two words for one number, expected one of "
                          "them",
                          path);
  if (centre && centre->kind == PB_SEQUENCE)
    DM_TRY(pb_schema_list(t->r, path, centre, 3, b->centre));
  else if (centre)
    DM_TRY(pb_schema_read(t->r, path, centre, centre_keys, b->centre));
  if (!s.inertia) return DM_OK;
  if (s.inertia->kind == PB_SEQUENCE) return pb_inertia_read(t, path, s.inertia, b);
  DM_TRY(pb_schema_read(t->r, path, s.inertia, moment_keys, b->inertia));
  return pb_tree_check_inertia(t, b, pb_place_of(t, s.inertia));
}

dm_status pb_links_read(pb_tree *t, const pb_node *node) {
  dm_pose *pose;
  bool *fixed;
  if (!node) return DM_OK;
  if (node->kind != PB_MAPPING)
    return pb_refuse_node(t->r, node,
                          "model.links: expected a mapping from links to masses, centers and "
                          "inertias");
  PB_NEW(t->r->arena, pose, t->nbody);
  PB_NEW(t->r->arena, fixed, t->nbody);
  for (const pb_node *e = node->first; e; e = e->next) DM_TRY(read_link(t, e, pose, fixed));
  return DM_OK;
}
