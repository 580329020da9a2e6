package hashbench

import "fmt"

// Check compares a function with the published test vectors of its name. An incorrect function must
// not be timed.
func (f Func) Check() error {
	vectors := vectorsOf(f.Base())
	if f.PerProcess {
		return f.checkRepeats()
	}
	if len(vectors) == 0 {
		return fmt.Errorf("hash function %s has no test vectors", f.Name)
	}
	for _, v := range vectors {
		if lo, hi := f.Native.Sum([]byte(v.input)); lo != v.lo || hi != v.hi {
			return fmt.Errorf("hash function %s (%s, %s) is incorrect: for %d bytes %.20q found "+
				"%#x %#x, published %#x %#x",
				f.Name, f.Module, f.Variant, len(v.input), v.input, lo, hi, v.lo, v.hi)
		}
	}
	return nil
}

// checkRepeats checks a function whose results can't be published.
func (f Func) checkRepeats() error {
	for n := range 256 {
		a, b := f.Sum64(ascending(n)), f.Sum64(ascending(n))
		if a != b {
			return fmt.Errorf("hash function %s is not repeatable: found %#x and %#x for the "+
				"same %d bytes", f.Name, a,
				b, n)
		}
	}
	return nil
}

func vectorsOf(base string) []vector {
	switch base {
	case "city32":
		return cityVectorsOf(32)
	case "city64":
		return cityVectorsOf(64)
	case "city128":
		return cityVectorsOf(128)
	}
	return vectors[base]
}
