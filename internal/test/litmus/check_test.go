package litmus

import "testing"

// is matches these final values of registers and locations.
func is(want Outcome) func(Outcome) bool {
	return func(found Outcome) bool {
		for name, v := range want {
			if found[name] != v {
				return false
			}
		}
		return true
	}
}

// TestArmv8 compares the model with the known results of the classic shapes on Armv8: the names,
// outcomes and verdicts of herd7 (Alglave and others) with Arm's aarch64.cat.
func TestArmv8(t *testing.T) {
	mp := is(Outcome{"f": 1, "d": 0})
	sb := is(Outcome{"a": 0, "b": 0})
	lb := is(Outcome{"a": 1, "b": 1})
	iriw := is(Outcome{"a": 1, "b": 0, "c": 1, "d": 0})
	wrc := is(Outcome{"a": 1, "b": 1, "c": 0})
	Check(t, map[string]Case{
		"MP": Allows(mp, Thread{Store("x", 1), Store("y", 1)}, Thread{Load("f", "y"), Load("d", "x")}),
		"MP+rel+acq": Forbids(mp, Thread{Store("x", 1), StoreRelease("y", 1)},
			Thread{LoadAcquire("f", "y"), Load("d", "x")}),
		"MP+rel+po": Allows(mp, Thread{Store("x", 1), StoreRelease("y", 1)}, Thread{Load("f", "y"), Load("d", "x")}),
		"MP+po+acq": Allows(mp, Thread{Store("x", 1), Store("y", 1)}, Thread{LoadAcquire("f", "y"), Load("d", "x")}),
		"MP+rel+addr": Forbids(mp, Thread{Store("x", 1), StoreRelease("y", 1)},
			Thread{Load("f", "y"), Load("d", "x").At("f")}),
		"MP+rel+ctrl": Allows(mp, Thread{Store("x", 1), StoreRelease("y", 1)},
			Thread{Load("f", "y"), Branch("f"), Load("d", "x")}),
		// Release orders the accesses before it, not those after it.
		"MP+rel first+acq": Allows(mp, Thread{StoreRelease("x", 1), Store("y", 1)},
			Thread{LoadAcquire("f", "y"), Load("d", "x")}),
		"MP+rel+acq last": Allows(mp, Thread{Store("x", 1), StoreRelease("y", 1)},
			Thread{Load("f", "y"), LoadAcquire("d", "x")}),

		"SB": Allows(sb, Thread{Store("x", 1), Load("a", "y")}, Thread{Store("y", 1), Load("b", "x")}),
		"SB+rel+acq": Forbids(sb, Thread{StoreRelease("x", 1), LoadAcquire("a", "y")},
			Thread{StoreRelease("y", 1), LoadAcquire("b", "x")}),
		"SB+rel+plain": Allows(sb, Thread{StoreRelease("x", 1), Load("a", "y")},
			Thread{StoreRelease("y", 1), Load("b", "x")}),
		"SB+rfi-addrs": Allows(is(Outcome{"a": 0, "b": 0, "c": 1, "d": 1}),
			Thread{Store("x", 1), Load("c", "x"), Load("a", "y").At("c")},
			Thread{Store("y", 1), Load("d", "y"), Load("b", "x").At("d")}),
		"LB": Allows(lb, Thread{Load("a", "x"), Store("y", 1)}, Thread{Load("b", "y"), Store("x", 1)}),
		"LB+datas": Forbids(lb, Thread{Load("a", "x"), StoreFrom("y", "a")},
			Thread{Load("b", "y"), StoreFrom("x", "b")}),
		"LB+data+po": Allows(lb, Thread{Load("a", "x"), StoreFrom("y", "a")}, Thread{Load("b", "y"), Store("x", 1)}),
		"LB+ctrls": Forbids(lb, Thread{Load("a", "x"), Branch("a"), Store("y", 1)},
			Thread{Load("b", "y"), Branch("b"), Store("x", 1)}),
		"LB+addr-pos": Forbids(lb, Thread{Load("a", "x"), Load("c", "z").At("a"), Store("y", 1)},
			Thread{Load("b", "y"), Load("d", "w").At("b"), Store("x", 1)}),
		"LB+acqs": Forbids(lb, Thread{LoadAcquire("a", "x"), Store("y", 1)},
			Thread{LoadAcquire("b", "y"), Store("x", 1)}),
		"LB+rels": Forbids(lb, Thread{Load("a", "x"), StoreRelease("y", 1)},
			Thread{Load("b", "y"), StoreRelease("x", 1)}),
		"LB+acq+po": Allows(lb, Thread{LoadAcquire("a", "x"), Store("y", 1)},
			Thread{Load("b", "y"), Store("x", 1)}),
		"LB+data-rfi": Forbids(lb, Thread{Load("a", "x"), StoreFrom("z", "a"), Load("c", "z"), StoreFrom("y", "c")},
			Thread{LoadAcquire("b", "y"), Store("x", 1)}),
		"LB+data-coi": Forbids(is(Outcome{"a": 1, "b": 2}),
			Thread{Load("a", "x"), StoreFrom("y", "a"), Store("y", 2)}, Thread{LoadAcquire("b", "y"), Store("x", 1)}),
		"CoRR": Forbids(is(Outcome{"a": 1, "b": 0}), Thread{Store("x", 1)},
			Thread{Load("a", "x"), Load("b", "x")}),
		"CoWR": Forbids(is(Outcome{"a": 0}), Thread{Store("x", 1), Load("a", "x")}),
		"CoRW": Forbids(is(Outcome{"a": 1}), Thread{Load("a", "x"), Store("x", 1)}),
		"CoWW": Forbids(is(Outcome{"x": 1}), Thread{Store("x", 1), Store("x", 2)}),
		"2+2W": Allows(is(Outcome{"x": 1, "y": 1}), Thread{Store("x", 1), Store("y", 2)},
			Thread{Store("y", 1), Store("x", 2)}),
		"2+2W+rels": Forbids(is(Outcome{"x": 1, "y": 1}), Thread{Store("x", 1), StoreRelease("y", 2)},
			Thread{Store("y", 1), StoreRelease("x", 2)}),
		"2+2W+rel+po": Allows(is(Outcome{"x": 1, "y": 1}), Thread{Store("x", 1), StoreRelease("y", 2)},
			Thread{Store("y", 1), Store("x", 2)}),
		"S": Allows(is(Outcome{"a": 1, "x": 2}), Thread{Store("x", 2), Store("y", 1)},
			Thread{Load("a", "y"), Store("x", 1)}),
		"S+rel+data": Forbids(is(Outcome{"a": 1, "x": 2}), Thread{Store("x", 2), StoreRelease("y", 1)},
			Thread{Load("a", "y"), StoreFrom("x", "a")}),
		"S+rel+po": Allows(is(Outcome{"a": 1, "x": 2}), Thread{Store("x", 2), StoreRelease("y", 1)},
			Thread{Load("a", "y"), Store("x", 1)}),
		"R": Allows(is(Outcome{"y": 2, "a": 0}), Thread{Store("x", 1), Store("y", 1)},
			Thread{Store("y", 2), Load("a", "x")}),
		"R+rel+rel-acq": Forbids(is(Outcome{"y": 2, "a": 0}), Thread{Store("x", 1), StoreRelease("y", 1)},
			Thread{StoreRelease("y", 2), LoadAcquire("a", "x")}),
		"R+rel+po": Allows(is(Outcome{"y": 2, "a": 0}), Thread{Store("x", 1), StoreRelease("y", 1)},
			Thread{Store("y", 2), Load("a", "x")}),

		"IRIW": Allows(iriw, Thread{Store("x", 1)}, Thread{Store("y", 1)}, Thread{Load("a", "x"), Load("b", "y")},
			Thread{Load("c", "y"), Load("d", "x")}),
		"IRIW+acqs": Forbids(iriw, Thread{Store("x", 1)}, Thread{Store("y", 1)},
			Thread{LoadAcquire("a", "x"), Load("b", "y")}, Thread{LoadAcquire("c", "y"), Load("d", "x")}),
		"IRIW+addrs": Forbids(iriw, Thread{Store("x", 1)}, Thread{Store("y", 1)},
			Thread{Load("a", "x"), Load("b", "y").At("a")}, Thread{Load("c", "y"), Load("d", "x").At("c")}),

		"WRC": Allows(wrc, Thread{Store("x", 1)}, Thread{Load("a", "x"), Store("y", 1)},
			Thread{Load("b", "y"), Load("c", "x")}),
		"WRC+addrs": Forbids(wrc, Thread{Store("x", 1)}, Thread{Load("a", "x"), Store("y", 1).At("a")},
			Thread{Load("b", "y"), Load("c", "x").At("b")}),
		"WRC+rel+acq": Forbids(wrc, Thread{Store("x", 1)}, Thread{Load("a", "x"), StoreRelease("y", 1)},
			Thread{LoadAcquire("b", "y"), Load("c", "x")}),
		"WRC+po+acq": Allows(wrc, Thread{Store("x", 1)}, Thread{Load("a", "x"), Store("y", 1)},
			Thread{LoadAcquire("b", "y"), Load("c", "x")}),
		"WRC+data+ctrl": Allows(wrc, Thread{Store("x", 1)}, Thread{Load("a", "x"), StoreFrom("y", "a")},
			Thread{Load("b", "y"), Branch("b"), Load("c", "x")}),

		"ISA2+rel+addr+acq": Forbids(wrc, Thread{Store("x", 1), StoreRelease("y", 1)},
			Thread{Load("a", "y"), Store("z", 1).At("a")}, Thread{LoadAcquire("b", "z"), Load("c", "x")}),
		// A thread's own store may serve its load before others see it (PPOCA).
		"PPOCA": Allows(wrc, Thread{Store("x", 1), StoreRelease("y", 1)},
			Thread{Load("a", "y"), Branch("a"), Store("z", 1), Load("b", "z"), Load("c", "x").At("b")}),
		// If one store serves two loads, the later load may be performed first (RSW). It may not if
		// an address dependency leads on from store to load (PPOAA).
		"MP+rel+addr-rsw-addr": Allows(is(Outcome{"a": 1, "p": 0, "q": 0, "c": 0}),
			Thread{Store("x", 1), StoreRelease("y", 1)},
			Thread{Load("a", "y"), Load("p", "z").At("a"), Load("q", "z"), Load("c", "x").At("q")}),
		"PPOAA": Forbids(wrc, Thread{Store("x", 1), StoreRelease("y", 1)},
			Thread{Load("a", "y"), Store("z", 1).At("a"), Load("b", "z"), Load("c", "x").At("b")}),
	})
}

// TestOutcomes: all of a program's outcomes, and no others.
func TestOutcomes(t *testing.T) {
	found := map[[3]int]bool{}
	Program{{Store("x", 1), Store("x", 2)}, {Load("a", "x"), Load("b", "x")}}.Allows(func(o Outcome) bool {
		found[[3]int{o["a"], o["b"], o["x"]}] = true
		return false
	})
	want := [][3]int{{0, 0, 2}, {0, 1, 2}, {0, 2, 2}, {1, 1, 2}, {1, 2, 2}, {2, 2, 2}}
	for _, w := range want {
		if !found[w] {
			t.Errorf("%v was not found", w)
		}
	}
	if len(found) != len(want) {
		t.Errorf("found %v, want %v", found, want)
	}
}

func TestMistakes(t *testing.T) {
	for name, p := range map[string]Program{
		"register twice": {{Load("a", "x")}, {Load("a", "y")}},
		"not loaded":     {{StoreFrom("x", "a")}},
		"of another":     {{Load("a", "x")}, {Load("b", "y").At("a")}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			p.Allows(func(Outcome) bool { return false })
		}()
	}
}
