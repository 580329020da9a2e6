package run

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"dpukv/results"
	"dpukv/results/answer"
	"dpukv/results/figure"
	resulttable "dpukv/results/table"
	"dpukv/results/threshold"
)

// finish draws the run folder's points and reports the failed ones.
func finish(r *runner) error {
	r.sum.Points = len(r.plan.points)
	if err := r.out.Check(); err != nil {
		return r.full(err)
	}
	points, unreadable, err := r.out.All()
	if err != nil {
		return err
	}
	for _, line := range unreadable {
		fmt.Fprintf(r.o.Stderr, "%s: %s\n", r.o.Dir, line.Said())
	}
	if err := lostPoints(r, points); err != nil {
		return err
	}
	writeFailures(r.o.Stderr, r.sum.Failed)
	failed := gaveUp(r)
	if n := len(r.sum.Failed); n > 0 && failed == nil {
		failed = fmt.Errorf("%d of %d points failed; to try them again: %s", n, r.sum.Points,
			r.again())
	}
	if err := writeDigest(r); err != nil {
		return err
	}
	if r.sum.Before+r.sum.Measured == 0 {
		return failed // nothing to draw
	}
	if !r.o.plain {
		_, err = figure.Draw(r.out.Run, figure.Options{})
	}
	return errors.Join(resulttable.Write(r.o.Stdout, points), err, writeAnswers(r),
		writePrecision(r), sayAnswer(r, points), judge(r, points), failed)
}

// sayAnswer says what the points show, and where to read on.
func sayAnswer(r *runner, points []results.Point) error {
	if r.plan.Searches() { // a search has answers of its own
		return nil
	}
	text := ""
	if a, ok := answer.Of(points, answer.Options{Bound: r.o.Within}); ok {
		text = "answer: " + a.Text + "\n"
	}
	next := "report " + r.o.Dir
	switch {
	case r.plan.beside != nil:
		next = "compare " + r.o.Dir
	case r.o.Within != nil:
		next += " --slo " + r.o.Within.Text()
	}
	_, err := fmt.Fprintf(r.o.Stdout, "%snext: dpukv %s\n", text, next)
	return err
}

// judge decides the thresholds. Of a search, the points at its answers count.
func judge(r *runner, points []results.Point) error {
	if r.plan.Searches() {
		points = r.plan.rates.answered()
	}
	return threshold.Write(r.o.Stdout,
		threshold.Judge(r.o.FailIf, points, threshold.Where{Bound: r.o.Within}))
}

// writeDigest writes the digest that the user can note elsewhere.
func writeDigest(r *runner) error {
	digest, err := r.out.Digest()
	if err != nil {
		return err
	}
	fmt.Fprintf(r.o.Stderr, "digest of %s: %s (note it elsewhere; dpukv run verify --digest %s %s "+
		"shows whether the folder was changed)\n", r.o.Dir, digest, digest, r.o.Dir)
	return nil
}

// writePrecision writes how well the repeats know the medians, where the sweep asks for that.
func writePrecision(r *runner) error {
	if r.plan.rounds == nil {
		return nil
	}
	missed, all, err := r.plan.rounds.write(r.o.Stdout, r.plan.points)
	if missed > 0 {
		fmt.Fprintf(r.o.Stderr, "%d of %d configurations did not reach ±%g %%: lengthen duration, "+
			"or look at dpukv doctor\n", missed, all, r.plan.sweep.RepeatsUntil)
	}
	return err
}

// writeAnswers writes the answers of a search. Without a search it does nothing.
func writeAnswers(r *runner) error {
	if r.plan.sweep.SLO == "" {
		return nil
	}
	return r.plan.rates.writeAnswers(r.o.Stdout)
}

// lostPoints fails if the folder lacks points that were measured.
func lostPoints(r *runner, points []results.Point) error {
	ok := map[string]bool{}
	for i := range points {
		ok[points[i].ID] = points[i].Status == results.StatusOK || r.plan.judged(points[i].ID)
	}
	there := 0
	for i := range r.plan.points {
		if ok[r.plan.points[i].ID] {
			there++
		}
	}
	if want := r.sum.Before + r.sum.Measured; there < want {
		return fmt.Errorf("%d points were measured, found %d in %s; to measure the others "+
			"again: %s",
			want, there, r.o.Dir, r.again())
	}
	return nil
}

// gaveUp reports the nodes that were given up, if that cost points.
func gaveUp(r *runner) error {
	if r.sum.Skipped == 0 {
		return nil
	}
	return fmt.Errorf("gave up after %d points in a row did not start: %s; %d points that need "+
		"it were not tried; when that is mended: %s",
		sameFailures, strings.Join(r.failures.reasons(), "; "), r.sum.Skipped, r.again())
}

// freePort matches the port of an address, which a server without ports of its own takes anew for
// each point.
var freePort = regexp.MustCompile(`:\d{4,5}\b`)

// causeOf returns what equal failures of several points have in common.
func causeOf(reason string) string {
	return freePort.ReplaceAllString(strings.TrimSpace(reason), ":PORT")
}

// namedPoints is the most points that the line of a cause names.
const namedPoints = 3

// writeFailures writes each cause once, with the points that it broke.
func writeFailures(w io.Writer, failed []Failure) {
	points, causes := map[string][]string{}, []Failure(nil)
	for _, f := range failed {
		cause := causeOf(f.Reason)
		if points[cause] == nil {
			causes = append(causes, f)
		}
		points[cause] = append(points[cause], f.ID)
	}
	for _, f := range causes {
		fmt.Fprintf(w, "failed: %s: %s\n", pointsText(points[causeOf(f.Reason)]),
			strings.TrimSpace(f.Reason))
	}
}

func pointsText(ids []string) string {
	if len(ids) == 1 {
		return ids[0]
	}
	named := ids[:min(len(ids), namedPoints)]
	text := fmt.Sprintf("%d points (%s", len(ids), strings.Join(named, ", "))
	if more := len(ids) - len(named); more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text + ")"
}
