package numfmt

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// TimeUnit is the unit for the greatest of some times, in nanoseconds. A column and an axis have
// one unit.
func TimeUnit(greatest float64) Unit { return timeScale.Unit(greatest) }

// Nanoseconds writes a measured time with three significant digits: "13.0 ms".
func Nanoseconds(ns float64) string { return TimeUnit(ns).Of(ns) }

// Duration writes a time with three significant digits at most: a setting as "2 s", "200 µs", and a
// measured time as "13.0 ms". From a minute on, it has whole seconds: "3m20s".
func Duration(d time.Duration) string {
	if d.Abs() >= time.Minute {
		return d.Round(time.Second).String()
	}
	u := TimeUnit(float64(d))
	if exact := strconv.FormatFloat(float64(d)/u.Per, 'f', -1, 64); digits(exact) <= 3 {
		return exact + " " + u.Name
	}
	return u.Of(float64(d))
}

// ParseNs reads a time of 0 or more, such as "300us", in nanoseconds.
func ParseNs(text string) (float64, error) {
	d, err := time.ParseDuration(text)
	if err == nil && d < 0 {
		err = fmt.Errorf("found %v, allowed: 0 or more", d)
	}
	return float64(d), err
}

// digits counts the digits of a number, leading zeros apart.
func digits(number string) int {
	return len(strings.TrimLeft(strings.NewReplacer("-", "", ".", "").Replace(number), "0"))
}
