// A remote procedure call of one byte over UDP and TCP, where a portmapper runs: LMbench's lat_rpc.
#include "probes/operating_system/system_handles.hpp"

#ifdef HAKARU_TIRPC
#include <arpa/inet.h>
#include <netinet/in.h>
#include <rpc/pmap_clnt.h>
#include <rpc/rpc.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#endif

namespace hakaru::probes::operating_system {
namespace {

using Values = std::vector<double>;

#ifdef HAKARU_TIRPC
constexpr rpcprog_t program = 0x20000000 + 0x68616b;  // of those that users may define
constexpr rpcvers_t version = 1;
constexpr rpcproc_t next_of = 1;
constexpr in_port_t portmapper_port = 111;

// Answers a byte with the one that follows.
void dispatch(svc_req* request, SVCXPRT* transport) {
  if (request->rq_proc != next_of) {
    svcerr_noproc(transport);
    return;
  }
  char byte = 0;
  svc_getargs(transport, reinterpret_cast<xdrproc_t>(xdr_char), &byte);
  ++byte;
  svc_sendreply(transport, reinterpret_cast<xdrproc_t>(xdr_char), &byte);
}

void require_portmapper() {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(portmapper_port);
  if (::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    unavailable("no portmapper answers on this host");
}

void serve(int protocol, int ready) {
  pmap_unset(program, version);
  SVCXPRT* transport =
      protocol == IPPROTO_UDP ? svcudp_create(RPC_ANYSOCK) : svctcp_create(RPC_ANYSOCK, 0, 0);
  const bool registered =
      transport && svc_register(transport, program, version, dispatch, protocol);
  write_all(ready, &registered, sizeof registered);
  if (registered) svc_run();
}

struct Destroyed {
  void operator()(CLIENT* client) const { clnt_destroy(client); }
};

Values remote_call(const Conditions& conditions, Truth& truth, int protocol) {
  require_portmapper();
  const Placed here(conditions.placement, 0);
  const Channel ready = pipe_channel();
  const Child child(conditions, 1, [&] { serve(protocol, ready.write.number()); });
  bool registered = false;
  read_all(ready.read.number(), &registered, sizeof registered);
  if (!registered) throw Unavailable("the portmapper does not register a program");
  const std::unique_ptr<CLIENT, Destroyed> client(
      clnt_create("127.0.0.1", program, version, protocol == IPPROTO_UDP ? "udp" : "tcp"));
  if (!client) throw Unavailable("the program that is registered cannot be reached");
  char byte = 0;
  std::int64_t done = 0;
  Values found = seconds_of_one(conditions.sampling, [&](std::int64_t count) {
    const timeval patience{5, 0};
    for (std::int64_t i = 0; i < count; ++i)
      if (clnt_call(client.get(), next_of, reinterpret_cast<xdrproc_t>(xdr_char), &byte,
                    reinterpret_cast<xdrproc_t>(xdr_char), &byte, patience) != RPC_SUCCESS)
        throw Unavailable("a remote call was not answered");
    done += count;
  });
  pmap_unset(program, version);
  truth.equal("remote calls", static_cast<unsigned char>(byte),
              static_cast<double>(static_cast<unsigned char>(done)));
  return found;
}

Values over_udp(const Conditions& conditions, Truth& truth) {
  return remote_call(conditions, truth, IPPROTO_UDP);
}
Values over_tcp(const Conditions& conditions, Truth& truth) {
  return remote_call(conditions, truth, IPPROTO_TCP);
}
#else
Values over_udp(const Conditions&, Truth&) {
  throw Unavailable("hakaru was built without libtirpc, the library of remote procedure calls");
}
constexpr auto over_tcp = over_udp;
#endif

}  // namespace

void add_remote_calls(Items& items) {
  items.push_back({"local-latency", "RPC/UDP", 0, over_udp});
  items.push_back({"local-latency", "RPC/TCP", 0, over_tcp});
}

}  // namespace hakaru::probes::operating_system
