// Command hash-model prints the predictions of package model; make hash-model runs it.
//
//	hash-model [FUNCTION...]
//
// Without names it takes every hash function whose code is the same in each process. A row is a
// function on a core. A function without a prediction is named on stderr and left out. The rows
// come in the table's order. The command works on as many rows at once as there are CPUs.
package main
