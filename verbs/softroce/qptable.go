package softroce

import "fmt"

// qpTable finds a QP by its number: index in the low 16 bits, and in the high 8 a number that changes each time
// the index is used again, so that late packets for a QP closed find nothing.
type qpTable struct {
	entries []*qp
	uses    []uint8
}

func (t *qpTable) add(q *qp) error {
	i := 0
	for i < len(t.entries) && t.entries[i] != nil {
		i++
	}
	if i == maxQPs {
		return fmt.Errorf("queue pair: %d are there already", i)
	}
	if i == len(t.entries) {
		t.entries, t.uses = append(t.entries, nil), append(t.uses, 0)
	}
	if t.uses[i]++; t.uses[i] == 0 {
		t.uses[i] = 1 // QPs 0 and 1 are not for users
	}
	q.num = uint32(t.uses[i])<<16 | uint32(i)
	t.entries[i] = q
	return nil
}

func (t *qpTable) remove(q *qp) {
	if i := int(q.num & 0xffff); i < len(t.entries) && t.entries[i] == q {
		t.entries[i] = nil
	}
}

func (t *qpTable) find(num uint32) *qp {
	if i := int(num & 0xffff); i < len(t.entries) && t.entries[i] != nil && t.entries[i].num == num {
		return t.entries[i]
	}
	return nil
}
