#!/usr/bin/env bash
# Usage: scripts/drivers.sh
# Builds the toolbench's runners in other languages: toolbench/golang/bin/runner from its sources, and
# toolbench/nodejs/node_modules from its lock. A runner that is up to date is left alone, without a network.
# A language that is not installed is no failure, nor is a pg-native that cannot be compiled: a line says so,
# and these drivers cannot be measured.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

BUILD_SECONDS=900

build_golang() {
    local folder=toolbench/golang version sources built
    command -v go >/dev/null ||
        { say "no Go, so its drivers cannot be measured; to get it: apt-get install golang-go"; return 0; }
    version=$(cd "$folder" && go env GOVERSION 2>/dev/null || true)
    # toolbench/languages.py computes the same digest.
    sources=$(cd "$folder" && LC_ALL=C && cat -- *.go go.mod go.sum | sha256sum)
    sources=${sources%% *}
    # The runner prints what it was built from (built.go).
    built=$("$folder/bin/runner" -built 2>/dev/null </dev/null || true)
    [[ $built == *"\"go\":\"${version#go}\""* && $built == *"\"sources\":\"$sources\""* ]] && return
    (cd "$folder" && timeout "$BUILD_SECONDS" \
        go build -trimpath -buildvcs=false -ldflags "-X main.sources=$sources" -o bin/runner .) </dev/null ||
        { say "building $folder failed; see go's message above, then try make drivers again"; return 1; }
}

build_nodejs() {
    local command least locked found folder=toolbench/nodejs
    for command in node npm; do
        command -v "$command" >/dev/null ||
            { say "no $command, so Node's drivers cannot be measured; to get it: apt-get install nodejs npm"; return 0; }
    done
    [[ $(<"$folder/package.json") =~ '"node": ">='([0-9]+) ]] && least=${BASH_REMATCH[1]}
    [[ $(node --version) =~ ^v([0-9]+) && ${BASH_REMATCH[1]} -ge $least ]] ||
        { say "node is older than $least, so Node's drivers cannot be measured; install a newer one, then make drivers"; return 0; }
    locked="$(node --version) $(sha256sum <"$folder/package-lock.json")"
    found=$(cat "$folder/node_modules/locked" 2>/dev/null || true)
    [[ $found == "$locked" ]] && return
    if [[ $found != "$locked without pg-native" ]]; then
        with_npm "$folder" ci ||
            { say "installing $folder failed; see npm's message above, then try make drivers again"; return 1; }
    elif can_compile; then
        # If this fails, what is installed stays.
        with_npm "$folder" install --no-save || true
    fi
    # npm does not report an optional package that it could not get or compile.
    if [[ -e $folder/node_modules/pg-native ]]; then
        echo "$locked" >"$folder/node_modules/locked"
    else
        say "pg-native was not built, and cannot be measured; to build it: apt-get install libpq-dev g++ make python3, then make drivers, with a network"
        echo "$locked without pg-native" >"$folder/node_modules/locked"
    fi
}

# can_compile: everything that compiles pg-native is installed. Without libpq-dev, pg_config may exist and fail.
can_compile() {
    local headers
    headers=$(pg_config --includedir 2>/dev/null) && [[ -e $headers/libpq-fe.h ]] &&
        type -P g++ make python3 >/dev/null
}

# with_npm FOLDER WORDS...: let npm install what is locked in a folder.
with_npm() {
    say "installing $1/package-lock.json"
    (cd "$1" && with_headers timeout "$BUILD_SECONDS" npm "${@:2}" --no-audit --no-fund --loglevel=error) </dev/null >&2
}

# with_headers COMMAND...: run a command with the headers that came with Node; otherwise npm downloads some.
with_headers() {
    local prefix
    prefix=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
    if [[ -e $prefix/include/node/node.h && -e $prefix/include/node/common.gypi ]]; then
        npm_config_nodedir=$prefix "$@"
    else
        "$@"
    fi
}

mkdir -p var
exec 9>var/drivers.lock
flock --wait 900 9 || die "another make drivers has held var/drivers.lock for 15 minutes; end it, then try again"
failed=0
build_golang || failed=1
build_nodejs || failed=1
exit "$failed"
