# fish completion for sframe-retrofit-rpm
# SPDX-License-Identifier: LGPL-2.1-or-later

complete -c sframe-retrofit-rpm -s o -l output -x -a '(__fish_complete_directories)' -d 'Folder for the new packages'
complete -c sframe-retrofit-rpm -s n -l dry-run -d 'Say what would happen'
complete -c sframe-retrofit-rpm -l suffix -x -d 'Appended to the release'
complete -c sframe-retrofit-rpm -l threads-max -x -d 'Threads for compressing'
complete -c sframe-retrofit-rpm -s z -l level -x -d 'Compression level'
complete -c sframe-retrofit-rpm -l unpacked-max -x -d 'Leave alone what unpacks to more MiB'
complete -c sframe-retrofit-rpm -s v -l verbose -d 'One line per package'
complete -c sframe-retrofit-rpm -l cfi2sframe -r -d 'The converter'
complete -c sframe-retrofit-rpm -k -x -a '(__fish_complete_suffix .rpm)'
complete -c sframe-retrofit-rpm -s h -l help -d 'Print a summary of the options'
complete -c sframe-retrofit-rpm -s V -l version -d 'Print the version'
complete -c sframe-retrofit-rpm -l show-config -d 'Print the configuration'
