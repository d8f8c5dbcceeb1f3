// problems/readers/format/mesh.h: a mesh, its vertices and triangles: STL, binary or text, and
// Wavefront OBJ.
#ifndef PB_FORMAT_MESH_H
#define PB_FORMAT_MESH_H
#include "problems/readers/format/reader.h"

typedef struct pb_mesh {
  int n;
  double *x; // [n x 3] in the file's unit; of an STL those of each triangle
  int nside;
  int (*side)[3]; // [nside] of an OBJ, its sides cut into triangles; of an STL NULL: each three
} pb_mesh;

// Read the bytes [size] of a file, ended by a zero, by the ending of its name: .stl or .obj. A
// vertex that is none is refused; a side of vertices that are not there is left out. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with file and, of text, line.
dm_status pb_mesh_read(const pb_reader *r, const char *file, const char *bytes, size_t size,
                       pb_mesh *out);
#endif
