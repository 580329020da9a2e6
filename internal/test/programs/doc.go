// Package programs has what tests need of programs beside their own: dpukv as a binary, scripts in
// the place of installed programs, and ports for servers that can't report the port they chose.
package programs
