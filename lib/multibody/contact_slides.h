// lib/multibody/contact_slides.h: the rows of the contacts of a robot, and the parts of those along which a contact rolls
// in space or slides on a shape (lib/multibody/rolling_contact.h), for lib/multibody/robot_contact_laws.c.
#ifndef DM_MULTIBODY_CONTACT_SLIDES_H
#define DM_MULTIBODY_CONTACT_SLIDES_H
#include "lib/base/block.h"
#include "lib/mechanics/contact_laws.h"
#include "lib/multibody/constraint.h"
#include "lib/multibody/quaternion_system.h"
#include "lib/multibody/rolling_contact.h"

typedef struct dm_robot_contact_laws dm_robot_contact_laws; // lib/multibody/robot_contact_laws.h

// r = size h + turn q - shift; with a shape h is its distance at three rows
typedef struct dm_contact_law_row {
  int at; // its first row h
  double size, shift;
  bool outside;
  dm_shape shape;
  int roll, tangent; // of a row that has s: its rolling, -1: none; 0 or 1
} dm_contact_law_row;

// The sliding of a contact, of the rows h from `at` on: x, y, z of its center or point, and of a sphere those of the
// center and an axis of the body.
typedef struct dm_contact_rolling {
  dm_rolling_contact of;
  int at, places, law;
} dm_contact_rolling;

struct dm_robot_contact_laws {
  dm_contact_laws laws;
  int n, nr, nq; // laws, rows, external coordinates
  bool shapes;   // has a row a shape?
  int nroll;
  dm_contact_rolling *roll;    // [nroll]
  bool *slides;                // [nr]
  dm_constraints *row;         // the rows h
  dm_quaternion_system *embed; // theirs in external coordinates if there are ball joints, else NULL
  dm_holonomic h;              // theirs; those of |q|^2 = 1 follow
  dm_contact_law *law;         // [n]
  dm_contact_law_row *form;    // [nr]
  double *turn;                // [nr x nq] of a sphere that rolls in a plane
  unsigned char *mask;         // [nr x nq]
};

// scratch of the rows
typedef struct dm_contact_law_rows {
  double *lambda, *h, *Dh, *J; // [h.nc], [h.nc], [h.nc x nq], [h.nc x nq]
  double *bent;                // [h.nc] multipliers of D2h in third derivatives of shapes
  double *h1, *Dh1, *mixed;    // h and Dh at the end of a step; [DM_ROLLING_PLACES x nq]
  void *inner;
} dm_contact_law_rows;

static inline dm_contact_law_rows dm_contact_law_rows_open(const dm_robot_contact_laws *w,
                                                           dm_block *b) {
  const size_t nh = (size_t)w->h.nc;
  return (dm_contact_law_rows){
      .lambda = dm_block_alloc(b, nh, sizeof(double)),
      .h = dm_block_alloc(b, nh, sizeof(double)),
      .Dh = dm_block_alloc(b, nh * (size_t)w->nq, sizeof(double)),
      .J = dm_block_alloc(b, nh * (size_t)w->nq, sizeof(double)),
      .bent = dm_block_alloc(b, nh, sizeof(double)),
      .h1 = dm_block_alloc(b, w->nroll ? nh : 0, sizeof(double)),
      .Dh1 = dm_block_alloc(b, w->nroll ? nh * (size_t)w->nq : 0, sizeof(double)),
      .mixed = dm_block_alloc(b, w->nroll ? DM_ROLLING_PLACES * (size_t)w->nq : 0, sizeof(double)),
      .inner = dm_block_alloc(b, w->h.scratch, 1)};
}

// W of row i, into Dr [nq], and the derivatives of W a, into J [nq]; x->h, x->Dh and for the latter x->J are those at q.
void dm_contact_roll_row(const dm_robot_contact_laws *w, const dm_contact_law_rows *x, int i,
                         double *Dr);
void dm_contact_roll_turn_row(const dm_robot_contact_laws *w, const dm_contact_law_rows *x, int i,
                              const double *a, double *J);

// The multipliers of h in W'lambda, into x->lambda.
void dm_contact_roll_scale(const dm_robot_contact_laws *w, const dm_contact_law_rows *x,
                           const double *lambda);

// Add the parts of d(W'lambda)/dq, and of the second derivatives of lambda'W a, that those of h with x->lambda do not
// have; the latter adds multipliers of second derivatives of h to x->bent.
void dm_contact_roll_contract(const dm_robot_contact_laws *w, const dm_contact_law_rows *x,
                              const double *lambda, double *H);
void dm_contact_roll_turn(const dm_robot_contact_laws *w, const dm_contact_law_rows *x,
                          const double *a, const double *lambda, double *T);

// slide and slide_contract of dm_contact_laws.
dm_status dm_contact_roll_slide(const void *self, void *scratch, const double *q0, const double *q1,
                                double *s, double *Ds0, double *Ds1);
dm_status dm_contact_roll_slide_contract(const void *self, void *scratch, const double *q0,
                                         const double *q1, const double *lambda, double *H00,
                                         double *H01, double *H11);
#endif
