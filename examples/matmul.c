#include "matmul.h"
#include <stdio.h>
static _Float16 a[100][64], b[64][40];
static float d[100][40];
int main(void) {
  for (int k = 0; k < 64; ++k)
    a[7][k] = k, b[k][9] = 2; // the others stay 0
  bwgemm_memref_2d_t A = bwgemm_matrix(a, 100, 64),
                     B = bwgemm_matrix(b, 64, 40),
                     D = bwgemm_matrix(d, 100, 40);
  _mlir_ciface_matmul(&A, &B, &D);
  printf("D[7][9] = %g, D[8][9] = %g\n", d[7][9],
         d[8][9]); // 2 * (0 + ... + 63), 0
}
