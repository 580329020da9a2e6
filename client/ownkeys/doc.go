// Package ownkeys tells the keys of a load from those of others, on a server that runs already. It
// asks how many keys are there, refuses to begin without consent, and removes the load's own keys
// afterwards.
//
// A [Set] names keys by their numbers, so that nothing lists or deletes keys of others.
package ownkeys
