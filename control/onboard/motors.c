// Torque-speed lines: at speed v a motor gives at most stall - slope v, and at least -stall - slope v.

// u within the lines at measured speeds v; a speed that is not finite does not limit
static void cut_to_lines(const tables *T, const real *v, real *u) {
  int i;
  for (i = 0; i < T->lines; i++) {
    const real back = T->slope[i] * v[T->moved[i]];
    const real high = T->stall[i] - back;
    const real low = (-T->stall[i]) - back;
    if (finite_number(back) && (u[i] > high)) {
      u[i] = high;
    }
    if (finite_number(back) && (u[i] < low)) {
      u[i] = low;
    }
  }
}
