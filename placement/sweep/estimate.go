package sweep

import "time"

// Estimate returns the expected time of points, before any was measured.
func Estimate(points []Point) time.Duration {
	var sum time.Duration
	for i := range points {
		sum += points[i].Estimate()
	}
	return sum
}

// Estimator predicts the end of a sweep. It corrects the estimates by the actual times of the
// points so far.
type Estimator struct {
	missing, expected, took time.Duration // expected and took: of the points so far
}

// NewEstimator makes an estimator of points that are all still to be measured.
func NewEstimator(points []Point) Estimator { return Estimator{missing: Estimate(points)} }

// Finished counts a point that was measured, or failed, in the time took.
func (e *Estimator) Finished(pt *Point, took time.Duration) {
	e.missing -= pt.Estimate()
	e.expected += pt.Estimate()
	e.took += took
}

// Skipped counts a point that is not measured.
func (e *Estimator) Skipped(pt *Point) { e.missing -= pt.Estimate() }

// Left returns the expected time of the remaining points.
func (e *Estimator) Left() time.Duration {
	if e.expected == 0 {
		return e.missing
	}
	return time.Duration(float64(e.missing) * float64(e.took) / float64(e.expected))
}
