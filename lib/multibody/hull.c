#include "lib/multibody/hull.h"

#include "lib/multibody/spatial.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct side {
  int corner[3], beside[3]; // beside[k]: face across the edge from corner k to the next
  dm_vec normal;            // unit
  double at;                // offset of the plane: x.normal
  int first;                // first point above this face, linked by `next`; -1: none
  bool gone, seen;          // replaced; visible from the current point
} side;

typedef struct edge {
  int from, to, beyond, across; // corners; the face beyond the horizon, and the index of its edge
} edge;

typedef struct hull {
  int n, nside, room;
  const double *x;
  double least; // smaller distances count as zero
  side *list;
  int *next;  // [n] next point above the same face
  int *stack; // [room] faces
  edge *rim;  // [room]
  int *start; // [n] the horizon edge that starts at a corner
} hull;

static dm_vec point_of(const hull *h, int i) {
  const double *x = h->x + 3 * (size_t)i;
  return dm_v(x[0], x[1], x[2]);
}

static double find_distance(const hull *h, const side *s, int i) {
  return dm_dot(s->normal, point_of(h, i)) - s->at;
}

// add a face by its corners; returns false if out of memory
static bool add_side(hull *h, int a, int b, int c) {
  // grow the arrays
  if (h->nside == h->room) {
    const int room = 2 * h->room + 64;
    side *list = realloc(h->list, (size_t)room * sizeof *list);
    if (list) h->list = list;
    int *stack = realloc(h->stack, (size_t)room * sizeof *stack);
    if (stack) h->stack = stack;
    edge *rim = realloc(h->rim, (size_t)room * sizeof *rim);
    if (rim) h->rim = rim;
    if (!list || !stack || !rim) return false;
    h->room = room;
  }
  // outward unit normal and offset of the plane
  const dm_vec p = point_of(h, a);
  const dm_vec across = dm_cross(dm_sub(point_of(h, b), p), dm_sub(point_of(h, c), p));
  const double size = sqrt(dm_dot(across, across));
  side *s = &h->list[h->nside++];
  *s = (side){.corner = {a, b, c}, .beside = {-1, -1, -1}, .first = -1};
  s->normal = size > 0 ? dm_mul(1 / size, across) : dm_v(0, 0, 0);
  s->at = dm_dot(s->normal, p);
  return true;
}

// assign a point to the first face in [first, end) that it is above
static void give_point(hull *h, int i, int first, int end) {
  for (int k = first; k < end; k++) {
    side *s = &h->list[k];
    if (s->gone || !(find_distance(h, s, i) > h->least)) continue;
    h->next[i] = s->first;
    s->first = i;
    return;
  }
}

// distance of point i from a point, a line or a plane through `base`
typedef double (*measure)(const hull *h, const int *base, int i);

static double from_point(const hull *h, const int *base, int i) {
  const dm_vec d = dm_sub(point_of(h, i), point_of(h, base[0]));
  return sqrt(dm_dot(d, d));
}

static double from_line(const hull *h, const int *base, int i) {
  const dm_vec along = dm_sub(point_of(h, base[1]), point_of(h, base[0]));
  const dm_vec d = dm_cross(along, dm_sub(point_of(h, i), point_of(h, base[0])));
  return sqrt(dm_dot(d, d) / dm_dot(along, along));
}

static double from_plane(const hull *h, const int *base, int i) {
  const dm_vec p = point_of(h, base[0]);
  const dm_vec n = dm_cross(dm_sub(point_of(h, base[1]), p), dm_sub(point_of(h, base[2]), p));
  return fabs(dm_dot(n, dm_sub(point_of(h, i), p))) / sqrt(dm_dot(n, n));
}

// the initial tetrahedron; false: all points lie in a plane, or out of memory (*no_memory)
static bool make_simplex(hull *h, bool *no_memory) {
  static const measure far[] = {from_point, from_line, from_plane};
  int base[4] = {0};
  *no_memory = false;
  for (int k = 0; k < 3; k++) {
    double most = -1;
    for (int i = 0; i < h->n; i++) {
      const double d = far[k](h, base, i);
      if (!isfinite(d)) return false;
      if (d > most) {
        most = d;
        base[k + 1] = i;
      }
    }
    if (k == 0) h->least = 1e-12 * most;
    if (!(most > 10 * h->least)) return false;
  }

  // orient the faces so that the fourth point is below the first three
  const dm_vec p = point_of(h, base[0]);
  const dm_vec n = dm_cross(dm_sub(point_of(h, base[1]), p), dm_sub(point_of(h, base[2]), p));
  const bool above = dm_dot(n, dm_sub(point_of(h, base[3]), p)) > 0;
  const int a = base[0], b = base[above ? 2 : 1], c = base[above ? 1 : 2], d = base[3];
  *no_memory = !add_side(h, a, b, c) || !add_side(h, b, a, d) || !add_side(h, c, b, d) ||
               !add_side(h, a, c, d);
  if (*no_memory) return false;
  static const int beside[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  for (int s = 0; s < 4; s++)
    for (int k = 0; k < 3; k++) h->list[s].beside[k] = beside[s][k];
  for (int i = 0; i < h->n; i++)
    if (i != a && i != b && i != c && i != d) give_point(h, i, 0, 4);
  return true;
}

// the faces visible from a point, starting from one of them, and the horizon around them; returns
// the number of horizon edges, 0 if rounding has destroyed the single loop
static int find_rim(hull *h, int from, int point, int *seen) {
  int rim = 0, top = 0;
  *seen = 0;
  h->stack[top++] = from;
  h->list[from].seen = true;
  for (int k = 0; k < top; k++) {
    const side *s = &h->list[h->stack[k]];
    for (int e = 0; e < 3; e++) {
      side *other = &h->list[s->beside[e]];
      if (other->seen) continue;
      if (find_distance(h, other, point) > h->least) {
        other->seen = true;
        h->stack[top++] = s->beside[e];
        continue;
      }
      int across = 0;
      while (other->beside[across] != h->stack[k]) across++;
      h->rim[rim++] = (edge){s->corner[e], s->corner[(e + 1) % 3], s->beside[e], across};
    }
  }
  *seen = top;

  // the horizon must be a single loop: follow the edges until the first one returns
  for (int k = 0; k < rim; k++) h->start[h->rim[k].from] = k;
  int at = 0, steps = 0;
  while (rim > 2 && steps < rim && (steps == 0 || at > 0)) {
    const int after = h->start[h->rim[at].to];
    if (after >= rim || h->rim[after].from != h->rim[at].to) return 0;
    at = after;
    steps++;
  }
  return rim > 2 && at == 0 && steps == rim ? rim : 0;
}

// triangles from a point to the horizon; false: out of memory
static bool close_rim(hull *h, int rim, int point) {
  const int first = h->nside;
  for (int k = 0; k < rim; k++) {
    const edge e = h->rim[k];
    if (!add_side(h, e.from, e.to, point)) return false;
    h->list[first + k].beside[0] = e.beyond;
    h->list[e.beyond].beside[e.across] = first + k;
  }

  // neighbors around the point
  for (int k = 0; k < rim; k++) {
    const int after = first + h->start[h->rim[k].to];
    h->list[first + k].beside[1] = after;
    h->list[after].beside[2] = first + k;
  }
  return true;
}

// make the farthest point above a face a corner; false: out of memory
static bool take_point(hull *h, int from) {
  int *link = &h->list[from].first, *most = link, seen;
  for (int *at = link; *at >= 0; at = &h->next[*at])
    if (find_distance(h, &h->list[from], *at) > find_distance(h, &h->list[from], *most)) most = at;
  const int point = *most, first = h->nside;
  *most = h->next[point];
  const int rim = find_rim(h, from, point, &seen);
  const bool good = rim > 2 && close_rim(h, rim, point);

  // reassign the points of the removed faces to the new faces
  for (int k = 0; k < seen; k++) {
    side *s = &h->list[h->stack[k]];
    s->seen = false;
    if (rim <= 2) continue;
    s->gone = true;
    for (int i = s->first, next; good && i >= 0; i = next) {
      next = h->next[i];
      give_point(h, i, first, h->nside);
    }
    s->first = -1;
  }
  return good || rim <= 2;
}

static dm_status find_hull(hull *h, int (*out)[3], int *sides) {
  bool no_memory;
  if (!make_simplex(h, &no_memory)) return no_memory ? DM_NO_MEMORY : DM_BAD_INPUT;
  for (int k = 0; k < h->nside; k++)
    while (!h->list[k].gone && h->list[k].first >= 0)
      if (!take_point(h, k)) return DM_NO_MEMORY;
  *sides = 0;
  for (int k = 0; k < h->nside; k++) {
    const side *s = &h->list[k];
    if (s->gone) continue;
    for (int i = 0; i < 3; i++) out[*sides][i] = s->corner[i];
    ++*sides;
  }
  return DM_OK;
}

dm_status dm_hull_find(int n, const double *x, int (*out)[3], int *sides) {
  hull h = {.n = n, .x = x};
  if (n < 4) return DM_BAD_INPUT;
  h.next = malloc((size_t)n * sizeof *h.next);
  h.start = calloc((size_t)n, sizeof *h.start);
  const dm_status s = h.next && h.start ? find_hull(&h, out, sides) : DM_NO_MEMORY;
  free(h.list);
  free(h.next);
  free(h.stack);
  free(h.rim);
  free(h.start);
  return s;
}
