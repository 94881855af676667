// SPDX-License-Identifier: Apache-2.0
#include "trace/recorder.hpp"

namespace trunkline::runtime {

bool TracedCall::begin(const CallKind& kind, std::uint64_t turn) {
  number_ = recorder_->next_call();
  has_begun_ = true;
  bool is_new = false;
  Ring* const ring = recorder_->ring();
  const std::size_t known = ring != nullptr ? ring->number_of(kind, is_new) : unknown_kind;
  recorder_->put(entered_, number_, begin_word(known, turn));
  return is_new;
}

void TracedCall::take(const Event& event) noexcept {
  switch (event.kind) {
    case Event::Kind::arrived:
      return recorder_->put(monotonic_ns(), number_,
                            event_word(RecordKind::arrived, event.tree, event.peer, event.part));
    case Event::Kind::handed_on:
      return recorder_->put(monotonic_ns(), number_,
                            event_word(RecordKind::handed_on, event.tree, event.peer, event.part));
    case Event::Kind::complete:
      return recorder_->put(monotonic_ns(), number_, event_word(RecordKind::complete, event.tree, 0, event.part));
    case Event::Kind::told:
      return recorder_->put(monotonic_ns(), number_, event_word(RecordKind::told, event.tree, event.peer, event.part));
    case Event::Kind::heard:
      return recorder_->put(monotonic_ns(), number_, event_word(RecordKind::heard, event.tree, event.peer, event.part));
    case Event::Kind::sum:
      return recorder_->put(monotonic_ns(), number_, event_word(RecordKind::sum, event.tree, event.peer, event.part));
    case Event::Kind::over:
      return;  // the call's own end follows
  }
}

void TracedCall::end(bool failed) noexcept {
  if (has_begun_) recorder_->put(monotonic_ns(), number_, over_word(failed));
}

}  // namespace trunkline::runtime
