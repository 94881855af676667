// SPDX-License-Identifier: Apache-2.0
// Ranks as coroutines of one thread: each has a stack of its own, and goes on only where it is told to.
#pragma once

#include <cxxabi.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <bit>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

namespace trunkline::testing {

/// Runs one function after another, each on the same stack.
class Fiber {
 public:
  Fiber() : stack_(mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {
    // A function that needs more ends the process, instead of writing to what lies below.
    if (stack_ == MAP_FAILED || mprotect(stack_, guard_bytes, PROT_NONE) != 0) throw std::bad_alloc();
  }
  ~Fiber() { munmap(stack_, stack_bytes); }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// `work` begins with the first resume(), and may not throw. Work that is not over is left where it is.
  void begin(std::function<void()> work) {
    work_ = std::move(work);
    is_over_ = false;
    has_begun_ = false;
    exceptions_ = {};
  }

  /// Until it leaves or is over.
  void resume() {
    swap_exceptions();
    if (_setjmp(outside_) == 0) {
      if (has_begun_) _longjmp(own_, 1);
      has_begun_ = true;
      enter();
    }
    swap_exceptions();
  }

  /// From within: back to the one who resumed it.
  void leave() {
    if (_setjmp(own_) == 0) _longjmp(outside_, 1);
  }

  [[nodiscard]] bool is_over() const { return is_over_; }

 private:
  static constexpr std::size_t stack_bytes = std::size_t{512} << 10;
  static constexpr std::size_t guard_bytes = std::size_t{64} << 10;

  /// To the stack. From then on jumps lead in and out: swapcontext() makes a system call each time.
  void enter() {
    ucontext_t first{};
    getcontext(&first);
    first.uc_stack.ss_sp = stack_;
    first.uc_stack.ss_size = stack_bytes;
    const auto address = std::bit_cast<std::uintptr_t>(this);
    makecontext(&first, reinterpret_cast<void (*)()>(&Fiber::run), 2, static_cast<unsigned>(address >> 32U),
                static_cast<unsigned>(address & 0xFFFFFFFFU));
    setcontext(&first);
  }

  static void run(unsigned high, unsigned low) {
    auto* const self = std::bit_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32U | low);
    self->work_();
    self->is_over_ = true;
    _longjmp(self->outside_, 1);
  }

  /// Exceptions that are being handled are the thread's: __cxa_eh_globals of the Itanium ABI.
  struct Exceptions {
    void* caught = nullptr;
    unsigned uncaught = 0;
  };
  void swap_exceptions() {
    const Exceptions other = exceptions_;
    void* const of_thread = abi::__cxa_get_globals();
    std::memcpy(&exceptions_, of_thread, sizeof(Exceptions));
    std::memcpy(of_thread, &other, sizeof(Exceptions));
  }

  void* stack_;
  std::function<void()> work_{};
  bool is_over_ = true;
  bool has_begun_ = false;
  std::jmp_buf own_{};
  std::jmp_buf outside_{};
  Exceptions exceptions_{};
};

}  // namespace trunkline::testing
