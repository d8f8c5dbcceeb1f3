#include "cli/stages/identified.h"

#include "cli/results/tables.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void cli_write_parameters(FILE *f, const oc_fit_parameters *p, const oc_fit_result *found,
                          const cli_fitted_values *v) {
  fputs("name,unit,value,deviation,robot,at_bound,seen\n", f);
  for (int i = 0; i < p->count; i++) {
    cli_put_name(f, "", p->list[i].path);
    cli_put_name(f, ",", p->list[i].unit);
    cli_put_number(f, ",", v->value[i]);
    cli_put_number(f, ",", v->deviation[i]);
    cli_put_number(f, ",", v->start[i]);
    fprintf(f, ",%d,%d\n", found->bound[i], !found->unseen[i]);
  }
}

void cli_write_covariance(FILE *f, const oc_fit_parameters *p, const cli_fitted_values *v) {
  for (int i = 0; i < p->count; i++) cli_put_name(f, i ? "," : "", p->list[i].path);
  fputc('\n', f);
  for (int i = 0; i < p->count; i++) {
    for (int k = 0; k < p->count; k++)
      cli_put_number(f, k ? "," : "", v->covariance[i * p->count + k]);
    fputc('\n', f);
  }
}

const char *cli_combination_name(const oc_fit_parameters *p, const oc_combination *c,
                                 char text[CLI_COMBINATION]) {
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; i < c->terms && used < CLI_COMBINATION; i++) {
    const double x = c->factor[i];
    const char *name = p->coefficient[c->coefficient[i]].name;
    char factor[32] = "";
    if (fabs(fabs(x) - 1) > 1e-9) snprintf(factor, sizeof factor, "%.4g ", fabs(x));
    const char *sign = x < 0 ? "-" : "+";
    if (i)
      used += (size_t)snprintf(text + used, CLI_COMBINATION - used, " %s %s%s", sign, factor, name);
    else
      used += (size_t)snprintf(text, CLI_COMBINATION, "%s%s%s", x < 0 ? "-" : "", factor, name);
  }
  return text;
}

void cli_write_combinations(FILE *f, const oc_fit_parameters *p, const oc_fit_result *found) {
  char text[CLI_COMBINATION];
  fputs("combination,unit,value,deviation\n", f);
  for (int i = 0; i < found->combinations; i++) {
    const oc_combination *c = &found->combination[i];
    cli_put_name(f, "", cli_combination_name(p, c, text));
    cli_put_name(f, ",", p->coefficient[c->coefficient[0]].unit);
    cli_put_number(f, ",", c->value);
    cli_put_number(f, ",", c->deviation);
    fputc('\n', f);
  }
}

// residuals of a joint in a log
static const struct {
  const char *word;
  size_t offset; // of a double in oc_fit_joint
} residuals[] = {{"position_rms", offsetof(oc_fit_joint, position_rms)},
                 {"force_rms", offsetof(oc_fit_joint, force_rms)},
                 {"innovation_rms", offsetof(oc_fit_joint, innovation_rms)},
                 {"correlation", offsetof(oc_fit_joint, correlation)},
                 {"whiteness", offsetof(oc_fit_joint, whiteness)}};
enum { RESIDUALS = sizeof residuals / sizeof *residuals };

static double residual(const oc_fit_joint *j, int r) {
  return *(const double *)(const void *)((const char *)j + residuals[r].offset);
}

void cli_write_residuals(FILE *f, const dm_model *m, const cli_predicted *list, int n) {
  fputs("log,held_out,joint", f);
  for (int r = 0; r < RESIDUALS; r++) fprintf(f, ",%s", residuals[r].word);
  fputs(",free_run\n", f);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < m->nq; i++) {
      const oc_fit_joint *j = &list[k].joint[i];
      cli_put_name(f, "", list[k].log);
      fprintf(f, ",%d", list[k].held);
      cli_put_name(f, ",", m->name[i]);
      for (int r = 0; r < RESIDUALS; r++) cli_put_number(f, ",", residual(j, r));
      cli_put_number(f, ",", list[k].free_run[i]);
      fputc('\n', f);
    }
}

double cli_predicted_force(const dm_model *m, const cli_predicted *p, int k, int i) {
  const double *u = p->u + (size_t)k * (size_t)m->nu;
  double sum = 0;
  for (int j = 0; j < m->nu; j++)
    if (m->input_coord[j] == i) sum += m->input_gear[j] * 0.5 * (u[j - m->nu] + u[j]);
  return sum;
}

void cli_write_forces(FILE *f, const dm_model *m, const cli_predicted *list, int n) {
  static const char *const group[] = {",q.", ",fitted.", ",measured.", ",predicted."};
  const int nq = m->nq;
  fputs("log,t", f);
  for (int g = 0; g < 4; g++) cli_put_names(f, group[g], m->name, nq);
  fputc('\n', f);
  for (int l = 0; l < n; l++)
    for (int k = 1; k + 1 < list[l].knots; k++) {
      const cli_predicted *p = &list[l];
      if (isnan(p->lack[k * nq])) continue;
      cli_put_name(f, "", p->log);
      cli_put_number(f, ",", p->start + k * p->step);
      cli_put_numbers(f, p->y + (size_t)k * (size_t)nq, nq);
      cli_put_numbers(f, p->q + (size_t)k * (size_t)nq, nq);
      for (int i = 0; i < nq; i++) cli_put_number(f, ",", cli_predicted_force(m, p, k, i));
      for (int i = 0; i < nq; i++)
        cli_put_number(f, ",", cli_predicted_force(m, p, k, i) - p->lack[k * nq + i]);
      fputc('\n', f);
    }
}

// -- as objects

void cli_put_parameters(cli_json *o, const oc_fit_parameters *p, const oc_fit_result *found,
                        const cli_fitted_values *v) {
  cli_json *all = cli_json_object(o, "parameters");
  for (int i = 0; i < p->count; i++) {
    cli_json *x = cli_json_object(all, p->list[i].path);
    cli_json_number(x, "value", v->value[i]);
    cli_json_number(x, "deviation", v->deviation[i]);
    cli_json_number(x, "robot", v->start[i]);
    cli_json_text(x, "unit", p->list[i].unit);
    cli_json_bool(x, "at_bound", found->bound[i]);
    cli_json_bool(x, "seen", !found->unseen[i]);
  }
}

void cli_put_combinations(cli_json *o, const oc_fit_parameters *p, const oc_fit_result *found) {
  char text[CLI_COMBINATION];
  cli_json *list = json_object_new_array();
  json_object_object_add(o, "combinations", list);
  for (int i = 0; i < found->combinations; i++) {
    const oc_combination *c = &found->combination[i];
    cli_json *x = json_object_new_object();
    json_object_array_add(list, x);
    cli_json_text(x, "combination", cli_combination_name(p, c, text));
    cli_json_text(x, "unit", p->coefficient[c->coefficient[0]].unit);
    cli_json_number(x, "value", c->value);
    cli_json_number(x, "deviation", c->deviation);
  }
}

void cli_put_predicted(cli_json *o, const dm_model *m, const cli_predicted *list, int n) {
  cli_json *logs = json_object_new_array();
  json_object_object_add(o, "logs", logs);
  for (int k = 0; k < n; k++) {
    cli_json *x = json_object_new_object();
    json_object_array_add(logs, x);
    cli_json_text(x, "log", list[k].log);
    cli_json_bool(x, "held_out", list[k].held);
    cli_json_int(x, "knots", list[k].knots);
    cli_json_int(x, "pieces", list[k].pieces);
    cli_json *joints = cli_json_object(x, "joints");
    for (int i = 0; i < m->nq; i++) {
      const oc_fit_joint *j = &list[k].joint[i];
      cli_json *y = cli_json_object(joints, m->name[i]);
      for (int r = 0; r < RESIDUALS; r++) cli_json_number(y, residuals[r].word, residual(j, r));
      cli_json_number(y, "free_run", list[k].free_run[i]);
    }
  }
}
