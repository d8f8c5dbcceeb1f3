#include "cli/report/looks.h"

#include "cli/report/base64.h"
#include "cli/report/places.h"
#include "problems/readers/model/visuals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIANGLES = 60000 }; // of all meshes

// Round the corners of triangles to a grid, coarsened until at most `most` triangles with area
// remain. Returns their number.
static int thin_triangles(double *x, int n, int most) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t i = 0; i < 9 * (size_t)n; i++) {
    low[i % 3] = fmin(low[i % 3], x[i]);
    high[i % 3] = fmax(high[i % 3], x[i]);
  }
  const double size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));

  // coarsen until few enough remain
  for (double step = size / 256; n > most && step < size; step *= 1.5) {
    int left = 0;
    for (int i = 0; i < n; i++) {
      double *to = x + 9 * (size_t)left;
      for (int a = 0; a < 9; a++) to[a] = step * round(x[9 * (size_t)i + (size_t)a] / step);
      const bool flat = !memcmp(to, to + 3, 3 * sizeof *to) ||
                        !memcmp(to + 3, to + 6, 3 * sizeof *to) ||
                        !memcmp(to, to + 6, 3 * sizeof *to);
      left += !flat;
    }
    n = left;
  }
  return n;
}

static dm_status put_mesh(cli_json *meshes, const pb_visual *v, int most) {
  const size_t size = 9 * (size_t)v->triangles;
  double *x = malloc((size + 1) * sizeof *x);
  cli_json *mesh = json_object_new_object();
  json_object_array_add(meshes, mesh);
  if (!x) return DM_NO_MEMORY;
  memcpy(x, v->x, size * sizeof *x);
  const int n = thin_triangles(x, v->triangles, most);
  cli_json_int(mesh, "triangles", n);
  const dm_status s = cli_base64_numbers(mesh, "x", x, 9 * (size_t)n);
  free(x);
  return s;
}

dm_status cli_looks_of(cli_json *o, const cli_exhibit *x) {
  const pb_problem *p = x->call.run.p;
  pb_visuals looks;
  const char *source = cli_json_get_text(x->call.result, "problem");
  dm_status s = pb_visuals_read(&looks, &p->robot, source ? source : p->file.path);
  cli_json *parts = json_object_new_array(), *meshes = json_object_new_array();
  json_object_object_add(o, "parts", parts);
  json_object_object_add(o, "meshes", meshes);

  // limit each mesh to its share of all triangles
  int all = 0, count = 0;
  for (int i = 0; s == DM_OK && i < looks.n; i++) all += looks.list[i].triangles;
  for (int i = 0; s == DM_OK && i < looks.n; i++) {
    const pb_visual *v = &looks.list[i];

    // kind, body, pose, size and color
    double pose[CLI_POSE];
    cli_json *part = json_object_new_object();
    json_object_array_add(parts, part);
    cli_put_pose(&v->frame, pose);
    cli_json_text(part, "kind", v->kind);
    cli_json_int(part, "joint", v->joint);
    cli_json_vector(part, "pose", pose, CLI_POSE);
    cli_json_vector(part, "size", v->size, 3);
    if (v->rolls > 0) cli_json_number(part, "rolls", v->rolls);
    if (v->colour[0] >= 0) cli_json_vector(part, "colour", v->colour, 4);

    if (!v->triangles) continue;
    const double share = all > TRIANGLES ? (double)TRIANGLES / all : 1;
    cli_json_int(part, "mesh", count++);
    s = put_mesh(meshes, v, (int)(share * v->triangles) + 12);
  }
  if (s == DM_OK)
    cli_json_names(o, "missing", (const char *const *)looks.missing->text, looks.missing->n);
  pb_visuals_free(&looks);
  return s;
}
