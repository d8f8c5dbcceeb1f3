// tests/problems/readers/format/test_xml.c: documents that are read, written and read again; lines;
// limits.
#include "problems/readers/format/xml.h"
#include "tests/support/models.h"

#include <stdlib.h>
#include <string.h>

static dm_status read_document(pb_arena *arena, dm_message *msg, const char *text, pb_xml *x) {
  static pb_reader r;
  r = (pb_reader){.arena = arena, .msg = msg, .file = "a.xml"};
  return pb_xml_open(x, &r, "a.xml", text, strlen(text));
}

static char *write_document(const pb_xml *x) {
  char *text;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  pb_xml_write(f, x->document);
  fclose(f);
  return text;
}

// all signs that have a meaning in attributes and text, by references and in a CDATA section
static void what_is_written_is_read_as_the_same(void **state) {
  (void)state;
  static const char text[] =
      "<!-- of a - robot --><?tool on?><robot n:a='&lt;&amp;&quot;&#10;&#9;é\"'>\n  <b/>"
      "x &amp;<![CDATA[<y>]]>&#13;<c d=''>z</c></robot>";
  static const char wanted[] = "<?xml version=\"1.0\"?>\n<!-- of a - robot -->\n<?tool on?>\n"
                               "<robot n:a=\"&lt;&amp;&quot;&#10;&#9;é&quot;\">\n  <b/>"
                               "x &amp;&lt;y&gt;&#13;<c d=\"\">z</c></robot>\n";
  for (int i = 0; i < 2; i++) {
    pb_arena arena = {0};
    dm_message msg;
    pb_xml x;
    assert_int_equal(read_document(&arena, &msg, i ? wanted : text, &x), DM_OK);
    assert_string_equal(pb_xml_get(pb_xml_root(&x), "n:a"), "<&\"\n\té\"");
    char *written = write_document(&x);
    assert_string_equal(written, wanted);
    free(written);
    pb_arena_free(&arena);
  }
}

static void copies_and_moves_keep_order_and_places(void **state) {
  (void)state;
  pb_arena arena = {0};
  dm_message msg;
  pb_xml x;
  assert_int_equal(read_document(&arena, &msg, "<r><a\n i='1'/><b/><c/></r>", &x), DM_OK);
  pb_xml_node *root = pb_xml_root(&x), *a = pb_xml_next(root->children, "a");
  pb_xml_node *copy = pb_xml_copy(&arena, a);
  assert_int_equal(pb_xml_line(copy), 2);
  assert_int_equal(pb_xml_set(&arena, copy, "i", "2"), DM_OK);
  assert_int_equal(pb_xml_set(&arena, copy, "j", "3"), DM_OK);
  pb_xml_put_behind(pb_xml_next(root->children, "b"), copy);
  pb_xml_append(root, a);
  pb_xml_unset(a, "i");
  pb_xml_put_before(root->children, pb_xml_next(root->children, "c"));
  char *written = write_document(&x);
  assert_string_equal(written,
                      "<?xml version=\"1.0\"?>\n<r><c/><b/><a i=\"2\" j=\"3\"/><a/></r>\n");
  assert_int_equal(pb_xml_count(root), 4);
  free(written);
  pb_arena_free(&arena);
}

static void documents_out_of_limits_are_refused_by_line(void **state) {
  (void)state;
  static char deep[2000] = "\n";
  for (int i = 0; i < 257; i++) strcat(deep, "<a>");
  static const char *const rows[][2] = {
      {deep, "a.xml:2: found elements nested more than 256 deep"},
      {"\n<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "a.xml:2: found a DOCTYPE"},
      {"<a>\n</b>", "a.xml:2:3: found broken XML: mismatched tag"},
      {"<?xml version='1.0' encoding='x'?><a/>", "found broken XML: unknown encoding"},
      {"<a", "found broken XML: unclosed token"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    pb_arena arena = {0};
    dm_message msg;
    pb_xml x;
    assert_int_equal(read_document(&arena, &msg, rows[i][0], &x), DM_BAD_INPUT);
    if (!strstr(msg.text, rows[i][1])) fail_msg("got %s\nwanted %s", msg.text, rows[i][1]);
    pb_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read_as_the_same),
      cmocka_unit_test(copies_and_moves_keep_order_and_places),
      cmocka_unit_test(documents_out_of_limits_are_refused_by_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
