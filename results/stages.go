package results

// Stages are the parts of an operation's mean latency. They add up to [Latency.MeanNs]. Each
// operation has the times of its batch.
type Stages struct {
	// BeforeSendNs is the time from the intended to the actual send: the schedule was late, or the
	// window was full. In a closed loop it is 0.
	BeforeSendNs float64 `json:"before_send_ns"`
	// ClientQueueNs is the time from the actual send to the system call that wrote the batch. HERD
	// posts a batch at once and has 0.
	ClientQueueNs float64 `json:"client_queue_ns"`
	// ServerResidenceNs is the time from the server's read of a whole batch until its answers are
	// written. With HERD it is the time of a pass, from its first request until the answers are
	// posted.
	ServerResidenceNs float64 `json:"server_residence_ns"`
	// RestNs is the remainder, not a measurement: both ways on the wire, both kernels, NICs, and
	// the wait in the server's socket or slots until a worker looks. With compute, answers also
	// wait for its end.
	RestNs float64 `json:"rest_ns"`
}

// StagesOf splits a point's mean latency by the two measured stages. Without a residence, it
// returns none.
func StagesOf(p *Point, clientQueueNs, serverResidenceNs float64) Stages {
	if serverResidenceNs <= 0 {
		return Stages{}
	}
	return Stages{
		BeforeSendNs:      p.MeanNs - p.Actual.MeanNs,
		ClientQueueNs:     clientQueueNs,
		ServerResidenceNs: serverResidenceNs,
		RestNs:            p.Actual.MeanNs - clientQueueNs - serverResidenceNs,
	}
}

// Stage is one part of a latency, in words.
type Stage struct {
	Title string
	Ns    float64
}

// List returns the stages in their order, or nothing if they are not known.
func (s *Stages) List() []Stage {
	if *s == (Stages{}) {
		return nil
	}
	return []Stage{
		{"before the send", s.BeforeSendNs},
		{"client queue", s.ClientQueueNs},
		{"server", s.ServerResidenceNs},
		{"rest: wire and kernels", s.RestNs},
	}
}
