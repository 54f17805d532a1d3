#!/usr/bin/env bash
# Usage: scripts/check.sh [PYTEST OPTION...]
# Checks format, lint, types and unit tests; fails if one of them does. Mypy runs beside the tests, and says what
# it found when they are done.
set -euo pipefail
cd "$(dirname "$0")/.."

.venv/bin/ruff format --check
.venv/bin/ruff check

# Without bytecode on disk, each process of pytest would compile a thousand files.
unset PYTHONDONTWRITEBYTECODE
types=$(mktemp)
.venv/bin/python -m mypy >"$types" 2>&1 &
mypy=$!
trap 'kill "$mypy" 2>/dev/null || true; rm -f "$types"' EXIT
failed=0
.venv/bin/python -m pytest -n "$(nproc)" --dist loadgroup "$@" tests/unit || failed=1
wait "$mypy" || failed=1
cat "$types"
exit "$failed"
