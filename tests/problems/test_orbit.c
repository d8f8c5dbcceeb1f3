// Gains across the orbit of a periodic motion: they ignore deviations along it, their loop has the multipliers of the
// orbit and 1, differences of the Poincaré map agree, and the controller leaves a robot that is early or late so.
#include "control/feedback/orbit.h"

#include "control/feedback/across.h"
#include "control/loop/closed_loop.h"
#include "lib/base/dense.h"
#include "lib/mechanics/continuous.h"
#include "optim/program/cycle.h"
#include "optim/solve.h"
#include "problems/run/run.h"
#include "tests/support/robots.h"

#define assert_close(a, b, tol) assert_true(fabs((a) - (b)) <= (tol))

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12 }; // states

static dm_message msg;

// -- a periodic motion with its controller

typedef struct orbit {
  pb_problem *p;
  pb_run run;
  const fb_tvlqr *f;
  fb_output_feedback *law;
  fb_plant plant;
  int N, nx, nu;
} orbit;

static void replace(char *text, size_t size, const char *from, const char *to) {
  char *at = strstr(text, from), rest[4000];
  assert_non_null(at);
  snprintf(rest, sizeof rest, "%s", at + strlen(from));
  snprintf(at, size - (size_t)(at - text), "%s%s", to, rest);
}

// the text of a problem in problems/periodic, with `from` replaced by `to`
static void change_text(const char *name, const char *from, const char *to, char *text,
                        size_t size) {
  char path[400];
  const char *source = getenv("DMOC_SOURCE");
  snprintf(path, sizeof path, "%s/problems/periodic/%s.yaml", source ? source : ".", name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  text[fread(text, 1, size - 1, file)] = 0;
  fclose(file);
  replace(text, size, from, to);
}

static orbit open_orbit(const char *name, const char *from, const char *to) {
  orbit o = {0};
  char text[6000];
  int knot;
  double slope;
  dm_trajectory *x;
  change_text(name, from, to, text, sizeof text);
  if (pb_problem_read(&o.p, put_file(folder, "orbit.yaml", text), &msg) != DM_OK)
    fail_msg("%s", msg.text);
  if (oc_solve(&o.p->task, NULL, &x, NULL, &msg) != DM_OK) fail_msg("%s", msg.text);
  o.run = (pb_run){.p = o.p, .x = x};
  if (pb_run_gains(&o.run, &slope, &knot, &msg) != DM_OK) fail_msg("%s", msg.text);
  assert_int_equal(pb_controller_sample(&o.run.control, o.p, &msg), DM_OK);
  assert_int_equal(pb_controller_measure(&o.run.control, o.p, &msg), DM_OK);
  o.f = o.run.control.gains;
  o.law = o.run.control.law;
  o.N = o.f->N;
  o.nx = o.f->nx;
  o.nu = o.f->nu;
  assert_int_equal(fb_plant_discrete(&o.plant, &o.p->task.system), DM_OK);
  return o;
}

static void close_orbit(orbit *o) {
  fb_plant_free(&o->plant);
  pb_controller_free(&o->run.control);
  dm_trajectory_free(o->run.x);
  pb_problem_free(o->p);
}

// the state on the orbit at a share s of the step after knot k
static void find_state(const orbit *o, int k, double s, double *x) {
  const double *x0 = dm_row(o->f->x, k, o->nx), *v0 = dm_row(o->f->slope, k, o->nx), r = 1 - s;
  for (int i = 0; i < o->nx; i++) {
    const double a = x0[i], b = x0[o->nx + i], d = b - a;
    x[i] = a + s * (d + r * (r * (v0[i] - d) + s * (d - v0[o->nx + i])));
  }
}

// one period from x0 on a plant; returns the sum of (u - u_d)^2 h
static double run_period(const orbit *o, const fb_plant *plant, const fb_tvlqr *law,
                         const double *x0, double *x) {
  const size_t rows = (size_t)o->N + 1;
  double *states = calloc(rows * (size_t)(o->nx + o->nu), sizeof *states), sum = 0;
  double *u = states + rows * (size_t)o->nx;
  fb_closed_loop_result r;
  assert_non_null(states);
  assert_int_equal(fb_closed_loop_run(law, plant, x0, NULL, NULL, NULL, states, u, &r), DM_OK);
  memcpy(x, dm_row(states, o->N, o->nx), (size_t)o->nx * sizeof *x);
  for (int i = 0; i < o->N * o->nu; i++) sum += pow(u[i] - o->f->u[i], 2) * o->f->h;
  free(states);
  return sum;
}

// -- the laws

// K v and G dy_d/ds are 0, and on the orbit, at knots and between, the input is the plan's
static void deviations_along_the_orbit_are_not_seen(void **state) {
  (void)state;
  static const char *const forms[] = {"schedule: orbit}", "schedule: orbit, measure: state}",
                                      "schedule: orbit, momentum: exact}"};
  for (int form = 0; form < 3; form++) {
    orbit o = open_orbit("pump", "schedule: orbit}", forms[form]);
    const fb_output_feedback *T = o.law;
    double x[MOST], x_d[MOST];
    for (int k = 0; k < o.N; k++)
      for (int i = 0; i < o.nu; i++) {
        double along = 0, size = 0, seen = 0, all = 0;
        for (int j = 0; j < o.nx; j++) {
          const double K = o.f->K[(k * o.nu + i) * o.nx + j] * o.f->slope[k * o.nx + j];
          const double G = T->G[(k * o.nu + i) * T->ny + j] * T->slope[k * T->ny + j];
          along += K, size += fabs(K), seen += G, all += fabs(G);
        }
        assert_true(fabs(along) <= 1e-12 * size);
        assert_true(fabs(seen) <= 1e-13 * all);
      }

    // the search finds the phase of a state on the orbit, from anywhere
    fb_orbit *w;
    assert_int_equal(fb_orbit_new(&w, &(fb_tvlqr){.N = o.N,
                                                  .nx = o.nx,
                                                  .h = o.f->h,
                                                  .x = o.f->x,
                                                  .path = o.p->feedback.near,
                                                  .slope = o.f->slope,
                                                  .section = o.f->section,
                                                  .sections = o.f->sections}),
                     DM_OK);
    for (int k = 0; k < o.N; k += 7) {
      fb_orbit_begin(w);
      for (int part = 0; part < 3; part++) {
        find_state(&o, k, 0.3 * part, x);
        assert_close(fb_orbit_find(w, x, x_d), k + 0.3 * part, 1e-3);
      }
    }
    fb_orbit_free(w);
    close_orbit(&o);
  }
}

static double find_trace(int n, const double *M) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += M[i * (n + 1)];
  return sum;
}

// Pi (A - B K) .. over a period, by the parts across the orbit
static void find_period_across(const orbit *o, double *M) {
  const int nx = o->nx;
  double C[MOST * MOST], by[MOST * MOST];
  for (int i = 0; i < nx * nx; i++) M[i] = i % (nx + 1) == 0;
  fb_orbit_rows(nx, nx, o->f->slope, o->f->section, M);
  for (int k = 0; k < o->N; k++) {
    memcpy(C, dm_row(o->f->A, k, nx * nx), (size_t)(nx * nx) * sizeof *C);
    dm_gemm(nx, nx, o->nu, -1, dm_row(o->f->B, k, nx * o->nu), dm_row(o->f->K, k, o->nu * nx), 1,
            C);
    fb_orbit_columns(nx, nx, dm_row(o->f->slope, k + 1, nx), dm_row(o->f->section, k + 1, nx), C);
    dm_gemm(nx, nx, nx, 1, C, M, 0, by);
    memcpy(M, by, (size_t)(nx * nx) * sizeof *M);
  }
}

// The multipliers of the loop are those across the orbit, and 1; of a pendulum that rotates under a constant torque they
// are 1 and 0.245017566, and its P across the orbit 1.686798198, of an independent program that goes along the eigenvector
// of multiplier 1.
static void multipliers_are_those_across_the_orbit_and_one(void **state) {
  (void)state;
  static const char *const names[] = {"rotation", "pump"};
  for (int of = 0; of < 2; of++) {
    orbit o = open_orbit(names[of], of ? "schedule: orbit}" : "R: 1}",
                         of ? "schedule: orbit}" : "R: 1, schedule: orbit}");
    double M[MOST * MOST], re[MOST], im[MOST], all = 0;
    double *K = calloc((size_t)(o.N * o.nu * o.nx), sizeof *K);
    fb_orbit_gains(o.f, K);
    find_period_across(&o, M);
    assert_int_equal(oc_cycle_motion(o.run.x, &o.p->task.system, K, re, im), DM_OK);
    int one = 0;
    for (int i = 0; i < o.nx; i++) {
      all += re[i];
      if (fabs(re[i] - 1) < fabs(re[one] - 1)) one = i;
    }
    assert_close(re[one], 1, of ? 1e-4 : 1e-6);
    assert_close(all - 1, find_trace(o.nx, M), of ? 1e-4 : 1e-6);
    if (!of) assert_close(all - 1, 0.245017566, 1e-6);
    if (!of) assert_close(find_trace(o.nx, o.f->P) * o.f->h, 1.686798198009, 1e-6);
    free(K);
    close_orbit(&o);
  }
}

// A period of the controller itself, from measured velocities, by differences: order 1 in their size, since gains are
// linear between knots
static void differences_of_the_poincare_map_agree(void **state) {
  (void)state;
  orbit o = open_orbit("pump", "schedule: orbit}", "schedule: orbit, momentum: exact}");
  const int nx = o.nx;
  double *K = calloc((size_t)(o.N * o.nu * nx), sizeof *K), re[MOST], im[MOST], off[2], sum = 0;
  fb_orbit_gains(o.f, K);
  assert_int_equal(oc_cycle_motion(o.run.x, &o.p->task.system, K, re, im), DM_OK);
  for (int i = 0; i < nx; i++) sum += re[i];
  for (int finer = 0; finer < 2; finer++) {
    const double e = finer ? 5e-4 : 1e-3;
    double trace = 0, x0[MOST], up[MOST], down[MOST];
    for (int j = 0; j < nx; j++) {
      const double d = e * (j < nx / 2 ? 1 : 100); // kg m2/s, kg m/s
      memcpy(x0, o.f->x, (size_t)nx * sizeof *x0);
      x0[j] += d;
      run_period(&o, &o.plant, &o.law->f, x0, up);
      x0[j] -= 2 * d;
      run_period(&o, &o.plant, &o.law->f, x0, down);
      trace += (up[j] - down[j]) / (2 * d);
    }
    off[finer] = trace - sum;
  }
  assert_close(off[0] / off[1], 2, 0.2);
  assert_true(fabs(off[1]) < 1e-4);
  free(K);
  close_orbit(&o);
}

// the crank's angle and speed in a state
static void see_crank(const orbit *o, const double *x, double y[2]) {
  double v[MOST / 2] = {0};
  dm_continuous *c;
  assert_int_equal(dm_continuous_new(&c, &o->p->task.system), DM_OK);
  assert_int_equal(dm_velocity_of(c, x, x + o->nx / 2, v), DM_OK);
  assert_int_equal(dm_velocity_restrict(c, x, v), DM_OK);
  dm_continuous_free(c);
  y[0] = x[0];
  y[1] = v[0];
}

// these at the start and at the end of a period from a deviation of both, which the constraints change
static void run_crank(const orbit *o, const double *d, double y[2][2]) {
  double x0[MOST], x[MOST];
  assert_int_equal(fb_closed_loop_offset(&o->p->task.system, o->f->x, d, x0), DM_OK);
  see_crank(o, x0, y[0]);
  run_period(o, &o->plant, o->f, x0, x);
  see_crank(o, x, y[1]);
}

// A mechanism under constraints, whose first step repeats with the impulse of the last knot: its multipliers, without and
// with gains, are those of differences in the one direction that moves.
static void multipliers_under_constraints_are_those_of_differences(void **state) {
  (void)state;
  orbit o = open_orbit("crank", "R: 1}", "R: 1}");
  const fb_tvlqr with = *o.f;
  fb_tvlqr alone = with;
  alone.K = NULL;
  for (int fed = 0; fed < 2; fed++) {
    const double e = 1e-4;
    double Y[2][2][2], re[MOST], im[MOST], d[MOST] = {0}, up[2][2], down[2][2], sum = 0;
    o.f = fed ? &with : &alone;
    for (int j = 0; j < 2; j++) {
      double *along = d + (j ? o.nx / 2 : 0);
      *along = e;
      run_crank(&o, d, up);
      *along = -e;
      run_crank(&o, d, down);
      *along = 0;
      for (int i = 0; i < 4; i++) Y[i / 2][i % 2][j] = up[i / 2][i % 2] - down[i / 2][i % 2];
    }

    // the trace of Y1 / Y0
    const double *a = Y[0][0], *b = Y[0][1], det = a[0] * b[1] - a[1] * b[0];
    const double trace =
        (Y[1][0][0] * b[1] - Y[1][0][1] * b[0] + Y[1][1][1] * a[0] - Y[1][1][0] * a[1]) / det;
    assert_int_equal(oc_cycle_motion(o.run.x, &o.p->task.system, fed ? with.K : NULL, re, im),
                     DM_OK);
    for (int i = 0; i < o.nx; i++) sum += re[i];
    assert_close(sum, trace, 1e-5);
    assert_true(fed || sum > 1.5);
  }
  o.f = &with;
  close_orbit(&o);
}

// On both plants a pendulum that is late by six steps and a fraction stays so: gains across the orbit hardly act, up to
// the order of the curve between knots and of the plant; those by time drive it back.
static void a_shift_along_the_orbit_stays(void **state) {
  (void)state;
  double spent[2][2], away[2], x0[MOST], x[MOST], x_d[MOST];
  for (int across = 1; across >= 0; across--) {
    orbit o = open_orbit("rotation", "R: 1}", across ? "R: 1, schedule: orbit}" : "R: 1}");
    fb_plant plants[2] = {o.plant};
    fb_orbit *w = NULL;
    assert_int_equal(fb_plant_continuous(&plants[1], &o.p->task.system, 1e-9), DM_OK);
    if (across) find_state(&o, 6, 0.37, x0);
    if (across) assert_int_equal(fb_orbit_new(&w, o.f), DM_OK);
    for (int i = 0; i < 2; i++) {
      spent[across][i] = run_period(&o, &plants[i], &o.law->f, x0, x);
      if (!across) continue;
      x[0] -= 2 * acos(-1);
      fb_orbit_begin(w);
      away[i] = fb_orbit_find(w, x, x_d) - 6.37;
    }
    fb_orbit_free(w);
    fb_plant_free(&plants[1]);
    close_orbit(&o);
  }
  assert_true(fabs(away[0]) < 1e-4);
  assert_true(fabs(away[1]) < 0.05);
  for (int i = 0; i < 2; i++) assert_true(spent[1][i] < (i ? 1e-3 : 1e-10) * spent[0][i]);
}

// After several periods x_d is near the state, which has turned as often; a state before the start is in the period before,
// and one that is a whole turn ahead of its knots is not on the orbit.
static void phases_count_whole_turns(void **state) {
  (void)state;
  orbit o = open_orbit("rotation", "R: 1}", "R: 1, schedule: orbit}");
  const double turn = 2 * acos(-1);
  double x[MOST], x_d[MOST];
  fb_orbit *w;
  assert_int_equal(fb_orbit_new(&w, o.f), DM_OK);
  assert_true(o.p->feedback.turns[0]);
  fb_orbit_begin(w);
  for (int k = 0; k < 5 * o.N; k++) {
    find_state(&o, k % o.N, 0.4, x);
    x[0] += k / o.N * turn;
    const double at = fb_orbit_find(w, x, x_d);
    assert_close(at, k + 0.4, 1e-3);
    for (int i = 0; i < o.nx; i++) assert_close(x_d[i], x[i], 1e-4);
  }
  fb_orbit_begin(w);
  find_state(&o, o.N - 1, 0.5, x);
  x[0] -= turn;
  assert_close(fb_orbit_find(w, x, x_d), -0.5, 1e-3);
  assert_close(x_d[0], x[0], 1e-4);
  x[0] += 2 * turn;
  fb_orbit_begin(w);
  fb_orbit_find(w, x, x_d);
  assert_close(fabs(x_d[0] - x[0]), turn, 0.5);
  fb_orbit_free(w);
  close_orbit(&o);
}

static int close_orbits(void **state) {
  char path[600];
  snprintf(path, sizeof path, "%s/orbit.yaml", folder);
  remove(path);
  return close_folder(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(deviations_along_the_orbit_are_not_seen),
      cmocka_unit_test(multipliers_are_those_across_the_orbit_and_one),
      cmocka_unit_test(differences_of_the_poincare_map_agree),
      cmocka_unit_test(multipliers_under_constraints_are_those_of_differences),
      cmocka_unit_test(a_shift_along_the_orbit_stays),
      cmocka_unit_test(phases_count_whole_turns),
  };
  return cmocka_run_group_tests(tests, open_folder, close_orbits);
}
