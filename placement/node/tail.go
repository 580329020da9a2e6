package node

import (
	"fmt"
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
	all := strings.Split(t.Shown(), "\n")
	if all[0] == "" {
		return ""
	}
	if cut := len(all) - most; cut > 0 {
		all = append([]string{fmt.Sprintf("(%d lines left out) …", cut)}, all[cut:]...)
	}
	return "\n    " + strings.Join(all, "\n    ")
}
