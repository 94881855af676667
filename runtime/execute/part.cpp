// SPDX-License-Identifier: Apache-2.0
#include "execute/part.hpp"

namespace trunkline::runtime {
namespace {

[[noreturn]] Running not_served() { throw MpiError{MPI_ERR_INTERN}; }

}  // namespace

Running LocalPart::broadcast(Transport& /*transport*/, Message& /*message*/, const Pace& /*pace*/) const {
  not_served();
}

Running LocalPart::reduce(Transport& /*transport*/, const Operands& /*operands*/, const Pace& /*pace*/,
                          bool /*everywhere*/, OperandOrder /*order*/) const {
  not_served();
}

Running LocalPart::gather(Transport& /*transport*/, const Gathered& /*gathered*/, Message* /*own*/, bool /*in_place*/,
                          const Pace& /*pace*/) const {
  not_served();
}

Running LocalPart::exchange(Transport& /*transport*/, const Exchanged& /*exchanged*/, const Pace& /*pace*/) const {
  not_served();
}

Running LocalPart::share(Transport& /*transport*/, const RootShares& /*shares*/, const Pace& /*pace*/) const {
  not_served();
}

Running LocalPart::reduce_shares(Transport& /*transport*/, const Operands& /*operands*/,
                                 std::span<const MPI_Count> /*counts*/, const Pace& /*pace*/) const {
  not_served();
}

}  // namespace trunkline::runtime
