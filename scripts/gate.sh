#!/usr/bin/env bash
# Usage: scripts/gate.sh FOLDER WORD...: runs `race gate WORD...` and writes its answer and report
# into FOLDER, and into the job's summary where there is one. action.yml runs it in a repository of
# the user's. RACE is the command `race`; without it, its requirements are installed.
# Ends with 0 where the gate cannot tell (3): a machine that is too noisy fails nobody.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/scripts/common.sh"

install_wrk() {
    command -v wrk >/dev/null && return
    local root=()
    [[ $EUID -eq 0 ]] || root=(sudo)
    "${root[@]}" apt-get -qq update && "${root[@]}" apt-get -qq install -y --no-install-recommends wrk >/dev/null ||
        die "cannot install wrk; see apt-get's message above"
}

# Prints the command, which runs from this folder; what it needs comes from the lock, by its hashes.
install_race() {
    local folder="${RUNNER_TEMP:-$here/var}/race-env"
    python3 -m venv --clear "$folder" >&2 || die "python3 cannot make an environment"
    "$folder/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
        --no-deps --no-build-isolation --require-hashes -r "$here/requirements/current.txt" >&2 || die "pip failed"
    printf '#!%s\nimport sys\nsys.path.insert(0, "%s")\nfrom race.cli import main\nsys.exit(main())\n' \
        "$folder/bin/python" "$here" >"$folder/bin/race"
    chmod +x "$folder/bin/race"
    echo "$folder/bin/race"
}

[[ $# -ge 1 ]] || die "usage: scripts/gate.sh FOLDER WORD..."
folder=$1
shift
mkdir -p "$folder"
install_wrk
race=${RACE:-$(install_race)}
status=0
"$race" gate "$@" --json --results "$folder/races" --markdown "$folder/comment.md" --junit "$folder/gate.xml" \
    >"$folder/gate.json" 2> >(tee "$folder/log" >&2) || status=$?
if [[ ! -s $folder/comment.md ]]; then
    printf '**The gate gave no answer (%s).**\n\n```\n%s\n```\n' "$status" "$(tail -n 5 "$folder/log" | tr -d '`')" >"$folder/comment.md"
fi
cat "$folder/comment.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
echo "status=$status" >>"${GITHUB_OUTPUT:-/dev/null}"
[[ $status -ne 3 ]] || say "the gate cannot tell"
[[ $status -eq 3 ]] || exit "$status"
