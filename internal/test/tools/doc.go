// Package tools puts scripts in the place of installed programs. Tests of how a program's output is
// read need them.
package tools
