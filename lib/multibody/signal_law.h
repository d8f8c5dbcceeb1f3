// lib/multibody/signal_law.h: functions phi of the products of a signal (lib/multibody/signal.h), with their
// derivatives up to `order`: the length of a vector, a component of a rotation vector, a clearance.
#ifndef DM_MULTIBODY_SIGNAL_LAW_H
#define DM_MULTIBODY_SIGNAL_LAW_H
#include "lib/multibody/signal.h"

// |s| of a vector [3]; it has no derivative at 0.
void dm_signal_length(const dm_signal *r, int order, const double *s, double *y, double *y_s,
                      double *y_ss);

// Component r->component of the rotation vector of R = s [9], row by row; no derivative at a half turn.
void dm_signal_rotation(const dm_signal *r, int order, const double *s, double *y, double *y_s,
                        double *y_ss);

// The distance of r->shape to a point s [3] or a segment s [6] in the frame of the shape.
void dm_signal_clearance(const dm_signal *r, int order, const double *s, double *y, double *y_s,
                         double *y_ss);
#endif
