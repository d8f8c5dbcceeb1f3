// Which momenta systems keep: by Noether's theorem, of systems whose symmetries are known.
#include "lib/mechanics/symmetry.h"

#include "tests/support/particles.h"

#include "lib/multibody/tree_lagrangian.h"

// "xyzvXYZ": a letter for each momentum that is kept, a dot for the others
static void expect_kept(const particles *x, bool with_contacts, double gravity, bool driven,
                        const char *expected) {
  bool kept[DM_MOMENTA];
  char found[DM_MOMENTA + 1] = "";
  const double g[3] = {0, 0, -gravity};
  dm_unilateral u = dm_contacts_unilateral(x->contacts);
  dm_momentum_map map = dm_tree_momentum_map(x->m);
  assert_int_equal(dm_kept_momenta(&x->s, with_contacts ? &u : NULL, &map, g, x->q, driven, kept),
                   DM_OK);
  for (int i = 0; i < DM_MOMENTA; i++) found[i] = kept[i] ? "xyzvXYZ"[i] : '.';
  assert_string_equal(found, expected);
}

static void symmetries_are_found(void **state) {
  (void)state;
  double p[18] = {0};

  // a ball on a floor: nothing; in the air without weight, its momentum
  particles x = particles_ball(1, NULL);
  expect_kept(&x, true, 1, false, ".......");
  particles_free(&x);

  // a spring within a circle: the moment about its middle; without the circle, pushed from there
  x = particles_sphere(0.9, NULL);
  expect_kept(&x, true, 0, false, ".y.....");
  expect_kept(&x, false, 0, false, ".y.....");
  particles_free(&x);

  // two spheres that attract one another: also their momentum
  x = particles_oscillator(NULL);
  expect_kept(&x, true, 0, false, ".y..X.Z");
  particles_free(&x);

  // a cradle hangs from the world
  x = particles_cradle(2, NULL);
  expect_kept(&x, true, 1, false, ".......");
  particles_free(&x);

  // rods among spheres within a sphere: all of the moment
  x = particles_chain(p, NULL);
  expect_kept(&x, true, 0, false, "xyz....");
  expect_kept(&x, false, 0, false, "xyz.XYZ");
  particles_free(&x);
}

// a particle on a floor under gravity: all but the weight's direction, until the floor is rough
static void friction_and_weight_break_them(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    static particles_plan plan;
    plan = (particles_plan){.axes = "xyz", .gravity = 1};
    particles_contact(&plan, DM_ABOVE, 0, -1, 0)->friction = i ? 0.5 : 0;
    double q[] = {0.3, 0.2, 1}, p[3] = {0};
    particles x = particles_make(&plan, 1, q, p, NULL);
    expect_kept(&x, true, 1, false, i ? "......." : "..zvXY.");
    expect_kept(&x, false, 1, false, "..zvXY.");
    particles_free(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(symmetries_are_found),
      cmocka_unit_test(friction_and_weight_break_them),
  };
  return cmocka_run_group_tests_name("symmetry", tests, NULL, NULL);
}
