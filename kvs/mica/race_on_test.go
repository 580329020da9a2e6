//go:build race

package mica

const raceEnabled = true
