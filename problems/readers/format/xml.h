// problems/readers/format/xml.h: read an XML file with libxml2, and attributes as text, numbers and
// vectors.
//
// No network, no external entities and no DOCTYPE: robot files do not need one, and entity
// expansion attacks start there.
#ifndef PB_FORMAT_XML_H
#define PB_FORMAT_XML_H
#include "problems/readers/format/reader.h"

#include <libxml/tree.h>
#include <stdbool.h>

typedef struct pb_xml {
  pb_reader *r;
  const char *file;
  xmlDoc *doc; // freed by pb_xml_close
} pb_xml;

// The position of an element, in its node's _private: one document may hold elements of several
// files.
typedef struct pb_xml_place {
  const char *file;
  int line;         // line on which its start tag ends
  const void *note; // data that a reader attaches to the element; NULL: none
} pb_xml_place;

// Parse text [size] of a file. An XML declaration of a version other than 1.x, or after a comment,
// is ignored. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the line.
dm_status pb_xml_open(pb_xml *x, pb_reader *r, const char *file, const char *text, size_t size);
void pb_xml_close(pb_xml *x);

// The line on which an element's start tag ends (0: unknown), and its file.
int pb_xml_line(const xmlNode *element);
const char *pb_xml_file(const pb_xml *x, const xmlNode *element);

// The next sibling element from node on with this name (NULL: any name), or NULL.
xmlNode *pb_xml_next(xmlNode *node, const char *name);

// The child with this name, or NULL. Warns about a second one, which is ignored.
dm_status pb_xml_child(const pb_xml *x, const xmlNode *parent, const char *name, xmlNode **child);

// The text of an attribute, in the arena; *text is NULL without attribute or element.
dm_status pb_xml_text(const pb_xml *x, const xmlNode *element, const char *name, const char **text);

// The text of a required, nonempty attribute.
dm_status pb_xml_name(const pb_xml *x, const xmlNode *element, const char *name, const char **text);

// Read an attribute with one finite number, or with three; value is unchanged if it is missing.
// there: out, or NULL.
dm_status pb_xml_number(const pb_xml *x, const xmlNode *element, const char *name, double *value,
                        bool *there);
dm_status pb_xml_vector(const pb_xml *x, const xmlNode *element, const char *name, double value[3]);

// Read an attribute with 1 to `most` finite numbers; *n: the number read, 0 if it is missing.
dm_status pb_xml_numbers(const pb_xml *x, const xmlNode *element, const char *name, int most,
                         double *value, int *n);

// Read an attribute that is a word of a list [nwords]; *word: its index, unchanged if it is
// missing.
dm_status pb_xml_word(const pb_xml *x, const xmlNode *element, const char *name,
                      const char *const *words, int nwords, int *word);

// <origin xyz rpy> of an element [m, rad]; zeros if it is missing.
dm_status pb_xml_origin(const pb_xml *x, const xmlNode *parent, double xyz[3], double rpy[3]);

#define pb_refuse_xml(x, element, ...)                                                             \
  pb_refuse((x)->r, pb_xml_file(x, element), pb_xml_line(element), 0, __VA_ARGS__)
#define pb_warn_xml(x, element, ...)                                                               \
  pb_warn((x)->r, pb_xml_file(x, element), pb_xml_line(element), __VA_ARGS__)
#endif
