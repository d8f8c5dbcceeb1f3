#define _XOPEN_SOURCE 700 // realpath
#include "cli/commands/commands.h"
#include "cli/console/answer.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/exchange/mcap_log.h"
#include "cli/mpi/workers.h"
#include "cli/report/fit_page.h"
#include "cli/results/folder.h"
#include "cli/stages/call.h"
#include "cli/stages/identified.h"
#include "lib/base/names.h"
#include "problems/readers/format/log.h"
#include "problems/readers/format/number.h"
#include "problems/readers/format/yaml.h"
#include "problems/readers/task/fitted_file.h"
#include "problems/readers/task/fitted_robot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// a log: its samples, and the motion that it measures
typedef struct measured {
  pb_log log;
  oc_channel *channel; // [columns]
  oc_recording recording;
  oc_measured_motion *motion;
  int dropped;
} measured;

typedef struct identification {
  const cli_args *args;
  pb_identification *x;
  const dm_model *model;
  pb_reader reader; // of the logs, with the memory of all
  pb_arena arena;
  dm_message msg;
  int nfit, n;            // logs that are fitted, first; all logs
  measured *log;          // [n]
  const char **parameter; // [nparameters] paths without `model.`
  int nparameters;
  oc_fit_parameters *parameters;
  oc_fit *fit;
  const oc_fit_result *found;
  double *theta;
  cli_fitted_values values;
  cli_predicted *predicted; // [n]
  cli_json *result;
  char *dir;
  cli_folder out;
} identification;

// -- parameters

// the paths of --parameters, separated by commas, in place of the file's; `none`: no path
static int take_paths(identification *w) {
  const char *words = w->args->parameters;
  const pb_identify *set = &w->x->set;
  const size_t most = words ? strlen(words) + 1 : (size_t)set->nparameters;
  w->parameter = pb_arena_alloc(&w->arena, most + 1, sizeof *w->parameter);
  char *text = words ? pb_copy(&w->arena, words, strlen(words)) : NULL;
  if (!w->parameter || (words && !text)) return cli_fail(w->args, CLI_FAULT, "out of memory");
  for (int i = 0; !words && i < set->nparameters; i++) w->parameter[i] = set->parameter[i];
  w->nparameters = words ? 0 : set->nparameters;
  if (words && !strcmp(words, "none")) return CLI_DONE;
  for (char *word; text && (word = strtok_r(text, ",", &text));)
    w->parameter[w->nparameters++] = word;
  return CLI_DONE;
}

// report a refused path, at its place in the file
static int refuse_path(const identification *w, dm_status s) {
  char at[32] = "";
  const pb_node *node = w->x->tree ? pb_node_at(w->x->tree, "identify.parameters") : NULL;
  if (node && !w->args->parameters) snprintf(at, sizeof at, ":%d:%d", node->line, node->column);
  return cli_fail(w->args, cli_exit_of(s), "%s%s: %s",
                  w->args->parameters ? "--parameters" : w->x->path, at, w->msg.text);
}

// the number below `model` in the file at a path; returns false if the file has no number there
static bool find_number(const identification *w, const char *path, double *value) {
  char whole[200];
  snprintf(whole, sizeof whole, "model.%.190s", path);
  const pb_node *node = w->x->tree ? pb_node_at(w->x->tree, whole) : NULL;
  return node && node->kind == PB_SCALAR && pb_number_parse(node->text, value) == DM_OK;
}

// a number of the file, by the robot with another value of it
static int add_number(identification *w, const char *path, double value) {
  char whole[200], text[40];
  pb_identification *other;
  const double changed = value != 0 ? 1.25 * value : 1;
  snprintf(whole, sizeof whole, "model.%.190s", path);
  snprintf(text, sizeof text, "%.17g", changed);
  const pb_replace with = {.path = whole, .text = text};
  dm_status s = pb_identification_read(&other, w->x->path, &with, 1, &w->msg);
  if (s == DM_OK)
    s = oc_fit_parameters_add(w->parameters, path, "", value, value > 0 ? 0 : -INFINITY,
                              &other->robot.mechanism, changed, &w->msg);
  pb_identification_free(other);
  return s == DM_OK ? CLI_DONE : refuse_path(w, s);
}

// whether the catalogue of parameters has a path
static bool is_listed(identification *w, const char *path) {
  oc_fit_parameters *probe;
  dm_message why;
  const dm_status s = oc_fit_parameters_new(&probe, &w->x->robot.mechanism, 1, &path, &why);
  oc_fit_parameters_free(probe);
  return s == DM_OK;
}

// listed paths, then other numbers of the file
static int find_parameters(identification *w) {
  static const char model[] = "model.";
  int status = take_paths(w), n = 0, listed = 0;
  double value;
  if (status != CLI_DONE) return status;
  for (int i = 0; i < w->nparameters; i++)
    if (!strncmp(w->parameter[i], model, sizeof model - 1)) w->parameter[i] += sizeof model - 1;
  const char **others = pb_arena_alloc(&w->arena, (size_t)w->nparameters + 1, sizeof *others);
  if (!others) return cli_fail(w->args, CLI_FAULT, "out of memory");
  for (int i = 0; i < w->nparameters; i++) {
    const char *path = w->parameter[i];
    const bool other = find_number(w, path, &value) && !is_listed(w, path);
    if (other)
      others[n++] = path;
    else
      w->parameter[listed++] = path;
  }
  const dm_status s =
      oc_fit_parameters_new(&w->parameters, &w->x->robot.mechanism, listed, w->parameter, &w->msg);
  if (s != DM_OK) return refuse_path(w, s);
  for (int i = 0; status == CLI_DONE && i < n; i++) {
    find_number(w, others[i], &value);
    status = add_number(w, others[i], value);
  }
  return status;
}

// -- logs

static dm_status read_log(identification *w, const char *path, measured *m) {
  const pb_identify *set = &w->x->set;
  const dm_model *model = w->model;
  DM_TRY(cli_mcap_log_is(path)
             ? cli_mcap_log_read(&w->reader, path, set->column, set->ncolumns, &m->log)
             : pb_log_read(&w->reader, path, set->column, set->ncolumns, set->second, &m->log));
  m->channel = pb_arena_alloc(&w->arena, (size_t)set->ncolumns, sizeof *m->channel);
  if (!m->channel) return DM_NO_MEMORY;
  for (int i = 0; i < set->ncolumns; i++) {
    const pb_log_channel *c = &m->log.channel[i];
    m->channel[i] = (oc_channel){c->name, c->samples, c->t, c->value};
    m->dropped += c->dropped;
  }
  m->recording = (oc_recording){.name = path,
                                .n = model->nq,
                                .nu = model->nu,
                                .q = m->channel,
                                .u = m->channel + model->nq,
                                .quaternions = w->x->robot.mechanism.tree->nball,
                                .quaternion = model->quaternion,
                                .held = set->held};
  return oc_measured_motion_new(&m->motion, &m->recording, set->step, &w->msg);
}

// say which columns are not read, once for all logs
static void note_ignored(const identification *w) {
  char list[300];
  const pb_log *log = &w->log[0].log;
  if (log->nignored)
    cli_note(w->args, "%s: not read: %s", log->file,
             dm_names_join(log->ignored, log->nignored, list, sizeof list));
  for (int i = 0; i < w->n; i++)
    if (w->log[i].dropped)
      cli_note(w->args, "%s: %d samples are dropped (empty, or nan)", w->log[i].log.file,
               w->log[i].dropped);
}

static int read_logs(identification *w) {
  const cli_args *a = w->args;
  w->nfit = a->operands.n - 1;
  w->n = w->nfit + a->held.n;
  if (!w->nfit)
    return cli_fail(a, CLI_INPUT, "found no log, expected one or more: dmoc identify %s LOG...",
                    a->operand);
  w->log = calloc((size_t)w->n, sizeof *w->log);
  w->predicted = calloc((size_t)w->n, sizeof *w->predicted);
  if (!w->log || !w->predicted) return cli_fail(a, CLI_FAULT, "out of memory");
  for (int i = 0; i < w->n; i++) {
    const char *path = i < w->nfit ? a->operands.word[i + 1] : a->held.word[i - w->nfit];
    const dm_status s = read_log(w, path, &w->log[i]);
    if (s != DM_OK) return cli_fail_status(a, s, &w->msg);
  }
  note_ignored(w);
  return CLI_DONE;
}

// -- the fit

static int make_fit(identification *w) {
  const pb_identify *set = &w->x->set;
  oc_fit_settings settings = oc_fit_settings_default();
  settings.sigma_q = set->noise_q;
  settings.sigma_f = set->noise_u;
  settings.inertia_prior = set->prior;
  settings.dry = set->friction_speed;
  settings.max_iter = set->max_iter;
  const int workers = cli_workers_count();
  settings.threads = workers < OC_FIT_THREADS ? workers : OC_FIT_THREADS;
  oc_measured_motion **list = pb_arena_alloc(&w->arena, (size_t)w->nfit, sizeof *list);
  w->theta = pb_arena_alloc(&w->arena, (size_t)w->parameters->count + 1, sizeof *w->theta);
  if (!list || !w->theta) return cli_fail(w->args, CLI_FAULT, "out of memory");
  for (int i = 0; i < w->nfit; i++) list[i] = w->log[i].motion;
  const dm_status s = oc_fit_new(&w->fit, w->parameters, w->nfit, list, &settings, &w->msg);
  return s == DM_OK ? CLI_DONE : cli_fail_status(w->args, s, &w->msg);
}

static int solve_fit(identification *w) {
  const double begun = cli_clock();
  const bool any = w->parameters->count > 0;
  const dm_status s = any ? oc_fit_solve(w->fit, NULL, &w->msg) : DM_OK;
  if (s < 0) return cli_fail_status(w->args, s, &w->msg);
  w->found = oc_fit_get(w->fit);
  for (int i = 0; i < w->parameters->count; i++) w->theta[i] = w->found->theta[i];

  // the outcome
  const dm_status made = cli_fitted_values_make(&w->values, w->parameters, w->theta,
                                                w->found->covariance, w->found->bound);
  if (made != DM_OK) return cli_fail_status(w->args, made, NULL);
  cli_json_text(w->result, "status", any ? cli_status_word(w->found->status) : "evaluated");
  cli_json_int(w->result, "iterations", w->found->iterations);
  int knots = 0;
  for (int i = 0; i < w->nfit; i++) knots += w->log[i].motion->knots;
  cli_json_int(w->result, "knots", knots);
  cli_json_int(w->result, "samples", w->found->samples);
  cli_json_number(w->result, "cost", w->found->cost);
  cli_json_number(w->result, "prior", w->found->prior);
  cli_json_int(w->result, "rank", w->found->rank);
  cli_json_number(w->result, "time_s", cli_clock() - begun);
  if (any && oc_fit_suspect(w->fit, &w->msg)) {
    cli_json_text(w->result, "suspect", w->msg.text);
    cli_error("%s", w->msg.text); // it questions the result, also for who wants no notes
  }
  if (s == DM_OK) return CLI_DONE;
  cli_error("no end after %d iterations: the values are those of the last one; try more "
            "identify.iterations, fewer parameters, or a smaller identify.prior",
            w->found->iterations);
  return CLI_OUTCOME;
}

static int predict(identification *w, int i) {
  const measured *m = &w->log[i];
  cli_predicted *p = &w->predicted[i];
  const size_t n = (size_t)w->model->nq, all = (size_t)m->motion->knots * n;
  oc_prediction out;
  *p = (cli_predicted){.log = m->log.file,
                       .held = i >= w->nfit,
                       .knots = m->motion->knots,
                       .pieces = m->motion->pieces,
                       .start = m->motion->start,
                       .step = m->motion->h,
                       .y = m->motion->q,
                       .u = m->motion->u};
  p->joint = pb_arena_alloc(&w->arena, n, sizeof *p->joint);
  p->free_run = pb_arena_alloc(&w->arena, n, sizeof *p->free_run);
  p->q = pb_arena_alloc(&w->arena, all, sizeof *p->q);
  p->lack = pb_arena_alloc(&w->arena, all, sizeof *p->lack);
  if (!p->joint || !p->free_run || !p->q || !p->lack)
    return cli_fail(w->args, CLI_FAULT, "out of memory");
  const dm_status s =
      oc_fit_trace(w->fit, m->motion, w->theta, w->x->set.horizon, p->q, p->lack, &out, &w->msg);
  if (s < 0) return cli_fail_status(w->args, s, &w->msg);
  memcpy(p->joint, out.joint, n * sizeof *p->joint);
  memcpy(p->free_run, out.free_run, n * sizeof *p->free_run);
  return CLI_DONE;
}

// -- files

// the path of a folder relative to another; both absolute
static void relate(const char *to, const char *from, char *out, size_t size) {
  size_t same = 0, used = 0;
  for (size_t i = 0; to[i] == from[i] || !to[i] || !from[i]; i++) {
    const bool ends = (!to[i] || to[i] == '/') && (!from[i] || from[i] == '/');
    if (ends) same = i;
    if (!to[i] || !from[i]) break;
  }
  out[0] = 0;
  for (const char *c = from + same; *c && used + 4 < size; c++)
    if (*c == '/' && c[1])
      used += (size_t)snprintf(out + used, size - used, "%s..", used ? "/" : "");
  const char *rest = to + same + (to[same] == '/');
  if (*rest) used += (size_t)snprintf(out + used, size - used, "%s%s", used ? "/" : "", rest);
  if (!used) snprintf(out, size, ".");
}

// the folder of a file relative to the fit's folder
static dm_status find_folder(identification *w, const char *file, char folder[PB_PATH]) {
  char path[PB_PATH];
  const char *slash = strrchr(file, '/');
  snprintf(path, sizeof path, "%.*s", slash ? (int)(slash - file) + 1 : 1, slash ? file : ".");
  char *to = realpath(path, NULL), *from = realpath(w->dir, NULL);
  if (to && from) relate(to, from, folder, PB_PATH);
  const dm_status s = to && from ? DM_OK : dm_fail(&w->msg, DM_IO, "%s cannot be found", path);
  free(to);
  free(from);
  return s;
}

// the numbers that a problem file cannot have, as comments
static void write_comments(FILE *f, const identification *w) {
  fprintf(f, "# The robot of ");
  for (const char *c = w->x->path; *c; c++) fputc((unsigned char)*c < ' ' ? '?' : *c, f);
  fprintf(f, ", fitted by dmoc identify.\n");
  for (int i = 0; i < w->parameters->count; i++)
    if (!cli_fitted_in_file(&w->parameters->list[i]))
      fprintf(f, "# Not in this file: %s = %.6g %s.\n", w->parameters->list[i].path,
              w->values.value[i], w->parameters->list[i].unit);
}

static dm_status write_problem(identification *w, FILE *f) {
  char folder[PB_PATH];
  pb_replace *list;
  int n;
  DM_TRY(find_folder(w, w->x->path, folder));
  dm_status s = cli_fitted_replacements(w->parameters, w->theta, &w->values, &list, &n);
  write_comments(f, w);
  if (s == DM_OK) s = pb_fitted_write(f, w->x, folder, list, n, &w->msg);
  cli_fitted_replacements_free(list, n);
  return s;
}

// fitted.urdf or fitted.xml; the command goes on without it if the file cannot have the numbers
static dm_status write_robot(identification *w, FILE *f) {
  const oc_fit_parameters *p = w->parameters;
  char folder[PB_PATH], (*text)[160];
  const char **lost;
  int n = 0;
  text = pb_arena_alloc(&w->arena, (size_t)p->count + 1, sizeof *text);
  lost = pb_arena_alloc(&w->arena, (size_t)p->count + 1, sizeof *lost);
  if (!text || !lost) return DM_NO_MEMORY;
  for (int i = 0; i < p->count; i++) {
    const oc_fit_parameter *of = &p->list[i];
    const char *key = strrchr(of->path, '.');
    const bool force = !strncmp(of->path, "friction.", 9) && key && !strcmp(key, ".force");
    if (of->kind <= OC_FIT_DAMPING || (of->kind == OC_FIT_PART && force)) continue;
    snprintf(text[n], sizeof *text, "%s = %.17g %s", of->path, w->values.value[i], of->unit);
    lost[n] = text[n];
    n++;
  }
  DM_TRY(find_folder(w, pb_fitted_robot_file(w->x)->path, folder));
  dm_robot robot = {0};
  dm_status s = oc_fit_parameters_robot(&robot, p, w->theta, NULL);
  if (s == DM_OK) s = pb_fitted_robot_write(f, w->x, &robot, folder, n, lost, &w->msg);
  dm_robot_free(&robot);
  return s;
}

static FILE *begin(identification *w, const char *name) {
  return cli_folder_file(&w->out, name, &w->msg);
}

static int write_files(identification *w) {
  FILE *f = begin(w, "parameters.csv");
  if (f) cli_write_parameters(f, w->parameters, w->found, &w->values);
  if (f) f = begin(w, "covariance.csv");
  if (f) cli_write_covariance(f, w->parameters, &w->values);
  if (f) f = begin(w, "combinations.csv");
  if (f) cli_write_combinations(f, w->parameters, w->found);
  if (f) f = begin(w, "residuals.csv");
  if (f) cli_write_residuals(f, w->model, w->predicted, w->n);
  if (f) f = begin(w, "forces.csv");
  if (f) cli_write_forces(f, w->model, w->predicted, w->n);
  const cli_fit_page page = {w->x->name, w->model,     w->parameters, w->found,
                             &w->values, w->predicted, w->n};
  if (f) f = begin(w, "identify.html");
  if (f) cli_fit_page_write(f, &page);
  if (f) f = begin(w, "identify.json");
  if (f) fprintf(f, "%s\n", cli_json_pretty(w->result));
  if (f) f = begin(w, "fitted.yaml");
  if (!f) return cli_fail_status(w->args, DM_IO, &w->msg);
  dm_status s = write_problem(w, f);
  if (s == DM_BAD_INPUT) {
    cli_note(w->args, "no fitted.yaml: %s", w->msg.text);
    cli_folder_remove(&w->out, "fitted.yaml");
    s = DM_OK;
  }
  const char *robot = pb_fitted_robot_name(w->x);
  if (s == DM_OK && robot) {
    f = begin(w, robot);
    s = f ? write_robot(w, f) : DM_IO;
    if (s == DM_BAD_INPUT) {
      cli_note(w->args, "no %s: %s", robot, w->msg.text);
      cli_folder_remove(&w->out, robot);
      s = DM_OK;
    }
  }
  if (s == DM_OK) s = cli_folder_commit(&w->out, NULL, &w->msg);
  return s == DM_OK ? CLI_DONE : cli_fail_status(w->args, s, &w->msg);
}

// -- summary

static void show_parameters(const identification *w) {
  int width = 10;
  for (int i = 0; i < w->parameters->count; i++) {
    const int length = (int)strlen(w->parameters->list[i].path);
    width = length > width ? length : width;
  }
  for (int i = 0; i < w->parameters->count; i++) {
    const oc_fit_parameter *p = &w->parameters->list[i];
    const char *note = w->found->bound[i]    ? ", at its bound"
                       : w->found->unseen[i] ? ", from the prior: the logs do not show it"
                                             : "";
    printf("  %-*s  %.6g +- %.2g %s (robot %.6g)%s\n", width, p->path, w->values.value[i],
           w->values.deviation[i], p->unit, w->values.start[i], note);
  }
}

static void show_combinations(const identification *w) {
  char text[CLI_COMBINATION];
  if (w->found->combinations) printf("  the logs determine\n");
  for (int i = 0; i < w->found->combinations; i++) {
    const oc_combination *c = &w->found->combination[i];
    printf("    %.5g +- %.2g %s = %s\n", c->value, c->deviation,
           w->parameters->coefficient[c->coefficient[0]].unit,
           cli_combination_name(w->parameters, c, text));
  }
}

static void show_logs(const identification *w) {
  const dm_model *m = w->model;
  int width = 4;
  for (int k = 0; k < w->n; k++) {
    const int length = (int)strlen(w->predicted[k].log);
    width = length > width ? length : width;
  }
  width = width > 40 ? 40 : width;
  printf("  %-*s  %-8s  %-12s %10s %10s %9s %9s\n", width, "log", "", "joint", "force rms",
         "whiteness", "position", "free run");
  for (int k = 0; k < w->n; k++)
    for (int i = 0; i < m->nq; i++) {
      const cli_predicted *p = &w->predicted[k];
      const size_t length = strlen(p->log);
      printf("  %-*s  %-8s  %-12s %10.4g %10.3g %9.2g %9.2g\n", width,
             length > 40 ? p->log + length - 40 : p->log, p->held ? "held out" : "", m->name[i],
             p->joint[i].force_rms, fabs(p->joint[i].whiteness), p->joint[i].position_rms,
             p->free_run[i]);
    }
}

static void show_summary(const identification *w) {
  char written[CLI_PATH + 20];
  printf("%s\n", w->x->name);
  printf("  %-13s %s after %d iterations, %d knots of %g s in %d log%s\n", "status",
         cli_json_get_text(w->result, "status"), w->found->iterations,
         cli_json_get_int(w->result, "knots", 0), w->x->set.step, w->nfit, w->nfit == 1 ? "" : "s");
  show_parameters(w);
  show_combinations(w);
  show_logs(w);
  snprintf(written, sizeof written, "  %-13s %s\n", "written", w->dir);
  if (w->dir) cli_show(written);
}

// -- the command

static int open_folder(identification *w) {
  char folder[256];
  if (w->args->nowhere) return CLI_DONE;
  snprintf(folder, sizeof folder, "%.200s-identify", w->x->name);
  w->dir = w->args->out ? strdup(w->args->out) : cli_join("results", folder);
  if (!w->dir) return cli_fail(w->args, CLI_FAULT, "out of memory");
  dm_status s = cli_folder_make(&w->out, w->dir, false, &w->msg);
  if (s == DM_OK) s = cli_folder_claim(&w->out, NULL, w->args->waits, &w->msg);
  return s == DM_OK ? CLI_DONE : cli_fail_status(w->args, s, &w->msg);
}

static int run_identification(identification *w) {
  int status = find_parameters(w);
  if (status == CLI_DONE) status = read_logs(w);
  if (status == CLI_DONE) status = open_folder(w);
  if (status == CLI_DONE) status = make_fit(w);
  if (status == CLI_DONE) status = solve_fit(w);
  const int outcome = status;
  if (outcome > CLI_OUTCOME) return outcome;
  status = CLI_DONE;
  for (int i = 0; status == CLI_DONE && i < w->n; i++) status = predict(w, i);
  if (status != CLI_DONE) return status;
  cli_json_text(w->result, "problem", w->x->path);
  cli_json_text(w->result, "folder", w->dir);
  cli_put_parameters(w->result, w->parameters, w->found, &w->values);
  cli_put_combinations(w->result, w->parameters, w->found);
  cli_put_predicted(w->result, w->model, w->predicted, w->n);
  if (w->dir) status = write_files(w);
  if (status != CLI_DONE) return status;
  if (w->args->json)
    cli_answer_set(w->result);
  else
    show_summary(w);
  return outcome;
}

static int identify_robot(const cli_args *args) {
  identification w = {.args = args, .result = json_object_new_object()};
  dm_status s = pb_identification_read(&w.x, args->operand, NULL, 0, &w.msg);
  int status = s == DM_OK ? CLI_DONE : cli_fail_status(args, s, &w.msg);
  if (status == CLI_DONE) {
    cli_note_warnings(args, &w.x->warnings);
    w.model = w.x->robot.mechanism.model;
    w.reader = (pb_reader){.arena = &w.arena, .msg = &w.msg, .file = args->operand, .logs = true};
    pb_sha256_init(&w.reader.digest);
    status = run_identification(&w);
  }
  cli_folder_discard(&w.out);
  oc_fit_free(w.fit);
  oc_fit_parameters_free(w.parameters);
  cli_fitted_values_free(&w.values);
  for (int i = 0; w.log && i < w.n; i++) oc_measured_motion_free(w.log[i].motion);
  free(w.log);
  free(w.predicted);
  pb_arena_free(&w.arena);
  pb_identification_free(w.x);
  json_object_put(w.result);
  free(w.dir);
  return status;
}

const cli_command cli_command_identify = {
    .name = "identify",
    .what = "fit a robot's masses, friction and other parameters to its logs",
    .usage = "PROBLEM LOG... [-o DIR] [--hold-out FILE] [--parameters PATHS] [--threads K]",
    .run = identify_robot,
    .phases = true,
};
