// SPDX-License-Identifier: Apache-2.0
#include "typed_buffer.hpp"

#include <algorithm>
#include <utility>

namespace suite {
namespace {

constexpr std::int64_t guard = 64;

}  // namespace

Type::Type(MPI_Datatype type, bool named) : type_(type), named_(named) {
  if (!named_) PMPI_Type_commit(&type_);
}

Type::~Type() {
  if (!named_ && type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
}

Type::Type(Type&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)), named_(other.named_) {}

TypedBuffer::TypedBuffer(MPI_Datatype type, int count) : type_(type), count_(count) {
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  MPI_Count true_lower = 0;
  MPI_Count true_extent = 0;
  PMPI_Type_get_extent_x(type, &lower, &extent);
  PMPI_Type_get_true_extent_x(type, &true_lower, &true_extent);
  MPI_Count bytes = 0;
  PMPI_Type_size_x(type, &bytes);
  if (bytes == 0) extent = true_lower = true_extent = 0;  // Open MPI reports a huge bound where there is nothing
  const std::int64_t last = std::max(count - 1, 0) * extent;
  const std::int64_t low = std::min<std::int64_t>(true_lower, true_lower + last);
  const std::int64_t high = std::max<std::int64_t>(true_lower, true_lower + last) + true_extent;
  before_ = guard - std::min<std::int64_t>(low, 0);
  memory_.assign(static_cast<std::size_t>(before_ + std::max<std::int64_t>(high, 0) + guard), 0xA5);
}

void* TypedBuffer::address() { return memory_.data() + before_; }

void TypedBuffer::unpack(const std::vector<unsigned char>& stream) {
  if (stream.empty()) return;  // Open MPI refuses to unpack nothing
  int position = 0;
  PMPI_Unpack(stream.data(), static_cast<int>(stream.size()), &position, address(), count_, type_, MPI_COMM_SELF);
}

std::size_t TypedBuffer::differences(const TypedBuffer& other) const {
  std::size_t different = 0;
  for (std::size_t i = 0; i < memory_.size(); ++i) different += memory_[i] != other.memory_[i] ? 1 : 0;
  return different;
}

std::vector<unsigned char> stream_for(MPI_Datatype type, int count, unsigned serial) {
  MPI_Count bytes = 0;
  PMPI_Type_size_x(type, &bytes);
  std::vector<unsigned char> stream(static_cast<std::size_t>(bytes * count));
  for (std::size_t i = 0; i < stream.size(); ++i) stream[i] = content(i, serial);
  return stream;
}

void broadcast_typed(Run& run, MPI_Datatype type, int count, int root, MPI_Comm communicator, unsigned serial,
                     const std::string& what) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const auto stream = stream_for(type, count, serial);
  TypedBuffer buffer(type, count);
  TypedBuffer expected(type, count);
  expected.unpack(stream);
  if (rank == root) buffer.unpack(stream);
  const int code = MPI_Bcast(buffer.address(), count, type, root, communicator);
  run.expect(code == MPI_SUCCESS, what + ": error " + std::to_string(code));
  const std::size_t wrong = buffer.differences(expected);
  run.expect(wrong == 0, what + ": " + std::to_string(wrong) + " bytes of memory are not as MPI_Unpack leaves them");
  run.expect_ran(run.ranks > 1 && !stream.empty(), what);
}

}  // namespace suite
