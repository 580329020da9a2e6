// Package machine reads the properties and settings of this machine that affect a measurement:
// processor, memory, clock, limits of the control group, load.
//
// An unreadable fact stays empty. Nothing is guessed, and reading never fails as a whole: a
// container that hides half of /sys still shows the other half.
package machine
