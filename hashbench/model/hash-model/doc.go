// Command hash-model prints what package model predicts; make hash-model runs it.
//
//	hash-model [FUNCTION...]
//
// Without names it takes every hash function whose code is the same in each process. A row is a function on a core; one that could not be
// predicted is named on stderr and left out. The rows come in the table's order, as many being worked on at once as there are CPUs.
package main
