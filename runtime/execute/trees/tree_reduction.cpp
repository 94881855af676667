// SPDX-License-Identifier: Apache-2.0
#include "execute/trees/tree_reduction.hpp"

#include <algorithm>

#include "execute/window.hpp"
#include "plan/lead.hpp"

namespace trunkline::runtime {
TreeReduction::TreeReduction(Transport& transport, std::span<const LocalTree> trees, const Operands& operands,
                             std::uint64_t segment_bytes, const InFlight& in_flight, bool everywhere,
                             OperandOrder order)
    : Execution(transport),
      operands_(operands),
      everywhere_(everywhere),
      by_rank_(order == OperandOrder::by_rank),
      segment_elements_(std::clamp(
          usable_segment(segment_bytes, operands.count() * operands.element_bytes()) / operands.element_bytes(),
          std::uint64_t{1}, operands.count())),
      segments_((operands.count() + segment_elements_ - 1) / segment_elements_),
      trees_(trees.begin(), trees.end()) {
  const std::uint64_t cut = segment_elements_ * operands.element_bytes();
  const auto is_near = [&](int peer) { return !std::ranges::binary_search(in_flight.far, peer); };
  const bool spans_sites = in_flight.bytes > in_flight.near_bytes;
  lead_ = lead_of(trees.size(), cut, in_flight);
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    if (by_rank_) trees_[t].children = trees_[t].from_the_end;
    Flow& flow = flows_.emplace_back(Flow{.tree = &trees_[t], .number = static_cast<unsigned>(t)});
    const std::uint64_t children = flow.tree->children.size();
    flow.segments = segments_of(segments_, trees.size(), t);
    flow.first_slot = sums_in_result(flow) && !operands.in_place() && !by_rank_ ? 1 : 0;
    const bool is_last = by_rank_ && flow.tree->above == 0 && !sums_in_result(flow);
    const std::uint64_t slots = std::max(children, flow.first_slot) - flow.first_slot + (is_last ? 1 : 0);
    flow.slots_each = flow.is_leaf() ? 0 : slots;
    // What the partner got, behind all others; an operand that lies where the result goes is sent from elsewhere.
    if (flow.exchanges()) flow.slots_each = std::max<std::uint64_t>(flow.slots_each, operands.in_place() ? 1 : 0) + 1;
    // Every child has its slots: of many children, or of elements far apart, each has fewer.
    const auto window = [&](std::uint64_t in_flight_bytes, std::uint64_t among, std::uint64_t of_slots) {
      return std::min(flow.segments, up_window_of(cut, Operands::Slots::bytes(operands, segment_elements_),
                                                  in_flight_bytes, trees.size(), among, of_slots));
    };
    // Ranks near by that were as far ahead as those far away must be would keep the port from what has come a long way.
    const std::uint64_t near = window(in_flight.near_bytes, children, flow.slots_each);
    // Sums wait for what is under way to who is above, and for the partner. Operands of ranks near by, such as the
    // many of the same host, do not, and take no room from those.
    const auto is_long = [&](std::uint64_t slot) {
      const std::uint64_t child = slot + flow.first_slot;
      return slot == 0 || child >= children || !is_near(flow.tree->children[child]);
    };
    std::uint64_t long_slots = 0;
    for (std::uint64_t slot = 0; slot < flow.slots_each; ++slot) long_slots += is_long(slot) ? 1 : 0;
    // A long link holds as much however many children there are.
    const std::uint64_t far = std::max(near, window(in_flight.bytes, 1, long_slots));
    // One round trip is enough: windows are for two, there and back each. What comes over long links comes in bursts.
    const std::uint64_t up = flow.is_top() || is_near(flow.tree->next_up()) ? near : far;
    const std::uint64_t at_once = spans_sites ? up : sent_up_at_once(cut, in_flight.bytes / 4, trees.size(), children);
    flow.up_window = flow.is_top() ? 0 : std::min(up, at_once);
    flow.window = std::max(near, flow.up_window);
    for (const int child : flow.tree->children) {
      flow.asked.push_back({.window = is_near(child) ? near : far});
      flow.window = std::max(flow.window, flow.asked.back().window);
    }
    flow.combined = flow.is_leaf() ? flow.segments : 0;
    flow.operands.assign(flow.window * children, Pending());
    flow.up.assign(flow.up_window, Pending());
    std::uint64_t in_all = 0;
    for (std::uint64_t slot = 0; slot < flow.slots_each; ++slot) {
      flow.slots.push_back({.first = in_all, .window = is_long(slot) ? flow.window : near});
      in_all += flow.slots.back().window;
    }
    if (in_all > 0) flow.memory = Operands::Slots(operands, in_all, segment_elements_);
    if (!everywhere_) continue;
    flow.results.assign(flow.is_top() ? 0 : flow.window, Pending());
    flow.down.assign(flow.window * children, Pending());
  }
}

bool TreeReduction::needs(int rank) const {
  return std::ranges::any_of(flows_, [&](const Flow& flow) {
    const bool child = std::ranges::find(flow.tree->children, rank) != flow.tree->children.end();
    if (child && flow.combined < flow.segments) return true;
    return everywhere_ && flow.tree->next_up() == rank && flow.received < flow.segments;
  });
}

void TreeReduction::leave_out(int rank) {
  for (Flow& flow : flows_) {
    if (flow.tree->next_up() == rank && transport().let_go(flow.up, false)) flow.is_left_over = true;
    const std::vector<int>& children = flow.tree->children;
    for (std::size_t i = 0; i < flow.down.size(); ++i) {
      if (children[i % children.size()] == rank)
        static_cast<void>(transport().let_go(std::span(flow.down).subspan(i, 1), false));
    }
  }
}

std::vector<int> TreeReduction::peers() const {
  std::vector<int> all;
  for (const Flow& flow : flows_) add_peers(*flow.tree, all);
  return all;
}

std::vector<std::span<Pending>> TreeReduction::sends() {
  std::vector<std::span<Pending>> all;
  for (Flow& flow : flows_) {
    all.emplace_back(flow.up);
    all.emplace_back(flow.down);
  }
  return all;
}

bool TreeReduction::advance() {
  bool moved = true;
  while (moved) {
    moved = false;
    for (Flow& flow : flows_) {
      ask(flow);
      moved = send_up(flow) || moved;
      if (!everywhere_) continue;
      expect(flow);
      moved = exchange(flow) || moved;
      moved = hand_down(flow) || moved;
    }
  }
  return std::ranges::all_of(flows_, [&](const Flow& flow) { return is_done(flow); });
}

bool TreeReduction::is_done(const Flow& flow) const {
  if (everywhere_) return flow.handed_on == flow.segments;
  return (flow.is_root() ? flow.combined : flow.sent) == flow.segments;
}

std::uint64_t TreeReduction::complete_elements() const {
  std::uint64_t segments = segments_;
  for (const Flow& flow : flows_) {
    if (flow.combined < flow.segments) segments = std::min(segments, flow.combined * flows_.size() + flow.number);
  }
  return std::min(segments * segment_elements_, operands_.count());
}

/// The children's operands, up to a window ahead of what is combined, and never into a slot whose segment is still on
/// its way up, or still to be combined with what the partner got.
void TreeReduction::ask(Flow& flow) {
  for (std::size_t child = 0; child < flow.asked.size(); ++child) {
    auto& [window, asked] = flow.asked[child];
    for (; asked < std::min(flow.segments, flow.combined + window); ++asked) {
      if (flow.waits_for_slot(asked)) break;
      if (flow.exchanges() && asked >= flow.exchanged + flow.window) break;
      transport().receive(operand(flow, asked, child), flow.tree->children[child], flow.number,
                          flow.operands[flow.cell(asked, child)]);
    }
  }
}

/// Whether a leaf of this tree has sent so much more than it has as an inner rank of another that it would keep its
/// link from segments that have come a long way.
bool TreeReduction::is_ahead(const Flow& flow) const {
  if (!flow.is_leaf()) return false;
  return std::ranges::any_of(flows_, [&](const Flow& other) {
    return !other.is_leaf() && !other.is_root() && other.sent < other.segments && flow.sent >= other.sent + lead_;
  });
}

/// One segment to who is above, if that needs no waiting. Returns whether it was sent.
bool TreeReduction::send_up(Flow& flow) {
  if (flow.is_top() || flow.sent == flow.combined || is_ahead(flow)) return false;
  // Of a leaf that exchanges what it sends may lie in a slot, and is still to be combined.
  if (flow.exchanges() && flow.sent == flow.exchanged + flow.window) return false;
  Pending& request = flow.up[flow.sent % flow.up_window];
  if (!request.is_none()) return false;
  const std::uint64_t segment = flow.sent++;
  const Chunk from = sum(flow, segment);
  if (flow.exchanges() && flow.is_leaf() && operands_.in_place()) operands_.copy(own(flow, segment), from);
  const int to = flow.tree->next_up();
  if (is_gone(to)) return true;
  happened(Event::Kind::handed_on, flow.number, to, segment);
  transport().send(from, to, flow.number, is_synchronous(segment, flow.segments, flow.up_window), request);
  return true;
}

/// Results, up to a window ahead, and never over what is still on its way up. What the partner got has slots of its
/// own.
void TreeReduction::expect(Flow& flow) {
  if (flow.exchanges()) {
    for (; flow.expected < std::min(flow.segments, flow.exchanged + flow.window); ++flow.expected) {
      transport().receive(partners(flow, flow.expected), flow.tree->partner, flow.number,
                          flow.results[flow.expected % flow.window]);
    }
    return;
  }
  if (flow.is_root()) return;
  for (; flow.expected < std::min(flow.segments, flow.handed_on + flow.window); ++flow.expected) {
    if (flow.sent <= flow.expected || !flow.is_up(flow.expected)) return;
    transport().receive(result(flow, flow.expected), flow.tree->parent, flow.number,
                        flow.results[flow.expected % flow.window]);
  }
}

/// What has come up here and to the partner, in the same order on both ranks: what is sent from here stays as it is.
/// Returns whether there was a segment of both.
bool TreeReduction::exchange(Flow& flow) {
  if (!flow.exchanges() || flow.exchanged == std::min(flow.received, flow.sent)) return false;
  const std::uint64_t segment = flow.exchanged++;
  const Chunk mine = sum(flow, segment);
  const Chunk other = partners(flow, segment);
  const Chunk into = result(flow, segment);
  if (flow.tree->is_first) {
    operands_.combine(mine, other);
    operands_.copy(other, into);
  } else {
    operands_.copy(mine, into);
    operands_.combine(other, into);
  }
  // Traces tell the root by it.
  if (flow.tree->is_plan_root) happened(Event::Kind::complete, flow.number, -1, segment);
  return true;
}

/// One result to the children, if that needs no waiting. Returns whether it was sent, or need not be.
bool TreeReduction::hand_down(Flow& flow) {
  if (flow.handed_on == flow.results_here()) return false;
  const auto row = flow.down_row(flow.handed_on);
  if (!std::ranges::all_of(row, [](Pending request) { return request.is_none(); })) return false;
  const std::uint64_t segment = flow.handed_on++;
  const bool synchronous = is_synchronous(segment, flow.segments, flow.window);
  const auto children = std::span(flow.tree->children).first(flow.told());
  hand_to_all(result(flow, segment), children, flow.number, segment, synchronous, row.first(flow.told()));
  return true;
}

void TreeReduction::await(std::vector<Pending*>& requests) {
  waiting_.clear();
  const auto add = [&](Pending& request, Flow& flow, Awaited what, std::size_t child = 0) {
    if (request.is_none() || std::ranges::find(requests, &request) != requests.end()) return;
    requests.push_back(&request);
    waiting_.push_back({&flow, what, child});
  };
  for (Flow& flow : flows_) {
    if (flow.combined < flow.segments) {
      // Operands are combined in order; who watches wants to know of each when it has come.
      const std::size_t end = is_watched() ? flow.tree->children.size() : flow.children + 1;
      for (std::size_t child = flow.children; child < end; ++child) {
        if (flow.asked[child].segments <= flow.combined) continue;
        add(flow.operands[flow.cell(flow.combined, child)], flow, Awaited::operand, child);
      }
      // A receive may wait for its slot, whose segment is on its way up: else no second one would ever be under way.
      for (const auto& [window, asked] : flow.asked) {
        if (asked >= std::min(flow.segments, flow.combined + window) || !flow.waits_for_slot(asked)) continue;
        add(flow.up[(asked - flow.window) % flow.up_window], flow, Awaited::send);
      }
    }
    if (!flow.is_top() && flow.sent < flow.combined) add(flow.up[flow.sent % flow.up_window], flow, Awaited::send);
    if (!everywhere_ || is_done(flow)) continue;
    const bool hands_down = flow.handed_on < flow.results_here();
    if (hands_down) {
      for (Pending& request : flow.down_row(flow.handed_on)) add(request, flow, Awaited::send);
    }
    if ((!hands_down || flow.exchanges()) && flow.received < flow.expected) {
      add(flow.results[flow.received % flow.window], flow, Awaited::result);
    }
    if (flow.exchanges()) continue;
    if (flow.expected < std::min({flow.segments, flow.sent, flow.handed_on + flow.window})) {
      add(flow.up[flow.expected % flow.up_window], flow, Awaited::send);
    }
  }
}

void TreeReduction::take(std::size_t place, int bytes) {
  const auto [flow, what, child] = waiting_[place];
  if (what == Awaited::send) return;
  const bool is_result = what == Awaited::result;
  const std::uint64_t segment = is_result ? flow->received : flow->combined;
  const int peer = is_result ? flow->tree->next_up() : flow->tree->children[child];
  if (bytes != own(*flow, segment).bytes) throw MpiError{MPI_ERR_TRUNCATE};
  happened(Event::Kind::arrived, flow->number, peer, segment);
  if (is_result) {
    ++flow->received;
    return;
  }
  // Where arrivals are watched, later children may have come before.
  while (flow->combined == segment && flow->operands[flow->cell(segment, flow->children)].is_none()) {
    combine(*flow);
  }
}

/// The operand that has come next.
void TreeReduction::combine(Flow& flow) {
  const std::uint64_t segment = flow.combined;
  if (by_rank_) {
    combine_by_rank(flow);
  } else {
    combine_any(flow);
  }
  if (++flow.children < flow.tree->children.size()) return;
  flow.children = 0;
  ++flow.combined;
  if (flow.is_top()) happened(Event::Kind::complete, flow.number, -1, segment);
}

/// The first one is combined with this rank's own; where it has come to the place of the sum already, nothing is
/// copied.
void TreeReduction::combine_any(const Flow& flow) {
  const std::uint64_t segment = flow.combined;
  const Chunk into = sum(flow, segment);
  const Chunk from = operand(flow, segment, flow.children);
  const bool is_there = from.at == into.at;
  if (operands_.reproducible() && operands_.in_place() && flow.children == 0 && !is_there) {
    // As where the operand lies apart from the result: it stands first, and the child's second.
    operands_.combine(into, from);
    operands_.copy(from, into);
    return;
  }
  operands_.combine(is_there ? own(flow, segment) : from, into);
}

/// MPI_Reduce_local puts its first operand before the second, in the second's place: so all goes to the place of the
/// last one.
void TreeReduction::combine_by_rank(const Flow& flow) {
  const std::uint64_t segment = flow.combined;
  const std::size_t above = flow.tree->above;
  const Chunk into = gathered(flow, segment);
  const Chunk mine = own(flow, segment);
  if (flow.children == 0 && above == 0 && mine.at != into.at) operands_.copy(mine, into);
  if (flow.children > 0 || above == 0) operands_.combine(operand(flow, segment, flow.children), into);
  if (flow.children + 1 == above) operands_.combine(mine, into);
  const Chunk there = sum(flow, segment);
  if (flow.children + 1 == flow.tree->children.size() && there.at != into.at) operands_.copy(into, there);
}

bool TreeReduction::is_receiving() const {
  return std::ranges::any_of(flows_, [&](const Flow& flow) {
    return flow.combined < flow.segments || (everywhere_ && !flow.is_top() && flow.received < flow.segments);
  });
}

/// After an error requests are left over: the library may still use their memory, so slots are given up, not freed.
TreeReduction::~TreeReduction() {
  for (Flow& flow : flows_) {
    const bool receiving = transport().let_go(flow.operands, true);
    const bool sending = transport().let_go(flow.up, false);
    const bool exchanging = transport().let_go(flow.results, true) && flow.exchanges();
    static_cast<void>(transport().let_go(flow.down, false));
    if (receiving || sending || exchanging || flow.is_left_over) flow.memory.give_up();
  }
}

std::span<Pending> TreeReduction::Flow::down_row(std::uint64_t segment) {
  return std::span(down).subspan(cell(segment, 0), tree->children.size());
}

bool TreeReduction::Flow::is_up(std::uint64_t segment) const {
  return sent > segment + up_window || (sent > segment && up[segment % up_window].is_none());
}

bool TreeReduction::Flow::waits_for_slot(std::uint64_t segment) const {
  return !is_top() && segment >= window && !is_up(segment - window);
}

std::uint64_t TreeReduction::first(const Flow& flow, std::uint64_t segment) const {
  return (segment * flows_.size() + flow.number) * segment_elements_;
}

std::uint64_t TreeReduction::elements(const Flow& flow, std::uint64_t segment) const {
  return std::min(segment_elements_, operands_.count() - first(flow, segment));
}

Chunk TreeReduction::own(const Flow& flow, std::uint64_t segment) const {
  return operands_.own(first(flow, segment), elements(flow, segment));
}

Chunk TreeReduction::result(const Flow& flow, std::uint64_t segment) const {
  return operands_.result(first(flow, segment), elements(flow, segment));
}

Chunk TreeReduction::operand(const Flow& flow, std::uint64_t segment, std::size_t child) const {
  if (child < flow.first_slot) return result(flow, segment);
  return flow.memory.chunk(operands_, flow.slots[child - flow.first_slot].of(segment), elements(flow, segment));
}

Chunk TreeReduction::partners(const Flow& flow, std::uint64_t segment) const {
  return flow.memory.chunk(operands_, flow.slots.back().of(segment), elements(flow, segment));
}

Chunk TreeReduction::gathered(const Flow& flow, std::uint64_t segment) const {
  if (flow.tree->above > 0) return operand(flow, segment, 0);
  return sums_in_result(flow) ? result(flow, segment) : operand(flow, segment, flow.tree->children.size());
}

Chunk TreeReduction::sum(const Flow& flow, std::uint64_t segment) const {
  if (flow.is_leaf()) {
    return flow.exchanges() && operands_.in_place() ? operand(flow, segment, 0) : own(flow, segment);
  }
  if (sums_in_result(flow)) return result(flow, segment);
  return by_rank_ ? gathered(flow, segment) : operand(flow, segment, 0);
}

}  // namespace trunkline::runtime
