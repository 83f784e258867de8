// The two-electron part of the Fock matrix from integrals and a density.
//
//   G_ab = sum over cd of P_cd ((ab|cd) - (ac|bd) / 2)
//
// Tasks add up their own part in a fixed order, and the parts are added as integers in units of
// 2^-48 hartree: the sum has the same bits however tasks are spread over ranks and threads. A part
// is rounded by less than 2e-15 hartree.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/hartree_fock/plan.hpp"

namespace hakaru::apps::hartree_fock {

class FockBuilder {
 public:
  FockBuilder(const Basis& basis, const Plan& plan, int threads);

  // functions x functions, symmetric. Forgets what was added.
  void set_density(const std::vector<double>& density);

  // What one thread adds. Its tasks come one after the other.
  class Adder {
   public:
    explicit Adder(const FockBuilder& builder);
    void begin(const Task& task);
    // Integrals of some kets of a batch, in the order of repulsion().
    void add(int list, int batch, int count, const double* integrals);
    void end();

   private:
    friend class FockBuilder;
    void clear();
    void merge(double value, std::int64_t& sum);

    const FockBuilder& builder_;
    const Task* task_ = nullptr;
    bool sound_ = true;
    std::vector<double> coulomb_, exchange_;  // of a task: kets; rows of its two shells
    std::vector<double> own_;                 // of the bra
    std::vector<std::int64_t> coulomb_sum_, exchange_sum_;
  };
  Adder& adder(int thread) { return adders_[thread]; }

  // The lower triangle, row by row, in units of 2^-49, of everything that was added here; then 1 if
  // a part was out of range or not a number. Sums of these over ranks are what finish() takes.
  std::vector<std::int64_t> packed() const;
  // False when a part could not be added.
  bool finish(const std::vector<std::int64_t>& packed, std::vector<double>& matrix) const;

 private:
  const Basis& basis_;
  const Plan& plan_;
  std::size_t n_;
  std::vector<std::vector<std::size_t>> first_;  // by list and position: products before
  std::size_t products_ = 0;
  std::vector<double> density_, of_pairs_;
  std::vector<Adder> adders_;
};

// Two operations for each of two Coulomb and four exchange parts.
inline constexpr double fock_flops_of_integral = 12.0;

}  // namespace hakaru::apps::hartree_fock
