// Package performance reads the result files of bench/results, and writes the tables of
// docs/PERFORMANCE.md and of README.md from them. Its test compares:
//
//	go test ./internal/test/performance -update    # writes the tables anew
//
// A file has the format of Go's benchmarks, so that benchstat reads it, too. The lines before the
// first benchmark say what it holds for: processor, cpus, kernel, go, commit, date. A repeat's line
// has the CPUs that others used meanwhile, and that a hypervisor withheld. The last line says how
// many repeats do not count, and why.
//
//	file.go      a file: figures by benchmark and unit, disturbed repeats apart
//	create.go    a new file of this machine
//	folder.go    the files of each processor, taken together
//	table.go     tables of figures, a group of rows for each processor
//	tables.go    which tables there are
package performance
