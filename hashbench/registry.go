package hashbench

import (
	"fmt"
	"slices"
	"strings"
)

// Default is the function of MICA and of the study.
const Default = "city64"

// Variant names the kind of a function's code.
type Variant string

// The variants. A name without a variant means the first one in its list.
const (
	Module Variant = "module" // the module's Go code
	Asm    Variant = "asm"    // the module's assembly for this processor, at least for long input
	// Go code, where this build or processor has no assembly; or written here
	PureGo Variant = "purego"
	// package tuned: written here for Go's compiler, the same bits as the module's
	Tuned Variant = "tuned"
)

// Func is one named hash function.
type Func struct {
	Name    string // "city64"; of a second variant "city64@module"
	Family  string // the design, as named in the study's figure: "City"
	Bits    int    // of its result: 32, 64, 128 or 256
	Module  string // where the code comes from
	Variant Variant
	// Sum64 hashes a key to 64 bits that all vary. It keeps no reference
	// to the key and may be called from any goroutine.
	Sum64 func(key []byte) uint64
	// Native is the timed form: the same function with its own results.
	Native Native
	// PerProcess means that the results differ from process to process. Such a function can't hash
	// keys: another client would not find them.
	PerProcess bool
}

// Native is a hash function as its module offers it, without any wrapper. One field is set. Of a
// hash of more than 128 bits, H128 has the first 128.
type Native struct {
	H32  func(key []byte) uint32
	H64  func(key []byte) uint64
	H128 func(key []byte) (lo, hi uint64)
}

// Sum is the result of the field that is set; hi is 0 up to 64 bits.
func (n Native) Sum(key []byte) (lo, hi uint64) {
	switch {
	case n.H32 != nil:
		return uint64(n.H32(key)), 0
	case n.H64 != nil:
		return n.H64(key), 0
	}
	return n.H128(key)
}

// Base is the name without a variant. Functions with the same base compute the same hash.
func (f Func) Base() string {
	base, _, _ := strings.Cut(f.Name, "@")
	return base
}

// All lists every function and variant. Families stand together, the default variant of a name
// first.
func All() []Func { return slices.Clone(registry) }

// Find finds a function or variant by its name, for timing.
func Find(name string) (Func, error) {
	i := slices.IndexFunc(registry, func(f Func) bool {
		return f.Name == name || f.Base()+"@"+string(f.Variant) == name
	})
	if i < 0 {
		return Func{}, unknown(name, registry)
	}
	return registry[i], nil
}

// Lookup finds a function by its name, for hashing keys.
func Lookup(name string) (Func, error) {
	f, err := Find(name)
	switch {
	case err != nil:
		return Func{}, unknown(name, forKeys())
	case f.PerProcess:
		return Func{}, fmt.Errorf("hash function: found %q, whose seed differs in each process, "+
			"so that other clients would not find its keys; allowed: "+
			"%s", name, strings.Join(Names(), ", "))
	}
	return f, nil
}

// Names lists the functions that [Lookup] finds.
func Names() []string { return namesOf(forKeys()) }

func forKeys() []Func {
	return slices.DeleteFunc(All(), func(f Func) bool { return f.PerProcess })
}

func namesOf(list []Func) []string {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.Name
	}
	return names
}

func unknown(name string, known []Func) error {
	return fmt.Errorf("hash function: found %q, allowed: %s", name,
		strings.Join(namesOf(known), ", "))
}

// Family lists the functions and variants of one design. It ignores case, and returns none for an
// unknown design.
func Family(name string) []Func {
	return slices.DeleteFunc(All(), func(f Func) bool { return !strings.EqualFold(f.Family, name) })
}
