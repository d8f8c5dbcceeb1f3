#include "cli/pictures/facts.h"

#include "cli/pictures/plots.h"
#include "cli/report/limits.h"
#include "cli/report/moving_robot.h"
#include "cli/report/page.h"
#include "cli/report/places.h"
#include "lib/base/text.h"
#include "lib/multibody/outline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST = 4000,  // poses of paths and frames, and energies
  RATE = 100,   // poses per second of a moving picture
  LONGEST = 20, // s of a moving picture whose times are not given
  LIMIT = 60,   // s of a moving picture
  CURVE = 400   // intervals of a path that is followed
};

// -- the method, in words

// the rule's word; of the midpoint rule elsewhere its point
static void say_rule(const dm_rule *rule, char *text, size_t size) {
  for (int i = 0; dm_lagrangian_rules[i].name; i++) {
    // whether two rules evaluate L at the same points
    const dm_rule *b = &dm_lagrangian_rules[i].rule;
    bool same = rule->points == b->points;
    for (int j = 0; same && j < rule->points; j++)
      same = fabs(rule->at[j] - b->at[j]) < 1e-12 && fabs(rule->weight[j] - b->weight[j]) < 1e-12;
    if (same) {
      snprintf(text, size, "%s", dm_lagrangian_rules[i].name);
      return;
    }
  }
  snprintf(text, size, "one point at %g", rule->at[0]);
}

// "midpoint", "midpoint, order 4", "energy-momentum", "taylor"
static void put_method(cli_json *o, const cli_exhibit *x) {
  char rule[64], text[160];
  const pb_problem *p = x->call.run.p;
  const char *contacts =
      cli_json_get_text(cli_json_get_object(x->call.result, "contacts"), "method");
  say_rule(&p->task.system.rule, rule, sizeof rule);
  if (p->transcription.second)
    snprintf(text, sizeof text, "%s", p->transcription.action.rule.name);
  else if (!x->simulated)
    snprintf(text, sizeof text, "%s", rule);
  else if (p->simulate.comparator)
    snprintf(text, sizeof text, "%s", pb_comparator_name(p->simulate.comparator));
  else if (contacts)
    snprintf(text, sizeof text, "%s, %s", rule, contacts);
  else if (p->simulate.points.two)
    snprintf(text, sizeof text, "%s, two points", rule);
  else if (p->simulate.order > 2)
    snprintf(text, sizeof text, "%s, order %d", rule, p->simulate.order);
  else
    snprintf(text, sizeof text, "%s", rule);
  cli_json_text(o, "method", text);
}

// -- what a motion is to follow

// where the cost draws coordinates to a reference that is not zero throughout
static dm_status put_reference(cli_json *o, const cli_exhibit *x) {
  const oc_task *t = &x->call.run.p->task;
  const int n = x->call.run.p->names.n;
  cli_json *all = cli_json_object(o, "reference");
  if (!x->call.run.p->has.task || t->N != x->call.run.x->N || !t->cost[OC_Q].reference)
    return DM_OK;
  double *column = malloc(((size_t)t->N + 1) * sizeof *column);
  dm_status s = column ? DM_OK : DM_NO_MEMORY;
  for (int i = 0; s == DM_OK && i < n; i++) {
    if (!(oc_weight(t->cost[OC_Q].running, i) > 0 || oc_weight(t->cost[OC_Q].goal, i) > 0))
      continue;
    char *name = cli_column_name(x->call.run.p->names.coord[i]);
    for (int k = 0; k <= t->N; k++)
      column[k] = t->cost[OC_Q].reference[(size_t)k * (size_t)n + (size_t)i];
    if (name) cli_json_vector(all, name, column, t->N + 1);
    if (!name) s = DM_NO_MEMORY;
    free(name);
  }
  free(column);
  return s;
}

static double take_axis(dm_vec a, int axis) {
  const double x[] = {a.x, a.y, a.z};
  return x[axis];
}

// what the world's place of row j of the path is ahead of the row, along the axis by which its name
// ends; NAN: the row is no place in the world
static double find_shift(const cli_exhibit *x, int j, const char *name, const dm_pose *X) {
  const oc_followed *f = &x->call.run.p->task.outputs.follow;
  const char *dot = strrchr(name, '.'), *axis = dot && dot[1] ? strchr("xyz", dot[1]) : NULL;
  dm_segment line;
  if (!axis || dot[2] ||
      !dm_outputs_segment(x->call.run.p->robot.outputs.rows, f->output[j], &line))
    return NAN;

  // from a point of the world to one that a joint carries, as far as the path is at its start
  const int point = line.joint[0] < 0, world = 1 - point, i = (int)(*axis - 'x');
  if (line.joint[world] >= 0 || line.joint[point] < 0) return NAN;
  const double from = take_axis(line.end[world], i);
  const double at = take_axis(dm_outline_place(X, line.joint[point], line.end[point]), i);
  return fabs(at - from - f->curve->r[j]) <= f->within[j] + 1e-6 ? from : NAN;
}

static dm_status put_row_followed(cli_json *list, const cli_exhibit *x, int j, const dm_pose *X) {
  const oc_followed *f = &x->call.run.p->task.outputs.follow;
  const char *name = x->call.run.p->names.output[f->output[j]];
  char *column = cli_column_name(name), text[320];
  double *r = malloc((size_t)f->curve->m * sizeof *r), at[CURVE + 1];
  if (column && r) {
    for (int k = 0; k <= CURVE; k++) {
      dm_curve_eval(f->curve, (double)k / CURVE, r, NULL, NULL);
      at[k] = r[j];
    }
    cli_json *row = json_object_new_object();
    json_object_array_add(list, row);
    snprintf(text, sizeof text, "y.%s", column);
    cli_json_text(row, "column", text);
    cli_json_number(row, "shift", find_shift(x, j, name, X));
    cli_json_vector(row, "curve", at, CURVE + 1);
  }
  const dm_status s = column && r ? DM_OK : DM_NO_MEMORY;
  free(column);
  free(r);
  return s;
}

// -- the robot in space

// a point of a body (-1: the world), in the frame of the joint that carries it
static cli_json *make_body_point(const dm_model *m, int body, const double at[3]) {
  const dm_vec x = dm_v(at[0], at[1], at[2]);
  return body < 0 ? cli_make_point(-1, x)
                  : cli_make_point(m->body_joint[body], dm_place(&m->body_pose[body], x));
}

static void put_contacts(cli_json *scene, const pb_robot *robot) {
#define WORD(NAME, ROW, sign, word, must, may) [DM_##NAME] = word,
  static const char *const words[] = {DM_CONTACT_KINDS(WORD)};
#undef WORD
  const dm_contact *c = NULL;
  const dm_contacts *all = robot->mechanism.contacts;
  const int n = all ? dm_contacts_list(all, &c) : 0;
  cli_json *list = json_object_new_array();
  json_object_object_add(scene, "contacts", list);
  for (int i = 0; i < n; i++) {
    if (c[i].kind == DM_NOT_BELOW || c[i].kind == DM_NOT_ABOVE || c[i].kind == DM_OUTSIDE) continue;
    cli_json *o = json_object_new_object(), *points = json_object_new_array();
    json_object_array_add(list, o);
    cli_json_text(o, "kind", words[c[i].kind]);
    json_object_object_add(o, "points", points);
    for (int end = 0; end < 2; end++)
      json_object_array_add(
          points, make_body_point(robot->mechanism.tree, c[i].body[end], c[i].point[end]));
    cli_json_vector(o, "axis", c[i].axis, 3);
    cli_json_number(o, "length", c[i].length);
  }
}

// what joints are, and the bodies that they carry
static dm_status put_joints(cli_json *scene, const pb_robot *robot) {
  const dm_model *m = robot->mechanism.tree;
  dm_outline *outline;
  DM_TRY(dm_outline_new(&outline, m, robot->mechanism.constraints, robot->mechanism.springs,
                        robot->mechanism.contacts));
  cli_json *joints = json_object_new_array(), *bodies = json_object_new_array();
  json_object_object_add(scene, "carriers", joints);
  json_object_object_add(scene, "bodies", bodies);
  for (int j = 0; j < m->nj; j++) {
    double tip[3];
    cli_json *o = json_object_new_object();
    json_object_array_add(joints, o);
    cli_json_bool(o, "slides", m->slides[j]);
    cli_json_bool(o, "last", outline->last[j]);
    cli_json_int(o, "parent", m->parent[j]);
    cli_put_vector(outline->tip[j], tip);
    cli_json_vector(o, "tip", tip, 3);
  }
  dm_outline_free(outline);

  for (int b = 0; b < m->nbody; b++) {
    double pose[CLI_POSE];
    cli_json *o = json_object_new_object();
    json_object_array_add(bodies, o);
    cli_put_pose(&m->body_pose[b], pose);
    cli_json_text(o, "name", m->body_name[b]);
    cli_json_int(o, "joint", m->body_joint[b]);
    cli_json_vector(o, "pose", pose, CLI_POSE);
  }
  return DM_OK;
}

static dm_status put_scene(cli_json *o, const cli_exhibit *x, const cli_request *r) {
  const pb_robot *robot = &x->call.run.p->robot;
  cli_json *scene = cli_json_object(o, "scene");
  double gravity[3];
  cli_put_vector(robot->mechanism.tree->gravity, gravity);
  cli_json_vector(scene, "gravity", gravity, 3);

  // poses at knots, of so many that they are enough; or at equal times of a moving picture
  double span[2];

  // whether the picture moves, and over which times
  const cli_plot *plot = cli_plot_find(r->what);
  const double end = cli_exhibit_end(x);
  const bool moves = plot && plot->moves;
  const bool chosen = moves && r->ntimes == 2 && r->times[0] >= 0 && r->times[0] < r->times[1];
  span[0] = chosen ? fmin(r->times[0], end) : 0;
  span[1] = chosen ? fmin(r->times[1], end) : end;
  if (moves) span[1] = fmin(span[1], span[0] + (chosen ? LIMIT : LONGEST));

  const int N = x->call.run.x->N, stride = N / MOST + 1;
  int n = moves ? (int)ceil((span[1] - span[0]) * RATE) + 1 : (N + stride - 1) / stride + 1;
  if (n < 2) n = 2;
  double *t = malloc((size_t)n * sizeof *t);
  if (!t) return DM_NO_MEMORY;
  for (int i = 0; i < n; i++) {
    const int knot = i * stride < N ? i * stride : N;
    t[i] = moves ? span[0] + (span[1] - span[0]) * i / (n - 1)
                 : dm_trajectory_time(x->call.run.x, knot);
  }
  cli_json_vector(scene, "t", t, n);
  const dm_status s = cli_robot_poses(scene, x, t, n);
  free(t);
  DM_TRY(s);

  DM_TRY(cli_robot_outline(scene, robot));
  put_contacts(scene, robot);
  return put_joints(scene, robot);
}

// -- an exhibit

static dm_status put_folder(cli_json *o, cli_exhibit *x, const cli_request *r) {
  const cli_plot *plot = cli_plot_find(r->what);
  const pb_problem *p = x->call.run.p;
  cli_json_text(o, "file_name", p->file.full_name);
  put_method(o, x);
  cli_json_bool(o, "simulated", x->simulated);
  cli_json_bool(o, "flow", x->flow);
  cli_json_bool(o, "at_knots", x->at_knots);
  cli_json_bool(o, "goal", cli_exhibit_has_goal(x));
  cli_json_bool(o, "periodic", p->periodic_at[0] > 0);
  cli_json_bool(o, "stops", p->verify.limits != FB_LIMITS_IGNORE);
  cli_json_text(o, "plant", x->plant);
  cli_json_text(o, "start_plant", x->start_plant);

  // at every so many knots: as many rows as a picture shows
  const int N = x->call.run.x->N, every = N / MOST + 1, rows = N / every + 1;
  double *kept = malloc(3 * (size_t)rows * sizeof *kept);
  if (!kept) return DM_NO_MEMORY;
  for (int i = 0; i < rows; i++)
    memcpy(kept + 3 * i, x->energy + 3 * (size_t)i * (size_t)every, 3 * sizeof *kept);
  cli_json_int(o, "energy_every", every);
  cli_json_matrix(o, "energy", kept, rows, 3);
  free(kept);

  DM_TRY(cli_page_names(o, x));
  DM_TRY(cli_page_limits(o, x));
  DM_TRY(put_reference(o, x));

  const oc_followed *f = &x->call.run.p->task.outputs.follow;
  const pb_robot *robot = &x->call.run.p->robot;
  cli_json *list = json_object_new_array();
  json_object_object_add(o, "follow", list);
  if (f->curve) {
    dm_pose *X = calloc((size_t)robot->mechanism.tree->nj + 1, sizeof *X);
    double *tree = calloc((size_t)robot->mechanism.tree->nq + 1, sizeof *tree);
    dm_status s = X && tree ? DM_OK : DM_NO_MEMORY;
    if (s == DM_OK) pb_robot_frames(robot, x->call.run.x->q, tree, X);
    for (int j = 0; s == DM_OK && j < f->curve->m; j++) s = put_row_followed(list, x, j, X);
    free(X);
    free(tree);
    DM_TRY(s);
  }

  return plot && plot->places ? put_scene(o, x, r) : DM_OK;
}

// what a folder holds of what the plots read: damaged tables are refused
static dm_status read_tables(const cli_exhibits *all, cli_exhibit *x, const cli_request *r) {
  static const cli_result_file *const none[] = {NULL};
  DM_TRY(cli_exhibit_read(x, none));
  for (int i = 0; i < CLI_PLOT_COUNT; i++)
    if (cli_plot_asked(&cli_plots[i], r->what, all->shown))
      DM_TRY(cli_exhibit_read(x, cli_plots[i].needs));
  return DM_OK;
}

static dm_status put_exhibit(cli_json *list, cli_exhibit *x, const cli_request *r) {
  cli_json *o = json_object_new_object();
  json_object_array_add(list, o);

  // a path byte by byte, as it need not be text
  const char *key = "at";
  char *text = malloc(2 * strlen(x->path) + 1);
  if (!text) return DM_NO_MEMORY;
  for (size_t i = 0; i <= strlen(x->path); i++)
    snprintf(text + 2 * i, x->path[i] ? 3 : 1, "%02x", (unsigned char)x->path[i]);
  cli_json_text(o, key, text);
  free(text);

  cli_json_text(o, "path", x->path);
  cli_json_text(o, "name", x->name);
  cli_json_bool(o, "folder", x->folder);
  cli_json_bool(o, "below", x->args.below);
  cli_json_number(o, "begin", x->begin);
  cli_json_number(o, "step", x->step);
  return x->folder ? put_folder(o, x, r) : DM_OK;
}

// -- what is asked for

static void put_words(cli_json *o, const char *key, const cli_words *w) {
  cli_json_names(o, key, (const char *const *)w->word, w->n);
}

static void put_request(cli_json *data, const cli_request *r, int folders) {
  cli_json *o = cli_json_object(data, "request"), *draw = json_object_new_array();
  const double range[] = {r->range[0][0], r->range[0][1], r->range[1][0], r->range[1][1]};
  const double plane[] = {r->plane[0], r->plane[1]};
  cli_json_text(o, "what", r->what);
  cli_json_text(o, "suffix", r->suffix);
  cli_json_text(o, "only", r->args->only);
  cli_json_text(o, "x", r->x);
  cli_json_text(o, "table", r->table);
  cli_json_text(o, "against", r->against);
  put_words(o, "y", &r->y);
  put_words(o, "points", &r->points);
  put_words(o, "names", &r->names);
  cli_json_vector(o, "times", r->times, r->ntimes);
  if (r->plane[0] >= 0) cli_json_vector(o, "plane", plane, 2);
  cli_json_matrix(o, "range", range, 2, 2);
  cli_json_bool(o, "logx", r->log[0]);
  cli_json_bool(o, "logy", r->log[1]);
  cli_json_bool(o, "each", r->args->each);

  // the plots of the picture
  json_object_object_add(o, "draw", draw);
  for (int i = 0; i < CLI_PLOT_COUNT; i++)
    if (cli_plot_asked(&cli_plots[i], r->what, folders))
      json_object_array_add(draw, json_object_new_string(cli_plots[i].word));
}

dm_status cli_facts_write(FILE *f, const cli_exhibits *all, const cli_request *request,
                          dm_message *msg) {
  cli_json *data = json_object_new_object(), *list = json_object_new_array();
  if (!data || !list) return DM_NO_MEMORY;
  put_request(data, request, all->shown);
  cli_json_text(data, "operand", request->args->operand);
  cli_json_int(data, "shown", all->shown);
  cli_json_bool(data, "phases", all->phases);
  json_object_object_add(data, "exhibits", list);
  dm_status s = DM_OK;
  for (int i = 0; s == DM_OK && i < all->n; i++) {
    s = read_tables(all, all->at[i], request);
    if (s != DM_OK) *msg = all->at[i]->call.msg;
    if (s == DM_OK) s = put_exhibit(list, all->at[i], request);
    if (all->at[i] == all->reference) cli_json_int(data, "reference", i);
  }

  // json-c lets bytes through that are not UTF-8
  const char *text = s == DM_OK ? json_object_to_json_string_ext(data, JSON_C_TO_STRING_PLAIN) : "";
  if (text) {
    dm_text_make_plain((char *)text, "\n", '?');
    fputs(text, f);
  }
  json_object_put(data);
  return text ? s : DM_NO_MEMORY;
}
