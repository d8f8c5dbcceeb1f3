// tests/problems/readers/format/test_shortage.c: readers when memory runs out. Linked so that our
// own calls of malloc and its kin come here (ld --wrap); the leaks of a failed reading show under
// the address sanitizer.
#include "tests/support/cart_pole.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static int until_failure; // the next allocation that fails, counted from 1; 0: none

static bool fails(void) {

  return until_failure > 0 && --until_failure == 0;
}

void *__wrap_malloc(size_t size) {
  return fails() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
  return fails() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *p, size_t size) {
  return fails() ? NULL : __real_realloc(p, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

// files that take every path that allocates: mimic and planar joints, warnings, tables, bodies
static void put_files(void) {
  put_file(
      folder, "c.urdf",
      ROBOT("<link name='w'/>" LINK("a", "1", ROUND) LINK("b", "1", ROUND) LINK("c", "1", ROUND)
                JOINT("j", "revolute", "w", "a", "<dynamics friction='1'/><limit effort='3'/>")
                    JOINT("k", "continuous", "a", "b", "<mimic joint='j'/>")
                        JOINT("l", "planar", "w", "c", "")));
  put_file(folder, "m.xml",
           "<mujoco><default><default class='c'><joint damping='1'/></default></default>"
           "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3'/>"
           "</asset><worldbody><body><joint class='c' stiffness='2' frictionloss='1'/>"
           "<joint name='k' axis='1 0 0' pos='0 0 1'/><geom type='mesh' mesh='m'/><site "
           "name='s'/></body>"
           "<body name='free'><freejoint/><geom size='1'/></body></worldbody>"
           "<actuator><motor joint='k'/></actuator></mujoco>");
  put_file(folder, "x.csv", "t,q.j,q.l.x,q.l.y,q.l.rz,u.j\n0,0,0,0,0,0\n1,1,1,1,1,1\n");
}

static const char *const problems[] = {
    "model: {bodies: [{name: a, joints: [tx], mass: 1}]}\ninputs: [{joint: a}]\n"
    "transcription: second-order\nhorizon: {steps: 4, time: 3}\nstart: {q: 0, v: 0}\n"
    "cost: {input: 1, penalty: 1}\nsimulate: {start: {a: 1}}\n",
    "model: {bodies: [{name: a, joints: [tx], mass: 1}]}\ninputs: [{joint: a}]\n"
    "transcription: second-order\ncost: {input: 1}\nsimulate: {steps: 4, time: 3}\n",
    "model: {urdf: c.urdf, armature: 1}\nhorizon: {steps: 4, time: {free: [1, 3]}}\n"
    "start: {q: 0}\ngoal: {q: {j: 1}}\nbounds: {q: {j: [-2, 2]}, v: 9, u: none}\n"
    "cost: {input: 1, state: {q: 1}, reference: {csv: x.csv}}\nguess: {csv: x.csv}\n"
    "feedback: {Qf: {q: 1}}\nverify: {}\nsimulate: {input: {csv: x.csv}}\n",
    "name: n\nmodel: {bodies: [{name: a, joints: [tx, rz], mass: 1, inertia: [1, 1, 3]}]}\n"
    "inputs: [{joint: a.rz}]\nhorizon: {steps: 4, time: 3}\nstart: {q: 0, v: 0}\n"
    "cost: {reference: {step: {at: 1, after: {q: 1, u: 2}}}}\nguess: {rollout: {u: 1}}\n",
    "model:\n  kinematic: [a.tx]\n  bodies: [{name: a, joints: [tx, ty], mass: 1}]\n"
    "  constraints: [{name: c, type: distance, bodies: [a, world], length: 1}]\n"
    "  springs: [{name: s, joint: a.ty, table: [[0, 0], [1, 2]]},\n"
    "            {name: t, path: [{body: a}, {body: world, point: [0, 0, 1]}], stiffness: 1, "
    "rest: 1}]\n"
    "  potentials: [{name: u, bodies: [a, world], law: power, coefficient: 1, exponent: 1}]\n"
    "simulate: {time: 1, steps: 2, start: {q: {a.tx: 0.6, a.ty: 0.8}}, input: {a.tx: 1}}\n",
    "model: {urdf: m.xml}\nsimulate: {time: 1, steps: 2, start: {q: {k: 1}}}\n",
    "model:\n  urdf: c.urdf\n  lock: {j: 0.1}\n  payload: [{body: b, mass: 1}]\n"
    "  bodies: [{name: d, parent: c, joints: [ball, tx], mass: 1, inertia: [1, 1, 1]}]\n"
    "simulate: {time: 1, steps: 2, start: {q: [1, 2, 3, 1, 0, 0, 0, 4], v: [1, 2, 3, 4, 5, 6, "
    "7]}}\n",
    "model:\n  bodies: [{name: a, joints: [tx, tz], mass: 1}]\n"
    "  dampers: [{name: d, bodies: [a, world], points: [[0, 0, 0], [0, 0, 9]], damping: 1}]\n"
    "  wrenches: [{name: w, body: a, frame: mixed, force: [1, 0, 0]}]\n"
    "inputs: [{name: u, body: a, frame: body, torque: [0, 1, 0]},\n"
    "         {name: c, path: [{body: a}, {body: world, point: [0, 0, 9]}], max: 3}]\n"
    "simulate: {time: 1, steps: 2, input: {c: 2}}\n",
    "model:\n  bodies: [{name: a, joints: [{type: tx, kinematic: true}, ty, tz], mass: 1}]\n"
    "  constraints: [{name: c, type: distance, bodies: [a, world], length: 1}]\n"
    "horizon: {steps: 4, time: 1}\ncost: {input: {a.tx: 1}}\nbounds: {u: {a.tx: [-1, 1]}}\n"
    "start: {q: {a.tx: 0.6, a.ty: 0.8, a.tz: 0.1}, v: 0.1}\n"
    "goal: {q: {a.tx: 0.5, a.ty: free, a.tz: free}, near: {a.ty: 1}, assemble: energy}\n",
};

static void every_allocation_may_fail(void **state) {
  (void)state;
  put_files();
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
    char path[600];
    snprintf(path, sizeof path, "%s", put_file(folder, "p.yaml", problems[i]));
    dm_status s = DM_NO_MEMORY;
    for (int fail = 1; s != DM_OK; fail++) {
      pb_problem *p;
      dm_message msg = {""};
      until_failure = fail;
      s = pb_problem_read(&p, path, &msg);
      until_failure = 0;
      if (s == DM_OK) {
        assert_true(fail > 50);
        pb_problem_free(p);
      } else {
        if (s != DM_NO_MEMORY) fail_msg("allocation %d: %d %s", fail, s, msg.text);
        assert_non_null(strstr(msg.text, "p.yaml: out of memory"));
        assert_null(p);
      }
    }
  }
}

static void every_allocation_of_a_model_may_fail(void **state) {
  (void)state;
  put_files();
  char path[600];
  snprintf(path, sizeof path, "%s/c.urdf", folder);
  dm_status s = DM_NO_MEMORY;
  for (int fail = 1; s != DM_OK; fail++) {
    pb_robot read;
    dm_message msg = {""};
    struct pb_warnings w = {0};
    until_failure = fail;
    s = pb_model_read(&read, path, false, &w, &msg);
    until_failure = 0;
    if (s != DM_OK) assert_int_equal(s, DM_NO_MEMORY);
    if (s != DM_OK) assert_null(read.mechanism.model);
    if (s == DM_OK) pb_robot_free(&read);
    pb_warnings_free(&w);
  }
}

static int close_files(void **state) {
  char path[600];
  snprintf(path, sizeof path, "%s/m.xml", folder);
  unlink(path);
  return close_problems(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(every_allocation_of_a_model_may_fail),
  };
  return cmocka_run_group_tests(tests, open_folder, close_files);
}
