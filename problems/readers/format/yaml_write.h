// problems/readers/format/yaml_write.h: write a tree of nodes as YAML that reads back to it. The
// tree has no comments.
#ifndef PB_FORMAT_YAML_WRITE_H
#define PB_FORMAT_YAML_WRITE_H
#include "problems/readers/format/yaml.h"

// Write a mapping to f, one entry of it per line, with everything below an entry in its line if it
// fits into 100 columns.
void pb_yaml_write(FILE *f, const pb_node *root);
#endif
