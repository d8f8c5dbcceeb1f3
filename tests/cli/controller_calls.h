// What odd.c of controller.py begins with: a call as a row.
#include "controller.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct call {
  const char *name;
  void (*run)(void);
  int measured, decides, plain; // numbers in y; whether it gives u; whether it keeps nothing
};
