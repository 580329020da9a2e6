package results_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"

	"dpukv/internal/test/must"
	"dpukv/results"
)

func TestHlogHoldsWhatWasEncoded(t *testing.T) {
	epoch := time.UnixMilli(1_790_000_000_000).UTC()
	rapid.Check(t, func(t *rapid.T) {
		var want []results.Interval
		at := epoch
		for range rapid.IntRange(0, 4).Draw(t, "intervals") {
			end := at.Add(time.Duration(rapid.Int64Range(1, 100_000).Draw(t, "ms")) * time.Millisecond)
			for _, tag := range []string{results.TagIntended, results.TagActual} {
				want = append(want, results.Interval{tag, at, end, histogramOf(samples().Draw(t, tag))})
			}
			at = end
		}
		log, err := results.EncodeHlog(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := results.DecodeHlog(log)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("%d intervals, want %d", len(got), len(want))
		}
		for i := range got {
			g, w := got[i], want[i]
			if g.Tag != w.Tag || !g.Start.Equal(w.Start) || !g.End.Equal(w.End) || !g.Histogram.Equals(w.Histogram) {
				t.Fatalf("interval %d: got %v %v…%v, want %v %v…%v", i, g.Tag, g.Start, g.End, w.Tag, w.Start, w.End)
			}
		}
	})
}

// TestHgrm: the table of percentiles counts each latency from the intended send once, and no other.
func TestHgrm(t *testing.T) {
	start := time.UnixMilli(1000)
	table := must.Get(results.EncodeHgrm([]results.Interval{
		{results.TagIntended, start, start.Add(time.Second), histogramOf([]int64{5000, 7000})},
		{results.TagActual, start, start.Add(time.Second), histogramOf([]int64{1000})},
		{results.TagIntended, start, start.Add(2 * time.Second), histogramOf([]int64{9_000_000})},
	}))(t)
	var last string
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, " ") && strings.Contains(line, "inf") {
			last = strings.Join(strings.Fields(line), " ")
		}
	}
	// A value is within 0.1 % of the sample.
	if !strings.HasPrefix(last, "9003.007 1.000000 3 inf") && !strings.HasPrefix(last, "9000.959 1.000000 3 inf") {
		t.Errorf("found the last line %q in\n%s", last, table)
	}
	if !bytes.Contains(table, []byte("Total count    =            3]")) {
		t.Errorf("found no total of 3 in\n%s", table)
	}
}

func TestHlogIsReadableByTheLibrary(t *testing.T) {
	log := must.Get(results.EncodeHlog([]results.Interval{{
		results.TagIntended, time.UnixMilli(1000), time.UnixMilli(2000),
		histogramOf([]int64{5000}),
	}}))(t)
	h, err := hdrhistogram.NewHistogramLogReader(bytes.NewReader(log)).NextIntervalHistogram()
	if err != nil || h == nil || h.Tag() != results.TagIntended || h.TotalCount() != 1 {
		t.Fatalf("the library reads %v, %v", h, err)
	}
}

func TestDamagedHlogIsNamedByLine(t *testing.T) {
	good := must.Get(results.EncodeHlog([]results.Interval{{
		results.TagActual, time.UnixMilli(0), time.UnixMilli(1),
		histogramOf([]int64{7, 7, 9}),
	}}))(t)
	lines := strings.Count(string(good), "\n")
	for name, damaged := range map[string]string{
		"cut payload":   string(good[:len(good)-10]),
		"empty payload": "Tag=actual,1.0,1.0,1.0,",
		"tag only":      "Tag=actual",
		"no number":     "Tag=actual,soon,1.0,1.0,HISTFAAA",
		"short payload": "1.0,1.0,1.0,HIST",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := results.DecodeHlog([]byte(damaged))
			if err == nil || !strings.Contains(err.Error(), "line ") {
				t.Fatalf("got %v, want an error that names the line (of %d)", err, lines)
			}
		})
	}
}

func FuzzDecodeHlog(f *testing.F) {
	log, _ := results.EncodeHlog([]results.Interval{{
		results.TagIntended, time.UnixMilli(1), time.UnixMilli(2),
		histogramOf([]int64{1, 1e6}),
	}})
	f.Add(log)
	f.Fuzz(func(_ *testing.T, log []byte) {
		// DecodeHlog only has to return: damage must never end the process.
		_, _ = results.DecodeHlog(log)
	})
}

// payload is a histogram as a log has it, with the given digits and content.
func payload(digits uint32, content []byte) string {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	head := binary.BigEndian.AppendUint32(nil, 0x1c849313)
	head = binary.BigEndian.AppendUint32(head, uint32(len(content)))
	head = binary.BigEndian.AppendUint32(head, 0)
	head = binary.BigEndian.AppendUint32(head, digits)
	head = binary.BigEndian.AppendUint64(head, results.HistogramLowestNs)
	head = binary.BigEndian.AppendUint64(head, uint64(results.HistogramHighestNs))
	head = binary.BigEndian.AppendUint64(head, math.Float64bits(1))
	_, _ = w.Write(append(head, content...))
	_ = w.Close()
	b := binary.BigEndian.AppendUint32(nil, 0x1c849314)
	b = binary.BigEndian.AppendUint32(b, uint32(z.Len()))
	return base64.StdEncoding.EncodeToString(append(b, z.Bytes()...))
}

// TestHlogIsBounded: a short log cannot ask for much memory.
func TestHlogIsBounded(t *testing.T) {
	start := time.UnixMilli(1000)
	whole := must.Get(results.EncodeHlog([]results.Interval{
		{results.TagActual, start, start.Add(time.Second), histogramOf([]int64{1000})},
	}))(t)
	line := whole[bytes.LastIndex(bytes.TrimSpace(whole), []byte("\n"))+1:]
	const tag = "Tag=actual,1,1,1,"
	for name, c := range map[string]struct{ log, want string }{
		"as it is": {tag + payload(results.HistogramDigits, []byte{2}) + "\n", ""},
		"a bomb": {
			tag + payload(results.HistogramDigits, make([]byte, 64<<20)) + "\n",
			"found more bytes in a histogram, allowed: at most 1048576",
		},
		"other digits": {
			tag + payload(5, []byte{2}) + "\n",
			"found digits, lowest and highest value [5 1 120000000000], allowed: [3 1 120000000000]",
		},
		"no histogram":    {tag + "AAAA\n", "found no base64 of a histogram"},
		"many histograms": {strings.Repeat(string(line), 2100), "found more intervals, allowed: at most 2048"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := results.DecodeHlog([]byte(c.log))
		runtime.ReadMemStats(&after)
		must.Fail(t, err, c.want)
		if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 && !strings.HasPrefix(name, "many") {
			t.Errorf("%s: it took %d bytes", name, got)
		}
	}
}
