package placement

import (
	"strings"

	"dpukv/internal/foreign"
)

// tail keeps the last bytes written to it: what a process said before it died.
type tail struct{ foreign.Tail }

const tailBytes = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.Keep(b, tailBytes)
	return len(b), nil
}

// lines returns the last few lines, each indented.
func (t *tail) lines() string {
	const most = 10
	all := strings.Split(strings.TrimSpace(t.String()), "\n")
	if all[0] == "" {
		return ""
	}
	return "\n    " + strings.Join(all[max(0, len(all)-most):], "\n    ")
}
