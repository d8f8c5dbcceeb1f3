// Receding-horizon control on a Cortex-M4 without an operating system: replays controller_trace.csv bit for bit,
// and counts instructions. cortex_m4.py builds it and runs it in QEMU (machine mps2-an386), where one
// instruction takes 1 ns; printf and files are those of the host (semihosting).
//
// This file includes controller.c to count one sweep with all its bounds active. A robot compiles
// controller.c on its own.
#include "controller.c"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- the processor

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define SYSTICK_CONTROL   REGISTER(0xE000E010u)
#define SYSTICK_RELOAD    REGISTER(0xE000E014u)
#define SYSTICK_VALUE     REGISTER(0xE000E018u)
#define COPROCESSORS      REGISTER(0xE000ED88u)
enum { LARGEST_TICK = 0xFFFFFF, NANOSECONDS_A_TICK = 40 }; // 24 bits at 25 MHz

extern void _start(void);

static void reset(void) {
  COPROCESSORS |= 0xFu << 20; // the floating-point unit
  _start();
}

static void (*const vectors[2])(void) __attribute__((section(".vectors"), used)) = {
    (void (*)(void))0x20100000u, // the stack grows down from here
    reset,
};

static void start_counting(void) {
  SYSTICK_RELOAD = LARGEST_TICK;
  SYSTICK_CONTROL = 5; // on, by the clock of the processor
}

static uint32_t ticks(void) {
  return LARGEST_TICK - SYSTICK_VALUE;
}

static uint32_t instructions_since(uint32_t began) {
  return ((ticks() - began) & LARGEST_TICK) * NANOSECONDS_A_TICK;
}

static void keep_largest(uint32_t *largest, uint32_t value) {
  if (value > *largest) *largest = value;
}

// -- the trace

// an age, two positions and an input, then the input of the call
enum { MEASURED = 1 + 2 * CONTROLLER_NQ + CONTROLLER_NU, COLUMNS = MEASURED + CONTROLLER_NU };

static controller_horizon c;
static uint32_t most_prepare, most_call[CONTROLLER_SWEEPS + 1], most_sweep;

// returns how many inputs differ from those of the trace
static int replay(FILE *f) {
  static char line[64 + 32 * COLUMNS];
  int rows = 0, different = 0;
  controller_begin(&c);
  while (fgets(line, sizeof line, f)) {
    float row[COLUMNS], u[CONTROLLER_NU];
    char *at;
    if (line[0] < '0' || line[0] > '9') continue;
    const int k = (int)strtol(line, &at, 10);
    for (int j = 0; j < COLUMNS; j++) row[j] = strtof(at + 1, &at);

    uint32_t began = ticks();
    controller_prepare(&c, k);
    keep_largest(&most_prepare, instructions_since(began));
    began = ticks();
    controller_positions_at(&c, k, row[0], row + 1, row + 1 + CONTROLLER_NQ,
                            row + 1 + 2 * CONTROLLER_NQ, u);
    keep_largest(&most_call[c.swept], instructions_since(began));
    different += memcmp(u, row + MEASURED, sizeof u) != 0;
    rows++;
  }
  printf("replay        %d rows, %d numbers differ\n", rows, different);
  return rows ? different : 1;
}

// one sweep over the whole horizon, with no bound active and with every bound active
static void count_sweep(void) {
  horizon o;
  horizon_room w;
  int from;
  set_up(&c, &o, &w);
  for (int active = 0; active < 2; active++) {
    for (int i = 0; i < CONTROLLER_STAGES * CONTROLLER_NU; i++) o.held[i] = active;
    for (int i = 0; i < (CONTROLLER_STAGES + 1) * costs.softs; i++) o.beyond[i] = active;
    for (int i = 0; i < CONTROLLER_STAGES * costs.speeds; i++) o.fast[i] = active;
    const uint32_t began = ticks();
    sweep_back(&law_state, &costs, &o, CONTROLLER_STAGES, &w.sweep);
    sweep_forward(&law_state, &costs, &o, 0);
    change_bounds(&law_state, &costs, &o, 0, &from);
    keep_largest(&most_sweep, instructions_since(began));
  }
}

int main(void) {
  FILE *f = fopen("controller_trace.csv", "r");
  if (!f) return 2;
  start_counting();
  const int different = replay(f);
  count_sweep();
  printf("prepare       %lu instructions at most\n", (unsigned long)most_prepare);
  for (int i = 0; i <= CONTROLLER_SWEEPS; i++)
    if (most_call[i])
      printf("call          %lu instructions at most with %d sweeps\n", (unsigned long)most_call[i],
             i);
  printf(
      "worst case    %lu instructions: a call with %d sweeps of the whole horizon, each with %lu\n",
      (unsigned long)(most_call[1] + (CONTROLLER_SWEEPS - 1) * most_sweep), CONTROLLER_SWEEPS,
      (unsigned long)most_sweep);
  return different != 0;
}
