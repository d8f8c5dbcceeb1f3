// The working memory of a step of the map (interval.c).

// working memory of a step
typedef struct {
  real *bodies; // [5 positions, OF_JOINT joints] of impulses
  real *bend;   // [13 joints]
  real *vv;     // [n n]
  real *vq;     // [n n]
  real *qq;     // [n n]
  real *D11;    // [n n]
  real *D12;    // [n n]
  real *D21;    // [n n]
  real *D22;    // [n n]
  real *D1;     // [n]
  real *D1u;    // [n nu]
  real *D2u;    // [n nu]
  real *solved; // [n (2 n + nu + 1)] dq1 by q0, p0, u, 1
  real *ends;   // [41 balls + 4 n] of ball joints (turned.c)
} interval_room;
