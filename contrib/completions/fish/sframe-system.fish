# fish completion for sframe-system
# SPDX-License-Identifier: LGPL-2.1-or-later

complete -c sframe-system -x -a 'convert status verify undo'
complete -c sframe-system -l root -x -a '(__fish_complete_directories)' -d 'The system in it'
complete -c sframe-system -l exclude -x -d 'Leave out files'
complete -c sframe-system -s n -l dry-run -d 'Change nothing'
complete -c sframe-system -s j -l jobs -x -d 'Files at the same time'
complete -c sframe-system -l triggered -d 'For maintainer scripts'
complete -c sframe-system -s v -l verbose -d 'Name every file'
complete -c sframe-system -l cfi2sframe -r -d 'The converter'
complete -c sframe-system -s h -l help -d 'Print a summary of the options'
complete -c sframe-system -s V -l version -d 'Print the version'
complete -c sframe-system -l show-config -d 'Print the configuration'
