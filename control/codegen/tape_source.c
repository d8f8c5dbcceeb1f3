#include "control/codegen/tape_source.h"

#include "control/codegen/lines.h"
#include "control/codegen/number.h"
#include "lib/base/spline.h"
#include "lib/base/tape_text.h"

#include <ctype.h>
#include <string.h>

// -- parts of a call

// the name of a function in the text, "tape_softplus"
static void put_function(FILE *f, const dm_tape_operation *o) {
  fprintf(f, "tape_%s", o->at == DM_TAPE_RAISE ? "raise" : o->call->name);
}

// has a call a function of its own in the text, not an operator of C?
static bool is_function(const dm_tape_operation *o) {
  return o->kind == DM_TAPE_CALL && (o->table || o->at >= DM_TAPE_RAISE);
}

static bool depends(const dm_tape_operation *o) {
  return o->high > o->low;
}

// the index of the first operation with the table of operation i
static int find_table(const dm_tape *t, int i) {
  int first = 0;
  while (t->operation[first].table != t->operation[i].table) first++;
  return first;
}

// is operation i the first one of its function, or of its table?
static bool is_first(const dm_tape *t, int i) {
  const dm_tape_operation *o = &t->operation[i];
  if (o->table) return find_table(t, i) == i;
  for (int k = 0; k < i; k++)
    if (is_function(&t->operation[k]) && !t->operation[k].table && t->operation[k].at == o->at)
      return false;
  return true;
}

// -- functions

// text of the generator with a line for each of its statements
static void put_statements(FILE *f, const char *text) {
  for (const char *at = text; *at;) {
    const size_t n = strcspn(at, ";") + 1;
    fprintf(f, "  %.*s\n", (int)n, at);
    at += n;
    at += strspn(at, " ");
  }
}

static void write_function(FILE *f, const dm_tape_operation *o) {
  const dm_tape_text *text = dm_tape_text_of(o->call->name);
  const bool two = text->slope_b != NULL;
  fputs("static double ", f);
  put_function(f, o);
  fprintf(f, "(double a, %sdouble slope[%d]) {\n", two ? "double b, " : "", two ? 2 : 1);
  put_statements(f, text->quantities);
  fprintf(f, "  const double y = %s;\n", text->value);
  if (two) fprintf(f, "  const double y_a = %s;\n", text->slope_a);
  if (two)
    fprintf(f, "  slope[0] = y_a;\n  slope[1] = %s;\n", text->slope_b);
  else
    fprintf(f, "  slope[0] = %s;\n", text->slope_a);
  fputs("  return y;\n}\n\n", f);
}

static void put_array(FILE *f, int i, const char *what, int n, const double *x) {
  fprintf(f, "static const double table_%d_%s[%d] = {", i, what, n);
  for (int k = 0; k < n; k++) {
    fputs(k % 4 ? " " : "\n    ", f);
    fb_number_write(f, false, x[k]);
    fputs(k < n - 1 ? "," : "};\n", f);
  }
}

// pieces y + t (b + t (c/2 + t d/6)) of a spline, and straight lines beyond its ends
static void write_table(FILE *f, int i, const dm_tape_table *t) {
  const int pieces = t->n - 1;
  const char *const names[] = {"b", "c", "d"};
  fputs("// ", f);
  fb_lines_word(f, t->name);
  fputs("\n", f);
  put_array(f, i, "x", t->n, t->x);
  put_array(f, i, "y", t->n, t->y);
  for (int k = 0; k < 3; k++) {
    fprintf(f, "static const double table_%d_%s[%d] = {", i, names[k], pieces);
    for (int at = 0; at < pieces; at++) {
      const dm_spline_piece p = dm_spline_find_piece(t->x, t->y, t->y_xx, 1, at);
      const double value[] = {p.b, p.c, p.d};
      fputs(at % 4 ? " " : "\n    ", f);
      fb_number_write(f, false, value[k]);
      fputs(at < pieces - 1 ? "," : "};\n", f);
    }
  }
  fprintf(f,
          "\nstatic double tape_table_%d(double a, double slope[1]) {\n"
          "  double x = a;\n"
          "  double s;\n"
          "  int at = 0;\n"
          "  for (int k = 1; k < %d; k++) {\n"
          "    if (table_%d_x[k] <= x) {\n      at = k;\n    }\n  }\n"
          "  if (x < table_%d_x[0]) {\n    x = table_%d_x[0];\n  }\n"
          "  if (x > table_%d_x[%d]) {\n    x = table_%d_x[%d];\n  }\n"
          "  s = x - table_%d_x[at];\n"
          "  slope[0] = table_%d_b[at] + s * (table_%d_c[at] + s * table_%d_d[at] / 2);\n"
          "  return table_%d_y[at] + s * (table_%d_b[at] + s * (table_%d_c[at] / 2 + s * "
          "table_%d_d[at] / 6)) +\n         slope[0] * (a - x);\n}\n\n",
          i, pieces, i, i, i, i, pieces, i, pieces, i, i, i, i, i, i, i, i);
}

// -- statements

static void put_call(FILE *f, const dm_tape *t, int i) {
  const dm_tape_operation *o = &t->operation[i];
  static const char signs[] = {[DM_TAPE_ADD] = '+',
                               [DM_TAPE_SUBTRACT] = '-',
                               [DM_TAPE_MULTIPLY] = '*',
                               [DM_TAPE_DIVIDE] = '/'};
  if (o->table)
    fprintf(f, "tape_table_%d(v%d, s%d)", find_table(t, i), o->a, i);
  else if (o->at == DM_TAPE_NEGATE)
    fprintf(f, "-v%d", o->a);
  else if (o->at < DM_TAPE_RAISE)
    fprintf(f, "v%d %c v%d", o->a, signs[o->at], o->b);
  else {
    put_function(f, o);
    fprintf(f, "(v%d, ", o->a);
    if (o->call->arguments > 1) fprintf(f, "v%d, ", o->b);
    fprintf(f, "s%d)", i);
  }
}

// v_i of all operations
static void write_forward(FILE *f, const dm_tape *t) {
  for (int i = 0; i < t->count; i++) {
    const dm_tape_operation *o = &t->operation[i];
    if (is_function(o)) fprintf(f, "  double s%d[%d];\n", i, o->table ? 1 : o->call->arguments);
    fprintf(f, "  const double v%d = ", i);
    if (o->kind == DM_TAPE_NUMBER)
      fb_number_write(f, false, o->value);
    else if (o->kind == DM_TAPE_VARIABLE)
      fprintf(f, "x[%d]", o->at);
    else
      put_call(f, t, i);
    fputs(";\n", f);
  }
}

// d_i times the derivative of operation i by an operand
static void put_product(FILE *f, const dm_tape_operation *o, int i, bool second) {
  if (is_function(o))
    fprintf(f, " += d%d * s%d[%d]", i, i, second);
  else if (o->at == DM_TAPE_NEGATE || (o->at == DM_TAPE_SUBTRACT && second))
    fprintf(f, " -= d%d", i);
  else if (o->at == DM_TAPE_ADD || o->at == DM_TAPE_SUBTRACT)
    fprintf(f, " += d%d", i);
  else if (o->at == DM_TAPE_MULTIPLY)
    fprintf(f, " += d%d * v%d", i, second ? o->a : o->b);
  else if (second)
    fprintf(f, " += d%d * (-v%d / v%d)", i, i, o->b);
  else
    fprintf(f, " += d%d * (1 / v%d)", i, o->b);
  fputs(";\n", f);
}

// d_i of all operations that depend on x, from the last to the first
static void write_back(FILE *f, const dm_tape *t) {
  const dm_tape_operation *list = t->operation;
  for (int i = 0; i < t->count; i++)
    if (depends(&list[i])) fprintf(f, "  double d%d = %s;\n", i, i < t->count - 1 ? "0.0" : "1.0");
  for (int i = t->count - 1; i >= t->leaves; i--) {
    const dm_tape_operation *o = &list[i];
    if (!depends(o)) continue;
    fprintf(f, "  if (d%d != 0.0) {\n", i);
    for (int side = 0; side < 2; side++) {
      if (!(side ? o->by_b : o->by_a)) continue;
      fprintf(f, "    d%d", side ? o->b : o->a);
      put_product(f, o, i, side);
    }
    fputs("  }\n", f);
  }
  for (int i = 0; i < t->leaves; i++)
    if (list[i].kind == DM_TAPE_VARIABLE) fprintf(f, "  by_x[%d] = 0.0 + d%d;\n", list[i].at, i);
}

// -- files

// a comment of the expression and its variables
static void put_comment(FILE *f, const fb_tape_text *t) {
  fputs("// ", f);
  fb_lines_unit(f, t->text);
  fputs("\n//\n", f);
  for (int a = 0; a < t->f->nx; a++) {
    fprintf(f, "//   x[%d]  ", a);
    fb_lines_word(f, t->variable[a]);
    fputs("\n", f);
  }
}

void fb_tape_header(FILE *f, const fb_tape_text *t) {
  const int n = t->f->nx;
  put_comment(f, t);
  fputs("#ifndef ", f);
  for (const char *c = t->name; *c; c++) fputc(toupper((unsigned char)*c), f);
  fputs("_H\n#define ", f);
  for (const char *c = t->name; *c; c++) fputc(toupper((unsigned char)*c), f);
  fprintf(f,
          "_H\n\n// The value at x.\ndouble %s(const double x[%d]);\n\n"
          "// The same, and its derivatives by x.\n"
          "double %s_gradient(const double x[%d], double by_x[%d]);\n\n#endif\n",
          t->name, n, t->name, n, n);
}

void fb_tape_source(FILE *f, const fb_tape_text *t) {
  const dm_tape *tape = t->f;
  const int n = tape->nx;
  bool functions = false;
  for (int i = 0; i < tape->count; i++) functions = functions || is_function(&tape->operation[i]);
  put_comment(f, t);
  fprintf(f, "#include \"%s.h\"\n\n", t->name);
  if (functions) fputs("#include <math.h>\n\n", f);
  for (int i = 0; i < tape->count; i++) {
    const dm_tape_operation *o = &tape->operation[i];
    if (!is_function(o) || !is_first(tape, i)) continue;
    if (o->table)
      write_table(f, i, o->table);
    else
      write_function(f, o);
  }
  fprintf(f, "double %s(const double x[%d]) {\n", t->name, n);
  write_forward(f, tape);
  fprintf(f, "  return v%d;\n}\n\n", tape->count - 1);
  fprintf(f, "double %s_gradient(const double x[%d], double by_x[%d]) {\n", t->name, n, n);
  write_forward(f, tape);
  write_back(f, tape);
  fprintf(f, "  return v%d;\n}\n", tape->count - 1);
}
