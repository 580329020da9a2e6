// Command dpukv is the command line, with a file for each subcommand. A subcommand turns its flags
// into a call of the package that does the work. It turns the result into text, JSON and an exit
// status, and decides nothing by itself.
//
//	sweep, load, serve       measure what a file says, or by hand
//	hash, probe              hash functions, and a machine's parts, alone
//	answer, report, plot …   look at the results; run: their folders
//	testbed, doctor          the machines to measure on, their DPUs, and what spoils a measurement
//	node, lab, redirect      what dpukv starts itself, on nodes and emulated machines (hidden.go)
//
// Messages for people go to stderr, results for scripts to stdout. "dpukv COMMAND --help" is the
// reference of each command. "dpukv manual" (build tag manual, for releases) writes man pages and
// completions from the same texts.
package main
