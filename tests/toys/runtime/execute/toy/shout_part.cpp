// SPDX-License-Identifier: Apache-2.0
// Runs shouts. There is no air between MPI ranks, so the root sends one message to each.
#include "execute/toy/shout_part.hpp"

#include <vector>

#include "kinds/toy/shout.hpp"

namespace trunkline::runtime {
namespace {

class ShoutExecution final : public Execution {
 public:
  /// `hearers`: none of a rank that hears. All must outlive the object.
  ShoutExecution(Transport& transport, Message& message, int root, std::span<const int> hearers)
      : Execution(transport), message_(message), root_(root), hearers_(hearers), sends_(hearers.size()) {
    if (message.in_place() == nullptr) copy_.resize(message.bytes());
  }
  ~ShoutExecution() override {
    static_cast<void>(transport().let_go(std::span(&receive_, 1), true));
    static_cast<void>(transport().let_go(sends_, false));
  }
  ShoutExecution(const ShoutExecution&) = delete;
  ShoutExecution& operator=(const ShoutExecution&) = delete;

 protected:
  [[nodiscard]] bool advance() override {
    if (!has_begun_) begin();
    return !hears() || heard_;
  }
  void await(std::vector<Pending*>& requests) override { requests.push_back(&receive_); }
  void take(std::size_t /*place*/, int bytes) override {
    if (static_cast<std::uint64_t>(bytes) != message_.bytes()) throw MpiError{MPI_ERR_TRUNCATE};
    happened(Event::Kind::arrived, 0, root_, 0);
    heard_ = true;
    if (!copy_.empty()) message_.write(0, message_.bytes(), copy_.data());
  }
  [[nodiscard]] bool is_receiving() const override { return hears() && !heard_; }
  [[nodiscard]] bool needs(int rank) const override { return is_receiving() && rank == root_; }
  void leave_out(int rank) override {
    for (std::size_t i = 0; i < hearers_.size(); ++i) {
      if (hearers_[i] == rank) static_cast<void>(transport().let_go(std::span(sends_).subspan(i, 1), false));
    }
  }
  [[nodiscard]] std::vector<int> peers() const override {
    if (hears()) return {root_};
    return {hearers_.begin(), hearers_.end()};
  }
  [[nodiscard]] std::vector<std::span<Pending>> sends() override { return {std::span(sends_)}; }

 private:
  [[nodiscard]] bool hears() const { return hearers_.empty(); }
  [[nodiscard]] std::byte* data() { return copy_.empty() ? message_.in_place() : copy_.data(); }

  void begin() {
    has_begun_ = true;
    const int bytes = static_cast<int>(message_.bytes());
    if (hears()) return transport().receive(data(), bytes, root_, 0, receive_);
    if (!copy_.empty()) message_.read(0, message_.bytes(), copy_.data());
    for (std::size_t i = 0; i < hearers_.size(); ++i) {
      happened(Event::Kind::handed_on, 0, hearers_[i], 0);
      transport().send(data(), bytes, hearers_[i], 0, false, sends_[i]);
    }
  }

  Message& message_;
  int root_;
  std::span<const int> hearers_;
  std::vector<std::byte> copy_;
  std::vector<Pending> sends_;
  Pending receive_;
  bool has_begun_ = false;
  bool heard_ = false;
};

class ShoutPart final : public LocalPart {
 public:
  ShoutPart(int root, std::vector<int> hearers) : root_(root), hearers_(std::move(hearers)) {}

  [[nodiscard]] bool is_root() const override { return !hearers_.empty(); }
  [[nodiscard]] std::size_t streams() const override { return 1; }
  [[nodiscard]] Running broadcast(Transport& transport, Message& message, const Pace& /*pace*/) const override {
    return std::make_shared<ShoutExecution>(transport, message, root_, hearers_);
  }

 private:
  int root_;
  std::vector<int> hearers_;
};

}  // namespace

std::unique_ptr<const LocalPart> shout_part(const Plan& plan, Rank rank, std::span<const int> members,
                                            std::span<const HostIndex> /*hosts*/) {
  const Shout shout = shout_of(plan);
  std::vector<int> hearers;
  if (rank == shout.root) {
    for (Rank other = 0; other < shout.ranks; ++other) {
      if (other != rank) hearers.push_back(members[other]);
    }
  }
  return std::make_unique<const ShoutPart>(members[shout.root], std::move(hearers));
}

}  // namespace trunkline::runtime
