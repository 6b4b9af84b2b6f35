# The options in cfi2sframe(1) as a chapter of the manual: the part below
# "OPTIONS", in Texinfo.  It knows the requests that stand there (.TP, .IP, .PP,
# .SS, and those of fonts) and fails at any other.
# SPDX-License-Identifier: LGPL-2.1-or-later

# TEXT without what roff and Texinfo read in another way.
function plain(text) {
  gsub(/[@{}]/, "@&", text)
  gsub(/\\\(lq/, "``", text); gsub(/\\\(rq/, "\047\047", text)
  gsub(/\\[e\\]/, "\001", text); gsub(/\\&/, "", text); gsub(/\\-/, "-", text)
  gsub(/\001/, "\\", text)
  return text
}
# TEXT in FONT: B, I or R.
function set(font, text) {
  if (text == "" || font == "R") return text
  return (font == "I" ? (text ~ /\// ? "@file{" : "@var{") : text ~ /^-/ ? "@option{" : "@code{") text "}"
}
# TEXT, in which \fB, \fI and \fR change the font.
function line(text,    n, part, i, whole) {
  n = split(text, part, /\\f/)
  whole = plain(part[1])
  for (i = 2; i <= n; i++)
    whole = whole set(substr(part[i], 1, 1), plain(substr(part[i], 2)))
  return whole
}
# The words of TEXT in the fonts that FONTS names in turn; quotes keep blanks.
function words(fonts, text,    n, whole, word) {
  whole = ""
  for (n = 0; text != ""; n++) {
    if (text ~ /^"/) { match(text, /^"[^"]*"/); word = substr(text, 2, RLENGTH - 2) }
    else { match(text, /^[^ ]+/); word = substr(text, 1, RLENGTH) }
    text = substr(text, RLENGTH + 1); sub(/^ +/, "", text)
    whole = whole line("\\f" substr(fonts, n % length(fonts) + 1, 1) word)
  }
  return whole
}
function leave_table() { if (inside) print "@end table\n"; inside = 0 }

/^\.SH/ { if (on) leave_table(); on = /^\.SH OPTIONS/; next }
!on { next }
/^\.SS/ { leave_table(); sub(/^\.SS /, ""); gsub(/"/, ""); print "@section " $0 "\n"; next }
/^\.TP/ { if (!inside) print "@table @asis"; inside = title = 1; next }
title { print "@item " line($0); title = 0; next }
/^\.PP/ { leave_table(); next }
/^\.IP/ { print ""; next }
/^\.(B|I) / { request = substr($1, 2); sub(/^\.. /, ""); gsub(/"/, ""); print set(request, plain($0)); next }
/^\.(BR|IR|RB|RI) / { request = substr($1, 2); sub(/^\... /, ""); print words(request, $0); next }
/^\./ { print "options.awk: " FILENAME ":" FNR ": " $1 >"/dev/stderr"; exit bad = 1 }
{ print line($0) }
END { if (on) leave_table(); exit bad }
