package placement

import (
	"errors"
	"fmt"
	"strings"

	"dpukv/results"
)

// conclude draws the run folder's points and tells which could not be measured.
func (r *runner) conclude() error {
	points, unreadable, err := r.out.Points()
	if err != nil {
		return err
	}
	for _, line := range unreadable {
		fmt.Fprintf(r.Stderr, "%s: left out %s\n", r.Dir, line)
	}
	for _, f := range r.sum.Failed {
		fmt.Fprintf(r.Stderr, "failed: %s: %s\n", f.ID, strings.TrimSpace(f.Reason))
	}
	failed := r.gaveUp()
	if n := len(r.sum.Failed); n > 0 && failed == nil {
		failed = fmt.Errorf("%d of %d points failed; to try them again: %s", n, r.sum.Points, r.again())
	}
	if r.sum.Before+r.sum.Measured == 0 {
		return failed // nothing to draw
	}
	if !r.plain {
		_, err = r.out.DrawFigures(results.FigureOptions{})
	}
	return errors.Join(results.WriteTable(r.Stdout, points), err, failed)
}
