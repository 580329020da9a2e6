package results

import "slices"

// agreeOnKinds gives the logs of all clients the kinds of operations, or none. A log lacks them if
// its operations were all GET hits, or all SETs.
func agreeOnKinds(logs []Recording, clients []Client) {
	has := func(i int) bool {
		return slices.ContainsFunc(logs[i].Intervals, Interval.ofKind)
	}
	some, all := false, true
	for i := range logs {
		some = some || has(i)
	}
	for i := range logs {
		p, log := clients[i].Point, &logs[i]
		if some && p.Ops > 0 && !has(i) {
			tag := TagSet
			if p.Gets > 0 {
				tag = TagGetHit
			}
			log.Intervals = append(log.Intervals, tagged(tag, log.Intervals)...)
			all = all && has(i)
		}
	}
	for i := range logs {
		if !all {
			logs[i].Intervals = slices.DeleteFunc(logs[i].Intervals, Interval.ofKind)
		}
	}
}

// tagged returns the intervals of all operations with the tag of one kind, or nothing if some had
// no answer.
func tagged(tag string, log []Interval) (list []Interval) {
	if len(withTag(log, TagUnsent)) > 0 {
		return nil
	}
	list = withTag(log, TagIntended)
	for i := range list {
		list[i].Tag = tag
	}
	return list
}

// ofKind reports whether the interval is of one kind of operation.
func (i Interval) ofKind() bool {
	return slices.ContainsFunc(kindTitles, func(k [2]string) bool { return k[0] == i.Tag })
}
