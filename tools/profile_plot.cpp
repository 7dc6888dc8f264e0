#include "profile_plot.hpp"

#include <algorithm>
#include <cmath>

namespace headwise::tools {
namespace {

constexpr double width = 880, height = 460;
constexpr double left = 66, right = 24, top = 26, bottom = 52;
constexpr double text_height = 15, letter_width = 7.2;

struct Spot {
  double x, y;
};

// FLOP/byte to the right, GF/s upwards.
struct Axes {
  double x_min, x_max, y_min, y_max;  // powers of ten, but for y_max

  Spot at(double intensity, double gigaflops) const {
    const double x = std::log10(intensity / x_min) / std::log10(x_max / x_min);
    const double y = std::log10(gigaflops / y_min) / std::log10(y_max / y_min);
    return {left + x * (width - left - right), height - bottom - y * (height - top - bottom)};
  }
};

double power_below(double value) {
  return std::pow(10, std::floor(std::log10(value)));
}
double power_above(double value) {
  return std::pow(10, std::ceil(std::log10(value)));
}

bool is_point(const ProfileRow& row) {
  return row.work.flops > 0 && row.work.bytes > 0 && row.work.seconds > 0;
}
double intensity(const ProfileRow& row) {
  return row.work.flops / row.work.bytes;
}
double gigaflops(const ProfileRow& row) {
  return row.work.flops / row.work.seconds * 1e-9;
}

Axes axes_for(const std::vector<ProfileRow>& rows, double peak) {
  double low_x = 0.1, high_x = 100, low_y = peak / 30, high_y = peak;
  for (const ProfileRow& row : rows) {
    if (!is_point(row)) continue;
    low_x = std::min(low_x, intensity(row)), high_x = std::max(high_x, 2 * intensity(row));
    low_y = std::min(low_y, gigaflops(row)), high_y = std::max(high_y, gigaflops(row));
  }
  return {power_below(low_x), power_above(high_x), power_below(low_y), 1.7 * high_y};
}

std::string number(double value) {
  return fixed(value, 1);
}

std::string line(const char* style, Spot from, Spot to) {
  return std::string("<line class=\"") + style + "\" x1=\"" + number(from.x) + "\" y1=\"" + number(from.y) +
         "\" x2=\"" + number(to.x) + "\" y2=\"" + number(to.y) + "\"/>\n";
}

std::string label(const char* style, Spot at, const std::string& text, const std::string& more = "") {
  return std::string("<text class=\"") + style + "\" x=\"" + number(at.x) + "\" y=\"" + number(at.y) + "\"" + more +
         ">" + escape_html(text) + "</text>\n";
}

// A power of ten, written out.
std::string tick(double value) {
  return fixed(value, static_cast<int>(std::max(0.0, std::round(-std::log10(value)))));
}

std::string grid(const Axes& axes) {
  std::string svg;
  for (double x = axes.x_min; x <= axes.x_max * 1.01; x *= 10) {
    const Spot foot = axes.at(x, axes.y_min);
    svg += line("grid", foot, axes.at(x, axes.y_max));
    svg += label("tick", {foot.x, foot.y + 18}, tick(x), " text-anchor=\"middle\"");
  }
  for (double y = axes.y_min; y <= axes.y_max; y *= 10) {
    const Spot start = axes.at(axes.x_min, y);
    svg += line("grid", start, axes.at(axes.x_max, y));
    svg += label("tick", {start.x - 8, start.y + 4}, tick(y), " text-anchor=\"end\"");
  }
  svg += label("axis", {(left + width - right) / 2, height - 10}, "FLOP per byte", " text-anchor=\"middle\"");
  const std::string turned = " text-anchor=\"middle\" transform=\"rotate(-90 16 " + number(height / 2) + ")\"";
  return svg + label("axis", {16, height / 2}, "GF/s of a thread", turned);
}

// From where it enters the picture to where it meets the peak, with its name along it.
std::string memory_roof(const Axes& axes, const MemoryRoof& roof, double peak) {
  const double bandwidth = roof.bytes_per_second * 1e-9;
  const double start = std::max(axes.x_min, axes.y_min / bandwidth), end = peak / bandwidth;
  if (start >= end || end > axes.x_max) return "";
  const Spot from = axes.at(start, bandwidth * start), to = axes.at(end, peak);
  const double angle = std::atan2(to.y - from.y, to.x - from.x) * 180 / 3.14159265358979;
  const std::string turned =
      " transform=\"rotate(" + number(angle) + " " + number(from.x) + " " + number(from.y) + ")\" dx=\"10\" dy=\"-6\"";
  return line("roof", from, to) + label("name", from, roof.name + " " + fixed(bandwidth, 0) + " GB/s", turned);
}

std::string roofs_svg(const Axes& axes, const Roofs& roofs) {
  const double peak = roofs.peak * 1e-9;
  double fastest = 0;
  for (const MemoryRoof& roof : roofs.memory) fastest = std::max(fastest, roof.bytes_per_second * 1e-9);
  std::string svg;
  for (const MemoryRoof& roof : roofs.memory) svg += memory_roof(axes, roof, peak);
  const Spot end = axes.at(axes.x_max, peak);
  svg += line("roof", axes.at(std::max(axes.x_min, peak / fastest), peak), end);
  return svg + label("name", {end.x - 4, end.y - 8}, "peak " + fixed(peak, 0) + " GF/s", " text-anchor=\"end\"");
}

std::string hover_text(const ProfileRow& row) {
  std::string text = row.name + ": " + fixed(row.share * 100, 1) + " % of the time\n" + significant(gigaflops(row), 3) +
                     " GF/s, " + significant(gigaflops(row) / intensity(row), 3) + " GB/s, " +
                     significant(intensity(row), 3) + " FLOP/byte";
  if (!row.standing) return text;
  return text + "\n" + fixed(row.standing->share * 100, 0) + " % of the roof, bound by " + row.standing->bound;
}

std::string mark(const ProfileRow& row, Spot at) {
  const std::string style = std::string(row.depth > 0 ? "part " : "step ") +
                            (row.standing && row.standing->bound != "compute" ? "memory" : "compute");
  const double size = row.depth > 0 ? 4 : 6;
  if (row.standing && row.standing->bound != "compute") {
    return "<rect class=\"" + style + "\" x=\"" + number(at.x - size) + "\" y=\"" + number(at.y - size) +
           "\" width=\"" + number(2 * size) + "\" height=\"" + number(2 * size) + "\"/>\n";
  }
  return "<circle class=\"" + style + "\" cx=\"" + number(at.x) + "\" cy=\"" + number(at.y) + "\" r=\"" + number(size) +
         "\"/>\n";
}

// Names stand right of their points, and lower where a point or another name stands already.
class Names {
 public:
  void keep_clear(Spot point) { taken_.push_back({{point.x - 8, point.y + 4}, 16}); }
  Spot place(Spot point, const std::string& name) {
    const double length = double(name.size()) * letter_width;
    const bool fits = point.x + 12 + length < width - right;
    Spot at{fits ? point.x + 12 : point.x - 12 - length, point.y + 4};
    while (overlaps(at, length)) at.y += 2;
    taken_.push_back({at, length});
    return at;
  }

 private:
  struct Taken {
    Spot at;
    double length;
  };
  bool overlaps(Spot at, double length) const {
    return std::any_of(taken_.begin(), taken_.end(), [&](const Taken& other) {
      return std::abs(at.y - other.at.y) < text_height && at.x < other.at.x + other.length &&
             other.at.x < at.x + length;
    });
  }
  std::vector<Taken> taken_;
};

std::string points_svg(const Axes& axes, std::vector<ProfileRow> rows) {
  const auto unseen = std::remove_if(rows.begin(), rows.end(), [](const ProfileRow& row) { return !is_point(row); });
  rows.erase(unseen, rows.end());
  std::sort(rows.begin(), rows.end(),
            [](const ProfileRow& a, const ProfileRow& b) { return gigaflops(a) > gigaflops(b); });
  Names names;
  for (const ProfileRow& row : rows) names.keep_clear(axes.at(intensity(row), gigaflops(row)));
  std::string svg;
  for (const ProfileRow& row : rows) {
    const Spot at = axes.at(intensity(row), gigaflops(row));
    svg += "<g class=\"point\" tabindex=\"0\"><title>" + escape_html(hover_text(row)) + "</title>\n" + mark(row, at) +
           label("name", names.place(at, row.name), row.name) + "</g>\n";
  }
  return svg;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string roofline_svg(const ProfileResult& result) {
  const std::vector<ProfileRow> rows = profile_rows(result);
  const Axes axes = axes_for(rows, result.roofs.peak * 1e-9);
  return "<svg viewBox=\"0 0 " + fixed(width, 0) + " " + fixed(height, 0) +
         "\" role=\"img\" aria-label=\"Roofline of the steps\">\n" + grid(axes) + roofs_svg(axes, result.roofs) +
         points_svg(axes, rows) + "</svg>\n";
}

}  // namespace headwise::tools
