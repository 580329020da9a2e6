// Package step runs commands on a node: each [Step] is a command with the check of its output and
// with the command that takes it back.
//
// A step does not know why it is needed: lists of steps are made by the packages that know a
// program, and package submode runs them in their order. [Step.Record] makes the [UndoRecord] that
// package journal keeps.
package step
