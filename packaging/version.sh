#!/bin/sh
# version.sh prints the version of what is built from this checkout; "version.sh commit" prints the commit, with "-dirty"
# if files differ from it.
#
# The version is that of internal/provenance/VERSION if the commit has its tag, as v0.1.0, and no file differs. Else it has
# "-dev+" and the commit behind it, as the binary says of itself without this script (internal/provenance/build.go).
set -eu
cd "$(dirname "$0")/.."
number=$(cat internal/provenance/VERSION)
commit=$(git rev-parse -q --verify HEAD 2>/dev/null) || commit=
changes=$([ -z "$commit" ] || git status --porcelain)
if [ "${1-}" = commit ]; then
	echo "$commit${changes:+-dirty}"
elif [ -n "$commit" ] && [ -z "$changes" ] && git tag --points-at HEAD | grep -qxF "v$number"; then
	echo "$number"
else
	echo "$number-dev+$(printf %.12s "${commit:-unknown}")${changes:+.dirty}"
fi
