#include "cli/commands/commands.h"
#include "cli/commands/formula_text.h"
#include "cli/commands/phase_folders.h"
#include "cli/commands/stages.h"
#include "cli/console/log.h"
#include "cli/results/columns.h"
#include "cli/results/sentences.h"
#include "cli/stages/bench.h"
#include "cli/stages/call.h"
#include "cli/stages/controller.h"
#include "control/codegen/controller.h"
#include "control/codegen/emulation.h"
#include "control/codegen/horizon.h"
#include "control/codegen/lines.h"
#include "control/codegen/range.h"
#include "control/codegen/replay.h"
#include "control/codegen/tables.h"
#include "control/loop/closed_loop.h"
#include "control/loop/monte_carlo.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct exporter {
  cli_call *call;
  char prefix[FB_PREFIX + 1]; // of names and files; empty: controller
  cli_controller text;
  bool recedes;      // receding-horizon control, not the gains
  double difference; // largest difference between the library's controller and the exported one
} exporter;

// -- preconditions

// why the gains are not verified; NULL if they are
static const char *find_doubt(const cli_call *call, bool recedes, char *text, size_t size) {
  const cli_json *v = call->verdict ? call->verdict : cli_json_get_object(call->result, "verify");

  // 1  the verification has enough samples
  char law[CLI_MANNER];
  const char *verified = cli_json_get_text(v, "law");
  int held = cli_json_get_int(v, "held", -1), samples = cli_json_get_int(v, "samples", 0);
  if (held < 0 || samples < 1)
    return call->run.p->has.verify && call->run.p->verify.samples > 0
               ? "no verification is stored; run dmoc verify"
               : "no verification is stored; add 'verify: {samples: 100}' to the problem";

  // 2  it is of this controller: form, rate, delay, estimator
  if (!call->verdict && (!verified || strcmp(verified, cli_manner(call->run.p, recedes, law)))) {
    snprintf(text, size, "another law was verified (%s); run dmoc verify again",
             verified ? verified : "unknown");
    return text;
  }

  // 3  it is of this problem
  const char *inputs = cli_json_get_text(v, "inputs_sha256");
  if (!call->verdict && (!inputs || strcmp(inputs, call->run.p->file.sha256)))
    return "the problem has changed since it was verified; run dmoc verify again";

  // 4  enough samples succeeded
  if (held >= call->run.p->verify.required * samples) return NULL;
  snprintf(text, size, "%s: %d of %d samples succeed, at least %g %% are required",
           recedes ? "receding-horizon control fails" : "the gains fail", held, samples,
           100 * call->run.p->verify.required);
  return text;
}

// take the bound of `auto` from the verification of this controller; returns why it is unavailable,
// or NULL
static const char *take_verified_cost(cli_call *call, char *text, size_t size) {
  fb_envelope *e = &call->run.p->feedback.envelope;
  if (!isinf(e->cost)) return NULL;

  // a successful verification that recorded the bound
  char doubt[320];
  const char *why = find_doubt(call, false, doubt, sizeof doubt);
  const double bound =
      cli_json_get_number(cli_json_get_object(call->result, "verify"), "envelope_cost", 0);
  if (!why && !(bound > 0 && isfinite(bound))) why = "no sample of it has left its plan";
  if (!why) e->cost = bound;
  if (!why) return NULL;
  snprintf(text, size,
           "feedback.envelope_cost: found auto, whose bound is what a verification that succeeded "
           "has covered: %s; or give a number",
           why);
  return text;
}

// make the requested forms, each the linear controller of the executed schedule
static int make_laws(exporter *e) {
  cli_call *call = e->call;
  bool form[FB_FORMS];

  // a path schedule needs a state measurement
  if (call->args->all && call->run.control.gains->path)
    return cli_fail(
        call->args, CLI_INPUT,
        "--all: found feedback.schedule: path beside it, which the law by positions has "
        "no state for; export without --all, or use schedule: time");

  if (call->args->all && call->run.p->task.system.contacts)
    return cli_fail(call->args, CLI_INPUT,
                    "--all: found a plan through contact or dry friction, which the laws by "
                    "positions do not know; export without --all");

  if (call->args->all && call->run.p->feedback.friction)
    return cli_fail(call->args, CLI_INPUT,
                    "--all: found feedback.friction beside it, which the laws by state and by "
                    "positions have no velocities for; export without --all");

  // --all requests every form, the file one; only velocity measurements contain speeds
  const fb_envelope *envelope = call->run.control.gains->envelope;
  for (int i = 0; envelope && call->args->all && i < call->run.p->names.nu; i++)
    if (envelope->damping[i] != 0)
      return cli_fail(call->args, CLI_INPUT,
                      "--all: found feedback.fallback: {damping: ..} beside it, which the laws by "
                      "state and by positions have no velocities for; export without --all, or "
                      "use fallback: zero");

  for (int i = 0; i < FB_FORMS; i++)
    form[i] = call->args->all || i == (int)call->run.p->feedback.measure;
  const cli_controller_names names = {.prefix = e->prefix[0] ? e->prefix : NULL};
  int status = cli_controller_open(&e->text, call, form, names);
  const bool goes_on = call->run.next.run || call->run.next.cost; // in another phase
  if (status != CLI_DONE || goes_on || !e->text.end.restless[0]) return status;
  cli_note(call->args,
           "warning: controller.c does not keep the motion's end: %s; after it the law of the last "
           "knot goes on: stop calling it then (feedback.hold: 0 says so)",
           e->text.end.restless);
  return CLI_DONE;
}

// -- trace

// find a start off the plan: the first of verify's, drawn again while it is outside the position
// limits; or, without verify, one with the default spread
static dm_status find_start(const exporter *e, double *x0) {
  const cli_call *call = e->call;
  const pb_problem *p = call->run.p;
  const int n = p->names.n;

  // 0.05 in q and 0.1 in v by default
  double *d = calloc(2 * (size_t)n, sizeof *d);
  if (!d) return DM_NO_MEMORY;
  for (int i = 0; i < 2 * n; i++) d[i] = i < n ? 0.05 : 0.1;
  fb_monte_carlo_settings set = {
      .seed = p->verify.seed, .spread_q = p->verify.spread_q, .spread_v = p->verify.spread_v};

  // the schedule's initial state plus d, projected onto the constraints
  const double *plan = cli_controller_schedule(&e->text)->x;
  const bool limited = p->has.verify && p->verify.limits != FB_LIMITS_IGNORE;
  dm_status s = DM_OK;
  for (int again = 0; s == DM_OK && again < FB_DRAWS; again++) {
    if (p->has.verify) fb_monte_carlo_redraw(&set, n, 0, again, d, d + n);
    s = fb_closed_loop_offset(&p->task.system, plan, d, x0);
    if (!limited || fb_limits_outside(p->verify.stops, n, x0, plan) < 0) break;
  }
  free(d);
  return s;
}

// write the closed loop from there, one row per knot
static dm_status write_rows(exporter *e, FILE *f) {
  const cli_call *call = e->call;
  fb_emulation *run = NULL;

  // run the exported arithmetic and the library's controller side by side
  double *x0 = calloc(2 * (size_t)call->run.p->names.n, sizeof *x0);
  dm_status s = x0 ? find_start(e, x0) : DM_NO_MEMORY;
  if (s == DM_OK)
    s = fb_emulation_new(&run, e->text.c, &call->run.p->task.system, call->run.p->feedback.measure,
                         x0);
  free(x0);
  if (s != DM_OK) return s;

  // u of both at each knot, and their largest difference
  fb_replay_trace_header(f, e->text.c);
  for (int k = 0; k < run->steps && s == DM_OK; k++) {
    const double *row;
    s = fb_emulation_row(run, k, &row);
    if (s == DM_OK) fb_replay_trace_row(f, e->text.c, k, row);
  }
  e->difference = run->difference;
  fb_emulation_free(run);
  return s;
}

// -- files

static int write_text(exporter *e) {
  // the controller, its header, and a program that replays the trace
  static const struct {
    const char *name;
    void (*write)(FILE *f, const fb_codegen *c);
  } files[] = {{"controller.h", fb_controller_header},
               {"controller.c", fb_controller_source},
               {"controller_replay.c", fb_replay_source}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    FILE *f = cli_call_file(e->call, files[i].name);
    if (!f) return CLI_INPUT;
    files[i].write(f, e->text.c);
  }
  return CLI_DONE;
}

static int write_trace(exporter *e) {
  FILE *f = cli_call_file(e->call, "controller_trace.csv");
  if (!f) return CLI_INPUT;

  // describe the trace's precision in columns.txt
  cli_columns_describe(e->call->result, "controller_trace.csv", "Numbers are in %s precision.",
                       e->text.c->set.single ? "single" : "double");
  dm_status s = write_rows(e, f);
  if (s == DM_OK) return CLI_DONE;
  return cli_fail(e->call->args, cli_exit_of(s), "no trace of the controller: %s",
                  dm_status_text(s));
}

// the range of each input for each function, near the plan
static void report_ranges(const exporter *e, cli_json *o) {
  const cli_call *call = e->call;
  cli_json *ranges = cli_json_object(o, "range");
  for (int way = 0; way < FB_WAYS; way++) {
    if (!fb_codegen_has(e->text.c, way)) continue;
    cli_json *by = cli_json_object(ranges, fb_codegen_way(way));
    for (int i = 0; i < call->run.p->names.nu; i++) {
      const fb_range r = fb_range_of_input(e->text.c, way, i);
      cli_json_vector(by, call->run.p->names.input[i], (double[]){r.low, r.high}, 2);
    }
  }
}

static void report_controller(exporter *e) {
  cli_call *call = e->call;

  // the difference between the exported arithmetic and the library's controller
  cli_json *c = cli_json_get_object(call->result, "certificate");
  if (!c) c = cli_json_object(call->result, "certificate");
  cli_json_number(c, "controller", e->difference);

  // properties of the file
  cli_json *o = cli_json_object(call->result, "controller");
  cli_json_text(o, "status", "done");
  if (e->prefix[0]) cli_json_text(o, "prefix", e->prefix);
  const char *names[FB_WAYS], *precision = e->text.c->set.single ? "single" : "double";
  int n = 0;
  for (int way = 0; way < FB_WAYS; way++)
    if (fb_codegen_has(e->text.c, way)) names[n++] = fb_codegen_way(way);
  cli_json_names(o, "forms", names, n);
  cli_json_text(o, "precision", precision);
  cli_json_int(o, "table_bytes", fb_tables_bytes(e->text.c));
  cli_json_int(o, "stack_bytes", fb_tables_stack(e->text.c));
  report_ranges(e, o);
  const double cost = call->run.p->feedback.envelope.cost;
  if (cost > 0) cli_json_number(o, "envelope_cost", cost);
  if (cost > 0) cli_tell(call, "controller", "lost once x'P x is more than %.6g", cost);
  if (e->text.end.control.gains) cli_json_text(o, "end", "kept");
  cli_json_number(o, "~difference", e->difference);
  cli_tell_group(call->summary.file, "controller", o);
}

// -- names

const char *cli_phase_identifier(const char *phase, char text[CLI_PHASE_NAME]) {
  snprintf(text, CLI_PHASE_NAME, "%s%.48s", isalpha((unsigned char)phase[0]) ? "" : "phase_",
           phase);
  for (char *c = text; *c; c++)
    if (*c == '-') *c = '_';
  return text;
}

// --prefix; for a phase PHASE_controller, and NAME_PHASE if --prefix is for all phases; else empty
static void choose_prefix(const cli_call *call, char prefix[FB_PREFIX + 1]) {
  const char *name = call->args->prefix;
  const char *phase = cli_json_get_text(cli_json_get_object(call->result, "replaced"), "phase");
  char of[CLI_PHASE_NAME] = "";
  if (phase) cli_phase_identifier(phase, of);
  if (phase && !name)
    snprintf(prefix, FB_PREFIX + 1, "%s_controller", of);
  else if (phase && call->args->below)
    snprintf(prefix, FB_PREFIX + 1, "%.40s_%s", name, of);
  else
    snprintf(prefix, FB_PREFIX + 1, "%.40s", name ? name : "");
}

void cli_set_controller_prefix(cli_call *call, const char *prefix) {
  if (!prefix && !cli_json_get_text(cli_json_get_object(call->result, "controller"), "prefix"))
    return;
  cli_forget_controller(call);
  if (prefix) cli_json_text(cli_json_object(call->result, "controller"), "prefix", prefix);
}

// -- receding-horizon control

static int write_horizon(exporter *e, const fb_horizon_text *t) {
  static const struct {
    const char *name;
    void (*write)(FILE *f, const fb_horizon_text *t);
  } files[] = {{"controller.h", fb_horizon_header},
               {"controller.c", fb_horizon_source},
               {"controller_replay.c", fb_horizon_replay}};
  cli_call *call = e->call;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    FILE *f = cli_call_file(call, files[i].name);
    if (!f) return CLI_INPUT;
    files[i].write(f, t);
  }
  FILE *f = cli_call_file(call, "controller_trace.csv");
  double *x0 = calloc(2 * (size_t)call->run.p->names.n, sizeof *x0);
  dm_status s = f && x0 ? find_start(e, x0) : DM_NO_MEMORY;
  if (s == DM_OK) s = fb_horizon_trace(f, t, &call->run.p->task.system, x0);
  free(x0);
  if (!f) return CLI_INPUT;
  cli_columns_describe(call->result, "controller_trace.csv", "Numbers are in %s precision.",
                       t->c->set.single ? "single" : "double");
  return s == DM_OK ? CLI_DONE
                    : cli_fail(call->args, cli_exit_of(s), "no trace of the controller: %s",
                               dm_status_text(s));
}

static void report_horizon(exporter *e, const fb_horizon_text *t) {
  cli_call *call = e->call;
  cli_json *o = cli_json_object(call->result, "controller");
  cli_json_text(o, "status", "done");
  if (e->prefix[0]) cli_json_text(o, "prefix", e->prefix);
  cli_json_names(o, "forms", &fb_form_names[t->measure], 1);
  const char *precision = t->c->set.single ? "single" : "double";
  cli_json_text(o, "precision", precision);
  cli_json_int(o, "table_bytes", fb_horizon_table_bytes(t));
  cli_json *group = cli_json_object(o, "horizon");
  cli_json_int(group, "stages", t->o->stages);
  cli_json_text(group, "precision", precision);
  cli_json_int(group, "table_bytes", fb_horizon_table_bytes(t));
  cli_json_int(group, "memory_bytes", fb_horizon_memory_bytes(t));
  cli_tell_group(call->summary.file, "controller.horizon", group);
}

static int export_horizon(exporter *e) {
  cli_call *call = e->call;
  const bool form[FB_FORMS] = {[FB_STATE] = true};
  const cli_controller_names names = {.prefix = e->prefix[0] ? e->prefix : NULL, .recedes = true};
  int status = cli_controller_open(&e->text, call, form, names);
  fb_receding o;
  pb_controller *control = e->text.end.control.gains ? &e->text.end.control : &call->run.control;
  if (status == CLI_DONE) {
    const dm_status s = pb_controller_horizon(control, call->run.p, &o, &call->msg);
    if (s != DM_OK) status = cli_fail_status(call->args, s, &call->msg);
    if (s == DM_OK && pb_controller_unreached(control, call->run.p, &call->msg))
      cli_note(call->args, "warning: %s", call->msg.text);
  }
  const fb_horizon_text t = {.c = e->text.c, .o = &o, .measure = call->run.p->mpc.measure};
  if (status == CLI_DONE) cli_set_controller_prefix(call, e->prefix[0] ? e->prefix : NULL);
  if (status == CLI_DONE) status = write_horizon(e, &t);
  if (status == CLI_DONE) report_horizon(e, &t);
  cli_controller_close(&e->text);
  return status;
}

static int export_law(exporter *e) {
  choose_prefix(e->call, e->prefix);
  if (e->recedes) return export_horizon(e);
  int status = make_laws(e);
  if (status == CLI_DONE) cli_set_controller_prefix(e->call, e->prefix[0] ? e->prefix : NULL);
  if (status == CLI_DONE) status = write_text(e);
  if (status == CLI_DONE) status = write_trace(e);
  if (status == CLI_DONE) report_controller(e);
  cli_controller_close(&e->text);
  return status;
}

// why the code cannot compute p, if the controller needs it; NULL if it can
static const char *find_obstacle(const cli_call *call, char *text, size_t size) {
  const pb_problem *p = call->run.p;
  const bool steps = p->feedback.measure == FB_POSITIONS;
  dm_message why = {""};
  if (!p->feedback.exact) return NULL;
  const dm_status s = fb_mechanics_check(&p->robot.mechanism, &p->task.system,
                                         steps ? FB_OF_STEPS : FB_OF_VELOCITIES, &why);
  if (s == DM_OK) return NULL;
  snprintf(text, size,
           "feedback.momentum: exact: p of this robot cannot be computed on board: %.200s; use "
           "linear%s",
           why.text, steps ? ", or measure: velocity" : "");
  return text;
}

// the longest --prefix
enum { LONGEST = 40 };

// whether names of C and files may begin with it
static bool is_prefix(const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  static const char others[] = "0123456789_";
  // tables of the law, and headers of C that NAME.h would hide
  static const char *const taken[] = {"law",  "turns", "near",  "tree",   "y_d",    "G",     "P",
                                      "math", "stdio", "float", "stdint", "string", "limits"};
  if (!name[0] || !strchr(letters, name[0]) || strlen(name) > LONGEST) return false;
  for (const char *at = name; *at; at++)
    if (!strchr(letters, *at) && !strchr(others, *at)) return false;
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (!strcmp(name, taken[i])) return false;
  return true;
}

static int check_prefix(const cli_args *args) {
  if (!args->prefix || is_prefix(args->prefix)) return CLI_DONE;
  return cli_fail(args, CLI_INPUT,
                  "--prefix: found '%.60s', expected a letter, then letters, digits and _, at "
                  "most %d, and not a table of the law (law, G, y_d ..) or a header of C; try arm",
                  args->prefix, LONGEST);
}

int cli_export(cli_call *call) {
  const bool asked = strcmp(call->args->command->name, "export") == 0;
  const bool recedes = call->args->mpc || (!asked && call->run.p->verify.recedes);
  char text[640];
  if (recedes && !call->run.p->mpc.there)
    return cli_fail(call->args, CLI_INPUT,
                    "%s: --mpc: found no section 'mpc', expected one; try mpc: {horizon: 30}",
                    call->run.p->file.path);

  // reasons against export: the code cannot represent the controller, or it is not verified
  const char *why = recedes ? NULL : find_obstacle(call, text, sizeof text);
  if (why && asked) return cli_fail(call->args, CLI_INPUT, "%s: %s", call->run.p->file.path, why);
  bool forced = !why; // whether --force helps
  if (!why) {
    why = take_verified_cost(call, text, sizeof text);
    forced = !why;
  }
  if (!why && !call->args->force) why = find_doubt(call, recedes, text, sizeof text);

  // remove a controller made from other gains, and record the reason
  if (why) {
    cli_forget_controller(call);
    cli_json *o = cli_json_object(call->result, "controller");
    cli_json_text(o, "status", "refused");
    cli_json_text(o, "error", why);
    const char *force =
        asked ? "; --force exports it anyway" : "; dmoc export --force makes it anyway";
    cli_error("no controller: %s%s", why, forced ? force : "");
    return CLI_OUTCOME;
  }

  exporter e = {.call = call, .recedes = recedes};
  return export_law(&e);
}

static int export_command(const cli_args *args) {
  cli_call call;
  if (args->formula) return cli_formula_text(args);
  int status = cli_call_open(&call, args, true);
  call.written = cli_shown_again;
  if (status == CLI_DONE) status = check_prefix(args);
  if (status == CLI_DONE && call.run.p->phases.n)
    status = call.place.stored ? cli_phase_folders_export(&call) : cli_phases(&call, CLI_TO_EXPORT);
  else if (status == CLI_DONE)
    status = cli_walk(&call, CLI_TO_EXPORT);
  return cli_call_close(&call, status);
}

const cli_command cli_command_export = {
    .name = "export",
    .what = "the law as C99 for a robot: controller.c, .h, a trace and its replay",
    .usage = "PROBLEM|DIR [-o DIR] [--now] [--prefix NAME] [--single] [--all] [--mpc] [--force] "
             "[--formula NAME]",
    .run = export_command,
    .goal = CLI_TO_EXPORT,
    .phases = true,
};
