package placement

import "time"

// What a point takes besides its window, on a server's core. The first points show how it is here.
const (
	pointOverhead = 200 * time.Millisecond // starting and ending two processes
	keyOverhead   = 600 * time.Nanosecond  // storing a key and asking for it
)

// estimate is how long a point takes, before any was measured.
func (c *Config) estimate() time.Duration {
	return c.Warmup + c.Duration + pointOverhead + time.Duration(c.Keys)*keyOverhead
}

func estimate(points []Point) time.Duration {
	var sum time.Duration
	for i := range points {
		sum += points[i].estimate()
	}
	return sum
}

// estimator foretells when a sweep is done: by the estimates, corrected by what the points so far took.
type estimator struct {
	missing, expected, took time.Duration // expected and took: of the points so far
}

func newEstimator(points []Point) estimator { return estimator{missing: estimate(points)} }

func (e *estimator) finished(pt *Point, took time.Duration) {
	e.missing -= pt.estimate()
	e.expected += pt.estimate()
	e.took += took
}

func (e *estimator) skipped(pt *Point) { e.missing -= pt.estimate() }

func (e *estimator) left() time.Duration {
	if e.expected == 0 {
		return e.missing
	}
	return time.Duration(float64(e.missing) * float64(e.took) / float64(e.expected))
}
