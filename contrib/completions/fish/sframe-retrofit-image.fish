# fish completion for sframe-retrofit-image
# SPDX-License-Identifier: LGPL-2.1-or-later

complete -c sframe-retrofit-image -s o -l output -r -d 'The new image'
complete -c sframe-retrofit-image -l squash -d 'Rewrite layers instead of adding one'
complete -c sframe-retrofit-image -s n -l dry-run -d 'Say what would be converted'
complete -c sframe-retrofit-image -l unpacked-max -x -d 'Leave alone what unpacks to more MiB'
complete -c sframe-retrofit-image -s v -l verbose -d 'One line per image'
complete -c sframe-retrofit-image -l cfi2sframe -r -d 'The converter'
complete -c sframe-retrofit-image -s h -l help -d 'Print a summary of the options'
complete -c sframe-retrofit-image -s V -l version -d 'Print the version'
complete -c sframe-retrofit-image -l show-config -d 'Print the configuration'
