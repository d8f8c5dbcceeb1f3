// problems/readers/model/urdf_words.h: the elements and attributes of URDF, including extensions by
// Drake and others, and how the reader treats each (problems/readers/format/words.h).
#ifndef PB_MODEL_URDF_WORDS_H
#define PB_MODEL_URDF_WORDS_H
#include "problems/readers/format/words.h"

extern const pb_words pb_urdf_words;
#endif
