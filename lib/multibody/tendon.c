#include "lib/multibody/tendon.h"

#include "lib/base/block.h"
#include "lib/multibody/tree_lagrangian.h"
#include "lib/multibody/vector_product.h"

#include <math.h>
#include <string.h>

// a segment of a path
typedef struct segment {
  dm_vector_product p;
  double share;  // weight of its length in s
  const int *at; // [p.n] index of the coordinate of each joint in compiled_tendon
} segment;

typedef struct compiled_tendon {
  int n;      // number of coordinates
  int *coord; // [n] ascending
  double *factor;
  int first, nsegment; // segments of a path; 0: a combination
} compiled_tendon;

struct dm_tendons {
  const dm_model *m;
  int n, nsegment;
  int joints, widest;             // largest number of joints of a segment, and of coordinates of a
                                  // tendon
  size_t all_joints, coord_space; // joints of all segments; upper bound on the coordinates of all
                                  // tendons
  compiled_tendon *tendon;
  segment *segment;
  dm_moving_joint *by; // joints of the segments
  int *at;
  int *coord; // coordinates of the tendons
  double *factor;
  size_t entries, points; // factors and points of all descriptions
  dm_tendon *described;   // [n]
  int *described_coord, *described_body;
  double *described_factor, *described_share;
  double (*described_point)[3];
};

// -- compiling

static dm_vector_product make_segment(const dm_model *m, const dm_tendon *x, int k) {
  return (dm_vector_product){
      // A = x_k+1 - x_k, whose square is the length's
      .A = dm_body_vector_difference(m, x->body[k + 1], x->point[k + 1], x->body[k], x->point[k]),
      .square = true};
}

static double share_of(const dm_tendon *x, int k) {
  return x->share ? x->share[k] : 1;
}

static int count_segments(const dm_tendon *x) {
  int n = 0;
  for (int k = 0; k + 1 < x->npoint; k++) n += share_of(x, k) != 0;
  return n;
}

static size_t count_joints(const dm_model *m, const dm_tendon *x) {
  size_t n = 0;
  for (int k = 0; k + 1 < x->npoint; k++) {
    if (share_of(x, k) == 0) continue;
    dm_vector_product p = make_segment(m, x, k);
    n += (size_t)dm_vector_product_joints(m, &p, NULL);
  }
  return n;
}

dm_status dm_tendon_check(const dm_model *m, const dm_tendon *x, dm_message *msg) {
  // indices; the sum of all numbers detects NaN and infinity
  double sum = 0;
  for (int i = 0; i < x->ncoord; i++) {
    sum += x->factor[i];
    if (x->coord[i] < 0 || x->coord[i] >= m->nq)
      return dm_fail(msg, DM_BAD_INPUT, "'%s' refers to a coordinate that does not exist", x->name);
  }
  for (int i = 0; i < x->npoint; i++) {
    sum += x->point[i][0] + x->point[i][1] + x->point[i][2];
    if (i > 0) sum += share_of(x, i - 1);
    if (x->body[i] < -1 || x->body[i] >= m->nbody)
      return dm_fail(msg, DM_BAD_INPUT, "'%s' refers to a body that does not exist", x->name);
  }
  if (!isfinite(sum)) return dm_fail(msg, DM_BAD_INPUT, "'%s': a number is not finite", x->name);

  // exactly one of: a combination sum factor q, or a path through at least two points; and
  // something must move it
  if ((x->ncoord < 1 && x->npoint < 2) || (x->ncoord > 0 && x->npoint > 0))
    return dm_fail(msg, DM_BAD_INPUT, "'%s' has neither coordinates nor two points", x->name);
  if (x->npoint > 0 && count_joints(m, x) == 0)
    return dm_fail(msg, DM_BAD_INPUT, "'%s': no coordinate changes its length", x->name);
  return DM_OK;
}

static void lay_out_tendons(void *self, dm_block *b) {
  dm_tendons *c = self;
  size_t joints = c->all_joints, coords = c->coord_space;
  c->tendon = dm_block_alloc(b, (size_t)c->n, sizeof *c->tendon);
  c->segment = dm_block_alloc(b, (size_t)c->nsegment, sizeof *c->segment);
  c->by = dm_block_alloc(b, joints, sizeof *c->by);
  c->at = dm_block_alloc(b, joints, sizeof *c->at);
  c->coord = dm_block_alloc(b, coords, sizeof *c->coord);
  c->factor = dm_block_alloc(b, coords, sizeof *c->factor);
  c->described = dm_block_alloc(b, (size_t)c->n, sizeof *c->described);
  c->described_coord = dm_block_alloc(b, c->entries, sizeof *c->described_coord);
  c->described_factor = dm_block_alloc(b, c->entries, sizeof *c->described_factor);
  c->described_body = dm_block_alloc(b, c->points, sizeof *c->described_body);
  c->described_point = dm_block_alloc(b, c->points, sizeof *c->described_point);
  c->described_share = dm_block_alloc(b, c->points, sizeof *c->described_share);
}

static bool moves_segment(const dm_model *m, const segment *s, int coord) {
  for (int i = 0; i < s->p.n; i++)
    if (m->coord[s->p.by[i].joint] == coord) return true;
  return false;
}

static int find_index(const compiled_tendon *x, int coord) {
  int i = 0;
  while (x->coord[i] != coord) i++;
  return i;
}

// next free positions in the arrays
typedef struct place {
  segment *segment;
  dm_moving_joint *by;
  int *at, *coord;
  double *factor;
} place;

static void compile_tendon(dm_tendons *c, const dm_tendon *from, compiled_tendon *x, place *to) {
  const dm_model *m = c->m;
  *x = (compiled_tendon){.coord = to->coord,
                         .factor = to->factor,
                         .first = (int)(to->segment - c->segment), // index of its first segment
                         .nsegment = count_segments(from)};

  // segments of a path, each with the joints that change it
  segment *const first = to->segment;
  for (int k = 0; k + 1 < from->npoint; k++) {
    if (share_of(from, k) == 0) continue;
    segment *s = to->segment++;
    s->p = make_segment(m, from, k);
    s->share = share_of(from, k);
    s->p.by = to->by;
    s->p.n = dm_vector_product_joints(m, &s->p, to->by);
    to->by += s->p.n;
    if (s->p.n > c->joints) c->joints = s->p.n;
  }

  // the coordinates that a compiled_tendon depends on, each once
  // ascending order makes the rows of the Hessian ascending as well
  for (int q = 0; q < c->m->nq; q++) {
    bool found = false;
    double factor = 0;
    for (int i = 0; i < from->ncoord; i++)
      if (from->coord[i] == q) {
        found = true;
        factor += from->factor[i];
      }
    for (int k = 0; k < x->nsegment; k++)
      found = found || moves_segment(c->m, &c->segment[x->first + k], q);
    if (!found) continue;
    x->coord[x->n] = q;
    x->factor[x->n] = factor;
    x->n++;
  }

  for (segment *s = first; s < to->segment; s++) {
    s->at = to->at;
    for (int i = 0; i < s->p.n; i++) *to->at++ = find_index(x, m->coord[s->p.by[i].joint]);
  }
  to->coord += x->n;
  to->factor += x->n;
  if (x->n > c->widest) c->widest = x->n;
}

dm_status dm_tendons_new(dm_tendons **out, const dm_model *m, int n, const dm_tendon *list,
                         dm_message *msg) {
  dm_tendons sizes = {.m = m, .n = n};

  // a path depends on at most as many coordinates as there are joints moving its segments
  for (int i = 0; i < n; i++) {
    DM_TRY(dm_tendon_check(m, &list[i], msg));
    size_t own = count_joints(m, &list[i]);
    sizes.nsegment += count_segments(&list[i]);
    sizes.all_joints += own;
    sizes.coord_space += own + (size_t)list[i].ncoord; // bound: its joints, or its factors
    sizes.entries += (size_t)list[i].ncoord;
    sizes.points += (size_t)list[i].npoint;
  }
  dm_tendons *c = dm_block_make(&sizes, sizeof sizes, lay_out_tendons);
  if (!c) return dm_fail(msg, DM_NO_MEMORY, "out of memory");

  place to = {c->segment, c->by, c->at, c->coord, c->factor};
  for (int i = 0; i < n; i++) compile_tendon(c, &list[i], &c->tendon[i], &to);

  // copy the descriptions, without names
  size_t entry = 0, point = 0;
  for (int i = 0; i < c->n; i++) {
    const dm_tendon *x = &list[i];
    dm_tendon *own = &c->described[i];
    *own = (dm_tendon){.ncoord = x->ncoord, .npoint = x->npoint};
    own->coord = c->described_coord + entry;
    own->factor = c->described_factor + entry;
    own->body = c->described_body + point;
    own->point = (const double(*)[3])(c->described_point + point);
    own->share = c->described_share + point;
    for (int k = 0; k < x->ncoord; k++, entry++) {
      c->described_coord[entry] = x->coord[k];
      c->described_factor[entry] = x->factor[k];
    }
    for (int k = 0; k < x->npoint; k++, point++) {
      c->described_body[point] = x->body[k];
      memcpy(c->described_point[point], x->point[k], sizeof x->point[k]);
      if (k + 1 < x->npoint) c->described_share[point] = share_of(x, k);
    }
  }

  *out = c;
  return DM_OK;
}

void dm_tendons_free(dm_tendons *c) {
  dm_block_free(c);
}

dm_tendon dm_tendons_described(const dm_tendons *c, int i) {
  return c->described[i];
}

int dm_tendons_pieces(const dm_tendons *c) {
  return c->nsegment;
}

dm_segment dm_tendons_piece(const dm_tendons *c, int i) {
  return dm_body_vector_segment(&c->segment[i].p.A);
}

int dm_tendons_pieces_of(const dm_tendons *c, int i, int *first) {
  *first = c->tendon[i].first;
  return c->tendon[i].nsegment;
}

const double *dm_tendons_factors(const dm_tendons *c, int i) {
  return c->tendon[i].factor;
}

int dm_tendons_coords(const dm_tendons *c, int i, const int **coord) {
  *coord = c->tendon[i].coord;
  return c->tendon[i].n;
}

// -- evaluating

typedef struct work {
  dm_vector_products product;
  double *l_i, *l_ia; // [joints] derivatives of a segment's length by its joints, and those along a
  double *s_q, *s_qq, *s_qa, *s_qqa;
} work;

static void lay_out_work(work *w, dm_block *b, const dm_tendons *c) {
  size_t joints = (size_t)c->joints, n = (size_t)c->widest;
  dm_vector_products_lay_out(&w->product, b, c->m, c->joints);
  w->l_i = dm_block_alloc(b, joints, sizeof(double));
  w->l_ia = dm_block_alloc(b, joints, sizeof(double));
  w->s_q = dm_block_alloc(b, n, sizeof(double));
  w->s_qa = dm_block_alloc(b, n, sizeof(double));
  w->s_qq = dm_block_alloc(b, n * n, sizeof(double));
  w->s_qqa = dm_block_alloc(b, n * n, sizeof(double));
}

size_t dm_tendons_scratch(const dm_tendons *c) {
  dm_block b = {0};
  work w;
  dm_block_alloc(&b, 1, sizeof w);
  lay_out_work(&w, &b, c);
  return (b.used + 63) & ~(size_t)63; // round up to 64 bytes
}

void dm_tendons_place(const dm_tendons *c, void *scratch, const double *q) {
  dm_block b = {.base = scratch};
  work *w = dm_block_alloc(&b, 1, sizeof *w);
  lay_out_work(w, &b, c);
  if (c->nsegment > 0) dm_tree_frames(c->m, q, w->product.X);
}

// add h to (i,j) and, if `both`, to (j,i)
static void add_symmetric(double *H, int n, int i, int j, bool both, double h) {
  H[i * n + j] += h;
  if (both) H[j * n + i] += h;
}

// add the length of a segment and its derivatives
static dm_status add_segment(work *w, const segment *s, int order, const double *a,
                             dm_tendon_value *out) {
  dm_vector_products *x = &w->product;
  const double *ratio = x->m->ratio;
  const dm_moving_joint *by = s->p.by;
  const int nj = s->p.n, n = out->n;
  const double share = s->share;

  // l = sqrt(A.A); not differentiable at zero
  dm_vector_products_place(x, &s->p, order);
  double l = sqrt(dm_vector_product_value(x)), l_a = 0; // l_a: derivative along a
  out->s += share * l;
  if (nj == 0) return DM_OK;
  if (!(l > 0)) return DM_NOT_FINITE;

  // l_i = A.A_i / l
  for (int i = 0; i < nj; i++) {
    // (A.A)_i / 2 = A.A_i
    w->l_i[i] = 0.5 * dm_vector_product_by(x, i) / l;
    out->s_q[s->at[i]] += share * ratio[by[i].joint] * w->l_i[i];
  }

  // l_a and l_ia, derivatives along a
  if (order > 2) {
    dm_vector_products_place_directional(x, a);
    l_a = 0.5 * dm_vector_product_directional(x) / l;
    out->s_a += share * l_a;
    for (int i = 0; i < nj; i++) {
      // (l_i)_a = ((A.A)_ia / 2 - l_i l_a) / l
      w->l_ia[i] = (0.5 * dm_vector_product_by_directional(x, i) - w->l_i[i] * l_a) / l;
      out->s_qa[s->at[i]] += share * ratio[by[i].joint] * w->l_ia[i];
    }
  }

  // l_ij = ((A.A)_ij / 2 - l_i l_j) / l, and its derivative along a
  for (int i = 0; order > 1 && i < nj; i++)
    for (int j = 0; j <= i; j++) {
      double both = share * ratio[by[i].joint] * ratio[by[j].joint]; // chain rule to coordinates
      double l_ij = (0.5 * dm_vector_product_by_two(x, i, j) - w->l_i[i] * w->l_i[j]) / l;
      add_symmetric(out->s_qq, n, s->at[i], s->at[j], i != j, both * l_ij);
      if (order < 3) continue;
      double l_ija = (0.5 * dm_vector_product_by_two_directional(x, i, j) - w->l_ia[i] * w->l_i[j] -
                      w->l_i[i] * w->l_ia[j] - l_a * l_ij) /
                     l;
      add_symmetric(out->s_qqa, n, s->at[i], s->at[j], i != j, both * l_ija);
    }
  return DM_OK;
}

dm_status dm_tendons_eval(const dm_tendons *c, void *scratch, int i, int order, const double *q,
                          const double *a, dm_tendon_value *out) {
  const compiled_tendon *x = &c->tendon[i];
  work *w = scratch;
  size_t n = (size_t)x->n;
  *out = (dm_tendon_value){.n = x->n,
                           .coord = x->coord,
                           .s_q = w->s_q,
                           .s_qq = w->s_qq,
                           .s_qa = w->s_qa,
                           .s_qqa = w->s_qqa};

  // s and s_q of a combination; zeros for a path, whose factors are zero
  for (size_t k = 0; k < n; k++) {
    w->s_q[k] = x->factor[k];
    w->s_qa[k] = 0;
    out->s += x->factor[k] * (x->nsegment ? 0 : q[x->coord[k]]);
    if (order > 2 && !x->nsegment) out->s_a += x->factor[k] * a[x->coord[k]];
  }
  if (order > 1) memset(w->s_qq, 0, n * n * sizeof(double));
  if (order > 2) memset(w->s_qqa, 0, n * n * sizeof(double));

  for (int k = 0; k < x->nsegment; k++)
    DM_TRY(add_segment(w, &c->segment[x->first + k], order, a, out));
  return isfinite(out->s) ? DM_OK : DM_NOT_FINITE;
}
