package results

// Confidence is the level of every interval in results.
const Confidence = 0.95

// DefaultRepeats is the number of repeats of a sweep that does not say how many. It is the least
// with an interval of the median at [Confidence]: all n values lie on one side of the true median
// with the probability 2/2^n. A Mann–Whitney U test of two such samples reaches 0.0022, which is
// enough for a verdict on 23 questions at 0.05.
const DefaultRepeats = 6
