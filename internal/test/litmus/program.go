package litmus

import "fmt"

// Program is some threads that run at once. All memory starts as zero.
type Program []Thread

// Thread is a sequence of instructions.
type Thread []Instruction

// Outcome maps each register's name to its loaded value, and each location's name to its last
// value.
type Outcome map[string]int

// Instruction is a load, a store or a branch. Build it with the functions below.
type Instruction struct {
	kind     kind
	ordered  bool // acquire or release
	location string
	// a load's target, a store's source (unless it is value), or a branch's condition
	register string
	value    int
	address  string // the register that the address comes from; "": none
}

type kind int

const (
	load kind = iota
	store
	branch
)

// Load loads into a register, which no other instruction of the program loads.
func Load(register, location string) Instruction {
	return Instruction{kind: load, register: register, location: location}
}

// LoadAcquire is LDAR.
func LoadAcquire(register, location string) Instruction {
	return Instruction{kind: load, ordered: true, register: register, location: location}
}

// Store stores a constant.
func Store(location string, value int) Instruction {
	return Instruction{kind: store, location: location, value: value}
}

// StoreRelease is STLR.
func StoreRelease(location string, value int) Instruction {
	return Instruction{kind: store, ordered: true, location: location, value: value}
}

// StoreFrom stores the content of a register.
func StoreFrom(location, register string) Instruction {
	return Instruction{kind: store, location: location, register: register}
}

// Branch decides by a register whether the thread goes on. In the outcomes it always does.
func Branch(register string) Instruction { return Instruction{kind: branch, register: register} }

// At takes the address of an access from a register.
func (i Instruction) At(register string) Instruction {
	i.address = register
	return i
}

// event is an access of a thread, or the store that gave a location its first value.
type event struct {
	Instruction
	thread, at int // at: its place in the thread; initial stores have thread -1
	source     int // the load of the register that a store stores; -1: a constant
}

const maxEvents = 64 // bits of a set

// events lists the initial stores, then the accesses.
func (p Program) events() (list []event) {
	names := map[string]bool{}
	for _, thread := range p {
		for _, i := range thread {
			if i.kind != branch && !names[i.location] {
				names[i.location] = true
				list = append(list, event{Store(i.location, 0), -1, 0, -1})
			}
		}
	}
	for t, thread := range p {
		loaded := map[string]int{}
		for at, i := range thread {
			i.check(loaded)
			e := event{i, t, at, -1}
			switch {
			case i.kind == branch:
				continue
			case i.kind == load && names[i.register]:
				panic(fmt.Sprintf("litmus: found a second %s, allowed: each name once", i.register))
			case i.kind == load:
				names[i.register] = true
				loaded[i.register] = len(list)
			case i.register != "":
				e.source = loaded[i.register]
			}
			list = append(list, e)
		}
	}
	if len(list) > maxEvents {
		panic(fmt.Sprintf("litmus: found %d accesses with the initial ones, allowed: %d", len(list),
			maxEvents))
	}
	return list
}

// check panics unless the thread has loaded every register that an instruction uses.
func (i *Instruction) check(loaded map[string]int) {
	uses := []string{i.address}
	if i.kind != load {
		uses = append(uses, i.register)
	}
	for _, register := range uses {
		if _, ok := loaded[register]; register != "" && !ok {
			panic(fmt.Sprintf("litmus: found a use of %s, allowed: after its load, in the same "+
				"thread", register))
		}
	}
}
