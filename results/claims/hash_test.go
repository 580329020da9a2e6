package claims

import (
	"slices"
	"strings"
	"testing"
)

// hashFamily maps a function to its family.
func hashFamily(function string) string {
	for _, f := range []string{"murmur2", "murmur3", "xxh", "fnv", "city", "spooky", "md5"} {
		if strings.HasPrefix(function, f) {
			return f
		}
	}
	return ""
}

// studyFunctions are the functions of Figure 10.
var studyFunctions = strings.Fields("city32 city64 city128 murmur2-32 murmur2-64a murmur3-32 murmur3-128 " +
	"spooky32 spooky64 spooky128 xxh32 xxh64 fnv1a-32 fnv1a-64 fnv1a-128 md5")

// studyHashes has the figures of §4.1.3.
func studyHashes() []Hashes {
	list := []Hashes{{Machine: Host}, {Machine: "bf1"}, {Machine: "bf2"}, {Machine: "bf3"}}
	for i := range list {
		h := &list[i]
		h.Name = h.Machine + ".json"
		for _, function := range studyFunctions {
			family := hashFamily(function)
			bandwidth, ns := 1.0, 100.0 // of a BF-2, in GB/s
			if family == "xxh" {
				bandwidth = 5
			}
			switch h.Machine {
			case Host:
				bandwidth, ns = bandwidth*11, 10
			case "bf1":
				bandwidth, ns = bandwidth*11/23, 1000
			case "bf3":
				gain := map[string]float64{"murmur2": 1.97, "xxh": 2.71, "fnv": 9}[family]
				bandwidth *= max(gain, 1.1)
				ns *= 1 - max(0.092, map[string]float64{"murmur2": 0.6942}[family])
			}
			h.Times = append(h.Times, hashTime(function, 16, true, ns),
				hashTime(function, 16, false, ns/100), // neither of the study's figures
				hashTime(function, 256<<10, false, 256*1024/bandwidth))
		}
	}
	return list
}

func hashTime(function string, bytes int, dependent bool, ns float64) HashTime {
	return HashTime{
		Function: function, Bytes: bytes, Dependent: dependent, Ns: ns, Low: ns * 0.9999, High: ns * 1.0001,
		Rounds: 25,
	}
}

// hashOutcome is the outcome of one claim with these machines of the study, after edits.
func hashOutcome(t *testing.T, says, generation string, edit func(*Hashes), machines ...string) Outcome {
	t.Helper()
	hashes := slices.DeleteFunc(studyHashes(), func(h Hashes) bool {
		return !slices.Contains(machines, h.Machine)
	})
	for i := range hashes {
		edit(&hashes[i])
	}
	for _, o := range book(t).Evaluate(Evidence{Hashes: hashes}) {
		if strings.Contains(o.Says, says) && slices.Contains(o.Generations, generation) {
			return o
		}
	}
	t.Fatalf("no claim says %q", says)
	return Outcome{}
}

// without removes functions of a prefix, and slower slows them down.
func without(prefix string) func(*Hashes) {
	return func(h *Hashes) {
		h.Times = slices.DeleteFunc(h.Times, func(x HashTime) bool { return strings.HasPrefix(x.Function, prefix) })
	}
}

func slower(machine, prefix string, factor float64) func(*Hashes) {
	return func(h *Hashes) {
		for i := range h.Times {
			if x := &h.Times[i]; h.Machine == machine && strings.HasPrefix(x.Function, prefix) {
				x.Ns, x.Low, x.High = x.Ns*factor, x.Low*factor, x.High*factor
			}
		}
	}
}

func TestHashClaims(t *testing.T) {
	nothing, one, both := func(*Hashes) {}, []string{"bf3"}, []string{"bf2", "bf3"}
	first := []string{"bf1", "bf2"}
	for name, c := range map[string]struct {
		says, generation string
		edit             func(*Hashes)
		machines         []string
		want             Verdict
		why              string
	}{
		"one machine only": {
			"Murmur2's bandwidth", "bf3", nothing,
			one,
			NotMeasured,
			"no report of dpukv hash with murmur2-32 or murmur2-64a on BF-2",
		},
		"two":                {"Murmur2's bandwidth", "bf3", nothing, both, Agrees, ""},
		"one width slower":   {"Murmur2's bandwidth", "bf3", slower("bf3", "murmur2-32", 1.9), both, Agrees, ""},
		"both widths slower": {"Murmur2's bandwidth", "bf3", slower("bf3", "murmur2", 1.9), both, Disagrees, ""},
		"one width slower, the other not measured": {
			"Murmur2's bandwidth", "bf3", func(h *Hashes) {
				slower("bf3", "murmur2", 1.9)(h)
				without("murmur2-64a")(h)
			},
			both,
			Inconclusive, "murmur2-64a on BF-2, murmur2-64a on BF-3",
		},
		"too few rounds": {
			"Murmur2's bandwidth", "bf3", func(h *Hashes) {
				for i := range h.Times {
					h.Times[i].Rounds = 3
				}
			},
			both,
			Inconclusive, "found 3, needed: 4",
		},
		"a warning": {
			"Murmur2's bandwidth", "bf3", func(h *Hashes) { h.Warnings = []string{"the clock moved"} },
			both,
			Inconclusive, "2 of 2 reports of hash functions are disturbed, such as by this: the clock moved",
		},
		"most within the range":    {"of most functions", "bf2", slower("bf2", "city", 3), first, Agrees, ""},
		"most outside of it":       {"of most functions", "bf2", slower("bf2", "", 3), first, Disagrees, ""},
		"the host":                 {"City64's bandwidth", "bf3", nothing, []string{Host, "bf3"}, Agrees, ""},
		"xxHash is fastest":        {"xxHash has the highest", "bf3", nothing, one, Agrees, ""},
		"another is":               {"xxHash has the highest", "bf3", slower("bf3", "xxh", 2), one, Disagrees, ""},
		"another may be":           {"xxHash has the highest", "bf3", without("md5"), one, NotMeasured, "md5"},
		"Murmur has least latency": {"Murmur has the lowest", "bf3", nothing, one, Agrees, ""},
		"another has":              {"Murmur has the lowest", "bf3", slower("bf3", "city", 0.1), one, Disagrees, ""},
		"all gain":                 {"gains least", "bf3", nothing, both, Agrees, ""},
		"one gains nothing":        {"gains least", "bf3", slower("bf3", "md5", 1.1), both, Disagrees, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := hashOutcome(t, c.says, c.generation, c.edit, c.machines...)
			if o.Verdict != c.want || !strings.Contains(o.Why, c.why) {
				t.Errorf("found %s (%s: %s), want %s (%s)", o.Verdict, o.Which, o.Why, c.want, c.why)
			}
		})
	}
}

// TestHashSubstitute: a report from another machine than the study's marks the verdict.
func TestHashSubstitute(t *testing.T) {
	o := hashOutcome(t, "Murmur2's bandwidth", "bf3", func(h *Hashes) {
		if h.Machine == "bf3" {
			h.Substitute = "substitute: a server"
		}
	}, "bf2", "bf3")
	if o.Word() != "agrees (within 20 %) [substitute]" || o.Reports != 2 || o.Points != 0 {
		t.Errorf("found %q of %d reports and %d points", o.Word(), o.Reports, o.Points)
	}
}
