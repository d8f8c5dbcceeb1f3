// problems/verify.h: the section `verify:`.
#ifndef PB_VERIFY_H
#define PB_VERIFY_H
#include "problems/problem.h"
#include "problems/schema.h"

extern const pb_key pb_verify_keys[];

// Read it; NULL: it is not there. p->has_feedback is known.
dm_status pb_verify_read(const pb_reader *r, const pb_node *node, pb_problem *p);
#endif
