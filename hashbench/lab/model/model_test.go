package model

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"dpukv/internal/test/must"
)

const listing = `
/tmp/target:	file format elf64-littleaarch64

Disassembly of section .text:

0000000000011000 <runtime.text>:
   11000:      	udf	#0

0000000000011010 <dpukv/hashbench/measure.latency[go.shape.uint64]>:
   11010:      	ldr	x3, [sp, #0x40]
   11014:      	cbz	x0, 0x11020 <dpukv/hashbench/measure.latency[go.shape.uint64]+0x10>
   11018:      	blr	x3
   1101c:      	mov	x10, x0
   11020:      	ret

0000000000011030 <dpukv/hashbench/tuned.City64>:
   11030:      	adrp	x27, 0x2ed000 <runtime.mheap_+0x100>
   11034:      	bl	0x11010 <dpukv/hashbench/measure.latency[go.shape.uint64]>
   11038:      	mov	x3, #0x2325             // =8997
`

func TestParseCode(t *testing.T) {
	c := must.Get(parseCode([]byte(listing)))(t)
	for at, want := range map[uint64]string{
		0x11010: "ldr\tx3, [sp, #0x40]", 0x11014: "cbz\tx0, #8", 0x11018: "br\tx3", 0x1101c: "add\tx10, x0, #0",
		0x11020: "br\tx30", 0x11030: "adrp\tx27, #4096", 0x11034: "b\t#8",
		0x11038: "mov\tx3, #0x2325             // =8997",
	} {
		if got := c.text[at]; got != want {
			t.Errorf("at %#x: %q, want %q", at, got, want)
		}
	}
	if got, want := c.filter(), "0x11010+0x2c"; got != want {
		t.Errorf("filter %s, want %s", got, want)
	}
	if !c.isLoopCall(0x11018) || c.isLoopCall(0x11034) || c.isLoopCall(0x11010) {
		t.Error("the loop's call is at 0x11018")
	}
	if _, err := parseCode(nil); err == nil {
		t.Error("parsed nothing")
	}
}

func TestParseTrace(t *testing.T) {
	const log = "Trace 0: 0x7f20789de980 [0000000001009331/000000000014dd80/00000001/00080201] f\n" +
		"Stopped execution of TB chain\n" +
		"Trace 0: 0x7f20789deac0 [0000000001009331/000000000014dd84/00000001/00080201] f\n"
	got, err := parseTrace([]byte(log))
	if err != nil || !slices.Equal(got, []uint64{0x14dd80, 0x14dd84}) {
		t.Errorf("%#x, %v", got, err)
	}
	if _, err := parseTrace([]byte("Trace 0: what\n")); err == nil {
		t.Error("parsed a line of another kind")
	}
}

func TestParseCycles(t *testing.T) {
	if got, err := parseCycles("Instructions:      158\nTotal Cycles:      122\n"); err != nil || got != 122 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := parseCycles("error: nothing\n"); err == nil {
		t.Error("found cycles in an error")
	}
}

// TestChain: on both cores FNV-1a of 16 bytes is a chain of 16 pairs of an exclusive or and a
// multiplication. A pair takes 3 cycles on the A78. It takes 5 or 6 on the A72, whose 64-bit
// multiplication takes 4 or 5.
func TestChain(t *testing.T) {
	if testing.Short() {
		t.Skip("cross-compiles and emulates")
	}
	ctx := context.Background()
	tools, err := Open(ctx, t.TempDir())
	if errors.Is(err, ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{16 * 5.5, 16 * 3} {
		m := must.Get(New(ctx, tools, Cores[i]))(t)
		cycles, instructions, err := m.short(ctx, "fnv1a-64", "latency")
		must.Do(t, err)
		cycles -= m.latencyLoop
		t.Logf("%s: %v cycles, %v instructions", m.Name, cycles, instructions)
		if math.Abs(cycles-want) > 16 || instructions < 64 {
			t.Errorf("%s: %v cycles and %v instructions, want about %v cycles", m.Name, cycles, instructions, want)
		}
	}
}
