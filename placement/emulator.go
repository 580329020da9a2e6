package placement

import "fmt"

// emulatorDoubts are about members whose instructions an emulator translates. Such a point proves that dpukv works
// on the architecture, and nothing about how fast.
func (e *ensemble) emulatorDoubts() (doubts []string) {
	for _, m := range e.members() {
		if how := m.hello.Machine.Emulator; how != "" {
			doubts = append(doubts, fmt.Sprintf("node %s runs under an emulator (%s): its times are those of no machine", m.end.node.Name, how))
		}
	}
	return doubts
}
