# From the build information of a binary ("go version -m -json") to a CycloneDX bill of materials.
# $licences has lines of MODULE-OR-PACKAGE,SPDX.
($licences | split("\n") | map(select(. != "") | split(",") | {key: .[0], value: .[1]})) as $known
| def licence($path):
    [$known[] | select(.key == $path or (.key | startswith($path + "/")))]
    | if length == 0 then {} else {licenses: [{license: {id: .[0].value}}]} end;
{
  bomFormat: "CycloneDX", specVersion: "1.5", version: 1,
  metadata: {
    timestamp: $time,
    component: {type: "application", name: "dpukv", version: $version, licenses: [{license: {id: "Apache-2.0"}}]}
  },
  components: (
    [{type: "framework", name: "go", version: .GoVersion, licenses: [{license: {id: "BSD-3-Clause"}}]}]
    + [.Deps[] | {
        type: "library", name: .Path, version: .Version, purl: "pkg:golang/\(.Path)@\(.Version)", "bom-ref": "\(.Path)@\(.Version)",
        properties: [{name: "go.sum", value: .Sum}]
      } + licence(.Path)]
  )
}
