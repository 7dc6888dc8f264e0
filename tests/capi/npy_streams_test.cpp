// Arrays through functions of C: the same as C++ reads and writes, and a function that fails is HEADWISE_IO.
#include "c_objects.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

// Bytes that a caller has; what is asked for beyond `fails_at` fails, and `result` is returned then.
struct Source {
  std::string bytes;
  std::size_t fails_at = SIZE_MAX, at = 0;
  std::int64_t result = -1;
};

std::int64_t give(void* to, std::size_t count, void* user) {
  auto& source = *static_cast<Source*>(user);
  if (source.at >= source.fails_at) return source.result;
  const std::size_t given = std::min({count, std::size_t{7}, source.bytes.size() - source.at});
  std::memcpy(to, source.bytes.data() + source.at, given);
  source.at += given;
  return std::int64_t(given);
}

struct Sink {
  std::string bytes;
  int calls = 0, fails_at = -1;
  std::int32_t result = -1;
};

std::int32_t take(const void* from, std::size_t count, void* user) {
  auto& sink = *static_cast<Sink*>(user);
  if (++sink.calls == sink.fails_at) return sink.result;
  sink.bytes.append(static_cast<const char*>(from), count);
  return 0;
}

}  // namespace

TEST_CASE("C npy streams: an array comes as from a file, and nothing behind it is taken") {
  for (const char* name : {"b22_c_2x3", "b22_fortran_2x3", "b23_scalar", "b23_empty_0x4", "b25_f2", "b23_v2"}) {
    CAPTURE(name);
    const std::string path = std::string(HEADWISE_TEST_DATA "/cases/") + name + ".npy", bytes = read_bytes(path);
    Source source{bytes + "behind"};
    OwnedTensor tensor;
    check_ok(headwise_read_npy(give, &source, "a pipe", tensor.to()));
    CHECK(source.bytes.substr(source.at) == "behind");
    const Tensor expected = load_npy(path);
    headwise_view view{};
    check_ok(headwise_tensor_view(tensor, &view));
    CHECK(static_cast<DType>(view.dtype) == expected.dtype());
    CHECK(Dims(view.shape, std::size_t(view.rank)) == expected.shape());
    const auto size = std::size_t(expected.size()) * dtype_size(expected.dtype());
    CHECK(std::memcmp(view.data, expected.view().data, size) == 0);
  }
}

TEST_CASE("C npy streams: written bytes are those of the file, of any strides") {
  const TemporaryFolder folder;
  const Tensor numbers = filled({3, 2}, 0.5F);
  const TensorView turned(numbers.view().data, DType::f32, {2, 3}, {1, 2});
  for (const TensorView& view : {numbers.view(), turned, Tensor({0, 4}).view()}) {
    Views views;
    Sink sink;
    check_ok(headwise_write_npy(take, &sink, views.add(view)));
    save_npy(folder.file("t.npy"), view);
    CHECK(sink.bytes == read_bytes(folder.file("t.npy")));
  }
  Views views;
  Sink sink;
  check_refused(HEADWISE_UNSUPPORTED, {"bf16"}, headwise_write_npy(take, &sink, views.add(Tensor(DType::bf16, {1}))));
  CHECK(sink.calls == 0);
}

TEST_CASE("C npy streams: a reader that fails, ends early or lies") {
  const std::string bytes = read_bytes(HEADWISE_TEST_DATA "/cases/b22_c_2x3.npy");
  OwnedTensor tensor;
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    for (const std::int64_t result : {std::int64_t{-1}, std::int64_t{-5}, INT64_MIN}) {
      Source failing{bytes, at, 0, result};
      check_refused(HEADWISE_IO, {"a pipe", std::to_string(result)},
                    headwise_read_npy(give, &failing, "a pipe", tensor.to()));
    }
    Source ending{bytes, at, 0, 0};
    check_refused(HEADWISE_BAD_FILE, {"a pipe", "it ends"}, headwise_read_npy(give, &ending, "a pipe", tensor.to()));
    Source lying{bytes, at, 0, INT64_MAX};
    check_refused(HEADWISE_INVALID_ARGUMENT, {"a pipe", std::to_string(INT64_MAX)},
                  headwise_read_npy(give, &lying, "a pipe", tensor.to()));
  }
  CHECK(tensor.handle == nullptr);
}

TEST_CASE("C npy streams: a writer that fails is not called again") {
  Views views;
  const Tensor numbers = filled({3, 2}, 0.5F);
  const headwise_view* view = views.add(numbers);
  for (const int at : {1, 2}) {
    for (const std::int32_t result : {-1, 1, INT32_MAX, INT32_MIN}) {
      Sink failing{"", 0, at, result};
      check_refused(HEADWISE_IO, {"writer", std::to_string(result)}, headwise_write_npy(take, &failing, view));
      CHECK(failing.calls == at);
    }
  }
}
