"""Completion in bash, zsh and fish: the scripts they load, and the answers those scripts ask for.

The script runs `strata` with the words so far as plain arguments and _STRATA_COMPLETE set; the
answer has one candidate a line, a tab and an explanation after it. A line that begins with a tab
asks for file or folder names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from click.shell_completion import ShellComplete

from strata.cli.group import root
from strata.cli.session import Session
from strata.render.visible import one_line

VARIABLE = "_STRATA_COMPLETE"

_BASH = r"""# strata completion for bash
_strata_completion() {
    local value help
    COMPREPLY=()
    while IFS=$'\t' read -r value help; do
        if [[ -n $value ]]; then
            COMPREPLY+=("$(printf '%q' "$value")")
        fi
    done < <(_STRATA_COMPLETE=names command "$1" "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 0 ]]; then
        compopt -o default 2>/dev/null
    fi
}
complete -F _strata_completion strata
"""

_ZSH = r"""#compdef strata
# strata completion for zsh
_strata() {
    local -a found
    local value help
    while IFS=$'\t' read -r value help; do
        [[ -n $value ]] && found+=("${value//:/\\:}:$help")
    done < <(_STRATA_COMPLETE=names command strata "${(@Q)words[2,CURRENT]}" 2>/dev/null)
    if (( ${#found} )); then
        _describe -V strata found
    else
        _files
    fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _strata "$@"
else
    compdef _strata strata
fi
"""

_FISH = r"""# strata completion for fish
function __strata_complete
    set -l before (commandline -opc)
    set -l now (commandline -ct)
    _STRATA_COMPLETE=names command strata $before[2..-1] "$now" 2>/dev/null
end
function __strata_wants_files
    test -z (__strata_complete | string collect)
end
complete -c strata -f -a '(__strata_complete)'
complete -c strata -F -n __strata_wants_files
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def candidates(words: Sequence[str]) -> Iterator[str]:
    """A line for each way to go on from the last of the words, which may be unfinished or empty."""
    *before, last = words or [""]
    asked = ShellComplete(root, {"obj": Session()}, "strata", VARIABLE)
    for item in asked.get_completions(list(before), last):
        if item.type == "plain":
            yield f"{item.value}\t{one_line(item.help or '')}".rstrip("\t")
