// control/feedback/law_tables.h: the tables of a law as the on-board code reads them
// (control/onboard/types.inc).
#ifndef FB_FEEDBACK_LAW_TABLES_H
#define FB_FEEDBACK_LAW_TABLES_H
#include "control/feedback/measured_law.h"
#include "control/onboard/onboard.h"

DM_BEGIN_C

struct fb_estimator;

// Number of entries in the lower triangle of a symmetric n x n matrix.
size_t fb_law_packed(int n);

// Tables that point into the law's arrays, with all rows stored and without input limits. They are
// valid as long as the law and its schedule's settings.
tables fb_law_tables(const fb_output_feedback *w);

// The same with the tables of a filter, whose law acts on the state.
tables fb_filter_tables(tables T, const struct fb_estimator *w);

DM_END_C
#endif
