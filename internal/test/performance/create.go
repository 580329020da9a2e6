package performance

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"dpukv/internal/machine"
)

// Folder has the result files, below the repository.
const Folder = "bench/results"

// Draft is a result file that is not yet complete.
type Draft struct {
	*os.File
	path string
}

// Create begins a file for this machine's processor. It has its name when it is finished.
func Create(repository string) (*Draft, error) {
	processor := machine.ProcessorFamily()
	if processor == "" {
		return nil, errors.New("write a result file: found no processor family in /proc/cpuinfo, " +
			"by which to name it")
	}
	path := freeName(filepath.Join(repository, Folder,
		FileName(processor)+"-"+time.Now().Format(time.DateOnly)))
	f, err := os.Create(path + ".part")
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(header(repository, processor))
	return &Draft{f, path}, err
}

// Finish writes how many repeats are disturbed, names the file, and says so.
func (d *Draft) Finish() error {
	text, err := os.ReadFile(d.Name())
	if err != nil {
		return err
	}
	f, err := Parse(string(text))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(d, "set-apart: %s\n", f.SetApart()); err != nil {
		return err
	}
	if err := d.Close(); err != nil {
		return err
	}
	if err := os.Rename(d.Name(), d.path); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "Wrote %s. To show it: go test ./internal/test/performance -update\n",
		d.path)
	return nil
}

// freeName is a new file's path: a second run of one day has a number.
func freeName(name string) string {
	path := name + ".txt"
	for n := 2; ; n++ {
		if _, err := os.Stat(path); err != nil {
			return path
		}
		path = fmt.Sprintf("%s-%d.txt", name, n)
	}
}

// header says what a file holds for.
func header(repository, processor string) string {
	cmd := exec.Command("git", "describe", "--always", "--dirty", "--exclude", "*")
	cmd.Dir = repository
	commit, _ := cmd.Output() // outside a repository there is none
	facts := machine.Read()
	return fmt.Sprintf("processor: %s\ncpus: %d\nkernel: %s\nvirtualization: %s\nthp: %s\ngo: %s\n"+
		"commit: %s\ndate: %s\n\n", processor, runtime.NumCPU(), facts.Kernel, facts.Virtualization,
		facts.THP, runtime.Version(), bytes.TrimSpace(commit), time.Now().Format(time.DateOnly))
}
