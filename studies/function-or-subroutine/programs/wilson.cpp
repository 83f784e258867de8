// The operator of wilson.F90 in C++. STYLE: 0 functions that fill an argument, 1 operators that
// return fields by value, 2 expression templates. COLOUR_OUTER as there; EXTENT sites along each
// axis.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

extern "C" void counted_reset();
extern "C" void counted_print(int applications);

namespace {

constexpr int n = EXTENT, colours = 3, spins = 4;
constexpr double kappa = 0.12;

// Plain arithmetic, without the branch for infinities of std::complex.
struct Complex {
  double re, im;
};
inline Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
inline Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline Complex operator*(double s, Complex a) { return {s * a.re, s * a.im}; }

struct Site {
  int c, x, y, z, t, s;
};

template <typename Body>
inline void for_sites(const Body& body) {
#ifdef COLOUR_OUTER
  for (int c = 0; c < colours; ++c)
    for (int s = 0; s < spins; ++s)
      for (int t = 1; t <= n; ++t)
        for (int z = 1; z <= n; ++z)
          for (int y = 1; y <= n; ++y)
            for (int x = 1; x <= n; ++x) body(Site{c, x, y, z, t, s});
#else
  for (int s = 0; s < spins; ++s)
    for (int t = 1; t <= n; ++t)
      for (int z = 1; z <= n; ++z)
        for (int y = 1; y <= n; ++y)
          for (int x = 1; x <= n; ++x)
            for (int c = 0; c < colours; ++c) body(Site{c, x, y, z, t, s});
#endif
}

// [spin][t][z][y][x][colour] with a layer of neighbours.
struct Field {
  Complex f[spins][n + 2][n + 2][n + 2][n + 2][colours];
  Complex& at(const Site& i) { return f[i.s][i.t][i.z][i.y][i.x][i.c]; }
  const Complex& at(const Site& i) const { return f[i.s][i.t][i.z][i.y][i.x][i.c]; }
#if STYLE == 2
  template <typename Expression>
  Field& operator=(const Expression& e) {
    for_sites([&](const Site& i) { at(i) = e.at(i); });
    return *this;
  }
#endif
};

struct Hop {
  Complex g[n][n][n][n][colours][colours];  // [t][z][y][x][column][row]
  int axis;
  double sign;
};

constexpr int partner[4][4] = {{3, 2, 1, 0}, {3, 2, 1, 0}, {2, 3, 0, 1}, {2, 3, 0, 1}};
constexpr Complex phase[4][4] = {{{0, -1}, {0, -1}, {0, 1}, {0, 1}},
                                 {{-1, 0}, {1, 0}, {1, 0}, {-1, 0}},
                                 {{0, -1}, {0, 1}, {0, 1}, {0, -1}},
                                 {{-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}}};

inline Site shifted(Site i, int axis, int by) {
  int* along[4] = {&i.x, &i.y, &i.z, &i.t};
  *along[axis] += by;
  return i;
}

// ((1 + sign gamma) U a) at i
template <typename Source>
inline Complex multiplied(const Hop& h, const Source& a, const Site& i) {
  const Complex w = h.sign * phase[h.axis][i.s];
  Complex sum{0, 0};
  for (int c = 0; c < colours; ++c) {
    const Complex both = a.at({c, i.x, i.y, i.z, i.t, i.s}) +
                         w * a.at({c, i.x, i.y, i.z, i.t, partner[h.axis][i.s]});
    sum = sum + h.g[i.t - 1][i.z - 1][i.y - 1][i.x - 1][c][i.c] * both;
  }
  return sum;
}

#if STYLE == 0
void add(const Field& a, const Field& b, Field& c) {
  for_sites([&](const Site& i) { c.at(i) = a.at(i) + b.at(i); });
}
void scale(double s, const Field& a, Field& c) {
  for_sites([&](const Site& i) { c.at(i) = s * a.at(i); });
}
void shift(int axis, int by, const Field& a, Field& c) {
  const Site d = shifted({0, 0, 0, 0, 0, 0}, axis, by);
  for_sites([&](const Site& i) {
    c.at(i) = a.at({i.c, i.x + d.x, i.y + d.y, i.z + d.z, i.t + d.t, i.s});
  });
}
void multiply(const Hop& h, const Field& a, Field& c) {
  for_sites([&](const Site& i) { c.at(i) = multiplied(h, a, i); });
}
#elif STYLE == 1
Field operator+(const Field& a, const Field& b) {
  Field c;
  for_sites([&](const Site& i) { c.at(i) = a.at(i) + b.at(i); });
  return c;
}
Field operator*(double s, const Field& a) {
  Field c;
  for_sites([&](const Site& i) { c.at(i) = s * a.at(i); });
  return c;
}
Field shift(int axis, int by, const Field& a) {
  Field c;
  const Site d = shifted({0, 0, 0, 0, 0, 0}, axis, by);
  for_sites([&](const Site& i) {
    c.at(i) = a.at({i.c, i.x + d.x, i.y + d.y, i.z + d.z, i.t + d.t, i.s});
  });
  return c;
}
Field operator*(const Hop& h, const Field& a) {
  Field c;
  for_sites([&](const Site& i) { c.at(i) = multiplied(h, a, i); });
  return c;
}
#else
template <typename A, typename B>
struct Added {
  const A a;
  const B b;
  Complex at(const Site& i) const { return a.at(i) + b.at(i); }
};
template <typename A>
struct Scaled {
  double s;
  const A a;
  Complex at(const Site& i) const { return s * a.at(i); }
};
struct Leaf {
  const Field* field;
  Complex at(const Site& i) const { return field->at(i); }
};
template <typename A>
struct Shifted {
  Site d;
  const A a;
  Complex at(const Site& i) const {
    return a.at({i.c, i.x + d.x, i.y + d.y, i.z + d.z, i.t + d.t, i.s});
  }
};
template <typename A>
struct Multiplied {
  const Hop* h;
  const A a;
  Complex at(const Site& i) const { return multiplied(*h, a, i); }
};
template <typename A, typename B>
Added<A, B> operator+(const A& a, const B& b) {
  return {a, b};
}
template <typename A>
Scaled<A> operator*(double s, const A& a) {
  return {s, a};
}
template <typename A>
Multiplied<A> operator*(const Hop& h, const A& a) {
  return {&h, a};
}
Shifted<Leaf> shift(int axis, int by, const Field& a) {
  return {shifted({0, 0, 0, 0, 0, 0}, axis, by), {&a}};
}
#endif

struct Work {
  Hop ahead[4], behind[4];
  Field x, y, temp, temp1, temp2, temp3;
};

void set_neighbours(Field& a) {
  for (int s = 0; s < spins; ++s)
    for (int i = 0; i < (n + 2) * (n + 2) * (n + 2) * (n + 2); ++i) {
      const int x = i % (n + 2), y = i / (n + 2) % (n + 2), z = i / (n + 2) / (n + 2) % (n + 2),
                t = i / (n + 2) / (n + 2) / (n + 2);
      const auto inside = [](int at) { return at == 0 ? n : at == n + 1 ? 1 : at; };
      if (inside(x) == x && inside(y) == y && inside(z) == z && inside(t) == t) continue;
      for (int c = 0; c < colours; ++c)
        a.f[s][t][z][y][x][c] = a.f[s][inside(t)][inside(z)][inside(y)][inside(x)][c];
    }
}

void apply(Work& w) {
  set_neighbours(w.x);
#if STYLE == 0
  for (int mu = 0; mu < 4; ++mu) {
    shift(mu, 1, w.x, w.temp1);
    multiply(w.ahead[mu], w.temp1, w.temp2);
    shift(mu, -1, w.x, w.temp1);
    multiply(w.behind[mu], w.temp1, w.temp3);
    if (mu == 0) {
      add(w.temp2, w.temp3, w.temp);
    } else {
      add(w.temp2, w.temp3, w.temp2);
      add(w.temp, w.temp2, w.temp);
    }
  }
  scale(-kappa, w.temp, w.temp1);
  add(w.x, w.temp1, w.y);
#elif STYLE == 1
  w.temp1 = shift(0, 1, w.x);
  w.temp2 = shift(0, -1, w.x);
  w.temp = w.ahead[0] * w.temp1 + w.behind[0] * w.temp2;
  for (int mu = 1; mu < 4; ++mu) {
    w.temp1 = shift(mu, 1, w.x);
    w.temp2 = shift(mu, -1, w.x);
    w.temp = w.temp + (w.ahead[mu] * w.temp1 + w.behind[mu] * w.temp2);
  }
  w.y = w.x + (-kappa) * w.temp;
#else
  const auto hop = [&](int mu) {
    return w.ahead[mu] * shift(mu, 1, w.x) + w.behind[mu] * shift(mu, -1, w.x);
  };
  w.y = Leaf{&w.x} + (-kappa) * (((hop(0) + hop(1)) + hop(2)) + hop(3));
#endif
}

// Numbers that look random and are the same in every language.
double number(std::int64_t at) {
  return static_cast<double>((at * 7919 + 104729) % 65521) / 65521.0 - 0.5;
}

void make(Work& w) {
  const auto link = [](int a, int b, const int(&x)[4], int mu) {
    const std::int64_t place =
        a + 3 * (b + 3 * (x[0] + n * (x[1] + n * (x[2] + n * (x[3] + n * std::int64_t(mu))))));
    return Complex{number(2 * place), number(2 * place + 1)};
  };
  for (int mu = 0; mu < 4; ++mu) {
    w.ahead[mu].axis = w.behind[mu].axis = mu;
    w.ahead[mu].sign = -1.0, w.behind[mu].sign = 1.0;
    for (int i = 0; i < n * n * n * n; ++i) {
      const int x[4] = {i % n, i / n % n, i / n / n % n, i / n / n / n};
      int below[4] = {x[0], x[1], x[2], x[3]};
      below[mu] = (x[mu] + n - 1) % n;
      for (int a = 0; a < colours; ++a)
        for (int b = 0; b < colours; ++b) {
          w.ahead[mu].g[x[3]][x[2]][x[1]][x[0]][b][a] = link(a, b, x, mu);
          const Complex back = link(b, a, below, mu);
          w.behind[mu].g[x[3]][x[2]][x[1]][x[0]][b][a] = {back.re, -back.im};
        }
    }
  }
  for_sites([&](const Site& i) {
    const std::int64_t place =
        1000003 + i.c +
        3 * (i.x - 1 + n * (i.y - 1 + n * (i.z - 1 + n * (i.t - 1 + n * std::int64_t(i.s)))));
    w.x.at(i) = {number(2 * place), number(2 * place + 1)};
  });
}

}  // namespace

int main(int, char** words) {
  const int applications = std::atoi(words[1]), samples = std::atoi(words[2]);
  const auto work = std::make_unique<Work>();
  make(*work);
  counted_reset();
  for (int k = 0; k < samples; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < applications; ++i) apply(*work);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("seconds %.16e\n", took.count() / applications);
  }
  counted_print(applications * samples);
  double norm = 0.0;
  for_sites([&](const Site& i) {
    const Complex v = work->y.at(i);
    norm += v.re * v.re + v.im * v.im;
  });
  std::printf("norm %.16e\n", norm);
}
