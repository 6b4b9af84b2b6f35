# fish completion for sframe-retrofit-arch
# SPDX-License-Identifier: LGPL-2.1-or-later

complete -c sframe-retrofit-arch -s o -l output -x -a '(__fish_complete_directories)' -d 'Folder for the new packages'
complete -c sframe-retrofit-arch -s n -l dry-run -d 'Say what would happen'
complete -c sframe-retrofit-arch -l suffix -x -d 'Appended to the version'
complete -c sframe-retrofit-arch -l threads-max -x -d 'Threads for compressing'
complete -c sframe-retrofit-arch -s z -l level -x -d 'Compression level'
complete -c sframe-retrofit-arch -l unpacked-max -x -d 'Leave alone what unpacks to more MiB'
complete -c sframe-retrofit-arch -s v -l verbose -d 'One line per package'
complete -c sframe-retrofit-arch -l cfi2sframe -r -d 'The converter'
complete -c sframe-retrofit-arch -k -x -a '(__fish_complete_suffix .pkg.tar.zst)'
complete -c sframe-retrofit-arch -s h -l help -d 'Print a summary of the options'
complete -c sframe-retrofit-arch -s V -l version -d 'Print the version'
complete -c sframe-retrofit-arch -l show-config -d 'Print the configuration'
