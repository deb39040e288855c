//===- Plot.cpp - A table as a picture ---------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Table.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace bwgemm::bench {
namespace {

/// The picture's measures, in pixels.
constexpr double left = 70, right = 20, top = 60, bottom = 150, height = 300;

/// Of the schedules, in order; told apart also by the colour-blind.
constexpr const char *colours[] = {"#0072b2", "#e69f00", "#009e73",
                                   "#cc79a7", "#56b4e9", "#d55e00"};
constexpr const char *baselineColour = "#444444";
constexpr const char *dropColour = "#d00000";

__attribute__((format(printf, 1, 2))) std::string format(const char *pattern,
                                                         ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

std::string escape(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '<'   ? "&lt;"
              : c == '>' ? "&gt;"
              : c == '&' ? "&amp;"
                         : std::string(1, c);
  return result;
}

/// A step of 1, 2 or 5 times a power of ten that divides `greatest` into a
/// handful of parts.
double tickStep(double greatest) {
  double raw = greatest / 6, power = std::pow(10, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power)
      return factor * power;
  return 10 * power;
}

class Plot {
public:
  explicit Plot(const Table &table) : table(table) {
    for (const Row &row : table.rows)
      if (std::find(schedules.begin(), schedules.end(), row.asked) ==
          schedules.end())
        schedules.push_back(row.asked);
    for (const Row &row : table.rows)
      for (double v : {value(row), baseline(row), ceiling(row)})
        greatest = std::max(greatest, v);
    if (greatest <= 0)
      greatest = 1;
  }

  std::string draw() {
    table.sweep.axis ? drawSweep() : drawBars();
    return text + "</svg>\n";
  }

private:
  /// What is drawn of a row; 0 for nothing.
  double value(const Row &row) const {
    return table.emulated ? row.emulatedSeconds : row.tflops();
  }
  double baseline(const Row &row) const {
    return row.baseline > 0 ? row.problem.flops() / row.baseline * 1e-6 : 0;
  }
  double ceiling(const Row &row) const {
    return row.floor > 0 ? row.problem.flops() / row.floor * 1e-6 : 0;
  }
  double y(double v) const {
    return top + height * (1 - v / (1.05 * greatest));
  }

  const char *colourOf(const std::string &schedule) const {
    size_t index =
        size_t(std::find(schedules.begin(), schedules.end(), schedule) -
               schedules.begin());
    return colours[index % std::size(colours)];
  }

  void line(double x1, double y1, double x2, double y2, const char *colour,
            const char *style = "") {
    text += format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
                   "stroke=\"%s\" %s/>\n",
                   x1, y1, x2, y2, colour, style);
  }

  void label(double x, double y, const std::string &words,
             const char *style = "") {
    text += format("<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style) +
            escape(words) + "</text>\n";
  }

  /// Frame, title, scale and legend of a picture whose plot is `width` wide.
  void begin(double width) {
    double whole = std::max(left + width + right, 640.0);
    text = format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
                  "height=\"%.0f\" font-family=\"sans-serif\" "
                  "font-size=\"11\">\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                  whole, top + height + bottom);
    label(left, 20, table.device + ", " + table.target,
          "font-size=\"14\" font-weight=\"bold\"");
    const char *unit = table.emulated
                           ? "seconds of emulation, which say nothing of speed"
                           : "TFLOPS";
    label(8, top - 8, unit);
    double step = tickStep(greatest);
    for (double v = 0; v <= 1.05 * greatest; v += step) {
      line(left, y(v), left + width, y(v), "#dddddd");
      label(left - 6, y(v) + 4, format("%g", v), "text-anchor=\"end\"");
    }
    double x = left;
    auto key = [&](const std::string &words, const char *colour) {
      text += format("<rect x=\"%.1f\" y=\"30\" width=\"10\" height=\"10\" "
                     "fill=\"%s\"/>\n",
                     x, colour);
      label(x + 14, 39, words);
      x += 30 + 6.2 * double(words.size());
    };
    for (const std::string &schedule : schedules)
      key(schedule, colourOf(schedule));
    if (!table.baseline.empty())
      key("cuBLASLt", baselineColour);
    if (table.ceilings.bytesPerSecond > 0)
      key("ceiling (dashed)", "#999999");
  }

  void drawBars() {
    constexpr double bar = 14, gap = 14;
    std::vector<std::pair<std::string, std::vector<const Row *>>> groups;
    for (const Row &row : table.rows) {
      std::string name = row.problem.text();
      if (groups.empty() || groups.back().first != name)
        groups.push_back({name, {}});
      groups.back().second.push_back(&row);
    }
    double group = gap + bar * double(schedules.size());
    begin(group * double(groups.size()));
    double x = left;
    for (const auto &[name, rows] : groups) {
      double at = x + gap / 2, end = x + group - gap / 2;
      for (const Row *row : rows) {
        if (double v = value(*row); v > 0)
          text += format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                         "height=\"%.1f\" fill=\"%s\"><title>",
                         at, y(v), bar - 1, top + height - y(v),
                         colourOf(row->asked)) +
                  escape(name + ", " + row->asked + ": " + format("%.4g", v)) +
                  "</title></rect>\n";
        at += bar;
      }
      if (double v = baseline(*rows.front()); v > 0)
        line(at - bar * double(rows.size()) - 2, y(v), end + 2, y(v),
             baselineColour, "stroke-width=\"2\"");
      if (double v = ceiling(*rows.front()); v > 0)
        line(x + gap / 2 - 2, y(v), end + 2, y(v), "#999999",
             "stroke-dasharray=\"3 2\"");
      double middle = (x + gap / 2 + end) / 2 + 4, foot = top + height + 10;
      label(middle, foot, name,
            format("text-anchor=\"end\" transform=\"rotate(-45 %.1f %.1f)\"",
                   middle, foot)
                .c_str());
      x += group;
    }
  }

  template <typename Value>
  void curve(const std::vector<const Row *> &points, Value value,
             const char *colour, const char *style) {
    std::string path;
    for (const Row *row : points)
      if (double v = value(*row); v > 0)
        path += format("%s%.1f %.1f", path.empty() ? "M" : " L", x(*row), y(v));
    if (!path.empty())
      text += "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + colour +
              "\" " + style + "/>\n";
  }

  double x(const Row &row) const {
    Problem problem = row.problem;
    double size = double(sizeAlong(problem, table.sweep.axis));
    double first = double(table.sweep.first);
    double span = std::max(double(table.sweep.last) - first, 1.0);
    return left + sweepWidth * (size - first) / span;
  }

  void drawSweep() {
    begin(sweepWidth);
    if (schedules.empty())
      return;
    const Sweep &sweep = table.sweep;
    double step = tickStep(double(sweep.last));
    for (double v = std::ceil(double(sweep.first) / step) * step;
         v <= double(sweep.last); v += step) {
      double at = left + sweepWidth * (v - double(sweep.first)) /
                             std::max(double(sweep.last - sweep.first), 1.0);
      line(at, top + height, at, top + height + 4, "#444444");
      label(at, top + height + 18, format("%g", v), "text-anchor=\"middle\"");
    }
    std::string other =
        table.rows.empty()
            ? ""
            : " (" + table.rows[0].problem.text() + " is the first)";
    label(left, top + height + 40, std::string(1, sweep.axis) + other);
    std::vector<const Row *> points;
    for (const Row &row : table.rows)
      if (row.asked == schedules.front())
        points.push_back(&row);
    curve(
        points, [&](const Row &row) { return ceiling(row); }, "#999999",
        "stroke-dasharray=\"3 2\"");
    curve(
        points, [&](const Row &row) { return baseline(row); }, baselineColour,
        "");
    for (const std::string &schedule : schedules) {
      points.clear();
      for (const Row &row : table.rows)
        if (row.asked == schedule)
          points.push_back(&row);
      curve(
          points, [&](const Row &row) { return value(row); },
          colourOf(schedule), "stroke-width=\"1.5\"");
      for (const Row *row : points)
        if (row->drop)
          text += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" "
                         "fill=\"none\" stroke=\"%s\"><title>",
                         x(*row), y(value(*row)), dropColour) +
                  escape("drop: " + row->problem.text()) +
                  "</title></circle>\n";
    }
  }

  static constexpr double sweepWidth = 900;
  const Table &table;
  std::vector<std::string> schedules;
  double greatest = 0;
  std::string text;
};

} // namespace

std::string makeSvg(const Table &table) { return Plot(table).draw(); }

} // namespace bwgemm::bench
