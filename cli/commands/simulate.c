#include "cli/commands/commands.h"
#include "cli/commands/two_point_study.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/results/contact_events.h"
#include "cli/results/monitors.h"
#include "cli/results/trajectory.h"
#include "cli/stages/job.h"
#include "cli/stages/refine.h"
#include "lib/base/block.h"
#include "lib/mechanics/continuous.h"
#include "lib/multibody/ball_joint.h"
#include "lib/multibody/tree_lagrangian.h"
#include "lib/studies/symplectic_form.h"
#include "lib/studies/two_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// a motion as it goes: one knot, what is conserved along it, and where it is written
typedef struct run {
  cli_job *job;
  FILE *f, *events;      // trajectory.csv; contacts.csv, NULL while there is nothing to say
  dm_composition *steps; // NULL where constraints are held between knots:
  dm_two_point *two;     // NULL where at knots
  dm_del *del;           // that either is made of
  cli_points *points;    // NULL: where constraints are held is not looked at
  double *lambda;        // [nc] impulses of the last step
  dm_contact_integrator *contact; // NULL: there are no contacts
  dm_contact_integrator_info met; // of the last step with contacts
  long made, left, reflections;   // so far
  double sunk;                    // so far
  dm_continuous *c;
  dm_trajectory *x; // one step: its first knot is the present one
  void *scratch;
  double *qt, *vt; // of the present knot at the joints, where these have ball joints
  double residual; // the largest of all constraints so far,
  int worst, knot; // in this row at this knot
  double E, mu[6]; // of the present knot
  double E0, low, high, mu0[6], energy_drift, momentum_drift[6];
  cli_monitors watched;
  dm_symplectic_form *form; // NULL: nobody wants it, or it could not be followed
  double off, *qm, *vm;     // the largest residual at the present knot; [n] scratch
  cli_progress progress;
} run;

static void run_free(run *w) {
  dm_two_point_free(w->two);
  cli_points_free(w->points);
  dm_composition_free(w->steps);
  dm_contact_integrator_free(w->contact);
  dm_symplectic_form_free(w->form);
  dm_continuous_free(w->c);
  dm_trajectory_free(w->x);
  dm_block_free(w->scratch);
}

// those of step k; without any, the zeros of x
static const double *inputs(const run *w, int k) {
  const double *u = w->job->p->simulate.u;
  return u ? u + (size_t)k * (size_t)w->x->nu : w->x->u;
}

// momentum about the world's origin, by the joints
static void momentum(run *w, const double *q, const double *v) {
  const pb_robot *robot = &w->job->p->robot;
  if (robot->embed) dm_ball_enter(robot->tree, q, v, w->qt, w->vt), q = w->qt, v = w->vt;
  dm_tree_momentum(robot->tree, w->scratch, q, v, w->mu);
}

// the velocity of knot k, its energy and its momentum about the world's origin
static dm_status measure(run *w, int k) {
  const dm_trajectory *x = w->x;
  DM_TRY(dm_tree_state(w->c, x->q, x->p, x->v, &w->E));
  // the energy-momentum method's own velocities have the energy that it keeps
  bool restricted = x->nc && !w->job->p->simulate.del.energy_momentum;
  if (restricted && dm_velocity_restrict(w->c, x->q, x->v) == DM_OK)
    DM_TRY(dm_energy(w->c, x->q, x->v, &w->E));
  momentum(w, x->q, x->v);
  if (k == 0) w->E0 = w->E, memcpy(w->mu0, w->mu, sizeof w->mu);
  w->energy_drift = fmax(w->energy_drift, fabs(w->E - w->E0));
  w->low = k ? fmin(w->low, w->E) : w->E, w->high = k ? fmax(w->high, w->E) : w->E;
  for (int i = 0; i < 6; i++)
    w->momentum_drift[i] = fmax(w->momentum_drift[i], fabs(w->mu[i] - w->mu0[i]));
  return DM_OK;
}

// the row of knot k, with inputs and constraint impulses of the step that was taken from it; NULL:
// none was
static dm_status keep(run *w, int k, const double *u, const double *lambda) {
  fprintf(w->f, "%d", k);
  cli_trajectory_row(w->f, w->x, 0, k * w->job->p->simulate.h, u, lambda);
  fprintf(w->f, ",%.17g", w->E);
  for (int i = 0; i < 6; i++) fprintf(w->f, ",%.17g", w->mu[i]);
  cli_points_row(w->f, w->points);
  fputc('\n', w->f);
  return ferror(w->f) ? DM_IO : DM_OK;
}

// knot k of the whole motion, where that is wanted
static void store(run *w, int k, const double *u, const double *lambda) {
  dm_trajectory *x = w->job->x;
  if (!x) return;
  size_t at = (size_t)k * (size_t)x->n, size = (size_t)x->n * sizeof *x->q;
  memcpy(x->q + at, w->x->q, size), memcpy(x->p + at, w->x->p, size);
  memcpy(x->v + at, w->x->v, size);
  if (u) memcpy(x->u + (size_t)k * (size_t)x->nu, u, (size_t)x->nu * sizeof *u);
  if (lambda) memcpy(x->lambda + (size_t)k * (size_t)x->nc, lambda, (size_t)x->nc * sizeof *lambda);
}

// hold the constraints' values h at knot k
static void hold(run *w, const double *h, int k) {
  const int nc = w->job->task->system.hol.nc;
  w->off = 0;
  for (int i = 0; i < nc; i++) w->off = fmax(w->off, fabs(h[i]));
  for (int i = 0; i < nc; i++)
    if (fabs(h[i]) > w->residual) w->residual = fabs(h[i]), w->worst = i, w->knot = k;
}

// -dLd/dh of the step from the first knot of x to the second
static double step_energy(run *w) {
  const dm_trajectory *x = w->x;
  const dm_rule *rule = &w->job->task->system.rule;
  double sum = 0, E = NAN;
  for (int s = 0; s < rule->points; s++) {
    for (int i = 0; i < x->n; i++) {
      double way = x->q[x->n + i] - x->q[i];
      w->qm[i] = x->q[i] + rule->at[s] * way, w->vm[i] = way / w->job->p->simulate.h;
    }
    if (dm_energy(w->c, w->qm, w->vm, &E) != DM_OK) return NAN;
    sum += rule->weight[s] * E;
  }
  return sum;
}

// what is watched at knot k, from which a step was taken or not
static void watch(run *w, int k, bool stepped) {
  const pb_problem *p = w->job->p;
  const dm_vec g = p->model->gravity;
  const double G = sqrt(dm_dot(g, g));
  double value[CLI_MONITORS];
  if (!p->simulate.watch) return;
  for (int i = 0; i < CLI_MONITORS; i++) value[i] = NAN;
  value[CLI_ENERGY] = w->E;
  if (stepped && p->simulate.order == 2 && !w->contact) value[CLI_ENERGY_STEP] = step_energy(w);
  memcpy(value + CLI_MOMENT, w->mu, 3 * sizeof *value);
  memcpy(value + CLI_MOMENTUM, w->mu + 3, 3 * sizeof *value);
  if (G > 0) value[CLI_VERTICAL] = 0 - dm_dot(dm_v(w->mu[0], w->mu[1], w->mu[2]), g) / G;
  if (w->x->nc) value[CLI_CONSTRAINT] = w->off;
  if (w->form) value[CLI_FORM] = w->form->form[0], value[CLI_CLOUD] = w->form->form[1];
  cli_monitors_add(&w->watched, k, k * p->simulate.h, value, k % p->simulate.every == 0);
}

// the form, through the step just taken
static void carry(run *w, const double *u) {
  const dm_trajectory *x = w->x;
  if (!w->form) return;
  if (dm_symplectic_form_carry(w->form, w->steps, x->q, x->p, u, w->job->p->simulate.h) == DM_OK)
    return;
  dm_symplectic_form_free(w->form);
  w->form = NULL;
}

// two directions that the form is followed along: there are any where something moves
static dm_status begin_form(run *w) {
  const dm_system *s = &w->job->task->system;
  const pb_problem *p = w->job->p;
  const dm_trajectory *x = w->x;
  if (!p->simulate.form || s->L.nq - s->nk - s->hol.nc <= 0) return DM_OK;
  for (int i = 0; i < x->n; i++) w->vm[i] = p->model->kinematic[i] ? 0 : cos(i);
  if (x->nc) DM_TRY(dm_velocity_restrict(w->c, x->q, w->vm));
  DM_TRY(dm_momentum_of(w->c, x->q, w->vm, w->qm));
  DM_TRY(dm_symplectic_form_new(&w->form, s, p->simulate.order, &p->simulate.del));
  dm_symplectic_form_start(w->form, w->vm, w->qm);
  return DM_OK;
}

static dm_status begin_watch(run *w) {
  if (!w->job->p->simulate.watch) return DM_OK;
  FILE *f = cli_job_file(w->job, "monitors.csv");
  if (!f) return DM_IO;
  cli_monitors_begin(&w->watched, f, w->job->p->simulate.steps);
  return begin_form(w);
}

// p (and v) of the first knot
static dm_status begin(run *w) {
  const pb_problem *p = w->job->p;
  dm_trajectory *x = w->x;
  memcpy(x->q, p->simulate.q, (size_t)x->n * sizeof *p->simulate.q);
  memcpy(x->v, p->simulate.v, (size_t)x->n * sizeof *p->simulate.v);
  const double *next = p->simulate.points.next;
  if (!w->two) {
    DM_TRY(dm_kkt_end(w->del->k, x->q));
    hold(w, w->del->k->h, 0);
  }
  if (w->two) {
    DM_TRY(dm_two_point_first(w->two, x->q, next, inputs(w, 0), p->simulate.h,
                              p->simulate.points.first, x->p, x->p + x->n));
  } else if (next) { // p0 + D1 = 0
    DM_TRY(dm_interval_eval(w->del->d, 1, x->q, next, inputs(w, 0), p->simulate.h));
    for (int i = 0; i < x->n; i++) x->p[i] = -w->del->d->D1[i];
  } else if (p->simulate.held) {
    DM_TRY(dm_interval_eval(w->del->d, 1, x->q, x->q, x->u, p->simulate.h)); // no force: u is 0 yet
    memcpy(x->p, w->del->d->D2, (size_t)x->n * sizeof *x->p);
  } else {
    DM_TRY(dm_momentum_of(w->c, x->q, x->v, x->p));
  }
  for (int i = 0; i < x->n; i++)
    if (p->model->kinematic[i]) x->p[i] = p->simulate.held ? 0 : x->v[i];
  return dm_velocity_of(w->c, x->q, x->p, x->v);
}

static dm_status prepare(run *w) {
  const dm_system *s = &w->job->task->system;
  dm_block b = {0};
  const pb_problem *p = w->job->p;
  const dm_model *tree = p->robot.tree;
  size_t scratch = dm_tree_lagrangian(tree).scratch, n = (size_t)tree->nq;
  dm_take(&b, 1, scratch);
  dm_take(&b, 2 * n, sizeof *w->qt);
  dm_take(&b, (size_t)s->hol.nc, sizeof *w->lambda);
  dm_take(&b, 2 * (size_t)s->L.nq, sizeof *w->qm);
  DM_TRY(dm_block_new(&b));
  w->scratch = dm_take(&b, 1, scratch);
  w->qt = dm_take(&b, 2 * n, sizeof *w->qt), w->vt = w->qt + n;
  w->lambda = dm_take(&b, (size_t)s->hol.nc, sizeof *w->lambda);
  w->qm = dm_take(&b, 2 * (size_t)s->L.nq, sizeof *w->qm);
  w->vm = w->qm + s->L.nq;
  if (p->simulate.points.two)
    DM_TRY(dm_two_point_new(&w->two, s));
  else
    DM_TRY(dm_composition_new(&w->steps, s, p->simulate.order, &p->simulate.del, &w->job->msg));
  w->del = w->two ? w->two->del : w->steps->del;
  DM_TRY(cli_points_new(&w->points, p));
  DM_TRY(dm_continuous_new(&w->c, s));
  DM_TRY(dm_trajectory_of(&w->x, 1, s));
  if (p->robot.contacts) {
    dm_unilateral g = dm_contacts_unilateral(p->robot.contacts);
    DM_TRY(dm_contact_integrator_new(&w->contact, s, &g, &p->simulate.contact, &w->job->msg));
  }
  DM_TRY(begin(w));
  return begin_watch(w);
}

// what contacts did in the step to knot k: those made and left; those held where a row is kept
static dm_status tell_contacts(run *w, int k) {
  const dm_contact_integrator *c = w->contact;
  const dm_unilateral *u = &c->c->g;
  const pb_problem *p = w->job->p;
  for (int i = 0; i < u->ng; i++) {
    cli_event what = !c->before[i] ? CLI_MADE : c->contact[i] ? CLI_HELD : CLI_LEFT;
    if (!c->before[i] && !c->contact[i]) continue;
    if (what == CLI_HELD && k % p->simulate.every != 0) continue;
    if (!w->events) {
      w->events = cli_job_file(w->job, "contacts.csv");
      if (!w->events) return DM_IO;
      cli_events_header(w->events);
    }
    cli_events_row(w->events, k, k * p->simulate.h, u->name(u->self, i), what, c->impulse[i],
                   hypot(c->rub[2 * i], c->rub[2 * i + 1]));
  }
  return w->events && ferror(w->events) ? DM_IO : DM_OK;
}

// from the first knot of x, the k-th, to the second, whose q is a guess
static dm_status step(run *w, int k, const double *u, dm_del_info *info) {
  const dm_trajectory *x = w->x;
  const double h = w->job->p->simulate.h;
  double *q1 = x->q + x->n, *p1 = x->p + x->n;
  if (w->two || !w->contact) {
    dm_status s;
    if (w->two && k == 0) { // as it is given
      memcpy(q1, w->job->p->simulate.points.next, (size_t)x->n * sizeof *q1);
      s = dm_two_point_first(w->two, x->q, q1, u, h, w->job->p->simulate.points.first, x->p, p1);
    } else if (w->two) {
      s = dm_two_point_step(w->two, x->q, x->p, u, h, q1, p1, info);
    } else {
      s = dm_composition_step(w->steps, x->q, x->p, u, h, q1, p1, info);
      dm_composition_impulse(w->steps, w->lambda);
      return s;
    }
    if (w->lambda) memcpy(w->lambda, w->del->lambda, (size_t)x->nc * sizeof *w->lambda);
    return s;
  }
  dm_contact_integrator_info *met = &w->met;
  dm_status s = dm_contact_integrator_step(w->contact, x->q, x->p, u, h, q1, p1, met);
  if (s < 0) return s;
  for (int i = 0; i < x->nc; i++) w->lambda[i] = -w->contact->c->gamma[i];
  w->made += met->made, w->left += met->left, w->reflections += met->impact.passes;
  w->sunk = fmax(w->sunk, met->sunk);
  return s;
}

// whether the motion ends at knot k: it is whole, or somebody wants it to
static bool ends(run *w, int k, dm_status *s) {
  *s = DM_OK;
  if (k == w->job->p->simulate.steps) return true;
  if (k % 1000 == 0)
    cli_progress_say(&w->progress, "simulate: %d of %d steps", k, w->job->p->simulate.steps);
  if (cli_interrupted()) *s = DM_INTERRUPTED;
  return *s != DM_OK;
}

// all steps; *k the knot reached. The guess of a step goes on as the last one went
static dm_status steps(run *w, int *k, dm_del_info *info) {
  const pb_problem *p = w->job->p;
  int n = w->x->n;
  double *q = w->x->q, *q1 = q + n, *mu = w->x->p, *mu1 = mu + n;
  for (int i = 0; i < n; i++) q1[i] = q[i] + p->simulate.h * w->x->v[i];
  cli_job_worth(w->job);
  DM_TRY(measure(w, 0));
  for (*k = 0;; ++*k) {
    dm_status s;
    bool end = ends(w, *k, &s);
    const double *u = *k < p->simulate.steps ? inputs(w, *k) : NULL;
    if (!end) s = step(w, *k, u, info);
    const double *lambda = !end && s == DM_OK ? w->lambda : NULL;
    DM_TRY(cli_points_measure(w->points, *k, q, lambda ? q1 : NULL, lambda));
    store(w, *k, u, lambda);
    if (*k % p->simulate.every == 0) DM_TRY(keep(w, *k, u, lambda));
    watch(w, *k, !end && s == DM_OK);
    if (end || s != DM_OK) return s;
    carry(w, u);
    hold(w, w->contact ? w->contact->c->a : w->del->k->h, *k + 1);
    if (w->contact) DM_TRY(tell_contacts(w, *k + 1));
    for (int i = 0; i < n; i++) { // q1 becomes q, and its mirror image the next guess
      double old = q[i];
      q[i] = q1[i], mu[i] = mu1[i];
      q1[i] += q1[i] - old;
    }
    DM_TRY(measure(w, *k + 1));
  }
}

// what is conserved where nothing holds or drives the bodies
static void report_drift(run *w) {
  const dm_system *s = &w->job->task->system;
  cli_json *r = w->job->result, *o;
  if (!s->nk) {
    o = cli_json_object(r, "energy");
    cli_json_number(o, "start", w->E0);
    cli_json_number(o, "drift", w->energy_drift);
    cli_json_number(o, "low", w->low);
    cli_json_number(o, "high", w->high);
    cli_json_number(o, "end", w->E);
    cli_tell(w->job, "energy", "%.10g J at the start, changes by at most %.3g J", w->E0,
             w->energy_drift);
  }
  if (s->nk || w->job->p->robot.constraints) return;
  const double *mu = w->momentum_drift;
  cli_json_vector(cli_json_object(r, "momentum"), "drift", mu, 6);
  cli_tell(w->job, "momentum",
           "changes by at most %.3g, %.3g, %.3g N s, its moment by %.3g, %.3g, %.3g N m s", mu[3],
           mu[4], mu[5], mu[0], mu[1], mu[2]);
}

static void report_contacts(run *w) {
  if (!w->contact) return;
  cli_json *o = cli_json_object(w->job->result, "contacts");
  cli_json_text(o, "method", w->contact->method->name);
  cli_json_number(o, "made", (double)w->made);
  cli_json_number(o, "left", (double)w->left);
  cli_json_number(o, "reflections", (double)w->reflections);
  cli_json_number(o, "sunk", w->sunk);
  cli_tell(w->job, "contacts", "made %ld, left %ld, %ld reflections by %s; passed by at most %.3g",
           w->made, w->left, w->reflections, w->contact->method->name, w->sunk);
}

static int report(run *w, dm_status s, int k, const dm_del_info *info, double seconds) {
  cli_job *job = w->job;
  cli_json *r = job->result;
  cli_json_text(r, "status", s == DM_OK ? "done" : s == DM_INTERRUPTED ? "interrupted" : "failed");
  cli_json_int(r, "steps", k);
  cli_json_int(r, "every", job->p->simulate.every);
  cli_json_number(cli_json_object(r, "time"), "total_s", seconds);
  cli_tell(job, "steps", "%d of %d, %.3g us each", k, job->p->simulate.steps,
           1e6 * seconds / (k ? k : 1));
  report_drift(w);
  report_contacts(w);
  cli_points_report(job, w->points);
  if (job->p->simulate.watch) cli_monitors_report(&w->watched, job->p->simulate.h, r);
  cli_report_constraints(job, w->residual, w->worst, w->knot);
  if (s == DM_OK) return CLI_DONE;
  if (s == DM_INTERRUPTED) {
    cli_error("interrupted at knot %d: the motion up to there is written", k);
  } else {
    if (w->contact)
      dm_contact_integrator_explain(&job->msg, s, w->contact, &w->met, k);
    else
      dm_del_explain(&job->msg, s, w->del, info, k, job->names.coord);
    cli_json_text(r, "error", job->msg.text);
    cli_error("%s", job->msg.text);
  }
  return CLI_OUTCOME;
}

int cli_simulate_kept(cli_job *job) {
  if (!job->p->has_simulate)
    return cli_fail(job->args, CLI_INPUT, "%s has no section simulate", job->p->path);
  if (job->p->transcription.second) return cli_flow(job);
  run w = {
      .job = job, .f = cli_job_file(job, "trajectory.csv"), .progress = cli_progress_of(job->args)};
  if (!w.f) return CLI_INPUT;
  cli_trajectory_header(w.f, &job->names);
  fputs(",energy,moment.x,moment.y,moment.z,momentum.x,momentum.y,momentum.z", w.f);
  cli_points_header(w.f, job->p, &job->names);
  fputc('\n', w.f);
  int k = 0, status;
  dm_del_info info = {0};
  double begin = cli_clock();
  dm_status s = prepare(&w);
  if (s == DM_OK) s = steps(&w, &k, &info);
  cli_progress_end(&w.progress);
  if (s == DM_IO || s == DM_NO_MEMORY || s == DM_BAD_INPUT)
    status =
        cli_fail(job->args, cli_exit_of(s), "%s: %s", job->dir,
                 s == DM_IO ? "its files cannot be written: is the disk full?" : dm_status_text(s));
  else
    status = report(&w, s, k, &info, cli_clock() - begin);
  run_free(&w);
  return status;
}

int cli_simulate(cli_job *job) {
  const pb_problem *p = job->p;
  if (p->has_simulate && p->simulate.every > 1)
    return cli_fail(job->args, CLI_INPUT,
                    "%s keeps every %dth knot of its motion alone; simulate it with every: 1",
                    p->path, p->simulate.every);
  if (p->has_simulate) {
    dm_status s = dm_trajectory_of(&job->x, p->simulate.steps, &job->task->system);
    if (s != DM_OK) return cli_fail(job->args, cli_exit_of(s), "%s", dm_status_text(s));
    job->x->h = p->simulate.h;
  }
  int status = cli_simulate_kept(job);
  if (status == CLI_DONE && job->x) cli_warn_turn(job);
  return status;
}

static int simulate_problem(const cli_args *args) {
  cli_job job;
  int status = cli_job_open(&job, args, true);
  if (status == CLI_DONE) status = cli_simulate_kept(&job);
  return cli_job_close(&job, status);
}

const cli_command cli_command_simulate = {
    .name = "simulate",
    .what = "integrate forward as the problem's simulate section says",
    .usage = "PROBLEM [-o DIR]",
    .run = simulate_problem,
};
