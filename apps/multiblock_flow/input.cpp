#include "apps/multiblock_flow/input.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "apps/multiblock_flow/joining.hpp"
#include "native/base/atomic_file.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::multiblock_flow {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw base::UserError(base::ExitCode::usage,
                        base::explain("cannot use " + path, why, "correct the file"));
}

// A PLOT3D file in text: number of zones, nodes of each along i, j and k, then for each zone x of
// all nodes, i fastest, y and z.
class Grid {
 public:
  explicit Grid(const std::string& path) : path_(path), text_(base::read_file(path)) {
    const int zones = whole(1, 100'000, "the number of zones");
    std::vector<Index> nodes(static_cast<std::size_t>(zones));
    for (Index& of : nodes)
      for (int& along : of) along = whole(2, 100'000, "numbers of nodes");
    for (const Index& of : nodes) add_zone(of);
  }

  Topology topology;
  std::vector<Nodes> nodes;

 private:
  int whole(int least, int most, const char* what) {
    int number = 0;
    if (!(text_ >> number) || number < least || number > most)
      refuse(path_, fmt::format("{} should be from {} to {}", what, least, most));
    return number;
  }

  void add_zone(const Index& n) {
    const auto count = static_cast<std::size_t>(n[0]) * n[1] * n[2];
    auto points = std::make_shared<std::vector<Vector>>(count);
    for (int axis = 0; axis < axes; ++axis)
      for (std::size_t p = 0; p < count; ++p) {
        std::string word;
        if (!(text_ >> word))
          refuse(path_, fmt::format("it ends at {} of node {} of zone {}", "xyz"[axis], p + 1,
                                    topology.size() + 1));
        char* end = nullptr;
        (*points)[p][axis] = std::strtod(word.c_str(), &end);
        if (*end != '\0' || !std::isfinite((*points)[p][axis]))
          refuse(path_, fmt::format("{} of node {} of zone {} is `{}`, no finite number",
                                    "xyz"[axis], p + 1, topology.size() + 1, word));
      }
    topology.push_back({{n[0] - 1, n[1] - 1, n[2] - 1}, {}});
    nodes.push_back([points, n](const Index& node) {
      return (*points)[(static_cast<std::size_t>(node[2]) * n[1] + node[1]) * n[0] + node[0]];
    });
  }

  std::string path_;
  std::istringstream text_;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {
    const std::string text = base::read_file(path);
    try {
      file_ = toml::parse(text);
    } catch (const toml::parse_error& error) {
      refuse(path, fmt::format("line {}: {}", error.source().begin.line, error.description()));
    }
    for (const auto& [key, value] : file_)
      if (key != "grid" && key != "connection" && key != "boundary" && key != "flow")
        refuse(path, fmt::format("it has `{}`; known are grid, connection, boundary and flow",
                                 std::string(key.str())));
  }

  Problem problem() {
    const auto name = file_["grid"].value<std::string>();
    if (!name) refuse(path_, "it has no `grid = \"FILE\"`");
    const Grid grid((std::filesystem::path(path_).parent_path() / *name).string());
    problem_.topology = grid.topology, problem_.nodes = grid.nodes;
    said_.resize(grid.topology.size());
    each("connection", [&](const toml::table& one) { connect(one); });
    each("boundary", [&](const toml::table& one) { bound(one); });
    for (std::size_t zone = 0; zone < said_.size(); ++zone)
      for (int side = 0; side < sides; ++side)
        if (!said_[zone][side])
          refuse(path_, fmt::format("face {} of zone {} has no connection and no boundary",
                                    side_names[side], zone + 1));
    flow();
    return problem_;
  }

 private:
  template <typename Use>
  void each(const char* key, const Use& use) {
    const toml::array* list = file_[key].as_array();
    if (file_.contains(key) && (!list || !list->is_array_of_tables()))
      refuse(path_, fmt::format("`{}` should be tables [[{}]]", key, key));
    if (list)
      for (const toml::node& node : *list) use(*node.as_table());
  }

  int zone(const toml::node_view<const toml::node>& node) const {
    const auto number = node.value<std::int64_t>();
    const auto most = static_cast<std::int64_t>(problem_.topology.size());
    if (!number || *number < 1 || *number > most)
      refuse(path_, fmt::format("a zone should be a number from 1 to {}", most));
    return static_cast<int>(*number) - 1;
  }

  // Each face is said once.
  int side(int zone, const toml::node_view<const toml::node>& node) {
    const auto name = node.value<std::string>().value_or("");
    const auto found = std::ranges::find(side_names, name);
    if (found == std::end(side_names))
      refuse(path_, fmt::format("face `{}` should be i-, i+, j-, j+, k- or k+", name));
    const auto number = found - std::begin(side_names);
    bool& said = said_[static_cast<std::size_t>(zone)][static_cast<std::size_t>(number)];
    if (said) refuse(path_, fmt::format("face {} of zone {} is named twice", name, zone + 1));
    said = true;
    return static_cast<int>(number);
  }

  Vector vector(const toml::node_view<const toml::node>& node, const char* name) const {
    Vector numbers{};
    const toml::array* list = node.as_array();
    bool good = list && list->size() == 3;
    for (std::size_t a = 0; good && a < 3; ++a) {
      const auto number = (*list)[a].value<double>();
      good = number && std::isfinite(*number);
      numbers[a] = number.value_or(0.0);
    }
    if (!good) refuse(path_, fmt::format("`{}` should be three numbers", name));
    return numbers;
  }

  void connect(const toml::table& one) {
    const int a = zone(one["zones"][0]), b = zone(one["zones"][1]);
    const int from = side(a, one["faces"][0]), to = side(b, one["faces"][1]);
    join(problem_, a, from, b, to,
         one.contains("shift") ? vector(one["shift"], "shift") : Vector{});
  }

  void bound(const toml::table& one) {
    const int where = zone(one["zone"]);
    const auto kind = one["kind"].value<std::string>().value_or("");
    Face face;
    if (kind == "wall")
      face.boundary = Boundary::wall;
    else if (kind == "inflow")
      face.boundary = Boundary::inflow;
    else if (kind != "outflow")
      refuse(path_, fmt::format("kind `{}` should be wall, inflow or outflow", kind));
    const int at = side(where, one["face"]);
    problem_.topology[static_cast<std::size_t>(where)].faces[static_cast<std::size_t>(at)] = face;
  }

  double positive(const char* name) const {
    const auto number = file_["flow"][name].value<double>();
    if (!number || !std::isfinite(*number) || *number <= 0.0)
      refuse(path_, fmt::format("flow.{} should be a number above 0", name));
    return *number;
  }

  void flow() {
    const toml::table& file = file_;
    problem_.inflow = {positive("density"), vector(file["flow"]["velocity"], "flow.velocity"),
                       positive("pressure")};
    problem_.first = [gas = problem_.inflow](const Vector&) { return gas; };
    problem_.closed = true;
    for (const Zone& one : problem_.topology)
      for (const Face& face : one.faces)
        if (face.boundary == Boundary::inflow || face.boundary == Boundary::outflow)
          problem_.closed = false;
  }

  std::string path_;
  toml::table file_;
  Problem problem_;
  std::vector<std::array<bool, sides>> said_;
};

}  // namespace

Problem from_files(const std::string& toml) { return Reader(toml).problem(); }

}  // namespace hakaru::apps::multiblock_flow
