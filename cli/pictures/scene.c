#include "cli/pictures/scene.h"

#include "cli/console/log.h"
#include "problems/readers/format/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKS = 200 }; // knots at which a scene is measured, at most

// what scenes show: its box, how wide that is, and how far its points go from where they begin
typedef struct extent {
  double low[3], high[3], span[3], way[3];
} extent;

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
  if (dm_outline_new(&w->outline, robot->mechanism.tree, robot->mechanism.constraints,
                     robot->mechanism.springs) != DM_OK)
    return fail_scene(r);
  w->X = calloc((size_t)robot->mechanism.tree->nj + 1, sizeof *w->X);
  w->q = calloc((size_t)robot->mechanism.tree->nq + 1, sizeof *w->q);
  w->outside = calloc((size_t)of->job.x->n + 1, sizeof *w->outside);
  if (!w->X || !w->q || !w->outside) return fail_scene(r);

  // the points whose ways are drawn
  int status = r->points.n ? CLI_DONE : add_ends(w, r);
  for (int i = 0; status == CLI_DONE && i < r->points.n; i++)
    status = add_named(w, r, r->points.word[i]);
  w->first = calloc((size_t)(w->npoint + 2 * w->outline->nline) + 1, sizeof *w->first);
  return status == CLI_DONE && !w->first ? fail_scene(r) : status;
}

void cli_scene_close(cli_scene *w) {
  for (int i = 0; i < w->npoint; i++) free(w->point[i].name);
  free(w->point);
  free(w->X);
  free(w->q);
  free(w->outside);
  free(w->first);
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

// widen an extent by a point, which began elsewhere
static void widen_extent(extent *e, dm_vec at, dm_vec first) {
  for (int i = 0; i < 3; i++) {
    const double x = cli_scene_along(at, i);
    e->low[i] = fmin(e->low[i], x);
    e->high[i] = fmax(e->high[i], x);
    e->way[i] = fmax(e->way[i], fabs(x - cli_scene_along(first, i)));
  }
}

// what a scene shows where it is placed, at its first knot or later; with the cuboids of bodies, whose
// corners then go as points do, or without
static void measure_knot(cli_scene *w, bool cuboids, bool begins, extent *e) {
  const dm_outline *o = w->outline;
  for (int i = 0; i < w->npoint + 2 * o->nline; i++) {
    const int end = i - w->npoint;
    const dm_outline_line *l = end < 0 ? NULL : &o->line[end / 2];
    if (l && !cuboids && l->kind == DM_OUTLINE_BOX) continue;
    const int joint = l ? l->at.joint[end % 2] : w->point[i].joint;
    const dm_vec at = dm_outline_place(w->X, joint, l ? l->at.end[end % 2] : w->point[i].at);
    if (begins) w->first[i] = at;
    widen_extent(e, at, l && !cuboids ? at : w->first[i]);
  }
}

// scenes [n] at their knots
static extent measure_scenes(cli_scene *w, int n, bool cuboids) {
  extent e;
  for (int i = 0; i < 3; i++) {
    e.low[i] = INFINITY;
    e.high[i] = -INFINITY;
    e.way[i] = 0;
  }
  for (int i = 0; i < n; i++) {
    const int N = w[i].of->job.x->N, stride = N / LOOKS + 1;
    for (int k = 0; k <= N; k += stride) {
      cli_scene_place(&w[i], k);
      measure_knot(&w[i], cuboids, k == 0, &e);
    }
  }
  for (int i = 0; i < 3; i++) e.span[i] = e.high[i] - e.low[i];
  return e;
}

static double find_widest(const double span[3]) {
  return fmax(span[0], fmax(span[1], span[2]));
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

void cli_scene_plane(cli_scene *w, int n, const cli_request *r, int plane[2]) {
  static const double STILL = 1e-3; // what is wide and does not move, beside what moves
  double span[3];
  plane[0] = r->plane[0];
  plane[1] = r->plane[1];
  if (plane[0] >= 0) return;
  extent e = measure_scenes(w, n, false);
  if (!(find_widest(e.way) > 1e-6)) e = measure_scenes(w, n, true);
  for (int i = 0; i < 3; i++) span[i] = e.way[i] + STILL * e.span[i];

  // all but the narrowest, of equals y; never that of gravity, unless little happens along it
  int narrow = 1;
  const int upright = find_vertical(w[0].outline->m);
  for (int i = 0; i < 3; i++) {
    const bool kept = i == upright && span[i] > 0.25 * find_widest(span);
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
  extent e = measure_scenes(w, n, false);
  if (!(find_widest(e.span) > 1e-6)) e = measure_scenes(w, n, true);

  // the narrowest against the middle one
  const double widest = find_widest(e.span);
  const double narrowest = fmin(e.span[0], fmin(e.span[1], e.span[2]));
  return narrowest > narrow * (e.span[0] + e.span[1] + e.span[2] - widest - narrowest);
}

cli_view cli_scene_view(cli_scene *w, int n, const cli_request *r) {
  const double pi = acos(-1), turn = pi / 3, tilt = pi / 8;
  int plane[2];
  cli_scene_plane(w, n, r, plane);
  cli_view v = {.right = find_axis(plane[0]), .up = find_axis(plane[1])};
  if (r->plane[0] >= 0 || !fills_space(w, n)) return v;
  const extent e = measure_scenes(w, n, true);
  const int rise = find_vertical(w[0].outline->m);

  // upwards against gravity; z where there is none
  const int up = rise < 0 ? 2 : rise;
  v.deep = true;
  v.rise = find_axis(up);
  v.ground = cli_scene_along(dm_v(e.low[0], e.low[1], e.low[2]), up);
  if (rise >= 0 && cli_scene_along(w[0].outline->m->gravity, up) > 0) {
    v.rise = dm_mul(-1, v.rise);
    v.ground = -cli_scene_along(dm_v(e.high[0], e.high[1], e.high[2]), up);
  }

  // seen from between the two other axes, the wider of which goes across, and from above
  const int a = (up + 1) % 3, b = (up + 2) % 3;
  const double angle = e.span[a] >= e.span[b] ? -turn : pi / 2 - turn;
  const dm_vec x = find_axis(a), y = dm_cross(v.rise, x);
  const dm_vec away = dm_add(dm_mul(-cos(angle), x), dm_mul(-sin(angle), y));
  v.right = dm_add(dm_mul(-sin(angle), x), dm_mul(cos(angle), y));
  v.up = dm_add(dm_mul(sin(tilt), away), dm_mul(cos(tilt), v.rise));
  return v;
}
