package results

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dpukv/internal/foreign"
)

// The tags in a point's histogram log.
const (
	TagIntended = "intended" // from the intended send: Point.Latency
	TagActual   = "actual"   // from the actual send: Point.Actual
	// TagUnsent has the ages of unsent operations at the end of the load, and of a closed loop's
	// unanswered ones. TagIntended includes them, and TagActual the unanswered ones.
	TagUnsent = "unsent"

	// These have [TagIntended] by what the operations were and found, unless all were GET hits, or
	// all SETs. Fills are not in TagIntended: see [Point.ByOp].
	TagGetHit  = "get_hit"
	TagGetMiss = "get_miss"
	TagSet     = "set" // or ADD
	TagDelete  = "delete"
	TagFill    = "fill"
)

// Interval is one line of a histogram log: the latencies recorded between two times.
type Interval struct {
	Tag        string    // one of the above
	Start, End time.Time // to the millisecond, the precision of the format
	Histogram  *hdrhistogram.Histogram
}

// EncodeHlog writes intervals as a histogram log (version 1.3, V2 payloads). HdrHistogram's own
// tools read the format too. EncodeHlog sets the tag and times of the histograms.
func EncodeHlog(intervals []Interval) ([]byte, error) {
	var b bytes.Buffer
	w := hdrhistogram.NewHistogramLogWriter(&b)
	if err := writeHlogHeader(w, intervals); err != nil {
		return nil, fmt.Errorf("histogram log: %w", err)
	}
	for i := range intervals {
		iv := &intervals[i]
		iv.Histogram.SetTag(iv.Tag)
		iv.Histogram.SetStartTimeMs(iv.Start.UnixMilli())
		iv.Histogram.SetEndTimeMs(iv.End.UnixMilli())
		if err := w.OutputIntervalHistogram(iv.Histogram); err != nil {
			return nil, fmt.Errorf("histogram log, interval %d: %w", i+1, err)
		}
	}
	return b.Bytes(), nil
}

// EncodeHgrm writes the latencies from the intended send as HdrHistogram's table of percentiles, in
// microseconds. The tools that draw percentiles read it.
func EncodeHgrm(intervals []Interval) ([]byte, error) {
	h, err := MergeTag(intervals, TagIntended)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := h.PercentilesPrint(&b, hgrmTicks, 1e3); err != nil {
		return nil, fmt.Errorf("table of percentiles: %w", err)
	}
	return b.Bytes(), nil
}

// hgrmTicks is the number of lines for each halving of the distance to 100 %, as in other tools.
const hgrmTicks = 5

func writeHlogHeader(w *hdrhistogram.HistogramLogWriter, intervals []Interval) error {
	errs := []error{
		w.OutputLogFormatVersion(),
		w.OutputComment("[Values are nanoseconds, Interval_Max is milliseconds, " +
			"times are seconds since the epoch]"),
	}
	if len(intervals) > 0 {
		errs = append(errs, w.OutputStartTime(intervals[0].Start.UnixMilli()))
	}
	return errors.Join(append(errs, w.OutputLegend())...)
}

// DecodeHlog reads a log of [EncodeHlog]. It does not use the library's own reader: that reader
// mistakes a truncated log for a complete one, and loses the odd millisecond.
func DecodeHlog(log []byte) ([]Interval, error) {
	var intervals []Interval
	i := 0
	for line := range strings.SplitSeq(string(log), "\n") {
		i++
		if line == "" || line[0] == '#' || line[0] == '"' {
			continue
		}
		iv, err := decodeInterval(line)
		if err != nil {
			return intervals, fmt.Errorf("histogram log, line %d: %w", i, err)
		}
		if len(intervals) == maxIntervals {
			return intervals, fmt.Errorf("histogram log, line %d: found more intervals, "+
				"allowed: at most %d", i, maxIntervals)
		}
		intervals = append(intervals, iv)
	}
	return intervals, nil
}

// decodeInterval reads "Tag=T,start,length,max,payload"; the tag is optional.
func decodeInterval(line string) (Interval, error) {
	var iv Interval
	if rest, tagged := strings.CutPrefix(line, "Tag="); tagged {
		iv.Tag, line, _ = strings.Cut(rest, ",")
	}
	fields := strings.Split(line, ",")
	if len(fields) != 4 {
		return iv, fmt.Errorf("fields after the tag: found %d, allowed: start, length, max and "+
			"payload",
			len(fields))
	}
	start, err1 := strconv.ParseFloat(fields[0], 64)
	length, err2 := strconv.ParseFloat(fields[1], 64)
	if err := errors.Join(err1, err2); err != nil {
		return iv, err
	}
	iv.Start, iv.End = secondsToTime(start), secondsToTime(start+length)
	h, err := decodePayload(fields[3])
	if err != nil {
		return iv, err
	}
	h.SetTag(iv.Tag)
	h.SetStartTimeMs(iv.Start.UnixMilli())
	h.SetEndTimeMs(iv.End.UnixMilli())
	iv.Histogram = h
	return iv, nil
}

// The limits of a log. An interval takes 230 KB of memory, whatever its line takes. A load has up
// to 128 for each tag.
const (
	maxIntervals    = 2048
	maxPayloadBytes = 1 << 20 // decompressed
)

// checkPayload decompresses a payload within its limit: a short one may hide a long one.
func checkPayload(payload string) error {
	const head = 8 // a cookie and the length
	text, err := base64.StdEncoding.DecodeString(payload)
	if err != nil || len(text) < head {
		return fmt.Errorf("found no base64 of a histogram: %w", cmp.Or(err, io.ErrUnexpectedEOF))
	}
	z, err := zlib.NewReader(bytes.NewReader(text[head:]))
	if err != nil {
		return err
	}
	plain, err := foreign.ReadAll(z, "a histogram", maxPayloadBytes)
	if err != nil {
		return err
	}
	const digits, lowest, highest, rest = 12, 16, 24, 40
	if len(plain) < rest {
		return io.ErrUnexpectedEOF
	}
	found := [...]uint64{
		uint64(binary.BigEndian.Uint32(plain[digits:])), binary.BigEndian.Uint64(plain[lowest:]),
		binary.BigEndian.Uint64(plain[highest:]),
	}
	want := [...]uint64{HistogramDigits, HistogramLowestNs, uint64(HistogramHighestNs)}
	if found != want {
		return fmt.Errorf("found digits, lowest and highest value %d, allowed: %d", found, want)
	}
	return nil
}

// decodePayload turns the library's panics into errors: the library's decoder indexes its input
// without checking the length.
func decodePayload(payload string) (h *hdrhistogram.Histogram, err error) {
	if err := checkPayload(payload); err != nil {
		return nil, fmt.Errorf("damaged payload: %w", err)
	}
	defer func() {
		if r := recover(); r != nil {
			h, err = nil, fmt.Errorf("damaged payload: %v", r)
		}
	}()
	h, err = hdrhistogram.Decode([]byte(payload))
	if err != nil {
		return nil, fmt.Errorf("damaged payload: %w", err)
	}
	return h, nil
}

func secondsToTime(s float64) time.Time {
	return time.UnixMilli(int64(math.Round(s * 1000))).UTC()
}

// MergeTag merges the intervals with a tag into one histogram. The histogram is empty if there are
// none.
func MergeTag(intervals []Interval, tag string) (*hdrhistogram.Histogram, error) {
	var hs []*hdrhistogram.Histogram
	for _, iv := range intervals {
		if iv.Tag == tag {
			hs = append(hs, iv.Histogram)
		}
	}
	return Merge(hs...)
}
