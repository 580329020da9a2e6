#!/bin/bash
# release.sh [DIST] builds what a release consists of into DIST (default: dist), the same bits from the same commit
# and Go each time:
#
#   dpukv-linux-ARCH             the binary alone, for every glibc: all that a DPU needs. Beside the one that sweeps,
#                                nodes of the other architecture get it from there
#   dpukv-linux-ARCH-static      the same without a C library, and so without RDMA NICs: for musl and empty systems
#   dpukv_VERSION_linux_ARCH.tar.gz, dpukv_VERSION_ARCH.deb
#                                with man pages, completions, examples, licences
#   dpukv_VERSION_sbom.cdx.json  what the binaries are made of (CycloneDX), with licences
#   SHA256SUMS
#
# What makes them equal: -trimpath, no build IDs or paths, SOURCE_DATE_EPOCH from the commit, sorted archives owned by root.
set -euo pipefail
cd "$(dirname "$0")/.."
dist=$(realpath -m "${1:-dist}")
GO=${GO:-go}
VERSION=${VERSION:-$(packaging/version.sh)}
COMMIT=${COMMIT:-$(packaging/version.sh commit)}
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export TZ=UTC LC_ALL=C GOFLAGS=-buildvcs=false GOTOOLCHAIN=local
umask 022
. packaging/deb.sh
. packaging/bill.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$dist"
mkdir -p "$dist"

# build ARCH TAGS FILE
build() {
	CGO_ENABLED=0 GOOS=linux GOARCH=$1 GOAMD64=v1 GOARM64=v8.0 \
		$GO build -trimpath -tags "$2" -o "$3" \
		-ldflags "-s -w -buildid= -X main.version=$VERSION -X main.commit=$COMMIT" ./cmd/dpukv
}

# tree ROOT BINARY NAME lays out what a package installs.
tree() {
	local share=$1/usr/share
	install -D -m 755 "$2" "$1/usr/bin/dpukv"
	install -d "$share/man/man1" "$share/doc/$3/examples"
	cp "$work"/manual/man1/* "$share/man/man1/"
	gzip -9 -n "$share"/man/man1/*.1
	install -D -m 644 "$work/manual/completions/dpukv.bash" "$share/bash-completion/completions/dpukv"
	install -D -m 644 "$work/manual/completions/_dpukv" "$share/zsh/vendor-completions/_dpukv"
	install -D -m 644 "$work/manual/completions/dpukv.fish" "$share/fish/vendor_completions.d/dpukv.fish"
	install -m 644 LICENSE README.md CHANGELOG.md "$work/THIRD-PARTY" "$share/doc/$3/"
	install -m 644 examples/*.yaml "$share/doc/$3/examples/"
	cp -r docs "$share/doc/$3/"
	find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

tarball() { # ROOT FILE
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu \
		-C "$1" --transform "s,^\./usr,dpukv," -cf - ./usr | gzip -9 -n >"$2"
}

echo "dpukv $VERSION"
licences
# With the binary's flags: what both share is then compiled once.
CGO_ENABLED=0 GOAMD64=v1 $GO run -trimpath -tags manual -ldflags "-X main.version=$VERSION" ./cmd/dpukv manual "$work/manual"
for arch in amd64 arm64; do
	binary=$work/dpukv-$arch
	build "$arch" '' "$binary"
	tree "$binary.d" "$binary" dpukv
	tarball "$binary.d" "$dist/dpukv_${VERSION}_linux_$arch.tar.gz"
	deb "$binary.d" dpukv "$arch" "$dist"
	install -m 755 "$binary" "$dist/dpukv-linux-$arch"
	build "$arch" static "$dist/dpukv-linux-$arch-static"
done
sbom "$work/dpukv-amd64" "$dist/dpukv_${VERSION}_sbom.cdx.json"
find "$dist" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
(cd "$dist" && sha256sum -- * >"$work/sums" && mv "$work/sums" SHA256SUMS)
cat "$dist/SHA256SUMS"
