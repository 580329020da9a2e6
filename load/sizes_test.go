package load

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

func TestParseSizes(t *testing.T) {
	for text, want := range map[string]string{
		"32": "32 ", "0": "0 ", "65535": "65535 ", "32:90": "32 ", "32-32": "32 ", "32:1+32:2": "32 ",
		"32-1024": "528 32-1024", "0-3": "2 0-3", "32-1024:7": "528 32-1024",
		"32:90,1024:10": "131 32:90+1024:10", "1024:10+32:90": "131 32:90+1024:10",
		"32:40+1024:10+32:50": "131 32:90+1024:10", "8:0.50+16-31:.5": "16 8:0.5+16-31:0.5",
		"8:1e3+16:1": "8 8:1000+16:1",
	} {
		mean, sizes, err := SizesOfValues.Parse(text)
		if got := fmt.Sprintf("%d %s", mean, string(sizes)); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
		again, same, err := SizesOfValues.Parse(sizes.Text(mean))
		if again != mean || same != sizes || err != nil {
			t.Errorf("%q: reading it again: %d %s, %v", text, again, same, err)
		}
	}
	tooMany := strings.TrimSuffix(strings.Repeat("1-%d:1+", 257), "+")
	numbers := make([]any, 257)
	for i := range numbers {
		numbers[i] = i + 2
	}
	for _, text := range []string{
		"", "-1", "65536", "1024-32", "32-", "32-65536", "32+64", "32:90+64", "32:0+64:1", "32:-1+64:1",
		"32:NaN", "32:Inf", "32:1e13", "32:1e-7", "32:", "32:1:2", "32.5",
		"file:sizes", fmt.Sprintf(tooMany, numbers...),
	} {
		_, _, err := SizesOfValues.Parse(text)
		if err == nil || !strings.Contains(err.Error(), "allowed: a whole number from 0 to 65535, a range") {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestParseSizesFile(t *testing.T) {
	mean, sizes, err := SizesOfValues.ParseFile("s", []byte("# SIZE WEIGHT\n32 90\r\n\n1024,10 # large\n64-127\t5.5\n"))
	if mean != 129 || sizes != "32:90+64-127:5.5+1024:10" || err != nil {
		t.Errorf("got %d %s, %v", mean, string(sizes), err)
	}
	lines := ""
	for i := range 257 {
		lines += fmt.Sprintln(i, 1)
	}
	for text, want := range map[string]string{
		"":            "s: found 0 different sizes, allowed: 1 to 256",
		"32 1\n64\n":  `s:2: found "64", allowed: SIZE WEIGHT`,
		"\n70000 1\n": `s:2: found "70000 1", allowed: SIZE WEIGHT`,
		"32 1 1":      `s:1: found "32 1 1"`,
		"32+64 1":     `s:1: found "32+64 1"`,
		lines:         "found 257 different sizes, allowed: 1 to 256; join neighbours",
	} {
		_, _, err := SizesOfValues.ParseFile("s", []byte(text))
		must.Fail(t, err, want)
	}
}

// TestSizesInJSON: a single size stands in points and IDs as before there were distributions.
func TestSizesInJSON(t *testing.T) {
	l := usual()
	text, err := json.Marshal(l)
	if err != nil || strings.Contains(string(text), "value_sizes") {
		t.Errorf("%s, %v", text, err)
	}
	f := FieldOf("value_bytes")
	if v, isInt := f.Value(&l).(int); !isInt || v != l.ValueBytes {
		t.Errorf("the value is %v", f.Value(&l))
	}
	must.Do(t, f.Set(&l, "1024:10,32:90"))
	if v := f.Value(&l); v != Sizes("32:90+1024:10") || f.Number(&l) != 131 {
		t.Errorf("the value is %v, the number %v", v, f.Number(&l))
	}
	if text, err = json.Marshal(l); err != nil ||
		!strings.Contains(string(text), `"value_bytes":131,"value_sizes":"32:90+1024:10"`) {
		t.Errorf("%s, %v", text, err)
	}
	must.Do(t, l.Validate())
	l.ValueBytes = 130
	must.Fail(t, l.Validate(), "allowed: its mean, 131")
	l.ValueSizes = "nonsense"
	must.Fail(t, l.Validate(), "value_bytes: found nonsense")
}

func TestSizesShown(t *testing.T) {
	long := "1:1"
	for i := range 100 {
		long += fmt.Sprintf("+%d-%d:1", 10*i+10, 10*i+19)
	}
	_, sizes, err := SizesOfValues.Parse(long)
	must.Do(t, err)
	shown := sizes.String()
	if !strings.HasPrefix(shown, "1-1009 in 101 weights ") || len(shown) > maxSizesShown {
		t.Errorf("a long list is shown as %q", shown)
	}
	_, other, _ := SizesOfValues.Parse(strings.Replace(long, "1:1+", "1:2+", 1))
	if other.String() == shown || other == sizes {
		t.Error("other weights are shown alike")
	}
	if s := Sizes("32:90+1024:10"); s.String() != "32:90+1024:10" {
		t.Errorf("a short list is shown as %s", s)
	}
}

func withValues(t testing.TB, text string) *Workload {
	t.Helper()
	w := &Workload{Keys: 1000}
	var err error
	if w.ValueBytes, w.ValueSizes, err = SizesOfValues.Parse(text); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestRoom(t *testing.T) {
	for text, want := range map[string][2]int{ // the room of each of 1000 values, the largest
		"32": {32, 32}, "0": {0, 0}, "10-20": {16, 20}, "32:99+65535:1": {1924, 65535}, "0-1": {1, 1},
	} {
		w := withValues(t, text)
		if got := [2]int{w.RoomBytes(), w.MaxValueBytes()}; got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

// TestGrowth compares the expected bytes with those of a log that takes in each larger value.
func TestGrowth(t *testing.T) {
	for _, text := range []string{"32", "32-1024", "32:90+1024:10", "0-65535"} {
		w := withValues(t, text)
		values, sum := NewValues(w), 0
		for key := range w.Keys {
			room := -1
			for version := range uint32(3000) {
				if size := (values.Size(uint64(key), version) + 7) / 8 * 8; size > room {
					room = size
					sum += size + 24
				}
			}
		}
		found, most := float64(sum)/float64(w.Keys), float64(w.GrowthBytes(24))
		if found > 1.05*most || found < 0.6*most {
			t.Errorf("%s: a log took in %.0f bytes a key, expected at most %.0f", text, found, most)
		}
	}
}

// TestRoomSuffices: all values together fit the room, whichever versions they have.
func TestRoomSuffices(t *testing.T) {
	for _, text := range []string{"32-1024", "32:90+1024:10", "8:999+65535:1", "0-65535"} {
		w := withValues(t, text)
		values := NewValues(w)
		for version := range uint32(200) {
			sum := 0
			for key := range w.Keys {
				sum += values.Size(uint64(key), version*7919)
			}
			if sum > w.Keys*w.RoomBytes() {
				t.Errorf("%s: %d values take %d bytes, the room is %d", text, w.Keys, sum, w.Keys*w.RoomBytes())
			}
		}
	}
}

// TestSizesFollowTheirLaw draws over keys, and over versions of one key.
func TestSizesFollowTheirLaw(t *testing.T) {
	const draws = 400_000
	for _, c := range []struct {
		text string
		p    map[int]float64
	}{
		{"32:90+1024:10", map[int]float64{32: 0.9, 1024: 0.1}},
		{"7-10", map[int]float64{7: 0.25, 8: 0.25, 9: 0.25, 10: 0.25}},
		{"0:1+5-6:2+60000:5", map[int]float64{0: 0.125, 5: 0.125, 6: 0.125, 60000: 0.625}},
	} {
		values := NewValues(withValues(t, c.text))
		for name, size := range map[string]func(i int) int{
			"keys":     func(i int) int { return values.Size(uint64(i), 0) },
			"versions": func(i int) int { return values.Size(42, uint32(i)) },
			"both":     func(i int) int { return values.Size(uint64(i/1000), uint32(i%1000)*8) },
		} {
			found := map[int]int{}
			for i := range draws {
				found[size(i)]++
			}
			var counts []int
			var expected []float64
			sum := 0
			for n, p := range c.p {
				counts, expected, sum = append(counts, found[n]), append(expected, p*draws), sum+found[n]
			}
			if sigmas := chiSquare(counts, expected); sigmas > 4 || sum != draws {
				t.Errorf("%s over %s: %v is %.1f sigmas off", c.text, name, found, sigmas)
			}
		}
	}
}

// TestSizesAreTheSameEverywhere: a client on another machine must draw the same sizes.
func TestSizesAreTheSameEverywhere(t *testing.T) {
	values, sum := NewValues(withValues(t, "1-100:0.1+200:0.7+300-65535:0.3")), uint64(0)
	for i := range uint64(10000) {
		sum = mix64(sum ^ uint64(values.Size(i%100, uint32(i))))
	}
	if want := uint64(0x5926bd5b3500a7da); sum != want {
		t.Errorf("the sizes have the digest %#x, want %#x", sum, want)
	}
}

func TestValuesOfSeveralSizes(t *testing.T) {
	values := NewValues(withValues(t, "0-20:9+300:1"))
	dst := make([]byte, values.MaxBytes()+1)
	for i := range uint64(20000) {
		key, version := i%50, uint32(i)
		val := values.Fill(dst, key, version)
		if len(val) != values.Size(key, version) || !values.Check(val, key) {
			t.Fatalf("own value of %d bytes is refused", len(val))
		}
		if len(val) >= valueHeader {
			if values.Check(val[:len(val)-1], key) || values.Check(dst[:len(val)+1], key) {
				t.Fatalf("a wrong length is taken for %d bytes", len(val))
			}
			if values.Check(val, key+1) {
				t.Fatal("another key's value is taken")
			}
		}
	}
	short := NewValues(withValues(t, "3:1+5:1+9:1"))
	for n := range 9 {
		FillValue(dst[:n], 7, 0)
		if got, want := short.Check(dst[:n], 7), n == 3 || n == 5; got != want {
			t.Errorf("a value of %d bytes: %v, want %v", n, got, want)
		}
	}
}

// TestValueSizesByKey: all values of a key have one size, the sizes of the keys follow the law, and
// a value of another size is refused.
func TestValueSizesByKey(t *testing.T) {
	const keys = 100_000
	w := withValues(t, "3:1+5:2+100:3+200-201:4")
	bySet := NewValues(w)
	w.ValueSizeBy = ByKey
	values, found := NewValues(w), map[int]int{}
	dst := make([]byte, values.MaxBytes())
	for key := range uint64(keys) {
		size := values.Size(key, 0)
		found[size]++
		version := uint32(key * 7919)
		if val := values.Fill(dst, key, version); len(val) != size || !values.Check(val, key) {
			t.Fatalf("key %d: a value of %d bytes, want %d", key, len(val), size)
		}
		if size != bySet.Size(key, 0) {
			t.Fatalf("key %d: the preload stores other values than without", key)
		}
		for _, other := range []int{3, 5, 100, 200} {
			FillValue(dst[:other], key, version)
			if other != size && values.Check(dst[:other], key) {
				t.Fatalf("key %d: a value of %d bytes is taken, want %d", key, other, size)
			}
		}
	}
	counts := []int{found[3], found[5], found[100], found[200], found[201]}
	expected := []float64{.1 * keys, .2 * keys, .3 * keys, .2 * keys, .2 * keys}
	if sigmas := chiSquare(counts, expected); sigmas > 4 {
		t.Errorf("%v is %.1f sigmas off", found, sigmas)
	}
}

func TestValuesAllocateNothing(t *testing.T) {
	values := NewValues(withValues(t, "32:90+1024:10"))
	dst, version := make([]byte, values.MaxBytes()), uint32(0)
	if n := testing.AllocsPerRun(1000, func() {
		version++
		if !values.Check(values.Fill(dst, 5, version), 5) {
			t.Error("refused")
		}
	}); n != 0 {
		t.Errorf("%v allocations a value", n)
	}
}

func FuzzParseSizes(f *testing.F) {
	for _, text := range []string{"32", "32-1024", "32:90+1024:10", "0:1,5-6:2.5,60000:1e3", "-", "+:"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		mean, sizes, err := SizesOfValues.Parse(text)
		if err != nil {
			return
		}
		w := Workload{Keys: 10, ValueBytes: mean, ValueSizes: sizes}
		again, same, err := SizesOfValues.Parse(sizes.Text(mean))
		if again != mean || same != sizes || err != nil {
			t.Fatalf("%q is %d %s, read again %d %s: %v", text, mean, sizes, again, same, err)
		}
		values := NewValues(&w)
		for key := range uint64(20) {
			if n := values.Size(key, uint32(key)); n < 0 || n > w.MaxValueBytes() {
				t.Fatalf("%q: drew the size %d of at most %d", text, n, w.MaxValueBytes())
			}
		}
		if room := w.RoomBytes(); room < mean-1 || room > w.MaxValueBytes() {
			t.Fatalf("%q: room for %d bytes, mean %d, most %d", text, room, mean, w.MaxValueBytes())
		}
	})
}

func BenchmarkSize(b *testing.B) {
	for _, text := range []string{"32", "32-1024", "32:90+1024:10"} {
		b.Run(text, func(b *testing.B) {
			values, version := NewValues(withValues(b, text)), uint32(0)
			for b.Loop() {
				version++
				rankSink += uint64(values.Size(7, version))
			}
		})
	}
}
