// control/feedback/law_tables.h: the tables of a law as the on-board code reads them
// (control/onboard/types.inc).
#ifndef FB_FEEDBACK_LAW_TABLES_H
#define FB_FEEDBACK_LAW_TABLES_H
#include "control/feedback/measured_law.h"
#include "control/onboard/onboard.h"
#include "lib/base/block.h"

DM_BEGIN_C

struct fb_estimator;
struct fb_receding;
struct fb_ball_tables;

// Number of entries in the lower triangle of a symmetric n x n matrix.
size_t fb_law_packed(int n);

// Tables that point into the law's arrays, with all rows stored and without input limits. They are
// valid as long as the law and its schedule's settings.
tables fb_law_tables(const fb_output_feedback *w);

// Lay out the arrays of a law (lib/base/block.h); its sizes are set.
void fb_law_lay_out(void *self, dm_block *b);

// Make the slopes, sections and gains of a law on an orbit from its y_d, c, G and unscaled sections.
void fb_law_orbit(fb_output_feedback *w);

// The tables T of a law on the state with the tree of a horizon's steps, and those of its costs W, of the
// settings o; they point into w and o.
void fb_receding_tables(const fb_output_feedback *w, const struct fb_receding *o, tables *T,
                        horizon_tables *W);

// Replace what depends on coordinates in these tables, which point into w from then on.
void fb_ball_tables_put(const struct fb_ball_tables *w, tables *T, horizon_tables *W);

// The state x [2 (n + balls)] of unit quaternions and momenta p = 2 q (0,Pi), from one on board.
void fb_ball_tables_state(const tree_tables *M, const double *on_board, double *x);

// The same with the tables of a filter, whose law acts on the state.
tables fb_filter_tables(tables T, const struct fb_estimator *w);

DM_END_C
#endif
