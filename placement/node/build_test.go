package node

import (
	"testing"

	"dpukv/internal/machine"
	"dpukv/internal/test/must"
)

// TestRecognize: a node of this architecture must be the very binary, one of another architecture
// the same source.
func TestRecognize(t *testing.T) {
	this := Build{Version: "v1", Digest: "aa", source: "rev"}
	hello := func(edit func(*Hello)) *Hello {
		h := &Hello{Protocol: ProtocolVersion, Version: "v1", Build: "aa", Source: "rev"}
		h.Machine.Arch = machine.Arch()
		edit(h)
		return h
	}
	other := func(h *Hello) { h.Machine.Arch, h.Build = "pdp11", "bb" }
	for _, c := range map[string]struct {
		edit func(*Hello)
		want string // of the error
	}{
		"the same":              {func(*Hello) {}, ""},
		"another binary":        {func(h *Hello) { h.Build = "bb" }, "node n: its dpukv is another build (v1, bb)"},
		"another architecture":  {other, ""},
		"a static build":        {func(h *Hello) { h.Build, h.Static = "bb", true }, ""},
		"there, another source": {func(h *Hello) { other(h); h.Source = "rev2" }, "is another build"},
		"there, another version": {
			func(h *Hello) { other(h); h.Version = "v2" },
			"is another build (v2, bb) than the one that sweeps (v1, aa)",
		},
		"another protocol": {
			func(h *Hello) { h.Protocol++ }, "node n: its dpukv (v1) speaks protocol",
		},
	} {
		err := this.Recognize("n", hello(c.edit))
		must.Fail(t, err, c.want)
	}
}

// TestLabel: a label needs no quotes in a sweep file, in --only and on a command line.
func TestLabel(t *testing.T) {
	for _, c := range []struct {
		build Build
		want  string
	}{
		{Build{Version: "v1.2.3", Digest: "0123456789abcdef"}, "v1.2.3@01234567"},
		{Build{Version: "devel-1359806-dirty", Digest: "ff"}, "devel-1359806-dirty@ff"},
		{Build{Version: "my, [own] =é", Digest: "0123456789abcdef"}, "my---own----@01234567"},
	} {
		if got := c.build.Label(); got != c.want {
			t.Errorf("found %s, want %s", got, c.want)
		}
	}
}
