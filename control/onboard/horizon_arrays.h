// control/onboard/horizon_arrays.h: the arrays of receding-horizon control (horizon_types.inc, horizon.c)
// with their lengths, for the library's memory and for the memory in an exported controller.
//
//   REAL(name, pointer, count)  INT(name, pointer, count)
//
// name: in the exported memory; pointer: the member of interval_room, sweep_room or horizon that points to
// it; count: by n coordinates, places (numbers of a position), joints, each (numbers of one), balls, nx = 2 n,
// nu inputs, S stages, softs, speeds, asks, tracks (rows of outputs), guides, points (of the rule), loads.
#ifndef FB_ONBOARD_HORIZON_ARRAYS_H
#define FB_ONBOARD_HORIZON_ARRAYS_H

// bodies also have room for the momentum of two positions (past.c)
#define INTERVAL_ARRAYS(REAL)                                                                      \
  REAL(bodies, bodies, 8 * places + each * joints)                                                 \
  REAL(bend, bend, 13 * joints)                                                                    \
  REAL(vv, vv, n *n)                                                                               \
  REAL(vq, vq, n *n)                                                                               \
  REAL(qq, qq, n *n)                                                                               \
  REAL(D11, D11, n *n)                                                                             \
  REAL(D12, D12, n *n)                                                                             \
  REAL(D21, D21, n *n)                                                                             \
  REAL(D22, D22, n *n)                                                                             \
  REAL(D1, D1, n)                                                                                  \
  REAL(D1u, D1u, n *nu)                                                                            \
  REAL(D2u, D2u, n *nu)                                                                            \
  REAL(solved, solved, n *(2 * n + nu + 1))                                                        \
  REAL(ends, ends, balls ? 41 * balls + 4 * n : 0)

#define SWEEP_ARRAYS(REAL)                                                                         \
  REAL(P, P, nx *nx)                                                                               \
  REAL(s, s, nx)                                                                                   \
  REAL(next, next, nx *nx)                                                                         \
  REAL(PA, PA, nx *nx)                                                                             \
  REAL(PB, PB, nx *nu)                                                                             \
  REAL(X, X, nu *nx)                                                                               \
  REAL(H, H, nu *nu)                                                                               \
  REAL(LD, LD, nu *nu)                                                                             \
  REAL(g, y, nu)                                                                                   \
  REAL(kept, kept, (S + 3) / 4 * (nx * (nx + 3) / 2))

#define CALL_ARRAYS(REAL)                                                                          \
  REAL(next_x, next, nx + balls)                                                                   \
  REAL(part, part, 1 + nu + 5 * points + 6 * loads)

#define HORIZON_ARRAYS(REAL, INT)                                                                  \
  REAL(sent, sent, 4 * nu)                                                                         \
  REAL(q, q, (S + 1) * places)                                                                     \
  REAL(p, p, (S + 1) * n)                                                                          \
  REAL(u, u, S *nu)                                                                                \
  REAL(off, off, (S + 1) * nx)                                                                     \
  REAL(u_off, u_off, S *nu)                                                                        \
  REAL(A, A, S *nx *nx)                                                                            \
  REAL(B, B, S *nx *nu)                                                                            \
  REAL(c, c, S *nx)                                                                                \
  REAL(K, K, S *nu *nx)                                                                            \
  REAL(k, k, S *nu)                                                                                \
  REAL(slope, slope, S *nu)                                                                        \
  REAL(dx, dx, (S + 1) * nx)                                                                       \
  REAL(du, du, S *nu)                                                                              \
  INT(held, held, S *nu)                                                                           \
  INT(beyond, beyond, (S + 1) * softs)                                                             \
  INT(fast, fast, S *speeds)                                                                       \
  REAL(asked_y, asked_y, asks *(S + 2) * (nx + balls))                                             \
  REAL(asked_u, asked_u, asks *(S + 1) * nu)                                                       \
  REAL(track_e, track_e, (S + 1) * tracks)                                                         \
  REAL(track_D, track_D, (S + 1) * tracks * n)                                                     \
  REAL(guide_y, guide_y, guides *(S + 1) * tracks)

#endif
