# fish completion for sframe-prove
# SPDX-License-Identifier: LGPL-2.1-or-later

complete -c sframe-prove -s '?' -l help -d 'Give this help list'
complete -c sframe-prove -l usage -d 'Give a short usage message'
complete -c sframe-prove -s V -l version -d 'Print program version'
