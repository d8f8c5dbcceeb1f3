#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/log.h"
#include "cli/results/linearization.h"
#include "cli/results/registry.h"
#include "cli/results/sentences.h"
#include "cli/stages/call.h"
#include "lib/base/dense.h"
#include "lib/discrete/contact_linearize.h"

#include <stdlib.h>

enum {
  TOLD = 24,
  MOST_NUMBERS = 20000000
}; // states of a matrix that is printed; numbers in second.csv

// --knot, or all: the first and the last knot
static int choose_knots(const cli_call *call, int *first, int *last) {
  *first = 0;
  *last = call->run.x->N - 1;
  if (!call->args->knot) return CLI_DONE;

  // a knot at which a step begins
  char *end;
  long k = strtol(call->args->knot, &end, 10);
  if (*end || end == call->args->knot || k < 0 || k > *last)
    return cli_fail(call->args, CLI_INPUT, "--knot takes a knot from 0 to %d, got '%s'", *last,
                    call->args->knot);
  *first = *last = (int)k;
  return CLI_DONE;
}

static void tell_matrix(cli_call *call, const char *name, const double *x, int rows, int cols) {
  fprintf(call->summary.file, "  %s\n", name);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < cols; j++) fprintf(call->summary.file, " %14.8g", x[i * cols + j]);
    fputc('\n', call->summary.file);
  }
}

// first derivatives at one knot
typedef struct knot {
  dm_contact_linearize *w;
  unsigned char *entry;                // [(N+1) x laws] entries of contacts; NULL: none
  double *A, *B, *lambda_x, *lambda_u; // [nx x nx], [nx x nu], [nc x nx], [nc x nu]
} knot;

static dm_status differentiate_knot(const dm_trajectory *x, int k, knot *d) {
  const double *q = dm_row(x->q, k, x->n);
  DM_TRY(dm_contact_linearize_step(
      d->w, q, q + x->n, dm_row(x->u, k, x->nu), dm_row(x->lambda, k, x->nc),
      dm_trajectory_step(x, k), dm_row(x->contact, k, x->nr),
      d->entry ? dm_row(d->entry, k, d->w->laws->n) : NULL, d->A, d->B));
  dm_linearize_multipliers(d->w->step, d->lambda_x, d->lambda_u);
  return DM_OK;
}

static int write_knots(cli_call *call, knot *d, int first, int last, FILE *f) {
  const dm_trajectory *x = call->run.x;
  int nx = 2 * x->n, nu = x->nu;

  // 1  A, B and the derivatives of impulses, one row per knot
  cli_table_begin(f, &cli_file_linearization, &call->run.p->names);
  for (int k = first; k <= last; k++) {
    dm_status s = differentiate_knot(x, k, d);
    if (s != DM_OK) {
      dm_linearize_explain(&call->msg, s, d->w->step, k, call->run.p->names.coord);
      return cli_fail(call->args, cli_exit_of(s), "%s", call->msg.text);
    }
    cli_linearization_row(f, &call->run.p->names, k, dm_trajectory_time(x, k), d->A, d->B,
                          d->lambda_x, d->lambda_u);
  }

  // 2  report the range of knots
  cli_json *o = cli_json_object(call->result, "linearization");
  cli_json_int(o, "first", first);
  cli_json_int(o, "last", last);
  char sizes[64];
  snprintf(sizes, sizeof sizes, "A [%d x %d], B [%d x %d]", nx, nx, nx, nu);
  cli_json_text(o, "~sizes", sizes);
  cli_tell_group(call->summary.file, "linearization", o);
  if (!call->args->knot) return CLI_DONE;

  // 3  for a single knot, print the matrices if they fit on a screen
  const struct {
    const char *name;
    const double *x;
    int rows, cols;
  } matrix[] = {{"A", d->A, nx, nx},
                {"B", d->B, nx, nu},
                {"lambda_x", d->lambda_x, x->nc, nx},
                {"lambda_u", d->lambda_u, x->nc, nu}};
  for (int i = 0; i < (x->nc ? 4 : 2); i++) {
    cli_json_matrix(o, matrix[i].name, matrix[i].x, matrix[i].rows, matrix[i].cols);
    if (nx <= TOLD) tell_matrix(call, matrix[i].name, matrix[i].x, matrix[i].rows, matrix[i].cols);
  }
  return CLI_DONE;
}

// write the second derivatives at knot k for each state; *count: numbers written so far
static dm_status write_tensor(cli_call *call, knot *d, int k, FILE *f, double *work, long *count) {
  size_t nx = 2 * (size_t)call->run.x->n, nu = (size_t)call->run.x->nu;
  double *xx = work, *xu = xx + nx * nx, *uu = xu + nx * nu;
  DM_TRY(differentiate_knot(call->run.x, k, d));

  // for state i: z_xx [nx x nx], z_xu [nx x nu], z_uu [nu x nu] of x1_i
  for (int i = 0; i < (int)nx; i++) {
    dm_status s = dm_trajectory_linearize_state(call->run.x, k, d->w->step, i, xx, xu, uu);
    if (s != DM_OK) return s;
    *count += cli_second_rows(f, &call->run.p->names, k, i, xx, xu, uu);
  }
  return DM_OK;
}

static int write_second(cli_call *call, knot *d, int first, int last) {
  size_t nx = 2 * (size_t)call->run.p->names.n, nu = (size_t)call->run.p->names.nu;
  double *work = calloc((nx + nu) * (nx + nu), sizeof *work);
  FILE *f = cli_call_file(call, "second.csv");
  long count = 0;
  int status = f ? CLI_DONE : CLI_INPUT;
  if (f && !work) status = cli_fail(call->args, CLI_FAULT, "out of memory");

  // one knot at a time, to limit memory
  if (status == CLI_DONE) cli_table_begin(f, &cli_file_second, NULL);
  for (int k = first; status == CLI_DONE && k <= last; k++) {
    // extrapolate the total size from the first knot
    dm_status s = write_tensor(call, d, k, f, work, &count);
    double all = (double)count * (last + 1 - first);
    if (s != DM_OK)
      status = cli_fail(call->args, cli_exit_of(s), "knot %d: %s", k, dm_status_text(s));
    else if (k == first && all > MOST_NUMBERS)
      status = cli_fail(
          call->args, CLI_INPUT,
          "--second: some %.1g numbers at %d knots are too many; choose one knot by --knot", all,
          last + 1 - first);
  }
  free(work);
  if (status == CLI_DONE) cli_tell(call, "second", "%ld numbers in second.csv", count);
  return status;
}

// The states of contacts along the motion; refuses second derivatives and constraints beside them.
static int read_contacts(cli_call *call, knot *d) {
  const dm_system *s = &call->run.p->task.system;
  dm_contact_verdict verdict;
  if (!s->contacts) return CLI_DONE;
  if (call->args->second || s->hol.nc)
    return cli_fail(call->args, CLI_INPUT,
                    "%s plans through contact or dry friction ('%s'): found %s, expected first "
                    "derivatives without constraints",
                    call->run.p->file.path, s->contacts->law[0].name,
                    call->args->second ? "--second" : "constraints");
  d->entry = calloc(((size_t)call->run.x->N + 1) * (size_t)s->contacts->n, 1);
  const dm_status status =
      d->entry ? dm_contact_check(call->run.x, s, d->entry, &verdict) : DM_NO_MEMORY;
  return status == DM_OK ? CLI_DONE : cli_fail_status(call->args, status, NULL);
}

static int linearize_knots(cli_call *call) {
  size_t nx = 2 * (size_t)call->run.p->names.n, nu = (size_t)call->run.p->names.nu,
         nc = (size_t)call->run.p->names.nc;

  // A [nx x nx], B [nx x nu], lambda_x [nc x nx], lambda_u [nc x nu], one after the other
  double *A = calloc((nx + nc) * (nx + nu), sizeof *A);
  knot d = {.A = A};
  if (A) {
    d.B = A + nx * nx;
    d.lambda_x = A + nx * (nx + nu);
    d.lambda_u = d.lambda_x + nc * nx;
  }
  dm_status s = A ? dm_contact_linearize_new(&d.w, &call->run.p->task.system) : DM_NO_MEMORY;
  FILE *f = NULL;
  int first, last;

  // choose the knots, then second derivatives and controllability at the same knots
  int status = s == DM_OK ? CLI_DONE : cli_fail(call->args, CLI_FAULT, "%s", dm_status_text(s));
  if (status == CLI_DONE) status = choose_knots(call, &first, &last);
  if (status == CLI_DONE) status = read_contacts(call, &d);
  cli_forget(call, "linearization"); // except files made again
  if (status == CLI_DONE && !(f = cli_call_file(call, "linearization.csv"))) status = CLI_INPUT;
  if (status == CLI_DONE) status = write_knots(call, &d, first, last, f);
  if (status == CLI_DONE && call->args->second) status = write_second(call, &d, first, last);
  // directions that contacts remove have no rank to be compared with
  if (status == CLI_DONE && !d.entry) status = cli_controllability(call, first, last);
  if (status != CLI_DONE) cli_forget(call, "linearization"); // discard partial results
  dm_contact_linearize_free(d.w);
  free(d.entry);
  free(A);
  return status;
}

static int linearize_motion(const cli_args *args) {
  cli_call call;
  int status = cli_call_open(&call, args, true);
  call.written = cli_shown_again;
  if (status == CLI_DONE) status = cli_motion(&call);
  if (status == CLI_DONE) status = cli_call_save(&call);
  if (status == CLI_DONE) status = cli_stage(&call, "linearization", linearize_knots(&call));
  return cli_call_close(&call, status);
}

const cli_command cli_command_linearize = {
    .name = "linearize",
    .what = "A, B of every knot, as CSV; controllability and observability",
    .usage = "PROBLEM|DIR [-o DIR] [--now] [--knot K] [--second] [--window W] [--outputs NAMES]",
    .run = linearize_motion,
};
