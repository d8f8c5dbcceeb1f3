// problems/readers/format/mesh.h: a mesh of vertices and triangles, read from STL (binary or text)
// or Wavefront OBJ.
#ifndef PB_FORMAT_MESH_H
#define PB_FORMAT_MESH_H
#include "problems/readers/format/reader.h"

typedef struct pb_mesh {
  int n;
  double *x; // [n x 3] in the unit of the file; STL: three vertices per triangle
  int nside;
  int (*side)[3]; // [nside] triangles of an OBJ, faces split; STL: NULL, three vertices each
} pb_mesh;

// Read a mesh from the zero-terminated bytes [size] of a file; the extension of its name selects
// the format: .stl or .obj. A malformed vertex is refused; a face that refers to missing vertices
// is left out. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the file and, for text formats,
// the line.
dm_status pb_mesh_read(const pb_reader *r, const char *file, const char *bytes, size_t size,
                       pb_mesh *out);
#endif
