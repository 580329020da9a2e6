package main

import (
	"fmt"
	"strconv"
	"strings"
)

// byteSize is a flag for a number of bytes. 0 is one that was not given.
type byteSize int64

var byteUnits = []struct {
	suffix string
	bytes  int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}}

// Set reads a number with or without a unit.
func (b *byteSize) Set(s string) error {
	number, unit := s, int64(1)
	for _, u := range byteUnits {
		if n, ok := strings.CutSuffix(s, u.suffix); ok {
			number, unit = n, u.bytes
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || n <= 0 || n > (1<<62)/unit {
		return fmt.Errorf("%q: want a number of bytes, or of KiB, MiB, GiB, TiB, such as 256MiB", s)
	}
	*b = byteSize(n * unit)
	return nil
}

// String is the number in the largest unit that divides it.
func (b byteSize) String() string {
	if b == 0 {
		return ""
	}
	for i := len(byteUnits) - 1; i >= 0; i-- {
		if u := byteUnits[i]; int64(b) >= u.bytes && int64(b)%u.bytes == 0 {
			return fmt.Sprint(int64(b)/u.bytes, u.suffix)
		}
	}
	return fmt.Sprint(int64(b))
}

// Type names the flag's kind in help texts.
func (b *byteSize) Type() string { return "size" }
