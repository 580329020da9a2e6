package packets

import (
	"reflect"
	"testing"
)

// TestCountsAreAll checks that a sum includes every counter. A forgotten one would be missing
// from every point.
func TestCountsAreAll(t *testing.T) {
	var p Counts
	v := reflect.ValueOf(&p).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Uint64 {
			f.SetUint(uint64(i + 1))
		}
	}
	double := p
	double.Add(&p)
	for i := range v.NumField() {
		got := reflect.ValueOf(double).Field(i)
		if got.Kind() == reflect.Uint64 && got.Uint() != 2*uint64(i+1) {
			t.Errorf("%s is %d after the sum, want %d", v.Type().Field(i).Name, got.Uint(), 2*(i+1))
		}
	}
	if back := double.Since(&p); back != p {
		t.Errorf("the difference is %+v, want %+v", back, p)
	}
	if none := p.Since(&double); none != (Counts{}) {
		t.Errorf("less than before is %+v, want nothing", none)
	}
}
