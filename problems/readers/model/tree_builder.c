#include "problems/readers/model/tree_builder.h"

#include "lib/base/blas.h"
#include "lib/multibody/ball_joint.h"
#include "lib/multibody/defaults.h"
#include "problems/readers/format/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// make room for one more part and its file position; arrays of *room hold n of them
static dm_status grow_parts(pb_arena *a, int n, int *room, void **items, size_t size,
                            pb_place **at) {
  if (n < *room) return DM_OK;

  // the arena frees nothing until the end; doubling keeps the waste below the use
  int more = *room ? 2 * *room : 16;
  char *wider = pb_arena_alloc(a, (size_t)more, size);
  pb_place *places = pb_arena_alloc(a, (size_t)more, sizeof *places);
  if (!wider || !places) return DM_NO_MEMORY;

  // copy the existing parts
  if (n) {
    memcpy(wider, *items, (size_t)n * size);
    memcpy(places, *at, (size_t)n * sizeof *places);
  }
  *items = wider;
  *at = places;
  *room = more;
  return DM_OK;
}

static dm_status check_count(const pb_tree *t, int n, const char *what, pb_place at) {
  if (n < PB_MAX_PARTS) return DM_OK;
  return pb_refuse(t->r, at.file, at.line, at.column, "found more than %d %s", PB_MAX_PARTS, what);
}

// limit the length of names, including composed names
static dm_status check_name(const pb_tree *t, const char *name, pb_place at) {
  const size_t n = strlen(name);
  if (n <= PB_NAME_MOST) return DM_OK;
  return pb_refuse(t->r, at.file, at.line, at.column,
                   "found the name '%.32s...' of %zu bytes, expected at most %d", name, n,
                   PB_NAME_MOST);
}

dm_status pb_tree_body(pb_tree *t, const char *name, pb_place at, dm_body **out) {
  void *items = t->body;
  DM_TRY(check_name(t, name, at));
  DM_TRY(check_count(t, t->nbody, "bodies", at));
  DM_TRY(grow_parts(t->r->arena, t->nbody, &t->body_room, &items, sizeof *t->body, &t->body_at));
  t->body = items;
  t->body_at[t->nbody] = at;

  // massless, fixed to the world at its origin; its coordinates are appended next
  *out = &t->body[t->nbody++];
  **out = (dm_body){.name = name, .parent = -1, .offset = dm_identity, .first = t->ncoord};
  return DM_OK;
}

dm_status pb_tree_coord(pb_tree *t, const char *name, pb_place at, bool slides,
                        const double axis[3], dm_coordinate **out) {
  DM_TRY(check_name(t, name, at));

  // an axis needs a direction; its length is irrelevant
  double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  if (!(length > 0))
    return pb_refuse(t->r, at.file, at.line, at.column,
                     "joint '%.64s': found the axis 0 0 0, expected a direction", name);

  // append without limits
  void *items = t->coord;
  DM_TRY(check_count(t, t->ncoord, "coordinates", at));
  DM_TRY(
      grow_parts(t->r->arena, t->ncoord, &t->coord_room, &items, sizeof *t->coord, &t->coord_at));
  t->coord = items;
  t->coord_at[t->ncoord] = at;
  *out = &t->coord[t->ncoord++];
  **out = dm_coordinate_turn(name, axis[0] / length, axis[1] / length, axis[2] / length);
  (*out)->slides = slides;
  // the coordinates of a body are contiguous, from dm_body.first on
  t->body[t->nbody - 1].ncoord++;
  return DM_OK;
}

// append NAME.END for each of n letter pairs: translations (t) or rotations (r) along axes x, y, z
static dm_status add_axes(pb_tree *t, const char *name, pb_place at, int n,
                          const char *const *letters) {
  for (int i = 0; i < n; i++) {
    // "tx" slides along x, "rz" rotates about z
    bool slides = letters[i][0] == 't';
    double axis[3] = {letters[i][1] == 'x', letters[i][1] == 'y', letters[i][1] == 'z'};

    // NAME.x for a translation, NAME.rz for a rotation
    size_t size = strlen(name) + 4;
    char *full = pb_arena_alloc(t->r->arena, size, 1);
    if (!full) return DM_NO_MEMORY;
    snprintf(full, size, "%s.%s", name, letters[i] + slides);
    dm_coordinate *c;
    DM_TRY(pb_tree_coord(t, full, at, slides, axis, &c));
  }
  return DM_OK;
}

dm_status pb_tree_ball(pb_tree *t, const char *name, pb_place at) {
  int first = t->ncoord;
  DM_TRY(add_axes(t, name, at, 3, (const char *const[]){"rz", "rx", "ry"}));
  t->coord[first].ball = true;
  return DM_OK;
}

bool pb_tree_in_ball(const pb_tree *t, int c) {
  for (int k = 0; k < 3 && k <= c; k++)
    if (t->coord[c - k].ball) return true;
  return false;
}

dm_status pb_tree_floating(pb_tree *t, const char *name, pb_place at, pb_base base) {
  // yaw first: a rotation about z is then a symmetry that acts linearly on x, y and rz
  static const char *const letters[] = {"tx", "ty", "tz", "rz", "ry", "rx"};
  if (base == PB_PLANAR) return add_axes(t, name, at, 3, (const char *const[]){"tx", "ty", "rz"});
  if (base == PB_FLOATING) return add_axes(t, name, at, 6, letters);
  DM_TRY(add_axes(t, name, at, 3, letters));
  return pb_tree_ball(t, name, at);
}

dm_status pb_tree_input(pb_tree *t, const char *name, pb_place at, int c, dm_input **out) {
  void *items = t->input;
  DM_TRY(check_name(t, name, at));
  DM_TRY(
      grow_parts(t->r->arena, t->ninput, &t->input_room, &items, sizeof *t->input, &t->input_at));
  t->input = items;
  t->input_at[t->ninput] = at;

  // c = -1: the input drives a load, not a joint
  *out = &t->input[t->ninput++];
  **out = dm_input_default(name);
  (*out)->coord = c;
  return DM_OK;
}

// make room for one more item in *items, which holds n
static dm_status grow_list(pb_tree *t, pb_place at, int n, int *room, void **items, size_t size) {
  DM_TRY(check_count(t, n, "parts of one kind", at));
  if (n < *room) return DM_OK;
  const int more = *room ? 2 * *room : 16;
  char *wider = pb_arena_alloc(t->r->arena, (size_t)more, size);
  if (!wider) return DM_NO_MEMORY;
  if (n) memcpy(wider, *items, (size_t)n * size);
  *items = wider;
  *room = more;
  return DM_OK;
}

#define APPEND(t, at, part, x)                                                                     \
  do {                                                                                             \
    void *items = (t)->part;                                                                       \
    DM_TRY(grow_list(t, at, (t)->n##part, &(t)->part##_room, &items, sizeof *(t)->part));          \
    (t)->part = items;                                                                             \
    (t)->part[(t)->n##part++] = *(x);                                                              \
    return DM_OK;                                                                                  \
  } while (0)

dm_status pb_tree_spring(pb_tree *t, const pb_file_spring *x) {
  APPEND(t, x->at, spring, x);
}

dm_status pb_tree_load(pb_tree *t, const pb_file_load *x) {
  APPEND(t, x->at, load, x);
}

dm_status pb_tree_lift(pb_tree *t, const pb_file_lift *x) {
  APPEND(t, x->at, lift, x);
}

dm_status pb_tree_held(pb_tree *t, const pb_file_held *x) {
  APPEND(t, x->at, held, x);
}

dm_status pb_tree_friction(pb_tree *t, const pb_file_friction *x) {
  APPEND(t, x->at, friction, x);
}

dm_status pb_tree_rotor(pb_tree *t, pb_place at, const dm_rotor *x) {
  APPEND(t, at, rotor, x);
}

dm_status pb_tree_key(pb_tree *t, pb_place at, const pb_file_key *x) {
  APPEND(t, at, key, x);
}

dm_status pb_tree_gear(pb_tree *t, pb_place at, const pb_file_gear *x) {
  APPEND(t, at, gear, x);
}

dm_status pb_tree_drive(pb_tree *t, pb_place at, const pb_drive *x) {
  APPEND(t, at, drive, x);
}
#undef APPEND

static bool is_moving(const pb_tree *t, int c) {
  const dm_coordinate *x = &t->coord[c];
  return !(x->mimic >= 0 ? &t->coord[x->mimic] : x)->locked;
}

bool pb_tree_moves_body(const pb_tree *t, int body) {
  for (; body >= 0; body = t->body[body].parent)
    for (int c = 0; c < t->body[body].ncoord; c++)
      if (is_moving(t, t->body[body].first + c)) return true;
  return false;
}

// whether a body is `top` or one of its descendants
static bool is_below(const pb_tree *t, int body, int top) {
  while (body >= 0 && body != top) body = t->body[body].parent;
  return body == top;
}

// whether a coordinate moves only one of two bodies
static bool moves_between(const pb_tree *t, int a, int b) {
  for (int end = 0; end < 2; end++)
    for (int x = end ? b : a, y = end ? a : b; x >= 0; x = t->body[x].parent)
      for (int c = 0; c < t->body[x].ncoord; c++)
        if (is_moving(t, t->body[x].first + c) && !is_below(t, y, x)) return true;
  return false;
}

bool pb_tree_moves_tendon(const pb_tree *t, const dm_tendon *x) {
  for (int i = 0; i < x->ncoord; i++)
    if (x->factor[i] != 0 && is_moving(t, x->coord[i])) return true;
  for (int i = 0; i + 1 < x->npoint; i++)
    if ((!x->share || x->share[i] != 0) && moves_between(t, x->body[i], x->body[i + 1]))
      return true;
  return false;
}

int pb_tree_find_coord(const pb_tree *t, const char *name) {
  for (int i = 0; i < t->ncoord; i++)
    if (!strcmp(t->coord[i].name, name)) return i;
  return -1;
}

int pb_tree_find_body(const pb_tree *t, const char *name) {
  for (int i = 0; i < t->nbody; i++)
    if (!strcmp(t->body[i].name, name)) return i;
  return -1;
}

bool pb_tree_moments(const dm_body *body, double moment[3]) {
  const double *J = body->inertia;
  double A[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
  return !dm_blas()->LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', 3, A, 3, moment);
}

dm_status pb_tree_check_inertia(pb_tree *t, const dm_body *body, pb_place at) {
  double moment[3];
  if (!pb_tree_moments(body, moment)) return DM_OK;

  // tolerance for rounding in files with few digits
  double slack = 1e-9 * fmax(fabs(moment[0]), fabs(moment[2]));

  // J > 0
  if (moment[0] < -slack)
    return pb_warn(t->r, at.file, at.line,
                   "body '%.64s': its inertia is not positive definite (principal moment %g)",
                   body->name, moment[0]);

  // J_3 <= J_1 + J_2, with equality for a flat body
  if (moment[2] > moment[0] + moment[1] + slack)
    return pb_warn(t->r, at.file, at.line,
                   "body '%.64s': its inertia violates the triangle inequality (principal moments "
                   "%g, %g, %g)",
                   body->name, moment[0], moment[1], moment[2]);
  return DM_OK;
}

dm_status pb_tree_joints(const pb_tree *t, pb_joint_list *list) {
  *list = (pb_joint_list){0};
  PB_NEW(t->r->arena, list->name, t->ncoord);
  PB_NEW(t->r->arena, list->coord, t->ncoord);
  for (int i = 0; i < t->ncoord; i++) {
    const dm_coordinate *c = &t->coord[i];

    // a mimic joint is locked if its independent joint is
    if (c->mimic >= 0 ? t->coord[c->mimic].locked : c->locked) continue;
    list->coord[list->n] = i;
    list->name[list->n++] = c->name;
  }
  return DM_OK;
}

// the file position of the first part that a message names in quotes
static pb_place find_named_place(const pb_tree *t, const char *sentence) {
  char name[256];

  // messages of dm_model_new begin with the part: "body 'NAME' ..."
  const char *from = strchr(sentence, '\'');
  if (from && sscanf(from, "'%255[^']'", name) == 1) {
    bool body = !strncmp(sentence, "body", 4);
    int i = body ? pb_tree_find_body(t, name) : pb_tree_find_coord(t, name);

    // the position of the part, or of the whole file if it has no such part
    if (i >= 0) return body ? t->body_at[i] : t->coord_at[i];
    for (i = 0; i < t->ninput; i++)
      if (!strcmp(t->input[i].name, name)) return t->input_at[i];
  }
  return (pb_place){.file = t->file};
}

// a view with borrowed arrays; compiling copies them
static dm_tree describe_tree(const pb_tree *t) {
  return (dm_tree){.nbody = t->nbody,
                   .ncoord = t->ncoord,
                   .ninput = t->ninput,
                   .body = t->body,
                   .coord = t->coord,
                   .input = t->input,
                   .gravity = {t->gravity[0], t->gravity[1], t->gravity[2]},
                   .nrotor = t->nrotor,
                   .rotor = t->rotor};
}

dm_status pb_tree_draft(const pb_tree *t, dm_model **out) {
  const dm_tree parts = describe_tree(t);
  dm_message lacks = {""}, why = {""};
  const dm_status s = dm_model_draft(out, &parts, &lacks, &why);
  if (s != DM_BAD_INPUT) return s;
  pb_place at = find_named_place(t, why.text);
  return pb_refuse(t->r, at.file, at.line, at.column, "%s", why.text);
}

// suggest model.density if links lack mass because their file has none
static void advise_density(const pb_tree *t, dm_message *why) {
  const size_t used = strlen(why->text);
  if (!t->unweighed || !strstr(why->text, "moves no inertia")) return;
  snprintf(why->text + used, sizeof why->text - used,
           "; %d link%s without <inertial>: model.density weighs %s <collision> shapes",
           t->unweighed, t->unweighed > 1 ? "s are" : " is", t->unweighed > 1 ? "their" : "its");
}

dm_status pb_tree_compile(const pb_tree *t, dm_model **tree, dm_model **model) {
  const dm_tree parts = describe_tree(t);
  dm_message why = {""};
  dm_message *lacks = t->r->draft; // a draft is inspected, even if incomplete
  dm_status s =
      lacks ? dm_model_draft(tree, &parts, lacks, &why) : dm_model_new(tree, &parts, &why);
  advise_density(t, lacks && lacks->text[0] ? lacks : &why);
  if (lacks && !lacks->text[0]) *lacks = t->unmodelled;

  // externally a ball joint is a quaternion
  if (s == DM_OK && !(*tree)->nball) *model = *tree;
  if (s == DM_OK && (*tree)->nball) s = dm_ball_model(model, *tree, &why);

  // report an error at the position of the part
  if (s != DM_BAD_INPUT) return s;
  pb_place at = find_named_place(t, why.text);
  return pb_refuse(t->r, at.file, at.line, at.column, "%s", why.text);
}
