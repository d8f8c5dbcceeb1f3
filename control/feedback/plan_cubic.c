#include "control/feedback/plan_cubic.h"

void fb_plan_cubic(int n, double h, double s, const double *q0, const double *v0, const double *q1,
                   const double *v1, double *q, double *v) {
  for (int i = 0; i < n; i++) {
    // the line's rate, and by how much the ends' rates differ from it
    double d = q1[i] - q0[i];
    double a = h * v0[i] - d;
    double b = d - h * v1[i];
    q[i] = q0[i] + s * (d + (1 - s) * ((1 - s) * a + s * b));
    // its derivative by s, over h
    v[i] = (d + (1 - s) * (1 - 3 * s) * a + s * (2 - 3 * s) * b) / h;
  }
}
