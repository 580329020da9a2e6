# From the build information of a binary ("go version -m -json") to a CycloneDX bill of materials.
# $licences has lines of MODULE-OR-PACKAGE,SPDX; $others is what no list of modules has (others in bill.sh).
def rows($csv): $csv | split("\n") | map(select(. != "") | split(","));
def ids: map({license: {id: .}});
# A module's licences are its own and those of packages below it that say otherwise.
def licences($path): [rows($licences)[] | select(.[0] == $path or (.[0] | startswith($path + "/"))) | .[1]] | unique | ids;
def source($url): [{type: "website", url: $url}];
{
  bomFormat: "CycloneDX", specVersion: "1.5", version: 1,
  metadata: {
    timestamp: $time,
    component: {type: "application", name: "dpukv", version: $version, licenses: (["Apache-2.0"] | ids)}
  },
  components: (
    [rows($others)[] | . as [$name, $number, $licence, $purl, $url, $file, $scope, $description]
      | {type: (if $scope == "excluded" then "application" else "library" end), name: $name, version: $number, purl: $purl, "bom-ref": $purl,
         scope: $scope, description: $description, licenses: ([$licence] | ids), externalReferences: source($url)}]
    + [.Deps[] | "pkg:golang/\(.Path)@\(.Version)" as $purl
      | {type: "library", name: .Path, version: .Version, purl: $purl, "bom-ref": $purl, scope: "required", licenses: licences(.Path),
         externalReferences: source("https://pkg.go.dev/\(.Path)@\(.Version)"), properties: [{name: "go.sum", value: .Sum}]}]
  )
}

