#define _POSIX_C_SOURCE 200809L // strcasecmp
#include "problems/readers/format/mesh.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// a binary STL: 80 arbitrary bytes, the number of triangles, 50 bytes per triangle
enum { HEADER = 84, TRIANGLE = 50, NORMAL = 12 };

static bool has_ending(const char *file, const char *ending) {
  const size_t n = strlen(file), m = strlen(ending);
  return n > m && !strcasecmp(file + n - m, ending);
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// a little-endian 32-bit word on any machine
static uint32_t read_word(const char *at) {
  uint32_t word = 0;
  for (int i = 3; i >= 0; i--) word = word << 8 | (unsigned char)at[i];
  return word;
}

static bool is_binary(const char *bytes, size_t size) {
  return size >= HEADER && size == HEADER + TRIANGLE * (size_t)read_word(bytes + 80);
}

static dm_status read_binary(const pb_reader *r, const char *file, const char *bytes,
                             pb_mesh *out) {
  const size_t triangles = read_word(bytes + 80);
  PB_NEW(r->arena, out->x, 9 * triangles);
  for (size_t i = 0; i < 9 * triangles; i++) {
    const uint32_t word = read_word(bytes + HEADER + TRIANGLE * (i / 9) + NORMAL + 4 * (i % 9));
    float x;
    memcpy(&x, &word, sizeof x);
    if (!isfinite(x))
      return pb_refuse(r, file, 0, 0, "triangle %zu: found %g, expected finite numbers", i / 9 + 1,
                       (double)x);
    out->x[i] = (double)x;
  }
  out->n = (int)(3 * triangles);
  return DM_OK;
}

// the three numbers after the keyword of a vertex
static bool read_vertex(const char *at, double x[3]) {
  char *end;
  for (int i = 0; i < 3; i++, at = end) {
    x[i] = strtod(at, &end);
    if (end == at || !isfinite(x[i])) return false;
  }
  return true;
}

// the start of the numbers of a vertex line; NULL for other lines
static const char *find_vertex(const char *line, const char *word) {
  const size_t n = strlen(word);
  while (is_blank(*line)) line++;
  return !strncmp(line, word, n) && is_blank(line[n]) ? line + n : NULL;
}

static const char *find_line_after(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : NULL;
}

// the vertex lines: count, allocate, read
static dm_status read_lines(const pb_reader *r, const char *file, const char *text,
                            const char *word, pb_mesh *out) {
  size_t n = 0;
  int number = 1;
  for (const char *line = text; line; line = find_line_after(line))
    n += find_vertex(line, word) != NULL;
  PB_NEW(r->arena, out->x, 3 * n + 1);
  for (const char *line = text; line; line = find_line_after(line), number++) {
    const char *at = find_vertex(line, word);
    if (!at) continue;
    if (!read_vertex(at, out->x + 3 * (size_t)out->n))
      return pb_refuse(r, file, number, 0, "found a vertex '%.*s', expected three finite numbers",
                       (int)(strcspn(at, "\r\n") > 40 ? 40 : strcspn(at, "\r\n")), at);
    out->n++;
  }
  return DM_OK;
}

// index of the vertex that a face refers to, counted from 1 or from the end: "3", "3/1", "-1//2";
// -1: none
static int find_corner(const char *at, int n, char **end) {
  const long corner = strtol(at, end, 10);
  if (*end == at) return -1;
  *end += strcspn(*end, " \t\r\n");
  const long i = corner < 0 ? n + corner : corner - 1;
  return i >= 0 && i < n ? (int)i : -1;
}

// triangles of a face as a fan around its first corner; returns the count, written if side is not
// NULL
static int cut_side(const char *at, int n, int (*side)[3]) {
  const char *line_end = at + strcspn(at, "\n");
  int count = 0, corner[2] = {-1, -1};
  for (int i = 0; at < line_end; i++) {
    char *end;
    while (is_blank(*at)) at++;
    if (at >= line_end || *at == '\r') break;
    const int next = find_corner(at, n, &end);
    if (next < 0) return count;

    // from the third corner on: first corner, previous corner, this corner
    if (i >= 2) {
      if (side) memcpy(side[count], (int[3]){corner[0], corner[1], next}, sizeof *side);
      count++;
    }
    corner[i > 0] = next;
    at = end;
  }
  return count;
}

// the faces of an OBJ
static dm_status read_sides(const pb_reader *r, const char *text, pb_mesh *out) {
  for (const char *line = text; line; line = find_line_after(line)) {
    const char *at = find_vertex(line, "f");
    if (at) out->nside += cut_side(at, out->n, NULL);
  }
  PB_NEW(r->arena, out->side, out->nside + 1);
  int count = 0;
  for (const char *line = text; line; line = find_line_after(line)) {
    const char *at = find_vertex(line, "f");
    if (at) count += cut_side(at, out->n, out->side + count);
  }
  return DM_OK;
}

dm_status pb_mesh_read(const pb_reader *r, const char *file, const char *bytes, size_t size,
                       pb_mesh *out) {
  const bool stl = has_ending(file, ".stl"), obj = has_ending(file, ".obj");
  *out = (pb_mesh){0};
  if (!stl && !obj)
    return pb_refuse(r, file, 0, 0, "found a mesh of another kind, expected .stl or .obj");

  // a binary file may begin with any word: decide by its size
  if (stl && is_binary(bytes, size)) {
    DM_TRY(read_binary(r, file, bytes, out));
  } else if (stl && strncmp(bytes, "solid", 5) != 0) {
    return pb_refuse(
        r, file, 0, 0,
        "found %zu bytes that are no STL, expected 84 and 50 of each triangle, or text "
        "that begins with 'solid'",
        size);
  } else {
    DM_TRY(read_lines(r, file, bytes, stl ? "vertex" : "v", out));
    if (obj) DM_TRY(read_sides(r, bytes, out));
  }
  if (out->n > 0) return DM_OK;
  return pb_refuse(r, file, 0, 0, "found no vertex, expected a mesh");
}
