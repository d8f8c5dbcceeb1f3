#include "lib/linearize.h"
#include "cli/commands.h"
#include "cli/job.h"
#include "cli/say.h"

#include <stdlib.h>

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

static void tell_matrix(cli_job *job, char name, const double *x, int rows, int cols) {
  fprintf(job->summary, "  %c\n", name);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < cols; j++) fprintf(job->summary, " %14.8g", x[i * cols + j]);
    fputc('\n', job->summary);
  }
}

static int write_knots(cli_job *job, dm_linearize *w, double *A, double *B, FILE *f) {
  const dm_trajectory *x = job->x;
  int first, last, n = x->n, nu = x->nu;
  int status = choose_knots(job, &first, &last);
  if (status != CLI_DONE) return status;
  cli_linearization_header(f, &job->names);
  for (int k = first; k <= last; k++) {
    const double *q = x->q + (size_t)k * (size_t)n;
    dm_status s = dm_linearize_step(w, q, q + n, x->u + (size_t)k * (size_t)nu, NULL, x->h, A, B);
    if (s != DM_OK) return cli_fail(job->args, cli_exit_of(s), "knot %d: %s", k, dm_status_text(s));
    cli_linearization_row(f, &job->names, k, k * x->h, A, B);
  }
  cli_json *o = cli_json_object(job->result, "linearization");
  cli_json_int(o, "first", first);
  cli_json_int(o, "last", last);
  cli_tell(job, "linearized", "knots %d to %d: A [%d x %d], B [%d x %d] in linearization.csv",
           first, last, 2 * n, 2 * n, 2 * n, nu);
  if (!job->args->knot) return CLI_DONE;
  cli_json_matrix(o, "A", A, 2 * n, 2 * n);
  cli_json_matrix(o, "B", B, 2 * n, nu);
  tell_matrix(job, 'A', A, 2 * n, 2 * n);
  tell_matrix(job, 'B', B, 2 * n, nu);
  return CLI_DONE;
}

static int linearize(cli_job *job) {
  size_t nx = 2 * (size_t)job->names.n, nu = (size_t)job->names.nu;
  dm_linearize *w = NULL;
  double *A = calloc(nx * (nx + nu), sizeof *A);
  dm_status s = A ? dm_linearize_new(&w, &job->task->system) : DM_NO_MEMORY;
  FILE *f = NULL;
  int status = s == DM_OK ? CLI_DONE : cli_fail(job->args, CLI_FAULT, "%s", dm_status_text(s));
  if (status == CLI_DONE && !(f = cli_job_file(job, "linearization.csv"))) status = CLI_INPUT;
  if (status == CLI_DONE) status = write_knots(job, w, A, A + nx * nx, f);
  dm_linearize_free(w);
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
