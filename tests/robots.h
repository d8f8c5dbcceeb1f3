// tests/robots.h: robot files for tests, written and read.
#ifndef TESTS_ROBOTS_H
#define TESTS_ROBOTS_H
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "problems/problem.h"
#include "tests/files.h"

#define LINK(name, mass, inertia)                                                                  \
  "<link name='" name "'><inertial><mass value='" mass "'/><inertia " inertia                      \
  "/></inertial></link>\n"
#define ROUND "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'"
#define LONG  "ixx='3' iyy='4' izz='5' ixy='0' ixz='0' iyz='0'"
#define JOINT(name, type, parent, child, more)                                                     \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child          \
  "'/>" more "</joint>\n"
#define ROBOT(parts) "<robot name='r'>\n" parts "</robot>\n"

#define ONE(more)                                                                                  \
  ROBOT("<link name='w'/>" LINK("a", "1", ROUND) JOINT("j", "revolute", "w", "a", more))

static const char *folder;

typedef struct robot {
  dm_status status;
  pb_robot robot;
  dm_model *m;
  dm_message msg;
  struct pb_warnings warnings;
} robot;

static inline robot read_path(const char *path, bool floating) {
  robot r = {0};
  r.status = pb_model_read(&r.robot, path, floating, &r.warnings, &r.msg);
  r.m = r.robot.model;
  return r;
}

static inline robot read_text(const char *text, bool floating) {
  return read_path(put_file(folder, "r.urdf", text), floating);
}

static inline void drop(robot *r) {
  pb_robot_free(&r->robot);
  pb_warnings_free(&r->warnings);
}

static inline int open_folder(void **state) {
  (void)state;
  folder = make_folder();
  return folder ? 0 : -1;
}

static inline int close_folder(void **state) {
  (void)state;
  char path[600];
  snprintf(path, sizeof path, "%s/r.urdf", folder);
  unlink(path);
  return rmdir(folder);
}

#endif
