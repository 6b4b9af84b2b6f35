#!/bin/sh
# Every message of the library is explained in doc/use/messages.texi.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# xgettext finds the strings (it joins adjacent literals); what varies is
# compared as "...".

srcdir=${srcdir-.}
echo "1..1"
if ! command -v xgettext >/dev/null 2>&1; then
  echo "ok 1 # SKIP xgettext (gettext) is not installed"
  exit 0
fi
temporary=$(mktemp -d) || exit 1
trap 'rm -rf "$temporary"' EXIT
trap 'exit 99' HUP INT TERM

find "$srcdir/src" "$srcdir/relocatable" -name '*.c' | LC_ALL=C sort \
  | xgettext -f - -o - --no-location --no-wrap --omit-header --keyword= \
      --keyword=error_set:3 --keyword=error_set_word:4 --keyword=error_set_at:4 \
      --keyword=refuse:3 \
      --from-code=UTF-8 2>/dev/null \
  | sed -n 's/^msgid "\(.*\)"$/\1/p' \
  | sed 's/0x%/%/g; s/%[^a-z<]*\(<[A-Za-z0-9]*>\|[a-z]*[diuxjscop]\)/.../g; s/\(\.\.\.\)\{2,\}/.../g' \
  | grep -v '^\.\.\.$' | LC_ALL=C sort -u >"$temporary/source"
sed -n 's/^@itemx\{0,1\} //p' "$srcdir/doc/use/messages.texi" | LC_ALL=C sort -u \
  >"$temporary/manual"

count=$(wc -l <"$temporary/source")
missing=$(LC_ALL=C comm -23 "$temporary/source" "$temporary/manual")
if [ "$count" -lt 100 ]; then
  echo "not ok 1 - only $count messages found in the source"
elif [ -n "$missing" ]; then
  echo "not ok 1 - messages without explanation"
  printf '%s\n' "$missing" | sed 's/^/# /'
else
  echo "ok 1 - all $count messages are explained"
fi
