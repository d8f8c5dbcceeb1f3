// tests/fuzz_read.c: any bytes as a robot file, a problem file or a table: an error or a result,
// never a fault. Not part of the test suite:
//
//   clang -g -O1 -fsanitize=fuzzer,address,undefined ... tests/fuzz_read.c problems/*.c ...
//   ./fuzz_read -max_len=4096 CORPUS
//
// The first byte chooses the kind of file; files are written to $FUZZ_FOLDER (a memory disk is
// best).
#include "problems/readers/task/problem.h"
#include "tests/support/files.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const char *folder = getenv("FUZZ_FOLDER");
  if (!folder || size < 1) return 0;
  static const char robot[] =
      "<robot><link name='w'/><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='1'/></inertial></link><joint name='j' type='continuous'><parent link='w'/><child "
      "link='a'/></joint></robot>";
  static const char problem[] = "model: {urdf: r.urdf}\nhorizon: {steps: 4, time: 1}\n"
                                "start: {q: 0, v: 0}\ncost: {reference: {csv: x.csv}}\n"
                                "guess: {csv: x.csv}\nsimulate: {input: {csv: x.csv}}\n";
  int kind = bytes[0] % 3;
  const char *urdf = kind == 0 ? put_bytes(folder, "r.urdf", bytes + 1, size - 1)
                               : put_file(folder, "r.urdf", robot);
  const char *yaml = kind == 1 ? put_bytes(folder, "p.yaml", bytes + 1, size - 1)
                               : put_file(folder, "p.yaml", problem);
  if (kind == 2) put_bytes(folder, "x.csv", bytes + 1, size - 1);
  dm_message msg;
  struct pb_warnings warnings = {0};
  pb_robot read;
  pb_problem *p;
  if (kind == 0 && pb_model_read(&read, urdf, size % 2, &warnings, &msg) == DM_OK)
    pb_robot_free(&read);
  if (kind != 0 && pb_problem_read(&p, yaml, &msg) == DM_OK) pb_problem_free(p);
  pb_warnings_free(&warnings);
  return 0;
}
