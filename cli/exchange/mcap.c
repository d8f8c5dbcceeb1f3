// A recording of the motion for Foxglove, PlotJuggler and Rerun: frames, visuals and joints in
// their standard schemas; energies, and all tables of the folder with times, as plain JSON. The
// motion begins at time 0; phases follow one another on one clock.
#include "cli/console/log.h"
#include "cli/exchange/formats.h"
#include "cli/exchange/recording.h"
#include "cli/exchange/scene_message.h"
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// topics besides the tables of a folder
typedef enum topic { PHASE, LOOKS, FRAMES, OUTLINE, JOINTS, ENERGY, TOPICS } topic;

// a motion, or one phase of it
typedef struct recorded {
  cli_exhibit *x;
  const char *phase; // NULL: the whole motion
  double begin;      // s
  cli_body_frames frames;
  pb_visuals looks;
  dm_outline *outline;
  double size;                      // m, of its longest link
  cli_named_table table[CLI_FILES]; // rows 0: no table with times
} recorded;

typedef struct recorder {
  cli_recording r;
  dm_message msg;
  int n;
  recorded *motion;                         // [n]
  int channel[TOPICS], of_table[CLI_FILES]; // -1: none
} recorder;

// the messages of a channel for one motion, in order of time
typedef struct track {
  int channel;
  topic what;               // for rows that are not from a table
  const cli_named_table *t; // NULL: none
  int col;                  // column of times
  int next, rows;
} track;

// -- rows as objects

// insert a value into o at a dotted name, creating nested objects; existing values are not replaced
// by objects
static void put_nested(cli_json *o, const char *name, cli_json *value) {
  const char *dot = strchr(name, '.');
  char *key = dot ? strndup(name, (size_t)(dot - name)) : NULL;
  cli_json *inner = NULL;
  if (key && !json_object_object_get_ex(o, key, &inner)) inner = cli_json_object(o, key);
  free(key);
  if (json_object_is_type(inner, json_type_object))
    put_nested(inner, dot + 1, value);
  else
    json_object_object_add(o, name, value);
}

// a cell as a number or a word; NULL if it is empty
static cli_json *make_cell(const char *cell) {
  char *end;
  const double x = strtod(cell, &end);
  if (!*cell) return NULL;
  if (*end) return json_object_new_string(cell);
  return isfinite(x) ? json_object_new_double_s(x, cell) : NULL;
}

// a row of a table without its empty cells
static cli_json *make_row(const cli_named_table *t, int row) {
  cli_json *o = json_object_new_object();
  for (int c = 0; c < t->cols; c++) {
    cli_json *value = make_cell(t->cell[(size_t)row * (size_t)t->cols + (size_t)c]);
    if (value) put_nested(o, t->name[c], value);
  }
  return o;
}

// the schema of an object with all fields
static cli_json *make_schema(const cli_json *example) {
  cli_json *o = json_object_new_object();
  if (!json_object_is_type(example, json_type_object)) {
    const bool word = json_object_is_type(example, json_type_string);
    cli_json_text(o, "type", word ? "string" : "number");
    return o;
  }
  cli_json_text(o, "type", "object");
  cli_json *fields = cli_json_object(o, "properties");
  json_object_object_foreach(example, key, value)
      json_object_object_add(fields, key, make_schema(value));
  return o;
}

// -- messages of a motion

static cli_json *make_joint(const char *name, double q, double v) {
  cli_json *o = json_object_new_object();
  cli_json_text(o, "name", name);
  cli_json_number(o, "position", q);
  cli_json_number(o, "velocity", v);
  return o;
}

// the force of all inputs on a coordinate in the step from knot k; returns false if there is none
static bool add_efforts(const cli_exhibit *x, int i, int k, double *effort) {
  const dm_model *m = x->call.run.p->model;
  const dm_trajectory *motion = x->call.run.x;
  bool any = false;
  *effort = 0;
  for (int j = 0; j < m->nu && k < motion->N; j++) {
    if (m->input_coord[j] != i) continue;
    *effort += m->input_gear[j] * motion->u[(size_t)k * (size_t)motion->nu + (size_t)j];
    any = true;
  }
  return any;
}

// joints with one coordinate; others are contained in the frames
static cli_json *make_joints(const cli_exhibit *x, int k, uint64_t time) {
  const dm_trajectory *m = x->call.run.x;
  const dm_model *model = x->call.run.p->model;
  cli_json *o = json_object_new_object(), *list = json_object_new_array();
  json_object_object_add(o, "timestamp", cli_message_time(time));
  json_object_object_add(o, "joints", list);
  for (int i = 0; i < m->n; i++) {
    if (model->kind[i] == DM_QUATERNION) continue;
    const size_t at = (size_t)k * (size_t)m->n + (size_t)i;
    cli_json *joint = make_joint(x->call.run.p->names.coord[i], m->q[at], m->v[at]);
    double effort;
    if (add_efforts(x, i, k, &effort)) cli_json_number(joint, "effort", effort);
    json_object_array_add(list, joint);
  }
  return o;
}

static cli_json *make_energy(const cli_exhibit *x, int k) {
  static const char *const part[] = {"kinetic", "potential", "total"};
  cli_json *o = json_object_new_object();
  for (int i = 0; i < 3; i++) json_object_object_add(o, part[i], json_object_new_double(0));
  for (int i = 0; x && i < 3; i++)
    cli_json_number(o, part[i], x->energy[3 * (size_t)k + (size_t)i]);
  return o;
}

static cli_json *make_phase(const char *name) {
  cli_json *o = json_object_new_object();
  cli_json_text(o, "name", name);
  return o;
}

// a message of a topic at knot k; NULL: none
static cli_json *make_message(recorded *m, topic what, int k, uint64_t time) {
  const dm_trajectory *x = m->x->call.run.x;
  if (what == PHASE) return m->phase ? make_phase(m->phase) : NULL;
  if (what == JOINTS) return make_joints(m->x, k, time);
  if (what == ENERGY) return make_energy(m->x, k);

  // 3D content
  cli_body_frames_place(&m->frames, x->q + (size_t)k * (size_t)x->n);
  if (what == LOOKS) return cli_looks_message(&m->frames, &m->looks, time);
  if (what == FRAMES) return cli_frames_message(&m->frames, time);
  return cli_outline_message(&m->frames, m->outline, &m->looks, m->size, time);
}

// -- channels

static const char *find_topic_schema(topic what, const char **name) {
  static const struct {
    const char *name, *schema;
  } list[TOPICS] = {[LOOKS] = {CLI_SCENE_SCHEMA, cli_scene_schema},
                    [FRAMES] = {CLI_FRAMES_SCHEMA, cli_frames_schema},
                    [OUTLINE] = {CLI_SCENE_SCHEMA, cli_scene_schema},
                    [JOINTS] = {CLI_JOINTS_SCHEMA, cli_joints_schema}};
  *name = list[what].name;
  return list[what].schema;
}

// a channel of objects like an example, which is freed
static int open_plain(recorder *w, const char *name, cli_json *example) {
  char on[128];
  cli_json *schema = make_schema(example);
  snprintf(on, sizeof on, "/%s", name);
  const int number = cli_recording_schema(
      &w->r, name, json_object_to_json_string_ext(schema, JSON_C_TO_STRING_PLAIN));
  json_object_put(schema);
  json_object_put(example);
  return cli_recording_channel_new(&w->r, number, on);
}

static void open_topic(recorder *w, topic what) {
  static const char *const topics[TOPICS] = {"phase",    "/scene",        "/tf",
                                             "/outline", "/joint_states", "energy"};
  const char *name, *schema = find_topic_schema(what, &name);
  if (what == PHASE)
    w->channel[what] = open_plain(w, topics[what], make_phase("a phase"));
  else if (what == ENERGY)
    w->channel[what] = open_plain(w, topics[what], make_energy(NULL, 0));
  else
    w->channel[what] =
        cli_recording_channel_new(&w->r, cli_recording_schema(&w->r, name, schema), topics[what]);
}

// -- reading

// whether a table has times: a column t that does not decrease
static bool goes_with_time(const cli_named_table *t) {
  const int col = cli_named_table_find(t, "t");
  if (col < 0) return false;
  for (int r = 0; r < t->rows; r++) {
    const double before = r ? cli_named_table_number(t, r - 1, col) : 0;
    if (!(cli_named_table_number(t, r, col) >= before)) return false;
  }
  return true;
}

static dm_status read_recorded(recorded *m, dm_message *msg) {
  static const cli_result_file *const none[] = {NULL};
  const pb_problem *p = m->x->call.run.p;
  const pb_robot *robot = &p->robot;
  const char *source = cli_json_get_text(m->x->call.result, "problem");
  DM_TRY(cli_exhibit_read(m->x, none));
  for (int i = 0; i < CLI_FILES; i++) {
    // the columns at their times
    const char *name = cli_result_files[i]->name, *dot = strrchr(name, '.');
    cli_named_table *t = &m->table[i];
    const pb_file at = pb_file_in(&m->x->call.place.operand, name);
    dm_status s = DM_OK;
    if (dot && !strcmp(dot, ".csv") && pb_file_there(&at)) s = cli_named_table_read(t, &at, msg);
    if (s == DM_OK && t->rows && !goes_with_time(t)) cli_named_table_free(t);
    DM_TRY(s);
  }
  DM_TRY(cli_body_frames_new(&m->frames, robot));
  DM_TRY(pb_visuals_read(&m->looks, robot, source ? source : p->file.path));
  DM_TRY(dm_outline_new(&m->outline, robot->mechanism.tree, robot->mechanism.constraints,
                        robot->mechanism.springs, robot->mechanism.contacts));
  cli_body_frames_place(&m->frames, m->x->call.run.x->q);

  // the longest link
  double longest = 0;
  for (int i = 0; i < m->outline->nline; i++) {
    const dm_segment *at = &m->outline->line[i].at;
    if (m->outline->line[i].kind != DM_OUTLINE_LINK) continue;
    const dm_vec d = dm_sub(dm_outline_place(m->frames.X, at->joint[1], at->end[1]),
                            dm_outline_place(m->frames.X, at->joint[0], at->end[0]));
    longest = fmax(longest, sqrt(dm_dot(d, d)));
  }
  m->size = longest > 0 ? longest : 0.3;

  return DM_OK;
}

// -- writing

static double find_row_time(const recorded *m, const track *t) {
  if (t->t) return cli_named_table_number(t->t, t->next, t->col);
  return dm_trajectory_time(m->x->call.run.x, (int)t->next);
}

// write the rows of all tracks in order of time
static void write_motion(recorder *w, recorded *m) {
  track list[TOPICS + CLI_FILES];

  // list the tracks of a motion, visuals first
  int n = 0;
  for (int i = 0; i < TOPICS; i++)
    if (w->channel[i] >= 0)
      list[n++] = (track){.channel = w->channel[i],
                          .what = (topic)i,
                          .rows = i == PHASE || i == LOOKS ? 1 : m->x->call.run.x->N + 1};
  for (int i = 0; i < CLI_FILES; i++)
    if (m->table[i].rows)
      list[n++] = (track){.channel = w->of_table[i],
                          .t = &m->table[i],
                          .col = cli_named_table_find(&m->table[i], "t"),
                          .rows = m->table[i].rows};

  for (;;) {
    track *first = NULL;
    double earliest = INFINITY;
    for (int i = 0; i < n; i++) {
      if (list[i].next == list[i].rows) continue;
      const double at = find_row_time(m, &list[i]);
      if (at < earliest) first = &list[i];
      if (at < earliest) earliest = at;
    }
    if (!first) return;

    // a row of the table
    uint64_t time = (uint64_t)llround(1e9 * (m->begin + earliest));
    const int k = first->next++;

    // a phase begins exactly where the previous one ends
    if (w->r.messages && time < w->r.whole.last) time = w->r.whole.last;
    cli_json *o = first->t ? make_row(first->t, k) : make_message(m, first->what, k, time);
    if (!o) continue;
    const char *text = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN);
    if (text)
      cli_recording_message(&w->r, first->channel, time, text, strlen(text));
    else
      w->r.lost = true;
    json_object_put(o);
  }
}

static bool has_outline(recorder *w) {
  for (int i = 0; i < w->n; i++) {
    cli_json *o = make_message(&w->motion[i], OUTLINE, 0, 0);
    json_object_put(o);
    if (o) return true;
  }
  return false;
}

static dm_status write_recording(recorder *w, FILE *f, bool phases) {
  cli_recording_begin(&w->r, f, "dmoc " DMOC_VERSION);

  const cli_exhibit *x = w->motion[0].x;
  const char *const about[][2] = {{"problem", x->call.run.p->file.name},
                                  {"status", cli_json_get_text(x->call.result, "status")},
                                  {"version", DMOC_VERSION}};
  cli_recording_metadata(&w->r, "dmoc", about, about[1][1] ? 3 : 1);

  const bool outline = has_outline(w);
  for (int i = 0; i < TOPICS; i++) {
    w->channel[i] = -1;
    if ((i != PHASE || phases) && (i != OUTLINE || outline)) open_topic(w, (topic)i);
  }
  for (int i = 0; i < CLI_FILES; i++) {
    // a channel for a table, with the columns of all phases
    const char *name = cli_result_files[i]->name;
    cli_json *example = NULL;
    for (int j = 0; j < w->n; j++) {
      const cli_named_table *t = &w->motion[j].table[i];
      if (t->rows && !example) example = json_object_new_object();
      for (int c = 0; t->rows && c < t->cols; c++)
        put_nested(example, t->name[c],
                   cli_named_table_has_words(t, c) ? json_object_new_string("")
                                                   : json_object_new_double(0));
    }
    w->of_table[i] = -1;
    if (!example) continue;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(strlen(name) - strlen(".csv")), name);
    w->of_table[i] = open_plain(w, word, example);
  }
  for (int i = 0; i < w->n; i++) write_motion(w, &w->motion[i]);
  return cli_recording_end(&w->r);
}

static int write_mcap(const cli_conversion *c, FILE *f) {
  recorder w = {.n = c->all->n};
  w.motion = calloc((size_t)w.n + 1, sizeof *w.motion);
  dm_status s = w.motion ? DM_OK : dm_fail(&w.msg, DM_NO_MEMORY, "out of memory");
  if (s != DM_OK) w.n = 0;
  for (int i = 0; s == DM_OK && i < w.n; i++) {
    recorded *m = &w.motion[i];
    m->x = c->all->at[i];
    m->phase = c->phases->n ? c->phases->name[i] : NULL;
    m->begin = c->phases->n ? c->phases->begin[i] : 0;
    s = read_recorded(m, &w.msg);
    if (s == DM_OK) cli_note_missing(c->args, &m->looks);
  }
  if (s == DM_OK) s = write_recording(&w, f, c->phases->n > 0);

  for (int i = 0; i < w.n; i++) {
    recorded *m = &w.motion[i];
    for (int k = 0; k < CLI_FILES; k++) cli_named_table_free(&m->table[k]);
    cli_body_frames_free(&m->frames);
    pb_visuals_free(&m->looks);
    dm_outline_free(m->outline);
  }
  free(w.motion);

  return s == DM_OK ? CLI_DONE : cli_fail_status(c->args, s, &w.msg);
}

const cli_format cli_format_mcap = {
    .word = "mcap",
    .suffix = ".mcap",
    .file = CLI_MCAP,
    .phases = true,
    .write = write_mcap,
};
