// A task of several phases: one law after the other, each with times from the start of its phase. With HAS_PATHS the laws
// go by their paths, and only the caller ends a phase.

typedef struct {
  const tables *law;
  real length; // s
} phase;

// data that the caller keeps: the progress of the task
typedef struct {
  int *at;          // the current phase
  real *start;      // s, when it began
  const int *waits; // 1: only the caller ends a phase
  int repeats;      // 1: after the last phase the first one begins again
  real *integral;   // [nq] by coordinate; 0 if the phase does not integrate its error
} progress;

// the number of the current phase, also if the caller's memory is damaged
static int phase_now(const progress *o, int count) {
  int at = *o->at;
  if (at < 0) {
    at = 0;
  }
  if (at >= count) {
    at = count - 1;
  }
  return at;
}

// the phase after the phase `at`; -1: none
static int phase_after(int at, int count, const progress *o) {
  int next = at + 1;
  if (next >= count) {
    next = -1;
    if (o->repeats != 0) {
      next = 0;
    }
  }
  return next;
}

#ifdef HAS_PATHS
// the law of the current phase
static const tables *law_now(const phase *phases, int count, const progress *o) {
  return phases[phase_now(o, count)].law;
}

// the caller's event: the next phase begins at its first knot, if there is one
static void end_phase(int count, const progress *o, const memory *m) {
  const int next = phase_after(phase_now(o, count), count, o);
  if (next >= 0) {
    *o->at = next;
    *m->knot = 0;
    *m->entered = 0;
  }
}
#else
// Begin the phase `next` after `at` at time t, or at the end of `at` if t is not finite. The last input,
// the last measurement, the guard, and integrals that the next phase has are kept.
static void start_next(const phase *phases, int at, int next, const progress *o, const memory *m,
                       real t) {
  const real start = finite_number(t) ? t : (*o->start + phases[at].length);
#ifdef HAS_RATES
  *m->given_at = *m->given_at - (start - *o->start);
#endif
#ifdef HAS_DIFFERENCES
  *m->seen_at = *m->seen_at - (start - *o->start);
#endif
#ifdef HAS_INTEGRALS
  const tables *T = phases[next].law;
  int i;
  int j;
  for (j = 0; j < T->nq; j++) {
    real kept = ZERO;
    for (i = 0; i < T->ni; i++) {
      if (T->integral[i] == j) {
        kept = o->integral[j];
      }
    }
    o->integral[j] = kept;
  }
#endif
  (void)m;
  *o->at = next;
  *o->start = start;
}

// the law for time t: while t is past the end of a phase, the next one begins, at most a period per call
static const tables *law_at(const phase *phases, int count, const progress *o, const memory *m,
                            real t) {
  const int most = count + o->repeats;
  int i;
  for (i = 1; i < most; i++) {
    const int at = phase_now(o, count);
    const int next = phase_after(at, count, o);
    const real left = phases[at].length - (t - *o->start);
    const real least = ROUNDING * phases[at].law->h;
    if ((next >= 0) && (*o->waits == 0) && finite_number(left) && (left <= least)) {
      start_next(phases, at, next, o, m, *o->start + phases[at].length);
    }
  }
  return phases[phase_now(o, count)].law;
}

// the caller's event: the next phase begins at time t, if there is one
static void end_phase(const phase *phases, int count, const progress *o, const memory *m, real t) {
  const int at = phase_now(o, count);
  const int next = phase_after(at, count, o);
  if (next >= 0) {
    start_next(phases, at, next, o, m, t);
  }
}
#endif

#ifdef HAS_RATES
// the input that was applied, also by a law without rate limits
static void keep_input(const tables *T, const memory *m, real t, const real *u) {
  copy(T->nu, u, m->given);
  *m->given_at = t;
  *m->begun = 1;
}
#endif

#ifdef HAS_INTEGRALS
// the integrals of a law in the order of its y, and back
static void take_integrals(const tables *T, const progress *o, real *z) {
  int i;
  for (i = 0; i < T->ni; i++) {
    z[i] = o->integral[T->integral[i]];
  }
}

static void keep_integrals(const tables *T, const progress *o, const real *z) {
  int i;
  for (i = 0; i < T->ni; i++) {
    o->integral[T->integral[i]] = z[i];
  }
}
#endif
