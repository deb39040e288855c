#include "matmul.h"
#include <stdio.h>
_Float16 a[100][64] = {[7] = {1, 2, 3}}, b[64][40] = {{[9] = 4}, {[9] = 5}};
float d[100][40];
int main(void) {
  bwgemm_memref_2d_t A = bwgemm_matrix(a, 100, 64);
  bwgemm_memref_2d_t B = bwgemm_matrix(b, 64, 40);
  bwgemm_memref_2d_t D = bwgemm_matrix(d, 100, 40);
  _mlir_ciface_matmul(&A, &B, &D);
  printf("D[7][9] = %g, D[8][9] = %g\n", d[7][9], d[8][9]); // 1 * 4 + 2 * 5, 0
}
