# fish completion for cfi2sframe
# SPDX-License-Identifier: LGPL-2.1-or-later

# The program knows its options best: take name and text from its help.
cfi2sframe --help=all 2>/dev/null | while read -l line
    set -l m (string match -r -- '^\s*(?:-(\w)(?:, ))?--([a-z0-9-]+)(\[?=\S+)?\s*(.*)$' $line)
    or continue
    set -l short $m[2]
    set -l long $m[3]
    set -l args
    test -n "$short"; and set -a args -s $short
    string match -q '=*' -- "$m[4]"; and set -a args -r
    complete -c cfi2sframe $args -l $long -d "$m[5]"
end
complete -c cfi2sframe -l format -x -a '3 2 2.0 1 compact-unwind'
complete -c cfi2sframe -l for -x -a 'linux glibc libsframe libsframe-2.44 libsframe-2.40'
complete -c cfi2sframe -l debug-info -x -a 'own auto none'
complete -c cfi2sframe -l sync -x -a 'file end none'
complete -c cfi2sframe -l gnu -f -a 'bugs'
complete -c cfi2sframe -l help -f -a 'all'
complete -c cfi2sframe -l replace -f -a 'yes auto no'
complete -c cfi2sframe -l stats -f -a 'json junit sarif github'
