#include "cli/pictures/strokes.h"

#include <math.h>
#include <stdlib.h>

enum { EDGES = 12 }; // of a cuboid

static cli_stroke *add_stroke(cli_strokes *s, cli_stroke_kind kind, dm_segment at) {
  cli_stroke *one = &s->list[s->n++];
  *one = (cli_stroke){.kind = kind, .at = at};
  return one;
}

static cli_stroke *add_dot(cli_strokes *s, cli_stroke_kind kind, int joint, dm_vec at) {
  cli_stroke *one = add_stroke(s, kind, (dm_segment){{joint, joint}, {at, at}});
  one->dot = true;
  return one;
}

// a segment as wide as a swept sphere
static void add_capsule(cli_strokes *s, int joint, dm_vec a, dm_vec b, double radius) {
  const dm_vec d = dm_sub(b, a);
  cli_stroke *one = dm_dot(d, d) > 0
                        ? add_stroke(s, CLI_STROKE_KEPT, (dm_segment){{joint, joint}, {a, b}})
                        : add_dot(s, CLI_STROKE_KEPT, joint, a);
  one->width = 2 * radius;
}

// -- the robot

// along the way of a cart that slides on what stands: from its least to its greatest place
static void add_rail(cli_strokes *s, cli_scene *w, int joint, dm_vec at) {
  const dm_model *m = w->outline->m;
  const dm_trajectory *x = w->of->job.x;
  const dm_vec along = m->offset[joint].z;
  double low = INFINITY, high = -INFINITY;
  dm_vec ends[2] = {{0}};
  for (int k = 0; k <= x->N; k++) {
    cli_scene_place(w, k);
    const dm_vec p = dm_outline_place(w->X, joint, at);
    const double reach = dm_dot(along, p);
    if (reach < low) ends[0] = p;
    if (reach > high) ends[1] = p;
    low = fmin(low, reach);
    high = fmax(high, reach);
  }
  add_stroke(s, CLI_STROKE_RAIL, (dm_segment){{-1, -1}, {ends[0], ends[1]}});
}

static double measure_line(dm_vec a, dm_vec b) {
  const dm_vec d = dm_sub(b, a);
  return sqrt(dm_dot(d, d));
}

// the link or cuboid of a joint by itself, whose ends it carries; NULL: it has none
static const dm_outline_line *find_own_line(const dm_outline *o, int joint, dm_outline_kind kind) {
  for (int i = 0; i < o->nline; i++) {
    const dm_segment *at = &o->line[i].at;
    if (o->line[i].kind == kind && at->joint[0] == joint && at->joint[1] == joint)
      return &o->line[i];
  }
  return NULL;
}

// A mass on a link stands at its end, or is not drawn; one that nothing leads to is linked to the
// axis it turns about.
static void add_mass(cli_strokes *s, const dm_outline *o, const dm_outline_mark *mark) {
  const int j = mark->joint;
  const dm_vec origin = dm_v(0, 0, 0);
  const dm_outline_line *link = find_own_line(o, j, DM_OUTLINE_LINK);
  if (!link && find_own_line(o, j, DM_OUTLINE_BOX)) return;
  if (link && measure_line(link->at.end[1], mark->at) >
                  0.02 * measure_line(link->at.end[0], link->at.end[1]))
    return;
  if (!link && !o->m->slides[j])
    add_stroke(s, CLI_STROKE_LINK, (dm_segment){{j, j}, {origin, mark->at}});
  add_dot(s, CLI_STROKE_MASS, j, mark->at);
}

// of masses those that slide along something, and carry what moves, are carts
static void add_mark_strokes(cli_strokes *s, cli_scene *w, const dm_outline_mark *mark) {
  const dm_outline *o = w->outline;
  const int j = mark->joint;
  if (!(mark->mass > 0)) {
    add_dot(s, CLI_STROKE_AXIS, j, mark->at);
    return;
  }
  if (!o->m->slides[j] || o->last[j]) {
    add_mass(s, o, mark);
    return;
  }
  if (o->m->parent[j] < 0) add_rail(s, w, j, mark->at);
  if (!find_own_line(o, j, DM_OUTLINE_BOX)) add_dot(s, CLI_STROKE_CART, j, mark->at);
}

// the longest link, m
static double find_longest_link(const dm_outline *o) {
  double longest = 0;
  for (int i = 0; i < o->nline; i++) {
    const dm_segment *at = &o->line[i].at;
    if (o->line[i].kind == DM_OUTLINE_LINK && at->joint[0] == at->joint[1])
      longest = fmax(longest, measure_line(at->end[0], at->end[1]));
  }
  return longest;
}

// A cuboid longer than all links is no body's size, but a geared rotor's inertia: it is left out.
static bool is_rotor(const dm_outline *o, int joint, double longest) {
  if (!(longest > 0)) return false;
  for (int i = 0; i < o->nline; i++) {
    const dm_segment *at = &o->line[i].at;
    if (o->line[i].kind == DM_OUTLINE_BOX && at->joint[0] == joint &&
        measure_line(at->end[0], at->end[1]) > longest)
      return true;
  }
  return false;
}

static void add_outline(cli_strokes *s, cli_scene *w) {
  static const cli_stroke_kind kind[] = {[DM_OUTLINE_LINK] = CLI_STROKE_LINK,
                                         [DM_OUTLINE_BOX] = CLI_STROKE_BOX,
                                         [DM_OUTLINE_ROD] = CLI_STROKE_ROD,
                                         [DM_OUTLINE_SPRING] = CLI_STROKE_SPRING};
  const dm_outline *o = w->outline;
  const double longest = find_longest_link(o);
  for (int i = 0; i < o->nline; i++) {
    const dm_outline_line *l = &o->line[i];
    if (l->kind == DM_OUTLINE_BOX && is_rotor(o, l->at.joint[0], longest)) continue;
    add_stroke(s, kind[l->kind], l->at);
  }
  for (int i = 0; i < o->nmark; i++) add_mark_strokes(s, w, &o->mark[i]);
}

// -- shapes

static dm_vec find_corner(const double half[3], int corner) {
  return dm_v(corner & 1 ? half[0] : -half[0], corner & 2 ? half[1] : -half[1],
              corner & 4 ? half[2] : -half[2]);
}

// of a box that moves its edges
static void add_edges(cli_strokes *s, const pb_kept_shape *k) {
  for (int corner = 0; corner < 8; corner++)
    for (int axis = 0; axis < 3; axis++) {
      if (corner >> axis & 1) continue;
      const dm_vec a = dm_place(&k->frame, find_corner(k->shape.half, corner));
      const dm_vec b = dm_place(&k->frame, find_corner(k->shape.half, corner | 1 << axis));
      add_stroke(s, CLI_STROKE_BOX, (dm_segment){{k->joint, k->joint}, {a, b}});
    }
}

// of a box or cylinder that stands its corners, or points around both of its ends
static void add_hull(cli_strokes *s, const pb_kept_shape *k, double half) {
  cli_hull *h = &s->hull[s->nhull++];
  const bool box = k->shape.kind == DM_SHAPE_BOX;
  h->n = box ? 8 : CLI_HULL;
  for (int i = 0; i < h->n; i++) {
    const int around = i / 2, half_of_all = CLI_HULL / 2;
    const double turn = 2 * acos(-1) * around / half_of_all, r = k->shape.radius;
    const dm_vec round = dm_v(r * cos(turn), r * sin(turn), i & 1 ? half : -half);
    h->at[i] = dm_place(&k->frame, box ? find_corner(k->shape.half, i) : round);
  }
}

// a plane, once: feet share theirs
static void add_floor(cli_strokes *s, dm_vec at, dm_vec normal) {
  for (int i = 0; i < s->nfloor; i++) {
    const dm_vec off = dm_sub(s->floor[i].normal, normal);
    const double behind = dm_dot(normal, dm_sub(s->floor[i].at, at));
    if (dm_dot(off, off) < 1e-12 && fabs(behind) < 1e-6) return;
  }
  s->floor[s->nfloor++] = (cli_floor){at, normal};
}

// a shape of keep_out; `far` stands for infinite
static void add_shape(cli_strokes *s, const pb_kept_shape *k, double far) {
  const double half = fmin(k->shape.half[2], far);
  const dm_vec a = dm_place(&k->frame, dm_v(0, 0, -half)),
               b = dm_place(&k->frame, dm_v(0, 0, half));

  // what a body carries is drawn by lines, what stands by its outline
  const bool stands = k->joint < 0;
  switch (k->shape.kind) {
  case DM_SHAPE_HALF_SPACE:
    if (stands) add_floor(s, k->frame.p, k->frame.z);
    break;
  case DM_SHAPE_SPHERE:
    add_capsule(s, k->joint, k->frame.p, k->frame.p, k->shape.radius);
    break;
  case DM_SHAPE_CAPSULE:
    add_capsule(s, k->joint, a, b, k->shape.radius);
    break;
  case DM_SHAPE_CYLINDER:
    if (stands)
      add_hull(s, k, half);
    else
      add_capsule(s, k->joint, a, b, k->shape.radius);
    break;
  default:
    if (stands)
      add_hull(s, k, half);
    else
      add_edges(s, k);
  }
}

// -- contacts

// a point of a body as a joint carries it
static dm_vec find_body_point(const dm_model *m, int body, const double at[3], int *joint) {
  const dm_vec x = dm_v(at[0], at[1], at[2]);
  *joint = body < 0 ? -1 : m->body_joint[body];
  return body < 0 ? x : dm_place(&m->body_pose[body], x);
}

// a foot: the last link ends there, and so does the way of its end
static void end_at_foot(cli_strokes *s, cli_scene *w, int joint, dm_vec foot) {
  if (joint < 0 || !w->outline->last[joint]) return;
  for (int i = 0; i < s->n; i++) {
    dm_segment *at = &s->list[i].at;
    const bool own = at->joint[0] == joint && at->joint[1] == joint;
    if (s->list[i].kind == CLI_STROKE_LINK && own) at->end[1] = foot;
  }
  for (int i = 0; i < w->npoint; i++)
    if (w->point[i].joint == joint && !w->of->job.args->points) w->point[i].at = foot;
}

// a floor and the ball or foot on it; two balls of half their least distance each; a ball's cave
static void add_contact(cli_strokes *s, cli_scene *w, const dm_contact *c) {
  const dm_model *m = w->outline->m;
  int joint[2];
  dm_vec at[2];
  if (c->kind == DM_NOT_BELOW || c->kind == DM_NOT_ABOVE) return;
  for (int i = 0; i < 2; i++) at[i] = find_body_point(m, c->body[i], c->point[i], &joint[i]);
  if (c->kind == DM_ABOVE) {
    if (joint[1] < 0) add_floor(s, at[1], dm_v(c->axis[0], c->axis[1], c->axis[2]));
    if (c->length > 0)
      add_capsule(s, joint[0], at[0], at[0], c->length);
    else
      end_at_foot(s, w, joint[0], at[0]);
    return;
  }

  // what is fixed to the world is the obstacle
  const bool both = joint[0] >= 0 && joint[1] >= 0 && c->kind == DM_AT_LEAST;
  for (int i = 0; i < 2; i++)
    if (both || joint[i] < 0)
      add_capsule(s, joint[i], at[i], at[i], both ? c->length / 2 : c->length);
}

// -- all of it

static bool stands_behind(const cli_stroke *a, const cli_stroke *b) {
  return a->kind != b->kind ? a->kind < b->kind : a->width < b->width;
}

// by kinds and widths, else as they came
static void sort_strokes(cli_strokes *s) {
  for (int i = 1; i < s->n; i++) {
    const cli_stroke one = s->list[i];
    int at = i;
    for (; at > 0 && stands_behind(&one, &s->list[at - 1]); at--) s->list[at] = s->list[at - 1];
    s->list[at] = one;
  }
}

// far beyond the robot: ten times how far it reaches at its first knot
static double find_far(cli_scene *w) {
  double far = 1;
  cli_scene_place(w, 0);
  for (int i = 0; i < w->outline->nline; i++)
    for (int end = 0; end < 2; end++) {
      const dm_segment *at = &w->outline->line[i].at;
      const dm_vec p = dm_outline_place(w->X, at->joint[end], at->end[end]);
      far = fmax(far, sqrt(dm_dot(p, p)));
    }
  return 10 * far;
}

dm_status cli_strokes_new(cli_strokes *s, cli_scene *w) {
  const pb_robot *robot = &w->of->job.p->robot;
  const pb_outputs *of = &robot->outputs;
  const dm_contact *contact = NULL;
  const int ncontact =
      robot->mechanism.contacts ? dm_contacts_list(robot->mechanism.contacts, &contact) : 0;
  *s = (cli_strokes){0};

  // room for a rail or link beside each mark, the edges of each shape, two balls of each contact
  const int most = w->outline->nline + 2 * w->outline->nmark + EDGES * of->nshapes + 2 * ncontact;
  s->list = calloc((size_t)most + 1, sizeof *s->list);
  s->hull = calloc((size_t)of->nshapes + 1, sizeof *s->hull);
  s->floor = calloc((size_t)(of->nshapes + ncontact) + 1, sizeof *s->floor);
  if (!s->list || !s->hull || !s->floor) return DM_NO_MEMORY;

  // what there is of it, by kinds
  const double far = find_far(w);
  add_outline(s, w);
  for (int i = 0; i < of->nshapes; i++) add_shape(s, &of->shape[i], far);
  for (int i = 0; i < ncontact; i++) add_contact(s, w, &contact[i]);
  sort_strokes(s);
  return DM_OK;
}

void cli_strokes_free(cli_strokes *s) {
  free(s->list);
  free(s->hull);
  free(s->floor);
}
