#!/usr/bin/env bash
# Usage: scripts/lock.sh [--upgrade | --upgrade-package NAME]
# Remakes requirements/*.txt from requirements/*.in. Versions stay as locked unless told otherwise.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

tool=.venv-lock
[[ -x .venv/bin/python ]] || die "no .venv; make it first: make env"
locked=$(sha256sum <requirements/tools.txt)
if [[ ! -e $tool/locked || "$(<$tool/locked)" != "$locked" ]]; then
    .venv/bin/python -m venv --clear $tool
    $tool/bin/pip install --quiet --no-input --disable-pip-version-check --no-deps --no-build-isolation \
        --require-hashes -r requirements/tools.txt </dev/null || die "uv was not installed; see pip's message above"
    echo "$locked" >$tool/locked
fi

# compile NAME OPTION...: without header and index address, so that the lock is the same everywhere.
compile() {
    local name=$1
    shift
    (cd requirements && "../$tool/bin/uv" pip compile --quiet --generate-hashes --no-header --no-emit-index-url \
        "$@" --output-file "$name.txt" "$name.in") || die "requirements/$name.in cannot be resolved"
}
compile current ../pyproject.toml --all-extras --universal --python-version 3.11 "$@"
compile locust --universal --python-version 3.11 --constraints current.txt "$@"
compile mysqlclient --universal --python-version 3.11 "$@"
compile server --universal --python-version 3.8 "$@"
compile threads --universal --python-version 3.13 "$@"
compile py37 --python-version 3.7 --python-platform linux "$@"
# Last, as it names the next one's uv.
compile tools --universal --python-version 3.11 "$@"
