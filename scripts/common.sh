# Sourced by the scripts next to it.
die() { echo "$(basename "$0" .sh): $*" >&2; exit 1; }
say() { echo "$(basename "$0" .sh): $*" >&2; }

# is_cpython EXECUTABLE X.Y: it starts (a pyenv shim may not) and can build environments; a
# free-threaded build is X.Yt.
is_cpython() {
    local probe='
import ensurepip, platform, sys, sysconfig, venv
threads = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
print(platform.python_implementation(), "%d.%d" % sys.version_info[:2] + threads)'
    [[ "$("$1" -c "$probe" 2>/dev/null </dev/null)" == "CPython $2" ]]
}

# optimisations EXECUTABLE: prints how many of PGO and LTO its build may have: 0, 1 or 2.
optimisations() {
    "$1" -I runtime/build.py 2>/dev/null </dev/null | grep -oE '"(pgo|lto)": (true|null)' | wc -l
}

# find_python X.Y: prints the path of such a CPython, the most optimised first, then the newest: of
# pyenv's, uv's, and those on PATH.
find_python() {
    local pyenv_root uv_root candidate number best=-1 found
    pyenv_root=${PYENV_ROOT:-$(pyenv root 2>/dev/null || echo "${HOME:-}/.pyenv")}
    uv_root=${UV_PYTHON_INSTALL_DIR:-${XDG_DATA_HOME:-${HOME:-}/.local/share}/uv/python}
    while read -r candidate; do
        [[ $candidate == "$PWD"/* ]] && continue
        is_cpython "$candidate" "$1" || continue
        number=$(optimisations "$candidate")
        ((number > best)) && best=$number found=$candidate
        ((best == 2)) && break
    done < <(
        printf '%s\n' "$pyenv_root"/versions/"${1%t}".*/bin/python | sort -rV
        printf '%s\n' "$uv_root"/cpython-"${1%t}".*/bin/python | sort -rV
        type -ap "python$1" python3 || true
    )
    [[ -n ${found:-} ]] && echo "$found"
}
