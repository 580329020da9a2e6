package verbstest

import (
	"errors"

	"dpukv/verbs"
	"dpukv/verbs/sidechannel"
)

// outcome is the information that the two ends exchange at the end of a case.
type outcome struct {
	Error string
	Lost  bool
}

// play makes one attempt at a case, at either end. Both ends take the same steps whatever fails, so
// that they stay in step for the next case.
func play(
	dev verbs.Device, ch *sidechannel.Channel, c testCase, initiator bool,
) (lost bool, err error) {
	s, err := open(dev, ch, c, initiator)
	defer func() { err = errors.Join(err, s.close()) }()
	if err != nil {
		return false, err
	}
	err = s.act(initiator)
	mine := outcome{Lost: errors.Is(err, errLost)}
	if mine.Lost {
		err = nil
	}
	if err != nil {
		mine.Error = err.Error()
	}
	theirs, swapErr := sidechannel.SwapWith(ch, mine, s.progress)
	return mine.Lost || theirs.Lost, errors.Join(err, swapErr, peerError(theirs.Error))
}

// done tells the target that the initiator has its completions.
type done struct{}

func (s *side) act(initiator bool) error {
	if initiator {
		err := s.operate()
		return errors.Join(err, s.ch.Send(done{}))
	}
	if err := s.ch.Await(new(done), s.progress); err != nil {
		return err
	}
	return s.judge()
}
