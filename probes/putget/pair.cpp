#include "probes/putget/pair.hpp"

#include <algorithm>

#include "native/base/clock.hpp"
#include "probes/putget/sampling.hpp"

namespace hakaru::probes::putget {
namespace {

constexpr int arrived = 1;

constexpr std::int64_t plane_items = 32;

// Bytes from the first to behind the last item of a volume that holds the longest transfer; a step
// is left between planes.
std::size_t span(const Shape& shape) {
  const std::int64_t items = std::max<std::int64_t>(shape.longest_bytes / shape.item_bytes, 1);
  const std::int64_t steps = items + items / plane_items + 1;
  return static_cast<std::size_t>(std::max(steps * shape.step_bytes, shape.longest_bytes));
}

// Holds the processor as work would.
void compute(double seconds) {
  for (const double end = base::now_s() + seconds; base::now_s() < end;) {
  }
}

MPI_Datatype vector_of(const parallel::Stride& stride) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  HAKARU_MPI(MPI_Type_vector(static_cast<int>(stride.items), static_cast<int>(stride.item_bytes),
                             static_cast<int>(stride.step_bytes), MPI_BYTE, &type));
  HAKARU_MPI(MPI_Type_commit(&type));
  return type;
}

MPI_Datatype volume_of(const Planes& volume) {
  MPI_Datatype plane = vector_of(volume.plane), type = MPI_DATATYPE_NULL;
  HAKARU_MPI(MPI_Type_create_hvector(static_cast<int>(volume.planes), 1,
                                     static_cast<MPI_Aint>(volume.step_bytes), plane, &type));
  HAKARU_MPI(MPI_Type_commit(&type));
  HAKARU_MPI(MPI_Type_free(&plane));
  return type;
}

parallel::Stride without_gaps(std::int64_t bytes) {
  const auto length = static_cast<std::size_t>(bytes);
  return {length, 1, length};
}

bool uses_mpi(Kind kind) {
  return kind == Kind::mpi_put || kind == Kind::mpi_put_vector || kind == Kind::mpi_put_volume;
}

}  // namespace

std::string name_of(Kind kind) {
  static const char* const names[] = {
      "put",          "get",     "put_stride",     "get_stride", "flagged_put",   "ring",
      "send_receive", "mpi_put", "mpi_put_vector", "put_volume", "mpi_put_volume"};
  return names[static_cast<int>(kind)];
}

const std::vector<Kind>& all_kinds() {
  static const std::vector<Kind> kinds{
      Kind::put,          Kind::get,           Kind::put_stride,
      Kind::get_stride,   Kind::flagged_put,   Kind::ring,
      Kind::send_receive, Kind::mpi_put,       Kind::mpi_put_vector,
      Kind::put_volume,   Kind::mpi_put_volume};
  return kinds;
}

bool is_strided(Kind kind) {
  return kind == Kind::put_stride || kind == Kind::get_stride || kind == Kind::mpi_put_vector ||
         kind == Kind::put_volume || kind == Kind::mpi_put_volume;
}

Pair::Pair(parallel::Communicator both, const Shape& shape)
    : both_(std::move(both)),
      shape_(shape),
      memory_(both_, span(shape), 1),
      ring_(both_),
      local_(span(shape), 1) {
  void* base = nullptr;
  HAKARU_MPI(MPI_Win_allocate(static_cast<MPI_Aint>(span(shape)), 1, MPI_INFO_NULL, both_.handle(),
                              &base, &window_));
  HAKARU_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
  std::fill_n(static_cast<char*>(base), span(shape), '\0');
  HAKARU_MPI(MPI_Win_sync(window_));
  both_.barrier();
}

Pair::~Pair() {
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

parallel::Stride Pair::stride(std::int64_t bytes) const {
  const auto item = static_cast<std::size_t>(shape_.item_bytes);
  return {item, static_cast<std::size_t>(bytes) / item,
          static_cast<std::size_t>(shape_.step_bytes)};
}

Planes Pair::planes(std::int64_t bytes) const {
  parallel::Stride plane = stride(bytes);
  const std::size_t items = plane.items;
  plane.items = std::min<std::size_t>(items, plane_items);
  while (items % plane.items != 0) --plane.items;
  return {plane, items / plane.items, (plane.items + 1) * plane.step_bytes};
}

void Pair::put_volume(std::int64_t bytes) {
  const Planes volume = planes(bytes);
  for (std::size_t i = 0; i < volume.planes; ++i) {
    const std::size_t at = i * volume.step_bytes;
    memory_.put_stride(1, at, volume.plane, local_.data() + at, volume.plane);
  }
}

double Pair::time(Kind kind, std::int64_t bytes, int iterations) {
  const bool round_trip =
      kind == Kind::flagged_put || kind == Kind::ring || kind == Kind::send_receive;
  return round_trip ? round_trips(kind, bytes, iterations) : one_sided(kind, bytes, iterations);
}

void Pair::start(Kind kind, std::int64_t bytes, MPI_Datatype vector) {
  const auto length = static_cast<std::size_t>(bytes);
  const int count = static_cast<int>(bytes);
  switch (kind) {
    case Kind::put:
      return memory_.put(1, 0, local_.data(), length);
    case Kind::get:
      return memory_.get(1, 0, local_.data(), length);
    case Kind::put_stride:
      return memory_.put_stride(1, 0, stride(bytes), local_.data(), stride(bytes));
    case Kind::get_stride:
      return memory_.get_stride(1, 0, stride(bytes), local_.data(), stride(bytes));
    case Kind::put_volume:
      return put_volume(bytes);
    case Kind::mpi_put_vector:
    case Kind::mpi_put_volume:
      HAKARU_MPI(MPI_Put(local_.data(), 1, vector, 1, 0, 1, vector, window_));
      return;
    default:
      HAKARU_MPI(MPI_Put(local_.data(), count, MPI_BYTE, 1, 0, count, MPI_BYTE, window_));
  }
}

double Pair::one_sided(Kind kind, std::int64_t bytes, int iterations) {
  both_.barrier();
  double seconds = 0.0;
  if (both_.rank() == 0) {
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    if (kind == Kind::mpi_put_vector) vector = vector_of(stride(bytes));
    if (kind == Kind::mpi_put_volume) vector = volume_of(planes(bytes));
    const double begin = base::now_s();
    for (int i = 0; i < iterations; ++i) start(kind, bytes, vector);
    if (uses_mpi(kind))
      HAKARU_MPI(MPI_Win_flush(1, window_));
    else
      memory_.acknowledge();
    seconds = (base::now_s() - begin) / iterations;
    if (vector != MPI_DATATYPE_NULL) HAKARU_MPI(MPI_Type_free(&vector));
  }
  both_.barrier();
  return seconds;
}

double Pair::round_trips(Kind kind, std::int64_t bytes, int iterations) {
  const int other = 1 - both_.rank(), count = static_cast<int>(bytes);
  const auto length = static_cast<std::size_t>(bytes);
  const auto send = [&] {
    if (kind == Kind::flagged_put)
      memory_.put(other, 0, local_.data(), length, {.received = arrived});
    else if (kind == Kind::ring)
      ring_.send(other, 0, local_.data(), length);
    else
      HAKARU_MPI(MPI_Send(local_.data(), count, MPI_BYTE, other, 0, both_.handle()));
  };
  const auto receive = [&] {
    if (kind == Kind::flagged_put)
      memory_.wait_flag(arrived);
    else if (kind == Kind::ring)
      ring_.receive(other, 0, local_.data(), length);
    else
      HAKARU_MPI(
          MPI_Recv(local_.data(), count, MPI_BYTE, other, 0, both_.handle(), MPI_STATUS_IGNORE));
  };
  both_.barrier();
  const double begin = base::now_s();
  for (int i = 0; i < iterations; ++i) {
    if (both_.rank() == 0) {
      send();
      receive();
    } else {
      receive();
      send();
    }
  }
  return (base::now_s() - begin) / (2.0 * iterations);
}

Overlap Pair::overlap(Kind kind, std::int64_t bytes, int iterations) {
  Overlap sum{0.0, 0.0, 0.0};
  both_.barrier();
  for (int i = 0; i < iterations && both_.rank() == 0; ++i) {
    double begin = base::now_s();
    start(kind, bytes, MPI_DATATYPE_NULL);
    memory_.acknowledge();
    const double alone_s = base::now_s() - begin;
    begin = base::now_s();
    compute(alone_s);
    sum.compute_s += base::now_s() - begin;
    begin = base::now_s();
    start(kind, bytes, MPI_DATATYPE_NULL);
    compute(alone_s);
    memory_.acknowledge();
    sum.together_s += base::now_s() - begin;
    sum.alone_s += alone_s;
  }
  both_.barrier();
  return {sum.alone_s / iterations, sum.compute_s / iterations, sum.together_s / iterations};
}

NewPuts Pair::new_puts(std::int64_t bytes, int iterations) {
  const auto [places, rows] = rows_of(bytes, shape_.longest_bytes, iterations);
  const parallel::Stride all = without_gaps(bytes);
  new_row_s(bytes, places, all, {});
  NewPuts sum{0.0, 0.0};
  for (int i = 0; i < rows; ++i) {
    sum.plain_s += new_row_s(bytes, places, all, {});
    sum.flagged_s += new_row_s(bytes, places, all, {.received = arrived});
  }
  return {sum.plain_s / rows, sum.flagged_s / rows};
}

double Pair::new_put_in_items_s(std::int64_t bytes, std::int64_t item_bytes, int iterations) {
  const auto [places, rows] = rows_of(bytes, shape_.longest_bytes, iterations);
  const auto item = static_cast<std::size_t>(item_bytes);
  const parallel::Stride items{item, static_cast<std::size_t>(bytes) / item, 2 * item};
  new_row_s(bytes, places, items, {});
  double sum_s = 0.0;
  for (int i = 0; i < rows; ++i)
    for (const Target target : {Target::reads, Target::computes_in_place})
      sum_s += new_row_s(bytes, places, items, {}, target);
  return 0.5 * sum_s / rows;
}

// Readings of the clock are in it; they are not in the difference of two.
double Pair::new_row_s(std::int64_t bytes, int places, const parallel::Stride& from,
                       parallel::Flags flags, Target target) {
  const auto length = static_cast<std::size_t>(bytes);
  const std::size_t count = from.items * from.step_bytes / sizeof(double), all = places * count,
                    got = places * length / sizeof(double);
  const parallel::Stride to = without_gaps(bytes);
  computed_.resize(std::max(computed_.size(), all));
  const double seconds = row_s(
      both_,
      [&] {
        if (both_.rank() == 0) {
          used_ = compute_numbers(computed_.data(), all, used_);
          return;
        }
        used_ = use_numbers(memory_.as<double>(), got);
        if (target == Target::computes_in_place)
          used_ = compute_numbers(memory_.as<double>(), got, used_);
      },
      [&] {
        for (int i = 0; i < places; ++i)
          memory_.put_stride(1, i * length, to, computed_.data() + i * count, from, flags);
      },
      [&] { memory_.acknowledge(); });
  if (both_.rank() == 1 && flags.received != 0)
    memory_.wait_flag(flags.received, static_cast<std::uint64_t>(places));
  return seconds / places;
}

}  // namespace hakaru::probes::putget
