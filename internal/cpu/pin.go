package cpu

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// process is what this process was started with, or was given by PinProcess. It is noted
// because every thread has a mask of its own, and any may have been pinned since.
var process struct {
	sync.Mutex
	cpus []int
	err  error
}

func init() { process.cpus, process.err = readMask() }

func readMask() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("read the CPU affinity: %w", err)
	}
	cpus := make([]int, 0, set.Count())
	for i := 0; len(cpus) < set.Count(); i++ {
		if set.IsSet(i) {
			cpus = append(cpus, i)
		}
	}
	return cpus, nil
}

// Allowed lists the CPUs that this process may run on, ascending, whatever single
// threads were pinned to.
func Allowed() ([]int, error) {
	process.Lock()
	defer process.Unlock()
	return slices.Clone(process.cpus), process.err
}

// MayUse refuses CPUs of which this process may not use all.
func MayUse(cpus []int) error {
	allowed, err := Allowed()
	if err != nil {
		return err
	}
	for _, c := range cpus {
		if !slices.Contains(allowed, c) {
			return fmt.Errorf("pin to CPU %d: this process may use %s", c, FormatList(allowed))
		}
	}
	return nil
}

// PinThread locks the calling goroutine to its thread and that thread to one CPU.
func PinThread(cpu int) error {
	runtime.LockOSThread()
	return pin(0, []int{cpu})
}

// Prepare keeps a process on the CPUs, for threads that work: all its threads, and the runtime's own.
// It does not pin to an empty list. It lets all threads that work, and one for everything else, run
// Go at once: with more threads than CPUs, the kernel shares the CPUs out. By itself the runtime
// would let the threads take turns, and could pause in the middle of a measurement to change that.
func Prepare(cpus []int, threads int) error {
	runtime.GOMAXPROCS(threads + 1)
	if len(cpus) == 0 {
		return nil
	}
	return PinProcess(cpus)
}

// PinProcess keeps every thread of this process, and those made later, on cpus.
// Threads pinned by [PinThread] before are widened too. It is an error if the process can't have all of cpus, of which the
// kernel would give what there is without a word; what it gave stays.
func PinProcess(cpus []int) error {
	if err := pinAll(threads, cpus); err != nil {
		return err
	}
	process.Lock()
	defer process.Unlock()
	process.cpus, process.err = readMask()
	if process.err == nil && !slices.Equal(process.cpus, slices.Compact(slices.Sorted(slices.Values(cpus)))) {
		return fmt.Errorf("pin to CPUs %s: the kernel gave only %s", FormatList(cpus), FormatList(process.cpus))
	}
	return process.err
}

// pinRounds bounds how often the threads are listed. A second list has few new ones, as all of the first make only pinned ones by then.
const pinRounds = 16

// pinAll pins the threads that list finds, until it finds no new one: one that was made by a thread before that was pinned itself
// has the mask of before.
func pinAll(list func() ([]int, error), cpus []int) error {
	pinned := map[int]bool{}
	for range pinRounds {
		tids, err := list()
		if err != nil {
			return fmt.Errorf("list this process's threads: %w", err)
		}
		tids = slices.DeleteFunc(tids, func(tid int) bool { return pinned[tid] })
		if len(tids) == 0 {
			return nil
		}
		for _, tid := range tids {
			if err := pin(tid, cpus); err != nil && err != unix.ESRCH { // gone since
				return err
			}
			pinned[tid] = true
		}
	}
	return fmt.Errorf("pin to CPUs %s: there were new threads each of the %d times that they were listed", FormatList(cpus), pinRounds)
}

// threads lists those of this process.
func threads() ([]int, error) {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, err
	}
	var tids []int
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			return nil, fmt.Errorf("thread id %q: %w", task.Name(), err)
		}
		tids = append(tids, tid)
	}
	return tids, nil
}

func pin(tid int, cpus []int) error {
	var set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	switch err := unix.SchedSetaffinity(tid, &set); err {
	case nil:
		return nil
	case unix.ESRCH:
		return err
	default:
		allowed, _ := Allowed()
		return fmt.Errorf("pin to CPUs %v: %w (this process may use %v)", cpus, err, allowed)
	}
}
