package mica

import (
	"encoding/binary"
	"fmt"

	"dpukv/kvs"
	"dpukv/kvs/partition"
)

const outcomeBytes = 4

// answerHead returns the size of an answer before its values.
func answerHead(count int) int { return headerBytes + padded(outcomeBytes*count) }

// execute executes a parsed request and appends its answer frame to out. The capacity of out beyond
// its length is at least most, the size of the largest answer.
func execute(
	core *partition.Core, sequence uint64, ops []partition.Op, out []byte, most int,
) []byte {
	start := len(out)
	head := answerHead(len(ops))
	frame := out[start : start+head : start+most]
	binary.LittleEndian.PutUint32(frame[head-outcomeBytes:], 0) // padding of an odd number
	frame = core.Execute(ops, frame)
	outcomes := frame[headerBytes:head]
	for i := range ops {
		op := &ops[i]
		outcome := uint32(op.Status)
		if op.Code == kvs.Get && op.Status == kvs.OK {
			outcome |= uint32(len(op.Value)) << 16
		}
		binary.LittleEndian.PutUint32(outcomes[outcomeBytes*i:], outcome)
	}
	putHeader(frame, header{
		bytes: len(frame), kind: kindAnswer, count: len(ops),
		sequence: sequence,
	})
	return out[:start+len(frame)]
}

// outcomes are the body of an answer.
type outcomes struct {
	body    []byte
	count   int
	valueAt int
}

// parseAnswer checks an answer's body against the number of requested operations.
func parseAnswer(body []byte, count int) (outcomes, error) {
	head := padded(outcomeBytes * count)
	if len(body) < head {
		return outcomes{}, fmt.Errorf("answer to %d operations: found %d bytes, allowed: at "+
			"least %d",
			count, len(body), head)
	}
	return outcomes{body: body, count: count, valueAt: head}, nil
}

// read returns outcome i. Calls follow the order of outcomes. The value points into the body. ok is
// false if the value does not fit: see cut.
func (o *outcomes) read(i int) (status kvs.Status, value []byte, ok bool) {
	word := binary.LittleEndian.Uint32(o.body[outcomeBytes*i:])
	n := int(word >> 16)
	if n == 0 {
		return kvs.Status(word), nil, true
	}
	at, end := o.valueAt, o.valueAt+padded(n)
	if end > len(o.body) {
		return 0, nil, false
	}
	o.valueAt = end
	return kvs.Status(word), o.body[at : at+n : end], true
}

// cut is the error of an outcome whose value does not fit.
func (o *outcomes) cut(i int) error {
	n := binary.LittleEndian.Uint32(o.body[outcomeBytes*i:]) >> 16
	return fmt.Errorf("outcome %d of %d: found a value of %d bytes at %d in an answer of %d",
		i, o.count, n, o.valueAt, len(o.body))
}

// done checks that nothing is left.
func (o *outcomes) done() error {
	if o.valueAt != len(o.body) {
		return fmt.Errorf("found %d bytes after the last value of an answer to %d operations",
			len(o.body)-o.valueAt, o.count)
	}
	return nil
}
