// problems/readers/format/xml.h: read an XML file with expat, and attributes as text, numbers and
// vectors.
//
// No network, no external entities and no DOCTYPE: robot files do not need one, and entity
// expansion attacks start there.
#ifndef PB_FORMAT_XML_H
#define PB_FORMAT_XML_H
#include "problems/readers/format/reader.h"
#include "problems/readers/format/xml_tree.h"

typedef struct pb_xml {
  pb_reader *r;
  const char *file;
  pb_xml_node *document; // in the arena of the reader
} pb_xml;

// Parse text [size] of a file. An XML declaration of a version other than 1.x, or after a comment,
// is ignored. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the line.
dm_status pb_xml_open(pb_xml *x, pb_reader *r, const char *file, const char *text, size_t size);

pb_xml_node *pb_xml_root(const pb_xml *x);

// The line on which an element's start tag ends (0: unknown), and its file.
int pb_xml_line(const pb_xml_node *element);
const char *pb_xml_file(const pb_xml *x, const pb_xml_node *element);

// The next sibling element from node on with this name (NULL: any name), or NULL.
pb_xml_node *pb_xml_next(pb_xml_node *node, const char *name);

// The child with this name, or NULL. Warns about a second one, which is ignored.
dm_status pb_xml_child(const pb_xml *x, const pb_xml_node *parent, const char *name,
                       pb_xml_node **child);

// The text of a required, nonempty attribute.
dm_status pb_xml_name(const pb_xml *x, const pb_xml_node *element, const char *name,
                      const char **text);

// Read an attribute with one finite number, or with three; value is unchanged if it is missing.
// there: out, or NULL.
dm_status pb_xml_number(const pb_xml *x, const pb_xml_node *element, const char *name,
                        double *value, bool *there);
dm_status pb_xml_vector(const pb_xml *x, const pb_xml_node *element, const char *name,
                        double value[3]);

// Read an attribute with 1 to `most` finite numbers; *n: the number read, 0 if it is missing.
dm_status pb_xml_numbers(const pb_xml *x, const pb_xml_node *element, const char *name, int most,
                         double *value, int *n);

// Read an attribute that is a word of a list [nwords]; *word: its index, unchanged if it is
// missing.
dm_status pb_xml_word(const pb_xml *x, const pb_xml_node *element, const char *name,
                      const char *const *words, int nwords, int *word);

// <origin xyz rpy> of an element [m, rad]; zeros if it is missing.
dm_status pb_xml_origin(const pb_xml *x, const pb_xml_node *parent, double xyz[3], double rpy[3]);

#define pb_refuse_xml(x, element, ...)                                                             \
  pb_refuse((x)->r, pb_xml_file(x, element), pb_xml_line(element), 0, __VA_ARGS__)
#define pb_warn_xml(x, element, ...)                                                               \
  pb_warn((x)->r, pb_xml_file(x, element), pb_xml_line(element), __VA_ARGS__)
#endif
