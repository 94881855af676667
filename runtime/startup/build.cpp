// SPDX-License-Identifier: Apache-2.0
#include "startup/build.hpp"
#include "text/fnv.hpp"

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <span>
#include <string>

namespace trunkline::runtime {
namespace {

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

/// The build ID among the notes of a segment; empty where it is not there.
std::string build_id(std::span<const char> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note{};
    std::char_traits<char>::copy(reinterpret_cast<char*>(&note), notes.data(), sizeof note);
    const std::size_t content = sizeof note + padded(note.n_namesz);
    const std::size_t all = content + padded(note.n_descsz);
    if (all > notes.size()) return {};
    if (note.n_type == NT_GNU_BUILD_ID) return {notes.data() + content, note.n_descsz};
    notes = notes.subspan(all);
  }
  return {};
}

/// For dl_iterate_phdr: stops at the object that this code is in, whose build ID goes into the string.
int find_own(dl_phdr_info* object, std::size_t, void* found) {
  const auto own = reinterpret_cast<ElfW(Addr)>(&find_own);
  bool is_own = false;
  std::string id;
  for (const auto& segment : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
    const ElfW(Addr) begin = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD) is_own = is_own || (own >= begin && own < begin + segment.p_memsz);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader tells addresses as numbers
    if (segment.p_type == PT_NOTE && id.empty()) id = build_id({reinterpret_cast<const char*>(begin), segment.p_memsz});
  }
  if (is_own) *static_cast<std::string*>(found) = id;
  return is_own ? 1 : 0;
}

}  // namespace

std::uint64_t build_fingerprint() {
  std::string id;
  dl_iterate_phdr(find_own, &id);
  return hash(TRUNKLINE_VERSION " for " TRUNKLINE_MPI_TITLE " " + id);
}

}  // namespace trunkline::runtime
