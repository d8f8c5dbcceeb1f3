// Products and solutions in a step and in a stage of a sweep. The sizes are arguments: where they are constants, the compiler
// unrolls the inner loops and forms several entries of a row at once. The order of each sum is
// fixed.

// the row at or below k with the largest entry in column k of the n x n matrix
static inline int pivot_row(int n, const real *A, int k) {
  real most = ZERO;
  int best = k;
  int i;
  for (i = k; i < n; i++) {
    const real x = A[(i * n) + k];
    const real size = (x < ZERO) ? -x : x;
    if (size > most) {
      most = size;
      best = i;
    }
  }
  return best;
}

static inline void swap_rows(int cols, real *A, int i, int k) {
  int j;
  for (j = 0; j < cols; j++) {
    const real x = A[(i * cols) + j];
    A[(i * cols) + j] = A[(k * cols) + j];
    A[(k * cols) + j] = x;
  }
}

// b [n] <- b - factor a
static inline void subtract(int n, real factor, const real *a, real *b) {
  int j;
  for (j = 0; j < n; j++) {
    const real product = factor * a[j];
    b[j] = b[j] - product;
  }
}

// B [n m] <- A^-1 B by elimination with pivots; A [n n] is overwritten. A singular A gives numbers
// that are not finite.
static inline void solve_rows(int n, int m, real *A, real *B) {
  int i;
  int k;
  int r;
  real inverse;
  for (k = 0; k < n; k++) {
    const int best = pivot_row(n, A, k);
    if (best != k) {
      swap_rows(n, A, k, best);
      swap_rows(m, B, k, best);
    }
    inverse = ONE / A[(k * n) + k];
    for (i = k + 1; i < n; i++) {
      const real factor = A[(i * n) + k] * inverse;
      subtract(n, factor, &A[k * n], &A[i * n]);
      subtract(m, factor, &B[k * m], &B[i * m]);
    }
  }
  for (r = 1; r <= n; r++) {
    k = n - r;
    inverse = ONE / A[(k * n) + k];
    for (i = 0; i < m; i++) {
      B[(k * m) + i] = B[(k * m) + i] * inverse;
    }
    for (i = 0; i < k; i++) {
      subtract(m, A[(i * n) + k], &B[k * m], &B[i * m]);
    }
  }
}

// y [n] <- y + A'x of x [l] and the first n of A's m columns
static inline void add_rows(int l, int n, int m, const real *x, const real *A, real *y) {
  int j;
  int k;
  for (j = 0; j < n; j++) {
    real sum = y[j];
    for (k = 0; k < l; k++) {
      sum = sum + (x[k] * A[(k * m) + j]);
    }
    y[j] = sum;
  }
}

// A [nx nx], B [nx nu], c [nx] of a step: dq1 = D12^-1 of the rows of `solved` [n (nx + nu + 1)] by
// x0, u, 1, and D22 dq1 is added to the rows of dp1
static inline void eliminate_of(int nx, int nu, real *D12, const real *D22, real *solved, real *A,
                                real *B, real *c) {
  const int n = nx / 2;
  const int m = (nx + nu) + 1;
  int i;
  solve_rows(n, m, D12, solved);
  for (i = 0; i < n; i++) {
    const real *slope = &D22[i * n];
    copy(nx, &solved[i * m], &A[i * nx]);
    copy(nu, &solved[(i * m) + nx], &B[i * nu]);
    c[i] = solved[((i * m) + nx) + nu];
    add_rows(n, nx, m, slope, solved, &A[(n + i) * nx]);
    add_rows(n, nu, m, slope, &solved[nx], &B[(n + i) * nu]);
    add_rows(n, 1, m, slope, &solved[nx + nu], &c[n + i]);
  }
}

// C [m n] <- A' B of A [l m], B [l n]
static inline void times_transposed(int l, int m, int n, const real *A, const real *B, real *C) {
  int i;
  int j;
  int k;
  for (i = 0; i < m; i++) {
    for (j = 0; j < n; j++) {
      real sum = ZERO;
      for (k = 0; k < l; k++) {
        sum = sum + (A[(k * m) + i] * B[(k * n) + j]);
      }
      C[(i * n) + j] = sum;
    }
  }
}

// y [m] <- y + A x of A [m n], by rows
static void add_product(int m, int n, const real *A, const real *x, real *y) {
  int i;
  int j;
  for (i = 0; i < m; i++) {
    real sum = y[i];
    for (j = 0; j < n; j++) {
      sum = sum + (A[(i * n) + j] * x[j]);
    }
    y[i] = sum;
  }
}

// PA, next = A'PA [nx nx], PB [nx nu], X = B'PA [nu nx], H = B'PB [nu nu]; P [nx nx] is symmetric
static inline void products_of(int nx, int nu, const real *P, const real *A, const real *B,
                               real *PA, real *PB, real *next, real *X, real *H) {
  times_transposed(nx, nx, nx, P, A, PA);
  times_transposed(nx, nx, nu, P, B, PB);
  times_transposed(nx, nx, nx, A, PA, next);
  times_transposed(nx, nu, nx, B, PA, X);
  times_transposed(nx, nu, nu, B, PB, H);
}

// P <- next - X'K [nx nx] of X, K [nu nx], by its lower triangle
static inline void lower_cost(int nx, int nu, const real *X, const real *K, real *next, real *P) {
  int i;
  int l;
  int r;
  for (i = 0; i < nx; i++) {
    for (l = 0; l < nx; l++) {
      real sum = next[(i * nx) + l];
      for (r = 0; r < nu; r++) {
        sum = sum - (X[(r * nx) + i] * K[(r * nx) + l]);
      }
      next[(i * nx) + l] = sum;
    }
  }
  for (i = 0; i < nx; i++) {
    for (l = 0; l <= i; l++) {
      P[(i * nx) + l] = next[(i * nx) + l];
      P[(l * nx) + i] = next[(i * nx) + l];
    }
  }
}

// A [n n] <- L and D of L D L', L with ones and D inverted on its diagonal; 0 if a pivot is not
// positive
static inline _Bool factorize(int n, real *A) {
  int indefinite = 0;
  int i;
  int j;
  int k;
  for (j = 0; j < n; j++) {
    const real pivot = A[(j * n) + j];
    const real inverse = ONE / pivot;
    if (!(pivot > ZERO)) {
      indefinite++;
    }
    for (i = j + 1; i < n; i++) {
      const real factor = A[(i * n) + j] * inverse;
      for (k = j + 1; k <= i; k++) {
        A[(i * n) + k] = A[(i * n) + k] - (factor * A[(k * n) + j]);
      }
    }
    for (i = j + 1; i < n; i++) {
      A[(i * n) + j] = A[(i * n) + j] * inverse;
    }
    A[(j * n) + j] = inverse;
  }
  return indefinite == 0;
}

// b [n m] <- (L D L')^-1 b
static inline void solve_factor(int n, int m, const real *LD, real *b) {
  int i;
  int j;
  int k;
  int r;
  for (i = 0; i < n; i++) {
    for (k = 0; k < i; k++) {
      subtract(m, LD[(i * n) + k], &b[k * m], &b[i * m]);
    }
  }
  for (r = 1; r <= n; r++) {
    i = n - r;
    for (j = 0; j < m; j++) {
      b[(i * m) + j] = b[(i * m) + j] * LD[(i * n) + i];
    }
    for (k = i + 1; k < n; k++) {
      subtract(m, LD[(k * n) + i], &b[k * m], &b[i * m]);
    }
  }
}

// K [nu nx], k [nu] <- H^-1 K, H^-1 k; H [nu nu] becomes its factors. 0: H is not positive definite.
static inline _Bool gains_of(int nx, int nu, real *H, real *K, real *k) {
  const _Bool positive = factorize(nu, H);
  solve_factor(nu, nx, H, K);
  solve_factor(nu, 1, H, k);
  return positive;
}
