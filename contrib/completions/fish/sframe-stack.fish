# fish completion for sframe-stack
# SPDX-License-Identifier: LGPL-2.1-or-later

# The program knows its options best: take name and text from its help.
sframe-stack --help 2>/dev/null | while read -l line
    set -l m (string match -r -- '^\s*(?:-(\w)(?:, ))?--([a-z0-9-]+)(\[?=\S+)?\s*(.*)$' $line)
    or continue
    set -l args
    test -n "$m[2]"; and set -a args -s $m[2]
    string match -q '=*' -- "$m[4]"; and set -a args -r
    complete -c sframe-stack $args -l $m[3] -d "$m[5]"
end
complete -c sframe-stack -a '(__fish_complete_pids)'
