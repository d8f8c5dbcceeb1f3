#include "lib/discrete/grid.h"

#include <math.h>

bool dm_grid_is_even(const double *grid, int N) {
  for (int k = 0; grid && k <= N; k++)
    if (!(fabs(grid[k] - k) <= 1e-12 * N)) return false;
  return true;
}

double dm_grid_time(const double *grid, int N, double s) {
  if (!grid) return s;
  int k = (int)floor(s);
  if (k < 0) k = 0;
  if (k > N - 1) k = N - 1;
  return grid[k] + (s - k) * (grid[k + 1] - grid[k]);
}

double dm_grid_find(const double *grid, int N, double time) {
  if (!(time > 0)) return 0;
  if (time >= N) return N;
  if (!grid) return time;

  // the step with grid[low] <= time < grid[high], by bisection
  int low = 0, high = N;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (grid[middle] <= time)
      low = middle;
    else
      high = middle;
  }
  return low + (time - grid[low]) / (grid[high] - grid[low]);
}

void dm_grid_resample(const double *grid, int N, int M, double *to) {
  const double ratio = (double)M / N;
  for (int j = 0; j <= M; j++) to[j] = dm_grid_time(grid, N, j * (double)N / M) * ratio;
  to[0] = 0;
  to[M] = M;
}
