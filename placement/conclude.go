package placement

import (
	"fmt"
	"strings"
)

// conclude draws what was measured and tells what was not.
func (r *runner) conclude() error {
	if len(r.sum.Failed) == 0 {
		return nil
	}
	for _, f := range r.sum.Failed {
		fmt.Fprintf(r.Stderr, "failed: %s: %s\n", f.ID, strings.TrimSpace(f.Reason))
	}
	return fmt.Errorf("%d of %d points failed; to try them again: %s", len(r.sum.Failed), r.sum.Points, r.again())
}
