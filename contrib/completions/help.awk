# The options in the help of a program (of argp, or of argparse in Python), each
# on a line: short name; long name; value; known values; text.  The value is as
# it stands in the help, from "=" or "[=" on, or empty.  Its known values stand
# in quotes in the text, or in the value itself, in small letters.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# All completions contain this, in single quotes of their shell.

function put(    rest, known) {
  if (long == "" || seen[long]++) return
  if (value ~ /^\[?=[a-z|]+\]?$/ \
      && text !~ /[ (]\047/) { known = value; gsub(/[^a-z]+/, " ", known) }
  rest = " " text
  while (match(rest, /[ (]\047[a-z0-9.-]+\047/)) {
    known = known " " substr(rest, RSTART + 2, RLENGTH - 3)
    rest = substr(rest, RSTART + RLENGTH)
  }
  gsub(/^ +| +$/, "", known)
  print short ";" long ";" value ";" known ";" text
}
/^  +(-., |-. [A-Z]+, )?--[a-z0-9-]+/ && !/^       / {
  put()
  text = $0; sub(/^ +/, "", text)
  short = value = ""
  if (text ~ /^-[^-]/) short = substr(text, 1, 2)
  sub(/^-[^-][^-]*, /, "", text)
  match(text, /^--[a-z0-9-]+/)
  long = substr(text, 1, RLENGTH); text = substr(text, RLENGTH + 1)
  if (match(text, /^\[?=[^ ]+/)) value = substr(text, 1, RLENGTH)
  else if (match(text, /^ [A-Z][^ ]*(  |$)/)) value = "=" substr(text, 2)
  text = substr(text, (value == "" ? 0 : RLENGTH) + 1)
  sub(/ .*/, "", value); sub(/^ +/, "", text)
  next
}
/^        +[^ ]/ { line = $0; sub(/^ +/, "", line); text = text (text == "" ? "" : " ") line; next }
{ put(); long = "" }
END { put() }
