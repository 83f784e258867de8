// trajectory.F90 in C++: matrices by rows. STYLE: 0 loops (row, column, sum), 1 loops (row, sum,
// column). THREADING and DEGREES as there.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int n = DEGREES;
constexpr double s = 0.57735026918962576, coupling = 0.111803;

struct Matrix {
  double at[n][n];
};

struct Trajectory {
  double q[n], p[n], action;
  Matrix qq, qp, pq, pp;
};

Matrix kinetic;

// c += factor a b
void add_product(double factor, const Matrix& a, const Matrix& b, Matrix& c, Matrix& work) {
#if THREADING == 1
#pragma omp parallel for
#endif
  for (int i = 0; i < n; ++i) {
#if STYLE == 0
    for (int j = 0; j < n; ++j) {
      work.at[i][j] = 0.0;
      for (int m = 0; m < n; ++m) work.at[i][j] += a.at[i][m] * b.at[m][j];
    }
#else
    for (int j = 0; j < n; ++j) work.at[i][j] = 0.0;
    for (int m = 0; m < n; ++m)
      for (int j = 0; j < n; ++j) work.at[i][j] += a.at[i][m] * b.at[m][j];
#endif
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) c.at[i][j] += factor * work.at[i][j];
}

double derivatives(const double* q, double* force, Matrix& second) {
  double v = 0.0;
  second = {};
  for (int k = 0; k < n; ++k) {
    v += 0.5 * q[k] * q[k];
    force[k] = -q[k];
    second.at[k][k] = 1.0;
  }
  for (int k = 0; k + 1 < n; ++k) {
    v += coupling * (q[k] * q[k] * q[k + 1] - q[k + 1] * q[k + 1] * q[k + 1] / 3.0);
    force[k] -= 2.0 * coupling * q[k] * q[k + 1];
    force[k + 1] -= coupling * (q[k] * q[k] - q[k + 1] * q[k + 1]);
    second.at[k][k] += 2.0 * coupling * q[k + 1];
    second.at[k + 1][k + 1] -= 2.0 * coupling * q[k + 1];
    second.at[k][k + 1] = second.at[k + 1][k] = 2.0 * coupling * q[k];
  }
  return v;
}

void step(Trajectory& t, double dt) {
  const double a[4] = {0.5 * (1.0 - s) * dt, s * dt, -s * dt, 0.5 * (1.0 + s) * dt};
  const double b[4] = {0.0, 0.5 * (0.5 + s) * dt, 0.5 * dt, 0.5 * (0.5 - s) * dt};
  double force[n], velocity[n];
  Matrix second, work;
  for (int k = 0; k < 4; ++k) {
    if (b[k] != 0.0) {
      t.action -= b[k] * derivatives(t.q, force, second);
      for (int i = 0; i < n; ++i) t.p[i] += b[k] * force[i];
      add_product(-b[k], second, t.qp, t.pp, work);
      add_product(-b[k], second, t.qq, t.pq, work);
    }
    double twice = 0.0;
    for (int i = 0; i < n; ++i) {
      velocity[i] = 0.0;
      for (int m = 0; m < n; ++m) velocity[i] += kinetic.at[i][m] * t.p[m];
      twice += t.p[i] * velocity[i];
    }
    t.action += 0.5 * a[k] * twice;
    for (int i = 0; i < n; ++i) t.q[i] += a[k] * velocity[i];
    add_product(a[k], kinetic, t.pp, t.qp, work);
    add_product(a[k], kinetic, t.pq, t.qq, work);
  }
}

void begin(Trajectory& t, int number) {
  t = {};
  for (int i = 0; i < n; ++i) {
    t.q[i] = 0.3 * std::sin(1.0 + 2.3 * (i + 1) + number);
    t.p[i] = 0.3 * std::cos(0.5 + 1.7 * (i + 1) + number);
    t.qq.at[i][i] = t.pp.at[i][i] = 1.0;
  }
}

}  // namespace

int main(int, char** words) {
  const int trajectories = std::atoi(words[1]), steps = std::atoi(words[2]),
            samples = std::atoi(words[3]);
  std::vector<Trajectory> t(trajectories);
  for (int i = 0; i < n; ++i) kinetic.at[i][i] = 1.0;
  for (int sample = 0; sample < samples; ++sample) {
    for (int i = 0; i < trajectories; ++i) begin(t[i], i);
    const auto from = std::chrono::steady_clock::now();
#if THREADING == 2
#pragma omp parallel for
#endif
    for (int i = 0; i < trajectories; ++i)
      for (int k = 0; k < steps; ++k) step(t[i], 0.01);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - from;
    std::printf("seconds %.16e\n", took.count() / (double(trajectories) * steps));
  }
  double total = 0.0;
  for (const Trajectory& one : t) {
    for (int i = 0; i < n; ++i) {
      total += one.q[i];
      for (int j = 0; j < n; ++j) total += one.qq.at[i][j] + one.pp.at[i][j];
    }
    total += one.action;
  }
  std::printf("total %.16e\n", total);
}
