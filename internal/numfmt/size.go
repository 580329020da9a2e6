package numfmt

import (
	"fmt"
	"strconv"
	"strings"
)

// Size is a flag for a number of bytes. 0 means that the flag is not set.
type Size int64

var units = []struct {
	suffix string
	bytes  int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}}

// Set reads a number with or without a unit.
func (b *Size) Set(s string) error {
	number, unit := s, int64(1)
	for _, u := range units {
		if n, ok := strings.CutSuffix(s, u.suffix); ok {
			number, unit = n, u.bytes
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || n <= 0 || n > (1<<62)/unit {
		return fmt.Errorf("size: found %q, allowed: a number of bytes, or of KiB, MiB, GiB, TiB, "+
			"such as 256MiB", s)
	}
	*b = Size(n * unit)
	return nil
}

// String is the number in the largest unit that divides it.
func (b Size) String() string {
	if b == 0 {
		return ""
	}
	for i := len(units) - 1; i >= 0; i-- {
		if u := units[i]; int64(b) >= u.bytes && int64(b)%u.bytes == 0 {
			return fmt.Sprint(int64(b)/u.bytes, u.suffix)
		}
	}
	return fmt.Sprint(int64(b))
}

// Type names the flag's kind in help texts.
func (b *Size) Type() string { return "size" }
