// lib/base/spline.h: cubic splines through points (s_i, f_i), represented by their second
// derivatives:
//
//   f(s) = f_i + b t + c t^2/2 + d t^3/6,     t = s - s_i,  c = f''_i,  d = (f''_{i+1} - f''_i)/h_i
//
// with continuous first and second derivatives; h_i = s_{i+1} - s_i. Source: [deboor-1978].
#ifndef DM_BASE_SPLINE_H
#define DM_BASE_SPLINE_H

// Coefficients of piece i.
typedef struct dm_spline_piece {
  double h, b, c, d;
} dm_spline_piece;

// Fit the natural spline: f'' = 0 at both ends.
//   n       points, >= 2
//   s       [n] ascending
//   f       [n], with stride `stride`
//   f_ss    out: second derivatives [n], with stride `stride`
//   pivot   scratch [n]
// Does not allocate. Cost: O(n).
void dm_spline_fit_natural(int n, const double *s, const double *f, int stride, double *f_ss,
                           double *pivot);

// Fit the spline with given second derivatives at both ends, f_ss on entry. Otherwise as above.
void dm_spline_fit_bent(int n, const double *s, const double *f, int stride, double *f_ss,
                        double *pivot);

// Fit the periodic spline: f and its derivatives at the last point equal those at the first;
// f_{n-1} = f_0.
//   n     points, >= 4, including the last
//   room  scratch [3 n]
// Otherwise as above.
void dm_spline_fit_closed(int n, const double *s, const double *f, int stride, double *f_ss,
                          double *room);

// Piece i, between points i and i + 1.
dm_spline_piece dm_spline_find_piece(const double *s, const double *f, const double *f_ss,
                                     int stride, int i);

// The index of the piece that contains s, 0 to n - 2; the first or last piece beyond the ends.
int dm_spline_locate(int n, const double *at, double s);
#endif
