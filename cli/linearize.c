#include "lib/linearize.h"
#include "cli/commands.h"
#include "cli/job.h"
#include "cli/say.h"

#include <stdlib.h>

enum { TOLD = 24 }; // matrices of so many states are printed

// --knot, or all: the first and the last knot wanted
static int choose_knots(const cli_job *job, int *first, int *last) {
  *first = 0, *last = job->x->N - 1;
  if (!job->args->knot) return CLI_DONE;
  char *end;
  long k = strtol(job->args->knot, &end, 10);
  if (*end || end == job->args->knot || k < 0 || k > *last)
    return cli_fail(job->args, CLI_INPUT, "--knot takes a knot from 0 to %d, got '%s'", *last,
                    job->args->knot);
  *first = *last = (int)k;
  return CLI_DONE;
}

static void tell_matrix(cli_job *job, const char *name, const double *x, int rows, int cols) {
  fprintf(job->summary, "  %s\n", name);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < cols; j++) fprintf(job->summary, " %14.8g", x[i * cols + j]);
    fputc('\n', job->summary);
  }
}

// the first derivatives at one knot
typedef struct knot {
  dm_linearize *w;
  double *A, *B, *lambda_x, *lambda_u; // [nx x nx], [nx x nu], [nc x nx], [nc x nu]
} knot;

static dm_status differentiate(const dm_trajectory *x, int k, knot *d) {
  const double *q = x->q + (size_t)k * (size_t)x->n;
  DM_TRY(dm_linearize_step(d->w, q, q + x->n, x->u + (size_t)k * (size_t)x->nu,
                           x->lambda + (size_t)k * (size_t)x->nc, x->h, d->A, d->B));
  dm_linearize_multipliers(d->w, d->lambda_x, d->lambda_u);
  return DM_OK;
}

static int write_knots(cli_job *job, knot *d, FILE *f) {
  const dm_trajectory *x = job->x;
  int first, last, nx = 2 * x->n, nu = x->nu;
  int status = choose_knots(job, &first, &last);
  if (status != CLI_DONE) return status;
  cli_linearization_header(f, &job->names);
  for (int k = first; k <= last; k++) {
    dm_status s = differentiate(x, k, d);
    if (s != DM_OK) {
      dm_linearize_explain(&job->msg, s, d->w, k, job->names.coord);
      return cli_fail(job->args, cli_exit_of(s), "%s", job->msg.text);
    }
    cli_linearization_row(f, &job->names, k, k * x->h, d->A, d->B, d->lambda_x, d->lambda_u);
  }
  cli_json *o = cli_json_object(job->result, "linearization");
  cli_json_int(o, "first", first);
  cli_json_int(o, "last", last);
  cli_tell(job, "linearized", "knots %d to %d: A [%d x %d], B [%d x %d] in linearization.csv",
           first, last, nx, nx, nx, nu);
  if (!job->args->knot) return CLI_DONE;
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
    if (nx <= TOLD) tell_matrix(job, matrix[i].name, matrix[i].x, matrix[i].rows, matrix[i].cols);
  }
  return CLI_DONE;
}

static int linearize(cli_job *job) {
  size_t nx = 2 * (size_t)job->names.n, nu = (size_t)job->names.nu, nc = (size_t)job->names.nc;
  double *A = calloc((nx + nc) * (nx + nu), sizeof *A);
  knot d = {.A = A, .B = A + nx * nx, .lambda_x = A + nx * (nx + nu)};
  d.lambda_u = d.lambda_x + nc * nx;
  dm_status s = A ? dm_linearize_new(&d.w, &job->task->system) : DM_NO_MEMORY;
  FILE *f = NULL;
  int status = s == DM_OK ? CLI_DONE : cli_fail(job->args, CLI_FAULT, "%s", dm_status_text(s));
  if (status == CLI_DONE && !(f = cli_job_file(job, "linearization.csv"))) status = CLI_INPUT;
  if (status == CLI_DONE) status = write_knots(job, &d, f);
  dm_linearize_free(d.w);
  free(A);
  return status;
}

int cmd_linearize(const cli_args *args) {
  cli_job job;
  int status = cli_job_open(&job, args, true);
  if (status == CLI_DONE) status = cli_motion(&job);
  if (status == CLI_DONE) status = cli_stage(&job, "linearization", linearize(&job));
  return cli_job_close(&job, status);
}
