package litmus

import "testing"

// is wants these values, of registers and of locations at the end.
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

// TestArmv8 holds the model against what is known of the classic shapes on Armv8: the names, outcomes and verdicts of
// herd7 (Alglave and others) with Arm's aarch64.cat.
func TestArmv8(t *testing.T) {
	mp := is(Outcome{"f": 1, "d": 0})
	sb := is(Outcome{"a": 0, "b": 0})
	lb := is(Outcome{"a": 1, "b": 1})
	iriw := is(Outcome{"a": 1, "b": 0, "c": 1, "d": 0})
	wrc := is(Outcome{"a": 1, "b": 1, "c": 0})
	Check(t, map[string]Case{
		"MP":          {Program{{Store("x", 1), Store("y", 1)}, {Load("f", "y"), Load("d", "x")}}, mp, true},
		"MP+rel+acq":  {Program{{Store("x", 1), StoreRelease("y", 1)}, {LoadAcquire("f", "y"), Load("d", "x")}}, mp, false},
		"MP+rel+po":   {Program{{Store("x", 1), StoreRelease("y", 1)}, {Load("f", "y"), Load("d", "x")}}, mp, true},
		"MP+po+acq":   {Program{{Store("x", 1), Store("y", 1)}, {LoadAcquire("f", "y"), Load("d", "x")}}, mp, true},
		"MP+rel+addr": {Program{{Store("x", 1), StoreRelease("y", 1)}, {Load("f", "y"), Load("d", "x").At("f")}}, mp, false},
		"MP+rel+ctrl": {Program{{Store("x", 1), StoreRelease("y", 1)}, {Load("f", "y"), Branch("f"), Load("d", "x")}}, mp, true},
		// Release orders what is before it, not what is after.
		"MP+rel first+acq": {Program{{StoreRelease("x", 1), Store("y", 1)}, {LoadAcquire("f", "y"), Load("d", "x")}}, mp, true},
		"MP+rel+acq last":  {Program{{Store("x", 1), StoreRelease("y", 1)}, {Load("f", "y"), LoadAcquire("d", "x")}}, mp, true},

		"SB":            {Program{{Store("x", 1), Load("a", "y")}, {Store("y", 1), Load("b", "x")}}, sb, true},
		"SB+rel+acq":    {Program{{StoreRelease("x", 1), LoadAcquire("a", "y")}, {StoreRelease("y", 1), LoadAcquire("b", "x")}}, sb, false},
		"SB+rel+plain":  {Program{{StoreRelease("x", 1), Load("a", "y")}, {StoreRelease("y", 1), Load("b", "x")}}, sb, true},
		"SB+rfi-addrs":  {Program{{Store("x", 1), Load("c", "x"), Load("a", "y").At("c")}, {Store("y", 1), Load("d", "y"), Load("b", "x").At("d")}}, is(Outcome{"a": 0, "b": 0, "c": 1, "d": 1}), true},
		"LB":            {Program{{Load("a", "x"), Store("y", 1)}, {Load("b", "y"), Store("x", 1)}}, lb, true},
		"LB+datas":      {Program{{Load("a", "x"), StoreFrom("y", "a")}, {Load("b", "y"), StoreFrom("x", "b")}}, lb, false},
		"LB+data+po":    {Program{{Load("a", "x"), StoreFrom("y", "a")}, {Load("b", "y"), Store("x", 1)}}, lb, true},
		"LB+ctrls":      {Program{{Load("a", "x"), Branch("a"), Store("y", 1)}, {Load("b", "y"), Branch("b"), Store("x", 1)}}, lb, false},
		"LB+addr-pos":   {Program{{Load("a", "x"), Load("c", "z").At("a"), Store("y", 1)}, {Load("b", "y"), Load("d", "w").At("b"), Store("x", 1)}}, lb, false},
		"LB+acqs":       {Program{{LoadAcquire("a", "x"), Store("y", 1)}, {LoadAcquire("b", "y"), Store("x", 1)}}, lb, false},
		"LB+rels":       {Program{{Load("a", "x"), StoreRelease("y", 1)}, {Load("b", "y"), StoreRelease("x", 1)}}, lb, false},
		"LB+acq+po":     {Program{{LoadAcquire("a", "x"), Store("y", 1)}, {Load("b", "y"), Store("x", 1)}}, lb, true},
		"LB+data-rfi":   {Program{{Load("a", "x"), StoreFrom("z", "a"), Load("c", "z"), StoreFrom("y", "c")}, {LoadAcquire("b", "y"), Store("x", 1)}}, lb, false},
		"LB+data-coi":   {Program{{Load("a", "x"), StoreFrom("y", "a"), Store("y", 2)}, {LoadAcquire("b", "y"), Store("x", 1)}}, is(Outcome{"a": 1, "b": 2}), false},
		"CoRR":          {Program{{Store("x", 1)}, {Load("a", "x"), Load("b", "x")}}, is(Outcome{"a": 1, "b": 0}), false},
		"CoWR":          {Program{{Store("x", 1), Load("a", "x")}}, is(Outcome{"a": 0}), false},
		"CoRW":          {Program{{Load("a", "x"), Store("x", 1)}}, is(Outcome{"a": 1}), false},
		"CoWW":          {Program{{Store("x", 1), Store("x", 2)}}, is(Outcome{"x": 1}), false},
		"2+2W":          {Program{{Store("x", 1), Store("y", 2)}, {Store("y", 1), Store("x", 2)}}, is(Outcome{"x": 1, "y": 1}), true},
		"2+2W+rels":     {Program{{Store("x", 1), StoreRelease("y", 2)}, {Store("y", 1), StoreRelease("x", 2)}}, is(Outcome{"x": 1, "y": 1}), false},
		"2+2W+rel+po":   {Program{{Store("x", 1), StoreRelease("y", 2)}, {Store("y", 1), Store("x", 2)}}, is(Outcome{"x": 1, "y": 1}), true},
		"S":             {Program{{Store("x", 2), Store("y", 1)}, {Load("a", "y"), Store("x", 1)}}, is(Outcome{"a": 1, "x": 2}), true},
		"S+rel+data":    {Program{{Store("x", 2), StoreRelease("y", 1)}, {Load("a", "y"), StoreFrom("x", "a")}}, is(Outcome{"a": 1, "x": 2}), false},
		"S+rel+po":      {Program{{Store("x", 2), StoreRelease("y", 1)}, {Load("a", "y"), Store("x", 1)}}, is(Outcome{"a": 1, "x": 2}), true},
		"R":             {Program{{Store("x", 1), Store("y", 1)}, {Store("y", 2), Load("a", "x")}}, is(Outcome{"y": 2, "a": 0}), true},
		"R+rel+rel-acq": {Program{{Store("x", 1), StoreRelease("y", 1)}, {StoreRelease("y", 2), LoadAcquire("a", "x")}}, is(Outcome{"y": 2, "a": 0}), false},
		"R+rel+po":      {Program{{Store("x", 1), StoreRelease("y", 1)}, {Store("y", 2), Load("a", "x")}}, is(Outcome{"y": 2, "a": 0}), true},

		"IRIW":       {Program{{Store("x", 1)}, {Store("y", 1)}, {Load("a", "x"), Load("b", "y")}, {Load("c", "y"), Load("d", "x")}}, iriw, true},
		"IRIW+acqs":  {Program{{Store("x", 1)}, {Store("y", 1)}, {LoadAcquire("a", "x"), Load("b", "y")}, {LoadAcquire("c", "y"), Load("d", "x")}}, iriw, false},
		"IRIW+addrs": {Program{{Store("x", 1)}, {Store("y", 1)}, {Load("a", "x"), Load("b", "y").At("a")}, {Load("c", "y"), Load("d", "x").At("c")}}, iriw, false},

		"WRC":           {Program{{Store("x", 1)}, {Load("a", "x"), Store("y", 1)}, {Load("b", "y"), Load("c", "x")}}, wrc, true},
		"WRC+addrs":     {Program{{Store("x", 1)}, {Load("a", "x"), Store("y", 1).At("a")}, {Load("b", "y"), Load("c", "x").At("b")}}, wrc, false},
		"WRC+rel+acq":   {Program{{Store("x", 1)}, {Load("a", "x"), StoreRelease("y", 1)}, {LoadAcquire("b", "y"), Load("c", "x")}}, wrc, false},
		"WRC+po+acq":    {Program{{Store("x", 1)}, {Load("a", "x"), Store("y", 1)}, {LoadAcquire("b", "y"), Load("c", "x")}}, wrc, true},
		"WRC+data+ctrl": {Program{{Store("x", 1)}, {Load("a", "x"), StoreFrom("y", "a")}, {Load("b", "y"), Branch("b"), Load("c", "x")}}, wrc, true},

		"ISA2+rel+addr+acq": {Program{{Store("x", 1), StoreRelease("y", 1)}, {Load("a", "y"), Store("z", 1).At("a")}, {LoadAcquire("b", "z"), Load("c", "x")}}, wrc, false},
		// A thread's own store may serve its load before others see it (PPOCA).
		"PPOCA": {Program{{Store("x", 1), StoreRelease("y", 1)}, {Load("a", "y"), Branch("a"), Store("z", 1), Load("b", "z"), Load("c", "x").At("b")}}, wrc, true},
		// Of two loads that the same store serves, the later may be the first (RSW); but not if an address leads on from store to load (PPOAA).
		"MP+rel+addr-rsw-addr": {Program{{Store("x", 1), StoreRelease("y", 1)}, {Load("a", "y"), Load("p", "z").At("a"), Load("q", "z"), Load("c", "x").At("q")}}, is(Outcome{"a": 1, "p": 0, "q": 0, "c": 0}), true},
		"PPOAA":                {Program{{Store("x", 1), StoreRelease("y", 1)}, {Load("a", "y"), Store("z", 1).At("a"), Load("b", "z"), Load("c", "x").At("b")}}, wrc, false},
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
