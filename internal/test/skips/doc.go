// Command skips reads what a make stage's tests skipped, and compares it with a list of allowed
// skips.
//
//	go run ./internal/test/skips [-list .ci/skips.txt] [-again] [-missing] STAGE FILE...
//
// FILE is the output of go test -json. A test counts as skipped if no FILE of the stage ran it: a
// test that only the race detector's short run leaves out is not skipped.
//
// # The list
//
// An entry names a stage and a regular expression. The lines below it, indented, tell the reason:
//
//	test        ^verbs/ibverbs\.
//	            Needs an RDMA device: make test-rdma runs it.
//	test?       : the machine is too busy
//	            Depends on what else the machine runs.
//
// The expression is matched with PACKAGE.TEST: WORDS, where WORDS is what the test printed, as one
// line. PACKAGE lacks the module's name. A question mark after the stage marks an entry that may
// match nothing, because the skip depends on the kernel or on the machine's load.
//
// # The verdict
//
// The command prints every skip. With the environment variable CI set, it fails on a skip that no
// entry allows, and on an entry that matches no skip of its stage.
//
// # Programs that are not installed
//
// With -missing, the command prints a line for each program without which tests skipped: those that
// programs.Need skipped (internal/test/programs). It fails for none of them.
//
// # The rest of a short run
//
// With -again, the command prints what go test needs to run the tests that FILE, of a short run,
// left out: those whose skip no entry allows, and those that logged "a short run: ".
package main
