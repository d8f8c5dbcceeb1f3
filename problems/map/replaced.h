// problems/map/replaced.h: a problem with values replaced by texts that come from another language.
#ifndef PB_MAP_REPLACED_H
#define PB_MAP_REPLACED_H
#include "problems/readers/task/problem.h"

// Read a problem as pb_problem_copied does, with [2 n] pairs of path and text. *texts gets copies of them, which the
// problem borrows: free it after the problem, also after a failure.
dm_status pb_problem_replaced(pb_problem **out, char **texts, const char *path, const char *copies,
                              const char *const *replace, int n, dm_message *msg);
#endif
