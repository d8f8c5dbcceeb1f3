#include "cli/pictures/scene.h"

#include "cli/console/log.h"
#include "problems/readers/format/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKS = 200 }; // knots at which a scene is measured, at most

static int fail_scene(const cli_request *r) {
  return cli_fail(r->args, CLI_FAULT, "out of memory");
}

double cli_scene_along(dm_vec a, int axis) {
  const double x[] = {a.x, a.y, a.z};
  return x[axis];
}

// -- which points

static bool add_point(cli_scene *w, int joint, dm_vec at, const char *name) {
  cli_scene_point *more = realloc(w->point, ((size_t)w->npoint + 1) * sizeof *more);
  if (!more) return false;
  w->point = more;
  w->point[w->npoint] = (cli_scene_point){joint, at, strdup(name)};
  return w->point[w->npoint++].name != NULL;
}

// BODY:X:Y:Z into its parts; true where there are three numbers at the end
static bool split_point(const char *word, char *body, size_t size, double x[3]) {
  snprintf(body, size, "%s", word);
  for (int i = 2; i >= 0; i--) {
    char *colon = strrchr(body, ':');
    if (!colon || pb_number_parse(colon + 1, &x[i]) != DM_OK) return false;
    *colon = 0;
  }
  return true;
}

// a point that --points names: a body's origin, or a place in its frame
static int add_named(cli_scene *w, const cli_request *r, const char *word) {
  const dm_model *m = w->outline->m;
  double x[3] = {0};
  char body[256], near[CLI_SUGGESTION];
  int b = dm_model_body(m, word);
  if (b < 0 && split_point(word, body, sizeof body, x)) b = dm_model_body(m, body);
  if (b < 0)
    return cli_fail(r->args, CLI_INPUT,
                    "--points takes bodies, or BODY:X:Y:Z, got '%s', which %s has not%s", word,
                    w->of->path, cli_suggest(m->body_name, m->nbody, word, near));
  const dm_vec at = dm_place(&m->body_pose[b], dm_v(x[0], x[1], x[2]));
  return add_point(w, m->body_joint[b], at, word) ? CLI_DONE : fail_scene(r);
}

// the first body that a joint carries
static const char *name_carried(const dm_model *m, int joint) {
  for (int b = 0; b < m->nbody; b++)
    if (m->body_joint[b] == joint) return m->body_name[b];
  return "";
}

// where chains end: of each joint after which nothing turns
static int add_ends(cli_scene *w, const cli_request *r) {
  const dm_model *m = w->outline->m;
  for (int j = 0; j < m->nj; j++)
    if (w->outline->last[j] && !add_point(w, j, w->outline->tip[j], name_carried(m, j)))
      return fail_scene(r);
  return CLI_DONE;
}

int cli_scene_open(cli_scene *w, const cli_exhibit *of, const cli_request *r) {
  const pb_robot *robot = &of->job.p->robot;
  *w = (cli_scene){.of = of};
  if (dm_outline_new(&w->outline, robot->tree, robot->constraints, robot->springs) != DM_OK)
    return fail_scene(r);
  w->X = calloc((size_t)robot->tree->nj + 1, sizeof *w->X);
  w->q = calloc((size_t)robot->tree->nq + 1, sizeof *w->q);
  w->outside = calloc((size_t)of->job.x->n + 1, sizeof *w->outside);
  if (!w->X || !w->q || !w->outside) return fail_scene(r);

  // the points whose ways are drawn
  int status = r->points.n ? CLI_DONE : add_ends(w, r);
  for (int i = 0; status == CLI_DONE && i < r->points.n; i++)
    status = add_named(w, r, r->points.word[i]);
  return status;
}

void cli_scene_close(cli_scene *w) {
  for (int i = 0; i < w->npoint; i++) free(w->point[i].name);
  free(w->point);
  free(w->X);
  free(w->q);
  free(w->outside);
  dm_outline_free(w->outline);
}

void cli_scene_place(cli_scene *w, int k) {
  const dm_trajectory *x = w->of->job.x;
  pb_robot_frames(&w->of->job.p->robot, x->q + (size_t)k * (size_t)x->n, w->q, w->X);
}

void cli_scene_place_at(cli_scene *w, double t) {
  for (int i = 0; i < w->of->job.x->n; i++) w->outside[i] = cli_exhibit_place(w->of, t, i);
  pb_robot_frames(&w->of->job.p->robot, w->outside, w->q, w->X);
}

// -- the plane

// widen the box [3] of least and largest by a point
static void widen_box(double box[2][3], dm_vec a) {
  for (int i = 0; i < 3; i++) {
    box[0][i] = fmin(box[0][i], cli_scene_along(a, i));
    box[1][i] = fmax(box[1][i], cli_scene_along(a, i));
  }
}

// the box of all that a scene shows at its knots, with the cuboids of bodies or without
static void measure_scene(cli_scene *w, bool cuboids, double box[2][3]) {
  const dm_outline *o = w->outline;
  const int N = w->of->job.x->N, stride = N / LOOKS + 1;
  for (int k = 0; k <= N; k += stride) {
    cli_scene_place(w, k);
    for (int i = 0; i < w->npoint; i++)
      widen_box(box, dm_outline_place(w->X, w->point[i].joint, w->point[i].at));
    for (int i = 0; i < 2 * o->nline; i++) {
      const dm_outline_line *l = &o->line[i / 2];
      if (!cuboids && l->kind == DM_OUTLINE_BOX) continue;
      widen_box(box, dm_outline_place(w->X, l->at.joint[i % 2], l->at.end[i % 2]));
    }
  }
}

// the axis of the world along which gravity pulls the most; -1: there is none
static int find_vertical(const dm_model *m) {
  int axis = -1;
  double most = 0;
  for (int i = 0; i < 3; i++) {
    const double pull = fabs(cli_scene_along(m->gravity, i));
    if (pull > most) axis = i;
    most = fmax(most, pull);
  }
  return axis;
}

// the box of scenes [n], and how wide it is
static void measure_scenes(cli_scene *w, int n, bool cuboids, double box[2][3], double span[3]) {
  for (int i = 0; i < 3; i++) {
    box[0][i] = INFINITY;
    box[1][i] = -INFINITY;
  }
  for (int i = 0; i < n; i++) measure_scene(&w[i], cuboids, box);
  for (int i = 0; i < 3; i++) span[i] = box[1][i] - box[0][i];
}

void cli_scene_plane(cli_scene *w, int n, const cli_request *r, int plane[2]) {
  double box[2][3], span[3];
  plane[0] = r->plane[0];
  plane[1] = r->plane[1];
  if (plane[0] >= 0) return;
  measure_scenes(w, n, true, box, span);

  // all but the narrowest, of equals y; never that of gravity, unless little happens along it
  int narrow = 1;
  const int upright = find_vertical(w[0].outline->m);
  const double widest = fmax(span[0], fmax(span[1], span[2]));
  for (int i = 0; i < 3; i++) {
    const bool kept = i == upright && span[i] > 0.25 * widest;
    if (!kept && span[i] < 0.999 * span[narrow]) narrow = i;
    if (i == 1 && kept && narrow == 1) narrow = 0;
  }
  plane[0] = narrow == 0 ? 1 : 0;
  plane[1] = narrow == 2 ? 1 : 2;
}

// -- the view

static dm_vec find_axis(int i) {
  return dm_v(i == 0, i == 1, i == 2);
}

// whether what scenes show fills space, but for the cuboids of bodies, where there is more
static bool fills_space(cli_scene *w, int n) {
  static const double narrow = 0.2; // of the middle one
  double box[2][3], span[3];
  measure_scenes(w, n, false, box, span);
  if (!(fmax(span[0], fmax(span[1], span[2])) > 1e-6)) measure_scenes(w, n, true, box, span);

  // the narrowest against the middle one
  const double widest = fmax(span[0], fmax(span[1], span[2]));
  const double narrowest = fmin(span[0], fmin(span[1], span[2]));
  return narrowest > narrow * (span[0] + span[1] + span[2] - widest - narrowest);
}

cli_view cli_scene_view(cli_scene *w, int n, const cli_request *r) {
  const double pi = acos(-1), turn = pi / 3, tilt = pi / 8;
  double box[2][3], span[3];
  int plane[2];
  cli_scene_plane(w, n, r, plane);
  cli_view v = {.right = find_axis(plane[0]), .up = find_axis(plane[1])};
  if (r->plane[0] >= 0 || !fills_space(w, n)) return v;
  measure_scenes(w, n, true, box, span);
  const int rise = find_vertical(w[0].outline->m);

  // upwards against gravity; z where there is none
  const int up = rise < 0 ? 2 : rise;
  v.deep = true;
  v.rise = find_axis(up);
  v.ground = cli_scene_along(dm_v(box[0][0], box[0][1], box[0][2]), up);
  if (rise >= 0 && cli_scene_along(w[0].outline->m->gravity, up) > 0) {
    v.rise = dm_mul(-1, v.rise);
    v.ground = -cli_scene_along(dm_v(box[1][0], box[1][1], box[1][2]), up);
  }

  // seen from between the two other axes, the wider of which goes across, and from above
  const int a = (up + 1) % 3, b = (up + 2) % 3;
  const double angle = span[a] >= span[b] ? -turn : pi / 2 - turn;
  const dm_vec x = find_axis(a), y = dm_cross(v.rise, x);
  const dm_vec away = dm_add(dm_mul(-cos(angle), x), dm_mul(-sin(angle), y));
  v.right = dm_add(dm_mul(-sin(angle), x), dm_mul(cos(angle), y));
  v.up = dm_add(dm_mul(sin(tilt), away), dm_mul(cos(tilt), v.rise));
  return v;
}
