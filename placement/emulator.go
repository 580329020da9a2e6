package placement

import (
	"fmt"
	"slices"
)

// emulatorDoubts are about nodes on which an emulator of another architecture runs dpukv. Such a point proves that it
// works there, and nothing about how fast.
func (r *runner) emulatorDoubts() (doubts []string) {
	for name, env := range r.met {
		if env.Emulator != "" {
			doubts = append(doubts, fmt.Sprintf("node %s runs under an emulator (%s): its times are not those of any machine", name, env.Emulator))
		}
	}
	slices.Sort(doubts)
	return doubts
}
