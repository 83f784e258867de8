#include "probes/files/array_file.hpp"

#ifdef HAKARU_HDF5
#include <fmt/format.h>
#include <hdf5.h>

#include <array>
#endif

namespace hakaru::probes::files {

#ifndef HAKARU_HDF5

const ArrayFile& hdf5() {
  static const ArrayFile absent(
      "hakaru was built without parallel HDF5, in Debian libhdf5-openmpi-dev or libhdf5-mpich-dev");
  return absent;
}

#else

namespace {

using parallel::Communicator;
using Extents = std::array<hsize_t, 3>;

// What HDF5 gives, closed at its end; a negative one is an error of the call.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// The first line of HDF5's own account of what failed.
std::string reason() {
  std::string found = "HDF5 gives no reason";
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned number, const H5E_error2_t* error, void* text) {
        if (number == 0 && error->desc) *static_cast<std::string*>(text) = error->desc;
        return herr_t{0};
      },
      &found);
  return found;
}

std::string unless(bool good, const char* what) {
  return good ? "" : fmt::format("{} fails: {}", what, reason());
}

// HDF5 is told not to print its errors: they are told in the table `missing`.
void be_quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

Handle of_all_ranks(const Communicator& ranks) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access, ranks.handle(), MPI_INFO_NULL);
  return {access, H5Pclose};
}

// The array's blocks of this rank, and how they lie in memory.
class Selection {
 public:
  Selection(const Pattern& pattern, int rank)
      : extents_{static_cast<hsize_t>(pattern.blocks), static_cast<hsize_t>(pattern.ranks),
                 pattern.block_bytes},
        in_file_(H5Screate_simple(3, extents_.data(), nullptr), H5Sclose) {
    const Extents start{0, static_cast<hsize_t>(rank), 0}, count{extents_[0], 1, extents_[2]};
    H5Sselect_hyperslab(in_file_, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    const hsize_t bytes = pattern.rank_bytes();
    in_memory_ = H5Screate_simple(1, &bytes, nullptr);
  }
  ~Selection() { H5Sclose(in_memory_); }
  Selection(const Selection&) = delete;
  Selection& operator=(const Selection&) = delete;
  hid_t in_file() const { return in_file_; }
  hid_t in_memory() const { return in_memory_; }

 private:
  Extents extents_;
  Handle in_file_;
  hid_t in_memory_ = -1;
};

class Transfer : public Handle {
 public:
  explicit Transfer(bool collective) : Handle(H5Pcreate(H5P_DATASET_XFER), H5Pclose) {
    H5Pset_dxpl_mpio(*this, collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT);
  }
};

// Contiguous and never filled beforehand: its bytes are written once.
Handle new_array(hid_t file, const Selection& selection) {
  const Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
  return {H5Dcreate2(file, array_name, H5T_NATIVE_UCHAR, selection.in_file(), H5P_DEFAULT, how,
                     H5P_DEFAULT),
          H5Dclose};
}

class Hdf5 final : public ArrayFile {
 public:
  WriteTimes write(const Communicator& ranks, bool collective, const Pattern& pattern,
                   const std::string& path, const Bytes& data) const override {
    be_quiet();
    const Handle access = of_all_ranks(ranks);
    const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
    agree(ranks, unless(file.valid(), "H5Fcreate"));
    const Selection selection(pattern, ranks.rank());
    const Handle array = new_array(file, selection);
    agree(ranks, unless(array.valid(), "H5Dcreate"));
    const Transfer transfer(collective);
    return timed(
        ranks,
        [&] {
          return unless(H5Dwrite(array, H5T_NATIVE_UCHAR, selection.in_memory(),
                                 selection.in_file(), transfer, data.data()) >= 0,
                        "H5Dwrite");
        },
        [&] { return unless(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0, "H5Fflush"); });
  }

  double read(const Communicator& ranks, bool collective, const Pattern& pattern,
              const std::string& path, Bytes& data) const override {
    be_quiet();
    const Handle access = of_all_ranks(ranks);
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
    agree(ranks, unless(file.valid(), "H5Fopen"));
    const Handle array(H5Dopen2(file, array_name, H5P_DEFAULT), H5Dclose);
    agree(ranks, unless(array.valid(), "H5Dopen"));
    const Selection selection(pattern, ranks.rank());
    const Transfer transfer(collective);
    const auto step = [&] {
      return unless(H5Dread(array, H5T_NATIVE_UCHAR, selection.in_memory(), selection.in_file(),
                            transfer, data.data()) >= 0,
                    "H5Dread");
    };
    return timed(ranks, step, [] { return std::string(); }).cached_s;
  }

  std::size_t begin(const Communicator& ranks, const std::string& path) const override {
    be_quiet();
    return asked_of_first(ranks, [&] {
      const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
      if (!file.valid()) throw Unavailable(unless(false, "H5Fopen"));
      const Handle array(H5Dopen2(file, array_name, H5P_DEFAULT), H5Dclose);
      const haddr_t place = array.valid() ? H5Dget_offset(array) : HADDR_UNDEF;
      if (place == HADDR_UNDEF) throw Unavailable(unless(false, "H5Dget_offset"));
      return place;
    });
  }
};

}  // namespace

const ArrayFile& hdf5() {
  static const Hdf5 here;
  return here;
}

#endif

}  // namespace hakaru::probes::files
