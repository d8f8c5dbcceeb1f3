// What is wrong with a tree is said by name, before anything is compiled.
#include "tests/support/models.h"

// a cart, a pole that follows a coordinate or none, and an input on the cart
typedef struct plan {
  dm_coordinate c[3];
  dm_body b[2];
  dm_input u[2];
  dm_tree t;
} plan;

static void make_plan(plan *x) {
  *x = (plan){.c = {models_coord("slider", true, 1, 0, 0), models_coord("pole", false, 0, 1, 0),
                    models_coord("copy", false, 0, 1, 0)},
              .b = {{"cart", -1, dm_identity, 0, 1, 1, {0}, {0}},
                    {"bob", 0, dm_identity, 1, 2, 1, {0, 0, -1}, {0.1, 0.1, 0.1}}},
              .u = {models_input("force", 0), models_input("torque", 1)}};
  x->c[2].mimic = 1;
  x->c[2].ratio = 0.5;
  x->t = (dm_tree){.nbody = 2,
                   .ncoord = 3,
                   .ninput = 2,
                   .body = x->b,
                   .coord = x->c,
                   .input = x->u,
                   .gravity = {0, 0, -9.81}};
}

static void copy_a_copy(plan *x) {
  x->c[1].mimic = 2;
}
static void follow_nothing(plan *x) {
  x->c[2].mimic = 7;
}
static void follow_by_nothing(plan *x) {
  x->c[2].ratio = 0;
}
static void stretch_axis(plan *x) {
  x->c[0].axis[0] = 2;
}
static void push_by_damping(plan *x) {
  x->c[0].damping = -1;
}
static void lose_armature(plan *x) {
  x->c[1].armature = NAN;
}
static void name_twice(plan *x) {
  x->c[1].name = "slider";
}
static void turn_order(plan *x) {
  x->b[0].parent = 1;
}
static void take_more(plan *x) {
  x->b[1].ncoord = 3;
}
static void weigh_less(plan *x) {
  x->b[1].mass = -2;
}
static void lose_centre(plan *x) {
  x->b[1].centre[1] = INFINITY;
}
static void push_nothing(plan *x) {
  x->u[1].coord = 3;
}
static void load_first(plan *x) {
  x->u[0].coord = -1;
}
static void close_limits(plan *x) {
  x->u[0].u_min = 3;
  x->u[0].u_max = 2;
}
static void lose_gravity(plan *x) {
  x->t.gravity[2] = NAN;
}

static void what_is_wrong_is_named(void **state) {
  (void)state;
  static const struct {
    void (*spoil)(plan *x);
    const char *says;
  } rows[] = {{copy_a_copy, "coordinate 'pole' mimics 'copy', which is a mimic itself"},
              {follow_nothing, "coordinate 'copy' mimics one that does not exist"},
              {follow_by_nothing, "coordinate 'copy': ratio must be finite and not 0, got 0"},
              {stretch_axis, "coordinate 'slider': its axis must have length 1, got 2"},
              {push_by_damping, "coordinate 'slider': damping must be >= 0, got -1"},
              {lose_armature, "coordinate 'pole': armature must be >= 0, got nan"},
              {name_twice, "two coordinates are named 'slider'"},
              {turn_order, "body 'cart' comes before its parent, expected it after"},
              {take_more, "body 'bob' refers to coordinates that do not exist"},
              {weigh_less, "body 'bob': mass must be >= 0, got -2"},
              {lose_centre, "body 'bob': a number is not finite"},
              {push_nothing, "input 'torque' acts on a coordinate that does not exist"},
              {load_first, "input 'torque' comes after one of a load"},
              {close_limits, "input 'force': its limits [3, 2] are empty"},
              {lose_gravity, "gravity is not finite"}};
  for (int i = 0; i < COUNT(rows); i++) {
    plan x;
    dm_model *m = NULL;
    dm_message msg = {""};
    make_plan(&x);
    rows[i].spoil(&x);
    assert_int_equal(dm_model_new(&m, &x.t, &msg), DM_BAD_INPUT);
    assert_null(m);
    if (!strstr(msg.text, rows[i].says)) fail_msg("'%s' is not in '%s'", rows[i].says, msg.text);
  }

  // unchanged, it compiles
  plan x;
  make_plan(&x);
  dm_model_free(models_make(&x.t));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_wrong_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
