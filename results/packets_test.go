package results_test

import (
	"reflect"
	"testing"

	"dpukv/results"
)

// TestPacketsAddAll: a forgotten count would be missing from points of several clients.
func TestPacketsAddAll(t *testing.T) {
	var p results.Packets
	v := reflect.ValueOf(&p).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Uint64:
			f.SetUint(uint64(i + 1))
		case reflect.Int:
			f.SetInt(int64(i + 1))
		}
	}
	m := results.Moved{Sockets: p, Device: p}
	m.Add(&results.Moved{Sockets: p, Device: p})
	for _, sum := range []results.Packets{m.Sockets, m.Device} {
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			switch f := reflect.ValueOf(sum).Field(i); {
			case f.CanUint() && f.Uint() != 2*uint64(i+1), f.CanInt() && f.Int() != 2*int64(i+1):
				t.Errorf("%s is %v after the sum, want %d", name, f, 2*(i+1))
			}
		}
	}
}
