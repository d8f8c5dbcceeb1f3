#include "problems/readers/task/read_identify.h"

#include "lib/base/names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct noise_section {
  const double *q, *u;
} noise_section;

typedef struct identify_section {
  const pb_node *parameters, *columns, *time;
  double step, prior, delay, horizon;
  int iterations;
  noise_section noise;
  const char *unit, *time_unit, *inputs;
  const double *torque_constant, *friction_speed;
} identify_section;

static const pb_key noise_keys[] = {
    PB_KEY(noise_section, q, .type = PB_EACH_COORD, .unit = "m or rad", .range = "> 0",
           .absent = "1e-3", .rest = "1e-3", .about = "Standard deviation of a measured position"),
    PB_KEY(noise_section, u, .type = PB_EACH_COORD, .unit = "N or N m", .range = "> 0",
           .absent = "0.05", .rest = "0.05",
           .about = "Standard deviation of the forces on each joint that the model lacks"),
    {0}};

const pb_key pb_identify_keys[] = {
    PB_KEY(identify_section, parameters, .type = PB_NODE, .words = "list of paths, or all",
           .note = "all", .about = "Parameters to fit; `[]` evaluates the robot as it is"),
    PB_KEY(identify_section, step, .type = PB_NUMBER, .unit = "s", .range = "> 0", .absent = "0.01",
           .also = "dt h timestep", .about = "Step of the map between knots"),
    PB_KEY(identify_section, noise, .type = PB_SECTION, .sub = noise_keys,
           .about = "Weights of the measurements"),
    PB_KEY(identify_section, prior, .type = PB_NUMBER, .range = "> 0", .absent = "1",
           .words = "none",
           .about = "Relative standard deviation of the robot's masses and inertias; `none`: only "
                    "the logs count"),
    PB_KEY(identify_section, columns, .type = PB_NODE, .words = "column by quantity",
           .note = "q.NAME and u.NAME",
           .about =
               "Columns of the log: `{q.elbow: joint2_pos}`; `u.NAME: none` for an input that is "
               "always 0"),
    PB_KEY(identify_section, time, .type = PB_NODE, .words = "column, or column by quantity",
           .note = "t", .about = "Columns of times"),
    PB_KEY(identify_section, time_unit, .type = PB_WORD, .words = "s ms us ns", .absent = "s",
           .about = "Unit of the log's times"),
    PB_KEY(identify_section, unit, .type = PB_WORD, .words = "radians degrees", .absent = "radians",
           .about = "Unit of the log's angles"),
    PB_KEY(identify_section, torque_constant, .type = PB_EACH_INPUT, .unit = "N/A or N m/A",
           .note = "1", .absent = "1", .rest = "1",
           .about = "Factor from the log's inputs, such as motor currents, to forces at the joint"),
    PB_KEY(identify_section, inputs, .type = PB_WORD, .words = "held linear", .absent = "held",
           .about = "Inputs between samples: constant until the next, or straight lines"),
    PB_KEY(identify_section, delay, .type = PB_NUMBER, .unit = "s", .absent = "0",
           .about = "Known time from the record of an input to its effect"),
    PB_KEY(identify_section, friction_speed, .type = PB_EACH_COORD, .unit = "m/s or rad/s",
           .range = "> 0", .rest = "0.01", .note = "0.1 % of the fastest speed",
           .about = "Speed over which dry friction builds up in the fit"),
    PB_KEY(identify_section, horizon, .type = PB_NUMBER, .unit = "s", .range = "> 0",
           .absent = "0.5", .about = "Length of the free runs that test predictions"),
    PB_KEY(identify_section, iterations, .type = PB_INTEGER, .range = "[1, 1e6]", .absent = "100",
           .about = "Largest number of iterations"),
    {0}};

// "q.NAME" or "u.NAME" in the arena
static const char *name_quantity(const pb_reader *r, char group, const char *name) {
  const size_t size = strlen(name) + 3;
  char *text = pb_arena_alloc(r->arena, size, 1);
  if (text) snprintf(text, size, "%c.%s", group, name);
  return text;
}

// the quantity of each entry of a mapping
static dm_status find_quantity(const pb_reader *r, const char *path, const pb_node *entry,
                               const pb_identify *out, int *at) {
  char meant[96];
  const char **known;
  PB_NEW(r->arena, known, out->ncolumns);
  for (int i = 0; i < out->ncolumns; i++) known[i] = out->column[i].name;
  *at = dm_names_find(known, out->ncolumns, entry->key);
  if (*at < 0)
    return pb_refuse_key(
        r, entry, "%s: found '%.64s', expected q.NAME of a joint or u.NAME of an input%s", path,
        entry->key, pb_did_you_mean(known, out->ncolumns, entry->key, meant));
  if (entry->kind == PB_SCALAR && entry->text[0]) return DM_OK;
  return pb_refuse_node(r, entry, "%s.%.64s: expected the name of a column", path, entry->key);
}

static dm_status read_columns(const pb_reader *r, const pb_node *node, pb_identify *out) {
  const char *path = "identify.columns";
  int at;
  if (!node) return DM_OK;
  if (node->kind != PB_MAPPING)
    return pb_refuse_node(r, node, "%s: expected a mapping such as {q.NAME: COLUMN}", path);
  for (const pb_node *e = node->first; e; e = e->next) {
    DM_TRY(find_quantity(r, path, e, out, &at));
    const bool none = !strcmp(e->text, "none") && !e->quoted && at >= r->n;
    out->column[at].value = none ? NULL : e->text;
  }
  return DM_OK;
}

static dm_status read_times(const pb_reader *r, const pb_node *node, pb_identify *out) {
  const char *path = "identify.time";
  int at;
  if (!node) return DM_OK;
  if (node->kind == PB_SEQUENCE || (node->kind == PB_SCALAR && !node->text[0]))
    return pb_refuse_node(r, node, "%s: expected a column, or a mapping such as {q.NAME: COLUMN}",
                          path);
  for (int i = 0; node->kind == PB_SCALAR && i < out->ncolumns; i++)
    out->column[i].time = node->text;
  for (const pb_node *e = node->kind == PB_MAPPING ? node->first : NULL; e; e = e->next) {
    DM_TRY(find_quantity(r, path, e, out, &at));
    out->column[at].time = e->text;
  }
  return DM_OK;
}

static dm_status read_parameters(const pb_reader *r, const pb_node *node, pb_identify *out) {
  static const char *const all[] = {"all"};
  char what[64];
  if (!node || (node->kind == PB_SCALAR && !strcmp(node->text, "all"))) {
    PB_NEW(r->arena, out->parameter, 1);
    out->parameter[out->nparameters++] = all[0];
    return DM_OK;
  }
  if (node->kind != PB_SEQUENCE)
    return pb_refuse_node(r, node,
                          "identify.parameters: found %s, expected all, or a list of paths such as "
                          "links.NAME.mass, damping, friction, armature.NAME",
                          pb_node_describe(node, what));
  PB_NEW(r->arena, out->parameter, node->n);
  for (const pb_node *e = node->first; e; e = e->next) {
    if (e->kind != PB_SCALAR || !e->text[0])
      return pb_refuse_node(r, e, "identify.parameters: found %s, expected a path",
                            pb_node_describe(e, what));
    out->parameter[out->nparameters++] = e->text;
  }
  return DM_OK;
}

static dm_status name_columns(const pb_reader *r, const dm_model *model, const identify_section *s,
                              pb_identify *out) {
  const double turn = strcmp(s->unit, "degrees") ? 1 : acos(-1) / 180;
  out->ncolumns = model->nq + model->nu;
  PB_NEW(r->arena, out->column, out->ncolumns);
  for (int i = 0; i < out->ncolumns; i++) {
    const bool input = i >= model->nq;
    const int k = input ? i - model->nq : i;
    const char *name =
        name_quantity(r, input ? 'u' : 'q', input ? model->input_name[k] : model->name[k]);
    if (!name) return DM_NO_MEMORY;
    const bool motor = input && s->torque_constant && k < r->nu;
    out->column[i] = (pb_log_column){.name = name, .value = name, .time = "t", .factor = 1};
    if (motor) out->column[i].factor = s->torque_constant[k];
    if (input) out->column[i].delay = s->delay;
    if (!input && model->kind[k] == DM_TURN) out->column[i].factor = turn;
  }
  return DM_OK;
}

dm_status pb_identify_read(pb_reader *r, const pb_node *node, const dm_model *model,
                           pb_identify *out) {
  static const struct {
    const char *word;
    double second;
  } units[] = {{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}};
  identify_section s = {0};
  const pb_node none = {.kind = PB_MAPPING};
  *out = (pb_identify){0};
  DM_TRY(pb_schema_read(r, "identify", node ? node : &none, pb_identify_keys, &s));
  out->step = s.step;
  out->prior = s.prior;
  out->friction_speed = s.friction_speed;
  out->horizon = s.horizon;
  out->max_iter = s.iterations;
  out->noise_q = s.noise.q;
  out->noise_u = s.noise.u;
  out->held = !strcmp(s.inputs, "held");
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (!strcmp(s.time_unit, units[i].word)) out->second = units[i].second;
  DM_TRY(name_columns(r, model, &s, out));
  DM_TRY(read_columns(r, s.columns, out));
  DM_TRY(read_times(r, s.time, out));
  return read_parameters(r, s.parameters, out);
}
