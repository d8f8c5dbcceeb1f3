// Outputs of a tree that a horizon tracks, such as the position of a tool:
//
//   y = sum over parts of a.(R x + r) or a.R d, with R, r the frame of a joint   + w.q + shift
//
//   by the joints i from there to the root, with z_i their axes:
//
//   a.(z_i x (point - r_i)), a.(z_i x direction)    turning     a.z_i, 0    sliding
//
// Their cost (y - reference)'W (y - reference)/2 enters each stage by Gauss-Newton: J'WJ and
// J'W (y - reference).

// a joint in the working memory: its axes x, y, z and its origin in the world
enum { OF_FRAME = 12, AXIS = 6, PLACE = 9 };

// b: the vector a of a frame in the world
static void carry_to_world(const real *frame, const real *a, real *b) {
  int i;
  for (i = 0; i < 3; i++) {
    b[i] = ((a[0] * frame[i]) + (a[1] * frame[3 + i])) + (a[2] * frame[6 + i]);
  }
}

// root to tip: the frames of all joints
static void place_frames(const tree_tables *M, const real *q, real *frames) {
  int j;
  int i;
  for (j = 0; j < M->joints; j++) {
    const real *E = &M->offset[12 * j];
    const int up = M->parent[j];
    real *frame = &frames[OF_FRAME * j];
    real joint[MOTION];
    real own[OF_FRAME];
    place_joint(M, j, q, joint);
    for (i = 0; i < 3; i++) {
      own[i] = (joint[0] * E[i]) + (joint[1] * E[3 + i]);
      own[3 + i] = (joint[0] * E[3 + i]) - (joint[1] * E[i]);
      own[AXIS + i] = E[6 + i];
      own[PLACE + i] = joint[ORIGIN + i];
    }
#ifdef HAS_BALLS
    for (i = 0; (i < 3) && (M->ball[j] != 0); i++) {
      real axis[3] = {ZERO, ZERO, ZERO};
      axis[i] = ONE;
      turn_out(M, j, joint, axis, &own[3 * i]);
    }
#endif
    if (up < 0) {
      copy(OF_FRAME, own, frame);
    } else {
      const real *of = &frames[OF_FRAME * up];
      for (i = 0; i < 4; i++) {
        carry_to_world(of, &own[3 * i], &frame[3 * i]);
      }
      for (i = 0; i < 3; i++) {
        frame[PLACE + i] = frame[PLACE + i] + of[PLACE + i];
      }
    }
  }
}

// a part by its joints, into D [n]; returns its value
static real add_part(const tree_tables *M, const track_tables *Y, int part, const real *frames,
                     real *D) {
  const int tip = Y->joint[part];
  const real *a = &Y->along[3 * part];
  const real *of = &frames[OF_FRAME * tip];
  real x[3];
  int j = tip;
  int i;
  int k;
  carry_to_world(of, &Y->local[3 * part], x);
  if (Y->point[part] != 0) {
    for (i = 0; i < 3; i++) {
      x[i] = x[i] + of[PLACE + i];
    }
  }
  for (k = 0; (j >= 0) && (k <= tip); k++) {
    const real *frame = &frames[OF_FRAME * j];
    const int axes = parts_of(M, j);
    int axis;
    for (axis = 0; axis < axes; axis++) {
      const real *about = &frame[(axes > 1) ? (3 * axis) : AXIS];
      const int to = M->coord[j] + axis;
      real by = ZERO;
      if (M->slides[j] == 0) {
        real arm[3];
        real moved[3] = {ZERO, ZERO, ZERO};
        for (i = 0; i < 3; i++) {
          arm[i] = (Y->point[part] != 0) ? (x[i] - frame[PLACE + i]) : x[i];
        }
        add_cross(about, arm, moved);
        by = dot(a, moved);
      } else if (Y->point[part] != 0) {
        by = dot(a, about);
      } else {
        // it slides, and moves no direction
      }
      D[to] = D[to] + (M->ratio[j] * by);
    }
    j = M->parent[j];
  }
  return dot(a, x);
}

// y [rows] at q, with its derivatives D [rows n]; frames: 12 numbers for each joint
static void track_outputs(const tree_tables *M, const track_tables *Y, const real *q, real *frames,
                          real *y, real *D) {
  const int n = M->n;
  int i;
  int r;
  place_frames(M, q, frames);
  for (r = 0; r < Y->rows; r++) {
    const real *of_q = &Y->of_q[r * n];
    y[r] = Y->shift[r];
    for (i = 0; i < n; i++) {
      D[(r * n) + i] = of_q[i];
      y[r] = y[r] + (of_q[i] * q[i]);
    }
  }
  for (i = 0; i < Y->parts; i++) {
    r = Y->row[i];
    y[r] = y[r] + add_part(M, Y, i, frames, &D[r * n]);
  }
}

// their cost, from errors e [rows] and D, is added to P [nx nx] and s [nx], with nx = 2 n
static void add_track_cost(int n, const track_tables *Y, const real *e, const real *D, real *P,
                           real *s) {
  int i;
  int l;
  int r;
  for (r = 0; r < Y->rows; r++) {
    const real *by = &D[r * n];
    const real slope = Y->weight[r] * e[r];
    for (i = 0; i < n; i++) {
      const real weighed = Y->weight[r] * by[i];
      s[i] = s[i] + (slope * by[i]);
      for (l = 0; l < n; l++) {
        P[(2 * n * i) + l] = P[(2 * n * i) + l] + (weighed * by[l]);
      }
    }
  }
}
