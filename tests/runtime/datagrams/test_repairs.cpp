// SPDX-License-Identifier: Apache-2.0
// Eager messages are repaired by a thread, whatever else its process does, by datagrams and over TCP.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <future>
#include <iterator>
#include <map>
#include <span>
#include <thread>
#include <vector>

#include "transport/datagram/repair_thread.hpp"
#include "transport/datagram/repairs.hpp"
#include "transport/datagram/tcp_asks.hpp"

namespace trunkline::runtime {
namespace {

const Sealer group_sealer(Key{3, 4});
const IpAddress own_host(INADDR_LOOPBACK);
/// A process's own: tests beside it hear nothing of it.
const IpAddress a_group(0xEFFF0000U | (static_cast<std::uint32_t>(::getpid()) & 0xFFFFU));
constexpr std::uint32_t payload_bytes = 1400;
constexpr std::uint32_t claim = 77;
constexpr auto patience = std::chrono::seconds(60);

std::vector<std::byte> message_of(std::size_t bytes) {
  std::vector<std::byte> all(bytes);
  for (std::size_t i = 0; i < bytes; ++i) all[i] = static_cast<std::byte>(i * 7 + i / 256);
  return all;
}

PacketBytes ask_for(std::uint64_t turn, std::uint64_t wanted, std::uint32_t sender = 1,
                    const Sealer& seal = group_sealer) {
  return sealed_packet({.kind = PacketKind::ask, .sender = sender, .claim = claim, .turn = turn},
                       std::as_bytes(std::span(&wanted, 1)), seal);
}

RC_GTEST_PROP(KeptMessages, AnswerWithWhatIsWanted, ()) {
  const auto packet_bytes = *rc::gen::inRange<std::uint32_t>(1, 50);
  const auto bytes = *rc::gen::inRange<std::size_t>(1, most_eager_packets * packet_bytes + 1);
  const auto wanted = *rc::gen::arbitrary<std::uint64_t>();
  const std::vector<std::byte> message = message_of(bytes);
  KeptMessages kept(group_sealer, 5);
  kept.keep(8, claim, packet_bytes, message_of(3));
  kept.keep(9, claim, packet_bytes, message);
  const PacketBytes ask = ask_for(9, wanted);
  const auto packets = static_cast<std::uint32_t>((bytes + packet_bytes - 1) / packet_bytes);
  const std::vector<PacketBytes> answers = kept.answers(*read_packet(ask, group_sealer));
  if ((wanted & ((std::uint64_t{1} << packets) - 1)) == 0) {  // of a part that is not kept, or not yet
    RC_ASSERT(answers.size() == 1U);
    RC_ASSERT(read_packet(answers[0], group_sealer)->head.kind == PacketKind::not_yet);
    return;
  }
  std::uint32_t next = 0;
  for (const PacketBytes& one : answers) {
    const auto packet = read_packet(one, group_sealer);
    RC_ASSERT(packet && packet->head.kind == PacketKind::data && packet->head.turn == 9);
    RC_ASSERT(packet->head.sender == 5 && packet->head.claim == claim && packet->head.poll == 1);
    while ((wanted >> next & 1U) == 0) ++next;
    RC_ASSERT(packet->head.number == next);
    const std::size_t first = std::size_t{next} * packet_bytes;
    RC_ASSERT(std::ranges::equal(packet->payload, std::span(message).subspan(first, packet->payload.size())));
    RC_ASSERT(packet->payload.size() == std::min<std::size_t>(packet_bytes, bytes - first));
    ++next;
  }
  for (; next < packets; ++next) RC_ASSERT((wanted >> next & 1U) == 0);
}

/// Whoever asks for the n-th time has what it asks for on its way: alone, or to all since others have asked as often.
RC_GTEST_PROP(KeptMessages, GoToAllWhereMoreThanOneRankLacksThem, ()) {
  const auto packets = *rc::gen::inRange<std::uint32_t>(1, most_eager_packets + 1);
  KeptMessages kept(group_sealer, 5);
  kept.keep(9, claim, 10, message_of(std::size_t{packets} * 10));
  std::array<std::uint32_t, 4> asked{};                                       // by rank
  std::map<std::pair<std::uint32_t, std::uint32_t>, unsigned> alone, to_all;  // by packet and round
  const auto asks = *rc::gen::container<std::vector<std::pair<std::uint32_t, std::uint64_t>>>(
      rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, 4), rc::gen::arbitrary<std::uint64_t>()));
  for (const auto& [rank, bits] : asks) {
    const std::uint64_t wanted = (bits & ((std::uint64_t{1} << packets) - 1)) | 1U;
    const std::uint32_t round = ++asked.at(rank);
    std::map<std::uint32_t, bool> answers;
    for (const auto& [bytes, is_for_all] :
         kept.answers_in_rounds(*read_packet(ask_for(9, wanted, rank), group_sealer))) {
      const auto packet = read_packet(bytes, group_sealer);
      RC_ASSERT(packet && packet->head.kind == PacketKind::data && packet->head.poll == 1);
      RC_ASSERT(packet->payload.size() == 10);
      answers.emplace(packet->head.number, is_for_all);
      ++(is_for_all ? to_all : alone)[{packet->head.number, round}];
    }
    for (std::uint32_t number = 0; number < packets; ++number) {
      const bool is_wanted = (wanted >> number & 1U) != 0;
      RC_ASSERT(is_wanted || !answers.contains(number));
      if (!is_wanted || answers.contains(number)) continue;
      RC_ASSERT(std::ranges::any_of(
          to_all, [&](const auto& one) { return one.first.first == number && one.first.second >= round; }));
    }
  }
  for (const auto& [key, times] : alone) RC_ASSERT(times == 1U);
  for (const auto& [key, times] : to_all) RC_ASSERT(times == 1U);
}

TEST(KeptMessages, SayThatACallHasNotBegun) {
  KeptMessages kept(group_sealer, 5);
  const PacketBytes ask = ask_for(9, 1);
  const auto answers = kept.answers(*read_packet(ask, group_sealer));
  ASSERT_EQ(answers.size(), 1);
  EXPECT_EQ(read_packet(answers[0], group_sealer)->head.kind, PacketKind::not_yet);
  const PacketBytes other = sealed_packet({.kind = PacketKind::ask}, {}, group_sealer);
  EXPECT_TRUE(kept.answers(*read_packet(other, group_sealer)).empty());
  EXPECT_TRUE(kept.answers_in_rounds(*read_packet(other, group_sealer)).empty());
  const auto by_datagram = kept.answers_in_rounds(*read_packet(ask, group_sealer));
  ASSERT_EQ(by_datagram.size(), 1);
  EXPECT_EQ(by_datagram[0].packet, answers[0]);
  EXPECT_FALSE(by_datagram[0].is_for_all);
}

/// With SO_REUSEADDR two ranks of one host got the same port once in some 28 000 pairs, and one of them heard nothing.
TEST(SocketsOfOneRank, ShareTheirPortWithNobody) {
  const auto sockets = Sockets::open(Address(own_host, 0), Address(a_group, 54322), group_sealer, true);
  ASSERT_NE(sockets, nullptr);
  const Descriptor other(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(other.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const Address at(own_host, sockets->port());
  EXPECT_NE(bind(other.number(), at.data(), at.size()), 0);
}

/// One rank that has sent and one that lacks something, of one group in one process.
class RepairsTest : public testing::Test {
 protected:
  RepairsTest()
      : sockets_(Sockets::open(Address(own_host, 0), Address(a_group, 54321), group_sealer, true)),
        repairs_(Repairs::open(Address(own_host, 0), Address(a_group, 54321), true, group_sealer, 0)) {
    const std::vector<Address> members{Address(own_host, 9), Address(own_host, sockets_->port())};
    repairs_->answer_to(members);
    repairs_->keep(3, claim, payload_bytes, message_);
  }

  [[nodiscard]] Address service() const { return {own_host, repairs_->port()}; }

  /// The numbers of the packets that come, until there are so many.
  template <class Source>
  std::vector<std::uint32_t> received(Source& source, std::size_t count) {
    std::vector<std::uint32_t> numbers;
    const auto end = std::chrono::steady_clock::now() + patience;
    while (numbers.size() < count && std::chrono::steady_clock::now() < end) {
      while (const auto bytes = source.receive()) {
        const auto packet = read_packet(*bytes, group_sealer);
        if (!packet || packet->head.kind != PacketKind::data) continue;
        EXPECT_TRUE(std::ranges::equal(
            packet->payload,
            std::span(message_).subspan(std::size_t{packet->head.number} * payload_bytes, packet->payload.size())));
        numbers.push_back(packet->head.number);
      }
      std::this_thread::yield();
    }
    return numbers;
  }

  /// A connection of somebody else.
  [[nodiscard]] Descriptor stranger() const {
    Descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const Address to = service();
    EXPECT_EQ(connect(made.number(), to.data(), to.size()), 0);
    return made;
  }

  const std::vector<std::byte> message_ = message_of(3 * payload_bytes - 100);
  std::unique_ptr<Sockets> sockets_;
  std::unique_ptr<Repairs> repairs_;
};

using Numbers = std::vector<std::uint32_t>;

TEST_F(RepairsTest, ByDatagrams) {
  const std::uint64_t wanted = 0b101;
  const PacketHead head{.kind = PacketKind::ask, .sender = 1, .claim = claim, .turn = 3};
  sockets_->send(service(), head, std::as_bytes(std::span(&wanted, 1)), group_sealer);
  sockets_->flush();
  EXPECT_EQ(received(*sockets_, 2), (Numbers{0, 2}));
}

TEST_F(RepairsTest, ByMulticastWhereTwoRanksAsk) {
  const Address group(a_group, 54321);
  const auto other = Sockets::open(Address(own_host, 0), group, group_sealer, true);
  const std::uint64_t wanted = 0b101;
  const auto ask_as = [&](std::uint32_t rank) {
    const PacketHead head{.kind = PacketKind::ask, .sender = rank, .claim = claim, .turn = 3};
    sockets_->send(service(), head, std::as_bytes(std::span(&wanted, 1)), group_sealer);
    sockets_->flush();
  };
  ask_as(1);
  EXPECT_EQ(received(*sockets_, 2), (Numbers{0, 2}));
  ask_as(0);
  EXPECT_EQ(received(*other, 2), (Numbers{0, 2}));  // nobody sent to it alone
}

TEST_F(RepairsTest, OverTcpAgainAndAgain) {
  TcpAsks asks(*sockets_, service());
  asks.ask(ask_for(3, 0b111));
  EXPECT_EQ(received(asks, 3), (Numbers{0, 1, 2}));
  asks.ask(ask_for(4, 0b111));  // not yet
  asks.ask(ask_for(3, 0b010));
  EXPECT_EQ(received(asks, 1), (Numbers{1}));
}

TEST_F(RepairsTest, OverANewConnectionWhereTheFirstDoesNotWork) {
  const std::uint16_t nobody = static_cast<std::uint16_t>(repairs_->port() ^ 1U);
  TcpAsks asks(*sockets_, Address(own_host, nobody));
  for (int i = 0; i < 20; ++i) {
    asks.ask(ask_for(3, 1));
    EXPECT_FALSE(asks.receive());
  }
  TcpAsks wrong_seal(*sockets_, service());
  wrong_seal.ask(ask_for(3, 1, 1, Sealer(Key{5, 6})));
  std::vector<std::uint32_t> numbers;
  const auto end = std::chrono::steady_clock::now() + patience;
  while (numbers.empty() && std::chrono::steady_clock::now() < end) {  // the first connection is closed at some time
    wrong_seal.ask(ask_for(3, 1));
    while (const auto bytes = wrong_seal.receive()) numbers.push_back(read_packet(*bytes, group_sealer)->head.number);
    std::this_thread::yield();
  }
  EXPECT_FALSE(numbers.empty());
}

TEST_F(RepairsTest, BesideStrangersWhoFillItsConnections) {
  std::vector<Descriptor> strangers;
  for (int i = 0; i < 100; ++i) {
    strangers.push_back(stranger());
    const char noise = static_cast<char>(i);
    send(strangers.back().number(), &noise, i % 2, MSG_NOSIGNAL);
  }
  TcpAsks asks(*sockets_, service());
  asks.ask(ask_for(3, 0b001));
  EXPECT_EQ(received(asks, 1), (Numbers{0}));
  for (int i = 0; i < 100; ++i) strangers.push_back(stranger());
  asks.ask(ask_for(3, 0b010));  // it has been known as a member since
  EXPECT_EQ(received(asks, 1), (Numbers{1}));
}

TEST_F(RepairsTest, AnAskThatComesInPieces) {
  const Descriptor member = stranger();
  for (const std::byte one : ask_for(3, 0b100)) {
    ASSERT_EQ(send(member.number(), &one, 1, MSG_NOSIGNAL), 1);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  std::vector<std::byte> answer(packet_overhead_bytes + payload_bytes - 100);
  ASSERT_EQ(recv(member.number(), answer.data(), answer.size(), MSG_WAITALL), static_cast<ssize_t>(answer.size()));
  EXPECT_EQ(read_packet(answer, group_sealer)->head.number, 2);
}

/// The system's limit on descriptors, lowered for a time.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t most) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit now{.rlim_cur = most, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &now);
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

/// So that a test that fails ends.
void wait_no_longer_than_patience(const Descriptor& connection) {
  const timeval most{.tv_sec = std::chrono::seconds(patience).count(), .tv_usec = 0};
  setsockopt(connection.number(), SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
}

/// Whether the other end closes a connection.
bool is_ended(const Descriptor& connection) {
  wait_no_longer_than_patience(connection);
  char byte = 0;
  const ssize_t got = recv(connection.number(), &byte, 1, 0);
  return got == 0 || (got < 0 && errno == ECONNRESET);
}

void say(const Descriptor& connection, std::span<const std::byte> bytes) {
  ASSERT_EQ(send(connection.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
}

/// Of a packet that comes; the last one of the message.
std::uint32_t last_packet(const Descriptor& connection) {
  wait_no_longer_than_patience(connection);
  std::vector<std::byte> answer(packet_overhead_bytes + payload_bytes - 100);
  EXPECT_EQ(recv(connection.number(), answer.data(), answer.size(), MSG_WAITALL), std::ssize(answer));
  const auto packet = read_packet(answer, group_sealer);
  return packet ? packet->head.number : 0;
}

/// An ask that has come is heard before its connection makes room for another one's.
TEST_F(RepairsTest, BeforeStrangersWhoCameLater) {
  Descriptor member;
  std::vector<Descriptor> strangers;
  {
    const auto stopped = RepairThread::get()->enter();
    member = stranger();
    say(member, ask_for(3, 0b100));
    for (int i = 0; i < 500; ++i) strangers.push_back(stranger());
  }
  EXPECT_EQ(last_packet(member), 2);
}

TEST_F(RepairsTest, EndStrangersWhoSayNothing) {
  const Descriptor silent = stranger();
  const Descriptor slow = stranger();
  const PacketBytes ask = ask_for(3, 0b100);
  say(slow, std::span(ask).first(ask_bytes - 1));
  const Descriptor loud = stranger();
  say(loud, std::vector<std::byte>(ask_bytes, std::byte{'x'}));
  EXPECT_TRUE(is_ended(loud));
  EXPECT_TRUE(is_ended(silent));
  EXPECT_TRUE(is_ended(slow));
}

TEST_F(RepairsTest, KeepAMemberWhoSaysNothingForLonger) {
  const Descriptor member = stranger();
  say(member, ask_for(3, 0b100));
  EXPECT_EQ(last_packet(member), 2);
  EXPECT_TRUE(is_ended(stranger()));  // who came later
  say(member, ask_for(3, 0b100));
  EXPECT_EQ(last_packet(member), 2);
}

/// What the network brings does not keep a rank from going on with its calls.
TEST_F(RepairsTest, KeepNoRankWaitingThatSends) {
  auto busy = RepairThread::get()->enter();
  auto call = std::async(std::launch::async, [&] {
    repairs_->keep(4, claim, payload_bytes, message_);
    repairs_->forget_before(4);
    repairs_->forget();
  });
  EXPECT_EQ(call.wait_for(patience), std::future_status::ready);
  busy.unlock();
}

TEST_F(RepairsTest, WhereDescriptorsWereWanting) {
  const Descriptor next(dup(0));
  Descriptor member;
  {
    auto stopped = RepairThread::get()->enter();
    member = stranger();
    say(member, ask_for(3, 0b100));
    const FewDescriptors few(static_cast<rlim_t>(next.number()));  // none is left for the listener
    stopped.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(last_packet(member), 2);
}

/// Others connect as fast as they can: they say nothing, send rubbish, close at once.
class Flood {
 public:
  explicit Flood(const Address& service) : service_(service) {
    for (int kind = 0; kind < 3; ++kind) threads_.emplace_back([this, kind] { run(kind); });
  }
  ~Flood() {
    is_over_ = true;
    for (std::thread& one : threads_) one.join();
  }
  Flood(const Flood&) = delete;
  Flood& operator=(const Flood&) = delete;

  [[nodiscard]] int connections() const { return connections_; }

 private:
  void run(int kind) {
    const std::vector<char> noise(3 * ask_bytes, 'x');
    std::deque<Descriptor> open;
    while (!is_over_) {
      Descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      const linger at_once{.l_onoff = 1, .l_linger = 0};  // or all ports of this machine would wait for a minute
      setsockopt(made.number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      static_cast<void>(connect(made.number(), service_.data(), service_.size()));
      if (kind == 1) send(made.number(), noise.data(), noise.size(), MSG_NOSIGNAL);
      if (kind < 2) open.push_back(std::move(made));
      if (open.size() > 100) open.pop_front();
      ++connections_;
    }
  }

  const Address service_;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> connections_ = 0;
  std::vector<std::thread> threads_{};
};

TEST_F(RepairsTest, BesideAFloodOfStrangers) {
  const Flood flood(service());
  const auto asked_until_answered = [&](TcpAsks& asks, std::uint32_t number) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < end) {
      asks.ask(ask_for(3, 1U << number));
      const auto next = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
      while (std::chrono::steady_clock::now() < next) {
        const auto bytes = asks.receive();
        const auto packet = bytes ? read_packet(*bytes, group_sealer) : std::nullopt;
        if (packet && packet->head.number == number) return true;
        std::this_thread::yield();
      }
    }
    return false;
  };
  while (flood.connections() < 10'000) {
    TcpAsks asks(*sockets_, service());
    for (const std::uint32_t number : {0U, 1U, 2U}) ASSERT_TRUE(asked_until_answered(asks, number));
    const std::uint64_t wanted = 0b010;
    const PacketHead head{.kind = PacketKind::ask, .sender = 1, .claim = claim, .turn = 3};
    sockets_->send(service(), head, std::as_bytes(std::span(&wanted, 1)), group_sealer);
    sockets_->flush();
    ASSERT_EQ(received(*sockets_, 1), (Numbers{1}));
    // Groups come and go meanwhile.
    const auto other = Repairs::open(Address(own_host, 0), Address(a_group, 54321), true, group_sealer, 0);
    ASSERT_NE(other, nullptr);
  }
}

/// Who asks for much and takes nothing does not fill memory, and keeps nobody waiting.
TEST_F(RepairsTest, BesideOneWhoTakesNoAnswers) {
  const Descriptor greedy = stranger();
  const PacketBytes ask = ask_for(3, 0b111);
  for (int i = 0; i < 20000; ++i) send(greedy.number(), ask.data(), ask.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  TcpAsks asks(*sockets_, service());
  asks.ask(ask_for(3, 0b001));
  EXPECT_EQ(received(asks, 1), (Numbers{0}));
}

TEST_F(RepairsTest, WhatIsForgottenIsNotSent) {
  repairs_->forget();
  TcpAsks asks(*sockets_, service());
  asks.ask(ask_for(3, 1));
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < end) {
    const auto bytes = asks.receive();
    if (!bytes) continue;
    EXPECT_EQ(read_packet(*bytes, group_sealer)->head.kind, PacketKind::not_yet);
    break;
  }
}

int threads_of_this_process() {
  int threads = 0;
  std::FILE* const status = std::fopen("/proc/self/status", "r");
  char line[256];
  while (std::fgets(line, sizeof line, status) != nullptr) std::sscanf(line, "Threads: %d", &threads);
  std::fclose(status);
  return threads;
}

TEST_F(RepairsTest, TheThreadEndsWithTheLastGroup) {
  const int threads = threads_of_this_process();
  auto other = Repairs::open(Address(own_host, 0), Address(a_group, 54321), true, group_sealer, 0);
  EXPECT_EQ(threads_of_this_process(), threads);
  repairs_.reset();
  EXPECT_EQ(threads_of_this_process(), threads);
  other.reset();
  EXPECT_EQ(threads_of_this_process(), threads - 1);
}

}  // namespace
}  // namespace trunkline::runtime
