# Sourced by release.sh: what the binaries are made of. THIRD-PARTY has the licences' texts, the bill of materials (CycloneDX) their names; both have the
# same entries.

# others are what no list of Go modules has: NAME,VERSION,LICENCE,PURL,SOURCE,LICENCE FILE,SCOPE,DESCRIPTION
others() {
	local go uplot
	go=$($GO env GOVERSION)
	uplot=$(sed -n '1s/.*(v\([0-9.]*\)).*/\1/p' results/report/uplot/uPlot.iife.min.js)
	[ -n "$uplot" ] || {
		echo "results/report/uplot/uPlot.iife.min.js: found no (vVERSION) in its first line" >&2
		return 1
	}
	cat <<-EOF
		uPlot,$uplot,MIT,pkg:npm/uplot@$uplot,https://github.com/leeoniya/uPlot,results/report/uplot/LICENSE,required,the charts of the report; JavaScript in each page
		Go standard library,${go#go},BSD-3-Clause,pkg:golang/std@${go#go},https://go.googlesource.com/go,$($GO env GOROOT)/LICENSE,required,with the runtime; part of each binary
		Go toolchain,${go#go},BSD-3-Clause,pkg:generic/go@${go#go},https://go.dev/dl/,$($GO env GOROOT)/LICENSE,excluded,built the binaries; not part of them
	EOF
}

# licences writes THIRD-PARTY, and licences.csv and others.csv for the bill. It fails on a licence that is not allowed, or that nobody recognises.
licences() {
	local tool=("$GO" tool -modfile=tools.mod go-licenses) freetype
	# freetype's LICENSE offers two licences in other files; ours is the FreeType License.
	local own=(--ignore dpukv --ignore github.com/golang/freetype)
	freetype=$($GO list -m -f '{{.Version}} {{.Dir}}' github.com/golang/freetype)
	others >"$work/others.csv"
	"${tool[@]}" check ./cmd/dpukv "${own[@]}" --allowed_licenses="$(paste -sd, packaging/licenses.allowed)" 2>"$work/licences.log" ||
		{ grep -v '^[WI]' "$work/licences.log" >&2; return 1; }
	{
		"${tool[@]}" report ./cmd/dpukv "${own[@]}" --template packaging/licenses.tpl 2>/dev/null
		entry "github.com/golang/freetype ${freetype%% *}: FTL" "${freetype#* }/licenses/ftl.txt"
		while IFS=, read -r name version licence _ _ file _; do
			entry "$name $version: $licence" "$file"
		done <"$work/others.csv"
	} >"$work/THIRD-PARTY"
	{
		"${tool[@]}" report ./cmd/dpukv "${own[@]}" --template packaging/licenses.csv.tpl 2>/dev/null
		echo github.com/golang/freetype,FTL
	} >"$work/licences.csv"
}

# entry TITLE FILE is one of THIRD-PARTY, as licenses.tpl has them.
entry() {
	printf '%080d\n%s\n\n' 0 "$1" | sed '1s/0/=/g'
	cat "$2"
	echo
}

sbom() { # BINARY FILE
	$GO version -m -json "$1" | jq -S --arg version "$VERSION" --rawfile licences "$work/licences.csv" --rawfile others "$work/others.csv" \
		--arg time "$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)" -f packaging/sbom.jq >"$2"
}
