package provenance

import (
	"strings"
	"testing"
)

func TestBegin(t *testing.T) {
	s := Begin([]string{"dpukv", "sweep", "--token", "x"}, ThisBuild("", ""), "abc")
	if strings.Join(s.Argv, " ") != "dpukv sweep --token [redacted]" || s.User == "" || s.Host == "" ||
		s.At.IsZero() || s.Digest != "abc" {
		t.Errorf("found %+v", s)
	}
}
