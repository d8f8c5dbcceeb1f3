// problems/readers/format/words.h: the elements and attributes of a robot file format, and how the
// reader treats each. One table checks files and generates the tables of docs/robot-files.md.
//
//   a row         an element, "parent/element" if the parent distinguishes two kinds
//   its words     attributes that are treated alike; NULL: the element itself with its content
//
// An attribute that no row has is a spelling error: a warning names the nearest known one.
#ifndef PB_FORMAT_WORDS_H
#define PB_FORMAT_WORDS_H
#include "problems/readers/format/xml.h"

typedef enum pb_fate {
  PB_TAKEN,   // read
  PB_SILENT,  // not read; does not affect the motion
  PB_DROPPED, // not read, with a warning
  PB_REFUSED
} pb_fate;

typedef struct pb_word {
  const char *element;
  const char *words; // attributes, separated by blanks; NULL: the element
  pb_fate fate;
  const char *harmless; // values without effect, separated by '|', "0" for any zeros; NULL: none
  const char *note; // PB_TAKEN, PB_SILENT: for the document, or NULL; PB_DROPPED: continuation of
                    // the warning; PB_REFUSED: the expected value
} pb_word;

// A robot file format.
typedef struct pb_words {
  const char *format;  // "MJCF"
  const pb_word *row;  // terminated by a row without an element
  bool tells_elements; // warn about an element that no row has
} pb_words;

// Check an element (its meaning is given by its name) and everything within it, in document order.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT if something is refused.
dm_status pb_words_check(const pb_words *w, const pb_xml *x, const pb_xml_node *top);
#endif
