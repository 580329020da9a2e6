package reference

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

func TestUnits(t *testing.T) {
	for name, want := range map[string]string{
		"duration_ns": "ns", "server_cpu_ns_per_op": "ns/op", "late_ops": "operations",
		"rate_ops": "operations/s", "client_hash_share_check": "0 to 1", "store": "", "keys": "",
		"hlog_bytes": "bytes", "share": "0 to 1", "server_energy_uj_per_op": "µJ/op",
	} {
		if got := unitOf(name); got != want {
			t.Errorf("%s: found the unit %q, want %q", name, got, want)
		}
	}
}

const source = `package p

type Point struct {
	// Load

	Ops uint64 ` + "`json:\"ops\"`" + ` // answered operations

	// Cost

	// CPUNs is the CPU time of [p.Point.Ops].
	// It is 0 | absent.
	CPUNs int64 ` + "`json:\"cpu_ns\"`" + `
	// Latency counts from the send.
	Latency
	Secret int ` + "`json:\"-\"`" + `
	Bare string ` + "`json:\"bare\"`" + `
	At chan int ` + "`json:\"at\"`" + ` // of [Point.None]
}

// Latency is a distribution.
type Latency struct {
	P50 int64 ` + "`json:\"p50_ns\"`" + ` // median
}
`

func TestFieldsOfStructs(t *testing.T) {
	s := emptyStructs()
	file := must.Get(parser.ParseFile(token.NewFileSet(), "p.go", source, parser.ParseComments))(t)
	s.add(file)
	w := fieldWriter{structs: s, page: new(page), done: map[string]bool{}}
	w.writeStruct("Point")
	got := w.page.String()
	for _, want := range []string{
		"### Load\n", "| `ops` | integer | operations | Answered operations. |",
		"### Cost\n", "| `cpu_ns` | integer | ns | The CPU time of `ops`. It is 0 \\| absent. |",
		"Latency counts from the send.\n", "| `p50_ns` | integer | ns | Median. |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("found no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "Secret") || strings.Contains(got, "`-`") {
		t.Errorf("found a field without a JSON name in\n%s", got)
	}
	problems := strings.Join(s.problems, "\n")
	for _, want := range []string{"no comment on Point.Bare", "the type ", "a doc link to Point.None"} {
		if !strings.Contains(problems, want) {
			t.Errorf("found no problem %q in\n%s", want, problems)
		}
	}
}
