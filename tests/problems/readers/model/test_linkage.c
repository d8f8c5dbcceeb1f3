// tests/problems/readers/model/test_linkage.c: robot files that cannot be read, and what is said of
// them.
#include "tests/support/robots.h"

// unreadable files: the sentence after the folder's name
static const struct {
  const char *text, *message;
} wrong[] = {
    {"", "r.urdf:1: found an empty file"},
    {"not xml at all", "r.urdf:1:1: found broken XML"},
    {"<robot>\n<link name='a'>\n</robot>", "r.urdf:3:"},
    {"<model/>", "r.urdf:1: found <model>, expected <robot> or <mujoco>"},
    {"<robot/>", "r.urdf:1: found no <link>"},
    {"<robot><link/></robot>", "r.urdf:1: <link>: found no name"},
    {"<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>\n<robot name='&b;'/>",
     "r.urdf:1: found a DOCTYPE, expected none"},
    {"<!DOCTYPE r SYSTEM 'http://example.org/x.dtd'>\n<robot/>", "r.urdf:1: found a DOCTYPE"},
    {"<robot name='&b;'/>", "r.urdf:1:1: found broken XML: undefined entity"},
    {"<robot xmlns:xacro='x'>\n<xacro:arm/><link name='a'/></robot>",
     "r.urdf:2: found the macro <xacro:arm>"},
    {"<robot>\n<xacro:arm/><link name='a'/></robot>", "r.urdf:2: found the macro <xacro:arm>"},
    {ROBOT("<link name='a'/>\n<link name='a'/>"), "r.urdf:3: found a second link named 'a'"},
    {ROBOT("<link name='w'/>" LINK("a", "1", ROUND) JOINT("j", "revolut", "w", "a", "")),
     "r.urdf:3: joint 'j': found the unknown type 'revolut', expected one of fixed, revolute, "
     "continuous, prismatic, floating, planar, ball, spherical, universal, screw; did you mean "
     "'revolute'?"},
    {ROBOT("<link name='w'/>" LINK("arm", "1", ROUND) JOINT("j", "fixed", "w", "amr", "")),
     "r.urdf:3: joint 'j': its child is link 'amr', which does not exist; did you mean 'arm'?"},
    {ROBOT("<link name='w'/><joint name='j' type='fixed'><child link='w'/></joint>"),
     "r.urdf:2: joint 'j': found no <parent>"},
    {ROBOT("<link name='w'/>" LINK("a", "1", ROUND) JOINT("j", "fixed", "w", "a", "")
               JOINT("j", "fixed", "w", "a", "")),
     "r.urdf:4: found a second joint named 'j'"},
    {ROBOT("<link name='w'/>" LINK("a", "1", ROUND) JOINT("j", "fixed", "w", "a", "")
               JOINT("k", "fixed", "w", "a", "")),
     "link 'a' hangs on joint 'j' and on joint 'k'"},
    {ROBOT("<link name='w'/>\n<link name='x'/>"),
     "r.urdf:3: links 'w' and 'x' hang on no joint, expected one root"},
    {ROBOT("<link name='w'/>" LINK("a", "1", ROUND) LINK("b", "1", ROUND)
               JOINT("j", "fixed", "b", "a", "") JOINT("k", "fixed", "a", "b", "")),
     "closes a loop"},
    {ROBOT(LINK("a", "1", ROUND) JOINT("j", "fixed", "a", "a", "")),
     "r.urdf:3: joint 'j' closes a loop"},
    {ONE_JOINT("<axis xyz='0 0 0'/>"), "r.urdf:3: joint 'j': found the axis 0 0 0"},
    {ONE_JOINT("<axis xyz='0 0'/>"),
     "r.urdf:3: <axis xyz>: found '0 0', expected three finite numbers"},
    {ONE_JOINT("<axis xyz='0 0 1 1'/>"), "r.urdf:3: <axis xyz>: found '0 0 1 1'"},
    {ONE_JOINT("<origin rpy='0 0 nan'/>"), "r.urdf:3: <origin rpy>: found '0 0 nan'"},
    {ONE_JOINT("<limit lower='-${pi}' upper='1'/>"),
     "r.urdf:3: <limit lower>: found '-${pi}', expected a finite number"},
    {ONE_JOINT("<dynamics damping='-1'/>"), "joint 'j': found damping -1, expected a number >= 0"},
    {ONE_JOINT("<mimic joint='k'/>"), "joint 'j' mimics 'k', which does not exist"},
    {ONE_JOINT("<mimic joint='j'/>"), "joint 'j' mimics itself"},
    {ONE_JOINT("<mimic/>"), "<mimic>: found no joint"},
    {ROBOT("<link name='w'/>" LINK("a", "1", ROUND) LINK("b", "1", ROUND) JOINT(
         "j", "continuous", "w", "a", "<mimic joint='k'/>") JOINT("k", "fixed", "a", "b", "")),
     "joint 'j' mimics 'k', which is fixed"},
    {ROBOT("<link name='w'/>" LINK("a", "1", ROUND) LINK("b", "1", ROUND)
               JOINT("j", "continuous", "w", "a", "<mimic joint='k'/>")
                   JOINT("k", "continuous", "a", "b", "<mimic joint='j'/>")),
     "mimics itself"},
    {ROBOT("<link name='w'/>" LINK("a", "1", ROUND) LINK("b", "1", ROUND)
               JOINT("j", "continuous", "w", "a", "<mimic joint='k' multiplier='0'/>")
                   JOINT("k", "continuous", "a", "b", "")),
     "joint 'j': found multiplier 0"},
    {ROBOT("<link name='w'/>" LINK("a", "-1", ROUND) JOINT("j", "continuous", "w", "a", "")),
     "r.urdf:2: link 'a': found mass -1, expected a number >= 0"},
    {ROBOT("<link name='w'/>" LINK("a", "heavy", ROUND) JOINT("j", "continuous", "w", "a", "")),
     "r.urdf:2: <mass value>: found 'heavy', expected a finite number"},
    {ROBOT("<link name='w'/><link name='a'>\n<inertial/></link>" JOINT("j", "continuous", "w", "a",
                                                                       "")),
     "r.urdf:3: link 'a': found <inertial> without a mass"},
    {ROBOT("<link name='w'/>\n<link name='a'/>\n" JOINT("j", "continuous", "w", "a", "")),
     "r.urdf:4: coordinate 'j' moves no inertia of its own"},
    {ROBOT("<link name='w'/>"), "r.urdf: nothing in this model can move"},
    // names that are words of a terminal, a script or a table
    {ROBOT("<link name='w'/>" LINK("a", "1", ROUND)
               JOINT("j&#10;!touch pwned&#10;", "continuous", "w", "a", "")),
     "r.urdf:3: <joint>: found the control character U+000A in name='j?!touch pwned?', expected "
     "plain text in one line"},
    {ROBOT("<link name='w'/>\n<link name='a&#x9b;31m'/>"),
     "r.urdf:3: <link>: found the control character U+009B in name='a??31m'"},
    {ROBOT("<link name='a&#x202e;b'/>"), "<link>: found the control character U+202E"},
    {ROBOT("<link name='w'/>" JOINT("j", "continuous\x7f", "w", "a", "")),
     "<joint>: found the control character U+007F in type='continuous?'"},
    {"<robot name='r'>\n<link name='w\xff'/></robot>", "r.urdf:2:"},
};

static void wrong_files_are_refused_by_line(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    robot r = read_text(wrong[i].text, false);
    if (r.status != DM_BAD_INPUT || !strstr(r.msg.text, wrong[i].message))
      fail_msg("got    %d %s\nwanted %s", r.status, r.msg.text, wrong[i].message);
    assert_null(r.m);
    drop(&r);
  }
}

static void lines_are_counted_past_65535(void **state) {
  (void)state;
  enum { LINES = 70000 };
  char *text = malloc(LINES + 200);
  memset(text, '\n', LINES);
  memcpy(text, "<robot>", 7);
  strcpy(text + LINES, "<link name='a'/>\n<link name='a'>\n</link></robot>");
  robot r = read_text(text, false);
  assert_int_equal(r.status, DM_BAD_INPUT);
  // seven of the first characters are not line ends
  assert_non_null(strstr(r.msg.text, "r.urdf:69995: found a second link"));
  drop(&r);
  free(text);
}

// as many attributes as one element may have, and one more; text outside of tags has none
static void attributes_of_an_element_are_counted(void **state) {
  (void)state;
  enum { MOST = 1000 };
  static char text[1 << 16];
  for (int n = MOST; n <= MOST + 1; n++) {
    size_t used = (size_t)sprintf(text, "<robot>\n<!-- a='>' <b -->\n<link name='a'");
    for (int i = 1; i < n; i++) used += (size_t)sprintf(text + used, " x%d='=>='", i);
    used += (size_t)sprintf(text + used, "><![CDATA[<c ");
    for (int i = 0; i <= MOST; i++) used += (size_t)sprintf(text + used, " y=''");
    sprintf(text + used, "]]></link></robot>");
    robot r = read_text(text, false);
    const bool many = n > MOST;
    assert_int_equal(strstr(r.msg.text, "r.urdf:3: found an element with more than 1000") != NULL,
                     many);
    drop(&r);
  }
}

static void what_is_no_file_is_said(void **state) {
  (void)state;
  char missing[600];
  snprintf(missing, sizeof missing, "%s/none.urdf", folder);
  robot a = read_path(missing, false), b = read_path(folder, false);
  assert_int_equal(a.status, DM_IO);
  assert_non_null(strstr(a.msg.text, "none.urdf: cannot be read: No such file"));
  assert_int_equal(b.status, DM_IO);
  assert_non_null(strstr(b.msg.text, "cannot be read: Is a directory"));
  drop(&a);
  drop(&b);
}

static void bytes_without_sense_are_refused(void **state) {
  (void)state;
  char text[300];
  unsigned x = 4321;
  for (int k = 0; k < 300; k++) {
    for (size_t i = 0; i < sizeof text; i++)
      x = x * 1664525 + 1013904223, text[i] = (char)(x >> 24);
    robot r = read_path(put_bytes(folder, "r.urdf", text, sizeof text), false);
    assert_int_equal(r.status, DM_BAD_INPUT);
    drop(&r);
  }
}

// a chain as long as is allowed reads, and a longer one does not
static void long_chains_do_not_overflow(void **state) {
  (void)state;
  static char text[1 << 20];
  for (int links = 400; links <= 2049; links += 1649) {
    size_t used = (size_t)sprintf(text, "<robot>");
    for (int i = 0; i < links; i++) used += (size_t)sprintf(text + used, "<link name='l%d'/>\n", i);
    for (int i = 1; i < links; i++)
      used += (size_t)sprintf(text + used,
                              "<joint name='j%d' type='%s'><parent link='l%d'/><child link='l%d'/>"
                              "</joint>\n",
                              i, "fixed", i - 1, i);
    strcpy(text + used, "</robot>");
    robot r = read_text(text, false);
    assert_int_equal(r.status, DM_BAD_INPUT);
    assert_non_null(strstr(r.msg.text, links == 400 ? "nothing in this model can move"
                                                    : "expected at most 2048"));
    drop(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_files_are_refused_by_line),
      cmocka_unit_test(lines_are_counted_past_65535),
      cmocka_unit_test(attributes_of_an_element_are_counted),
      cmocka_unit_test(what_is_no_file_is_said),
      cmocka_unit_test(bytes_without_sense_are_refused),
      cmocka_unit_test(long_chains_do_not_overflow),
  };
  return cmocka_run_group_tests(tests, open_folder, close_folder);
}
