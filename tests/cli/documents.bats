#!/usr/bin/env bats
# Every command in the documents is run, and the README's example prints what
# it says.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# cfi2sframe and what converts packages in PATH, as if installed.
programs_in_path ()
{
  program_in_path
  ln -sf "$srcdir"/contrib/retrofit/sframe-retrofit-* \
    "$srcdir/contrib/attest/sframe-attest" \
    "$srcdir/contrib/system/sframe-system" bin/
}

# The parts of a transcript that differ from machine to machine.
# (Newer versions of readelf have a name for the section's type.)
blur ()
{
  sed 's/LOOS+0xffffff4/GNU_SFRAME/; s/ 0 wrong/ NOTHING wrong/; s/[0-9][0-9a-f.]*/N/g; s/N ms$/N ms/; s/, [a-z-]*, N ms/, HOW, N ms/;
       s/  */ /g; s/ $//; s/0x[0-9a-fN]*/N/g; s/\[N\]/[N]/; s/0xN/N/g; s/^ N\( \.[a-z.]*\)* \.sframe/ N .sframe/'
}

@test "README: the example runs and prints what it says" {
  needs readelf
  programs_in_path
  sed -n '/^```console$/,/^```$/p' "$srcdir/README.md" | sed '1d;$d' >example
  grep -q '^\$ cfi2sframe' example
  # Run each command line as it stands, in one shell.
  grep '^\$ ' example | sed 's/^\$ //' >commands
  while IFS= read -r command; do
    printf '$ %s\n' "$command"
    eval "$command"
  done <commands >transcript 2>&1
  grep -v '^\$' example | blur >expected
  grep -v '^\$' transcript | blur >found
  diff expected found
  cmp "$(program_file bash)" bash
}

@test "README: no option is mentioned that does not exist" {
  local option
  "$CFI2SFRAME" --help=all >help
  # One of them is of glibc's configure.
  { grep -oE 'cfi2sframe [^|`)#]*' "$srcdir/README.md" | grep -oE -- ' --?[a-z][a-z-]*'
    grep -oE -- '`--[a-z][a-z-]*' "$srcdir/README.md" | tr '`' ' '
  } | sort -u | grep -vx ' --enable-sframe' >options
  [ "$(wc -l <options)" -ge 5 ]
  for option in $(cat options); do
    grep -qE -- "(^| )$option([ ,=[]|$)" help || [ "$option" = -vv ] \
      || { echo "$option"; return 1; }
  done
}

# The options as they stand in --help=all, such as "-o, --output=OUT".
options_of_help ()
{
  "$CFI2SFRAME" --help=all | sed -nE 's/^ {2,6}((-., )?--[^ ]+).*/\1/p' | LC_ALL=C sort
}

@test "cfi2sframe(1) has the options of --help, and no other" {
  options_of_help >help
  [ "$(wc -l <help)" -ge 30 ]
  options_of_page cfi2sframe >page
  diff help page
  # The manual's chapter is made of the page.
  local page=$srcdir/doc/use/cfi2sframe.1 make=$srcdir/doc/use/options.awk
  awk -f "$make" "$page" >chapter
  sed -n 's/^@item //p' chapter | sed -E 's/@(option|code|var)\{([^}]*)\}/\2/g' \
    | LC_ALL=C sort | diff help -
  [ "$(grep -c '^@table' chapter)" -eq "$(grep -c '^@end table' chapter)" ]
  run -1 awk -f "$make" <<<$'.SH OPTIONS\n.TS'
  [[ $output == *.TS ]] || report
}

# The options as they stand in the manual page of PROGRAM.
options_of_page ()
{
  sed -nE '/^\.SH OPTIONS/,/^\.SH "?EX/s/^\\fB(.*)/\1/p' \
    "$(manual_pages | grep "/$1\.1$")" \
    | sed -E 's/\\f[BIR]//g; s/\\-/-/g' | LC_ALL=C sort
}

# The programs that this build has and that have a manual page; all in PATH.
all_programs ()
{
  local program
  programs_in_path
  for program in stacks/sframe-stack stacks/sframe-profile prove/sframe-prove; do
    [ ! -x "$builddir/$program" ] || ln -sf "$builddir/$program" bin/
  done
  basename -a bin/* | grep -v '\.1$'
}

# What PROGRAM says of all its options.
whole_help ()
{
  "$1" --help=all 2>/dev/null || "$1" --help
}

# The long options in it.
long_options ()
{
  whole_help "$1" | sed -nE 's/^ {2,6}(-[^-].*, )?(--[a-z0-9-]+).*/\2/p' \
    | LC_ALL=C sort -u
}

# What bash completes for the words given; the last one is being typed.
completions_for ()
{
  # shellcheck disable=SC2016
  bash -c '
    _init_completion ()
    {
      cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} split=false
    }
    _filedir () { COMPREPLY+=(FILE); }
    compopt () { :; }
    source "$0"
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    name=_$1
    "${name//-/_}" "$1"
    printf "%s\n" "${COMPREPLY[@]}"' \
    "$builddir/contrib/completions/bash/$1" "$@"
}

# What zsh is told of the options of PROGRAM.
zsh_arguments ()
{
  # shellcheck disable=SC2016
  zsh -f -c 'functions[complete_it]=$(<$1)
    _call_program () { shift; "$@" }
    _arguments () { print -l -- "$@" }
    words=($2); complete_it' zsh "$builddir/contrib/completions/zsh/_$1" "$1"
}

# Have PROGRAM in recorded/, which says of its options what the real one says: four
# shells ask, and a program in Python takes a tenth of a second to start.
record_help ()
{
  local option answer
  mkdir -p recorded
  {
    echo '#!/bin/sh'
    echo 'case $* in'
    for option in --help=all --help; do
      answer=$PWD/recorded/$1$option
      "$1" "$option" >"$answer" 2>/dev/null && echo "$option) cat '$answer' ;;"
    done
    echo '*) exit 2 ;;'
    echo esac
  } >"recorded/$1"
  chmod +x "recorded/$1"
}

@test "manual pages and completions have the options of --help" {
  needs python3 awk
  local program programs folder=$builddir/contrib/completions
  programs=$(all_programs)
  PATH=$PWD/recorded:$PWD/bin:$PATH
  for program in $programs; do
    record_help "$program"
    hash -r
    long_options "$program" >help
    grep -qx -e --version help
    if [ "$program" != sframe-prove ]; then
      options_of_page "$program" | grep -oE -- '--[a-z0-9-]+' \
        | LC_ALL=C sort -u | diff help - || { echo "page of $program"; return 1; }
    fi
    completions_for "$program" -- | sed 's/=$//' | LC_ALL=C sort -u \
      | diff help - || { echo "bash, $program"; return 1; }
    if command -v fish >/dev/null; then
      fish -c "source $folder/fish/$program.fish; complete -C'$program --'" \
        | cut -f 1 | sed 's,=$,,' | LC_ALL=C sort -u | diff help - \
        || { echo "fish, $program"; return 1; }
    fi
    if command -v zsh >/dev/null; then
      zsh_arguments "$program" | sed -nE 's/^\*(--[a-z0-9-]+).*/\1/p' \
        | LC_ALL=C sort -u | diff help - || { echo "zsh, $program"; return 1; }
    fi
  done
}

@test "completions offer values that the program takes" {
  needs awk
  local option value known count=0
  small_program
  program_in_path
  cfi2sframe --help=all | awk -f "$srcdir/contrib/completions/help.awk" >options
  while IFS=';' read -r _ option _ known _; do
    [ -n "$known" ] && [ "$option" != --files0-from ] || continue
    for value in $known; do
      count=$((count + 1))
      cfi2sframe --section-only=out "$option=$value" small >log 2>&1 \
        || { echo "$option=$value"; cat log; return 1; }
    done
    completions_for cfi2sframe "$option" '' | diff <(printf '%s\n' $known) -
    exits 2 --section-only=out "$option=nonsense" small
  done <options
  [ "$count" -ge 20 ]
  grep -q '^;--format;=VERSION;3 2 2.0 1 compact-unwind;' options
  grep -q '^;--skip-unconvertible;\[=no\];no;' options
  # Files and folders by the names that help has for them.
  [ "$(completions_for cfi2sframe -o '')" = FILE ]
  [ "$(completions_for cfi2sframe --min-coverage '')" = "" ]
  if command -v fish >/dev/null; then
    fish -c "source $builddir/contrib/completions/fish/cfi2sframe.fish
      complete -C'cfi2sframe --sync='" | cut -f 1 >fish
    diff fish - <<<$'--sync=end\n--sync=file\n--sync=none'
  fi
  if command -v zsh >/dev/null; then
    zsh_arguments cfi2sframe >zsh
    grep -qF ':value:(file end none)' zsh
  fi
}

# Completions of each form of help: argp's, and that of Python's argparse.
@test "completions read names, values and texts from help" {
  needs awk
  awk -f "$srcdir/contrib/completions/help.awk" >found <<'END'
usage: x [-h] [--aa NAME] -o DIR
         [--ee N]

  -a, --all=ONE              The file's 'x' or 'yy', it is 'zz'
      --bare                 Text
                             in two lines
      --optional[=some]      With =some
      --min-coverage=PERCENT Less
  -h, --help            show this
  -o DIR, --output DIR  to it
  --level LEVEL
                        alone

Options after -- are others.
END
  diff found - <<'END'
-a;--all;=ONE;x yy zz;The file's 'x' or 'yy', it is 'zz'
;--bare;;;Text in two lines
;--optional;[=some];some;With =some
;--min-coverage;=PERCENT;;Less
-h;--help;;;show this
-o;--output;=DIR;;to it
;--level;=LEVEL;;alone
END
}

@test "every program has its completions in three shells" {
  local program folder=$builddir/contrib/completions
  for program in $(manual_pages | grep '\.1$'); do
    program=$(basename "$program" .1)
    [ -x "$builddir/stacks/sframe-stack" ] \
      || [[ $program != sframe-@(stack|profile|prove) ]] || continue
    bash -n "$folder/bash/$program"
    [ -f "$folder/fish/$program.fish" ]
    head -n 1 "$folder/zsh/_$program" | grep -qx "#compdef $program"
  done
}

# Run the examples of a manual page: the lines between .nf and .fi.
run_examples ()
{
  sed -n '/^\.SH EXAMPLES/,/^\.SH/p' "$1" | sed -n '/^\.nf/,/^\.fi/p' \
    | grep -v '^\.' | sed 's/\\-/-/g; s/\\e/\\/g' >examples.sh
  [ -s examples.sh ]
  bash -e -o pipefail examples.sh
}

@test "cfi2sframe(1): the examples run" {
  needs jq readelf
  programs_in_path
  # head closes the pipe early; that is not a failure of the example.
  sed 's/bash | head$/bash | sed -n 1,10p/' "$srcdir/doc/use/cfi2sframe.1" >page
  run_examples page
  has_sframe bash
  has_sframe true.sframe
  has_sframe programs/true
}

@test "cfi2sframe(1): every member of --stats=json is explained" {
  needs jq
  local member
  small_program f
  {
    "$CFI2SFRAME" -r --stats=json --analyze .
    "$CFI2SFRAME" -r --stats=json --check .
  } >json
  sed -n '/^\.SH STATISTICS/,/^\.SH EXAMPLES/p' "$srcdir/doc/use/cfi2sframe.1" >page
  jq -r 'recurse | objects | keys[]' json | sort -u | grep -v - >members
  [ "$(wc -l <members)" -gt 20 ]
  while read -r member; do
    grep -qw "$member" page || { echo "$member"; return 1; }
  done <members
}

# By the source: no test has a frame of each kind.
@test "sframe-stack(1): every member of --json is explained" {
  local member
  grep -o '\\"[a-z]*\\":\|put_[a-z]* ("[a-z]*"' "$srcdir/stacks/stack_print.c" \
    | sed 's/put_[a-z]* //' | tr -dc 'a-z\n' | sort -u >members
  [ "$(wc -l <members)" -ge 15 ]
  while read -r member; do
    grep -q "^\.\(B\|BR\|RB\) .*\<$member\>" "$srcdir/stacks/sframe-stack.1" \
      || { echo "not explained: $member"; return 1; }
  done <members
}

# It was a traceback, with --help, too.
@test "programs in Python: --help, and our --version, without modules that only some Pythons have" {
  needs python3
  local module name option program programs version
  version=$("$CFI2SFRAME" --version | cut -d ' ' -f 2)
  mapfile -t programs < <(grep -sl '^#!.*python3' "$srcdir"/contrib/*/*)
  [ "${#programs[@]}" -ge 7 ]
  mkdir none
  for module in debian lzma bz2 gzip zlib _lzma _bz2; do
    echo 'raise ImportError' >none/$module.py
  done
  for program in "${programs[@]}"; do
    for option in --help --version; do
      PYTHONPATH=$PWD/none run -0 --separate-stderr \
        "$(program_file python3)" "$program" $option
      [ -z "$stderr" ]
    done
    [ "$output" = "${program##*/} $version" ] || report
  done
  # The modules that are installed with them.
  for program in "${programs[@]}"; do
    name=${program##*/}
    mkdir -p "alone/bin"
    cp "$program" alone/bin
    run -1 --separate-stderr "$(program_file python3)" "alone/bin/$name" x
    [[ $stderr =~ ^$name:\ Python\'s\ module\ sframe_[a-z]*\ is\ missing$ ]] || report
  done
}

@test "sframe-attest(1): the example runs" {
  needs python3
  programs_in_path
  run_examples "$srcdir/contrib/attest/sframe-attest.1"
  grep -q '"predicateType"' bash.intoto.json
}

@test "sframe-system(1): the examples run" {
  needs python3 dpkg
  [ -s /var/lib/dpkg/info/coreutils.md5sums ] || skip "no coreutils of dpkg's"
  programs_in_path
  # Somebody may be installing packages here, and images lack documents.
  sed '/convert$/d; s/^sframe-system verify.*/& || [ $? -eq 1 ]/' \
    "$srcdir/contrib/system/sframe-system.1" >page
  run_examples page
}

@test "sframe-retrofit-deb(1): the example runs" {
  needs python3 dpkg-deb
  programs_in_path
  # A package at hand instead of one from the network.
  mkdir -p root/usr/bin
  small_program root/usr/bin/hello
  make_deb hello_1_amd64.deb root "Package: hello" "Version: 1" "Architecture: amd64"
  sed 's/^apt-get download.*/:/' "$srcdir/contrib/retrofit/sframe-retrofit-deb.1" >page2
  run_examples page2
  [ -f new/hello_1A~sframe1_amd64.deb ]
}

# PROGRAM's manual page has the options of its help.
same_options ()
{
  "$1" --help | sed -nE 's/^ {2,6}((-., )?--[^ ]+).*/\1/p' | LC_ALL=C sort >help
  [ -s help ]
  options_of_page "$(basename "$1")" | diff help -
}

@test "sframe-stack(1): the options are those of --help, the examples run" {
  local stack
  stack=$builddir/stacks/sframe-stack
  [ -x "$stack" ] || skip "built without libdw"
  same_options "$stack"
  sleep 600 3>&- &
  children+=("$!")
  "$stack" $! >/dev/null 2>log \
    || { grep -q permitted log && skip "tracing is not permitted here"; }
  programs_in_path
  ln -s "$stack" bin/
  run run_examples "$srcdir/stacks/sframe-stack.1"
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  [[ ${lines[-1]} == "  (no SFrame data: libc.so.6: it has no .sframe)" ]] \
    || { echo "$output"; return 1; }
  [[ $output == *"  (the outermost frame)"* ]]
}

@test "sframe-profile(1): the options are those of --help, the examples run" {
  local profile
  profile=$builddir/stacks/sframe-profile
  [ -x "$profile" ] || skip "built without libdw"
  same_options "$profile"
  "$profile" -q -o /dev/null -- sh -c 'i=0
    while [ $i -lt 200000 ]; do i=$((i + 1)); done' 2>log \
    || { grep -q permitted log && skip "tracing is not permitted here"; }
  programs_in_path
  ln -s "$profile" bin/
  run run_examples "$srcdir/stacks/sframe-profile.1"
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  grep -q '<svg ' md5.html
}

@test "manual pages have no formatting errors" {
  needs man
  local page
  for page in $(manual_pages); do
    [ -z "$(MANROFFSEQ='' man --warnings -l "$page" 2>&1 >/dev/null)" ]
  done
}

@test "the manual is made without warnings; its pictures are there" {
  needs makeinfo make
  run makeinfo --no-split -I "$srcdir/doc/use" -o manual.info \
    "$srcdir/doc/use/cfi2sframe.texi"
  [ "$status" -eq 0 ] && [ -z "$output" ] || { echo "$output"; return 1; }
  [ -w "$builddir" ] || skip "the build folder is read-only"
  make -s -C "$builddir" html >log 2>&1 || { cat log; return 1; }
  local picture
  sed -n 's/.*<img [^>]*src="\([^"]*\)".*/\1/p' \
    "$builddir"/doc/use/cfi2sframe.html/*.html >pictures
  [ -s pictures ]
  while read -r picture; do
    [ -f "$builddir/doc/use/cfi2sframe.html/$picture" ] \
      || { echo "no $picture"; return 1; }
  done <pictures
}

@test "security.md: the limits are those of the source" {
  local line name file count=0
  while IFS= read -r line; do
    for name in $(grep -oE '`[A-Z_]+`' <<<"$line" | tr -d '`'); do
      # The file is the one that is named next.
      file=$(sed "s/.*\`$name\`[^/]* in \([A-Za-z0-9_./-]*\).*/\1/" <<<"$line")
      count=$((count + 1))
      grep -qE "\b$name(:[^=]*)? = |#define $name " "$srcdir/$file" \
        || { echo "$file has no $name"; return 1; }
    done
  done < <(sed -n '/^## Limits/,/^## What happens/p' \
             "$srcdir/doc/use/security.md" | grep '^| .*`[A-Z_]*`')
  [ "$count" -ge 30 ]
}

# A rewriting had left ".IR DIR ." behind the sentence that now ended in it.
@test "no manual page ends a sentence twice with the same line" {
  run ! awk '
    FNR == 1 { split("", before) }
    { words = $0; sub(/[ .,;]+$/, "", words) }
    /\.$/ && length(words) > 5 {
      for (i = 1; i <= 3; i++)
        if (words == before[i]) { print FILENAME ":" FNR ": " $0; found = 1 }
    }
    { before[FNR % 3 + 1] = words }
    END { exit !found }' \
    "$srcdir"/{doc/use,stacks,prove,walk}/*.[13] "$srcdir"/contrib/*/*.1
}

@test "every file of the source that a document names exists" {
  cd "$srcdir"
  local name count=0 missing= product_folders
  product_folders=$(. tools/common.sh && echo "$product_folders")
  # Paths below the folders that the archive has, too; names of source files alone.
  sed '/^#include </d; s/\\-/-/g; s/@@/@/g' README.md NEWS doc/README doc/develop/HACKING doc/develop/TESTING \
    doc/formats/injection doc/formats/smaller.md doc/use/security.md doc/use/speed compact-unwind/*.md \
    doc/use/*.texi doc/use/*.[13] {prove,stacks}/*.1 walk/*.3 contrib/*/*.1 contrib/*/README {tests,contrib,src}/README >"$BATS_TEST_TMPDIR/text"
  while read -r name; do
    count=$((count + 1))
    # A program is made from its source; "*" stands for itself in the text.
    compgen -G "$name" >/dev/null || [ -f "$name.c" ] || missing+=" $name"
  done < <(grep -oE "(^|[^A-Za-z0-9_/.-])(${product_folders// /|}|contrib|doc|include|tests|tools)/[A-Za-z0-9_./*-]*[A-Za-z0-9_*]" \
             "$BATS_TEST_TMPDIR/text" | sed 's/^[^A-Za-z.]//' \
             | grep -vxF src/env/__init_tls.c | sort -u) # musl's
  # Names of other projects' sources: Apple's, glibc's, elfutils', musl's, Linux's.
  find $product_folders conformance tests tools doc contrib include -printf '%f\n' \
    >"$BATS_TEST_TMPDIR/names"
  missing+=${missing:+ }$(grep -oE '[A-Za-z0-9_-]+\.(c|h|sh|bats|py)\b' "$BATS_TEST_TMPDIR/text" \
    | sort -u | grep -vxE 'compact_unwind_encoding\.h|rtld\.c|dl-load\.c|dl-map-segments\.h|dwfl_module_getdwarf\.c|(__init_tls|dynlink|buildid|coredump|binfmt_elf)\.c' \
    | grep -vxFf "$BATS_TEST_TMPDIR/names" || true)
  [ "$count" -ge 80 ]
  [ -z "$missing" ] || { echo "missing:$missing"; return 1; }
}

@test "each folder of tests/ and contrib/ is named in its README" {
  local folder
  for folder in "$srcdir"/{tests,contrib}/*/; do
    grep -qE "  $(basename "$folder")/( |$)" "${folder%/*/}/README" \
      || [[ $folder == *__pycache__* ]] || { echo "$folder"; return 1; }
  done
}

@test "dh_sframe has a manual page" {
  needs pod2man man
  pod2man "$srcdir/contrib/debian/dh_sframe" >page.1
  man -l page.1 | grep -q 'cfi2sframe'
  [ -z "$(podchecker "$srcdir/contrib/debian/dh_sframe" 2>&1 \
            | grep -v 'syntax OK')" ]
}
