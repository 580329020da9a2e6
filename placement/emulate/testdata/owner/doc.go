// The two processes of a testbed, for tests that kill them:
//
//	owner lab         the subcommand "lab" of dpukv
//	owner start       starts the lab of the spec on stdin, runs a sleep on each machine, prints a
//	                  report in JSON, and closes the lab when its input ends
package main
