#include "cli/exchange/engine_contacts.h"

#include <math.h>

static const double MOST = 5;        // m, half of the width of a plane
static const double POINTED = 0.025; // radius of a point, of the thickness of sticks

static int list_contacts(const cli_engine_file *w, const dm_contact **list) {
  const dm_contacts *c = w->robot->mechanism.contacts;
  return c ? dm_contacts_list(c, list) : 0;
}

bool cli_engine_says_contact(const cli_engine_file *w, int i) {
  const dm_contact *list;
  if (i >= list_contacts(w, &list)) return false;
  return list[i].kind == DM_ABOVE || list[i].kind == DM_OUTSIDE || list[i].kind == DM_AT_LEAST;
}

bool cli_engine_has_contacts(const cli_engine_file *w) {
  const dm_contact *list;
  for (int i = 0; i < list_contacts(w, &list); i++)
    if (cli_engine_says_contact(w, i)) return true;
  return false;
}

static int joint_of(const cli_engine_file *w, int body) {
  return body < 0 ? -1 : w->m->body_joint[body];
}

void cli_engine_hold_contacts(const cli_engine_file *w) {
  const dm_contact *list;
  for (int i = 0; i < list_contacts(w, &list); i++)
    for (int end = 0; end < 2 && cli_engine_says_contact(w, i); end++)
      if (joint_of(w, list[i].body[end]) >= 0) w->held[joint_of(w, list[i].body[end])] = true;
}

static dm_vec to_vec(const double x[3]) {
  return dm_v(x[0], x[1], x[2]);
}

// the radius of the sphere that stands for a point
static double find_radius(const cli_engine_file *w, const dm_contact *c) {
  if (c->kind == DM_AT_LEAST) return c->length / 2;
  return c->length > 0 ? c->length : POINTED * w->thick;
}

// the frame of a geom in the frame of the joint of its body
static dm_pose place_geom(const cli_engine_file *w, const dm_contact *c, int end) {
  dm_pose at = dm_identity;
  at.p = to_vec(c->point[end]);
  if (end == 1 && c->kind != DM_AT_LEAST) {
    // the axis z, and of a shape the axis x
    at = dm_pose_along(to_vec(c->axis), at.p);
    if (c->kind == DM_OUTSIDE) {
      at.x = to_vec(c->along);
      at.y = dm_cross(at.z, at.x);
    }
  }
  return c->body[end] < 0 ? at : dm_compose(&w->m->body_pose[c->body[end]], &at);
}

// the inset of a surface whose partner is a sphere that stands for a point
static double find_inset(const cli_engine_file *w, const dm_contact *c) {
  return c->kind == DM_AT_LEAST || c->length > 0 ? 0 : find_radius(w, c);
}

// the size of the surface, and its type; a plane on a body that moves is the face of a box
static const char *find_surface(const cli_engine_file *w, const dm_contact *c, dm_pose *X,
                                double size[3], int *n) {
  const double inset = find_inset(w, c), radius = c->shape.radius - inset;
  const dm_shape_kind kind = c->kind == DM_ABOVE ? DM_SHAPE_HALF_SPACE : c->shape.kind;
  size[0] = find_radius(w, c);
  *n = 1;
  if (c->kind == DM_AT_LEAST) return "sphere";
  if (kind == DM_SHAPE_HALF_SPACE) {
    const bool moves = joint_of(w, c->body[1]) >= 0;
    const double depth = inset + (moves ? MOST : 0);
    size[0] = size[1] = size[2] = MOST;
    if (!moves) size[2] = 1;
    X->p = dm_sub(X->p, dm_mul(depth, X->z));
    *n = 3;
    return moves ? "box" : "plane";
  }
  if (kind == DM_SHAPE_BOX) {
    for (int i = 0; i < 3; i++) size[i] = c->shape.half[i] - inset;
    *n = 3;
    return "box";
  }
  size[0] = radius;
  size[1] = fmin(c->shape.half[2], MOST) - (kind == DM_SHAPE_CYLINDER ? inset : 0);
  *n = kind == DM_SHAPE_SPHERE ? 1 : 2;
  if (kind == DM_SHAPE_SPHERE) return "sphere";
  return kind == DM_SHAPE_CAPSULE ? "capsule" : "cylinder";
}

static void print_end_name(const cli_engine_file *w, const char *key, int i, int end) {
  char name[300];
  snprintf(name, sizeof name, "%s %s", end ? "surface of" : "tip of",
           dm_part_rows[DM_PART_CONTACT].name(&w->robot->mechanism, i));
  cli_engine_name(w, key, name);
}

void cli_engine_print_surfaces(const cli_engine_file *w, int joint, int depth) {
  static const double colour[] = {0.85, 0.55, 0.37, 0.3};
  const dm_contact *list;
  for (int e = 0, n = list_contacts(w, &list); e < 2 * n; e++) {
    const int i = e / 2, end = e % 2;
    if (!cli_engine_says_contact(w, i) || joint_of(w, list[i].body[end]) != joint) continue;
    double size[3] = {find_radius(w, &list[i])};
    int sizes = 1;
    dm_pose X = place_geom(w, &list[i], end);
    const char *type = end ? find_surface(w, &list[i], &X, size, &sizes) : "sphere";
    cli_engine_geom(w, type, joint, &X, size, sizes, colour, depth);
    print_end_name(w, "name", i, end);
    fputs(" group=\"3\"/>\n", w->f);
  }
}

void cli_engine_print_pairs(const cli_engine_file *w, double step) {
  const dm_contact *list;
  if (!cli_engine_has_contacts(w)) return;
  fputs("  <!-- Contacts are springs: solref is the time in which they push out, and at least "
        "twice the timestep. "
        "Restitution is 0. -->\n  <contact>\n",
        w->f);
  for (int i = 0; i < list_contacts(w, &list); i++) {
    const double mu = list[i].friction, friction[] = {mu, mu, 0, 0, 0};
    if (!cli_engine_says_contact(w, i)) continue;
    fputs("    <pair", w->f);
    cli_engine_name(w, "name", dm_part_rows[DM_PART_CONTACT].name(&w->robot->mechanism, i));
    print_end_name(w, "geom1", i, 0);
    print_end_name(w, "geom2", i, 1);
    fprintf(w->f, " condim=\"%d\"", mu > 0 ? 3 : 1);
    if (mu > 0) cli_engine_values(w, "friction", friction, 5);
    cli_engine_values(w, "solref", (const double[]){2 * step, 1}, 2);
    fputs(" solimp=\"0.99 0.99 0.001 0.5 2\"/>\n", w->f);
  }
  fputs("  </contact>\n", w->f);
}
