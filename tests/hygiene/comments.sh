#!/bin/sh
# Do comments name their subject?  Of the sins against that, those that a pattern
# can find: persons instead of functions, files and users ("nobody calls it"),
# and code that believes or wants.  And are there two blanks behind full stops?
# Where clang-format breaks a line, it joins the rest to the next line by one.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
LC_ALL=C
export LC_ALL
: "${srcdir:=.}"
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
. "$srcdir/tests/tap.sh"
log=$tree/found

# The lines of comments in FILE... that have such a word, or one blank behind a
# full stop.
sins ()
{
  awk '
    FNR == 1 { inside = 0 }
    {
      text = $0
      gsub (/"([^"\\]|\\.)*"/, "", text)
      comment = inside ? text : ""
      if (!inside && (begin = index (text, "/*")) > 0)
        {
          comment = substr (text, begin)
          inside = 1
        }
      if (inside && index (comment, "*/") > 0)
        inside = 0
      cramped = comment ~ /[a-z)]\. ([A-Z]|[a-z0-9]+_)/
      gsub (/[^A-Za-z]+/, " ", comment)
      if (cramped || tolower (" " comment " ") ~ \
          / (nobody|anybody|somebody|everybody|believe|believes|believed|wants|thinks) /)
        print FILENAME ":" FNR ": " $0
    }' "$@" >"$log"
  [ -s "$log" ]
}

# How many of the lines on standard input are found.
found ()
{
  cat >"$tree/lines.c"
  sins "$tree/lines.c"
  [ "$(wc -l <"$log")" -eq "$1" ]
}

no_sins ()
{
  { product_files "$srcdir" '*.[ch]' && find "$srcdir/include" -name '*.h'; } \
    >"$tree/files"
  [ -s "$tree/files" ] || return 1
  # No name of a file has a blank.
  # shellcheck disable=SC2046
  ! sins $(cat "$tree/files")
}

echo "1..4"
check "comments name functions, files and users, and no persons" no_sins
check "those that do not are found" found 3 <<'END'
/* Nobody calls it.  */
int flags; /* the reader believes the header */
/* What the
   analysis wants, and somebody
   must have.  */
END
check "so is one blank behind a full stop" found 3 <<'END'
/* The first. The second.  */
/* It is opened. image_close closes it.  */
/* What is
   read (or not). NULL: nothing.  */
END
check "code and strings are not comments" found 0 <<'END'
  print ("nobody believes it"); /* no user reads the "nobody" of this */
  print ("it. No"); /* 3 are read.  Others are not.  */
  int wants = nobody;
/* A wanted file.  */
END
