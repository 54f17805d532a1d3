# Sourced by the scripts next to it.
die() { echo "$(basename "$0" .sh): $*" >&2; exit 1; }
say() { echo "$(basename "$0" .sh): $*" >&2; }

# is_cpython EXECUTABLE X.Y: it starts (a pyenv shim may not), can build environments, and has the
# GIL: the locked drivers have no wheels for free-threaded builds.
is_cpython() {
    local probe='
import ensurepip, platform, sys, sysconfig, venv
threads = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
print(platform.python_implementation(), "%d.%d" % sys.version_info[:2] + threads)'
    [[ "$("$1" -c "$probe" 2>/dev/null </dev/null)" == "CPython $2" ]]
}

# find_python X.Y: prints the path of the newest such CPython under pyenv, else of one on PATH.
find_python() {
    local pyenv_root candidate
    pyenv_root=${PYENV_ROOT:-$(pyenv root 2>/dev/null || echo "${HOME:-}/.pyenv")}
    while read -r candidate; do
        [[ $candidate == "$PWD"/* ]] && continue
        is_cpython "$candidate" "$1" && echo "$candidate" && return
    done < <(
        printf '%s\n' "$pyenv_root"/versions/"$1".*/bin/python | sort -rV
        type -ap "python$1" python3 || true
    )
    return 1
}
