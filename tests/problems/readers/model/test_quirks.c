// tests/robots/quirks: each file as it reads, by its masses, coordinates, limits and mass matrix,
// all worked out by hand, and by its warnings; or by the sentence that refuses it.
#include "tests/support/robots.h"

#include <dirent.h>
#include <math.h>

enum { DIAGONAL = 7, WARNINGS = 5 };

// coordinates: a line each of `NAME LOWER..UPPER SPEED DAMPING`, an `uEFFORT` where an input acts
// M: the diagonal of the mass matrix at q = 0, as many entries as there are; 0: not looked at
typedef struct row {
  const char *file;
  double mass;
  const char *coordinates;
  double M[DIAGONAL];
  const char *warnings[WARNINGS];
} row;

#define USUAL " -2..2 3 0 u10\n"
#define FREE  " -inf..inf inf 0\n"

static const row rows[] = {
    {.file = "continuous",
     .mass = 7,
     .coordinates = "wheel -inf..inf 5 0 u2\nfan -inf..inf 9 0 u0.5\n",
     .M = {0.06, 0.03},
     .warnings = {"continuous.urdf:9: joint 'wheel' is continuous"}},
    {.file = "empty-limits",
     .mass = 8,
     .coordinates = "crossed -inf..inf 2 0 u5\nzeros -inf..inf inf 0\nnegative -1..1 inf 0\n",
     .M = {0.09, 0.06, 0.03},
     .warnings = {"joint 'crossed' has lower 1 >= upper -1", "joint 'zeros' has lower 0 >= upper 0",
                  "joint 'zeros' has velocity limit 0", "joint 'negative' has velocity limit -2",
                  "joint 'negative' has effort limit -5"}},
    // sensor and tool lie with their z along the arm's x: their moments about the joint are ixx
    {.file = "fixed-chains",
     .mass = 55.5,
     .coordinates = "turn" USUAL,
     .M = {0.03 + 0.25 * 0.25 + 0.01 + 0.2 * 0.5 * 0.5 + 0.001 + 0.3 * 0.65 * 0.65}},
    {.file = "fixed-mimic", .mass = 7, .coordinates = "turn" USUAL, .M = {0.03 + 0.03 + 0.25}},
    {.file = "floating",
     .mass = 9,
     .coordinates = "free.x" FREE "free.y" FREE "free.z" FREE "free.rz" FREE "free.ry" FREE
                    "free.rx" FREE "elbow" USUAL,
     .M = {4, 4, 4, 0.06 + 0.04, 0.04 + 0.04, 0.02, 0.02 + 0.04}},
    {.file = "massless",
     .mass = 2,
     .coordinates = "yaw" USUAL "pitch" USUAL "roll" USUAL,
     .M = {0.03, 0.02 + 0.5, 0.01 + 0.5}},
    {.file = "meshes", .mass = 6, .coordinates = "turn" USUAL, .M = {0.03}},
    // the thumb, a copy of a copy, turns -10 times as fast as the left finger slides, from 0.25 rad
    {.file = "mimic",
     .mass = 6.4,
     .coordinates = "wrist" USUAL "left_slide 0..0.04 0.1 0 u20\n",
     .M = {0.11 + 0.01 * 0.93879128094518634, 0.1 + 0.1 + 100 * 0.01}},
    {.file = "no-inertia",
     .mass = 7.5,
     .coordinates = "shoulder" USUAL "extend" USUAL,
     .M = {2 * 0.25 + 0.5, 0.5},
     .warnings = {"no-inertia.urdf:5: link 'arm' has no <inertia>: a point mass"}},
    {.file = "no-limits",
     .mass = 9,
     .coordinates =
         "none" FREE "neither -inf..inf 2 0 u5\nabove 0..1.5 2 0 u5\nbelow -0.5..0 2 0 u5\n",
     .M = {0.12, 0.09, 0.06, 1},
     .warnings = {"no-limits.urdf:9: joint 'none' has no <limit>",
                  "joint 'neither' has no lower and upper", "joint 'above' has no lower limit",
                  "joint 'below' has no upper limit"}},
    {.file = "not-definite",
     .mass = 7,
     .coordinates = "one" USUAL "two" USUAL,
     .M = {-0.001 + 0.09 + 0.01 + 0.36, 0.01},
     .warnings = {"not-definite.urdf:5: body 'a': its inertia is not positive definite",
                  "not-definite.urdf:6: body 'b': its inertia is not positive definite"}},
    {.file = "numbers",
     .mass = 7,
     .coordinates = "turn -3.14..3.14 10 0.001 u0.5\n",
     .M = {0.01 + 2 * 0.25}},
    {.file = "planar",
     .mass = 7.5,
     .coordinates =
         "drive.x -inf..inf inf 0.5\ndrive.y -inf..inf inf 0.5\ndrive.rz -inf..inf inf 0.5\n"
         "pan" FREE,
     .M = {2.5, 2.5, 0.06, 0.03}},
    // the axis of `nearly` is (1, 0, 1) but for the last digit that was written
    {.file = "skew-axes",
     .mass = 8,
     .coordinates = "diagonal" USUAL "nearly" USUAL,
     .M = {0, (0.06 * 0.70710 * 0.70710 + 0.04 * 0.70711 * 0.70711) /
                  (0.70710 * 0.70710 + 0.70711 * 0.70711)}},
    {.file = "stiff-damping",
     .mass = 7.1,
     .coordinates = "shoulder -2..2 3 0.1 u10\nwrist -2..2 3 1 u10\n",
     .M = {0.02 + 2 * 0.04 + 0.0006 + 0.1 * 0.16, 0.001}},
    {.file = "tiny-inertia",
     .mass = 15.001001,
     .coordinates = "one" USUAL "two" USUAL "three" USUAL,
     .M = {0.5 + 1e-7 + 1e-10, 1e-7 + 1e-10 + 1e-6 * 0.01 * 0.01, 1e-10}},
    {.file = "transmissions",
     .mass = 6,
     .coordinates = "turn" USUAL,
     .M = {0.03},
     .warnings =
         {"transmissions.urdf:5: <transmission>: its mechanicalReduction 50 changes nothing"}},
    {.file = "triangle",
     .mass = 6,
     .coordinates = "one" USUAL,
     .M = {0.05},
     .warnings = {"triangle.urdf:5: body 'a': its inertia violates the triangle inequality"}},
    {.file = "turned-root",
     .mass = 9,
     .coordinates = "first" USUAL "second" USUAL,
     .M = {0.03 + 0.0625 + 0.03 + 0.25, 0.02}},
    {.file = "unicode",
     .mass = 7.5,
     .coordinates = "Drehgelenk für Öl" USUAL "肘" USUAL "нога" USUAL,
     .M = {0.09, 0.02 + 0.01 + 0.02, 0.5}},
};

// limits, damping and effort of every coordinate, as rows have them
static void describe(const dm_model *m, char *text, size_t size) {
  size_t used = 0;
  for (int i = 0; i < m->nq; i++) {
    used += (size_t)snprintf(text + used, size - used, "%s %g..%g %g %g", m->name[i], m->q_min[i],
                             m->q_max[i], m->v_max[i], m->damping[i]);
    for (int k = 0; k < m->nu; k++)
      if (m->input_coord[k] == i)
        used += (size_t)snprintf(text + used, size - used, " u%g", m->u_max[k]);
    used += (size_t)snprintf(text + used, size - used, "\n");
  }
}

static robot read_quirk(const char *name, bool floating) {
  char path[600];
  snprintf(path, sizeof path, "%s/tests/robots/quirks/%s.urdf", source_folder(), name);
  return read_path(path, floating);
}

static void expect_warnings(const robot *r, const row *x) {
  int n = 0;
  while (n < WARNINGS && x->warnings[n]) n++;
  for (int k = 0; k < n; k++)
    if (!warned(r, x->warnings[k])) fail_msg("%s: no warning says '%s'", x->file, x->warnings[k]);
  if (r->warnings.n != n)
    fail_msg("%s: %d warnings, not %d; the last: %s", x->file, r->warnings.n, n,
             r->warnings.text[r->warnings.n - 1]);
}

static void expect_masses(const dm_model *m, const row *x) {
  enum { MOST = 8 };
  double q[MOST] = {0}, M[MOST * MOST];
  assert_true(m->nq <= MOST);
  if (!(fabs(mass_of(m) - x->mass) < 1e-12 * x->mass))
    fail_msg("%s: %.17g kg, not %.17g", x->file, mass_of(m), x->mass);
  mass_matrix(m, q, M);
  for (int i = 0; i < m->nq && i < DIAGONAL; i++) {
    double entry = M[i * m->nq + i];
    if (x->M[i] != 0 && !(fabs(entry - x->M[i]) < 1e-12 * fabs(x->M[i])))
      fail_msg("%s: M of %s is %.17g, not %.17g", x->file, m->name[i], entry, x->M[i]);
  }
}

static void quirks_read_as_worked_out_by_hand(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[1000];
    robot r = read_quirk(rows[i].file, false);
    if (r.status != DM_OK) fail_msg("%s", r.msg.text);
    expect_warnings(&r, &rows[i]);
    describe(r.m, text, sizeof text);
    assert_string_equal(text, rows[i].coordinates);
    expect_masses(r.m, &rows[i]);
    drop(&r);
  }
}

// a free base adds six coordinates and moves what stood on the ground; the rest stays as it was
static void the_same_robots_float(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    robot fixed = read_quirk(rows[i].file, false), free = read_quirk(rows[i].file, true);
    assert_int_equal(fixed.status, DM_OK);
    if (free.status == DM_OK) {
      assert_int_equal(free.m->nq, fixed.m->nq + 6);
      assert_int_equal(free.m->nu, fixed.m->nu);
      assert_true(free.m->ground.m == 0);
      assert_true(fabs(mass_of(free.m) - rows[i].mass) < 1e-12 * rows[i].mass);
    } else {
      assert_string_equal(rows[i].file, "massless");
      assert_non_null(strstr(free.msg.text, "coordinate 'yaw' moves no inertia of its own"));
    }
    drop(&fixed);
    drop(&free);
  }
}

// a chain, of which the first joint swings all: 0.002 + m c^2 of each link, 6 cm apart
static void a_long_chain_adds_up(void **state) {
  (void)state;
  enum { LINKS = 24 };
  robot r = read_quirk("long-chain", false);
  double q[LINKS] = {0}, M[LINKS * LINKS], sum = 0;
  if (r.status != DM_OK) fail_msg("%s", r.msg.text);
  assert_int_equal(r.m->nq, LINKS);
  assert_int_equal(r.warnings.n, 0);
  for (int i = 0; i < LINKS; i++) sum += 0.002 + 0.5 * pow(0.06 * i + 0.03, 2);
  mass_matrix(r.m, q, M);
  assert_true(fabs(M[0] - sum) < 1e-12 * sum);
  // the last joint turns about the other axis
  assert_true(fabs(M[LINKS * LINKS - 1] - (0.002 + 0.5 * 0.03 * 0.03)) < 1e-15);
  assert_true(fabs(M[LINKS - 1]) < 1e-15);
  drop(&r);
}

// unreadable files, and their sentences
static const struct {
  const char *file, *sentence;
} refused[] = {
    {"closed-loop", "link 'coupler' hangs on joint 'b' and on joint 'd', expected a tree"},
    {"comma", "comma.urdf:5: <mass value>: found '1,5', expected a finite number"},
    {"lost-link", "its child is link 'foream', which does not exist; did you mean 'forearm'?"},
    {"lost-mimic", "mimics 'left_fingr', which does not exist; did you mean 'left_finger'?"},
    {"needle", "coordinate 'spin' moves no inertia of its own"},
    {"negative-damping", "joint 'turn': found damping -0.1, expected a number >= 0"},
    {"negative-mass", "negative-mass.urdf:5: link 'a': found mass -1, expected a number >= 0"},
    {"no-mass", "link 'a': found <inertial> without a mass, expected <mass value=\"...\"/>"},
    {"not-a-number", "not-a-number.urdf:5: <mass value>: found 'nan', expected a finite number"},
    {"planar-mimic", "joint 'turn' mimics 'drive', which is planar"},
    {"ring", "joint 'one' closes a loop over link 'b', expected a tree"},
    {"self-mimic", "joint 'one' mimics itself"},
    {"twice", "twice.urdf:6: found a second link named 'a', expected every name once"},
    {"two-roots", "links 'base' and 'other' hang on no joint, expected one root"},
    {"unmoved", "coordinate 'needle' moves no inertia of its own"},
    {"xacro", "found the macro <xacro:property>, expected a file that xacro has expanded"},
    {"zero-axis", "joint 'turn': found the axis 0 0 0, expected a direction"},
};

static void what_is_no_robot_is_refused(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    robot r = read_quirk(refused[i].file, false);
    if (r.status != DM_BAD_INPUT) fail_msg("%s: status %d", refused[i].file, r.status);
    assert_null(r.m);
    if (!strstr(r.msg.text, refused[i].sentence))
      fail_msg("'%s' is not in '%s'", refused[i].sentence, r.msg.text);
    pb_warnings_free(&r.warnings);
  }
}

static bool is_file_of(const char *name, const char *quirk) {
  size_t length = strlen(quirk);
  return !strncmp(name, quirk, length) && !strcmp(name + length, ".urdf");
}

// every file of the folder is in one of the tables, or is the long chain
static void every_quirk_has_its_row(void **state) {
  (void)state;
  char path[600];
  snprintf(path, sizeof path, "%s/tests/robots/quirks", source_folder());
  DIR *folder_of_quirks = opendir(path);
  assert_non_null(folder_of_quirks);
  for (struct dirent *e; (e = readdir(folder_of_quirks));) {
    bool known = e->d_name[0] == '.' || !strcmp(e->d_name, "long-chain.urdf");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
      known = known || is_file_of(e->d_name, rows[i].file);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
      known = known || is_file_of(e->d_name, refused[i].file);
    if (!known) fail_msg("%s has no row", e->d_name);
  }
  closedir(folder_of_quirks);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quirks_read_as_worked_out_by_hand),
      cmocka_unit_test(the_same_robots_float),
      cmocka_unit_test(a_long_chain_adds_up),
      cmocka_unit_test(what_is_no_robot_is_refused),
      cmocka_unit_test(every_quirk_has_its_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
