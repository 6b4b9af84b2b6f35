# fish completion for sframe-retrofit-deb
# SPDX-License-Identifier: LGPL-2.1-or-later

complete -c sframe-retrofit-deb -s o -l output -x -a '(__fish_complete_directories)' -d 'Folder for the new packages'
complete -c sframe-retrofit-deb -s n -l dry-run -d 'Say what would happen'
complete -c sframe-retrofit-deb -l suffix -x -d 'Appended to the version'
complete -c sframe-retrofit-deb -l threads-max -x -d 'Threads for compressing'
complete -c sframe-retrofit-deb -s z -l level -x -d 'Compression level'
complete -c sframe-retrofit-deb -l checksums-of -r -d 'Package whose checksums count'
complete -c sframe-retrofit-deb -l list-checksums -d 'Say what may be checksums'
complete -c sframe-retrofit-deb -l report -r -d 'Write what became of each package'
complete -c sframe-retrofit-deb -l unpacked-max -x -d 'Leave alone what unpacks to more MiB'
complete -c sframe-retrofit-deb -s v -l verbose -d 'One line per package'
complete -c sframe-retrofit-deb -l cfi2sframe -r -d 'The converter'
complete -c sframe-retrofit-deb -k -x -a '(__fish_complete_suffix .deb)'
complete -c sframe-retrofit-deb -s h -l help -d 'Print a summary of the options'
complete -c sframe-retrofit-deb -s V -l version -d 'Print the version'
complete -c sframe-retrofit-deb -l show-config -d 'Print the configuration'
complete -c sframe-retrofit-deb -l detached -d 'Packages with sections beside files'
