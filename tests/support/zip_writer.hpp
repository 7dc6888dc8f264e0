// Builds zip archives, right and wrong ones, byte by byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "headwise/tensor.hpp"

struct ZipEntry {
  std::string name, data;  // data as it lies in the archive
  std::uint16_t method = 0, flags = 0;
  std::uint64_t size = 0;          // once decompressed; 0: that of the data
  std::uint32_t checksum = 0;      // of the decompressed data; 0: that of the data
  bool only_in_directory = false;  // shares the bytes of the entry before
};

inline std::uint32_t crc32_of(const std::string& bytes) {
  std::uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xEDB88320u & (0u - (crc & 1)));
  }
  return ~crc;
}

inline std::string little_endian(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, number >>= 8) text.push_back(static_cast<char>(number));
  return text;
}

// What local header and directory say of an entry alike: flags to sizes.
inline std::string zip_description(const ZipEntry& entry) {
  const std::uint64_t size = entry.size > 0 ? entry.size : entry.data.size();
  const std::uint32_t checksum = entry.checksum > 0 ? entry.checksum : crc32_of(entry.data);
  return little_endian(entry.flags, 2) + little_endian(entry.method, 2) + little_endian(0x210000, 4) +
         little_endian(checksum, 4) + little_endian(entry.data.size(), 4) + little_endian(size, 4) +
         little_endian(entry.name.size(), 2) + little_endian(0, 2);
}

// Counts above 65,535 and sizes above 4 GiB need a zip64 record before the end.
inline std::string zip64_end(std::uint64_t count, std::uint64_t size, std::uint64_t offset) {
  return "PK\x06\x06" + little_endian(44, 8) + little_endian(45, 2) + little_endian(45, 2) + little_endian(0, 8) +
         little_endian(count, 8) + little_endian(count, 8) + little_endian(size, 8) + little_endian(offset, 8) +
         "PK\x06\x07" + little_endian(0, 4) + little_endian(offset + size, 8) + little_endian(1, 4);
}

struct ZipEnd {
  bool zip64 = false;
  std::uint64_t announced = 0;  // entries; 0: as many as there are
};

inline std::string zip_bytes(const std::vector<ZipEntry>& entries, const ZipEnd& end = {}) {
  std::string bytes, directory;
  std::size_t local = 0;
  for (const ZipEntry& entry : entries) {
    if (!entry.only_in_directory) {
      local = bytes.size();
      bytes += "PK\x03\x04" + little_endian(20, 2) + zip_description(entry) + entry.name + entry.data;
    }
    directory += "PK\x01\x02" + little_endian(20, 2) + little_endian(20, 2) + zip_description(entry) +
                 little_endian(0, 10) + little_endian(local, 4) + entry.name;
  }
  const std::uint64_t count = end.announced > 0 ? end.announced : entries.size();
  const std::string record = end.zip64 ? zip64_end(count, directory.size(), bytes.size()) : "";
  const std::uint64_t short_count = end.zip64 ? 0xffff : count;
  return bytes + directory + record + "PK\x05\x06" + little_endian(0, 4) + little_endian(short_count, 2) +
         little_endian(short_count, 2) + little_endian(directory.size(), 4) + little_endian(bytes.size(), 4) +
         little_endian(0, 2);
}

// Deflate without compression, in blocks of up to 65,535 bytes.
inline std::string deflated(const std::string& data) {
  std::string bytes;
  for (std::size_t at = 0; at == 0 || at < data.size(); at += 65'535) {
    const std::string block = data.substr(at, 65'535);
    bytes += little_endian(at + 65'535 >= data.size() ? 1 : 0, 1) + little_endian(block.size(), 2) +
             little_endian(~block.size(), 2) + block;
  }
  return bytes;
}

inline ZipEntry deflated_entry(const std::string& name, const std::string& data) {
  ZipEntry entry{name, deflated(data), 8};
  entry.size = data.size();
  entry.checksum = crc32_of(data);
  return entry;
}

// A .npy file of version 1 with this header and data.
inline std::string npy_bytes(const std::string& dictionary, const std::string& data) {
  return std::string("\x93NUMPY\x01\x00", 8) + little_endian(dictionary.size(), 2) + dictionary + data;
}

inline std::string npy_bytes(const headwise::Tensor& tensor, const std::string& type) {
  const std::size_t size = static_cast<std::size_t>(tensor.size()) * dtype_size(tensor.dtype());
  std::string shape;
  for (const std::int64_t axis : tensor.shape()) shape += std::to_string(axis) + ",";
  return npy_bytes("{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }",
                   std::string(static_cast<const char*>(tensor.view().data), size));
}
