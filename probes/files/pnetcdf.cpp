#include "probes/files/array_file.hpp"

#ifdef HAKARU_PNETCDF
#include <fmt/format.h>
#include <pnetcdf.h>

#include <array>
#endif

namespace hakaru::probes::files {

#ifndef HAKARU_PNETCDF

const ArrayFile& pnetcdf() {
  static const ArrayFile absent(
      "hakaru was built without PnetCDF, in Debian libpnetcdf-dev, which is of Open MPI");
  return absent;
}

#else

namespace {

using parallel::Communicator;
using Places = std::array<MPI_Offset, 3>;

std::string trouble_of(int code, const char* what) {
  return code == NC_NOERR ? "" : fmt::format("{} fails: {}", what, ncmpi_strerror(code));
}

// A file of these ranks; what cannot be opened throws Unavailable on all of them.
class File {
 public:
  File(const Communicator& ranks, const std::string& path, bool made) : ranks_(ranks) {
    // CDF-5: the only one of the classic formats with bytes without sign and large extents.
    const int code =
        made ? ncmpi_create(ranks.handle(), path.c_str(), NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL,
                            &id_)
             : ncmpi_open(ranks.handle(), path.c_str(), NC_NOWRITE, MPI_INFO_NULL, &id_);
    open_ = code == NC_NOERR;
    need(code, made ? "ncmpi_create" : "ncmpi_open");
  }
  ~File() {
    if (open_) ncmpi_close(id_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int id() const { return id_; }
  void need(int code, const char* what) const { agree(ranks_, trouble_of(code, what)); }

  int define(const Pattern& pattern) const {
    std::array<int, 3> extents{};
    int array = 0;
    need(ncmpi_def_dim(id_, "blocks", pattern.blocks, &extents[0]), "ncmpi_def_dim");
    need(ncmpi_def_dim(id_, "ranks", pattern.ranks, &extents[1]), "ncmpi_def_dim");
    need(ncmpi_def_dim(id_, "bytes", static_cast<MPI_Offset>(pattern.block_bytes), &extents[2]),
         "ncmpi_def_dim");
    need(ncmpi_def_var(id_, array_name, NC_UBYTE, 3, extents.data(), &array), "ncmpi_def_var");
    need(ncmpi_enddef(id_), "ncmpi_enddef");
    return array;
  }
  int array() const {
    int found = 0;
    need(ncmpi_inq_varid(id_, array_name, &found), "ncmpi_inq_varid");
    return found;
  }

 private:
  const Communicator& ranks_;
  int id_ = 0;
  bool open_ = false;
};

// Calls of single ranks are allowed between these two only.
class Independently {
 public:
  Independently(const File& file, bool wanted) : file_(file), wanted_(wanted) {
    if (wanted) file.need(ncmpi_begin_indep_data(file.id()), "ncmpi_begin_indep_data");
  }
  ~Independently() {
    if (wanted_) ncmpi_end_indep_data(file_.id());
  }
  Independently(const Independently&) = delete;
  Independently& operator=(const Independently&) = delete;

 private:
  const File& file_;
  bool wanted_;
};

struct Selection {
  Places start, count;
  Selection(const Pattern& pattern, int rank)
      : start{0, rank, 0}, count{pattern.blocks, 1, static_cast<MPI_Offset>(pattern.block_bytes)} {}
};

class Pnetcdf final : public ArrayFile {
 public:
  WriteTimes write(const Communicator& ranks, bool collective, const Pattern& pattern,
                   const std::string& path, const Bytes& data) const override {
    const File file(ranks, path, true);
    const int array = file.define(pattern);
    const Independently mode(file, !collective);
    const Selection own(pattern, ranks.rank());
    const auto put = collective ? ncmpi_put_vara_uchar_all : ncmpi_put_vara_uchar;
    return timed(
        ranks,
        [&] {
          return trouble_of(put(file.id(), array, own.start.data(), own.count.data(), data.data()),
                            "ncmpi_put_vara");
        },
        [&] { return trouble_of(ncmpi_sync(file.id()), "ncmpi_sync"); });
  }

  double read(const Communicator& ranks, bool collective, const Pattern& pattern,
              const std::string& path, Bytes& data) const override {
    const File file(ranks, path, false);
    const int array = file.array();
    const Independently mode(file, !collective);
    const Selection own(pattern, ranks.rank());
    const auto get = collective ? ncmpi_get_vara_uchar_all : ncmpi_get_vara_uchar;
    const auto step = [&] {
      return trouble_of(get(file.id(), array, own.start.data(), own.count.data(), data.data()),
                        "ncmpi_get_vara");
    };
    return timed(ranks, step, [] { return std::string(); }).cached_s;
  }

  std::size_t begin(const Communicator& ranks, const std::string& path) const override {
    return asked_of_first(ranks, [&] {
      const Communicator alone = Communicator::borrow(MPI_COMM_SELF);
      const File file(alone, path, false);
      MPI_Offset place = 0;
      file.need(ncmpi_inq_varoffset(file.id(), file.array(), &place), "ncmpi_inq_varoffset");
      return place;
    });
  }
};

}  // namespace

const ArrayFile& pnetcdf() {
  static const Pnetcdf here;
  return here;
}

#endif

}  // namespace hakaru::probes::files
