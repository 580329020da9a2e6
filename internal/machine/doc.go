// Package machine reads what this machine is and how it is set, as far as that bears on a
// measurement: processor, memory, clock, limits of the control group, load.
//
// A fact that cannot be read stays empty. Nothing is guessed, and reading never fails as
// a whole: a container that hides half of /sys still tells the other half.
package machine
