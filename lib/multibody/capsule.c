#include "lib/multibody/capsule.h"

#include "lib/multibody/spatial.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 512, DIRECTIONS = 64 };

// relative perturbation of the points of the hull, so that no four of them lie in a plane
static const double JITTER = 1e-6;

static double length_of(dm_vec a) {
  return sqrt(dm_dot(a, a));
}

static dm_vec get_point(const double *x, int i) {
  return dm_v(x[3 * (size_t)i], x[3 * (size_t)i + 1], x[3 * (size_t)i + 2]);
}

// direction i of n, evenly distributed over the sphere: equal steps in height, golden angle between
// them
static dm_vec pick_direction(int i, int n) {
  const double z = 1 - (2 * i + 1.0) / n;
  const double angle = i * acos(-1) * (3 - sqrt(5)), rho = sqrt(1 - z * z);
  return dm_v(rho * cos(angle), rho * sin(angle), z);
}

// -- extreme points

typedef struct point_set {
  int n;
  dm_vec x[MOST], moved[MOST];
  double size; // of the bounding box
} point_set;

static int find_support(int n, const double *x, dm_vec u) {
  int best = 0;
  double most = -INFINITY;
  for (int i = 0; i < n; i++) {
    const double at = dm_dot(u, get_point(x, i));
    if (at > most) {
      most = at;
      best = i;
    }
  }
  return best;
}

// all points if they are few, else the extreme points of several directions, each once
static dm_status pick_points(int n, const double *x, point_set *s) {
  bool *taken = calloc((size_t)n, sizeof *taken);
  if (!taken) return DM_NO_MEMORY;
  for (int i = 0; i < MOST; i++) {
    const int at = n > MOST ? find_support(n, x, pick_direction(i, MOST)) : i;
    if (at >= n || taken[at]) continue;
    taken[at] = true;
    s->x[s->n++] = get_point(x, at);
  }
  free(taken);
  return DM_OK;
}

// size of the bounding box, and the perturbed points
static void move_points(point_set *s) {
  dm_vec low = s->x[0], high = s->x[0];
  for (int i = 1; i < s->n; i++) {
    const dm_vec x = s->x[i];
    low = dm_v(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
    high = dm_v(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
  }
  s->size = length_of(dm_sub(high, low));
  for (int i = 0; i < s->n; i++) {
    const dm_vec u = dm_v(sin(1 + 12.9898 * i), sin(2 + 78.233 * i), sin(3 + 37.719 * i));
    s->moved[i] = dm_add(s->x[i], dm_mul(JITTER * s->size / sqrt(3), u));
  }
}

// -- their convex hull

typedef struct hull_side {
  int corner[3];
  dm_vec normal; // n.x <= height inside
  double height;
} hull_side;

typedef struct hull {
  const point_set *s;
  int n;
  hull_side side[2 * MOST];
  unsigned char edge[MOST][MOST]; // directed edges of the removed faces
} hull;

static void add_side(hull *h, int a, int b, int c) {
  const dm_vec *x = h->s->moved;
  const dm_vec normal = dm_cross(dm_sub(x[b], x[a]), dm_sub(x[c], x[a]));
  hull_side *side = &h->side[h->n++];
  *side = (hull_side){.corner = {a, b, c}, .normal = dm_mul(1 / length_of(normal), normal)};
  side->height = dm_dot(side->normal, x[a]);
}

// four points far from each other; false if all points lie in a plane
static bool find_first(const point_set *s, int corner[4]) {
  const dm_vec *x = s->x;
  double most[3] = {0};
  corner[0] = 0;
  for (int i = 0; i < s->n; i++)
    if (length_of(dm_sub(x[i], x[0])) > most[0]) {
      most[0] = length_of(dm_sub(x[i], x[0]));
      corner[1] = i;
    }
  if (!(most[0] > 0)) return false;

  // the point farthest from the line, then from the plane
  const dm_vec u = dm_mul(1 / most[0], dm_sub(x[corner[1]], x[0]));
  dm_vec normal = dm_v(0, 0, 0);
  for (int i = 0; i < s->n; i++) {
    const dm_vec across = dm_cross(u, dm_sub(x[i], x[0]));
    if (length_of(across) > most[1]) {
      most[1] = length_of(across);
      corner[2] = i;
      normal = dm_mul(1 / most[1], across);
    }
  }
  for (int i = 0; i < s->n; i++)
    if (fabs(dm_dot(normal, dm_sub(x[i], x[0]))) > most[2]) {
      most[2] = fabs(dm_dot(normal, dm_sub(x[i], x[0])));
      corner[3] = i;
    }
  return most[2] > 100 * JITTER * s->size;
}

static double find_height(const hull_side *side, dm_vec x) {
  return dm_dot(side->normal, x) - side->height;
}

// remove the faces that the point is above and connect their horizon to the point
static void add_point(hull *h, int i) {
  const dm_vec x = h->s->moved[i];
  int nrim = 0, rim[2 * MOST][2], ngone = 0;
  hull_side gone[2 * MOST];
  for (int k = h->n - 1; k >= 0; k--) {
    if (!(find_height(&h->side[k], x) > 0)) continue;
    gone[ngone++] = h->side[k];
    h->side[k] = h->side[--h->n];
  }

  // an edge belongs to the horizon if the face across it stays
  for (int k = 0; k < ngone; k++)
    for (int e = 0; e < 3; e++) h->edge[gone[k].corner[e]][gone[k].corner[(e + 1) % 3]] = 1;
  for (int k = 0; k < ngone; k++)
    for (int e = 0; e < 3; e++) {
      const int a = gone[k].corner[e], b = gone[k].corner[(e + 1) % 3];
      if (h->edge[b][a] || nrim == 2 * MOST) continue;
      rim[nrim][0] = a;
      rim[nrim++][1] = b;
    }
  for (int k = 0; k < ngone; k++)
    for (int e = 0; e < 3; e++) h->edge[gone[k].corner[e]][gone[k].corner[(e + 1) % 3]] = 0;
  for (int k = 0; k < nrim && h->n < 2 * MOST; k++) add_side(h, rim[k][0], rim[k][1], i);
}

// start with a tetrahedron, then add one point at a time; false if all points lie in a plane
static bool build_hull(hull *h, const point_set *s) {
  int c[4];
  h->s = s;
  if (s->n < 4 || !find_first(s, c)) return false;

  // orient each face away from the opposite corner
  for (int i = 0; i < 4; i++) {
    const int a = c[(i + 1) % 4], b = c[(i + 2) % 4], d = c[(i + 3) % 4];
    add_side(h, a, b, d);
    if (find_height(&h->side[h->n - 1], s->moved[c[i]]) < 0) continue;
    h->n--;
    add_side(h, a, d, b);
  }
  for (int i = 0; i < s->n; i++)
    if (i != c[0] && i != c[1] && i != c[2] && i != c[3]) add_point(h, i);
  return true;
}

static double distance_segment(dm_vec x, dm_vec a, dm_vec b) {
  const dm_vec axis = dm_sub(b, a), from = dm_sub(x, a);
  const double square = dm_dot(axis, axis);
  const double t = square > 0 ? fmin(fmax(dm_dot(from, axis) / square, 0), 1) : 0;
  return length_of(dm_sub(from, dm_mul(t, axis)));
}

// distance of an outside point from a face: from its plane if it projects into the face, else from
// the nearest edge
static double distance_side(const hull *h, const hull_side *side, dm_vec x) {
  double least = INFINITY;
  bool over = true;
  for (int e = 0; e < 3; e++) {
    const dm_vec a = h->s->moved[side->corner[e]], b = h->s->moved[side->corner[(e + 1) % 3]];
    over = over && dm_dot(dm_cross(dm_sub(b, a), dm_sub(x, a)), side->normal) >= 0;
    least = fmin(least, distance_segment(x, a, b));
  }
  return over ? fabs(find_height(side, x)) : least;
}

// depth of a point in the hull; negative outside
static double find_depth(const hull *h, dm_vec x) {
  double inside = INFINITY, outside = INFINITY;
  for (int k = 0; k < h->n; k++) {
    inside = fmin(inside, -find_height(&h->side[k], x));
    outside = fmin(outside, distance_side(h, &h->side[k], x));
  }
  return inside >= 0 ? inside : -outside;
}

// -- the capsule

typedef struct fit {
  dm_vec end[2];
  double radius, volume;
} fit;

// the least radius and the volume for a given axis
static fit measure_fit(const point_set *s, dm_vec a, dm_vec b) {
  fit f = {.end = {a, b}};
  for (int i = 0; i < s->n; i++) f.radius = fmax(f.radius, distance_segment(s->x[i], a, b));
  f.volume = acos(-1) * f.radius * f.radius * (length_of(dm_sub(b, a)) + 4.0 / 3 * f.radius);
  return f;
}

// center of the range of the points along u
static double find_middle(const point_set *s, dm_vec u, double *half) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < s->n; i++) {
    low = fmin(low, dm_dot(u, s->x[i]));
    high = fmax(high, dm_dot(u, s->x[i]));
  }
  *half = (high - low) / 2;
  return (high + low) / 2;
}

// the best axis along u through the center, by golden-section search over its length
static fit fit_along(const point_set *s, dm_vec u) {
  const double golden = (sqrt(5) - 1) / 2;
  const dm_pose frame = dm_pose_along(u, dm_v(0, 0, 0));
  double half, low = 0, other;
  const dm_vec along = dm_mul(find_middle(s, u, &half), u);
  const dm_vec across = dm_add(dm_mul(find_middle(s, frame.x, &other), frame.x),
                               dm_mul(find_middle(s, frame.y, &other), frame.y));
  const dm_vec middle = dm_add(along, across);
  fit best = measure_fit(s, middle, middle);
  for (double high = half; high - low > 1e-9 * half;) {
    const double l[2] = {high - golden * (high - low), low + golden * (high - low)};
    fit f[2];
    for (int i = 0; i < 2; i++) {
      f[i] = measure_fit(s, dm_sub(middle, dm_mul(l[i], u)), dm_add(middle, dm_mul(l[i], u)));
      if (f[i].volume < best.volume) best = f[i];
    }
    if (f[0].volume < f[1].volume)
      high = l[1];
    else
      low = l[0];
  }
  return best;
}

// next number in [-1, 1] of a fixed linear congruential sequence
static double draw_number(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 0x1p52 - 1;
}

static dm_vec draw_move(uint64_t *seed, double step, dm_vec from) {
  const double x = draw_number(seed), y = draw_number(seed), z = draw_number(seed);
  return dm_add(from, dm_mul(step, dm_v(x, y, z)));
}

// random moves of both ends; the step shrinks by a third if 60 moves bring no improvement
static fit improve_fit(const point_set *s, fit best) {
  uint64_t seed = 1;
  for (double step = s->size / 16; step > 1e-5 * s->size; step /= 1.5)
    for (int tries = 0, all = 0; tries < 60 && all < 1000; tries++, all++) {
      const dm_vec a = draw_move(&seed, step, best.end[0]);
      const dm_vec b = draw_move(&seed, step, best.end[1]);
      const fit f = measure_fit(s, a, b);
      if (!(f.volume < best.volume * (1 - 1e-6))) continue;
      best = f;
      tries = 0;
    }
  return best;
}

// the best direction, improved by random moves if it is promising
static fit find_fit(const point_set *s) {
  static const dm_vec axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  fit best = fit_along(s, axis[0]);
  for (int i = 1; i < 3 + DIRECTIONS; i++) {
    // opposite directions are equivalent: use the upper half sphere
    const fit f = fit_along(s, i < 3 ? axis[i] : pick_direction(i - 3, 2 * DIRECTIONS));
    if (f.volume < best.volume * (1 - 1e-9)) best = f;
  }
  const fit moved = improve_fit(s, best);
  if (moved.volume < 0.999 * best.volume) best = moved;

  // a very short axis becomes a point
  if (length_of(dm_sub(best.end[1], best.end[0])) < 1e-3 * best.radius) {
    const dm_vec middle = dm_mul(0.5, dm_add(best.end[0], best.end[1]));
    best = measure_fit(s, middle, middle);
  }
  return best;
}

static void finish_capsule(const hull *h, int n, const double *x, const fit *f, dm_capsule *out) {
  double radius = 0, depth = INFINITY;

  // enclose all points, also those left out above, with a margin for rounding
  for (int i = 0; i < n; i++)
    radius = fmax(radius, distance_segment(get_point(x, i), f->end[0], f->end[1]));
  out->radius = radius * (1 + 16 * DBL_EPSILON);
  for (int e = 0; e < 2; e++) {
    const double end[3] = {f->end[e].x, f->end[e].y, f->end[e].z};
    memcpy(out->end[e], end, sizeof end);
    depth = fmin(depth, find_depth(h, f->end[e]));
  }

  // the perturbation may have enlarged the hull by this amount
  out->excess = out->radius - depth + JITTER * h->s->size;
}

dm_status dm_capsule_about(int n, const double *x, dm_capsule *out) {
  // 1. extreme points and their hull
  point_set *s = calloc(1, sizeof *s);
  hull *h = calloc(1, sizeof *h);
  dm_status status = s && h ? DM_OK : DM_NO_MEMORY;
  if (status == DM_OK && n < 4) status = DM_BAD_INPUT;
  if (status == DM_OK) status = pick_points(n, x, s);
  if (status == DM_OK) move_points(s);
  if (status == DM_OK && !build_hull(h, s)) status = DM_BAD_INPUT;
  // 2. the capsule
  if (status == DM_OK) {
    const fit f = find_fit(s);
    finish_capsule(h, n, x, &f, out);
  }
  free(h);
  free(s);
  return status;
}
