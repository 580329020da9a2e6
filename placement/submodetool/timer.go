package submodetool

import (
	"context"
	"fmt"
	"io"

	"dpukv/placement/launch"
	"dpukv/placement/node"
)

// prepareTimer puts dpukv on the node, which is to undo by itself.
func (s *Tool) prepareTimer(ctx context.Context) error {
	if s.undoAfter == 0 {
		return nil
	}
	binary := s.dpu.Binary
	switch {
	case binary != "":
	case s.dpu.OnThisMachine():
		binary = s.command
	default:
		limit := node.DefaultTimeouts.Install
		ctx, cancel := context.WithTimeoutCause(ctx, limit,
			fmt.Errorf("node %s: the binary was not there after %v", s.dpu.Name, limit))
		defer cancel()
		var err error
		binary, err = launch.Install(ctx, &s.dpu.Node, launch.Binaries{Dir: s.bed.Binaries})
		if err != nil {
			return fmt.Errorf("for the timer: %w", err)
		}
	}
	s.what.UndoAfter(s.undoAfter, binary)
	return nil
}

// tellTimer tells when the node undoes by itself, and how to prevent that.
func (s *Tool) tellTimer(w io.Writer) {
	if s.undoAfter != 0 {
		fmt.Fprintf(w, "Node %s undoes it by itself after %v, also if nobody reaches it then. "+
			"Another apply renews that, dpukv testbed submode undo comes before it.\n",
			s.dpu.Name, s.undoAfter)
	}
}
