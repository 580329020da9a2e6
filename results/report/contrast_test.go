package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// TestContrast checks the page's colours against WCAG 2: text needs a contrast of 4.5 to its
// background, lines one of 3.
func TestContrast(t *testing.T) {
	sheet := must.Get(text("page/page.css"))(t)
	light, dark, found := strings.Cut(sheet, `:root[data-theme="dark"]`)
	if !found {
		t.Fatal("no dark colours")
	}
	for theme, part := range map[string]string{"light": light, "dark": dark} {
		colors := map[string]float64{}
		for _, m := range regexp.MustCompile(`--([a-z0-9-]+): #([0-9a-f]{6})`).FindAllStringSubmatch(part, -1) {
			colors[m[1]] = luminance(t, m[2])
		}
		for _, c := range []struct {
			on    string
			least float64
			names []string
		}{
			{"ground", 4.5, []string{"ink", "quiet", "accent"}},
			{"panel", 4.5, []string{"ink", "quiet", "accent", "warn", "bad", "sim", "good"}},
			{"hover", 4.5, []string{"ink", "quiet", "accent", "warn"}},
			{"warn-ground", 4.5, []string{"warn"}},
			{"bad-ground", 4.5, []string{"bad"}},
			{"good-ground", 4.5, []string{"good"}},
			{"sim-ground", 4.5, []string{"sim"}},
			{"accent", 4.5, []string{"accent-ink"}},
			{"panel", 3, []string{"line0", "line1", "line2", "line3", "line4", "line5", "line6"}},
		} {
			for _, name := range c.names {
				if got := contrast(colors[name], colors[c.on]); got < c.least {
					t.Errorf("%s: %s on %s has a contrast of %.1f, want %.1f", theme, name, c.on, got, c.least)
				}
			}
		}
	}
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n := must.Get(strconv.ParseUint(hex[2*i:2*i+2], 16, 8))(t)
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
