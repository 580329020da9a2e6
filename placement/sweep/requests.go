package sweep

import "fmt"

// CheckRequests refuses a file with a duration that no point has, as each ends with its requests.
func CheckRequests(s *Sweep) error {
	if !s.says("duration") || len(s.Measures) > 0 { // probes have it
		return nil
	}
	for _, c := range s.Configs() {
		if c.Requests == 0 {
			return nil
		}
	}
	return fmt.Errorf("%sduration: found %v, and requests in each point, allowed: one of the two; "+
		"leave one out", s.Place("duration", s.Duration.String()), s.Duration)
}
