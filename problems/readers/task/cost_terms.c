#include "problems/readers/task/cost_terms.h"

// y of x = (q, v, u) with its derivatives, y_xx row-major; those that are not set are 0
typedef void cost_function(const double x[3], double *y, double y_x[3], double y_xx[9]);

enum { Q, V, U, X };

// u v
static void eval_power(const double x[3], double *y, double y_x[3], double y_xx[9]) {
  *y = x[U] * x[V];
  y_x[V] = x[U];
  y_x[U] = x[V];
  y_xx[V * X + U] = y_xx[U * X + V] = 1;
}

// -- the table

typedef enum cost_of { COORD, INPUT } cost_of;

#define ROW(key, of, activation, ...)                                                              \
  {#key, of, activation, offsetof(pb_cost_weights, key), eval_##key},
static const struct cost_row {
  const char *key;
  cost_of of;
  oc_activation_kind activation;
  size_t at; // of its weights in pb_cost_weights
  cost_function *eval;
} rows[] = {PB_COST_TERMS(ROW)};
#undef ROW

enum { ROWS = sizeof rows / sizeof *rows };

// a row's function of all arguments (q, v, u) of a step
typedef struct cost_entry {
  cost_function *eval;
  int at[X]; // indices of its q, v, u among nx arguments; u of a coordinate: none, -1
  int nx;
  double gear; // of its input: x[U] = gear u
  const char *name;
} cost_entry;

static void take_arguments(const cost_entry *e, const double *all, double x[X]) {
  for (int i = 0; i < X; i++) x[i] = e->at[i] < 0 ? 0 : all[e->at[i]];
  x[U] *= e->gear;
}

static double find_factor(const cost_entry *e, int i) {
  return i == U ? e->gear : 1;
}

static dm_status eval_entry(const void *self, void *scratch, const double *all, double *y,
                            double *y_x) {
  const cost_entry *e = self;
  double x[X], slope[X] = {0}, bend[X * X] = {0};
  (void)scratch;
  take_arguments(e, all, x);
  e->eval(x, y, slope, bend);
  for (int i = 0; y_x && i < e->nx; i++) y_x[i] = 0;
  for (int i = 0; y_x && i < X; i++)
    if (e->at[i] >= 0) y_x[e->at[i]] = find_factor(e, i) * slope[i];
  return DM_OK;
}

static dm_status contract_entry(const void *self, void *scratch, const double *all,
                                const double *lambda, double *H) {
  const cost_entry *e = self;
  double x[X], y, slope[X] = {0}, bend[X * X] = {0};
  (void)scratch;
  take_arguments(e, all, x);
  e->eval(x, &y, slope, bend);
  for (int i = 0; i < X; i++)
    for (int j = 0; j < X; j++)
      if (e->at[i] >= 0 && e->at[j] >= 0)
        H[e->at[i] * e->nx + e->at[j]] +=
            *lambda * find_factor(e, i) * find_factor(e, j) * bend[i * X + j];
  return DM_OK;
}

static bool moves_entry(const void *self, int row, int a) {
  const cost_entry *e = self;
  (void)row;
  return a == e->at[Q] || a == e->at[V] || a == e->at[U];
}

static bool couples_entry(const void *self, int row, int a, int b) {
  return moves_entry(self, row, a) && moves_entry(self, row, b);
}

static const char *name_entry(const void *self, int row) {
  (void)row;
  return ((const cost_entry *)self)->name;
}

// the coordinate that an input acts on
static dm_status find_coordinate(const pb_reader *r, const pb_node *cost, const char *key,
                                 const dm_model *m, int input, int *coord) {
  *coord = input < m->nu ? m->input_coord[input] : -1;
  if (*coord >= 0 && m->kind[*coord] != DM_QUATERNION) return DM_OK;
  return pb_refuse_node(r, pb_node_get(cost, key),
                        "cost.%s: found '%.64s', expected forces of joints with one coordinate",
                        key, r->input[input]);
}

dm_status pb_cost_terms_read(const pb_reader *r, const pb_node *cost, const dm_model *m,
                             const pb_cost_weights *weights, oc_task *task) {
  const int n = r->n, nf = r->nf;
  oc_term *list;
  cost_entry *entry;
  PB_NEW(r->arena, list, ROWS * (n + r->nu));
  PB_NEW(r->arena, entry, ROWS * (n + r->nu));

  // a term for each weight
  for (const struct cost_row *row = rows; row < rows + ROWS; row++) {
    const double *w = *(const double *const *)(const void *)((const char *)weights + row->at);
    for (int i = 0; w && i < (row->of == INPUT ? r->nu : n); i++) {
      int c = i;
      if (!(w[i] > 0)) continue;
      if (row->of == INPUT) DM_TRY(find_coordinate(r, cost, row->key, m, i, &c));
      cost_entry *e = &entry[task->functions.nterms];
      *e = (cost_entry){.eval = row->eval,
                        .at = {c, n + c, row->of == INPUT ? 2 * n + i : -1},
                        .nx = 2 * n + nf,
                        .gear = row->of == INPUT ? m->input_gear[i] : 1,
                        .name = row->key};
      list[task->functions.nterms++] = (oc_term){
          .y = {.ny = 1,
                .size = {[DM_Q] = n, [DM_V] = n, [DM_U] = nf},
                .self = e,
                .eval = eval_entry,
                .contract = contract_entry,
                .moves = moves_entry,
                .couples = couples_entry,
                .row_name = name_entry},
          .cost = {.at = {0, 1}, .activation = {.kind = row->activation}, .weight = w[i]}};
    }
  }
  task->functions.terms = list;
  return DM_OK;
}
