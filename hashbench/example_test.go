package hashbench_test

import (
	"fmt"
	"log"

	"dpukv/hashbench"
)

// Lookup finds a function for keys. All 64 bits of every function vary.
func ExampleLookup() {
	f, err := hashbench.Lookup(hashbench.Default)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, %d bits: %016x\n", f.Name, f.Bits, f.Sum64([]byte("key")))
	// Output:
	// city64, 64 bits: 0bb7560e11262cdb
}

// Find also finds the other variants of a function, which give the same bits, to time them.
func ExampleFind() {
	for _, name := range []string{"city64", "city64@module"} {
		f, err := hashbench.Find(name)
		if err != nil {
			log.Fatal(err)
		}
		lo, _ := f.Native.Sum([]byte("key"))
		fmt.Printf("%s is %s: %016x\n", f.Name, f.Variant, lo)
	}
	// Output:
	// city64 is tuned: 0bb7560e11262cdb
	// city64@module is module: 0bb7560e11262cdb
}

// Family lists the functions and variants of one design.
func ExampleFamily() {
	for _, f := range hashbench.Family("City") {
		fmt.Println(f.Name, f.Bits)
	}
	// Output:
	// city32 32
	// city64 64
	// city128 128
	// city32@module 32
	// city64@module 64
	// city128@module 128
}
