package sweep

import "time"

// Estimate is how long points take, before any was measured.
func Estimate(points []Point) time.Duration {
	var sum time.Duration
	for i := range points {
		sum += points[i].Estimate()
	}
	return sum
}

// Estimator foretells when a sweep is done: by the estimates, corrected by what the points so far took.
type Estimator struct {
	missing, expected, took time.Duration // expected and took: of the points so far
}

// NewEstimator is for points that are all still to be measured.
func NewEstimator(points []Point) Estimator { return Estimator{missing: Estimate(points)} }

// Finished counts a point that was measured, or failed, in that time.
func (e *Estimator) Finished(pt *Point, took time.Duration) {
	e.missing -= pt.Estimate()
	e.expected += pt.Estimate()
	e.took += took
}

// Skipped counts a point that is not measured.
func (e *Estimator) Skipped(pt *Point) { e.missing -= pt.Estimate() }

// Left is how long the rest takes.
func (e *Estimator) Left() time.Duration {
	if e.expected == 0 {
		return e.missing
	}
	return time.Duration(float64(e.missing) * float64(e.took) / float64(e.expected))
}
