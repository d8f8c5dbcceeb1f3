#include "control/loop/wheels_text.h"

#include "lib/base/decimal.h"

#include <stdarg.h>
#include <stdio.h>

// A rim is this thin, relative to its radius: two points carry it, and their friction hardly
// resists turning. Contacts are hard: they settle within 5 ms, and creep by less than 1e-5 m/s.
#define RIM     1e-4
#define HARD    " solref=\"0.005 1\" solimp=\"0.99 0.999 0.0001\""
#define OPTIONS "<option integrator=\"RK4\" cone=\"elliptic\" impratio=\"10\"/>"

typedef struct text {
  char *to;
  size_t size, used;
  const dm_model *m;
  int n;
  const dm_roller *wheel;
} text;

static void put(text *w, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const size_t left = w->used < w->size ? w->size - w->used : 0;
  const int n = vsnprintf(left ? w->to + w->used : NULL, left, format, list);
  va_end(list);
  w->used += n > 0 ? (size_t)n : 0;
}

// numbers of an attribute, without the decimal sign of a locale
static void put_numbers(text *w, const char *name, int n, const double *x) {
  char number[DM_DECIMAL];
  put(w, " %s=\"", name);
  for (int i = 0; i < n; i++) {
    dm_decimal_put(x[i], number);
    put(w, i ? " %s" : "%s", number);
  }
  put(w, "\"");
}

static void put_vector(text *w, const char *name, dm_vec a) {
  put_numbers(w, name, 3, (const double[]){a.x, a.y, a.z});
}

// the rim or sphere of wheel i in the frame of its joint
static void put_wheel(text *w, int i) {
  const dm_roller *x = &w->wheel[i];
  const dm_pose *body = &w->m->body_pose[x->body[0]];
  const dm_vec axle = dm_v(x->axis[0], x->axis[1], x->axis[2]);
  const bool ball = dm_dot(axle, axle) == 0;
  put(w, "<geom name=\"wheel %d\" type=\"%s\" contype=\"0\" conaffinity=\"0\"", i,
      ball ? "sphere" : "cylinder");
  put_numbers(w, "size", ball ? 1 : 2, (const double[]){x->radius, RIM * x->radius});
  put_vector(w, "pos", dm_place(body, dm_v(x->point[0], x->point[1], x->point[2])));
  if (!ball) put_vector(w, "zaxis", dm_rotate(body, axle));
  put(w, "/>\n");
}

static void put_joint(text *w, int j) {
  const dm_model *m = w->m;
  const dm_pose *at = &m->offset[j];
  put(w, "<body name=\"joint %d\"", j);
  put_vector(w, "pos", at->p);
  put_numbers(w, "xyaxes", 6,
              (const double[]){at->x.x, at->x.y, at->x.z, at->y.x, at->y.y, at->y.z});
  put(w, "><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>");
  put(w, "<joint name=\"joint %d\" type=\"%s\" axis=\"0 0 1\"/>\n", j,
      m->slides[j] ? "slide" : "hinge");
  for (int i = 0; i < w->n; i++)
    if (m->body_joint[w->wheel[i].body[0]] == j) put_wheel(w, i);
  for (int child = j + 1; child < m->nj; child++)
    if (m->parent[child] == j) put_joint(w, child);
  put(w, "</body>\n");
}

size_t fb_wheels_text(char *to, size_t size, const dm_model *m, int n, const dm_roller *wheel,
                      double friction) {
  text w = {.to = to, .size = size, .m = m, .n = n, .wheel = wheel};
  const dm_vec up = dm_v(wheel->normal[0], wheel->normal[1], wheel->normal[2]);
  put(&w, "<mujoco><compiler angle=\"radian\"/>" OPTIONS "<worldbody>\n");
  for (int i = 0; i < n; i++) {
    put(&w,
        "<geom name=\"ground %d\" type=\"plane\" size=\"0 0 1\" contype=\"0\" conaffinity=\"0\"",
        i);
    put_vector(&w, "zaxis", up);
    put(&w, "/>\n");
  }

  // the slide, which carries all trees
  put(&w, "<body name=\"lift\"><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>");
  put(&w, "<joint name=\"lift\" type=\"slide\"");
  put_vector(&w, "axis", up);
  put(&w, "/>\n");
  for (int j = 0; j < m->nj; j++)
    if (m->parent[j] < 0) put_joint(&w, j);
  put(&w, "</body></worldbody>\n<contact>\n");
  for (int i = 0; i < n; i++) {
    put(&w, "<pair geom1=\"ground %d\" geom2=\"wheel %d\" condim=\"3\"" HARD, i, i);
    put_numbers(&w, "friction", 5, (const double[]){friction, friction, 0, 0, 0});
    put(&w, "/>\n");
  }
  put(&w, "</contact></mujoco>\n");
  return w.used;
}
