#include <gtest/gtest.h>

#include "native/replay/engine/test_support.hpp"

namespace hakaru::replay::test {
namespace {

TEST(Messages, PingPong) {
  for (const double s : {0.0, 1.0, 2.0, 100.0}) {
    const auto bytes = static_cast<std::uint64_t>(s);
    const Result result =
        run(of({{send(1, bytes), receive(1, bytes)}, {receive(0, bytes), send(0, bytes)}}));
    // 2 (o_s + G (s - 1) + L + o_r): a message without bytes costs the latency too
    EXPECT_DOUBLE_EQ(finish(result, 0), 2 * (o_s + t(s) + L + o_r));
    EXPECT_DOUBLE_EQ(finish(result, 1), 2 * (o_s + t(s) + L + o_r) - t(s) - L - o_r);
    EXPECT_EQ(result.messages, 2U);
    EXPECT_EQ(result.bytes, 2 * bytes);
  }
}

TEST(Messages, FromLargePagesThoseByRendezvousAreShorter) {
  const auto finish_of = [](std::uint64_t bytes, double in_large_pages, double small_pages) {
    nlohmann::json document = flat_document();
    document["levels"]["switch"]["small_pages"] = small_pages;
    Schedule schedule = of({{send(1, bytes)}, {receive(0, bytes)}});
    schedule.in_large_pages = in_large_pages;
    return finish(run(schedule, document), 1);
  };
  EXPECT_DOUBLE_EQ(finish_of(401, 0, 0.04) - finish_of(401, 0.5, 0.04), 0.5 * 0.04 * 400);
  EXPECT_DOUBLE_EQ(finish_of(100, 0.5, 0.04), finish_of(100, 0, 0)) << "eager";
  EXPECT_DOUBLE_EQ(finish_of(401, 1, 1), finish_of(401, 0, 0) - t(401))
      << "no byte takes less than nothing";
  EXPECT_NE(error_of([&] { finish_of(401, 0.5, -1); }), "");
}

TEST(Messages, PartsAddUpToTheFinish) {
  const Result result = run(
      of({{compute(3), send(1, 50), receive(1, 50)}, {receive(0, 50), compute(4), send(0, 50)}}));
  for (const RankResult& rank : result.ranks)
    EXPECT_DOUBLE_EQ(
        rank.compute_s + rank.overhead_s + rank.runtime_s + rank.waiting_s + rank.file_s,
        rank.finish_s);
  EXPECT_DOUBLE_EQ(result.ranks[0].compute_s, 3);
  EXPECT_DOUBLE_EQ(result.ranks[0].overhead_s, o_s + o_r);
}

TEST(Messages, GapLimitsPipelinedSends) {
  // The NIC takes one message each max(o_s, g + G (s - 1)); here g + G 80 = 10.5 > o_s. The n-th
  // leaves at o_s + (n - 1) 10.5.
  const Stream sends(5, send(1, 81)), receives(5, receive(0, 81));
  const Result result = run(of({sends, receives}));
  EXPECT_DOUBLE_EQ(finish(result, 0), 5 * o_s);
  EXPECT_DOUBLE_EQ(finish(result, 1), o_s + 4 * (g + t(81)) + t(81) + L + o_r);
}

TEST(Messages, OverheadLimitsShortSends) {
  // g < o_s: the CPU is the bottleneck, and the receiver's, o_r > o_s, even more.
  const Stream sends(5, send(1, 1)), receives(5, receive(0, 1));
  EXPECT_DOUBLE_EQ(finish(run(of({sends, receives})), 1), o_s + L + 5 * o_r);
}

TEST(Messages, GapPerByteIsReal) {
  nlohmann::json document = flat_document();
  document["levels"]["switch"]["gap_per_byte"] = 1.25e-10;
  const Result result = run(of({{send(1, 100)}, {receive(0, 100)}}), document);
  EXPECT_DOUBLE_EQ(finish(result, 1), o_s + 99 * 1.25e-10 + L + o_r);
}

TEST(Messages, SizeClasses) {
  nlohmann::json document = flat_document();
  document["levels"]["switch"]["gap_per_byte"] = {
      {{"minimum_bytes", 0}, {"maximum_bytes", 10}, {"value_s", 1.0}},
      {{"minimum_bytes", 11}, {"maximum_bytes", nullptr}, {"value_s", 0.5}}};
  EXPECT_DOUBLE_EQ(finish(run(of({{send(1, 10)}, {receive(0, 10)}}), document), 1),
                   o_s + 9 + L + o_r);
  EXPECT_DOUBLE_EQ(finish(run(of({{send(1, 11)}, {receive(0, 11)}}), document), 1),
                   o_s + 5 + L + o_r);
}

TEST(Messages, DataWithGapsArePackedOnEitherSide) {
  nlohmann::json document = flat_document();
  document["levels"]["switch"]["packing"] = {
      {{"piece_bytes", 8}, {"bytes", 10}, {"s_per_byte", 0.5}},
      {{"piece_bytes", 32}, {"bytes", 10}, {"s_per_byte", 0.1}},
      {{"piece_bytes", 8}, {"bytes", 1000}, {"s_per_byte", 0.25}}};
  const auto in_pieces = [](Operation message, std::int32_t bytes) {
    message.payload = bytes;
    return message;
  };
  const double plain_s = o_s + t(10) + L + o_r;
  const auto takes = [&](Operation sent, Operation received) {
    return finish(run(of({{sent}, {received}}), document), 1);
  };
  EXPECT_DOUBLE_EQ(takes(send(1, 10), receive(0, 10)), plain_s);
  EXPECT_DOUBLE_EQ(takes(in_pieces(send(1, 10), 8), receive(0, 10)), plain_s + 5);
  EXPECT_DOUBLE_EQ(takes(send(1, 10), in_pieces(receive(0, 10), 4)), plain_s + 5);
  EXPECT_DOUBLE_EQ(takes(in_pieces(send(1, 10), 16), in_pieces(receive(0, 10), 64)),
                   plain_s + 3 + 1);
  EXPECT_DOUBLE_EQ(takes(in_pieces(send(1, 100), 8), receive(0, 100)),
                   o_s + t(100) + L + o_r + 37.5);
  const Result later = run(of({{in_pieces(isend(1, 10, 0), 8), wait(0)},
                               {in_pieces(ireceive(0, 10, 0), 32), compute(100), wait(0)}}),
                           document);
  EXPECT_DOUBLE_EQ(finish(later, 0), o_s + 5);
  EXPECT_DOUBLE_EQ(finish(later, 1), 100 + o_r + 1);
  EXPECT_DOUBLE_EQ(later.ranks[1].overhead_s, o_r + 1);
  const Result blocked =
      run(of({{compute(100), in_pieces(send(1, 10), 8), compute(1), send(1, 10)},
              {in_pieces(receive(0, 10), 32), in_pieces(ireceive(0, 10, 0), 32), wait(0)}}),
          document);
  EXPECT_DOUBLE_EQ(finish(blocked, 1), 100 + 5 + o_s + t(10) + L + 2 * (o_r + 1));
  EXPECT_DOUBLE_EQ(finish(run(of({{in_pieces(send(1, 10), 8)}, {receive(0, 10)}})), 1), plain_s);
}

TEST(Messages, ARendezvousHoldsItsSenderAsLongAsMeasured) {
  // The receiver has taken the message at o_s + 3 L + G (s - 1) + o_r.
  const double left = o_s + 2 * L + t(1001), taken = left + L + o_r;
  const Schedule schedule = of({{send(1, 1001)}, {receive(0, 1001)}});
  nlohmann::json document = flat_document();
  EXPECT_DOUBLE_EQ(finish(run(schedule, document), 0), left);
  document["levels"]["switch"]["release"] = 0.5;
  EXPECT_DOUBLE_EQ(finish(run(schedule, document), 0), taken + 0.5);
  document["levels"]["switch"]["release"] = -1e6;  // long before: not before its last byte has left
  EXPECT_DOUBLE_EQ(finish(run(schedule, document), 0), left);
}

// The NIC is free a gap after the last byte has left, however long its sender is held.
TEST(Messages, TheGapIsNotCountedFromTheEndOfASendThatIsHeld) {
  constexpr double gap = 40, held = 5;
  nlohmann::json document = flat_document();
  document["levels"]["switch"]["gap"] = gap;
  document["levels"]["switch"]["release"] = held;
  const double left = o_s + 2 * L + t(1001);
  const double next = left + gap + t(10) + L + o_r;  // the next message is received
  const std::vector<schedule::Operation> two = {receive(0, 1001), receive(0, 10)};
  EXPECT_DOUBLE_EQ(finish(run(of({{send(1, 1001), send(1, 10)}, two}), document), 1), next);
  EXPECT_DOUBLE_EQ(finish(run(of({{isend(1, 1001, 0), wait(0), send(1, 10)}, two}), document), 1),
                   next);
  document["levels"]["switch"]["attended_above_bytes"] = 10;
  EXPECT_DOUBLE_EQ(
      finish(run(of({{send(1, 20), send(1, 10)}, {receive(0, 20), receive(0, 10)}}), document), 1),
      o_s + t(20) + gap + t(10) + L + o_r);
}

TEST(Messages, AnAttendedSendIsHeldThoughItsDataHaveGone) {
  nlohmann::json document = flat_document();
  document["levels"]["switch"]["attended_above_bytes"] = 10;
  document["levels"]["switch"]["release"] = 0.5;
  const auto sender_s = [&](std::uint64_t bytes, double work_s) {
    return finish(run(of({{send(1, bytes)}, {compute(work_s), receive(0, bytes)}}), document), 0);
  };
  EXPECT_DOUBLE_EQ(sender_s(10, 100), o_s);
  EXPECT_DOUBLE_EQ(sender_s(20, 100), 100 + o_r + 0.5);
  EXPECT_DOUBLE_EQ(sender_s(20, 0), o_s + t(20) + L + o_r + 0.5);
  // The receiver is not later for it; who does not block waits at the wait.
  EXPECT_DOUBLE_EQ(finish(run(of({{send(1, 20)}, {compute(100), receive(0, 20)}}), document), 1),
                   100 + o_r);
  EXPECT_DOUBLE_EQ(
      finish(run(of({{isend(1, 20, 0), wait(0)}, {compute(100), receive(0, 20)}}), document), 0),
      100 + o_r + 0.5);
  EXPECT_DOUBLE_EQ(
      finish(run(of({{isend(1, 20, 0), compute(200), wait(0)}, {compute(100), receive(0, 20)}}),
                 document),
             0),
      o_s + 200);
}

// MPI_Sendrecv: who waits in an attended send receives meanwhile what came before or comes then.
TEST(Messages, AMessageThatArrivesInAnAttendedSendIsReceivedThere) {
  nlohmann::json document = flat_document();
  document["levels"]["switch"]["attended_above_bytes"] = 10;
  document["levels"]["switch"]["release"] = 50;
  document["levels"]["switch"]["crossing"] = 0.5;
  const auto second_s = [&](bool posted_before, double work_s) {
    Stream late = {compute(work_s), send(0, 20)};
    late.insert(late.begin() + (posted_before ? 0 : 2), ireceive(0, 20, 0));
    late.push_back(wait(0));
    return finish(run(of({{ireceive(1, 20, 0), send(1, 20), wait(0)}, late}), document), 1);
  };
  const double held = o_s + t(20) + L + o_r + 50;  // from the beginning of its send
  EXPECT_DOUBLE_EQ(second_s(true, 0), held);
  EXPECT_DOUBLE_EQ(second_s(true, 40), 40 + held);
  EXPECT_DOUBLE_EQ(second_s(false, 40), 40 + held + o_r);
}

TEST(Messages, NonBlockingSendOverlapsComputation) {
  // Rendezvous with a receive that is posted at 0: the transfer begins at o_s + 2 L and takes G (s
  // - 1); the CPU computes meanwhile.
  const double drained = o_s + 2 * L + t(1001);
  const Result result = run(of({{isend(1, 1001, 0), compute(200), wait(0)}, {receive(0, 1001)}}));
  EXPECT_DOUBLE_EQ(finish(result, 0), std::max(o_s + 200, drained));
  EXPECT_DOUBLE_EQ(finish(result, 1), drained + L + o_r);
  const Result late = run(of({{isend(1, 1001, 0), compute(20), wait(0)}, {receive(0, 1001)}}));
  EXPECT_DOUBLE_EQ(finish(late, 0), drained);
}

TEST(Messages, EagerReceiveOverlapsComputation) {
  // The message arrives at o_s + G (s - 1) + L while the receiver computes; afterwards it costs o_r
  // only.
  const Result result = run(of({{send(1, 81)}, {ireceive(0, 81, 0), compute(50), wait(0)}}));
  EXPECT_DOUBLE_EQ(finish(result, 1), 50 + o_r);
  const Result unexpected = run(of({{send(1, 81)}, {compute(50), receive(0, 81)}}));
  EXPECT_DOUBLE_EQ(finish(unexpected, 1), 50 + o_r);
}

TEST(Messages, RendezvousHoldsTheSenderUntilDrained) {
  // The receive is posted at 100: the answer arrives at 100 + L, the last byte leaves at 100 + L +
  // G (s - 1).
  const Result result = run(of({{send(1, 201)}, {compute(100), receive(0, 201)}}));
  EXPECT_DOUBLE_EQ(finish(result, 0), 100 + L + t(201));
  EXPECT_DOUBLE_EQ(finish(result, 1), 100 + L + t(201) + L + o_r);
  // Posted early: o_s + L for the announcement, L for the answer.
  EXPECT_DOUBLE_EQ(finish(run(of({{send(1, 201)}, {receive(0, 201)}})), 0), o_s + 2 * L + t(201));
}

TEST(Messages, Modes) {
  const auto sender = [](Mode mode, std::uint64_t bytes) {
    return finish(run(of({{with(send(1, bytes), mode)}, {compute(100), receive(0, bytes)}})), 0);
  };
  EXPECT_DOUBLE_EQ(sender(Mode::standard, 10), o_s);
  EXPECT_DOUBLE_EQ(sender(Mode::synchronous, 10), 100 + L + t(10));
  EXPECT_DOUBLE_EQ(sender(Mode::buffered, 1000), o_s);
  EXPECT_DOUBLE_EQ(sender(Mode::ready, 1000), o_s);
}

TEST(Messages, AnEmptyMessageDoesNotOvertake) {
  // Two of one key, 1 B and 0 B: matched in order, so a first receive of 0 bytes is an error, and
  // the times are in order.
  const Result result = run(of({{send(1, 90), send(1, 0)}, {receive(0, 90), receive(0, 0)}}));
  EXPECT_DOUBLE_EQ(finish(result, 1), std::max(o_s + t(90) + L + o_r, o_s + t(90) + g + L) + o_r);
  EXPECT_NE(error_of([] {
              run(of({{send(1, 1), send(1, 0)}, {receive(0, 0), receive(0, 1)}}));
            }).find("into 0"),
            std::string::npos);
}

TEST(Messages, MatchingIsByOrderOfOneKeyAlsoWhenWaitedInReverse) {
  const Result result = run(of({{send(1, 1), compute(70), send(1, 2)},
                                {ireceive(0, 1, 0), ireceive(0, 2, 1), wait(1), wait(0)}}));
  EXPECT_DOUBLE_EQ(finish(result, 1), o_s + 70 + o_s + t(2) + L + 2 * o_r);
}

TEST(Messages, OneselfInCollectivesIsACopyToo) {
  const auto longer = [](Collective what, std::int32_t root, std::size_t rank) {
    const Schedule schedule = all(3, {collective(what, 40, root)});
    const nlohmann::json linear = {
        {"collectives", {{schedule::name_of(what), {{"algorithm", "linear"}}}}}};
    const nlohmann::json options = what == Collective::gather || what == Collective::scatter
                                       ? linear
                                       : nlohmann::json::object();
    return finish(run(schedule, copying(), options), rank) -
           finish(run(schedule, flat_document(), options), rank);
  };
  EXPECT_DOUBLE_EQ(longer(Collective::alltoall, -1, 1), 20);
  EXPECT_DOUBLE_EQ(longer(Collective::allgather, -1, 1), 20);
  EXPECT_DOUBLE_EQ(longer(Collective::scatter, 0, 0), 20);
  EXPECT_DOUBLE_EQ(longer(Collective::broadcast, 0, 0), 0);
  EXPECT_DOUBLE_EQ(finish(run(all(1, {collective(Collective::alltoall, 40)}), copying()), 0), 20);
  EXPECT_NE(error_of([] {
              nlohmann::json wrong = copying();
              wrong["levels"]["self"]["gap"] = 1;
              run(all(1, {compute(1)}), wrong);
            }).find("'gap'"),
            std::string::npos);
}

TEST(Messages, ToOneself) {
  // A copy by the CPU: nothing of the network, which is the only level here.
  const Schedule exchange = of({{isend(0, 41, 0), receive(0, 41), wait(0)}});
  EXPECT_DOUBLE_EQ(finish(run(exchange), 0), 0);
  const Result result = run(exchange, copying());
  EXPECT_DOUBLE_EQ(finish(result, 0), 0.25 + 41 * 0.5 + 0.75);
  EXPECT_DOUBLE_EQ(result.ranks[0].overhead_s, finish(result, 0));
  EXPECT_EQ(result.messages, 1U);
  // Rendezvous and persistent waits cost the same; the NIC stays free.
  EXPECT_DOUBLE_EQ(
      finish(run(of({{ireceive(0, 1000, 1), isend(0, 1000, 0), wait(1), wait(0)}}), copying()), 0),
      0.25 + 500 + 0.75);
  EXPECT_DOUBLE_EQ(
      finish(run(of({{isend(0, 41, 0), receive(0, 41), wait(0), send(1, 9)}, {receive(0, 9)}}),
                 copying()),
             1),
      0.25 + 41 * 0.5 + 0.75 + o_s + t(9) + L + o_r);
  EXPECT_NE(error_of([] { run(of({{send(0, 1000), receive(0, 1000)}})); }), "");
}

TEST(Messages, ProbeTakesNothing) {
  for (const std::uint64_t bytes : {50U, 1000U}) {
    const Result early =
        run(of({{compute(5), send(1, bytes)}, {op(Kind::probe, 0, bytes), receive(0, bytes)}}));
    const Result plain = run(of({{compute(5), send(1, bytes)}, {receive(0, bytes)}}));
    const double known =
        5 + o_s + L + (bytes <= 100 ? t(50) : 0);  // of a long message, the announcement
    EXPECT_DOUBLE_EQ(finish(early, 1),
                     bytes <= 100 ? finish(plain, 1) : known + L + t(1000) + L + o_r);
  }
}

TEST(Messages, ReceiverCanBeSerialised) {
  // Two senders at once: the second message needs G (s - 1) after the first is in, when asked for.
  const Schedule schedule = of({{receive(1, 81), receive(2, 81)}, {send(0, 81)}, {send(0, 81)}});
  EXPECT_DOUBLE_EQ(finish(run(schedule), 0), o_s + t(81) + L + 2 * o_r);
  EXPECT_DOUBLE_EQ(finish(run(schedule, flat_document(), {{"receive_serialised", true}}), 0),
                   o_s + t(81) + L + g + t(81) + o_r);
}

TEST(Messages, AGatherPostedInReverseIsFoundByHash) {
  Stream root;
  std::vector<Stream> streams(1);
  for (std::int32_t from = 2000; from > 0; --from) root.push_back(ireceive(from, 8, from));
  for (std::int32_t from = 1; from <= 2000; ++from) {
    root.push_back(wait(from));
    streams.push_back({send(0, 8)});
  }
  streams[0] = root;
  EXPECT_DOUBLE_EQ(finish(run(of(streams)), 0), o_s + t(8) + L + 2000 * o_r);
}

TEST(Messages, LoopsAndRelativePeersAreOneStream) {
  const Result result =
      run(all(5, looped({relative(isend(1, 8, 0)), relative(receive(-1, 8)), wait(0)}, 3)));
  for (std::size_t rank = 0; rank < 5; ++rank)
    EXPECT_DOUBLE_EQ(finish(result, rank), 3 * (o_s + t(8) + L + o_r));
  EXPECT_EQ(result.messages, 15U);
}

TEST(Messages, PhasesAreTimesOfTheirOperations) {
  Schedule schedule = of({{compute(3), send(1, 10)}, {receive(0, 10), compute(2)}});
  schedule.phases = {{"work", "compute"}, {"talk", "communicate"}};
  schedule.streams[0][0].phase = 0;
  schedule.streams[0][1].phase = 1;
  schedule.streams[1][0].phase = 1;
  const Result result = run(schedule);
  ASSERT_EQ(result.phases.size(), 3U);
  EXPECT_DOUBLE_EQ(result.phases[0].seconds.maximum, 3);
  EXPECT_DOUBLE_EQ(result.phases[1].seconds.minimum, o_s);
  EXPECT_DOUBLE_EQ(result.phases[1].seconds.maximum, 3 + o_s + t(10) + L + o_r);
  EXPECT_DOUBLE_EQ(result.phases[2].seconds.maximum, 2);
}

TEST(Later, SingleMessagesTakeWhatWasMeasured) {
  nlohmann::json document = flat_document();
  document["levels"]["switch"]["later"] = {{{"bytes", 10}, {"value_s", 1}},
                                           {{"bytes", 50}, {"value_s", 5}},
                                           {{"bytes", 200}, {"value_s", -4}}};
  const auto one_way_s = [&](std::uint64_t bytes, const char* engine) {
    return finish(run(of({{send(1, bytes)}, {receive(0, bytes)}}), document, {{"engine", engine}}),
                  1);
  };
  for (const char* engine : {"run_until_blocked", "time_ordered"}) {
    const auto eager_s = [](double bytes) { return o_s + L + G * (bytes - 1) + o_r; };
    EXPECT_DOUBLE_EQ(one_way_s(5, engine), eager_s(5) + 1) << engine;    // below the first point
    EXPECT_DOUBLE_EQ(one_way_s(30, engine), eager_s(30) + 3) << engine;  // linear between points
    EXPECT_DOUBLE_EQ(one_way_s(50, engine), eager_s(50) + 5) << engine;
    EXPECT_DOUBLE_EQ(one_way_s(200, engine), eager_s(200) + 2 * L - 4) << engine;  // rendezvous
    EXPECT_DOUBLE_EQ(one_way_s(500, engine), eager_s(500) + 2 * L - 4)
        << engine;  // beyond the last
  }
}

TEST(Later, NothingArrivesBeforeItLeaves) {
  nlohmann::json document = flat_document();
  document["levels"]["switch"]["later"] = {{{"bytes", 0}, {"value_s", -1000}}};
  const Schedule schedule = of({{send(1, 50)}, {receive(0, 50)}});
  for (const char* engine : {"run_until_blocked", "time_ordered"})
    EXPECT_DOUBLE_EQ(finish(run(schedule, document, {{"engine", engine}}), 1), o_s + o_r) << engine;
}

TEST(Later, MessagesStillTakeTurns) {
  nlohmann::json document = flat_document();
  document["levels"]["switch"]["later"] = {{{"bytes", 0}, {"value_s", 3}}};
  const Schedule schedule = of({{send(1, 81), send(1, 81)}, {receive(0, 81), receive(0, 81)}});
  const double turn = G * 80 + g;
  EXPECT_DOUBLE_EQ(finish(run(schedule, document), 1), o_s + turn + G * 80 + L + 3 + o_r);
}

}  // namespace
}  // namespace hakaru::replay::test
