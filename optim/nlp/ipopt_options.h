// optim/nlp/ipopt_options.h: IPOPT's own options by name.
//
// IPOPT reports an unknown option or a value of another type on stdout, and does not convert numbers. Names,
// types, ranges and words are therefore checked against a table first: those of IPOPT 3.11 and `hsllib` of
// 3.14, except the ones that dmoc sets itself and those of WSMP and Pardiso.
#ifndef OC_NLP_IPOPT_OPTIONS_H
#define OC_NLP_IPOPT_OPTIONS_H
#include "lib/base/status.h"
#include "optim/nlp/options.h"

DM_BEGIN_C

typedef enum oc_ipopt_type { OC_IPOPT_NUMBER, OC_IPOPT_INTEGER, OC_IPOPT_WORD } oc_ipopt_type;

// Check an option. Returns DM_OK, or DM_BAD_INPUT with a sentence in msg (may be NULL) without the option's
// name: "found 0.5, expected an integer >= 0".
dm_status oc_ipopt_option_check(const oc_ipopt_option *option, dm_message *msg);

// Check that a linear solver of HSL comes with a library that has it. Returns DM_OK, or DM_BAD_INPUT with a sentence in
// msg (may be NULL) that begins with the option: "hsllib: found '/lib/x.so', which has no routine ma57ad".
dm_status oc_ipopt_options_check_hsl(const oc_options *options, dm_message *msg);

// The type of an option that passed the check, and its value if it is a number.
oc_ipopt_type oc_ipopt_option_type(const oc_ipopt_option *option);
double oc_ipopt_option_number(const oc_ipopt_option *option);

// The value of a named option in options->ipopt, or NULL.
const char *oc_ipopt_option_find(const oc_options *options, const char *name);

DM_END_C
#endif
