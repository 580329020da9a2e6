// Package search finds the highest rate that a configuration takes within a latency bound. It only
// decides: [Search.Next] names the rates to measure once more, [Search.Answer] the result. Both are
// pure functions of the trials so far. So an interrupted search continues from its points alone.
//
// # Trials and verdicts
//
// A trial is one measurement at one rate. It is within the bound, or not. A rate is within the
// bound if more than half of its trials are. The verdict stands as soon as the majority of three
// trials is certain; see [Search.Repeats] for fewer.
//
// # Order
//
//	ladder    all shares of the peak, and the peak itself
//	bisect    halve the gap below the lowest rate that is not within, until it is small
//	confirm   as many trials as repeats at both ends of the gap
//	again     the peak and both ends in turns, up to three times each
//
// Confirming may turn a verdict. Then the gap is another one, and is halved and confirmed in turn.
// The number of trials is bounded: see [Search.Most].
//
// # Monotone load
//
// The answer lies below each rate that is not within. A ladder with a rate within above a rate that
// is not has no answer, if both are confirmed: latency does not grow with the load there. Near the
// bound chance decides, so between the ladder's rates the lowest rate that is not within counts.
//
// # Confidence
//
// The interval comes from sign tests, so it assumes no distribution of latencies. Beyond the true
// highest rate, a trial is within with a probability of at most one half. So the lower end is a
// rate for which the trials from there up to the answer are within too often for that. The upper
// end mirrors it. Six trials of one kind are needed for an end. Trials are taken as independent.
//
// # What moves
//
// The limit may move while the search measures. Then the trials of one rate come in an order: those
// within first, if it falls ([Answer.Drift]). The trials at the end may also contradict a verdict
// without proving that ([Answer.Turned]).
package search
