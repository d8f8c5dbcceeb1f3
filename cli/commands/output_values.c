#include "cli/commands/output_values.h"

#include "cli/console/answer.h"
#include "cli/console/log.h"
#include "lib/mechanics/driven_output.h"
#include "problems/readers/model/outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// outputs with their values and derivatives at a state
typedef struct output_values {
  const pb_outputs *o;
  const dm_model *m; // external
  dm_output_map y;
  void *scratch;
  double *h;      // [y.ny]
  double *D[2];   // [y.ny x nq] with respect to q, v
  double *H[3];   // [nq x nq] of a row, with respect to (q,q), (q,v), (v,v)
  double *lambda; // [y.ny]
} output_values;

static void free_values(output_values *w) {
  free(w->scratch);
  free(w->h);
  for (int i = 0; i < 2; i++) free(w->D[i]);
  for (int i = 0; i < 3; i++) free(w->H[i]);
  free(w->lambda);
}

static dm_status open_values(output_values *w, const pb_robot *robot, const pb_outputs *o) {
  *w = (output_values){.o = o,
                       .m = robot->mechanism.model,
                       .y = o == &robot->outputs ? pb_robot_outputs(robot)
                                                 : pb_outputs_functions(o, robot->mechanism.model)};
  const size_t rows = (size_t)w->y.ny, n = (size_t)w->m->nq;
  const size_t of_step = dm_driven_outputs_scratch(&w->y, w->m->nu);
  w->scratch = aligned_alloc(64, (of_step > w->y.scratch ? of_step : w->y.scratch) + 64);
  w->h = calloc(rows + 1, sizeof *w->h);
  w->lambda = calloc(rows + 1, sizeof *w->lambda);
  bool whole = w->scratch && w->h && w->lambda;
  for (int i = 0; i < 2; i++) {
    w->D[i] = calloc(rows * n + 1, sizeof(double));
    whole = whole && w->D[i];
  }
  for (int i = 0; i < 3; i++) {
    w->H[i] = calloc(n * n + 1, sizeof(double));
    whole = whole && w->H[i];
  }
  if (whole) return DM_OK;
  free_values(w);
  return DM_NO_MEMORY;
}

// evaluate values at q, v and u, and first derivatives; NAN if undefined
static void evaluate_values(output_values *w, const double *q, const double *v, const double *u,
                            bool derivatives) {
  const int entries = w->y.ny * w->m->nq;
  for (int i = 0; i < entries; i++) w->D[0][i] = w->D[1][i] = NAN;
  if (derivatives) dm_output_map_eval(&w->y, w->scratch, q, v, w->h, w->D[0], w->D[1]);

  // a value may exist without a derivative
  for (int i = 0; i < w->y.ny; i++) w->h[i] = NAN;
  dm_output_map_eval(&w->y, w->scratch, q, v, w->h, NULL, NULL);
  const dm_step at = {.q0 = q, .q1 = v, .u = u, .h = NAN, .time = {NAN, NAN}};
  if (v && u) dm_driven_outputs_now(&w->y, w->m->nu, w->scratch, &at, w->h);
}

static const char *find_row_name(const output_values *w, int row) {
  return dm_output_map_name(&w->y, row);
}

// the unit after a value, with a leading space
static const char *find_row_unit(const output_values *w, int row) {
  const char *unit = dm_outputs_unit(w->o->rows, row);
  return unit[0] == '1' ? "" : unit;
}

// --- info: all outputs of a file at q = 0

// values of the outputs of a file at q = 0, with identity quaternions
static dm_status open_at_zero(output_values *w, const pb_robot *robot) {
  const dm_model *m = robot->mechanism.model;
  DM_TRY(open_values(w, robot, &robot->outputs));
  double *q = calloc(2 * (size_t)m->nq + 1, sizeof *q);
  if (!q) {
    free_values(w);
    return DM_NO_MEMORY;
  }
  for (int k = 0; m->quaternion && k < m->nball; k++) q[m->quaternion[k]] = 1;
  evaluate_values(w, q, q + m->nq, NULL, false); // at rest
  free(q);
  return DM_OK;
}

cli_json *cli_output_values_describe(const pb_robot *robot) {
  const dm_outputs *o = robot->outputs.rows;
  cli_json *list = json_object_new_array();
  output_values w;
  if (!o || open_at_zero(&w, robot) != DM_OK) return list;
  for (int i = 0; i < robot->outputs.n; i++) {
    const int first = dm_outputs_row(o, i), rows = dm_outputs_row(o, i + 1) - first;
    cli_json *each = json_object_new_object(), *names = json_object_new_array();
    for (int r = 0; r < rows; r++)
      json_object_array_add(names, json_object_new_string(find_row_name(&w, first + r)));
    cli_json_text(each, "name", dm_outputs_name(o, i));
    cli_json_text(each, "type", dm_outputs_word(o, i));
    cli_json_text(each, "unit", dm_outputs_unit(o, first));
    json_object_object_add(each, "rows", names);
    cli_json_vector(each, "at_zero", w.h + first, rows);
    json_object_array_add(list, each);
  }
  free_values(&w);
  return list;
}

void cli_output_values_print(const pb_robot *robot) {
  const dm_outputs *o = robot->outputs.rows;
  output_values w;
  if (!o || open_at_zero(&w, robot) != DM_OK) return;
  for (int i = 0; i < robot->outputs.n; i++) {
    printf("output %s, %s:", dm_outputs_name(o, i), dm_outputs_word(o, i));
    const int first = dm_outputs_row(o, i);
    if (dm_output_map_is_driven(&w.y, first)) {
      printf(" in %s, of %s\n", dm_outputs_unit(o, first),
             dm_output_map_is_contact(&w.y, first) ? "contacts" : "inputs");
      continue;
    }
    for (int r = first; r < dm_outputs_row(o, i + 1); r++)
      printf("%s %s %.4g%s%s", r > first ? "," : "", find_row_name(&w, r), w.h[r],
             *find_row_unit(&w, r) ? " " : "", find_row_unit(&w, r));
    printf(" at q = 0\n");
  }
  free_values(&w);
}

// --- eval: named outputs at a state

// the time derivative of a row that depends on q, v.y_q
static double find_rate(const output_values *w, int row, const double *v) {
  double rate = 0;
  for (int j = 0; j < w->m->nq; j++) rate += w->D[0][row * w->m->nq + j] * v[j];
  return rate;
}

// H of a row; NAN if undefined
static void evaluate_hessian(output_values *w, const double *q, const double *v, int row) {
  const int entries = w->m->nq * w->m->nq;
  for (int i = 0; i < w->y.ny; i++) w->lambda[i] = i == row;
  for (int b = 0; b < 3; b++) memset(w->H[b], 0, (size_t)entries * sizeof(double));
  const bool known = v || !dm_output_map_is_rated(&w->y, row);
  if (known && dm_output_map_contract(&w->y, w->scratch, q, v, w->lambda, w->H[0], w->H[1],
                                      w->H[2]) == DM_OK)
    return;
  for (int b = 0; b < 3; b++)
    for (int i = 0; i < entries; i++) w->H[b][i] = NAN;
}

// keys of derivatives with respect to q, then additional ones for functions of v
static const char *const gradient_keys[] = {"gradient", "gradient_v"};
static const char *const hessian_keys[] = {"hessian", "hessian_qv", "hessian_vv"};

static cli_json *describe_row(output_values *w, int row, const double *v, bool hessian) {
  const int n = w->m->nq;
  const bool driven = dm_output_map_is_driven(&w->y, row);
  const bool rated = dm_output_map_is_rated(&w->y, row);
  cli_json *o = json_object_new_object();
  cli_json_text(o, "name", find_row_name(w, row));
  cli_json_text(o, "unit", dm_outputs_unit(w->o->rows, row));
  cli_json_number(o, "value", w->h[row]);
  if (driven) return o;
  if (v && !rated) cli_json_number(o, "rate", find_rate(w, row, v));
  for (int b = 0; b <= rated; b++) {
    cli_json *gradient = cli_json_object(o, gradient_keys[b]);
    for (int j = 0; j < n; j++) cli_json_number(gradient, w->m->name[j], w->D[b][row * n + j]);
  }
  for (int b = 0; hessian && b < (rated ? 3 : 1); b++)
    cli_json_matrix(o, hessian_keys[b], w->H[b], n, n);
  return o;
}

// a number, empty if undefined
static void print_entry(double x) {
  if (isnan(x))
    printf(" %17s", "none");
  else
    printf(" %17.10g", x);
}

// derivatives with respect to each coordinate or its speed, and their derivatives
static void print_slopes(const output_values *w, int row, int by, bool hessian) {
  const int n = w->m->nq;
  const bool rated = dm_output_map_is_rated(&w->y, row);
  for (int j = 0; j < n; j++) {
    printf(by ? "  by the speed of %-14s" : "  by %-27s", w->m->name[j]);
    print_entry(w->D[by][row * n + j]);
    // with respect to coordinates, then to speeds
    for (int i = 0; hessian && i < n; i++)
      print_entry(by ? w->H[1][i * n + j] : w->H[0][j * n + i]);
    for (int i = 0; hessian && rated && i < n; i++) print_entry(w->H[1 + by][j * n + i]);
    printf("\n");
  }
}

// the value and its derivatives, which do not exist at rotations by pi and distances of 0
static void print_row(const output_values *w, int row, const double *v, bool hessian) {
  const char *unit = find_row_unit(w, row), *space = unit[0] ? " " : "";
  const bool rated = dm_output_map_is_rated(&w->y, row), known = v || !rated;
  const bool smooth = w->m->nq == 0 || !isnan(w->D[0][row * w->m->nq]);
  printf("%-32s", find_row_name(w, row));
  print_entry(w->h[row]);
  printf("%s%s", space, unit);
  if (dm_output_map_is_driven(&w->y, row)) {
    const bool contact = dm_output_map_is_contact(&w->y, row);
    if (contact)
      printf(", a function of the contacts of a motion\n");
    else
      printf("%s\n", isnan(w->h[row]) ? ", a function of inputs: give --v and --u" : "");
    return;
  }
  if (v && smooth && !rated)
    printf(", changes by %.10g %s/s", find_rate(w, row, v), unit[0] ? unit : "1");
  if (!known)
    printf(", a function of speeds: give --v\n");
  else
    printf("%s\n", smooth ? "" : ", without a derivative there");
  for (int by = 0; known && smooth && by <= rated; by++) print_slopes(w, row, by, hessian);
}

// print the requested rows at a state
static void show_rows(output_values *w, const cli_args *args, int first, int end, const double *q,
                      const double *v, const double *u) {
  cli_json *o = json_object_new_object(), *list = json_object_new_array();
  cli_json_names(o, "names", w->m->name, w->m->nq);
  evaluate_values(w, q, v, u, true);
  for (int row = first; row < end; row++) {
    if (args->hessian) evaluate_hessian(w, q, v, row);
    if (args->json)
      json_object_array_add(list, describe_row(w, row, v, args->hessian));
    else
      print_row(w, row, v, args->hessian);
  }
  json_object_object_add(o, "output", list);
  if (args->json) cli_answer_set(o);
  json_object_put(o);
}

// find the rows of the output, or the row, with this name; returns false if it is not found
static bool find_named(const pb_outputs *o, const dm_model *model, const char *name, int *first,
                       int *end) {
  const dm_output_map y = pb_outputs_functions(o, model);
  for (int i = 0; i < o->n; i++)
    if (!strcmp(dm_outputs_name(o->rows, i), name)) {
      *first = dm_outputs_row(o->rows, i);
      *end = dm_outputs_row(o->rows, i + 1);
      return true;
    }
  for (int r = 0; r < o->named; r++)
    if (!strcmp(dm_output_map_name(&y, r), name)) {
      *first = r;
      *end = r + 1;
      return true;
    }
  return false;
}

// outputs for all links: position and rotation
static dm_status open_links(pb_outputs *links, const pb_robot *robot, dm_message *msg) {
  const int n = robot->mechanism.tree->nbody;
  int *body = calloc((size_t)n + 1, sizeof *body);
  if (!body) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  for (int b = 0; b < n; b++) body[b] = b;
  const dm_status s = pb_link_outputs_new(links, robot, n, body, msg);
  free(body);
  return s;
}

static int refuse_output(const cli_args *args, const pb_robot *robot) {
  const int outputs = robot->outputs.n, links = robot->mechanism.tree->nbody;
  const char **known = calloc((size_t)(outputs + links) + 1, sizeof *known);
  char near[CLI_SUGGESTION] = "";
  if (known) {
    for (int i = 0; i < outputs; i++) known[i] = dm_outputs_name(robot->outputs.rows, i);
    for (int b = 0; b < links; b++) known[outputs + b] = robot->mechanism.tree->body_name[b];
    cli_suggest(known, outputs + links, args->output, near);
  }
  free(known);
  return cli_fail(args, CLI_INPUT,
                  "--output: found '%.80s', expected %s, a link, or all%s; dmoc info lists them",
                  args->output, outputs ? "an output of the file" : "an output (the file has none)",
                  near);
}

// the outputs that contain the name, of the file or else of links, and the range of rows
static const pb_outputs *choose_outputs(const char *name, const pb_robot *robot,
                                        const pb_outputs *links, int *first, int *end) {
  const pb_outputs *file = &robot->outputs;
  const bool all = !strcmp(name, "all");
  if (file->rows && find_named(file, robot->mechanism.model, name, first, end)) return file;
  if (!all && find_named(links, robot->mechanism.model, name, first, end)) return links;

  // a link by name: the rows of both of its outputs
  for (int b = 0; !all && b < robot->mechanism.tree->nbody; b++)
    if (!strcmp(robot->mechanism.tree->body_name[b], name)) {
      const int each = links->n / robot->mechanism.tree->nbody;
      *first = dm_outputs_row(links->rows, each * b);
      *end = dm_outputs_row(links->rows, each * (b + 1));
      return links;
    }
  if (!all) return NULL;

  // all outputs of the file, or all links if the file does not have outputs
  const pb_outputs *o = file->rows ? file : links;
  *first = 0;
  *end = o->named;
  return o;
}

int cli_output_values_show(const cli_args *args, const pb_robot *robot, const double *q,
                           const double *v, const double *u) {
  pb_outputs links = {.n = 0};
  output_values w;
  dm_message msg = {""};
  int first, end;
  dm_status s = open_links(&links, robot, &msg);
  if (s != DM_OK) return cli_fail_status(args, s, &msg);

  int status = CLI_DONE;
  const pb_outputs *o = choose_outputs(args->output, robot, &links, &first, &end);
  if (!o)
    status = refuse_output(args, robot);
  else if ((s = open_values(&w, robot, o)) != DM_OK)
    status = cli_fail(args, CLI_FAULT, "%s", dm_status_text(s));
  else
    show_rows(&w, args, first, end, q, v, u);
  if (o && s == DM_OK) free_values(&w);
  pb_outputs_free(&links);
  return status;
}
