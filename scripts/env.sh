#!/usr/bin/env bash
# Usage: scripts/env.sh [--python EXECUTABLE [--beside NAME]] [X.Y ...]
# Builds .venv (current CPython), .venv-3.7, and .venv-X.Y for every X.Y named, each from its lock;
# X.Yt is a free-threaded build.
# Does nothing where an environment already matches its lock.
# --python: of this CPython, from now on (an empty one: as found again); with --beside it gets an
# environment of its own, .venv-NAME, and nothing else is built.
# Without build isolation: for what is compiled pip would fetch setuptools by itself, of any version
# and without a hash. The environment has one, from its lock or with its interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

VERSIONS='^3\.([7-9]|1[0-4]|1[34]t)$'

# build FOLDER LOCK PYTHON
build() {
    local folder=$1 lock=$2 python=$3 base locked
    base="$PWD $("$python" -V) $python"
    locked=$(sha256sum <"$lock")
    if [[ -e $folder/base && "$(<"$folder/base")" == "$base" ]] && "$folder/bin/python" -c ''; then
        [[ -e $folder/locked && "$(<"$folder/locked")" == "$locked" ]] && return
    else
        say "creating $folder with $("$python" -V) ($python)"
        "$python" -m venv --clear "$folder" || die "$python cannot create $folder; see its message above"
        echo "$base" >"$folder/base"
    fi
    say "installing $lock into $folder"
    "$folder/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
        --no-deps --no-build-isolation --require-hashes -r "$lock" </dev/null ||
        die "installing $lock into $folder failed; see pip's message above, then try make env again"
    echo "$locked" >"$folder/locked"
}

# chosen FOLDER: prints the CPython that --python chose for an environment, if it still runs.
chosen() {
    local python
    python=$(cat "var/python$1" 2>/dev/null) && "$python" -c '' && echo "$python"
}

# choose EXECUTABLE: notes it for its version's environment.
choose() {
    local version folder=.venv
    rm -f var/python.venv*
    [[ -z $1 ]] && return
    version=$(version_of "$1")
    [[ $version =~ ^3\.1[1-9]$ ]] || folder=.venv-$version
    echo "$1" >"var/python$folder"
    [[ $folder == .venv || $folder == .venv-3.7 ]] || build_named "$version"
}

# version_of EXECUTABLE: prints "3.13"; ends the script if it cannot serve.
version_of() {
    local version
    version=$("$1" -c 'import sys, sysconfig
print("%d.%d" % sys.version_info[:2] + ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""))' 2>/dev/null </dev/null) &&
        is_cpython "$1" "$version" || die "$1 is no CPython that can build environments"
    [[ $version =~ $VERSIONS ]] || die "environments take CPython 3.7 to 3.14, and 3.13t and 3.14t, not $version"
    echo "$version"
}

# lock_of X.Y: prints the lock of an environment for that version beside the current one.
lock_of() {
    [[ $1 == *t ]] && echo requirements/threads.txt || echo requirements/server.txt
}

# build_beside NAME EXECUTABLE
build_beside() {
    local version lock=requirements/current.txt
    [[ $1 =~ ^[a-z][a-z0-9_-]*$ && $1 != lock ]] || die "BESIDE takes a name in small letters, not '$1'"
    version=$(version_of "$2")
    [[ $version =~ ^3\.1[1-9]$ ]] || lock=$(lock_of "$version")
    [[ $version == 3.7 ]] && lock=requirements/py37.txt
    build ".venv-$1" "$lock" "$2"
}

build_current() {
    local version python
    for version in 3.13 3.12 3.11 3.14; do # the last one has no driver of Tarantool yet
        python=$(chosen .venv || find_python "$version") || continue
        build .venv requirements/current.txt "$python"
        write_race_command
        add_mysqlclient
        return
    done
    die "no CPython 3.11 to 3.14 that can build environments; to get one: make system as root, or pyenv install 3.13"
}

# A command instead of an installed package: the project runs from its folder and needs no build.
write_race_command() {
    [[ -x .venv/bin/race ]] && return
    cat >.venv/bin/race <<END
#!$PWD/.venv/bin/python
import sys

sys.path.insert(0, "$PWD")
from race.cli import main

sys.exit(main())
END
    chmod +x .venv/bin/race
}

# mysqlclient has no wheel for Linux: it is compiled, where MariaDB's client library is there for it.
add_mysqlclient() {
    local lock=requirements/mysqlclient.txt missing=() locked headers
    locked=$(cat "$lock" .venv/base | sha256sum)
    [[ -e .venv/mysqlclient && "$(<.venv/mysqlclient)" == "$locked" ]] && return
    headers=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("include"))')
    [[ -e $headers/Python.h ]] || missing+=(python3-dev)
    command -v pkg-config >/dev/null || missing+=(pkg-config)
    pkg-config --exists libmariadb 2>/dev/null || missing+=(libmariadb-dev)
    if [[ ${#missing[@]} -ne 0 ]]; then
        say "no ${missing[*]}, so the driver mysqlclient cannot be compiled; to get it: make system, as root"
        return
    fi
    say "compiling $lock into .venv"
    if .venv/bin/python -m pip install --quiet --no-input --disable-pip-version-check \
        --no-deps --no-build-isolation --require-hashes -r "$lock" </dev/null; then
        echo "$locked" >.venv/mysqlclient
    else
        say "the driver mysqlclient could not be compiled; see pip's message above"
    fi
}

build_3_7() {
    local python
    if python=$(chosen .venv-3.7 || find_python 3.7); then
        build .venv-3.7 requirements/py37.txt "$python"
    else
        say "no CPython 3.7, so japronto and aiotarantool cannot run here; to get it: pyenv install 3.7.17"
    fi
}

build_named() {
    local version=$1 python
    [[ $version == 3.7 ]] && return
    [[ $version =~ $VERSIONS ]] || die "PYTHONS takes versions from 3.7 to 3.14, and 3.13t and 3.14t, not $version"
    python=$(chosen ".venv-$version" || find_python "$version") || die "no CPython $version at pyenv, uv or on PATH; to get it: pyenv install $version, or uv python install $version; one elsewhere: make env PYTHON=/path/to/python$version"
    build ".venv-$version" "$(lock_of "$version")" "$python"
}

mkdir -p var
exec 9>var/env.lock
flock --wait 900 9 || die "another make env has held var/env.lock for 15 minutes; end it, then try again"
if [[ ${1:-} == --python ]]; then
    python=$2
    if [[ -n $python ]]; then
        python=$(type -P "$2") || die "no program $2"
        python=$(realpath -s "$python") # environments outlive the working directory and PATH
    fi
    shift 2
    if [[ ${1:-} == --beside ]]; then
        build_beside "$2" "$python"
        exit
    fi
    choose "$python"
fi
build_current
build_3_7
for version in "$@"; do build_named "$version"; done
