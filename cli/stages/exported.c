#include "cli/stages/exported.h"

#include "cli/console/log.h"
#include "cli/stages/controller.h"
#include "control/codegen/controller.h"

#include <dlfcn.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// The output of the compiled controller at step k for measurements; with `timed`, at time t for
// measurements of a given age. With k below 0, the input before the first decision.
typedef void exported_call(int k, int timed, double t, double age, const double *y, double *u);

struct cli_exported {
  cli_call *call;
  fb_output_feedback *law;     // measurements; executed by the loop
  const fb_controller *before; // controller used before
  fb_controller by;
  bool timed;     // the code is called at arbitrary times
  bool computes;  // the code computes p from the given velocity
  int way, width; // measurement form; number of inputs of the code
  double *y, *u;  // [width + nu] inputs of the code; [nu] its output
  bool told;      // the time of the next measurement was given:
  double next[2]; // called at t with measurements of this age, s
  double t, age;  // the same for y
  void *library;  // handle of dlopen
  exported_call *entry;
  char name[160];        // name of the controller
  char folder[CLI_PATH]; // of the code
};

// -- the code

// a call of the function for this measurement form
static void put_exported_call(FILE *f, const fb_codegen *c, int way, bool timed) {
  fb_codegen_parameter list[FB_MAX_PARAMETERS];
  const int count = fb_codegen_parameters(c, way, list);
  const char *first = fb_codegen_any(c)->near ? "&path" : "k";
  fprintf(f, "controller_%s%s(%s", fb_codegen_way(way), timed ? "_at" : "",
          timed ? "(controller_real)t, (controller_real)age" : first);
  if (way == FB_ENCODERS) fputs(", &filter", f);
  if (way == FB_DIFFERENCE) fputs(", &rates", f);
  if (fb_codegen_watches(c, way)) fputs(", &guard", f);
  if (fb_codegen_any(c)->f.rate_limit) fputs(", &last", f);
  for (int i = 0, at = 0; i < count; at += list[i++].n) {
    // the code stores its kept states
    if (!strcmp(list[i].name, "integral") || !strcmp(list[i].name, "motor"))
      fprintf(f, ", %s", list[i].name);
    else
      fprintf(f, ", y + %d", at);
  }
  fputs(", u);\n", f);
}

// a wrapper around one controller function, in double precision
static void write_exported_entry(FILE *f, const fb_codegen *c, int way) {
  fputs("#include \"controller.h\"\n", f);

  // persistent state of the controller
  const fb_tvlqr *s = &fb_codegen_any(c)->f;
  const int ni = s->ni, nl = way == FB_ENCODERS ? 0 : s->nl;
  if (way == FB_ENCODERS) fputs("static controller_filter filter;\n", f);
  if (way == FB_DIFFERENCE) fputs("static controller_rates rates;\n", f);
  if (ni) fprintf(f, "static controller_real integral[%d];\n", ni);
  if (nl) fprintf(f, "static controller_real motor[%d];\n", nl);
  const bool watches = fb_codegen_watches(c, way);
  if (watches) fputs("static controller_guard guard;\n", f);
  const bool follows = fb_codegen_any(c)->near != NULL;
  if (follows) fputs("static controller_path path;\n", f);
  const bool slews = fb_codegen_any(c)->f.rate_limit != NULL;
  if (slews) fputs("static controller_output last;\n", f);

  // the entry point: copy the measurements
  fprintf(f,
          "void dmoc_call(int k, int timed, double t, double age, const double *given, double "
          "*wanted);\n"
          "void dmoc_call(int k, int timed, double t, double age, const double *given, double "
          "*wanted) {\n"
          "  controller_real y[%d], u[CONTROLLER_NU];\n  int i;\n  (void)t, (void)age, "
          "(void)timed;\n"
          "  for (i = 0; i < %d; i++) y[i] = (controller_real)given[i];\n",
          fb_codegen_width(c, way), fb_codegen_width(c, way));

  // reset the state at the first step
  if (way == FB_ENCODERS) fputs("  if (k <= 0) controller_begin(&filter);\n", f);
  if (way == FB_DIFFERENCE) fputs("  if (k <= 0) controller_forget(&rates);\n", f);
  if (watches) fputs("  if (k <= 0) controller_reset(&guard);\n", f);
  if (follows) fputs("  if (k <= 0) controller_enter(&path);\n", f);
  if (slews) fputs("  if (k <= 0) controller_start(&last);\n", f);

  if (ni) fprintf(f, "  for (i = 0; k == 0 && i < %d; i++) integral[i] = 0;\n", ni);
  if (nl) fprintf(f, "  for (i = 0; k == 0 && i < %d; i++) motor[i] = 0;\n", nl);

  // the input before the first decision; by time; by step
  fputs("  ", f);
  if (fb_codegen_any(c)->f.late) fputs("if (k < 0) controller_first(u);\n  else ", f);
  if (!follows) {
    fputs("if (timed) ", f);
    put_exported_call(f, c, way, true);
    fputs("  else ", f);
  }
  put_exported_call(f, c, way, false);
  // the kept states after that time, under the input that acted: a late one is under way
  char words[96], under[32] = "u";
  if (s->late) snprintf(under, sizeof under, "y + %d", fb_codegen_width(c, way) - s->nu);
  snprintf(words, sizeof words, "%s%s%s%s%s", ni && slews ? "&last, " : "", ni ? "y, " : "", under,
           ni ? ", integral" : "", nl ? ", motor" : "");
  if (ni + nl && s->late) fputs("  if (k < 0) i = 0;\n  else", f);
  if (ni + nl && !follows)
    fprintf(f, "  if (timed) controller_integrate_at(t, age, %s);\n  else", words);
  if (ni + nl) fprintf(f, "  controller_integrate(k, %s);\n", words);
  fputs("  for (i = 0; i < CONTROLLER_NU; i++) wanted[i] = (double)u[i];\n}\n", f);
}

static void name_exported(char path[CLI_PATH], const cli_exported *e, const char *name) {
  snprintf(path, CLI_PATH, "%.4300s/%.40s", e->folder, name);
}

// write one file of the code
static int write_exported_file(cli_exported *e, const char *name, const fb_codegen *c,
                               void (*write)(FILE *f, const fb_codegen *c)) {
  char path[CLI_PATH];
  name_exported(path, e, name);
  FILE *f = fopen(path, "w");
  if (f && write) write(f, c);
  if (f && !write) write_exported_entry(f, c, e->way);
  bool failed = !f || ferror(f);
  if (f && fclose(f)) failed = true;
  return failed ? cli_fail(e->call->args, CLI_INPUT, "%s cannot be written", path) : CLI_DONE;
}

static int write_exported_text(cli_exported *e, const fb_codegen *c) {
  int status = write_exported_file(e, "controller.h", c, fb_controller_header);
  if (status == CLI_DONE) status = write_exported_file(e, "controller.c", c, fb_controller_source);
  if (status == CLI_DONE) status = write_exported_file(e, "entry.c", c, NULL);
  return status;
}

// -- the compiler

// run a compiler; returns its exit status, or -1 if it does not exist
static int run_compiler(const cli_exported *e, const char *cc) {
  char controller[CLI_PATH], entry[CLI_PATH], out[CLI_PATH];
  name_exported(controller, e, "controller.c");
  name_exported(entry, e, "entry.c");
  name_exported(out, e, "controller.so");

  // no fused multiply-add, as the code itself requests; libm for sines in computed momenta
  const char *const words[] = {cc,      "-std=c99", "-O1",      "-ffp-contract=off",
                               "-fPIC", "-shared",  controller, entry,
                               "-o",    out,        "-lm",      NULL};
  pid_t child;
  int status;
  if (posix_spawnp(&child, cc, NULL, NULL, (char *const *)words, environ) != 0) return -1;
  while (waitpid(child, &status, 0) < 0) continue;
  if (!WIFEXITED(status)) return 1;
  return WEXITSTATUS(status) == 127 ? -1 : WEXITSTATUS(status);
}

// whether calls are between knots, or use delayed measurements
static bool is_asked_by_time(const cli_exported *e) {
  const double *size = e->call->run.p->verify.robust.set.size;
  return e->timed && (size[FB_DELAY] > 0 || size[FB_OFF] > 0);
}

// use the first available compiler
static int compile_exported(cli_exported *e) {
  char at[PB_PLACE];
  const char *const own = getenv("CC");
  const char *const names[] = {own && own[0] && !strchr(own, ' ') ? own : "cc", "cc", "gcc",
                               "clang"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    int status = run_compiler(e, names[i]);
    if (status < 0) continue;
    snprintf(e->name, sizeof e->name, "controller_%s%s of controller.c, compiled by %.64s",
             fb_codegen_way(e->way), is_asked_by_time(e) ? "_at" : "", names[i]);
    if (status == 0) return CLI_DONE;
    return cli_fail(e->call->args, CLI_INPUT,
                    "verify.plants: found exported, but %.64s does not compile controller.c: exit "
                    "status %d",
                    names[i], status);
  }
  return cli_fail(e->call->args, CLI_INPUT,
                  "%s: verify.plants: found exported, and no C compiler: looked for cc, gcc and "
                  "clang; install one, or say plants: own",
                  pb_problem_at(e->call->run.p, "verify.plants", at));
}

static int load_exported(cli_exported *e) {
  char path[CLI_PATH];
  name_exported(path, e, "controller.so");
  e->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *found = e->library ? dlsym(e->library, "dmoc_call") : NULL;
  if (!found)
    return cli_fail(e->call->args, CLI_FAULT, "the compiled controller.c cannot be loaded: %s",
                    dlerror());
  memcpy(&e->entry, &found, sizeof e->entry);
  return CLI_DONE;
}

// -- the loop

// see fb_controller: for the code, and for the library's controller, which records integrals and
// delays
static void date_exported(void *self, double t, double age) {
  cli_exported *e = self;
  e->told = true;
  e->next[0] = t;
  e->next[1] = age;
  fb_output_feedback_date(e->law, t, age);
}

static void look_back_exported(void *self, const double *x) {
  const cli_exported *e = self;
  fb_output_feedback_look_back(e->law, x);
}

// write the output of step k to e->y
static void call_exported(cli_exported *e, int k, double *u) {
  const double on_time = k * e->law->f.h;
  const bool timed = e->timed && (e->t != on_time || e->age > 0);
  e->entry(k, timed, e->t, e->age, e->y, u);
}

// the arguments of the code, without a pending input: those of encoders, or q, then v, or q and
// forces of a step before, unless the code computes these
static void take_arguments(cli_exported *e) {
  const fb_output_feedback *w = e->law;
  const fb_estimator *estimator = e->call->run.control.estimator;
  const size_t n = (size_t)w->n, nf = (size_t)w->nf;
  const size_t rest = (size_t)(w->ny - w->f.late * w->f.nu) - 2 * n;
  double *at = e->y + n;
  if (estimator) {
    memcpy(e->y, estimator->y, (size_t)estimator->ny * sizeof *e->y);
    return;
  }
  memcpy(e->y, w->y, n * sizeof *e->y);
  if (e->computes && e->way == FB_POSITIONS) {
    memcpy(at, w->before, n * sizeof *at);
    memcpy(at + n, w->force, nf * sizeof *at);
    at += n + nf;
  } else if (e->way != FB_DIFFERENCE) {
    memcpy(at, e->computes ? w->v : w->y + n, n * sizeof *at);
    at += n;
  }
  memcpy(at, w->y + 2 * n, rest * sizeof *at);
}

// see fb_controller: same order as in control/feedback/output_feedback.h
static dm_status decide_by_exported(void *self, int k, const double *x, double *u) {
  cli_exported *e = self;
  fb_output_feedback *w = e->law;
  const size_t nu = (size_t)w->f.nu;

  // a delayed input is based on the previous knot, with the input since then as the pending one
  if (w->f.late) {
    memcpy(e->y + e->width - w->f.nu, u, nu * sizeof *u);
    if (k > 0) fb_output_feedback_decide(w, k - 1, NULL, w->decided); // for what a sample tells
    call_exported(e, k - 1, e->u);
  }

  // current measurements
  DM_TRY(fb_output_feedback_measure(w, k, x, w->q, u));
  memcpy(w->q, w->y, (size_t)w->n * sizeof *x);
  take_arguments(e);

  // time of the measurement shown at knot k, and time of the call
  e->t = e->told ? e->next[0] : k * e->law->f.h;
  e->age = e->told ? e->next[1] : 0;
  e->told = false;

  if (!w->f.late) {
    fb_output_feedback_decide(w, k, NULL, w->decided); // for sample statistics
    call_exported(e, k, e->u);
  }
  memcpy(u, e->u, nu * sizeof *u);
  return DM_OK;
}

void cli_exported_begin(cli_exported *e) {
  e->law->f.by = &e->by;
}

void cli_exported_end(cli_exported *e) {
  e->law->f.by = e->before;
}

const char *cli_exported_law(const cli_exported *e) {
  return e->name;
}

// -- compilation

// compile and load the code in a temporary folder
static int build_exported(cli_exported *e) {
  const cli_call *call = e->call;
  const char *place = getenv("TMPDIR");
  bool form[FB_FORMS] = {false};
  form[call->run.p->feedback.measure] = true;

  // the exported controller
  cli_controller text;
  int status = cli_controller_open(&text, e->call, form, (cli_controller_names){.prefix = NULL});
  const fb_codegen *c = text.c;

  // its measurement form
  e->way = call->run.control.estimator ? FB_ENCODERS : (int)call->run.p->feedback.measure;
  if (status == CLI_DONE) {
    e->width = fb_codegen_width(c, e->way);
    e->computes = fb_codegen_computes_momentum(c, e->way);
    e->timed = !e->law->near;
    e->y = calloc((size_t)(e->width + 2 * e->law->f.nu), sizeof *e->y);
    if (e->y)
      e->u = e->y + e->width + e->law->f.nu;
    else
      status = cli_fail(call->args, CLI_FAULT, "out of memory");
  }

  // write, compile, load
  snprintf(e->folder, sizeof e->folder, "%.4000s/dmoc-XXXXXX", place && place[0] ? place : "/tmp");
  if (status == CLI_DONE && !mkdtemp(e->folder)) {
    status = cli_fail(call->args, CLI_INPUT, "no folder for the compiled law in %.200s", e->folder);
    e->folder[0] = 0;
  }
  if (status == CLI_DONE) status = write_exported_text(e, c);
  if (status == CLI_DONE) status = compile_exported(e);
  if (status == CLI_DONE) status = load_exported(e);

  // remove the exported files
  static const char *const files[] = {"controller.h", "controller.c", "entry.c", "controller.so"};
  char path[CLI_PATH];
  if (e->folder[0]) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
      name_exported(path, e, files[i]);
      unlink(path);
    }
    rmdir(e->folder);
  }

  cli_controller_close(&text);
  return status;
}

int cli_exported_open(cli_exported **out, cli_call *call) {
  *out = NULL;
  cli_exported *e = calloc(1, sizeof *e);
  if (!e) return cli_fail(call->args, CLI_FAULT, "out of memory");

  // replace the library's controller by the compiled one
  e->call = call;
  e->law = call->run.control.law;
  e->before = call->run.control.law->f.by;
  e->by = (fb_controller){.self = e, .input = decide_by_exported, .date = date_exported};
  if (call->run.control.law->controller.look_back) e->by.look_back = look_back_exported;
  int status = build_exported(e);
  if (status == CLI_DONE)
    *out = e;
  else
    cli_exported_close(e);
  return status;
}

void cli_exported_close(cli_exported *e) {
  if (!e) return;
  if (e->library) dlclose(e->library);
  free(e->y);
  free(e);
}
