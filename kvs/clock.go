package kvs

import "dpukv/internal/cpu"

// NowNs returns the time on the monotonic clock of a [Request] and an [Answer], in nanoseconds.
// Sessions must use it for SentNs and ReceivedNs: clients subtract times of this clock only.
func NowNs() int64 { return cpu.NowNs() }
