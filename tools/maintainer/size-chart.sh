#!/bin/sh
# Draw .sframe sizes relative to .eh_frame + .eh_frame_hdr as an SVG file.
#   sh tools/maintainer/size-chart.sh FILE... >doc/use/size.svg
# Needs a built tree and jq.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -eu
tool=$(dirname "$0")/../../build/src/cfi2sframe

measure ()
{
  "$tool" -n --replace --stats=json $1 "$2" \
    | jq -r '.sframe_bytes / (.eh_frame_bytes + .eh_frame_hdr_bytes)'
}

for file in "$@"; do
  file=$(readlink -f "$file")
  printf '%s %s %s %s\n' "${file##*/}" "$(measure --no-share "$file")" \
    "$(measure "" "$file")" "$(measure --compact "$file")"
done | awk '
  BEGIN {
    colour[2] = "#b8c4d0"; colour[3] = "#3b7dd8"; colour[4] = "#1d3f73"
    label[2] = "--no-share (as linkers do)"
    label[3] = "default"; label[4] = "--compact"
    left = 190; width = 430; top = 56; bar = 11; gap = 14
  }
  { name[NR] = $1; for (i = 2; i <= 4; i++) value[NR, i] = $i }
  function x(ratio) { return left + width * ratio / 1.1 }
  END {
    bottom = top + NR * (3 * bar + gap)
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"680\" "
    printf "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n", \
      bottom + 30
    printf "<title>Size of .sframe relative to .eh_frame and .eh_frame_hdr"
    printf "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
    for (i = 2; i <= 4; i++) {
      at = 20 + (i - 2) * 220
      printf "<rect x=\"%d\" y=\"14\" width=\"12\" height=\"12\" fill=\"%s\"/>", \
        at, colour[i]
      printf "<text x=\"%d\" y=\"24\">%s</text>\n", at + 18, label[i]
    }
    for (tick = 0; tick <= 1; tick += 0.25) {
      printf "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" ", \
        x(tick), top - 8, x(tick), bottom
      printf "stroke=\"%s\"/>", tick == 1 ? "#c00" : "#ddd"
      printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.2f</text>\n", \
        x(tick), bottom + 16, tick
    }
    for (n = 1; n <= NR; n++) {
      y = top + (n - 1) * (3 * bar + gap)
      printf "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", \
        left - 8, y + 21, name[n]
      for (i = 2; i <= 4; i++) {
        printf "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" ", \
          left, y + (i - 2) * bar, x(value[n, i]) - left, bar - 1
        printf "fill=\"%s\"/>", colour[i]
        printf "<text x=\"%.1f\" y=\"%d\" font-size=\"9\">%.2f</text>\n", \
          x(value[n, i]) + 3, y + (i - 2) * bar + 9, value[n, i]
      }
    }
    print "</svg>"
  }'
