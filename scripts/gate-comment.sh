#!/usr/bin/env bash
# Usage: scripts/gate-comment.sh: writes the answer of the workflow run RUN below the pull request of
# BRANCH (owner:branch), if HEAD is still its commit. With a file: prints the comment and ends.
# The answer comes from code of the pull request, so it is a text that nobody trusts: short, without
# mentions, HTML, links and pictures. The pull request's number is asked from GitHub.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/scripts/common.sh"
MARK='<!-- race gate -->'

comment() {
    echo "$MARK"
    head -c 20000 "$1" | iconv -c -f utf-8 -t utf-8 | tr -d '\000-\010\013-\037' |
        sed -E 's/&/\&amp;/g; s/</\&lt;/g; s/@/@\xE2\x80\x8B/g; s/\]\(/] (/g; s/\]:/] :/g; s#//#\xE2\x80\x8B//#g; s/www\./www\xE2\x80\x8B./g'
}

if [[ $# -eq 1 ]]; then
    comment "$1"
    exit
fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
number=$(gh api --method GET "repos/$GH_REPO/pulls" -f state=open -f "head=$BRANCH" \
    --jq '.[] | select(.head.sha == env.HEAD) | .number' | head -n 1)
[[ $number =~ ^[0-9]+$ ]] || die "no open pull request of $BRANCH has commit $HEAD: nothing to write"
gh run download "$RUN" --name race-gate --dir "$place/answer"
[[ -f $place/answer/comment.md && ! -L $place/answer/comment.md ]] || die "run $RUN has no answer"
comment "$place/answer/comment.md" >"$place/comment"
known=$(gh api --paginate "repos/$GH_REPO/issues/$number/comments" \
    --jq '.[] | select(.user.login == "github-actions[bot]" and (.body | startswith("<!-- race gate -->"))) | .id' | head -n 1)
if [[ $known =~ ^[0-9]+$ ]]; then
    gh api --silent --method PATCH "repos/$GH_REPO/issues/comments/$known" -F "body=@$place/comment"
else
    gh api --silent --method POST "repos/$GH_REPO/issues/$number/comments" -F "body=@$place/comment"
fi
