package node

import (
	"strings"

	"dpukv/internal/foreign"
)

// TailBuffer keeps the last bytes written to it: the last output of a process before it ended.
type TailBuffer struct{ foreign.Tail }

const tailBytes = 4 << 10

// Write never fails.
func (t *TailBuffer) Write(b []byte) (int, error) {
	t.Keep(b, tailBytes)
	return len(b), nil
}

// Lines returns the last few lines, each indented.
func (t *TailBuffer) Lines() string {
	const most = 10
	all := strings.Split(strings.TrimSpace(t.String()), "\n")
	if all[0] == "" {
		return ""
	}
	return "\n    " + strings.Join(all[max(0, len(all)-most):], "\n    ")
}
