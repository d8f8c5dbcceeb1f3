#include "lib/multibody/outline.h"

#include "lib/base/block.h"

#include <math.h>
#include <string.h>

static double measure_vector(dm_vec a) {
  return sqrt(dm_dot(a, a));
}

// lengths below this count as zero                                       [m]
static const double nothing = 1e-9;

static void lay_out_outline(void *self, dm_block *b) {
  dm_outline *o = self;
  o->line = dm_block_alloc(b, (size_t)o->nline, sizeof *o->line);
  o->mark = dm_block_alloc(b, (size_t)o->nmark, sizeof *o->mark);
  o->tip = dm_block_alloc(b, (size_t)o->m->nj, sizeof *o->tip);
  o->last = dm_block_alloc(b, (size_t)o->m->nj, sizeof *o->last);
}

static void add_line(dm_outline *o, dm_outline_kind kind, int from, dm_vec a, int to, dm_vec b) {
  o->line[o->nline++] = (dm_outline_line){.kind = kind, .at = {.joint = {from, to}, .end = {a, b}}};
}

static void add_mark(dm_outline *o, int joint, dm_vec at, double mass) {
  o->mark[o->nmark++] = (dm_outline_mark){joint, at, mass};
}

// -- geometry of a joint's own body

static dm_vec find_centre(const dm_inertia *I) {
  return I->m > 0 ? dm_mul(1 / I->m, I->c) : dm_v(0, 0, 0);
}

// inertia about the center, by the parallel axis theorem: subtract m (c.c 1 - c c')
static dm_inertia find_central(const dm_inertia *I) {
  const dm_vec c = find_centre(I);
  dm_inertia central = *I;
  dm_shift(&central, dm_mul(-1, c));
  return central;
}

// a'I b
static double find_moment(const dm_inertia *I, dm_vec a, dm_vec b) {
  return dm_dot(a, dm_v(I->xx * b.x + I->xy * b.y + I->xz * b.z,
                        I->xy * b.x + I->yy * b.y + I->yz * b.z,
                        I->xz * b.x + I->yz * b.y + I->zz * b.z));
}

// end of the equivalent uniform rod: sqrt(3 I / m) beyond the center, at most the center's distance
static dm_vec find_rod_end(const dm_inertia *I) {
  const dm_vec c = find_centre(I);
  const double length = measure_vector(c);
  if (length < nothing) return c;
  const dm_inertia central = find_central(I);
  const dm_vec along = dm_mul(1 / length, c);

  // largest moment about an axis normal to a unit vector, from trace and determinant of a 2 x 2
  // matrix
  const dm_vec e = fabs(along.x) < 0.6 ? dm_v(1, 0, 0) : dm_v(0, 1, 0);
  dm_vec a = dm_cross(along, e);
  a = dm_mul(1 / measure_vector(a), a);
  const dm_vec b = dm_cross(along, a);
  const double aa = find_moment(&central, a, a), bb = find_moment(&central, b, b),
               ab = find_moment(&central, a, b);
  const double half = sqrt(fmax(3 * ((aa + bb) / 2 + hypot((aa - bb) / 2, ab)) / I->m, 0));

  return dm_add(c, dm_mul(fmin(half, length), along));
}

// The farthest point of joint j that touches something, else `far`, with lines to nearer ones. A body whose
// center is on its joint is a box, and has corners.
static dm_vec add_contact_points(dm_outline *o, int j, const dm_contacts *contacts, dm_vec far) {
  const dm_contact *list;
  const int n = contacts ? dm_contacts_list(contacts, &list) : 0;
  const dm_vec origin = dm_v(0, 0, 0);
  if (measure_vector(find_centre(&o->m->body[j])) < nothing) return far;
  for (int i = 0; i < 2 * n; i++) {
    const int body = list[i / 2].body[i % 2];
    const double *x = list[i / 2].point[i % 2];
    if (body < 0 || o->m->body_joint[body] != j) continue;
    const dm_vec at = dm_place(&o->m->body_pose[body], dm_v(x[0], x[1], x[2]));
    const bool farther = measure_vector(at) > measure_vector(far);
    const dm_vec nearer = farther ? far : at;
    if (measure_vector(nearer) > nothing) add_line(o, DM_OUTLINE_LINK, j, origin, j, nearer);
    if (farther) far = at;
  }
  return far;
}

// -- children of a joint

static bool has_child(const dm_model *m, int j) {
  for (int k = j + 1; k < m->nj; k++)
    if (m->parent[k] == j) return true;
  return false;
}

// returns true if a revolute joint follows joint j; parents precede their children
static bool turns_after(const dm_model *m, int j) {
  for (int k = j + 1; k < m->nj; k++) {
    int above = k;
    while (above > j) above = m->parent[above];
    if (above == j && !m->slides[k]) return true;
  }
  return false;
}

// links to each child of j, and along the slide of a prismatic joint after a revolute one
static void add_joint_links(dm_outline *o, int j) {
  const dm_model *m = o->m;
  const dm_vec origin = dm_v(0, 0, 0);
  for (int k = j + 1; k < m->nj; k++) {
    if (m->parent[k] != j) continue;
    if (measure_vector(m->offset[k].p) > nothing)
      add_line(o, DM_OUTLINE_LINK, j, origin, j, m->offset[k].p);
    if (m->slides[k] && !m->upright[j]) add_line(o, DM_OUTLINE_LINK, j, m->offset[k].p, k, origin);
  }
}

// the cuboid with half edges a, b, c: I_xx = m (b^2 + c^2) / 3, hence a^2 = 3 (I_yy + I_zz - I_xx)
// / 2m
static void add_box(dm_outline *o, int j) {
  const dm_inertia I = find_central(&o->m->body[j]);
  const double scale = 1.5 / I.m;
  const double half[] = {sqrt(fmax(scale * (I.yy + I.zz - I.xx), 0)),
                         sqrt(fmax(scale * (I.zz + I.xx - I.yy), 0)),
                         sqrt(fmax(scale * (I.xx + I.yy - I.zz), 0))};
  const dm_vec c = find_centre(&o->m->body[j]);

  // twelve edges: from each corner (bits of its index) along each axis whose bit is 0
  for (int corner = 0; corner < 8; corner++)
    for (int axis = 0; axis < 3; axis++) {
      double a[3], b[3];
      if (corner >> axis & 1 || half[axis] < nothing) continue;
      for (int i = 0; i < 3; i++) a[i] = b[i] = corner >> i & 1 ? half[i] : -half[i];
      b[axis] = half[axis];
      add_line(o, DM_OUTLINE_BOX, j, dm_add(c, dm_v(a[0], a[1], a[2])), j,
               dm_add(c, dm_v(b[0], b[1], b[2])));
    }
}

// joint j: links to its children, or the last link or box of a chain; its mass and its axis
static void add_joint_outline(dm_outline *o, int j, const dm_contacts *contacts) {
  const dm_model *m = o->m;
  const dm_inertia *I = &m->body[j];
  const dm_vec c = find_centre(I), origin = dm_v(0, 0, 0);
  const bool end = !has_child(m, j);

  // the farthest frame fixed to joint j
  dm_vec far = dm_v(0, 0, 0);
  for (int b = 0; b < m->nbody; b++)
    if (m->body_joint[b] == j && measure_vector(m->body_pose[b].p) > measure_vector(far))
      far = m->body_pose[b].p;

  if (end) far = add_contact_points(o, j, contacts, far);
  o->last[j] = I->m > 0 && !turns_after(m, j);
  o->tip[j] = c;

  // last link: to the farthest frame, or to the end of the equivalent rod
  if (end) o->tip[j] = measure_vector(far) >= measure_vector(c) ? far : find_rod_end(I);
  if (end && measure_vector(o->tip[j]) > nothing)
    add_line(o, DM_OUTLINE_LINK, j, origin, j, o->tip[j]);
  add_joint_links(o, j);
  if (I->m > 0 && measure_vector(c) < nothing) add_box(o, j);

  // mass; for revolute joints at one point, only the first shows its axis
  if (I->m > 0) add_mark(o, j, c, I->m);
  const bool same =
      m->parent[j] >= 0 && !m->slides[m->parent[j]] && measure_vector(m->offset[j].p) < nothing;
  if (!m->slides[j] && !same && measure_vector(o->tip[j]) > nothing) add_mark(o, j, origin, 0);
}

dm_status dm_outline_new(dm_outline **out, const dm_model *m, const dm_constraints *constraints,
                         const dm_springs *springs, const dm_contacts *contacts) {
  // at most twelve box edges, one last link and two links per joint, and a link per contact point
  const dm_contact *list;
  const int points = contacts ? 2 * dm_contacts_list(contacts, &list) : 0;
  const int rows = constraints ? dm_constraints_holonomic(constraints).nc : 0;
  const int pieces = springs ? dm_springs_pieces(springs) : 0;
  dm_outline sizes = {.m = m, .nline = 15 * m->nj + rows + pieces + points, .nmark = 2 * m->nj};
  dm_outline *o = dm_block_make(&sizes, sizeof sizes, lay_out_outline);
  if (!o) return DM_NO_MEMORY;

  // then count the lines and marks while adding them
  o->nline = o->nmark = 0;
  for (int j = 0; j < m->nj; j++) add_joint_outline(o, j, contacts);

  // segments of constraints
  dm_segment line;
  for (int i = 0; i < rows; i++)
    if (dm_constraints_segment(constraints, i, &line))
      add_line(o, DM_OUTLINE_ROD, line.joint[0], line.end[0], line.joint[1], line.end[1]);

  // segments of the springs
  for (int i = 0; i < pieces; i++) {
    line = dm_springs_piece(springs, i);
    add_line(o, DM_OUTLINE_SPRING, line.joint[0], line.end[0], line.joint[1], line.end[1]);
  }

  *out = o;
  return DM_OK;
}

void dm_outline_free(dm_outline *o) {
  dm_block_free(o);
}

dm_vec dm_outline_place(const dm_pose *X, int joint, dm_vec point) {
  return joint < 0 ? point : dm_place(&X[joint], point);
}
