package numfmt

import "testing"

func TestRate(t *testing.T) {
	for ops, want := range map[float64]string{
		0: "0 ops/s", 12: "12.0 ops/s", 1500: "1.50 kops", 5e5: "500 kops", 2.534e6: "2.53 Mops",
	} {
		if got := Rate(ops); got != want {
			t.Errorf("Rate(%v) = %s, want %s", ops, got, want)
		}
	}
}

func TestParseRate(t *testing.T) {
	for text, want := range map[string]float64{
		"500kops": 5e5, " 0.5 Mops ": 5e5, "5e5": 5e5, "500000": 5e5, "20 ops/s": 20, "7ops": 7,
	} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("ParseRate(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "kops", "0", "-1", "NaN", "Inf", "1e308Mops", "500mops", "5 5"} {
		if got, err := ParseRate(bad); err == nil {
			t.Errorf("ParseRate(%q) = %v, want an error", bad, got)
		}
	}
}
