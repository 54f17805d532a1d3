#!/usr/bin/env bash
# Usage: scripts/drivers.sh
# Builds the toolbench's runners in other languages: toolbench/golang/bin/runner, and what
# toolbench/nodejs needs into its node_modules. Does nothing where they are as their locks say.
# A language that is not installed is no failure; its drivers cannot be measured.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

BUILD_SECONDS=900

build_golang() {
    command -v go >/dev/null ||
        { say "no Go, so its drivers cannot be measured; to get it: apt-get install golang-go"; return 0; }
    (cd toolbench/golang && timeout "$BUILD_SECONDS" go build -trimpath -buildvcs=false -o bin/runner .) </dev/null ||
        { say "building toolbench/golang failed; see go's message above, then try make drivers again"; return 1; }
}

build_nodejs() {
    local command locked folder=toolbench/nodejs
    for command in node npm; do
        command -v "$command" >/dev/null ||
            { say "no $command, so Node's drivers cannot be measured; to get it: apt-get install nodejs npm"; return 0; }
    done
    locked="$(node --version) $(sha256sum <"$folder/package-lock.json")"
    [[ -e $folder/node_modules/locked && "$(<"$folder/node_modules/locked")" == "$locked" ]] && return
    say "installing $folder/package-lock.json"
    (cd "$folder" && with_headers timeout "$BUILD_SECONDS" npm ci --no-audit --no-fund --loglevel=error) </dev/null >&2 ||
        { say "installing $folder failed; see npm's message above, then try make drivers again"; return 1; }
    # npm says nothing of an optional package that it could not compile.
    [[ -e $folder/node_modules/pg-native ]] ||
        { say "pg-native was not built; to build it: apt-get install libpq-dev g++ make python3, then make drivers"; return 1; }
    echo "$locked" >"$folder/node_modules/locked"
}

# with_headers COMMAND...: with the headers that came with Node; without them npm downloads some.
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
