// control/feedback/law_tables.h: the tables of a law as the on-board code reads them
// (control/onboard/types.inc).
#ifndef FB_FEEDBACK_LAW_TABLES_H
#define FB_FEEDBACK_LAW_TABLES_H
#include "control/feedback/measured_law.h"
#include "control/onboard/onboard.h"

DM_BEGIN_C

struct fb_estimator;

// Tables that point into the law's arrays, all rows stored, without limits of inputs. They are valid as
// long as the law and its schedule's settings are.
tables fb_law_tables(const fb_output_feedback *w);

// The same with those of a filter, whose law is by state.
tables fb_filter_tables(tables T, const struct fb_estimator *w);

DM_END_C
#endif
