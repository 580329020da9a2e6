package numfmt

import (
	"math/rand/v2"
	"regexp"
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ns", 512: "512 ns", 1234: "1.23 µs", 200 * time.Microsecond: "200 µs",
		99713 * time.Microsecond: "99.7 ms", 13049855: "13.0 ms", 13 * time.Millisecond: "13 ms",
		999_900: "1.00 ms", 2 * time.Second: "2 s", 1500 * time.Millisecond: "1.5 s", -2 * time.Second: "-2 s",
		200*time.Second + 4: "3m20s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%d) = %q, want %q", d, got, want)
		}
	}
}

// TestDurationDigits: no time has more than three digits that count, whatever its size.
func TestDurationDigits(t *testing.T) {
	form := regexp.MustCompile(`^(\d{1,3}|\d\.\d{1,2}|\d\d\.\d) (ns|µs|ms|s)$`)
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		d := time.Duration(random.Int64N(1 << (1 + random.IntN(35))))
		if text := Duration(d); !form.MatchString(text) {
			t.Fatalf("Duration(%d) = %q", d, text)
		}
	}
}

// TestTimeUnit: all times of a column have the unit of the greatest one.
func TestTimeUnit(t *testing.T) {
	u := TimeUnit(210e6)
	if a, b := u.Of(210e6), u.Of(99.713e6); a != "210 ms" || b != "99.7 ms" {
		t.Errorf("found %q and %q", a, b)
	}
}
