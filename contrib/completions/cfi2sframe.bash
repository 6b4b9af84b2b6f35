# bash completion for cfi2sframe and sframe-retrofit-deb
# SPDX-License-Identifier: LGPL-2.1-or-later

_cfi2sframe ()
{
  local cur prev words cword split
  _init_completion -s || return
  case $prev in
    --format)
      mapfile -t COMPREPLY < <(compgen -W '3 2 2.0 1' -- "$cur")
      return ;;
    --stats)
      mapfile -t COMPREPLY < <(compgen -W 'json' -- "$cur")
      return ;;
    -j|--jobs)
      mapfile -t COMPREPLY < <(compgen -W "$(seq "$(nproc)")" -- "$cur")
      return ;;
    -o|--output|--section-only|--files0-from)
      _filedir
      return ;;
  esac
  $split && return
  if [[ $cur == -* ]]; then
    # The program knows its options best.
    mapfile -t COMPREPLY < <(compgen -W "$("$1" --help 2>/dev/null \
      | grep -oE -- '(^|[ ,])--?[a-z][a-z0-9-]*=?' | tr -d ' ,')" -- "$cur")
    [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    return
  fi
  _filedir
} && complete -F _cfi2sframe cfi2sframe

_sframe_retrofit_deb ()
{
  local cur prev words cword split
  _init_completion -s || return
  case $prev in
    -o|--output) _filedir -d; return ;;
    --cfi2sframe) _filedir; return ;;
    --suffix) return ;;
  esac
  $split && return
  if [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '-o --output= --list --suffix=
      -v --verbose --cfi2sframe= -h --help' -- "$cur")
    [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    return
  fi
  _filedir deb
} && complete -F _sframe_retrofit_deb sframe-retrofit-deb
