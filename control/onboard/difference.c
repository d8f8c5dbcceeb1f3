// Velocities by differences of two measurements of positions; the caller keeps the last one.

// v [nq] from the last measurement to q [nq], which was made `age` before the call at t, whose input
// is held for `hold`; at the first call that of the plan. v stays if q is not finite, or not newer
// than the last measurement. The time between two calls is the hold that was promised, which does
// not lose digits as t grows, unless they were further apart or nearer.
static void differ(const tables *T, const memory *m, real t, real age, real hold, const real *q,
                   real *v) {
  const real least = ROUNDING * T->h;
  const real past = (age > ZERO) ? age : ZERO;
  real gap = t - *m->seen_at;
  real dt;
  real s;
  int fresh = 1;
  int i;
  if ((gap > (*m->held - least)) && (gap < (*m->held + least))) {
    gap = *m->held;
  }
  dt = gap + (*m->seen_age - past);
  if (!finite_number(t) || !finite_number(age)) {
    fresh = 0;
  }
  if ((*m->measured != 0) && !(dt > least)) {
    fresh = 0;
  }
  for (i = 0; i < T->nq; i++) {
    if (!finite_number(q[i])) {
      fresh = 0;
    }
  }

  // at the first call the plan's motion; then the difference, of angles without whole turns
  if (*m->measured == 0) {
    const int k = knot_at(T, t - past, &s);
    plan_motion(T, k, s, m->seen, m->speed);
  }
  for (i = 0; (*m->measured != 0) && (fresh != 0) && (i < T->nq); i++) {
    real now = (T->turns[i] != 0) ? unwound(q[i], m->seen[i]) : q[i];
    real speed = (now - m->seen[i]) / dt;
    if (finite_number(speed)) {
      m->speed[i] = speed;
    }
  }
  if (fresh != 0) {
    copy(T->nq, q, m->seen);
    *m->seen_at = t;
    *m->seen_age = past;
    *m->held = hold;
    *m->measured = 1;
  }
  copy(T->nq, m->speed, v);
}
