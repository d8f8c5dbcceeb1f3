#include "lib/multibody/robot_contact_laws.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/multibody/contact_slides.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { ROWS = 3, FRAME = 3 }; // of a law, at most: a gap and two tangents; h of a shape: z, x, y
enum { PLACES = DM_ROLLING_PLACES };
static const double ROUNDING = 1e-12; // of derivatives by a coordinate, relative to the largest

static void lay_out_laws(void *self, dm_block *b) {
  dm_robot_contact_laws *w = self;
  w->law = dm_block_alloc(b, (size_t)w->n, sizeof *w->law);
  w->form = dm_block_alloc(b, (size_t)w->nr, sizeof *w->form);
  w->roll = dm_block_alloc(b, (size_t)w->nroll, sizeof *w->roll);
  w->slides = dm_block_alloc(b, (size_t)w->nr, sizeof *w->slides);
  w->turn = dm_block_alloc(b, (size_t)w->nr * (size_t)w->nq, sizeof(double));
  w->mask = dm_block_alloc(b, (size_t)w->nr * (size_t)w->nq, 1);
}

// -- shapes

// D of the shape of row i at its h [FRAME], z, x, y, with derivatives by these
typedef struct shape_point {
  double D, g[FRAME], H[FRAME * FRAME];
} shape_point;

static const int place_in_frame[FRAME] = {2, 0, 1};

static shape_point eval_shape(const dm_contact_law_row *f, const double *h) {
  shape_point p;
  double x[3], g[3], H[9];
  for (int a = 0; a < FRAME; a++) x[place_in_frame[a]] = h[a];
  p.D = dm_shape_distance(&f->shape, 2, x, g, H);
  for (int a = 0; a < FRAME; a++) p.g[a] = g[place_in_frame[a]];
  for (int a = 0; a < FRAME * FRAME; a++)
    p.H[a] = H[3 * place_in_frame[a / FRAME] + place_in_frame[a % FRAME]];
  return p;
}

// the derivative of the Hessian H along y [FRAME]
static void turn_shape(const dm_contact_law_row *f, const double *h, const double *y, double *H_y) {
  double x[3], along[3], T[9];
  for (int a = 0; a < FRAME; a++) x[place_in_frame[a]] = h[a];
  for (int a = 0; a < FRAME; a++) along[place_in_frame[a]] = y[a];
  dm_shape_hessian_along(&f->shape, x, along, T);
  for (int a = 0; a < FRAME * FRAME; a++)
    H_y[a] = T[3 * place_in_frame[a / FRAME] + place_in_frame[a % FRAME]];
}

// add t sum_ab C_ab A_a' B_b of rows A, B [FRAME x n] to H [n x n]
static void add_outer(int n, double t, const double *C, const double *A, const double *B,
                      double *H) {
  for (int e = 0; e < FRAME * FRAME; e++)
    for (int j = 0; j < n && C[e] != 0; j++)
      dm_add_to(n, t * C[e] * A[e / FRAME * n + j], B + e % FRAME * n, H + j * n);
}

// -- the interface: rows with their sizes, turns and shifts

static dm_status eval_rows(const void *self, void *scratch, const double *q, double *r,
                           double *Dr) {
  const dm_robot_contact_laws *w = self;
  dm_block b = {.base = scratch};
  const dm_contact_law_rows x = dm_contact_law_rows_open(w, &b);
  const int n = w->nq;
  DM_TRY(w->h.eval(w->h.self, x.inner, q, x.h, Dr ? x.Dh : NULL));
  for (int i = 0; i < w->nr; i++) {
    const dm_contact_law_row *f = &w->form[i];
    if (f->roll >= 0) {
      r[i] = 0;
      if (Dr) dm_contact_roll_row(w, &x, i, Dr + i * n);
      continue;
    }
    const shape_point p =
        f->outside ? eval_shape(f, x.h + f->at) : (shape_point){x.h[f->at], {1}, {0}};
    r[i] = f->size * p.D + dm_inner(n, w->turn + i * n, q) - f->shift;
    if (!Dr) continue;
    memcpy(Dr + i * n, w->turn + i * n, (size_t)n * sizeof *Dr);
    for (int a = 0; a < (f->outside ? FRAME : 1); a++)
      dm_add_to(n, f->size * p.g[a], x.Dh + (f->at + a) * n, Dr + i * n);
  }
  return DM_OK;
}

// multipliers of the rows h, whose values and Jacobian are in x
static void scale_multipliers(const dm_robot_contact_laws *w, const dm_contact_law_rows *x,
                              const double *lambda) {
  memset(x->lambda, 0, (size_t)w->h.nc * sizeof(double));
  for (int i = 0; i < w->nr; i++) {
    const dm_contact_law_row *f = &w->form[i];
    if (f->roll >= 0) continue;
    if (!f->outside) {
      x->lambda[f->at] = f->size * lambda[i];
      continue;
    }
    const shape_point p = eval_shape(f, x->h + f->at);
    for (int a = 0; a < FRAME; a++) x->lambda[f->at + a] = f->size * lambda[i] * p.g[a];
  }
  dm_contact_roll_scale(w, x, lambda);
}

static dm_status contract_rows(const void *self, void *scratch, const double *q,
                               const double *lambda, double *H) {
  const dm_robot_contact_laws *w = self;
  dm_block b = {.base = scratch};
  const dm_contact_law_rows x = dm_contact_law_rows_open(w, &b);
  const int n = w->nq;
  if (w->shapes || w->nroll) DM_TRY(w->h.eval(w->h.self, x.inner, q, x.h, x.Dh));
  scale_multipliers(w, &x, lambda);
  DM_TRY(w->h.contract(w->h.self, x.inner, q, x.lambda, H));
  dm_contact_roll_contract(w, &x, lambda, H);
  for (int i = 0; w->shapes && i < w->nr; i++) {
    // Dh'D_xx Dh
    const dm_contact_law_row *f = &w->form[i];
    if (!f->outside) continue;
    const shape_point p = eval_shape(f, x.h + f->at);
    const double *Dh = x.Dh + f->at * n;
    add_outer(n, f->size * lambda[i], p.H, Dh, Dh, H);
  }
  return DM_OK;
}

// The parts of a shape's derivatives along a that those of its rows h do not have: with y = Dh a and
// J = D2h a, Dh'D_xx y in J, and in T those of D_x.D2h + Dh'D_xx Dh.
static void add_shape_directional(const dm_robot_contact_laws *w, const dm_contact_law_rows *x,
                                  int i, const double *a, const double *lambda, double *J,
                                  double *T) {
  const dm_contact_law_row *f = &w->form[i];
  const int n = w->nq;
  const double *h = x->h + f->at, *Dh = x->Dh + f->at * n, *Jh = x->J + f->at * n;
  const shape_point p = eval_shape(f, h);
  double y[FRAME], Hy[FRAME] = {0}, H_y[FRAME * FRAME];
  for (int c = 0; c < FRAME; c++) y[c] = dm_inner(n, Dh + c * n, a);
  for (int e = 0; e < FRAME * FRAME; e++) Hy[e / FRAME] += p.H[e] * y[e % FRAME];
  for (int c = 0; c < FRAME; c++) dm_add_to(n, f->size * Hy[c], Dh + c * n, J + i * n);
  if (!T) return;

  // sum_c (D_xx y)_c D2h_c follows by x->bent
  const double t = f->size * lambda[i];
  for (int c = 0; c < FRAME; c++) x->bent[f->at + c] = t * Hy[c];
  turn_shape(f, h, y, H_y);
  add_outer(n, t, H_y, Dh, Dh, T);
  add_outer(n, t, p.H, Jh, Dh, T);
  add_outer(n, t, p.H, Dh, Jh, T);
}

static dm_status eval_rows_directional(const void *self, void *scratch, const double *q,
                                       const double *a, const double *lambda, double *J,
                                       double *T) {
  const dm_robot_contact_laws *w = self;
  dm_block b = {.base = scratch};
  const dm_contact_law_rows x = dm_contact_law_rows_open(w, &b);
  const int n = w->nq;
  if (w->shapes || w->nroll) DM_TRY(w->h.eval(w->h.self, x.inner, q, x.h, x.Dh));
  if (T) scale_multipliers(w, &x, lambda);
  DM_TRY(w->h.directional(w->h.self, x.inner, q, a, T ? x.lambda : NULL, x.J, T));
  for (int i = 0; i < w->nr; i++) {
    const dm_contact_law_row *f = &w->form[i];
    double g[FRAME] = {1};
    if (f->roll >= 0) {
      dm_contact_roll_turn_row(w, &x, i, a, J + i * n);
      continue;
    }
    if (f->outside) memcpy(g, eval_shape(f, x.h + f->at).g, sizeof g);
    memset(J + i * n, 0, (size_t)n * sizeof *J);
    for (int c = 0; c < (f->outside ? FRAME : 1); c++)
      dm_add_to(n, f->size * g[c], x.J + (f->at + c) * n, J + i * n);
  }
  if (!w->shapes && !w->nroll) return DM_OK;
  memset(x.bent, 0, (size_t)w->h.nc * sizeof(double));
  for (int i = 0; i < w->nr; i++)
    if (w->form[i].outside) add_shape_directional(w, &x, i, a, lambda, J, T);
  if (T) dm_contact_roll_turn(w, &x, a, lambda, T);
  return T ? w->h.contract(w->h.self, x.inner, q, x.bent, T) : DM_OK;
}

static const char *find_row_name(const void *self, int i) {
  const dm_robot_contact_laws *w = self;
  return w->h.row_name(w->h.self, w->form[i].at);
}

// -- making them

// the rows in the making
typedef struct draft {
  int n, nr, nh, nroll;
  bool shapes;
  dm_contact_rolling *roll; // [nroll]
  dm_contact_law *law;
  dm_constraint *row;       // [nh]
  dm_contact_law_row *form; // [nr]
} draft;

static void add_row(draft *d, const dm_constraint *row, double size, double shift) {
  d->form[d->nr++] = (dm_contact_law_row){.at = d->nh, .size = size, .shift = shift, .roll = -1};
  d->row[d->nh++] = *row;
}

// the sign with which the largest component of a tangent is positive
static double point_forward(const double axis[3]) {
  int largest = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(axis[i]) > fabs(axis[largest]) + 1e-9) largest = i;
  return axis[largest] < 0 ? -1 : 1;
}

// the tangents of a contact that rolls in space or touches a shape, with the rows of its places
static void add_rolling(draft *d, const dm_contact *x, const dm_constraint *normal,
                        const dm_constraint tangent[2]) {
  const dm_constraint *const axis[] = {&tangent[0], &tangent[1], normal};
  dm_contact_rolling *f = &d->roll[d->nroll];
  *f = (dm_contact_rolling){
      .of = {.flat = x->kind != DM_OUTSIDE,
             .sign = {point_forward(tangent[0].axis), point_forward(tangent[1].axis)},
             .shape = x->shape,
             .radius = x->length},
      .at = d->nh,
      .law = d->n - 1,
      .places = x->length > 0 ? PLACES : FRAME};
  for (int k = 0; k < f->places; k++) {
    d->row[d->nh] = *axis[k % FRAME];
    if (k >= FRAME) d->row[d->nh].point[0][k / FRAME - 1] += 1;
    d->nh++;
  }
  for (int t = 0; t < 2; t++)
    d->form[d->nr++] =
        (dm_contact_law_row){.at = f->at + t, .size = 1, .roll = d->nroll, .tangent = t};
  d->nroll++;
}

// The law of contact i with its first row `at`, before tangents are left out.
static dm_contact_law find_contact_law(const dm_robot *r, int i, int at) {
  const dm_contact *list;
  (void)dm_contacts_list(r->contacts, &list);
  const dm_unilateral u = dm_contacts_unilateral(r->contacts);
  return (dm_contact_law){.name = dm_part_rows[DM_PART_CONTACT].name(r, i),
                          .gap = at,
                          .angle = u.angle && u.angle[i],
                          .tangents = list[i].friction > 0 ? 2 : 0,
                          .tangent = {at + 1, at + 2},
                          .friction = list[i].friction};
}

static void add_contact(draft *d, const dm_robot *r, int i) {
  const dm_contact *list;
  (void)dm_contacts_list(r->contacts, &list);
  dm_constraint gap, tangent[2];
  dm_contact x = list[i];
  d->law[d->n] = find_contact_law(r, i, d->nr);
  x.name = d->law[d->n++].name;
  const dm_contact_gap form = dm_contact_gap_row(&x, &gap);
  if (x.kind == DM_OUTSIDE) {
    // the gap of a shape, with its rows x and y after the row z
    add_row(d, &gap, 1, form.shift);
    d->form[d->nr - 1].outside = d->shapes = true;
    d->form[d->nr - 1].shape = x.shape;
    dm_contact_tangent_rows(&x, d->row + d->nh);
    d->nh += FRAME - 1;
  } else
    add_row(d, &gap, form.sign / form.scale, form.shift / form.scale);
  if (!(x.friction > 0)) return;
  dm_contact_tangent_rows(&x, tangent);
  if (!dm_contacts_turn(r->contacts, i))
    add_rolling(d, &x, &gap, tangent);
  else
    for (int t = 0; t < 2; t++) add_row(d, &tangent[t], point_forward(tangent[t].axis), 0);
}

// The law of joint friction i with its row `at`; without tangents if plans do not know it.
static dm_contact_law find_friction_law(const dm_robot *r, int i, int at) {
  const dm_joint_force *x = dm_joint_forces_get(r->joint[DM_JOINT_FRICTION], i);
  dm_contact_law law = dm_joint_force_law(x);
  law.angle = r->tree->kind[x->coord] != DM_SLIDE;
  law.tangents = x->planned && law.force + law.excess > 0 ? 1 : 0;
  law.tangent[0] = at;
  return law;
}

static int count_contacts(const dm_robot *r) {
  const dm_contact *list;
  return r->contacts ? dm_contacts_list(r->contacts, &list) : 0;
}

void dm_robot_contact_tangents(const dm_contact *c, double axis[2][3]) {
  dm_constraint row[2];
  dm_contact_tangent_rows(c, row);
  for (int t = 0; t < 2; t++)
    for (int i = 0; i < 3; i++) axis[t][i] = point_forward(row[t].axis) * row[t].axis[i];
}

int dm_robot_contact_laws_list(const dm_robot *r, dm_contact_law *out) {
  const int contacts = count_contacts(r);
  const int all = contacts + dm_joint_forces_count(r->joint[DM_JOINT_FRICTION]);
  int n = 0;
  for (int i = 0, at = 0; i < all; i++) {
    const bool touches = i < contacts;
    const dm_contact_law law =
        touches ? find_contact_law(r, i, at) : find_friction_law(r, i - contacts, at);
    at += touches + law.tangents;
    if (!touches && !law.tangents) continue;
    if (out) out[n] = law;
    n++;
  }
  return n;
}

// the derivative of row i by coordinate j; of a shape the largest of its rows h, as D may not depend on
// one of them at a point; with `places` also of a row that rolls that of its places
static double find_slope(const dm_robot_contact_laws *w, const dm_contact_law_rows *x,
                         const double *Dr, int i, int j, bool places) {
  const dm_contact_law_row *f = &w->form[i];
  double slope = fabs(Dr[i * w->nq + j]);
  const dm_contact_rolling *roll = f->roll >= 0 ? &w->roll[f->roll] : NULL;
  for (int k = 0; roll && places && k < roll->places; k++)
    slope = fmax(slope, fabs(x->Dh[(roll->at + k) * w->nq + j]));
  for (int a = 0; f->outside && isfinite(slope) && a < FRAME; a++)
    slope = fmax(slope, fabs(x->Dh[(f->at + a) * w->nq + j]));
  return slope;
}

// which coordinates move each row: those with a nonzero derivative at some scattered points
static dm_status find_mask(dm_robot_contact_laws *w) {
  enum { POINTS = 4 };
  dm_block b = {0};
  const size_t nr = (size_t)w->nr, n = (size_t)w->nq;
  dm_block_alloc(&b, n + nr + nr * n, sizeof(double));
  dm_block_alloc(&b, w->laws.rows.scratch, 64);
  DM_TRY(dm_block_new(&b));
  double *q = dm_block_alloc(&b, n + nr + nr * n, sizeof *q), *r = q + n, *Dr = r + nr;
  void *scratch = dm_block_alloc(&b, w->laws.rows.scratch, 64);
  uint64_t seed = 88172645463325252u;
  for (int p = 0; p < POINTS; p++) {
    // a point in [0.1, 1.1)^n, by xorshift; a row without a value there counts as moved by all
    for (size_t i = 0; i < n; i++) {
      seed ^= seed << 13;
      seed ^= seed >> 7;
      seed ^= seed << 17;
      q[i] = (double)(seed >> 11) / 9007199254740992.0 + 0.1;
    }
    for (size_t i = 0; i < nr * n; i++) Dr[i] = NAN;
    (void)w->laws.rows.eval(w, scratch, q, r, Dr);
    dm_block of = {.base = scratch};
    const dm_contact_law_rows x = dm_contact_law_rows_open(w, &of);
    for (int j = 0; j < w->nq; j++) {
      double largest = 0;
      for (int i = 0; i < w->nr; i++) largest = fmax(largest, find_slope(w, &x, Dr, i, j, false));
      for (int i = 0; i < w->nr; i++)
        for (int places = 0; places < 2; places++)
          if (!(find_slope(w, &x, Dr, i, j, places) <= ROUNDING * largest))
            w->mask[i * w->nq + j] |= (unsigned char)(1 << places);
    }
  }
  dm_block_free(q);

  // a row that no coordinate moves by itself, as the second tangent in a plane, does not count
  for (int i = 0; i < w->nr; i++) {
    unsigned char moves = 0;
    for (int j = 0; j < w->nq; j++) moves |= w->mask[i * w->nq + j] & 1;
    for (int j = 0; j < w->nq; j++) w->mask[i * w->nq + j] = moves && w->mask[i * w->nq + j];
  }
  return DM_OK;
}

// the turns of spheres with friction
static void set_turns(dm_robot_contact_laws *w, const dm_contacts *c) {
  const int n = w->nq;
  for (int i = 0; i < w->n && w->law[i].gap >= 0; i++) {
    const dm_contact_law *l = &w->law[i];
    const double *turn = dm_contacts_turn(c, i);
    for (int t = 0; turn && t < l->tangents; t++)
      dm_add_to(n, w->form[l->tangent[t]].size, turn + t * n, w->turn + l->tangent[t] * n);
  }
}

// leave out tangents that no coordinate moves
static void drop_still_tangents(dm_robot_contact_laws *w) {
  for (dm_contact_law *l = w->law; l < w->law + w->n; l++) {
    int kept = 0;
    for (int t = 0; t < l->tangents; t++) {
      bool moves = false;
      for (int j = 0; j < w->nq; j++) moves |= w->mask[l->tangent[t] * w->nq + j] != 0;
      if (moves) l->tangent[kept++] = l->tangent[t];
    }
    l->tangents = kept;
  }
}

static double find_mass(const dm_model *m) {
  double mass = 0;
  for (int j = 0; j < m->nj; j++) mass += m->body[j].m;
  return mass;
}

// the rows in external coordinates
static dm_status embed_rows(dm_robot_contact_laws *w, const dm_robot *r) {
  w->h = dm_constraints_holonomic(w->row);
  if (!r->tree->nball) return DM_OK;
  dm_system inside = dm_robot_inside(r);
  inside.hol = w->h;
  DM_TRY(dm_quaternion_system_new(&w->embed, r->tree, r->model, &inside));
  w->h = dm_quaternion_system_of(w->embed).hol;
  return DM_OK;
}

static dm_status make_laws(dm_robot_contact_laws **out, const dm_robot *r, const draft *d,
                           dm_message *msg) {
  dm_robot_contact_laws sizes = {
      .n = d->n, .nr = d->nr, .nq = r->model->nq, .shapes = d->shapes, .nroll = d->nroll};
  DM_TRY(dm_constraints_new(&sizes.row, r->tree, d->nh, d->row, msg));
  dm_robot_contact_laws *w = dm_block_make(&sizes, sizeof sizes, lay_out_laws);
  if (!w) {
    dm_constraints_free(sizes.row);
    return DM_NO_MEMORY;
  }
  *out = w;
  DM_TRY(embed_rows(w, r));
  memcpy(w->law, d->law, (size_t)d->n * sizeof *d->law);
  memcpy(w->form, d->form, (size_t)d->nr * sizeof *d->form);
  memcpy(w->roll, d->roll, (size_t)d->nroll * sizeof *d->roll);

  // the first pass over the layout counts bytes
  dm_block b = {0};
  dm_contact_law_rows_open(w, &b);
  w->laws = (dm_contact_laws){.n = d->n,
                              .law = w->law,
                              .mass = find_mass(r->tree),
                              .gravity = sqrt(dm_dot(r->tree->gravity, r->tree->gravity)),
                              .rows = {.nc = d->nr,
                                       .self = w,
                                       .scratch = (b.used + 63) & ~(size_t)63,
                                       .eval = eval_rows,
                                       .contract = contract_rows,
                                       .directional = eval_rows_directional,
                                       .mask = w->mask,
                                       .row_name = find_row_name}};
  for (int i = 0; i < d->nr; i++) w->slides[i] = d->form[i].roll >= 0;
  if (d->nroll) {
    w->laws.slides = w->slides;
    w->laws.slide = dm_contact_roll_slide;
    w->laws.slide_contract = dm_contact_roll_slide_contract;
  }
  set_turns(w, r->contacts);
  return DM_OK;
}

dm_status dm_robot_contact_laws_new(dm_robot_contact_laws **out, const dm_robot *r,
                                    dm_message *msg) {
  const size_t most = (size_t)dm_robot_contact_laws_list(r, NULL);
  *out = NULL;
  if (!most) return DM_OK;

  // 1  the laws and their rows
  draft d = {0};
  dm_block b = {0};
  for (int pass = 0; pass < 2; pass++) {
    d.law = dm_block_alloc(&b, most, sizeof *d.law);
    d.row = dm_block_alloc(&b, (ROWS + FRAME - 1 + PLACES) * most, sizeof *d.row);
    d.roll = dm_block_alloc(&b, most, sizeof *d.roll);
    d.form = dm_block_alloc(&b, ROWS * most, sizeof *d.form);
    if (pass == 0 && dm_block_new(&b) != DM_OK) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  }

  // the laws of contacts, then of joints with friction
  const int contacts = count_contacts(r);
  const int frictions = dm_joint_forces_count(r->joint[DM_JOINT_FRICTION]);
  for (int i = 0; i < contacts; i++) add_contact(&d, r, i);
  for (int i = 0; i < frictions; i++) {
    const dm_contact_law law = find_friction_law(r, i, d.nr);
    const int coord = dm_joint_forces_get(r->joint[DM_JOINT_FRICTION], i)->coord;
    const dm_constraint row = {
        .name = law.name, .kind = DM_EQUAL, .body = {-1, -1}, .coord = {coord, coord}};
    if (law.tangents) {
      d.law[d.n++] = law;
      add_row(&d, &row, 1, 0);
    }
  }

  // 2  compiled, with the coordinates that move them
  dm_status s = d.n ? make_laws(out, r, &d, msg) : DM_OK;
  dm_block_free(d.law);
  if (s == DM_OK && *out) s = find_mask(*out);
  if (s == DM_OK && *out) drop_still_tangents(*out);
  if (s == DM_OK) return DM_OK;
  dm_robot_contact_laws_free(*out);
  *out = NULL;
  return s == DM_NO_MEMORY ? dm_fail(msg, s, "out of memory") : s;
}

void dm_robot_contact_laws_free(dm_robot_contact_laws *w) {
  if (w) dm_quaternion_system_free(w->embed);
  if (w) dm_constraints_free(w->row);
  dm_block_free(w);
}

const dm_contact_laws *dm_robot_contact_laws_get(const dm_robot_contact_laws *w) {
  return w ? &w->laws : NULL;
}

void dm_robot_contact_laws_prescribe(dm_robot_contact_laws *w, const unsigned char *schedule,
                                     int knots) {
  w->laws.schedule = schedule;
  w->laws.knots = knots;
}
