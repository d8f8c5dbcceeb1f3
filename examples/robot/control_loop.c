// A loop at 1 kHz around an exported receding-horizon controller, in the order of ros2_control: read, update,
// write; then the preparation of the next period, which is most of the work. Periods that the loop missed are
// skipped, a watchdog of the drive stops the motor, and a reset starts again. The robot and its clock are
// simulated, so every run is the same; on a robot, replace the first part. It starts 0.2 rad off; a push comes at
// 1 s, 3 ms and 30 ms without the processor at 2 s and 3 s, and three measurements that are not numbers at 4 s.
// docs/mpc.md has the commands.
//
//   0.9 s: pole 0.039 rad off, cart 0.208 m off
//   1.9 s: pole 0.049 rad off, cart 0.165 m off
//   2.9 s: pole 0.015 rad off, cart 0.012 m off
//   3.9 s: pole 0.001 rad off, cart 0.003 m off
//   4.9 s: pole 0.000 rad off, cart 0.000 m off
//   4964 calls solved, 0 of their sweeps used up, 3 without a measurement, 4 not prepared
//   2 overruns, 33 periods missed, 1 stops by the watchdog
#include "controller.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

// -- the robot and its clock: replace these six functions

#define PI 3.14159265358979324
enum { WATCHDOG_US = 10000 }; // the drive stops the motor after this time without a command

static struct {
  double x, angle, v, rate; // of the cart, of the pole from hanging
  double force;
  int64_t us, commanded_us; // now, and at the last command
  int stopped;              // by the watchdog
} robot = {.angle = PI - 0.2};

// the cart of 1 kg, 0.3 kg at 0.5 m, for dt s
static void move(double dt) {
  const double m = 0.3, l = 0.5, M = 1, g = 9.81, s = sin(robot.angle), c = cos(robot.angle);
  const double pull = robot.force - m * l * s * robot.rate * robot.rate - m * g * s * c;
  const double a = pull / (M + m * s * s);
  robot.v += dt * a;
  robot.rate += dt * (a * c - g * s) / l;
  robot.x += dt * robot.v;
  robot.angle += dt * robot.rate;
}

static int64_t now(void) {
  return robot.us;
}

// time passes: waiting, or at work
static void wait_until(int64_t us) {
  for (; robot.us < us; robot.us += 10) {
    if (robot.us - robot.commanded_us > WATCHDOG_US) robot.stopped = 1;
    if (robot.stopped) robot.force = 0;
    move(10e-6);
  }
}

// what happens to this robot, and when
static double disturb(void) {
  static int64_t last = -1;
  const int64_t ms = robot.us / 1000, since = last;
  last = ms;
  if (since < 1000 && ms >= 1000) robot.v += 0.5;
  if (since < 2000 && ms >= 2000) wait_until(now() + 3000);
  if (since < 3000 && ms >= 3000) wait_until(now() + 30000);
  return ms >= 4000 && ms < 4003 ? NAN : 0;
}

static void read_sensors(controller_real *q, controller_real *v) {
  const double error = disturb();
  wait_until(now() + 20);
  q[0] = robot.x + error;
  q[1] = robot.angle;
  v[0] = robot.v;
  v[1] = robot.rate;
}

static void write_command(const controller_real *u) {
  robot.force = u[0];
  robot.commanded_us = robot.us;
}

static void enable_drive(void) {
  robot.stopped = 0;
  robot.commanded_us = robot.us;
}

// -- the controller

enum { PERIOD_US = 1000, PATIENCE = 20 };

static controller_horizon horizon;
static int in_a_row; // calls without a measurement

static void on_activate(void) {
  controller_reset(&horizon); // the motion of the last call is that of another time
  enable_drive();
  in_a_row = 0;
}

// returns 0 if the controller has to stop
static int update(int k, const controller_real *q, const controller_real *v, controller_real *u) {
  const int how = controller_velocity(&horizon, k, q, v, u);
  in_a_row = how == CONTROLLER_FELL_BACK ? in_a_row + 1 : 0;
  return in_a_row < PATIENCE;
}

int main(void) {
  controller_real q[CONTROLLER_NQ], v[CONTROLLER_NQ], u[CONTROLLER_NU];
  int overruns = 0, missed = 0, stops = 0, report = 900, more = 1;
  controller_begin(&horizon);
  on_activate();
  for (int k = 0; more && k < 5000; k++) {
    // 1. read, update, write
    read_sensors(q, v);
    if (robot.stopped) {
      stops++;
      on_activate();
    }
    more = update(k, q, v, u);
    write_command(u);

    // 2. the next period
    controller_prepare(&horizon, k + 1);
    wait_until(now() + 400);

    // 3. wait for it; skip those that are over
    const int late = (int)((now() - 1) / PERIOD_US) - k;
    if (late > 0) {
      overruns++;
      missed += late;
      k += late;
    }
    wait_until((int64_t)(k + 1) * PERIOD_US);
    if (k >= report) {
      printf("%.1f s: pole %.3f rad off, cart %.3f m off\n", k * 1e-3, fabs(robot.angle - PI),
             fabs(robot.x));
      report += 1000;
    }
  }
  printf("%u calls solved, %u of their sweeps used up, %u without a measurement, %u not prepared\n",
         horizon.ended[CONTROLLER_SOLVED], horizon.ended[CONTROLLER_SWEPT],
         horizon.ended[CONTROLLER_FELL_BACK], horizon.unprepared);
  printf("%d overruns, %d periods missed, %d stops by the watchdog\n", overruns, missed, stops);
  return !more;
}
