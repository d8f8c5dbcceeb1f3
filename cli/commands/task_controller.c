#include "cli/commands/task_controller.h"

#include "cli/commands/stages.h"
#include "cli/console/log.h"
#include "cli/stages/controller.h"
#include "control/codegen/phases.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct task_controller {
  cli_call *call;
  int n;                  // phases
  cli_controller *of;     // [n]
  char (*end)[16];        // [n] ends of table names
  const fb_codegen **law; // [n]
  double *length;         // [n] s
  fb_phases phases;
} task_controller;

int cli_task_names(cli_call *call) {
  const pb_phases *p = &call->run.p->phases;
  char a[CLI_PHASE_NAME], b[CLI_PHASE_NAME];
  for (int i = 0; i < p->n; i++)
    for (int j = 0; j < i; j++) {
      cli_phase_identifier(p->name[i], a);
      cli_phase_identifier(p->name[j], b);
      if (strcasecmp(a, b) != 0) continue;
      cli_error("no controller: phases '%s' and '%s' have the same name in C, %s; rename one",
                p->name[j], p->name[i], a);
      return CLI_OUTCOME;
    }
  return CLI_DONE;
}

static int alloc_task(task_controller *t) {
  const size_t n = (size_t)t->n;
  t->of = calloc(n, sizeof *t->of);
  t->end = calloc(n, sizeof *t->end);
  t->law = calloc(n, sizeof *t->law);
  t->length = calloc(n, sizeof *t->length);
  if (t->of && t->end && t->law && t->length) return CLI_DONE;
  return cli_fail(t->call->args, CLI_FAULT, "out of memory");
}

static void free_task(task_controller *t) {
  for (int i = 0; t->of && i < t->n; i++) cli_controller_close(&t->of[i]);
  free(t->of);
  free(t->end);
  free(t->law);
  free(t->length);
}

// make the law of a phase once more, with names of the task
static int open_law(task_controller *t, int i, cli_call *phase) {
  bool form[FB_FORMS];
  snprintf(t->end[i], sizeof t->end[i], "_%d", i);
  for (int k = 0; k < FB_FORMS; k++)
    form[k] = t->call->args->all || k == (int)phase->run.p->feedback.measure;
  const cli_controller_names names = {.prefix = t->call->args->prefix, .end = t->end[i]};
  const int status = cli_controller_open(&t->of[i], phase, form, names);
  const pb_run *run = &phase->run;
  t->law[i] = t->of[i].c;
  t->length[i] = (run->x->N - run->rest.steps) * run->x->h;
  return status;
}

// the first phase without a controller; NULL: all have one
static const char *find_phase_without(const cli_call *call, cli_call *const *phase) {
  for (int i = 0; i < call->run.p->phases.n; i++) {
    const cli_json *o = cli_json_get_object(phase[i]->result, "controller");
    const char *status = cli_json_get_text(o, "status");
    if (!status || strcmp(status, "done") != 0) return call->run.p->phases.name[i];
  }
  return NULL;
}

static int write_task(task_controller *t) {
  cli_set_controller_prefix(t->call, t->call->args->prefix);
  FILE *header = cli_call_file(t->call, "controller.h");
  FILE *source = header ? cli_call_file(t->call, "controller.c") : NULL;
  if (!source) return CLI_INPUT;
  fb_phases_header(header, &t->phases);
  fb_phases_source(source, &t->phases);

  cli_json *o = cli_json_object(t->call->result, "controller");
  const char *names[FB_FORMS];
  int n = 0;
  for (int form = 0; form < FB_FORMS; form++)
    if (fb_codegen_has(t->law[0], form)) names[n++] = fb_codegen_way(form);
  cli_json_text(o, "status", "done");
  if (t->call->args->prefix) cli_json_text(o, "prefix", t->call->args->prefix);
  cli_json_names(o, "forms", names, n);
  cli_json_text(o, "precision", t->law[0]->set.single ? "single" : "double");
  cli_json_int(o, "table_bytes", fb_phases_bytes(&t->phases));
  cli_json_int(o, "stack_bytes", fb_phases_stack(&t->phases));
  return CLI_DONE;
}

// only the phases have controllers
static int refuse_task(cli_call *call, const char *why) {
  cli_forget_controller(call);
  cli_json *o = cli_json_object(call->result, "controller");
  cli_json_text(o, "status", "refused");
  cli_json_text(o, "error", why);
  return CLI_DONE;
}

int cli_task_export(cli_call *call, cli_call *const *phase) {
  task_controller t = {.call = call, .n = call->run.p->phases.n};
  char text[160];
  const char *without = find_phase_without(call, phase);
  if (without) {
    snprintf(text, sizeof text, "phase '%.64s' has no controller", without);
    return refuse_task(call, text);
  }
  if (t.n < 2 && !call->run.p->phases.periodic) return refuse_task(call, "there is only one phase");

  int status = alloc_task(&t);
  for (int i = 0; status == CLI_DONE && i < t.n; i++) status = open_law(&t, i, phase[i]);
  t.phases = (fb_phases){.n = t.n,
                         .repeats = call->run.p->phases.periodic,
                         .law = t.law,
                         .name = call->run.p->phases.name,
                         .length = t.length,
                         .task = call->run.p->file.name,
                         .sha256 = call->run.p->file.sha256};
  if (status == CLI_DONE) {
    const dm_status s = fb_phases_check(&t.phases, &call->msg);
    status = s == DM_OK ? write_task(&t) : refuse_task(call, call->msg.text);
  }
  free_task(&t);
  return status;
}

void cli_task_tell(cli_call *call) {
  const cli_json *o = cli_json_get_object(call->result, "controller");
  const char *why = cli_json_get_text(o, "error"), *prefix = cli_json_get_text(o, "prefix");
  if (why)
    cli_tell(call, "controller", "one per phase: %s", why);
  else if (o)
    cli_tell(call, "controller", "%s.c for the whole task, %d bytes of tables in %s precision",
             prefix ? prefix : "controller", cli_json_get_int(o, "table_bytes", 0),
             cli_json_get_text(o, "precision"));
}
