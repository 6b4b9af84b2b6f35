# fish completion for sframe-attest
# SPDX-License-Identifier: LGPL-2.1-or-later

complete -c sframe-attest -l name -x -d 'What the new file is called'
complete -c sframe-attest -l predicate -d 'Print the predicate alone'
complete -c sframe-attest -l cfi2sframe -r -d 'The converter'
complete -c sframe-attest -l sframe-prove -r -d 'The second implementation'
complete -c sframe-attest -s h -l help -d 'Print a summary of the options'
complete -c sframe-attest -s V -l version -d 'Print the version'
