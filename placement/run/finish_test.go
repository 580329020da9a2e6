package run

import (
	"fmt"
	"strings"
	"testing"
)

// TestOneCauseIsToldOnce: points that fail for one reason share a line, whatever port their server
// had.
func TestOneCauseIsToldOnce(t *testing.T) {
	failed := []Failure{{"alone", "node a: gone\n    its last words\n"}}
	for i := range 24 {
		failed = append(failed, Failure{
			fmt.Sprintf("p%d", i), fmt.Sprintf("node b at 10.0.0.2:%d: no answer", 40000+i),
		})
	}
	failed = append(failed, Failure{"q1", "node b at 10.0.0.3:40000: no answer"},
		Failure{"q2", "node b at 10.0.0.3:40001: no answer"})
	var b strings.Builder
	writeFailures(&b, failed)
	want := "failed: alone: node a: gone\n    its last words\n" +
		"failed: 24 points (p0, p1, p2, and 21 more): node b at 10.0.0.2:40000: no answer\n" +
		"failed: 2 points (q1, q2): node b at 10.0.0.3:40000: no answer\n"
	if b.String() != want {
		t.Errorf("found\n%swant\n%s", b.String(), want)
	}
}
