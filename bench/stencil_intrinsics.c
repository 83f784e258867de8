// The 25-point stencil in plain AVX-512 intrinsics, one vector of four complex numbers at a time:
// aligned loads along x and y, shifts between three neighbouring vectors along z, index tables for
// the periodic rows and vectors. nz must be a multiple of 4. Does nothing useful without AVX-512.
#include <stdlib.h>
#ifdef __AVX512F__
#include <immintrin.h>

int stencil_intrinsics_exist(void) { return 1; }

static __m512d add_pair(__m512d up, __m512d down, double lap, double grad, __m512d even,
                        __m512d* odd) {
  *odd = _mm512_fmadd_pd(_mm512_set1_pd(grad), _mm512_sub_pd(up, down), *odd);
  return _mm512_fmadd_pd(_mm512_set1_pd(lap), _mm512_add_pd(up, down), even);
}

static __m512d shift(__m512d high, __m512d low, int points) {
  const __m512i h = _mm512_castpd_si512(high), l = _mm512_castpd_si512(low);
  switch (points) {
    case 1:
      return _mm512_castsi512_pd(_mm512_alignr_epi64(h, l, 2));
    case 2:
      return _mm512_castsi512_pd(_mm512_alignr_epi64(h, l, 4));
    case 3:
      return _mm512_castsi512_pd(_mm512_alignr_epi64(h, l, 6));
    default:
      return high;
  }
}

void stencil_intrinsics(int nx, int ny, int nz, double centre, const double lap[3][4],
                        const double grad[3][4], const double* v, const double* in, double* out) {
  enum { reach = 4, most = 1024 };
  static _Thread_local int xs[most], ys[most], zs[most];
  if (nx + 8 > most || ny + 8 > most || nz / 4 + 2 > most || nz % 4) exit(4);
  for (int i = 0; i < nx + 8; ++i) xs[i] = (i + nx - reach) % nx;
  for (int i = 0; i < ny + 8; ++i) ys[i] = (i + ny - reach) % ny;
  for (int i = 0; i < nz / 4 + 2; ++i) zs[i] = (i + nz / 4 - 1) % (nz / 4) * 8;
  const __m512i twice = _mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0);
  const __m512d sign = _mm512_set_pd(-1, 1, -1, 1, -1, 1, -1, 1);
  for (int x = 0; x < nx; ++x)
    for (int y = 0; y < ny; ++y)
      for (int z = 0; z < nz / 4; ++z) {
        const long row = ((long)x * ny + y) * nz * 2;
        const __m512d here = _mm512_loadu_pd(in + row + z * 8);
        const __m512d before = _mm512_loadu_pd(in + row + zs[z]);
        const __m512d behind = _mm512_loadu_pd(in + row + zs[z + 2]);
        const __m512d half = _mm512_castpd256_pd512(_mm256_loadu_pd(v + row / 2 + z * 4));
        const __m512d local =
            _mm512_add_pd(_mm512_permutexvar_pd(twice, half), _mm512_set1_pd(centre));
        __m512d even = _mm512_mul_pd(local, here), odd = _mm512_setzero_pd();
#pragma GCC unroll 4
        for (int m = 1; m <= reach; ++m) {
          const double* up_x = in + ((long)xs[x + reach + m] * ny + y) * nz * 2 + z * 8;
          const double* down_x = in + ((long)xs[x + reach - m] * ny + y) * nz * 2 + z * 8;
          const double* up_y = in + ((long)x * ny + ys[y + reach + m]) * nz * 2 + z * 8;
          const double* down_y = in + ((long)x * ny + ys[y + reach - m]) * nz * 2 + z * 8;
          even = add_pair(_mm512_loadu_pd(up_x), _mm512_loadu_pd(down_x), lap[0][m - 1],
                          grad[0][m - 1], even, &odd);
          even = add_pair(_mm512_loadu_pd(up_y), _mm512_loadu_pd(down_y), lap[1][m - 1],
                          grad[1][m - 1], even, &odd);
          const __m512d up_z = shift(behind, here, m);
          const __m512d down_z = m == reach ? before : shift(here, before, reach - m);
          even = add_pair(up_z, down_z, lap[2][m - 1], grad[2][m - 1], even, &odd);
        }
        const __m512d swapped = _mm512_permute_pd(odd, 0x55);
        _mm512_storeu_pd(out + row + z * 8, _mm512_fmadd_pd(swapped, sign, even));
      }
}
#else
int stencil_intrinsics_exist(void) { return 0; }
void stencil_intrinsics(int nx, int ny, int nz, double centre, const double lap[3][4],
                        const double grad[3][4], const double* v, const double* in, double* out) {
  exit(4);
}
#endif
