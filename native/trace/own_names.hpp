// What our archives say beyond OTF2: attributes of events, properties of locations and of the
// archive.
#pragma once

#include <otf2/otf2.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace hakaru::trace {

enum class Attribute : OTF2_AttributeRef {
  sent_to,
  received_from,
  neighbours_out,
  neighbours_in,
  send_mode,
  probe_source,
  probe_tag,
  probe_communicator,
  probe_bytes,
  received_flag,
  sent_flag,
  stride_items,
  flag_raises,
  spawn_start_up,
  piece_bytes,
  grid,
  persistent,
  delayed_ns,
  sensed_ns,
  cold_ns,
};

struct AttributeName {
  Attribute attribute;
  const char* name;
  OTF2_Type type;
};

inline constexpr AttributeName attribute_names[] = {
    {Attribute::sent_to, "HAKARU::SENT_TO", OTF2_TYPE_STRING},
    {Attribute::received_from, "HAKARU::RECEIVED_FROM", OTF2_TYPE_STRING},
    {Attribute::neighbours_out, "HAKARU::NEIGHBOURS_OUT", OTF2_TYPE_STRING},
    {Attribute::neighbours_in, "HAKARU::NEIGHBOURS_IN", OTF2_TYPE_STRING},
    {Attribute::send_mode, "HAKARU::SEND_MODE", OTF2_TYPE_UINT8},
    {Attribute::probe_source, "HAKARU::PROBE_SOURCE", OTF2_TYPE_UINT32},
    {Attribute::probe_tag, "HAKARU::PROBE_TAG", OTF2_TYPE_INT32},
    {Attribute::probe_communicator, "HAKARU::PROBE_COMMUNICATOR", OTF2_TYPE_UINT32},
    {Attribute::probe_bytes, "HAKARU::PROBE_BYTES", OTF2_TYPE_UINT64},
    {Attribute::received_flag, "HAKARU::RECEIVED_FLAG", OTF2_TYPE_INT32},
    {Attribute::sent_flag, "HAKARU::SENT_FLAG", OTF2_TYPE_INT32},
    {Attribute::stride_items, "HAKARU::STRIDE_ITEMS", OTF2_TYPE_UINT64},
    {Attribute::flag_raises, "HAKARU::FLAG_RAISES", OTF2_TYPE_UINT64},
    {Attribute::spawn_start_up, "HAKARU::SPAWN_START_UP", OTF2_TYPE_UINT64},
    {Attribute::piece_bytes, "HAKARU::PIECE_BYTES", OTF2_TYPE_UINT32},
    {Attribute::grid, "HAKARU::GRID", OTF2_TYPE_UINT8},
    {Attribute::persistent, "HAKARU::PERSISTENT", OTF2_TYPE_UINT8},
    {Attribute::delayed_ns, "HAKARU::DELAYED_NS", OTF2_TYPE_UINT64},
    {Attribute::sensed_ns, "HAKARU::SENSED_NS", OTF2_TYPE_UINT64},
    {Attribute::cold_ns, "HAKARU::COLD_NS", OTF2_TYPE_UINT64}};

// An archive's definition of an attribute has this number.
constexpr OTF2_AttributeRef reference(Attribute attribute) {
  return static_cast<OTF2_AttributeRef>(attribute);
}

// Null: no attribute of ours.
inline const AttributeName* attribute_named(std::string_view name) {
  const auto* const end = std::end(attribute_names);
  const auto* const found = std::find_if(
      std::begin(attribute_names), end, [&](const AttributeName& one) { return one.name == name; });
  return found == end ? nullptr : found;
}

// Definitions in the order of their numbers; `number_of` gives a string's number, `out` may be
// null.
template <typename NumberOf>
void define_attributes(OTF2_GlobalDefWriter* out, NumberOf&& number_of) {
  const OTF2_StringRef empty = number_of("");
  for (const AttributeName& one : attribute_names) {
    const OTF2_StringRef name = number_of(one.name);
    if (out != nullptr)
      OTF2_GlobalDefWriter_WriteAttribute(out, reference(one.attribute), name, empty, one.type);
  }
}

namespace property {
inline constexpr const char* checksums = "HAKARU::CHECKSUMS";  // of the archive
inline constexpr const char* oversubscribed = "HAKARU::OVERSUBSCRIBED";
inline constexpr const char* ended = "HAKARU::ENDED";  // of a location
inline constexpr const char* open_call = "HAKARU::OPEN_CALL";
inline constexpr const char* freed_requests = "HAKARU::FREED_REQUESTS";
inline constexpr std::string_view uncovered = "HAKARU::UNCOVERED::";  // and what; the count
inline constexpr std::string_view cost_ns = "HAKARU::COST_NS::";      // and the call
inline constexpr const char* inside_ns = "HAKARU::INSIDE_NS";         // of the tracer in a call
inline constexpr const char* memory_bytes = "HAKARU::MEMORY_BYTES";   // that the rank used
// Of what the rank sent in long messages, and of that from large pages (raw.h)
inline constexpr const char* long_bytes = "HAKARU::LONG_BYTES";
inline constexpr const char* large_page_bytes = "HAKARU::LARGE_PAGE_BYTES";
}  // namespace property

}  // namespace hakaru::trace
