// Steps of plans through contact: their derivatives under every combination of states, by the order of differences of
// the step with these states; conservation of the gaps; rows that say the same twice.
#include "lib/base/dense.h"
#include "lib/discrete/contact_linearize.h"
#include "lib/mechanics/continuous.h"
#include "lib/multibody/robot_contact_laws.h"
#include "tests/support/models.h"

enum { N = 6, NX = 2 * N, NU = 2, NY = NX + NU, LAWS = 3, NR = 7, UNKNOWNS = N + NR };

// a foot that moves along x, y, z and rotates about y and x, with a heel and a toe over the floor and a leg on a
// hinge with dry friction
typedef struct walker {
  dm_robot robot;
  dm_robot_contact_laws *laws;
  const dm_contact_laws *law;
  dm_system s;
  dm_interval *d;
  dm_continuous *continuous;
  void *scratch;
  bool ends; // impulses at the last knot: q1 stands for the velocity after them
  double h, planned[NR];
  unsigned char entry[LAWS];
  bool follows[NR]; // an impulse that is not unique: it stays as planned
} walker;

static void make_walker(walker *w, double friction) {
  static const double heel[] = {-0.1, 0, -0.05}, toe[] = {0.15, 0, -0.05};
  dm_coordinate c[N] = {
      models_coord("x", true, 1, 0, 0),     models_coord("y", true, 0, 1, 0),
      models_coord("z", true, 0, 0, 1),     models_coord("pitch", false, 0, 1, 0),
      models_coord("roll", false, 1, 0, 0), models_coord("hinge", false, 0, 1, 0)};
  dm_body b[] = {{.name = "foot",
                  .parent = -1,
                  .offset = dm_identity,
                  .ncoord = 5,
                  .mass = 1.2,
                  .centre = {0.02, 0.01, -0.02},
                  .inertia = {0.02, 0.03, 0.04}},
                 {.name = "leg",
                  .offset = dm_pose_rpy((double[]){0.3, 0, 0}, (double[]){0, 0, 0.05}),
                  .first = 5,
                  .ncoord = 1,
                  .mass = 3,
                  .centre = {0.05, 0.02, 0.4},
                  .inertia = {0.1, 0.12, 0.02}}};
  dm_input u[] = {models_input("hinge", 5), models_input("thrust", 0)};
  dm_contact point[2];
  for (int i = 0; i < 2; i++) {
    point[i] = (dm_contact){.name = i ? "toe" : "heel",
                            .kind = DM_ABOVE,
                            .body = {0, -1},
                            .axis = {0, 0, 1},
                            .friction = friction};
    memcpy(point[i].point[0], i ? toe : heel, sizeof heel);
  }
  *w = (walker){.h = 0.03};
  w->robot.tree = w->robot.model = models_make(&(dm_tree){.nbody = 2,
                                                          .ncoord = N,
                                                          .ninput = NU,
                                                          .body = b,
                                                          .coord = c,
                                                          .input = u,
                                                          .gravity = {0, 0, -9.81}});
  const dm_joint_force dry = {.name = "hinge",
                              .coord = 5,
                              .planned = true,
                              .friction = {.force = 0.8, .rest = 1.4, .stribeck = 0.6}};
  dm_message msg;
  assert_int_equal(dm_contacts_new(&w->robot.contacts, w->robot.tree, 2, point, &msg), DM_OK);
  assert_int_equal(dm_joint_forces_new(&w->robot.joint[DM_JOINT_FRICTION], DM_JOINT_FRICTION,
                                       w->robot.tree, 1, &dry, &msg),
                   DM_OK);
  assert_int_equal(dm_robot_contact_laws_new(&w->laws, &w->robot, &msg), DM_OK);
  w->law = dm_robot_contact_laws_get(w->laws);
  w->s = dm_robot_system(&w->robot);
  w->s.contacts = w->law;
  assert_int_equal(w->law->n, LAWS);
  assert_int_equal(w->law->rows.nc, NR);
  assert_int_equal(dm_interval_new(&w->d, &w->s), DM_OK);
  assert_int_equal(dm_continuous_new(&w->continuous, &w->s), DM_OK);
  w->scratch = aligned_alloc(64, (w->law->rows.scratch + 63) & ~(size_t)63);
}

static void free_walker(walker *w) {
  dm_interval_free(w->d);
  dm_continuous_free(w->continuous);
  dm_robot_contact_laws_free(w->laws);
  dm_robot_free(&w->robot);
  free(w->scratch);
}

// p of the momenta that q1, or at the end the velocity, needs after the impulses; and r there
static void find_other_side(walker *w, const double *x, const double *y, const double *r0,
                            const double *Dr, double *p, double *r1) {
  const dm_holonomic *rows = &w->law->rows;
  if (w->ends) {
    assert_int_equal(dm_momentum_of(w->continuous, x, y, p), DM_OK);
    for (int r = 0; r < NR; r++) r1[r] = r0[r] + w->h * dm_inner(N, Dr + r * N, y);
    return;
  }
  assert_int_equal(dm_interval_eval(w->d, 1, x, y, x + NX, w->h), DM_OK);
  for (int i = 0; i < N; i++) p[i] = -w->d->D1[i];
  assert_int_equal(rows->eval(rows->self, w->scratch, y, r1, NULL), DM_OK);
}

// the equations of a step from x with u, in y = (q1, F)
static void find_residual(walker *w, const double *x, const double *y, double *res) {
  double r0[NR], r1[NR], Dr[NR * N], p[N];
  const dm_holonomic *rows = &w->law->rows;
  const double *F = y + N;
  assert_int_equal(rows->eval(rows->self, w->scratch, x, r0, Dr), DM_OK);
  find_other_side(w, x, y, r0, Dr, p, r1);
  for (int i = 0; i < N; i++) {
    res[i] = x[N + i] - p[i];
    for (int r = 0; r < NR; r++) res[i] += Dr[r * N + i] * F[r];
  }
  for (int l = 0; l < LAWS; l++) {
    const dm_contact_law *law = &w->law->law[l];
    const int a = law->tangent[0], b = law->tangents > 1 ? law->tangent[1] : -1, g = law->gap;
    double bounds[3];
    dm_contact_law_bound(law, g < 0 ? (r1[a] - r0[a]) / w->h : 0, bounds);
    const double bound = law->friction * (g < 0 ? 0 : F[g]) + bounds[0] * w->h;
    double *out = res + N;
    if (g >= 0) out[g] = w->entry[l] == DM_LAW_OPEN ? F[g] : r1[g];
    if (w->entry[l] == DM_LAW_OPEN) {
      for (int t = 0; t < law->tangents; t++) out[law->tangent[t]] = F[law->tangent[t]];
    } else if (w->entry[l] == DM_LAW_STICKS) {
      for (int t = 0; t < law->tangents; t++)
        out[law->tangent[t]] = r1[law->tangent[t]] - r0[law->tangent[t]];
    } else if (b < 0) {
      out[a] = F[a] - copysign(1, w->planned[a]) * bound;
    } else {
      const double slid = hypot(r1[a] - r0[a], r1[b] - r0[b]);
      out[a] = F[a] + bound * (r1[a] - r0[a]) / slid;
      out[b] = F[b] + bound * (r1[b] - r0[b]) / slid;
    }
  }
  for (int r = 0; r < NR; r++)
    if (w->follows[r]) res[N + r] = F[r] - w->planned[r];
}

// x1 of x = (q,p) and u, by Newton's method on differences; F receives the impulses
static void step(walker *w, const double *x, double *x1, double *F) {
  double y[UNKNOWNS], res[UNKNOWNS], more[UNKNOWNS], J[UNKNOWNS * UNKNOWNS];
  int piv[UNKNOWNS];
  memcpy(y, x, N * sizeof *y);
  memcpy(y + N, w->planned, NR * sizeof *y);
  // sliding has a direction from the first iteration on
  double v[N] = {0};
  assert_int_equal(dm_velocity_of(w->continuous, x, x + N, v), DM_OK);
  for (int i = 0; i < N && !w->ends; i++) y[i] += w->h * v[i];
  for (int i = 0; i < N && w->ends; i++) y[i] = v[i];
  for (int iteration = 0; iteration < 30; iteration++) {
    find_residual(w, x, y, res);
    for (int j = 0; j < UNKNOWNS; j++) {
      const double at = y[j], d = 1e-6;
      y[j] = at + d;
      find_residual(w, x, y, more);
      y[j] = at;
      for (int i = 0; i < UNKNOWNS; i++) J[i * UNKNOWNS + j] = (more[i] - res[i]) / d;
    }
    assert_int_equal(dm_lu_factor(UNKNOWNS, J, piv), DM_OK);
    dm_lu_solve(UNKNOWNS, J, piv, 1, res);
    for (int j = 0; j < UNKNOWNS; j++) y[j] -= res[j];
    if (dm_largest(UNKNOWNS, res) < 1e-14) break;
  }
  find_residual(w, x, y, res);
  assert_true(dm_largest(UNKNOWNS, res) < 1e-12);
  if (w->ends) {
    memcpy(x1, x, N * sizeof *y);
    assert_int_equal(dm_momentum_of(w->continuous, x, y, x1 + N), DM_OK);
  } else {
    assert_int_equal(dm_interval_eval(w->d, 1, x, y, x + NX, w->h), DM_OK);
    memcpy(x1, y, N * sizeof *y);
    memcpy(x1 + N, w->d->D2, N * sizeof *y);
  }
  if (F) memcpy(F, y + N, NR * sizeof *y);
}

// the largest difference between A, B and central differences of size d
static double find_error(walker *w, const double *x, const double *A, const double *B, double d) {
  double worst = 0;
  for (int j = 0; j < NY; j++) {
    double at[NY], up[NX], down[NX];
    memcpy(at, x, sizeof at);
    at[j] = x[j] + d;
    step(w, at, up, NULL);
    at[j] = x[j] - d;
    step(w, at, down, NULL);
    for (int i = 0; i < NX; i++) {
      const double exact = j < NX ? A[i * NX + j] : B[i * NU + j - NX];
      worst = fmax(worst, fabs((up[i] - down[i]) / (2 * d) - exact));
    }
  }
  return worst;
}

// A set of states, with the directions of friction (0: none along the tangent): heel, toe, hinge.
typedef struct states {
  unsigned char entry[LAWS];
  double direction[NR];
  double impulse[NR]; // of rows that follow from others
} states;

// friction of the hinge against and along its axis; that of a foot is against its motion, whatever the entry
enum {
  O = DM_LAW_OPEN,
  S = DM_LAW_STICKS,
  FW = DM_LAW_SLIDES | DM_LAW_ACTS(1),
  BW = DM_LAW_SLIDES | DM_LAW_ACTS(0)
};

static const states all[] = {
    {.entry = {O, O, S}},
    {.entry = {O, O, FW}, .direction = {[6] = -1}},
    {.entry = {S, O, BW}, .direction = {[6] = 1}},
    {.entry = {O, FW, S}},
    {.entry = {FW, O, FW}, .direction = {[6] = -1}},
    {.entry = {BW, O, S}},
    {.entry = {FW, BW, FW}, .direction = {[6] = -1}},
    {.entry = {S, FW, FW}, .direction = {[6] = -1}},
};

static void set_states(walker *w, const states *of) {
  memcpy(w->entry, of->entry, sizeof w->entry);
  for (int r = 0; r < NR; r++) {
    w->follows[r] = of->impulse[r] != 0;
    w->planned[r] = w->follows[r] ? of->impulse[r] : of->direction[r];
  }
}

// a state above the floor, tilted and falling, so that contacts push, and inputs
static const double tilted[NY] = {0.1, -0.2, 0.08, 0.2,  -0.3, 0.4, 5,
                                  -4,  -8,   0.3,  -0.2, 0.1,  1.5, -3};

// A and B of the step from x to x1, or at the end A of the impulses
static void linearize(walker *w, dm_contact_linearize *lin, const double *x, const double *x1,
                      const double *F, double *A, double *B) {
  double v[N], slope[2 * N * N];
  if (!w->ends) {
    assert_int_equal(dm_contact_linearize_step(lin, x, x1, x + NX, NULL, w->h, F, w->entry, A, B),
                     DM_OK);
    return;
  }
  memset(B, 0, NX * NU * sizeof *B);
  memset(v, 0, sizeof v);
  assert_int_equal(dm_velocity_of(w->continuous, x, x1 + N, v), DM_OK);
  assert_int_equal(dm_velocity_slope(w->continuous, x1, v, slope, slope + N * N), DM_OK);
  assert_int_equal(dm_contact_linearize_end(lin, x, v, slope, slope + N * N, w->h, F, w->entry, A),
                   DM_OK);
}

static void check_states(walker *w, const states *of, const double *x) {
  double x1[NX], F[NR], A[NX * NX], B[NX * NU];
  dm_contact_linearize *lin;
  set_states(w, of);
  step(w, x, x1, F);
  memcpy(w->planned, F, sizeof F);

  for (int r = 0; r < NR; r++) assert_true(of->direction[r] * F[r] >= 0);
  assert_int_equal(dm_contact_linearize_new(&lin, &w->s), DM_OK);
  linearize(w, lin, x, x1, F, A, B);
  const double coarse = find_error(w, x, A, B, 4e-3), fine = find_error(w, x, A, B, 2e-3);
  if (!(fabs(log2(coarse / fine) - 2) < 0.1) && coarse > 1e-9)
    fail_msg("states %d %d %d: errors %.3g and %.3g, not of second order", of->entry[0],
             of->entry[1], of->entry[2], coarse, fine);
  assert_true(fine < 0.05);
  dm_contact_linearize_free(lin);
}

// the foot flat on the floor
static const double flat[NY] = {0.1, -0.2, 0.05, 0, 0, 0.4, 0.5, -0.7, -3, 0.3, -0.2, 0.1, 1.5, -3};

static void a_flat_foots_second_tangents_follow_from_the_first(void **state) {
  (void)state;
  static const states standing = {
      .entry = {S, S, FW}, .direction = {[6] = -1}, .impulse = {[4] = 0.3, [5] = -0.2}};
  walker w;
  double x1[NX], F[NR], Dr[NR * N], r[NR], A[NX * NX], B[NX * NU];
  make_walker(&w, 0.6);
  check_states(&w, &standing, flat);

  // two gaps, two tangents, and the bound of the hinge that falls stay
  dm_contact_linearize *lin;
  set_states(&w, &standing);
  step(&w, flat, x1, F);
  assert_int_equal(dm_contact_linearize_new(&lin, &w.s), DM_OK);
  assert_int_equal(dm_contact_linearize_step(lin, flat, x1, flat + NX, NULL, w.h, F, w.entry, A, B),
                   DM_OK);
  assert_int_equal(lin->rows, 5);
  assert_int_equal(lin->gaps, 2);

  // no state or input opens a closed gap, and impulses along the rows change nothing
  const dm_holonomic *rows = &w.law->rows;
  assert_int_equal(rows->eval(rows->self, w.scratch, x1, r, Dr), DM_OK);
  for (int g = 0; g < 4; g += 3) {
    for (int j = 0; j < NX; j++) {
      double opens = 0;
      for (int i = 0; i < N; i++) opens += Dr[g * N + i] * A[i * NX + j];
      assert_close(opens, 0, 1e-12);
    }
  }
  assert_int_equal(rows->eval(rows->self, w.scratch, flat, r, Dr), DM_OK);
  for (int row = 0; row < 6; row++)
    for (int i = 0; i < NX; i++) assert_close(dm_inner(N, A + i * NX + N, Dr + row * N), 0, 1e-12);
  dm_contact_linearize_free(lin);
  free_walker(&w);
}

static void without_contacts_it_is_the_smooth_step(void **state) {
  (void)state;
  walker w;
  double x1[NX], A[NX * NX], B[NX * NU], A0[NX * NX], B0[NX * NU];
  dm_contact_linearize *lin;
  make_walker(&w, 0.6);
  set_states(&w, &all[0]);
  step(&w, tilted, x1, NULL);
  w.s.contacts = NULL;
  assert_int_equal(dm_contact_linearize_new(&lin, &w.s), DM_OK);
  assert_int_equal(
      dm_contact_linearize_step(lin, tilted, x1, tilted + NX, NULL, w.h, NULL, NULL, A, B), DM_OK);
  assert_int_equal(dm_linearize_step(lin->step, tilted, x1, tilted + NX, NULL, w.h, A0, B0), DM_OK);
  assert_memory_equal(A, A0, sizeof A);
  assert_memory_equal(B, B0, sizeof B);
  dm_contact_linearize_free(lin);
  free_walker(&w);
}

static void derivatives_of_every_set_of_states_are_exact(void **state) {
  (void)state;
  walker w;
  make_walker(&w, 0.6);
  for (int i = 0; i < COUNT(all); i++) check_states(&w, &all[i], tilted);
  free_walker(&w);
}

static void derivatives_of_impulses_at_the_end_are_exact(void **state) {
  (void)state;
  walker w;
  make_walker(&w, 0.6);
  w.ends = true;
  for (int i = 0; i < COUNT(all); i++) check_states(&w, &all[i], tilted);
  free_walker(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_of_every_set_of_states_are_exact),
      cmocka_unit_test(derivatives_of_impulses_at_the_end_are_exact),
      cmocka_unit_test(a_flat_foots_second_tangents_follow_from_the_first),
      cmocka_unit_test(without_contacts_it_is_the_smooth_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
