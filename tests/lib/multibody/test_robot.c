// A robot's parts: one table describes each kind, and a changed robot has all parts of the first.
#include "lib/mechanics/continuous.h"
#include "lib/multibody/robot.h"
#include "tests/support/models.h"

// a part of each kind on a cart-pole, with springs and a damper along a path to the pole
typedef struct described {
  dm_spring spring[3];
  dm_constraint belt;
  dm_roller tyre;
  dm_load load[2];
  dm_joint_force friction[2];
  dm_contact wall;
  dm_formula formula[2];
} described;

// a force of any kind in the joint of the pole, with 0.3 for each parameter
static dm_joint_force example_of(int kind) {
  const dm_part_row *row = &dm_part_rows[kind];
  dm_joint_force x = {.name = row->word, .coord = 1};
  for (const dm_part_parameter *p = row->parameters; p->section; p++)
    *(double *)(void *)((char *)&x + p->offset) = 0.3;
  if (kind == DM_PART_FRICTION) x.friction.rest = x.friction.stribeck = 2; // falls where it is seen
  return x;
}

static described describe(void) {
  // 0.3 sin(q_1), and -0.2 v_0 q_1
  static dm_tape_operation energy[] = {
      {.kind = DM_TAPE_NUMBER, .value = 0.3},
      {.kind = DM_TAPE_VARIABLE, .at = 0},
      {.kind = DM_TAPE_CALL, .at = DM_TAPE_NAMED, .a = 1, .b = 1},
      {.kind = DM_TAPE_CALL, .at = DM_TAPE_MULTIPLY, .a = 0, .b = 2}};
  static dm_tape_operation force[] = {
      {.kind = DM_TAPE_NUMBER, .value = -0.2},
      {.kind = DM_TAPE_VARIABLE, .at = 0},
      {.kind = DM_TAPE_VARIABLE, .at = 1},
      {.kind = DM_TAPE_CALL, .at = DM_TAPE_MULTIPLY, .a = 1, .b = 2},
      {.kind = DM_TAPE_CALL, .at = DM_TAPE_MULTIPLY, .a = 0, .b = 3}};
  static dm_tape V, F;
  V = dm_tape_of(1, 4, energy);
  F = dm_tape_of(2, 5, force);
  static const int of_V[] = {1}, of_F[] = {2, 1};
  static const int pole[] = {1}, body[] = {1, -1};
  static const double one[] = {1}, point[2][3] = {{0, 0, -0.4}, {1, 0, 0.3}};
  const dm_tendon at = {.name = "heel", .ncoord = 1, .coord = pole, .factor = one};
  dm_tendon cord = {.name = "cord", .npoint = 2, .body = body, .point = point}, pull = cord;
  pull.name = "pull";
  return (described){
      .spring = {{at, dm_spring_law_linear(3, 0.2)},
                 {cord, dm_spring_law_taut(5, 0.1)},
                 {pull, dm_spring_law_lennard_jones(2, 0.7)}},
      .belt = {.name = "belt", .kind = DM_EQUAL, .coord = {0, 1}, .ratio = 0.5},
      .tyre = {.name = "tyre",
               .kind = DM_ROLLING_WHEEL,
               .body = {1, -1},
               .axis = {0, 1, 0},
               .normal = {0, 0, 1},
               .radius = 0.4},
      .load = {{.name = "oil", .kind = DM_DAMPER, .damping = 0.4, .tendon = cord},
               {.name = "wind",
                .kind = DM_WRENCH_BODY,
                .body = 1,
                .force = {1, 0, 2},
                .point = {0, 0, -0.3}}},
      .friction = {{.name = "hinge", .coord = 1, .friction = {0.3, 0.05, 2, 2, 0.1, 0.2}},
                   {.name = "rail", .coord = 0, .friction = {.force = 0.2, .smooth = 0}}},
      .wall = {.name = "wall", .kind = DM_NOT_ABOVE, .coord = 0, .length = 2},
      .formula = {{.name = "field", .role = DM_FORMULA_POTENTIAL, .f = &V, .variable = of_V},
                  {.name = "wind", .role = DM_FORMULA_FORCE, .f = &F, .variable = of_F}}};
}

// compile them on a tree, which the robot owns
static dm_robot compile(dm_model *tree, const described *x, bool closed) {
  const struct {
    const void *list;
    int n;
  } parts[DM_PART_KINDS] = {
      [DM_PART_SPRING] = {x->spring, 3},     [DM_PART_CONSTRAINT] = {&x->belt, closed},
      [DM_PART_ROLLING] = {&x->tyre, 1},     [DM_PART_LOAD] = {x->load, 2},
      [DM_PART_FRICTION] = {x->friction, 2}, [DM_PART_CONTACT] = {&x->wall, 1},
      [DM_PART_FORMULA] = {x->formula, 2},
  };
  dm_robot r = {.tree = tree, .model = tree};
  for (int kind = 0; kind < DM_PART_KINDS; kind++) {
    const bool own = !parts[kind].list;
    const dm_joint_force example = own ? example_of(kind) : (dm_joint_force){0};
    const void *list = own ? &example : parts[kind].list;
    const int n = own ? 1 : parts[kind].n;
    dm_message why = {""};
    if (n && dm_part_rows[kind].compile(&r, n, list, &why) != DM_OK) fail_msg("%s", why.text);
    snprintf(r.at[kind], sizeof r.at[kind], "line %d", 10 + kind);
  }
  return r;
}

static dm_robot make_robot(void) {
  const described x = describe();
  return compile(models_cart_pole(), &x, true);
}

static void each_kind_is_in_the_table(void **state) {
  (void)state;
  static const char *const names[DM_PART_KINDS] = {
      [DM_PART_SPRING] = "heel",  [DM_PART_CONSTRAINT] = "belt", [DM_PART_ROLLING] = "tyre",
      [DM_PART_LOAD] = "oil",     [DM_PART_FRICTION] = "hinge",  [DM_PART_CONTACT] = "wall",
      [DM_PART_FORMULA] = "field"};
  dm_robot none = {0}, r = make_robot();
  for (int kind = 0; kind < DM_PART_KINDS; kind++) {
    const dm_part_row *row = &dm_part_rows[kind];
    assert_non_null(row->word);
    assert_non_null(row->release);
    assert_int_equal(row->count(&none), 0);
    assert_true(row->count(&r) > 0);
    assert_string_equal(row->name(&r, 0), names[kind] ? names[kind] : row->word);
    assert_true(row->size <= sizeof(dm_part));
    assert_int_equal(!row->get, !row->section);
    assert_int_equal(!row->get, !row->parameters);
  }
  dm_robot_free(&r);
  dm_robot_free(&none);
}

// a consumer names the part that it does not support
static void the_first_part_that_is_not_supported_is_named(void **state) {
  (void)state;
  dm_robot r = make_robot();
  dm_message msg;
  const unsigned all = (1u << DM_PART_KINDS) - 1;
  assert_int_equal(dm_robot_require(&r, all, "the plant", &msg), DM_OK);
  for (int kind = 0; kind < DM_PART_KINDS; kind++) {
    char expected[120];
    const dm_part_row *row = &dm_part_rows[kind];
    snprintf(expected, sizeof expected, "the plant has no %s: '%s' (line %d)", row->word,
             row->name(&r, 0), 10 + kind);
    assert_int_equal(dm_robot_require(&r, all & ~(1u << kind), "the plant", &msg), DM_BAD_INPUT);
    assert_string_equal(msg.text, expected);
  }
  dm_robot_free(&r);
}

// L, f, A of the wheel and, if it is closed, h of a robot's system at a state with this speed of the pole
static void evaluate_at(const dm_robot *r, double speed, double x[4]) {
  const dm_system s = dm_robot_system(r);
  const double q[] = {0.3, 0.7}, v[] = {1.1, speed};
  double f[2] = {0}, h[3], Dh[6], L_q[2], L_v[2], f_q[4] = {0}, f_v[4] = {0};
  dm_jet jet = {.L_q = L_q, .L_v = L_v};
  dm_force_jet force = {.f = f, .f_q = f_q, .f_v = f_v};
  void *scratch = aligned_alloc(64, (s.L.scratch + s.hol.scratch + 65536) / 64 * 64);
  assert_int_equal(s.L.eval(s.L.self, scratch, 1, q, v, &jet), DM_OK);
  x[0] = jet.L;
  x[3] = 0;
  assert_true(s.hol.nc <= 3);
  if (s.hol.nc) assert_int_equal(s.hol.eval(s.hol.self, scratch, q, h, Dh), DM_OK);
  if (s.hol.nc > s.hol.nv) x[3] = h[0];
  for (int i = 0; i < 2 * s.hol.nv; i++) x[3] += Dh[2 * (s.hol.nc - s.hol.nv) + i];
  assert_int_equal(dm_forces_eval(&s.force, 2, scratch, 1, q, v, NULL, &force), DM_OK);
  x[1] = f[0];
  x[2] = f[1];
  free(scratch);
}

// at a speed at which dry friction falls
static void evaluate(const dm_robot *r, double x[4]) {
  evaluate_at(r, -0.02, x);
}

static void a_changed_robot_keeps_its_parts(void **state) {
  (void)state;
  static const double more[] = {0, 2};
  dm_robot r = make_robot(), same, other;
  double x[4], y[4], z[4];
  evaluate(&r, x);

  // nothing is changed, except that dry friction of 0.2 N acts at the rail
  assert_int_equal(dm_robot_changed(&same, &r, &(dm_change){0}), DM_OK);
  evaluate(&same, y);
  assert_true(y[0] == x[0] && y[2] == x[2] && y[3] == x[3]);
  assert_close(y[1] - x[1], -0.2 * 2 / acos(-1) * atan(110), 1e-14);
  for (int kind = 0; kind < DM_PART_KINDS; kind++) {
    assert_int_equal(dm_part_rows[kind].count(&same), dm_part_rows[kind].count(&r));
    assert_string_equal(dm_part_rows[kind].name(&same, 0), dm_part_rows[kind].name(&r, 0));
  }

  // more friction at the pole: that alone is other
  assert_int_equal(dm_robot_changed(&other, &r, &(dm_change){.friction = more}), DM_OK);
  evaluate(&other, z);
  assert_true(z[0] == y[0] && z[1] == y[1] && z[3] == y[3]);
  assert_close(z[2] - y[2], 2 * atan(2), 1e-14);
  dm_robot_free(&other);
  dm_robot_free(&same);
  dm_robot_free(&r);
}

// the parts of a robot with other lengths are those of a robot put together with these lengths
static void parts_follow_lengths(void **state) {
  (void)state;
  static const double length[] = {1.3, 0.8};
  const described parts = describe();
  const dm_change c = {.length = length};
  dm_robot r = compile(models_cart_pole(), &parts, false), changed, hand;
  dm_model *tree, *nominal = models_cart_pole();
  double x[4], y[4];
  assert_int_equal(dm_model_changed(&tree, nominal, &c), DM_OK);
  described wet = parts;
  wet.friction[1].friction.smooth = DM_DRY_SPEED;
  hand = compile(tree, &wet, false);
  assert_int_equal(dm_robot_changed(&changed, &r, &c), DM_OK);
  evaluate(&changed, x);
  evaluate(&hand, y);
  for (int i = 0; i < 4; i++) assert_true(x[i] == y[i]);
  dm_robot_free(&changed);
  dm_robot_free(&hand);
  dm_robot_free(&r);
  dm_model_free(nominal);

  // but positions of the plan would violate constraints
  r = make_robot();
  assert_int_equal(dm_robot_changed(&changed, &r, &c), DM_BAD_INPUT);
  dm_robot_free(&changed);
  dm_robot_free(&r);
}

// the path of a parameter of the first part of its kind that has it; false: none here has
static bool find_path(const dm_robot *r, const dm_part_row *row, const dm_part_parameter *p,
                      char path[100]) {
  for (int i = 0; i < row->count(r); i++) {
    dm_part x;
    row->get(r, i, &x);
    if (strcmp(row->section(&x), p->section) != 0 || !dm_part_has(p, &x)) continue;
    snprintf(path, 100, "model.%s.%s.%s", p->section, row->name(r, i), p->key);
    return true;
  }
  return false;
}

// each parameter in the tables is found by name, changes the robot, and keeps its range
static void parameters_are_found_and_changed(void **state) {
  (void)state;
  dm_robot r = make_robot();
  int found = 0, all = -1; // none here has the coefficient of a power law
  for (const dm_part_row *row = dm_part_rows; row < dm_part_rows + DM_PART_KINDS; row++)
    for (const dm_part_parameter *p = row->parameters; p && p->section; p++) {
      char path[100];
      dm_part_error error = {.replaces = false};
      dm_robot same, other;
      dm_message why;
      double x[4], y[4], sum = 0;
      all++;
      if (!find_path(&r, row, p, path)) continue;
      if (dm_robot_find(&r, path, &error.at, &why) != DM_OK) fail_msg("%s: %s", path, why.text);
      assert_ptr_equal(error.at.parameter, p);

      // a robot with 10 % more of it, or 0.1 more
      error.amount = p->added ? 0.1 : 1.1;
      const double before = dm_robot_parameter(&r, &error.at);
      const dm_change c = {.nparts = 1, .part = &error};
      assert_int_equal(dm_robot_changed(&same, &r, &(dm_change){0}), DM_OK);
      assert_int_equal(dm_robot_changed(&other, &r, &c), DM_OK);
      assert_close(dm_robot_parameter(&other, &error.at), p->added ? before + 0.1 : before * 1.1,
                   1e-15);
      for (int fast = 0; fast < 2; fast++) {
        evaluate_at(&same, fast ? -2 : -0.02, x);
        evaluate_at(&other, fast ? -2 : -0.02, y);
        for (int i = 0; i < 4; i++) sum += fabs(x[i] - y[i]);
      }
      if (!(sum > 1e-6)) fail_msg("%s changes nothing", path);
      dm_robot_free(&same);
      dm_robot_free(&other);

      // below its range
      if (isfinite(p->low)) {
        error.amount = -1;
        assert_int_equal(dm_robot_changed(&other, &r, &c), DM_BAD_INPUT);
        dm_robot_free(&other);
      }
      found++;
    }
  assert_int_equal(found, all);
  dm_robot_free(&r);
}

static void unknown_parameters_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *path, *expected;
  } wrong[] = {
      {"heel", "found 'heel', expected SECTION.NAME.KEY"},
      {"sprigs.heel.rest",
       "found 'sprigs', expected one of springs, potentials, constraints, dampers, friction"},
      {"springs.toe.rest", "found no 'toe' in model.springs, expected a name or index"},
      {"springs.2.rest", "found no '2' in model.springs, expected a name or index"},
      {"springs.heel.length", "found 'length' of 'heel', expected one of stiffness, rest"},
      {"friction.rail.smooth", "found 'smooth' of 'rail', expected one of force, smooth"},
  };
  dm_robot r = make_robot();
  dm_part_at at;
  dm_message why;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_int_equal(dm_robot_find(&r, wrong[i].path, &at, &why), DM_BAD_INPUT);
    assert_memory_equal(why.text, wrong[i].expected, strlen(wrong[i].expected));
  }

  // an index counts the parts of a section: the potential is the first of its own
  assert_int_equal(dm_robot_find(&r, "potentials.0.depth", &at, &why), DM_OK);
  assert_int_equal(at.first, 2);
  assert_int_equal(dm_robot_find(&r, "springs.1.rest", &at, &why), DM_OK);
  assert_int_equal(at.first, 1);
  dm_robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind_is_in_the_table),
      cmocka_unit_test(the_first_part_that_is_not_supported_is_named),
      cmocka_unit_test(a_changed_robot_keeps_its_parts),
      cmocka_unit_test(parts_follow_lengths),
      cmocka_unit_test(parameters_are_found_and_changed),
      cmocka_unit_test(unknown_parameters_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
