#include "problems/readers/model/mjcf_tendon.h"

#include "lib/base/block.h"
#include "problems/readers/model/tendon.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// the <tendon> being read
typedef struct reading {
  pb_mjcf_parts *w;
  pb_mjcf_element at;
  pb_mjcf_tendon *x;
  char what[96]; // "tendon 'NAME'"
} reading;

static dm_status read_fixed(reading *k) {
  const pb_mjcf_parts *w = k->w;
  int *coord, n = 0;
  double *factor;
  PB_NEW(w->t->r->arena, coord, pb_xml_count(k->at.e) + 1);
  PB_NEW(w->t->r->arena, factor, pb_xml_count(k->at.e) + 1);
  for (const pb_xml_node *e = pb_xml_next(k->at.e->children, "joint"); e;
       e = pb_xml_next(e->next, "joint"), n++) {
    int j;
    DM_TRY(pb_mjcf_find_joint(w, e, "joint", &j));
    if (!pb_mjcf_is_single(&w->joint[j]))
      return pb_refuse_xml(w->m.x, e, "%s: found joint '%.64s', expected a hinge or a slide",
                           k->what, w->joint[j].name);
    coord[n] = w->joint[j].coord;
    DM_TRY(pb_xml_number(w->m.x, e, "coef", &factor[n], NULL));
  }
  k->x->along = (dm_tendon){.name = k->x->name, .ncoord = n, .coord = coord, .factor = factor};
  return DM_OK;
}

// append the point of a site to the path, in the site's frame
static dm_status add_point(reading *k, const pb_xml_node *e, double share, int *body,
                           double *shares) {
  dm_tendon *x = &k->x->along;
  DM_TRY(pb_mjcf_find_site(k->w, e, "site", &body[x->npoint]));
  if (x->npoint) shares[x->npoint - 1] = share;
  x->npoint++;
  return DM_OK;
}

static dm_status read_spatial(reading *k) {
  const pb_mjcf_parts *w = k->w;
  const size_t most = pb_xml_count(k->at.e) + 1;
  double(*point)[3], *shares, divisor = 1;
  int *body;
  bool broken = false; // a pulley precedes the next site
  PB_NEW(w->t->r->arena, body, most);
  PB_NEW(w->t->r->arena, point, most);
  PB_NEW(w->t->r->arena, shares, most);
  k->x->along = (dm_tendon){
      .name = k->x->name, .body = body, .point = (const double(*)[3])point, .share = shares};

  // sites, with pulleys between them
  for (const pb_xml_node *e = pb_xml_next(k->at.e->children, NULL); e;
       e = pb_xml_next(e->next, NULL)) {
    const char *word = e->name;
    if (!strcmp(word, "geom")) k->x->around = true;
    if (!strcmp(word, "pulley")) {
      DM_TRY(pb_xml_number(w->m.x, e, "divisor", &divisor, NULL));
      if (!(divisor > 0))
        return pb_refuse_xml(w->m.x, e, "<pulley>: found divisor %g, expected a number above 0",
                             divisor);
      broken = true;
    }
    if (strcmp(word, "site") != 0) continue;
    DM_TRY(add_point(k, e, broken ? 0 : 1 / divisor, body, shares));
    broken = false;
  }
  if (k->x->around) k->x->along.npoint = 0;
  if (k->x->around || k->x->along.npoint > 1) return DM_OK;
  return pb_refuse_xml(w->m.x, k->at.e, "%s: found %d sites, expected at least two", k->what,
                       k->x->along.npoint);
}

// -- forces along a tendon

// a rotation as values of a ball joint (modified Rodrigues parameters), or as angles about z, y, x
static void put_turn(const dm_pose *X, pb_base base, double value[3]) {
  double q[4];
  if (base != PB_QUATERNION) {
    value[0] = atan2(X->x.y, X->x.x);
    value[1] = -asin(fmin(fmax(X->x.z, -1), 1));
    value[2] = atan2(X->y.z, X->z.z);
    return;
  }
  pb_mjcf_quaternion(X, q);
  for (int i = 0; i < 3; i++) value[i] = copysign(1, q[0]) * q[1 + i] / (1 + fabs(q[0]));
}

static int find_moving(const dm_model *m, const pb_tree *t, int coord) {
  const dm_coordinate *c = &t->coord[coord];
  return c->mimic >= 0 || c->locked ? -1 : dm_model_coord(m, c->name);
}

void pb_mjcf_reference(const pb_mjcf_parts *w, const dm_model *m, bool rest, double *q) {
  memset(q, 0, (size_t)m->nq * sizeof *q);
  for (int i = 0; i < w->njoint; i++) {
    const pb_mjcf_joint *j = &w->joint[i];
    const int c = find_moving(m, w->t, j->coord);
    if (c < 0) continue;
    if (pb_mjcf_is_single(j)) q[c] = rest ? j->rest : j->ref;
    if (j->kind != PB_MJCF_FREE) continue;

    // reference pose of its body: a position, and a rotation as Rodrigues parameters or angles
    const dm_pose *X = &j->start;
    q[c] = X->p.x;
    q[c + 1] = X->p.y;
    q[c + 2] = X->p.z;
    put_turn(X, w->base, q + c + 3);
  }
}

// the length of a tendon with all joint springs at rest
static dm_status measure_at_rest(const reading *k, double *length) {
  const pb_mjcf_parts *w = k->w;
  dm_model *m;
  dm_tendons *all = NULL;
  dm_tendon own;
  dm_tendon_value value;
  dm_message why = {""};
  double shift, *q;

  // compile the tendon for a draft of the model
  DM_TRY(pb_tree_draft(w->t, &m));
  q = pb_arena_alloc(w->t->r->arena, (size_t)m->nq + 1, sizeof *q);
  dm_status s = q ? pb_tendon_compile(w->t->r, w->t, m, &k->x->along, &own, &shift) : DM_NO_MEMORY;
  if (s == DM_OK) s = dm_tendons_new(&all, m, 1, &own, &why);

  // evaluate it at the reference configuration
  if (s == DM_OK) {
    dm_block b = {0};
    dm_block_alloc(&b, 1, dm_tendons_scratch(all));
    s = dm_block_new(&b);
    if (s == DM_OK) {
      void *scratch = dm_block_alloc(&b, 1, dm_tendons_scratch(all));
      pb_mjcf_reference(w, m, true, q);
      dm_tendons_place(all, scratch, q);
      s = dm_tendons_eval(all, scratch, 0, 1, q, NULL, &value);
      *length = value.s + shift;
      dm_block_free(b.base);
    }
  }
  dm_tendons_free(all);
  dm_model_free(m);
  if (s != DM_BAD_INPUT && s != DM_NOT_FINITE) return s;
  return pb_refuse_xml(w->m.x, k->at.e, "%s: its length at rest is not defined: %s", k->what,
                       s == DM_BAD_INPUT ? why.text : "points of its path meet");
}

// one spring, or two if there is slack in between
static dm_status add_springs(const reading *k, double stiffness) {
  static const char *const end[] = {"", "/pressed"};
  const pb_mjcf_parts *w = k->w;
  double rest[2] = {-1, -1};
  int n;

  // lengths at rest; -1: measured
  DM_TRY(pb_mjcf_numbers(&w->m, k->at, "springlength", 2, rest, &n));
  if (n == 1) rest[1] = rest[0];
  if (n && rest[0] > rest[1])
    return pb_refuse_xml(w->m.x, k->at.e,
                         "%s: found springlength %g %g, expected ascending numbers", k->what,
                         rest[0], rest[1]);
  if (rest[0] == -1 && rest[1] == -1) {
    DM_TRY(measure_at_rest(k, &rest[0]));
    rest[1] = rest[0];
  }
  const bool slack = rest[0] < rest[1];
  for (int i = 0; i <= slack; i++) {
    pb_file_spring x = {.at = pb_mjcf_place(w, k->at.e), .spring = {.tendon = k->x->along}};
    char *name;
    const size_t size = strlen(k->x->name) + 16;
    PB_NEW(w->t->r->arena, name, size);
    snprintf(name, size, "%s%s", k->x->name, end[i]);
    x.spring.tendon.name = name;
    x.spring.law = !slack ? dm_spring_law_linear(stiffness, rest[0])
                   : i    ? dm_spring_law_pressed(stiffness, rest[0])
                          : dm_spring_law_taut(stiffness, rest[1]);
    DM_TRY(pb_tree_spring(w->t, &x));
  }
  return DM_OK;
}

static dm_status read_forces(reading *k) {
  pb_mjcf_parts *w = k->w;
  double stiffness = 0, damping = 0, armature = 0, friction = 0;

  // coefficients; those that the file disables are zero
  DM_TRY(pb_mjcf_coefficient(w, k->at, k->what, "stiffness", &stiffness));
  DM_TRY(pb_mjcf_coefficient(w, k->at, k->what, "damping", &damping));
  DM_TRY(pb_mjcf_coefficient(w, k->at, k->what, "armature", &armature));
  DM_TRY(pb_mjcf_number(&w->m, k->at, "frictionloss", &friction));
  if (!w->m.springs) stiffness = 0;
  if (!w->m.dampers) damping = 0;

  // combinations that are not modeled
  const char *force = stiffness > 0  ? "stiffness"
                      : damping > 0  ? "damping"
                      : armature > 0 ? "armature"
                                     : NULL;
  if (k->x->around && force) {
    return pb_refuse_xml(
        k->w->m.x, k->at.e,
        "%s: found %s of a path around a geom, which is not modelled, expected a path "
        "through sites alone",
        k->what, force);
  }
  if (friction != 0)
    DM_TRY(
        pb_warn_xml(w->m.x, k->at.e, "%s: its dry friction %g is not modelled", k->what, friction));
  if (armature > 0 && !k->x->fixed)
    return pb_refuse_xml(w->m.x, k->at.e,
                         "%s: found armature of a path, which is not modelled, expected that of a "
                         "<fixed> tendon",
                         k->what);

  // springs, damper, rotor
  if (stiffness > 0) DM_TRY(add_springs(k, stiffness));
  if (damping > 0)
    DM_TRY(pb_tree_load(w->t, &(pb_file_load){.at = pb_mjcf_place(w, k->at.e),
                                              .load = {.name = k->x->name,
                                                       .kind = DM_DAMPER,
                                                       .damping = damping,
                                                       .tendon = k->x->along}}));
  if (!(armature > 0)) return DM_OK;
  return pb_tree_rotor(
      w->t, pb_mjcf_place(w, k->at.e),
      &(dm_rotor){k->x->name, armature, k->x->along.ncoord, k->x->along.coord, k->x->along.factor});
}

// a tendon limit is not enforced: suggest an output with bounds
static dm_status warn_of_range(const reading *k) {
  const pb_mjcf_parts *w = k->w;
  double range[2];
  bool there;
  char text[256] = "";
  DM_TRY(pb_mjcf_range(&w->m, k->at, "limited", "range", 1, range, &there));
  if (!there) return DM_OK;
  if (!k->x->fixed)
    return pb_warn_xml(w->m.x, k->at.e, "%s: its range %g .. %g is not kept", k->what, range[0],
                       range[1]);

  // write the weighted sum of coordinates for the suggestion
  for (int i = 0; i < k->x->along.ncoord; i++) {
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s%.40s: %g", i ? ", " : "",
             w->t->coord[k->x->along.coord[i]].name, k->x->along.factor[i]);
  }
  return pb_warn_xml(
      w->m.x, k->at.e,
      "%s: its range is not kept; in the problem, outputs: [{name: %.40s, type: sum, "
      "coordinates: {%.160s}}] and bounds: {outputs: {%.40s: [%g, %g]}} keep it",
      k->what, k->x->name, text, k->x->name, range[0], range[1]);
}

static dm_status read_tendon(pb_mjcf_parts *w, const pb_xml_node *e) {
  pb_mjcf_tendon *x = &w->tendon[w->ntendon];
  reading k = {.w = w, .x = x};
  DM_TRY(pb_mjcf_at(&w->m, e, w->m.outermost, &k.at));
  DM_TRY(pb_mjcf_part_name(w, e, w->ntendon + 1, &x->name));
  x->fixed = !strcmp(e->name, "fixed");
  snprintf(k.what, sizeof k.what, "tendon '%.64s'", x->name);
  for (int i = 0; i < w->ntendon; i++)
    if (!strcmp(w->tendon[i].name, x->name))
      return pb_refuse_xml(w->m.x, e, "found a second %s, expected every name once", k.what);
  w->ntendon++;
  DM_TRY(x->fixed ? read_fixed(&k) : read_spatial(&k));
  DM_TRY(warn_of_range(&k));
  return read_forces(&k);
}

dm_status pb_mjcf_tendons(pb_mjcf_parts *w) {
  size_t room = 1;
  for (pb_xml_node *s = NULL; (s = pb_mjcf_section(&w->m, "tendon", s));) room += pb_xml_count(s);
  PB_NEW(w->t->r->arena, w->tendon, room);
  for (pb_xml_node *s = NULL; (s = pb_mjcf_section(&w->m, "tendon", s));)
    for (const pb_xml_node *e = pb_xml_next(s->children, NULL); e; e = pb_xml_next(e->next, NULL)) {
      const bool known = !strcmp(e->name, "fixed") || !strcmp(e->name, "spatial");
      if (known) DM_TRY(read_tendon(w, e));
    }
  return DM_OK;
}
