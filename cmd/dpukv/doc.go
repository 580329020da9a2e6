// Command dpukv is the command line, with a file for each subcommand. A subcommand turns its flags
// into a call of the package that does the work. It turns the result into text, JSON and an exit
// status, and decides nothing by itself.
//
//	serve, load              a store's server, and a client's load, by hand
//	sweep, search            measure what a file says
//	plot, report …           look at the results
//	testbed, submode         the machines to measure on, and a DPU's on-path datapath
//	doctor, verbs, hash      what spoils a measurement here; RDMA verbs and hash functions alone
//	node, lab, redirect      what dpukv starts itself, on nodes and emulated machines (hidden.go)
//
// Messages for people go to stderr, results for scripts to stdout. "dpukv COMMAND --help" is the
// reference of each command. "dpukv manual" (build tag manual, for releases) writes man pages and
// completions from the same texts.
package main
