// Command dpukv is the command line: a file a subcommand. A subcommand turns its flags into a call of a package that does the work, and what
// comes back into text, JSON and an exit status; it decides nothing by itself.
//
//	serve, load              a store's server, and a client's load, by hand
//	sweep, plot, report …    measure what a file says, and look at what came out
//	testbed, submode         the machines to measure on, and a DPU's on-path datapath
//	doctor, verbs, hash      what spoils a measurement here; RDMA verbs and hash functions alone
//	node, lab …              what dpukv starts itself, on a node and for emulated machines; hidden
//
// What is for people goes to stderr, what is for scripts to stdout. "dpukv COMMAND --help" is the reference of each, and "dpukv manual" (build tag
// manual, for releases) makes man pages and completions of the same words.
package main
