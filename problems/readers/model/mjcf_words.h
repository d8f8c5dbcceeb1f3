// problems/readers/model/mjcf_words.h: the elements and attributes of MuJoCo's XML, and how the
// reader treats each (problems/readers/format/words.h).
#ifndef PB_MODEL_MJCF_WORDS_H
#define PB_MODEL_MJCF_WORDS_H
#include "problems/readers/format/words.h"

extern const pb_words pb_mjcf_words;
#endif
