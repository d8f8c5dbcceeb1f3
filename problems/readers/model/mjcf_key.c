#include "problems/readers/model/mjcf_key.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int places[] = {
    [PB_MJCF_HINGE] = 1, [PB_MJCF_SLIDE] = 1, [PB_MJCF_BALL] = 4, [PB_MJCF_FREE] = 7};
static const int speeds[] = {
    [PB_MJCF_HINGE] = 1, [PB_MJCF_SLIDE] = 1, [PB_MJCF_BALL] = 3, [PB_MJCF_FREE] = 6};

// the keyframe being filled
typedef struct filling {
  pb_mjcf_parts *w;
  pb_file_key *key;
} filling;

static dm_status put_value(filling *f, const pb_mjcf_joint *j, const char *end, double q,
                           double v) {
  char *name;
  const size_t size = strlen(j->name) + strlen(end) + 1;
  PB_NEW(f->w->t->r->arena, name, size);
  snprintf(name, size, "%s%s", j->name, end);
  f->key->coord[f->key->n] = name;
  f->key->q[f->key->n] = q;
  f->key->v[f->key->n++] = v;
  return DM_OK;
}

// a unit quaternion, and its rate q (0,w) / 2 with w in the body axes
static dm_status put_turn(filling *f, const pb_mjcf_joint *j, const double q[4],
                          const double w[3]) {
  static const char *const end[] = {".qw", ".qx", ".qy", ".qz"};
  const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double rate[] = {
      -q[1] * w[0] - q[2] * w[1] - q[3] * w[2], q[0] * w[0] + q[2] * w[2] - q[3] * w[1],
      q[0] * w[1] + q[3] * w[0] - q[1] * w[2], q[0] * w[2] + q[1] * w[1] - q[2] * w[0]};
  for (int i = 0; i < 4; i++)
    DM_TRY(put_value(f, j, end[i], size > 0 ? q[i] / size : i == 0,
                     size > 0 ? rate[i] / size / 2 : 0));
  return DM_OK;
}

static dm_status put_joint(filling *f, const pb_mjcf_joint *j, const double *q, const double *v) {
  static const char *const end[] = {".x", ".y", ".z"};
  if (pb_mjcf_is_single(j)) return put_value(f, j, "", q[0], v[0]);
  if (j->kind == PB_MJCF_BALL) return put_turn(f, j, q, v);
  for (int i = 0; i < 3; i++) DM_TRY(put_value(f, j, end[i], q[i], v[i]));
  return put_turn(f, j, q + 3, v + 3);
}

// the reference configuration of the file
static void put_reference(const pb_mjcf_joint *j, double *q) {
  if (pb_mjcf_is_single(j)) q[0] = j->ref;
  if (j->kind == PB_MJCF_BALL) q[0] = 1;
  if (j->kind != PB_MJCF_FREE) return;
  const dm_vec p = j->start.p;
  memcpy(q, (double[]){p.x, p.y, p.z}, 3 * sizeof *q);
  pb_mjcf_quaternion(&j->start, q + 3);
}

// read exactly n numbers of an attribute, or none
static dm_status read_state(const pb_mjcf_parts *w, const pb_xml_node *e, const char *name, int n,
                            double *x) {
  int there;
  DM_TRY(pb_xml_numbers(w->m.x, e, name, n + 1, x, &there));
  if (there == 0 || there == n) return DM_OK;
  return pb_refuse_xml(w->m.x, e, "<key %s>: found %s%d numbers, expected %d", name,
                       there > n ? "more than " : "", there > n ? n : there, n);
}

static dm_status read_key(pb_mjcf_parts *w, const pb_xml_node *e) {
  filling f = {.w = w};
  pb_file_key key = {.n = 0};
  double *q, *v;
  int nq = 0, nv = 0;
  if (!pb_xml_has(e, "name")) return DM_OK;
  DM_TRY(pb_xml_name(w->m.x, e, "name", &key.name));
  for (int i = 0; i < w->t->nkey; i++)
    if (!strcmp(w->t->key[i].name, key.name))
      return pb_refuse_xml(w->m.x, e, "found a second key named '%.64s', expected every name once",
                           key.name);
  for (int i = 0; i < w->njoint; i++) {
    nq += places[w->joint[i].kind];
    nv += speeds[w->joint[i].kind];
  }
  PB_NEW(w->t->r->arena, q, nq + nv + 2);
  v = q + nq + 1; // each array has room for one excess number, to detect it
  PB_NEW(w->t->r->arena, key.coord, nq + 1);
  PB_NEW(w->t->r->arena, key.q, nq + 1);
  PB_NEW(w->t->r->arena, key.v, nq + 1);

  // start from the reference, then read the values in the order of the joints
  for (int i = 0, at = 0; i < w->njoint; at += places[w->joint[i++].kind])
    put_reference(&w->joint[i], q + at);
  DM_TRY(read_state(w, e, "qpos", nq, q));
  DM_TRY(read_state(w, e, "qvel", nv, v));
  f.key = &key;
  for (int i = 0; i < w->njoint; i++) {
    DM_TRY(put_joint(&f, &w->joint[i], q, v));
    q += places[w->joint[i].kind];
    v += speeds[w->joint[i].kind];
  }
  return pb_tree_key(w->t, pb_mjcf_place(w, e), &key);
}

dm_status pb_mjcf_keys(pb_mjcf_parts *w) {
  for (pb_xml_node *s = NULL; (s = pb_mjcf_section(&w->m, "keyframe", s));)
    for (const pb_xml_node *e = pb_xml_next(s->children, "key"); e; e = pb_xml_next(e->next, "key"))
      DM_TRY(read_key(w, e));
  return DM_OK;
}
