// A Kalman filter: z is the estimate of (q, p) minus the plan, then of the input disturbances.
//
//   z <- z + L (encoder - q_d - z)     z <- A z + B (u - u_d)

enum { BELIEVED = 5 };
enum { MOST_PARTS = 64 };

// working memory
typedef struct {
  real *off;     // [ne]
  real *next;    // [nz]
  real *z;       // [nz]
  real *planned; // [nu]
  real *forward; // [nu]
  real *x1;      // [nx] where it predicts by the map
  real *map;     // [8 nq + 17 joints] for its bodies
} filter_room;

// the difference, or 0 beyond a bound (a glitch); after BELIEVED of these in a row it is accepted
static real gated(int *missed, real off, real bound) {
  real taken = off;
  if ((off <= bound) && (off >= -bound)) {
    *missed = 0;
  } else if (*missed < BELIEVED) {
    *missed = *missed + 1;
    taken = ZERO;
  } else {
    // believed
  }
  return taken;
}

// z <- next; if the estimate overflows, it is reset to the plan
static void keep_estimate(int n, const real *next, real *z) {
  real sum = ZERO;
  int i;
  for (i = 0; i < n; i++) {
    sum = sum + (next[i] - next[i]);
  }
  for (i = 0; i < n; i++) {
    z[i] = (sum >= ZERO) ? next[i] : ZERO;
  }
}

// z <- z + L off of step k, off is the measurement minus its expected value: y_d of that time, and
// z
static void correct(const tables *T, const memory *m, int k, const real *y_d, const real *encoder,
                    const filter_room *w) {
  const real *L = row(&T->L, k);
  int i;
  int j;
  for (j = 0; j < T->ne; j++) {
    const int q = T->which[j];
    w->off[j] = ZERO;
    if (finite_number(encoder[j])) {
      w->off[j] = (encoder[j] - y_d[q]) - m->z[q];
      if (T->turns[q] != 0) {
        w->off[j] = unwound(w->off[j], ZERO);
      }
      if (T->gate.rows > 0) {
        w->off[j] = gated(&m->missed[j], w->off[j], row(&T->gate, k)[j]);
      }
    }
  }
  for (i = 0; i < T->nz; i++) {
    real sum = m->z[i];
    for (j = 0; j < T->ne; j++) {
      real product = L[(i * T->ne) + j] * w->off[j];
      sum = sum + product;
    }
    w->next[i] = sum;
  }
  keep_estimate(T->nz, w->next, m->z);

  // disturbances stay within their bounds
  for (j = 0; j < T->nd; j++) {
    real *d = &m->z[T->nx + j];
    if (*d > T->d_max[j]) {
      *d = T->d_max[j];
    }
    if (*d < -T->d_max[j]) {
      *d = -T->d_max[j];
    }
  }
}

// the plan's inputs minus the disturbances
static void take_off(const tables *T, const real *z, const real *c, real *forward) {
  int j;
  copy(T->nu, c, forward);
  for (j = 0; j < T->nd; j++) {
    forward[T->disturbed[j]] = c[T->disturbed[j]] - z[T->nx + j];
  }
}

// next <- A z + B (u - planned) of step k; an input that is not finite changes nothing
static void predict(const tables *T, int k, const real *z, const real *u, const real *planned,
                    real *next) {
  const real *A = row(&T->A, k);
  const real *B = row(&T->B, k);
  int i;
  int j;
  for (i = 0; i < T->nx; i++) {
    real sum = ZERO;
    for (j = 0; j < T->nx; j++) {
      real product = A[(i * T->nx) + j] * z[j];
      sum = sum + product;
    }
    for (j = 0; j < T->nu; j++) {
      real product = B[(i * T->nu) + j] * (u[j] - planned[j]);
      if (finite_number(product)) {
        sum = sum + product;
      }
    }
    next[i] = sum;
  }
}

// advance z by a fraction of a step from time t: a share of the change in a full step under u, or,
// if acts is 0, under the plan's input
static void move_on(const tables *T, real *z, real t, real share, _Bool acts, const real *u,
                    const filter_room *w) {
  real part;
  const int k = knot_at(T, t, &part);
  const int tail = T->ny - T->nu;
  const real *A0 = row(&T->A, k);
  const real *A1 = row(&T->A, k + 1);
  const real *B0 = row(&T->B, k);
  const real *B1 = row(&T->B, k + 1);
  const real *u0 = (T->late != 0) ? &row(&T->y_d, k)[tail] : row(&T->u_d, k);
  const real *u1 = (T->late != 0) ? &row(&T->y_d, k + 1)[tail] : row(&T->u_d, k + 1);
  int i;
  int j;

  line(T->nu, part, u0, u1, w->planned);
  take_off(T, z, w->planned, w->forward);
  for (i = 0; i < T->nx; i++) {
    real sum = ZERO;
    for (j = 0; j < T->nx; j++) {
      const int at = (i * T->nx) + j;
      real product = (A0[at] + (part * (A1[at] - A0[at]))) * z[j];
      sum = sum + product;
    }
    for (j = 0; j < T->nu; j++) {
      const int at = (i * T->nu) + j;
      real off = (acts ? u[j] : w->planned[j]) - w->forward[j];
      real product = (B0[at] + (part * (B1[at] - B0[at]))) * off;
      if (finite_number(product)) {
        sum = sum + product;
      }
    }
    w->next[i] = sum;
  }
  for (i = 0; i < T->nx; i++) {
    w->next[i] = (share < ONE) ? (z[i] + (share * (w->next[i] - z[i]))) : w->next[i];
  }
  keep_estimate(T->nx, w->next, z);
}

// advance z from one time to another, in at most MOST_PARTS steps, with the inputs applied
// meanwhile
static void advance(const tables *T, const memory *m, real *z, real from, real to,
                    const filter_room *w) {
  const real least = ROUNDING * T->h;
  real at = from;
  _Bool more = (to - at) > least;
  int part;
  for (part = 0; more && (part < MOST_PARTS); part++) {
    const _Bool old = (*m->calls != 0) && (at < (*m->since - least));
    real end = (old && (*m->since < to)) ? *m->since : to;
    real share = (end - at) * T->rate;
    if (share > (ONE - ROUNDING)) {
      share = ONE;
      end = at + T->h;
    }
    move_on(T, z, at, share, *m->calls > (old ? 1 : 0), old ? m->before : m->u, w);
    at = end;
    more = (to - at) > least;
  }
}

// u [nu] acts from the time t on
static void apply(const tables *T, const memory *m, real t, const real *u) {
  if ((*m->calls == 0) || (t > *m->since)) {
    copy(T->nu, m->u, m->before);
    if (*m->calls < 2) {
      *m->calls = *m->calls + 1;
    }
    *m->since = t;
  }
  copy(T->nu, u, m->u);
}
