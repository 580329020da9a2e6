package doctor

import (
	"io/fs"
	"os"
	"strings"

	"dpukv/internal/machine"
)

// Verdict is the result of a check.
type Verdict string

const (
	OK      Verdict = "ok"
	Spoils  Verdict = "spoils"
	Unknown Verdict = "unknown"
)

// Finding is the verdict of one check, with its details.
type Finding struct {
	Check   string   `json:"check"`
	Verdict Verdict  `json:"verdict"`
	Found   string   `json:"found"`            // or why it is unknown
	Effect  string   `json:"effect,omitempty"` // the effect on a measurement, if it spoils
	Mend    []string `json:"mend,omitempty"`   // shell commands; empty where no command can
}

// Examine checks the machine that this process runs on. The facts are those of [machine.Read].
func Examine(facts *machine.Facts) []Finding {
	return examine(&patient{
		facts: *facts, fs: os.DirFS("/"), features: nicFeatures,
		chains: nftChains, setting: firmwareSetting,
	})
}

// Spoiling returns the findings that spoil a measurement.
func Spoiling(all []Finding) (some []Finding) {
	for _, f := range all {
		if f.Verdict == Spoils {
			some = append(some, f)
		}
	}
	return some
}

// patient is the machine under examination.
type patient struct {
	facts    machine.Facts
	fs       fs.FS // holds proc and sys
	features func(nic string) (off []string, err error)
	setting  func(pci, key string) (value string, err error)
	chains   func() (ruleset string, err error)
}

var checks = []struct {
	name string
	do   func(*patient) Finding
}{
	{"emulator", emulator},
	{"governor", governor},
	{"turbo", turbo},
	{"smt", smt},
	{"quota", quota},
	{"load", load},
	{"clock", clock},
	{"numa", numa},
	{"hugepages", hugepages},
	{"memlock", memlock},
	{"sockets", sockets},
	{"offloads", offloads},
	{"irqs", irqs},
	{"firewall", firewall},
	{"order", writeOrder},
}

func examine(p *patient) []Finding {
	findings := make([]Finding, len(checks))
	for i, c := range checks {
		findings[i] = c.do(p)
		findings[i].Check = c.name
	}
	return findings
}

func ok(found string) Finding { return Finding{Verdict: OK, Found: found} }

func unknown(why string) Finding { return Finding{Verdict: Unknown, Found: why} }

func spoils(found, effect string, mend ...string) Finding {
	return Finding{Verdict: Spoils, Found: found, Effect: effect, Mend: mend}
}

// read returns a file's text without surrounding blanks, or "" if the file cannot be read.
func (p *patient) read(path string) string {
	data, err := fs.ReadFile(p.fs, path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// glob lists the paths that match, in lexical order.
func (p *patient) glob(pattern string) []string {
	paths, _ := fs.Glob(p.fs, pattern) // the patterns are constants
	return paths
}

// field is the rest of the first line of a file that begins with name.
func (p *patient) field(path, name string) (string, bool) {
	for line := range strings.Lines(p.read(path)) {
		if rest, found := strings.CutPrefix(line, name); found {
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}
