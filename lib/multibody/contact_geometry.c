#include "lib/multibody/contact_geometry.h"

#include "lib/base/block.h"

#include <math.h>

struct dm_contacts {
  int n, nq;
  bool rough; // at least one contact has friction
  dm_constraints *row;
  double *sign, *shift, *scale, *restitution; // [n] g = sign h - shift
  double *friction;                           // [n]
  bool *angle;                                // [n] stop of a revolute joint
  int *tangent;                               // [n] first of its two tangent rows; -1: none
  dm_contact *list;                           // [n] the descriptions
  int *first, *column;                        // the coordinates of each gap, see dm_unilateral
  size_t columns;                             // their number
};

// the constraint row of a contact kind, and its sign
typedef struct contact_row {
  dm_constraint_kind row;
  int sign;
} contact_row;

#define LIST_ROW(NAME, ROW, sign, word, must, may) [DM_##NAME] = {DM_##ROW, sign},
static const contact_row contact_rows[] = {DM_CONTACT_KINDS(LIST_ROW)};
#undef LIST_ROW

static dm_status check_contact(const dm_contact *c, dm_message *msg) {
  const dm_constraint_kind kind = contact_rows[c->kind].row;

  // the gradient of a squared distance vanishes at zero
  bool distance = kind == DM_DISTANCE;
  if (!isfinite(c->length) || (distance && !(c->length > 0)))
    return dm_fail(msg, DM_BAD_INPUT, "contact '%s': length must be %s, got %g", c->name,
                   distance ? "> 0" : "finite", c->length);
  if (!(c->restitution >= 0 && c->restitution <= 1))
    return dm_fail(msg, DM_BAD_INPUT, "contact '%s': restitution must be within 0 and 1, got %g",
                   c->name, c->restitution);
  if (!(c->friction >= 0 && isfinite(c->friction)))
    return dm_fail(msg, DM_BAD_INPUT, "contact '%s': friction must be >= 0, got %g", c->name,
                   c->friction);

  // tangents exist only for a plane
  if (c->friction > 0 && (kind != DM_PLANE || c->length != 0))
    return dm_fail(msg, DM_BAD_INPUT,
                   "contact '%s': friction acts at a point above a plane, with length 0", c->name);
  return DM_OK;
}

// the constraint row whose value, with sign and shift, is the gap of the contact
static dm_constraint make_gap_row(const dm_contact *c) {
  dm_constraint r = {.name = c->name, .length = c->length, .coord = {-1, -1}};
  for (int i = 0; i < 2; i++) {
    r.body[i] = c->body[i];
    for (int k = 0; k < 3; k++) r.point[i][k] = c->point[i][k];
  }
  for (int k = 0; k < 3; k++) r.axis[k] = c->axis[k];
  r.kind = contact_rows[c->kind].row;

  // a stop is a linear relation with ratio 0: q_coord = length
  if (r.kind == DM_EQUAL) {
    r.shift = c->length;
    r.coord[0] = r.coord[1] = c->coord;
  }
  return r;
}

dm_contact_gap dm_contact_gap_row(const dm_contact *c, dm_constraint *row) {
  const contact_row *kind = &contact_rows[c->kind];
  *row = make_gap_row(c);
  // the sign turns h into a gap; d(l^2) = 2 l dl: impulses and rates refer to the gap as a length
  return (dm_contact_gap){.sign = kind->sign,
                          .shift = kind->row == DM_PLANE ? c->length : 0,
                          .scale = kind->row == DM_DISTANCE ? 2 * c->length : 1};
}

// planes through x1 that contain the axis
void dm_contact_tangent_rows(const dm_contact *c, dm_constraint *r) {
  const double *a = c->axis;

  // s: the component normal to a of a frame axis e_k at least 45 degrees away from a
  int k = fabs(a[0]) < fabs(a[1]) ? 0 : 1;
  const double e[3] = {k == 0, k == 1, k == 2};
  double s[3];
  for (int i = 0; i < 3; i++) s[i] = e[i] - a[k] * a[i];
  double size = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);

  // first tangent s / |s|, second tangent a x s / |s|
  r[0] = r[1] = make_gap_row(c);
  for (int i = 0; i < 3; i++) r[0].axis[i] = s[i] / size;
  for (int i = 0; i < 3; i++) {
    // a x s, by cyclic indices
    int j = (i + 1) % 3, l = (i + 2) % 3;
    r[1].axis[i] = a[j] * r[0].axis[l] - a[l] * r[0].axis[j];
  }
}

static void lay_out_contacts(void *self, dm_block *b) {
  dm_contacts *c = self;
  double **arrays[] = {&c->sign, &c->shift, &c->scale, &c->restitution, &c->friction};
  for (int i = 0; i < 5; i++) *arrays[i] = dm_block_alloc(b, (size_t)c->n, sizeof(double));
  c->tangent = dm_block_alloc(b, (size_t)c->n, sizeof *c->tangent);
  c->angle = dm_block_alloc(b, (size_t)c->n, sizeof *c->angle);
  c->list = dm_block_alloc(b, (size_t)c->n, sizeof *c->list);
  c->first = dm_block_alloc(b, (size_t)c->n + 1, sizeof *c->first);
  c->column = dm_block_alloc(b, c->columns, sizeof *c->column);
}

dm_status dm_contacts_new(dm_contacts **out, const dm_model *m, int n, const dm_contact *list,
                          dm_message *msg) {
  dm_contacts sizes = {.n = n, .nq = m->nq};

  // one row per contact, then two tangent rows per contact with friction
  dm_block rows = {0};
  for (int i = 0; i < n; i++) DM_TRY(check_contact(&list[i], msg));
  dm_block_alloc(&rows, 3 * (size_t)n, sizeof(dm_constraint));
  if (dm_block_new(&rows) != DM_OK) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  dm_constraint *row = dm_block_alloc(&rows, 3 * (size_t)n, sizeof *row);
  int all = n;
  for (int i = 0; i < n; i++) row[i] = make_gap_row(&list[i]);
  for (int i = 0; i < n; i++)
    if (list[i].friction > 0) {
      dm_contact_tangent_rows(&list[i], row + all);
      all += 2;
    }

  dm_constraints *compiled = NULL;
  dm_status status = dm_constraints_new(&compiled, m, all, row, msg);
  dm_block_free(row);
  if (status != DM_OK) return status;

  sizes.row = compiled;
  dm_block columns = {0};
  dm_block_alloc(&columns, (size_t)m->nj + 2, sizeof(int));
  if (dm_block_new(&columns) != DM_OK) {
    dm_constraints_free(compiled);
    return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  }
  int *column = dm_block_alloc(&columns, (size_t)m->nj + 2, sizeof *column);
  for (int i = 0; i < n; i++) sizes.columns += (size_t)dm_constraints_columns(compiled, i, column);
  dm_contacts *c = dm_block_make(&sizes, sizeof sizes, lay_out_contacts);
  if (!c) {
    dm_block_free(column);
    dm_constraints_free(compiled);
    return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  }

  // g = sign h - shift; h of a squared distance has the scale 2 length
  all = n;
  for (int i = 0; i < n; i++) {
    const dm_contact *x = &list[i];
    dm_constraint gap;
    const dm_contact_gap form = dm_contact_gap_row(x, &gap);
    const int count = dm_constraints_columns(compiled, i, column);
    memcpy(c->column + c->first[i], column, (size_t)count * sizeof *column);
    c->first[i + 1] = c->first[i] + count;
    c->list[i] = *x;
    c->list[i].name = NULL; // the caller owns the names
    c->sign[i] = form.sign;
    c->shift[i] = form.shift;
    c->scale[i] = form.scale;
    c->angle[i] = gap.kind == DM_EQUAL && m->kind[x->coord] != DM_SLIDE;
    c->restitution[i] = x->restitution;
    c->friction[i] = x->friction;
    c->tangent[i] = x->friction > 0 ? all : -1;
    if (x->friction > 0) {
      all += 2;
      c->rough = true;
    }
  }
  dm_block_free(column);
  *out = c;
  return DM_OK;
}

void dm_contacts_free(dm_contacts *c) {
  if (c) dm_constraints_free(c->row);
  dm_block_free(c);
}

int dm_contacts_list(const dm_contacts *c, const dm_contact **list) {
  *list = c->list;
  return c->n;
}

const dm_constraints *dm_contacts_rows(const dm_contacts *c) {
  return c->row;
}

int dm_contacts_sign(const dm_contacts *c, int i) {
  return c->sign[i] < 0 ? -1 : 1;
}

// -- the interface

static dm_status eval_gap_rows(const void *self, void *scratch, const double *q, int m,
                               const int *which, double *g, double *G) {
  const dm_contacts *c = self;
  DM_TRY(dm_constraints_rows(c->row, scratch, q, m, which, g, G));
  for (int k = 0; k < m; k++) {
    int i = which ? which[k] : k;
    g[k] = c->sign[i] * g[k] - c->shift[i];
    // the gradient of -h is -Dh
    for (int j = 0; G && c->sign[i] < 0 && j < c->nq; j++) G[k * c->nq + j] *= -1;
  }
  return DM_OK;
}

static dm_status eval_gap_entries(const void *self, void *scratch, const double *q, int m,
                                  const int *which, double *g, double *entry) {
  const dm_contacts *c = self;
  DM_TRY(dm_constraints_entries(c->row, scratch, q, m, which, c->first, c->column, g, entry));
  for (int k = 0; k < m; k++) {
    const int i = which ? which[k] : k, count = c->first[i + 1] - c->first[i];
    g[k] = c->sign[i] * g[k] - c->shift[i];
    for (int j = 0; c->sign[i] < 0 && j < count; j++) entry[j] *= -1;
    entry += count;
  }
  return DM_OK;
}

// the distance that points which only translate leave free; the gap of a square is a difference of
// squares
static double find_reach(const void *self, int i, double g) {
  const dm_contacts *c = self;
  const double l = c->list[i].length;
  if (!dm_constraints_translates(c->row, i)) return 0;
  if (contact_rows[c->list[i].kind].row != DM_DISTANCE) return g;
  return c->sign[i] > 0 ? sqrt(fmax(g + l * l, 0)) - l : l - sqrt(fmax(l * l - g, 0));
}

static dm_status eval_gaps(const void *self, void *scratch, const double *q, double *g) {
  const dm_contacts *c = self;
  return eval_gap_rows(c, scratch, q, c->n, NULL, g, NULL);
}

static dm_status eval_tangents(const void *self, void *scratch, const double *q, int m,
                               const int *which, double *tau, double *T) {
  const dm_contacts *c = self;
  for (int k = 0; k < m; k++) {
    // tau = positions along the two tangents, T = their gradients
    int i = c->tangent[which[k]], rows[2] = {i, i + 1};
    DM_TRY(dm_constraints_rows(c->row, scratch, q, 2, rows, tau + 2 * k,
                               T ? T + 2 * k * c->nq : NULL));
  }
  return DM_OK;
}

static dm_status contract_gaps(const void *self, void *scratch, const double *q, int m,
                               const int *which, const double *lambda, double *H) {
  const dm_contacts *c = self;
  for (int k = 0; k < m; k++) {
    // D2g = sign D2h
    double l = c->sign[which[k]] * lambda[k];
    dm_constraints_contract(c->row, scratch, q, 1, which + k, &l, H);
  }
  return DM_OK;
}

static const char *find_contact_name(const void *self, int i) {
  return dm_constraints_row_name(((const dm_contacts *)self)->row, i);
}

dm_unilateral dm_contacts_unilateral(const dm_contacts *c) {
  return (dm_unilateral){.ng = c->n,
                         .scale = c->scale,
                         .angle = c->angle,
                         .restitution = c->restitution,
                         .self = c,
                         .scratch = dm_constraints_holonomic(c->row).scratch,
                         .values = eval_gaps,
                         .rows = eval_gap_rows,
                         .contract = contract_gaps,
                         .first = c->first,
                         .column = c->column,
                         .entries = eval_gap_entries,
                         .reach = find_reach,
                         .name = find_contact_name,
                         .friction = c->rough ? c->friction : NULL,
                         .tangents = eval_tangents};
}
