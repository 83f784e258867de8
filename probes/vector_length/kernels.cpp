#include "probes/vector_length/kernels.hpp"

#include "native/base/require.hpp"
#include "probes/vector_length/loops.hpp"

#ifdef HAKARU_FORTRAN
extern "C" {
void hakaru_vector_daxpy(std::int64_t n, double a, const double* x, double* y);
double hakaru_vector_dot(std::int64_t n, const double* x, const double* y);
void hakaru_vector_polynomial(std::int64_t n, const double* c, const double* x, double* z);
void hakaru_vector_divide(std::int64_t n, const double* x, const double* y, double* z);
void hakaru_vector_gather(std::int64_t n, const std::int32_t* places, const double* x, double* z);
void hakaru_vector_scatter(std::int64_t n, const std::int32_t* places, const double* x, double* z);
void hakaru_vector_exponential(std::int64_t n, const double* x, double* z);
}
#endif

namespace hakaru::probes::vector_length {
namespace {

struct Loops {
  decltype(&daxpy) daxpy_of;
  decltype(&dot) dot_of;
  decltype(&polynomial) polynomial_of;
  decltype(&divide) divide_of;
  decltype(&gather) gather_of;
  decltype(&scatter) scatter_of;
  decltype(&exponential) exponential_of;
};

constexpr Loops cpp{daxpy, dot, polynomial, divide, gather, scatter, exponential};
#ifdef HAKARU_FORTRAN
constexpr Loops fortran{hakaru_vector_daxpy,      hakaru_vector_dot,    hakaru_vector_polynomial,
                        hakaru_vector_divide,     hakaru_vector_gather, hakaru_vector_scatter,
                        hakaru_vector_exponential};
#else
constexpr Loops fortran = cpp;
#endif

}  // namespace

const char* name_of(Kernel kernel) {
  constexpr const char* names[] = {"daxpy",        "dot",    "polynomial", "divide",
                                   "divide equal", "gather", "scatter",    "exponential"};
  return names[static_cast<int>(kernel)];
}

const char* name_of(Language language) { return language == Language::cpp ? "C++" : "Fortran"; }

int operations_of(Kernel kernel) {
  if (kernel == Kernel::daxpy || kernel == Kernel::dot) return 2;
  return kernel == Kernel::polynomial ? 18 : 1;
}

int bytes_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::divide:
    case Kernel::divide_equal:
      return 24;
    case Kernel::gather:
    case Kernel::scatter:
      return 20;
    default:
      return 16;
  }
}

std::string fortran_compiler() {
#ifdef HAKARU_FORTRAN
  return HAKARU_FORTRAN;
#else
  return "";
#endif
}

double apply(Kernel kernel, Language language, Vectors& v, std::int64_t first, std::int64_t last,
             double a) {
  HAKARU_EXPECTS(language == Language::cpp || !fortran_compiler().empty());
  const Loops& loops = language == Language::cpp ? cpp : fortran;
  const std::int64_t n = last - first;
  double *y = v.y.data() + first, *z = v.z.data() + first;
  const double* x = v.x.data() + first;
  switch (kernel) {
    case Kernel::daxpy:
      loops.daxpy_of(n, a, x, y);
      break;
    case Kernel::dot:
      return loops.dot_of(n, x, v.full.data() + first);
    case Kernel::polynomial:
      loops.polynomial_of(n, coefficients.data(), x, z);
      break;
    case Kernel::divide:
      loops.divide_of(n, x, v.full.data() + first, z);
      break;
    case Kernel::divide_equal:
      loops.divide_of(n, x, v.equal.data() + first, z);
      break;
    case Kernel::gather:
      loops.gather_of(n, v.places.data() + first, v.x.data(), z);
      break;
    case Kernel::scatter:
      loops.scatter_of(n, v.places.data() + first, x, v.z.data());
      break;
    case Kernel::exponential:
      loops.exponential_of(n, x, z);
      break;
  }
  return 0.0;
}

}  // namespace hakaru::probes::vector_length
