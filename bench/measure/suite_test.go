package main

import "testing"

func TestOnly(t *testing.T) {
	for of, want := range map[string]int{".": len(full(1)), "onesided": 1, "^bench$": 1, "mica|redis": 2} {
		parts, err := only(full(1), of)
		if err != nil || len(parts) != want {
			t.Errorf("%q: %d parts, %v, want %d", of, len(parts), err, want)
		}
	}
	for _, of := range []string{"nothing", "("} {
		if _, err := only(full(1), of); err == nil {
			t.Errorf("%q was taken", of)
		}
	}
}
