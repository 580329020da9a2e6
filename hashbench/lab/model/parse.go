package model

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// code is the target's disassembly.
type code struct {
	text      map[uint64]string // instructions, as an assembler reads them
	calls     map[uint64]bool   // those that call through a register
	functions []span            // ascending
}

// span is the range of a function's addresses.
type span struct {
	name       string
	begin, end uint64
}

var (
	functionLine    = regexp.MustCompile(`^([0-9a-f]{16}) <(.*)>:$`)
	instructionLine = regexp.MustCompile(`^ *([0-9a-f]+):\s+(.*)$`)
	copied          = regexp.MustCompile(`^mov\t([xw]\d+), ([xw]\d+)$`)
	// placeOperand matches an address in the program. llvm-mca neither has nor needs it: every
	// branch goes where the trace goes.
	placeOperand = regexp.MustCompile(`0x[0-9a-f]+ <.*>$`)
)

// parseCode reads the output of llvm-objdump -d.
func parseCode(listing []byte) (code, error) {
	c := code{text: map[uint64]string{}, calls: map[uint64]bool{}}
	for line := range bytes.Lines(listing) {
		text := strings.TrimRight(string(line), "\n")
		if m := functionLine.FindStringSubmatch(text); m != nil {
			begin, err := strconv.ParseUint(m[1], 16, 64)
			if err != nil {
				return c, err
			}
			c.functions = append(c.functions, span{m[2], begin, begin})
			continue
		}
		m := instructionLine.FindStringSubmatch(text)
		if m == nil || len(c.functions) == 0 {
			continue
		}
		at, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			return c, err
		}
		c.text[at] = assembler(m[2])
		c.calls[at] = strings.HasPrefix(m[2], "blr\t")
		c.functions[len(c.functions)-1].end = at + 4
	}
	if len(c.functions) == 0 {
		return c, fmt.Errorf("llvm-objdump printed no function")
	}
	return c, nil
}

// assembler turns an instruction of a listing into assembler input that llvm-mca models correctly.
// For a call, llvm-mca knows nothing and assumes 100 cycles. To the pipeline, a call is a
// well-predicted branch.
func assembler(text string) string {
	name, operands, _ := strings.Cut(text, "\t")
	switch name {
	case "adrp":
		return placeOperand.ReplaceAllString(text, "#4096")
	case "bl":
		return "b\t#8"
	case "blr":
		return "br\t" + operands
	case "ret":
		return "br\tx30"
	case "mov": // in LLVM 19's Neoverse N2 a copy does not wait for its source
		return copied.ReplaceAllString(text, "add\t$1, $2, #0")
	}
	return placeOperand.ReplaceAllString(text, "#8")
}

// hashing are the packages whose instructions count: the loops, the hash functions and their
// callees.
var hashing = []string{
	"dpukv/hashbench", "github.com/", "crypto/", "hash/", "encoding/", "internal/byteorder",
	"internal/chacha8rand",
	"runtime.mem", "runtime.duff",
}

// filter lists the functions of these packages in the format of qemu's -dfilter.
func (c *code) filter() string {
	var ranges []span
	for _, f := range c.functions {
		wanted := false
		for _, prefix := range hashing {
			wanted = wanted || strings.HasPrefix(f.name, prefix)
		}
		switch last := len(ranges) - 1; {
		case !wanted:
		case last >= 0 && f.begin-ranges[last].end < 64: // padding between functions
			ranges[last].end = f.end
		default:
			ranges = append(ranges, f)
		}
	}
	var list []string
	for _, r := range ranges {
		list = append(list, fmt.Sprintf("%#x+%#x", r.begin, r.end-r.begin))
	}
	return strings.Join(list, ",")
}

// isLoopCall reports whether an instruction is a loop's call of the hash function, through a
// register.
func (c *code) isLoopCall(at uint64) bool {
	if !c.calls[at] {
		return false
	}
	for _, f := range c.functions {
		if f.begin <= at && at < f.end {
			return strings.HasPrefix(f.name, "dpukv/hashbench/measure.latency") ||
				strings.HasPrefix(f.name, "dpukv/hashbench/measure.throughput")
		}
	}
	return false
}

// parseTrace reads the addresses from qemu's log of executed blocks of one instruction.
func parseTrace(log []byte) ([]uint64, error) {
	var addresses []uint64
	for line := range bytes.Lines(log) {
		if !bytes.HasPrefix(line, []byte("Trace ")) {
			continue
		}
		fields := bytes.Split(line, []byte("/"))
		if len(fields) < 3 {
			return nil, fmt.Errorf("qemu's log has a line %.100q", line)
		}
		at, err := strconv.ParseUint(string(fields[1]), 16, 64)
		if err != nil {
			return nil, fmt.Errorf("qemu's log has a line %.100q: %w", line, err)
		}
		addresses = append(addresses, at)
	}
	return addresses, nil
}

var totalCycles = regexp.MustCompile(`(?m)^Total Cycles:\s+(\d+)$`)

func parseCycles(out string) (float64, error) {
	m := totalCycles.FindStringSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("llvm-mca printed no cycles:\n%.500s", out)
	}
	return strconv.ParseFloat(m[1], 64)
}
