#include "problems/readers/model/mjcf_hold.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// one of the two bodies or sites that an element connects
typedef struct held_end {
  int body;     // in the tree; -1: the world
  dm_pose rest; // pose in the world in the reference configuration of the file
} held_end;

// the body or site that an attribute names; without the attribute, the world
static dm_status find_held_end(const pb_mjcf_parts *w, const pb_xml_node *e, const char *attribute,
                               bool site, held_end *out) {
  *out = (held_end){-1, dm_identity};
  if (!pb_xml_has(e, attribute)) return DM_OK;
  DM_TRY(site ? pb_mjcf_find_site(w, e, attribute, &out->body)
              : pb_mjcf_find_body(w, e, attribute, &out->body));
  if (out->body >= 0) out->rest = w->rest[out->body];
  return DM_OK;
}

// relpose if it contains a rotation, else the relative pose of body2 in body1
static dm_status read_relpose(const pb_mjcf *m, const pb_xml_node *e, const held_end end[2],
                              dm_pose *out) {
  double x[7] = {0};
  int n;
  DM_TRY(pb_xml_numbers(m->x, e, "relpose", 7, x, &n));
  const double size = sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6]);
  if (n && n < 7)
    return pb_refuse_xml(m->x, e, "<weld relpose>: found %d numbers, expected seven", n);
  *out = dm_pose_relative(&end[0].rest, &end[1].rest);
  if (!(size > 0)) return DM_OK;
  const double q[] = {x[3] / size, x[4] / size, x[5] / size, x[6] / size};
  *out = pb_mjcf_pose_turned(q, dm_v(x[0], x[1], x[2]));
  return DM_OK;
}

static bool is_turned(const dm_pose *X) {
  return X->x.x < 1 - 1e-14 || X->y.y < 1 - 1e-14 || X->z.z < 1 - 1e-14;
}

// points on both bodies: the anchor is given in body2 for a weld and in body1 for a connect
static dm_status set_held_points(pb_mjcf_parts *w, const pb_xml_node *e, const held_end end[2],
                                 dm_constraint *c) {
  double anchor[3] = {0}, torque = 1;
  const bool weld = !strcmp(e->name, "weld");
  dm_pose between = dm_pose_relative(&end[1].rest, &end[0].rest);
  DM_TRY(pb_xml_vector(w->m.x, e, "anchor", anchor));
  DM_TRY(pb_xml_number(w->m.x, e, "torquescale", &torque, NULL));
  if (weld) DM_TRY(read_relpose(&w->m, e, end, &between));
  const dm_vec own = dm_v(anchor[0], anchor[1], anchor[2]), other = dm_place(&between, own);
  const double pair[2][3] = {{own.x, own.y, own.z}, {other.x, other.y, other.z}};
  c->kind = weld && torque != 0 ? DM_POSE : DM_POINT;
  memcpy(c->point[0], pair[weld], sizeof *c->point);
  memcpy(c->point[1], pair[!weld], sizeof *c->point);
  if (c->kind == DM_POINT || !is_turned(&between)) return DM_OK;

  // the anchor has the same position in the frame as in body2
  memcpy(c->point[0], c->point[1], sizeof *c->point);

  // add a massless frame on a body, with the orientation that body2 must have
  char *name;
  dm_body *body;
  const size_t size = strlen(c->name) + sizeof "/frame";
  PB_NEW(w->t->r->arena, name, size);
  snprintf(name, size, "%s/frame", c->name);
  DM_TRY(pb_tree_body(w->t, name, pb_mjcf_place(w, e), &body));
  body->parent = c->body[0];
  body->offset = between;
  c->body[0] = w->t->nbody - 1;
  return DM_OK;
}

// its own name, unless a ball joint has it, or WORD_K
static dm_status name_held(const pb_mjcf_parts *w, const pb_xml_node *e, const char **name) {
  const char *word = e->name;
  char *other;
  DM_TRY(pb_mjcf_part_name(w, e, w->t->nheld + 1, name));
  for (int i = 0; i < w->t->nheld; i++)
    if (!strcmp(w->t->held[i].constraint.name, *name))
      return pb_refuse_xml(w->m.x, e,
                           "<%s>: found a second one named '%.64s', expected every name once", word,
                           *name);
  for (int i = 0; i < w->njoint; i++) {
    if (pb_mjcf_is_single(&w->joint[i]) || strcmp(w->joint[i].name, *name) != 0) continue;
    const size_t size = strlen(*name) + strlen(word) + 2;
    PB_NEW(w->t->r->arena, other, size);
    snprintf(other, size, "%s/%s", *name, word);
    *name = other;
    return DM_OK;
  }
  return DM_OK;
}

// <connect> or <weld>
static dm_status hold_bodies(pb_mjcf_parts *w, const pb_xml_node *e) {
  const char *word = e->name;
  const bool sites = pb_xml_has(e, "site1");
  pb_file_held x = {.at = pb_mjcf_place(w, e), .constraint = {.coord = {-1, -1}}};
  dm_constraint *c = &x.constraint;
  held_end end[2];
  DM_TRY(name_held(w, e, &c->name));

  // sites coincide; bodies are connected at points
  const char *attribute[2] = {sites ? "site1" : "body1", sites ? "site2" : "body2"};
  for (int i = 0; i < 2; i++) {
    DM_TRY(find_held_end(w, e, attribute[i], sites, &end[i]));
    c->body[i] = end[i].body;
  }
  c->kind = strcmp(word, "weld") ? DM_POINT : DM_POSE;
  if (c->body[0] == c->body[1])
    return pb_refuse_xml(w->m.x, e, "<%s> '%.64s': found one body twice, expected two", word,
                         c->name);
  if (!sites) DM_TRY(set_held_points(w, e, end, c));
  DM_TRY(pb_tree_held(w->t, &x));
  return pb_warn_xml(w->m.x, e, "'%.64s' is kept exactly, where MuJoCo holds it softly", c->name);
}

// -- joints

// q1 - ref1 = c0 + c1 (q2 - ref2)
static dm_status couple_joints(pb_mjcf_parts *w, const pb_xml_node *e) {
  double c[5] = {0, 1, 0, 0, 0};
  int i, k, given;
  DM_TRY(pb_mjcf_find_joint(w, e, "joint1", &i));
  DM_TRY(pb_xml_numbers(w->m.x, e, "polycoef", 5, c, &given));
  const pb_mjcf_joint *a = &w->joint[i];
  if (!pb_xml_has(e, "joint2")) {
    // q1 - ref1 = c0 permanently
    const double c0 = c[0];
    if (!pb_mjcf_is_single(a))
      return pb_refuse_xml(w->m.x, e, "<equality>: found '%.64s', expected a hinge or a slide",
                           a->name);
    w->t->coord[a->coord].locked = true;
    w->t->coord[a->coord].value = c0 + a->ref;
    return pb_warn_xml(w->m.x, e,
                       "joint '%.64s' is held still exactly, where MuJoCo pulls it there", a->name);
  }
  DM_TRY(pb_mjcf_find_joint(w, e, "joint2", &k));
  const pb_mjcf_joint *b = &w->joint[k];
  if (c[2] != 0 || c[3] != 0 || c[4] != 0 || c[1] == 0)
    return pb_refuse_xml(w->m.x, e,
                         "<equality>: found '%.64s' coupled to '%.64s' by a curve, expected "
                         "polycoef of two numbers, the second not 0",
                         a->name, b->name);
  if (!pb_mjcf_is_single(a) || !pb_mjcf_is_single(b) || a == b)
    return pb_refuse_xml(w->m.x, e,
                         "<equality>: found '%.64s' and '%.64s', expected two hinges or slides",
                         a->name, b->name);

  // one joint may copy only one independent joint
  dm_coordinate *copy = &w->t->coord[a->coord];
  if (copy->mimic >= 0)
    return pb_refuse_xml(w->m.x, e, "<equality>: found '%.64s' coupled twice, expected once",
                         a->name);
  copy->mimic = b->coord;
  copy->ratio = c[1];
  copy->shift = c[0] + a->ref - c[1] * b->ref;
  return pb_warn_xml(w->m.x, e,
                     "joint '%.64s' follows '%.64s' exactly, where MuJoCo pulls it there", a->name,
                     b->name);
}

// whether an element is active, by its own attribute or its class's
static dm_status is_active(const pb_mjcf_parts *w, const pb_xml_node *e, bool *active) {
  static const char *const truth[] = {"false", "true"};
  pb_mjcf_element at;
  int word = 1;
  DM_TRY(pb_mjcf_at(&w->m, e, w->m.outermost, &at));
  DM_TRY(pb_mjcf_word(&w->m, at, "active", truth, 2, &word));
  *active = word && w->m.holds;
  return DM_OK;
}

dm_status pb_mjcf_hold(pb_mjcf_parts *w) {
  for (pb_xml_node *s = NULL; (s = pb_mjcf_section(&w->m, "equality", s));)
    for (const pb_xml_node *e = pb_xml_next(s->children, NULL); e; e = pb_xml_next(e->next, NULL)) {
      const char *word = e->name;
      bool active;
      DM_TRY(is_active(w, e, &active));
      if (!active) continue;
      if (!strcmp(word, "connect") || !strcmp(word, "weld"))
        DM_TRY(hold_bodies(w, e));
      else if (!strcmp(word, "joint"))
        DM_TRY(couple_joints(w, e));
      else
        return pb_refuse_xml(w->m.x, e,
                             "<equality>: found <%.40s>, which is not read, expected "
                             "model.constraints of the problem in its place",
                             word);
    }

  // resolve chains of mimic joints to the independent joint
  const pb_tree *t = w->t;
  for (int i = 0; i < w->njoint; i++) {
    dm_coordinate *c = w->joint[i].coord < t->ncoord ? &t->coord[w->joint[i].coord] : NULL;
    for (int steps = 0; c && c->mimic >= 0 && t->coord[c->mimic].mimic >= 0; steps++) {
      const dm_coordinate *above = &t->coord[c->mimic];
      if (steps > w->njoint || above->mimic == w->joint[i].coord)
        return pb_refuse_xml(
            w->m.x, w->joint[i].e,
            "joint '%.64s' follows itself by <equality>, expected one that moves freely", c->name);
      // q = ratio (r q_above + s) + shift
      c->shift += c->ratio * above->shift;
      c->ratio *= above->ratio;
      c->mimic = above->mimic;
    }
  }
  return DM_OK;
}
