// The ellipsoid of a body's mass and moments of inertia, for links without looks.

'use strict';

// eigenvalues and eigenvectors (columns) of a symmetric 3 by 3 matrix, by Jacobi's rotations
function principalAxes(a) {
  const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 30; sweep++)
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      // turn in the plane of p and q so that a_pq is gone
      if (Math.abs(a[p][q]) < 1e-15 * (Math.abs(a[p][p]) + Math.abs(a[q][q]))) continue;
      const turn = 0.5 * Math.atan2(2 * a[p][q], a[q][q] - a[p][p]), c = Math.cos(turn),
            s = Math.sin(turn);
      for (let k = 0; k < 3; k++) {
        const x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
      }
      for (let k = 0; k < 3; k++) {
        const x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
        const m = v[k][p], n = v[k][q];
        v[k][p] = c * m - s * n;
        v[k][q] = s * m + c * n;
      }
    }
  return [[a[0][0], a[1][1], a[2][2]], v];
}

// a^2 = 5 (I_b + I_c - I_a) / 2m of the uniform ellipsoid with half axes a, b, c
function makeEllipsoid(inertia, size, material) {
  const [xx, yy, zz, xy, xz, yz] = inertia.moments;
  const [moments, axes] = principalAxes([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]);
  const sum = moments[0] + moments[1] + moments[2];
  const half = moments.map(m => Math.sqrt(Math.max(0, 2.5 * (sum - 2 * m) / inertia.mass)));

  // an inertia that no body can have: a placeholder
  if (Math.max(...half) > 2 * size) return null;
  const mesh = new THREE.Mesh(new THREE.SphereBufferGeometry(1, 28, 18), material);
  const turn = new THREE.Matrix4().makeBasis(
    ...[0, 1, 2].map(k => new THREE.Vector3(axes[0][k], axes[1][k], axes[2][k])));
  if (turn.determinant() < 0) turn.scale(new THREE.Vector3(-1, 1, 1));
  mesh.position.set(...inertia.at);
  mesh.quaternion.setFromRotationMatrix(turn);
  mesh.scale.set(...half.map(h => Math.max(h, 0.008 * size)));
  return mesh;
}
