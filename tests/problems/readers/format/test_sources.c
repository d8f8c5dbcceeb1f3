// tests/problems/readers/format/test_sources.c: the files a problem was read from, and copies that
// are read in their place.
#include "tests/support/cart_pole.h"

#include "problems/readers/format/sources.h"

#include <ctype.h>

static void copies_stay_in_their_folder(void **state) {
  (void)state;
  static const char *const names[] = {
      "",         ".",         "..",  "../x.urdf",    "/etc/x",     ".hidden", "a/b",     "a b.csv",
      "x\n.yaml", "\xff.urdf", "x@y", "a/../../../b", "ends/with/", "-o",      "\"'`$(x)"};
  char copy[PB_COPY_NAME], other[PB_COPY_NAME];
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    pb_copy_name(names[i], copy);
    assert_true(copy[0] && copy[0] != '.');
    for (const char *at = copy; *at; at++)
      assert_true(isalnum((unsigned char)*at) || strchr("_-.@", *at));
    for (size_t k = 0; k < i; k++) {
      pb_copy_name(names[k], other);
      assert_string_not_equal(copy, other);
    }
  }
}

static void plain_names_are_their_own_and_long_ones_fit(void **state) {
  (void)state;
  char copy[PB_COPY_NAME], name[600];
  pb_copy_name("cart-pole_2.urdf", copy);
  assert_string_equal(copy, "cart-pole_2.urdf");
  pb_copy_name("../robots/arm.urdf", copy);
  assert_string_equal(copy + 12, "@arm.urdf");
  memset(name, 'a', sizeof name - 1);
  name[sizeof name - 1] = 0;
  pb_copy_name(name, copy);
  assert_int_equal(strlen(copy), 12 + 1 + 64);
}

// a problem that names a robot file above its folder and a table beside it, of the same name as
// another's
static const char text[] = "model: {urdf: ../robots/x.csv}\n"
                           "horizon: {steps: 4, time: 2}\n"
                           "start: {q: 0, v: 0}\ngoal: {q: {pole: 1}}\n"
                           "guess: {csv: x.csv}\n";
static const char table[] = "t,q.slider,q.pole\n0,0,0\n2,1,1\n";

static void put_sources(const char *urdf) {
  char path[600];
  static const char *const below[] = {"robots", "tasks", "copies"};
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, below[i]);
    mkdir(path, 0777);
  }
  put_file(folder, "robots/x.csv", urdf);
  put_file(folder, "tasks/x.csv", table);
  put_file(folder, "tasks/p.yaml", text);
}

static pb_problem *get(const char *copies) {
  char path[600], from[600];
  dm_message msg = {""};
  pb_problem *p;
  snprintf(path, sizeof path, "%s/tasks/p.yaml", folder);
  snprintf(from, sizeof from, "%s/copies", folder);
  if (pb_problem_copied(&p, path, copies ? from : NULL, NULL, 0, &msg) != DM_OK)
    fail_msg("%s", msg.text);
  return p;
}

// each file as it is on the disk, though readers cut lines in theirs
static void put_copies(const pb_problem *p) {
  char name[PB_COPY_NAME + 8], copy[PB_COPY_NAME];
  for (const pb_source *s = p->file.sources; s; s = s->next) {
    pb_copy_name(s->name, copy);
    snprintf(name, sizeof name, "copies/%s", copy);
    put_bytes(folder, name, s->bytes, s->size);
  }
}

static void remove_sources(void) {
  char path[1200], copy[PB_COPY_NAME];
  static const char *const names[] = {"../robots/x.csv", "x.csv", "p.yaml"};
  for (int i = 0; i < 3; i++) {
    pb_copy_name(names[i], copy);
    snprintf(path, sizeof path, "%s/copies/%s", folder, copy);
    unlink(path);
    snprintf(path, sizeof path, "%s/tasks/%s", folder, names[i]);
    unlink(path);
  }
  static const char *const below[] = {"robots", "tasks", "copies"};
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, below[i]);
    assert_int_equal(rmdir(path), 0);
  }
}

static void sources_are_the_files_as_they_were(void **state) {
  (void)state;
  static const char *const names[] = {"p.yaml", "../robots/x.csv", "x.csv"};
  put_sources(CART_POLE);
  pb_problem *p = get(NULL);
  const char *const bytes[] = {text, CART_POLE, table};
  int i = 0;
  for (const pb_source *s = p->file.sources; s; s = s->next, i++) {
    assert_true(i < 3);
    assert_string_equal(s->name, names[i]);
    assert_int_equal(s->size, strlen(bytes[i]));
    assert_memory_equal(s->bytes, bytes[i], s->size);
  }
  assert_int_equal(i, 3);
  pb_problem_free(p);
  remove_sources();
}

// a file that stands elsewhere says where those that it names are, itself from where it stands
static void files_are_read_in_the_folder_that_is_said(void **state) {
  (void)state;
  char path[600], elsewhere[400];
  dm_message msg = {""};
  pb_problem *p, *was;
  put_sources(CART_POLE);
  was = get(NULL);
  snprintf(elsewhere, sizeof elsewhere, "folder: ../tasks\n%s", text);
  snprintf(path, sizeof path, "%s/copies/p.yaml", folder);
  put_file(folder, "copies/p.yaml", elsewhere);
  if (pb_problem_read(&p, path, &msg) != DM_OK) fail_msg("%s", msg.text);
  assert_int_equal(p->guess.csv->N, was->guess.csv->N);
  assert_string_equal(p->file.sources->next->name, "../robots/x.csv");
  pb_problem_free(p);
  pb_problem_free(was);
  remove_sources();
}

static void copies_are_read_whatever_became_of_the_files(void **state) {
  (void)state;
  put_sources(CART_POLE);
  pb_problem *was = get(NULL);
  put_copies(was);
  put_sources("no robot");
  put_file(folder, "tasks/p.yaml", "no: problem\n");
  pb_problem *is = get("copies");
  assert_string_equal(is->file.sha256, was->file.sha256);
  assert_string_equal(is->file.name, was->file.name);
  assert_int_equal(is->model->nq, 2);
  assert_non_null(is->guess.csv);
  pb_problem_free(is);
  pb_problem_free(was);
  remove_sources();
}

static void a_copy_that_is_not_there_is_named(void **state) {
  (void)state;
  char path[600], copies[600];
  dm_message msg = {""};
  pb_problem *p;
  put_sources(CART_POLE);
  snprintf(path, sizeof path, "%s/tasks/p.yaml", folder);
  snprintf(copies, sizeof copies, "%s/copies", folder);
  assert_int_equal(pb_problem_copied(&p, path, copies, NULL, 0, &msg), DM_IO);
  assert_non_null(strstr(msg.text, "tasks/p.yaml: cannot be read: No such file"));
  remove_sources();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_stay_in_their_folder),
      cmocka_unit_test(plain_names_are_their_own_and_long_ones_fit),
      cmocka_unit_test(sources_are_the_files_as_they_were),
      cmocka_unit_test(files_are_read_in_the_folder_that_is_said),
      cmocka_unit_test(copies_are_read_whatever_became_of_the_files),
      cmocka_unit_test(a_copy_that_is_not_there_is_named),
  };
  return cmocka_run_group_tests(tests, open_folder, close_folder);
}
