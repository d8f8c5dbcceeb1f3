#include "cli/results/linearization.h"

#include "cli/results/registry.h"

static void put_linearization_columns(FILE *f, const pb_names *names) {
  int nx = 2 * names->n;

  // A and B, row by row
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < nx; j++) {
      cli_put_state(f, ",A.", names, i);
      cli_put_state(f, ".", names, j);
    }
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < names->nu; j++) {
      cli_put_state(f, ",B.", names, i);
      cli_put_name(f, ".", names->input[j]);
    }

  // derivatives of impulses with respect to states and inputs
  for (int c = 0; c < names->nc; c++)
    for (int j = 0; j < nx; j++) {
      cli_put_name(f, ",lambda.", names->row[c]);
      cli_put_state(f, ".", names, j);
    }
  for (int c = 0; c < names->nc; c++)
    for (int j = 0; j < names->nu; j++) {
      cli_put_name(f, ",lambda.", names->row[c]);
      cli_put_name(f, ".", names->input[j]);
    }
}

void cli_linearization_row(FILE *f, const pb_names *names, int k, double t, const double *A,
                           const double *B, const double *lambda_x, const double *lambda_u) {
  int nx = 2 * names->n;

  // in the order of the columns
  cli_put_knot(f, k, t);
  cli_put_numbers(f, A, nx * nx);
  cli_put_numbers(f, B, nx * names->nu);
  cli_put_numbers(f, lambda_x, names->nc * nx);
  cli_put_numbers(f, lambda_u, names->nc * names->nu);
  fputc('\n', f);
}

const cli_result_file cli_file_linearization = {
    .name = "linearization.csv",
    .stage = "linearization",
    .part = CLI_PART_LINEARIZATION,
    .columns = "x1 = A x + B u to first order, x = (q, p), for the step from each knot to the "
               "next; lambda: derivatives of the step's constraint impulses by x and u.",
    .first = "k,t",
    .header = put_linearization_columns,
};

// --- second.csv ---

// entry (i, j), i <= j, of the symmetric matrix [xx xu; xu' uu] in (x,u)
static double find_second_derivative(const double *xx, const double *xu, const double *uu, int nx,
                                     int nu, int i, int j) {
  if (j < nx) return xx[i * nx + j];
  return i < nx ? xu[i * nu + j - nx] : uu[(i - nx) * nu + j - nx];
}

// the name of variable i of (x,u)
static void put_variable(FILE *f, const char *before, const pb_names *names, int i) {
  const int nx = 2 * names->n;
  if (i < nx) {
    cli_put_state(f, before, names, i);
  } else {
    fprintf(f, "%su.", before);
    cli_put_name(f, "", names->input[i - nx]);
  }
}

int cli_second_rows(FILE *f, const pb_names *names, int k, int state, const double *xx,
                    const double *xu, const double *uu) {
  int nx = 2 * names->n, nu = names->nu, count = 0;

  // the upper triangle, without zeros
  for (int i = 0; i < nx + nu; i++)
    for (int j = i; j < nx + nu; j++) {
      double value = find_second_derivative(xx, xu, uu, nx, nu, i, j);

      // most of them are 0
      if (value == 0) continue;
      fprintf(f, "%d", k);
      cli_put_state(f, ",", names, state);
      put_variable(f, ",", names, i);
      put_variable(f, ",", names, j);
      cli_put_number(f, ",", value);
      fputc('\n', f);
      count++;
    }
  return count;
}

const cli_result_file cli_file_second = {
    .name = "second.csv",
    .stage = "linearization",
    .part = CLI_PART_LINEARIZATION,
    .columns = "Second derivatives of x1 = f(x, u), x = (q, p): of a state by row and column, "
               "states or inputs. Those that are 0 are left out, and so is the other of two that "
               "are equal by symmetry.",
    .first = "k,state,row,column,value",
};
