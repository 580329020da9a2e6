package hashbench

// digestBytes is the greatest length in a digest.
const digestBytes = 1500

// Digest condenses the hashes of inputs of 0 to 1500 bytes, at all alignments to 8, into one
// number. It is the FNV-1a of all results, each as two little-endian words. Two implementations
// with the same digest give the same bits.
func (f Func) Digest() uint64 {
	data := make([]byte, digestBytes+9)
	for i := range data {
		data[i] = byte(splitMix(uint64(i)))
	}
	digest := uint64(fnvOffset64)
	for n := range digestBytes + 1 {
		lo, hi := f.Native.Sum(data[n%8:][:n])
		for _, word := range []uint64{lo, hi} {
			for shift := 0; shift < 64; shift += 8 {
				digest = (digest ^ word>>shift&0xff) * fnvPrime64
			}
		}
	}
	return digest
}
