# Sourced by release.sh: a Debian package out of a tree. dpkg-deb clamps times to SOURCE_DATE_EPOCH.

# deb_version is VERSION as Debian sorts it: a build before the release comes before it, by the time of its commit.
deb_version() {
	case $VERSION in
	*-dev+*) echo "${VERSION%%-dev+*}~dev$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M%S).${VERSION#*-dev+}" ;;
	*) echo "$VERSION" | tr - '~' ;;
	esac
}

# deb ROOT NAME ARCH DIST
deb() {
	mkdir -p "$1/DEBIAN"
	cat >"$1/DEBIAN/control" <<-EOF
		Package: $2
		Version: $(deb_version)
		Architecture: $3
		Maintainer: The dpukv authors <dpukv@invalid>
		Installed-Size: $(du -sk --apparent-size "$1/usr" | cut -f1)
		Depends: libc6
		Suggests: libibverbs1, ibverbs-providers
		Section: net
		Priority: optional
		Description: measure where a key-value store belongs on machines with DPUs
		 Stores written in Go (MICA over TCP, HERD over RDMA verbs), a load client with
		 honest latency-over-throughput curves, and an orchestrator that places both on
		 hosts and DPUs.
	EOF
	(cd "$1" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
	chmod -R go-w "$1/DEBIAN"
	dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$1" "$4/${2}_$(deb_version)_$3.deb" >/dev/null
	rm -r "$1/DEBIAN"
}
