// Package step runs commands on a node. Each [Step] is a command with the check of its output, and
// with the command that undoes it.
//
// A step does not know its context. The packages that know a program make lists of steps, and
// package submode runs them in their order. [Step.Record] makes the [UndoRecord] that package
// journal keeps.
package step
