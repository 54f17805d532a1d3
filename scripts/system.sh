#!/usr/bin/env bash
# Installs the packages of scripts/apt-packages.txt that are missing. Never fails: what stays
# missing is named here, and `server.py --list` says which engines that costs.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh
export DEBIAN_FRONTEND=noninteractive

# Without pipes: grep -q ends at its find, and pipefail turns the other side's broken pipe into "no".
is_installed() { [[ "$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null)" == *" installed" ]]; }
is_command() { [[ -n $1 ]] && command -v "$1" >/dev/null; }
is_offered() { [[ "$(apt-cache policy "$1" 2>/dev/null)" == *"Candidate: "[0-9]* ]]; }
apt() { timeout 1800 apt-get -qq -y -o DPkg::Lock::Timeout=300 "$@" </dev/null; }

missing=()
while read -r package command; do
    [[ -z $package ]] || is_installed "$package" || is_command "$command" || missing+=("$package")
done < <(sed 's/#.*//' scripts/apt-packages.txt)
[[ ${#missing[@]} -eq 0 ]] && exit 0

if ! command -v apt-get >/dev/null; then
    say "no apt-get here; install with your own package manager: ${missing[*]}"
    exit 0
fi
if [[ $EUID -ne 0 ]]; then
    say "packages are missing; to install them: sudo apt-get update && sudo apt-get install -y ${missing[*]}"
    exit 0
fi

say "installing ${missing[*]}"
apt update || say "apt-get update failed; trying with the package lists at hand"
offered=()
for package in "${missing[@]}"; do
    if is_offered "$package"; then offered+=("$package"); else say "this system offers no package $package"; fi
done
[[ ${#offered[@]} -eq 0 ]] || apt install --no-install-recommends "${offered[@]}" >/dev/null ||
    say "apt-get install failed; going on with what is there"
