#include "native/replay/engine/put_get.hpp"

#include <cmath>

#include "native/base/require.hpp"
#include "native/replay/networks/reading.hpp"

namespace hakaru::replay {

PutGet read_put_get(const nlohmann::json& given) {
  require_keys(given, "put_get",
               {"hardware", "put_prolog_time", "put_epilog_time", "put_enqueue_time",
                "put_msg_time", "put_dma_set_time", "put_msg_post_time", "check_prolog_time",
                "intr_rtc_time", "intr_rtc_rcv_time", "intr_rtc_send_time", "recv_msg_flush_time",
                "recv_dma_set_time", "acknowledge_time"});
  base::require(given.contains("hardware") && given["hardware"].is_boolean(),
                "put_get: 'hardware' is neither true nor false",
                "it says whether a message controller or interrupts move the data");
  const auto time = [&given](const char* name) { return number(given, "put_get", name, 0); };
  PutGet costs;
  costs.hardware = given["hardware"].get<bool>();
  costs.put_prolog_time = time("put_prolog_time");
  costs.put_epilog_time = time("put_epilog_time");
  costs.put_enqueue_time = time("put_enqueue_time");
  costs.put_msg_time = number(given, "put_get", "put_msg_time", NAN);
  costs.put_dma_set_time = time("put_dma_set_time");
  costs.put_msg_post_time = time("put_msg_post_time");
  costs.check_prolog_time = time("check_prolog_time");
  costs.intr_rtc_time = time("intr_rtc_time");
  costs.intr_rtc_rcv_time = time("intr_rtc_rcv_time");
  costs.intr_rtc_send_time = time("intr_rtc_send_time");
  costs.recv_msg_flush_time = time("recv_msg_flush_time");
  costs.recv_dma_set_time = time("recv_dma_set_time");
  costs.acknowledge_time = time("acknowledge_time");
  return costs;
}

}  // namespace hakaru::replay
