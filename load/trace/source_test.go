package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"dpukv/internal/test/must"
	"dpukv/kvs"
)

func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, data, 0o600))
	return path
}

func compressed(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := must.Get(zstd.NewWriter(&b))(t)
	must.Get(w.Write([]byte(text)))(t)
	must.Do(t, w.Close())
	return b.Bytes()
}

// readCSV reads all of a source. The error is that of opening it or of its end.
func readCSV(path string) (records []Record, s *Summary, err error) {
	c, err := OpenCSV(context.Background(), path, nil)
	if err != nil {
		return nil, nil, err
	}
	var r Record
	for c.Next(&r) {
		records = append(records, r)
	}
	return records, c.Summary(), errors.Join(c.Err(), c.Close())
}

// TestSources: the same operations as Twitter writes them, with named columns, and compressed.
func TestSources(t *testing.T) {
	const twitter = "7,first,5,100,1,get,0\n7,a,comma,7,0,2,set,60\n7,first,5,100,1,incr,0\n9,first,5,100,1,delete,0\n"
	const named = "\xef\xbb\xbfclient,TIME_MS,op,key,value_size,key_size,ttl_ms\r\n" +
		"1,7000,GET,first,100,5,\r\n2,7000,set,\"a,comma\",0,7,60000\r\n1,7000,incr,first,100,5,\r\n" +
		"1,9000,delete,first,100,5,0\r\n\r\n"
	want := []Record{
		{0, 0, 5, 100, kvs.Get, 0},
		{0, 1, 7, 0, kvs.Set, time.Minute},
		{2e9, 0, 5, 100, kvs.Delete, 0},
	}
	for name, data := range map[string][]byte{
		"twitter": []byte(twitter), "named": []byte(named), "twitter.zst": compressed(t, twitter),
		"two frames": append(compressed(t, twitter[:30]), compressed(t, twitter[30:])...),
	} {
		records, s, err := readCSV(write(t, name, data))
		if err != nil || fmt.Sprint(records) != fmt.Sprint(want) {
			t.Errorf("%s: found %v, %v, want %v", name, records, err, want)
			continue
		}
		if s.Refused() != 1 || s.Count("GET") != 1 || s.Keys != 2 || s.Operations != 3 || s.Source.SHA256 == "" {
			t.Errorf("%s: found the summary %+v", name, s)
		}
		if unit := s.SpreadNs; unit != 1e9 && (name != "named" || unit != 1e6) {
			t.Errorf("%s: found the unit %d", name, unit)
		}
	}
}

func TestTimesWithDecimals(t *testing.T) {
	records, s, err := readCSV(write(t, "x", []byte("time_s,key,op,value_size\n1700000000.5,a,get,1\n"+
		"1700000001.000000001,a,get,1\n1700000001.0000000019,a,get,1\n")))
	if err != nil || s.SpreadNs != 0 || len(records) != 3 || records[1].AtNs != 500_000_001 ||
		records[2].AtNs != 500_000_001 {
		t.Errorf("found %v, %+v, %v", records, s, err)
	}
}

// TestLimits: what no store takes is cut and counted. So are keys too short for their number.
func TestLimits(t *testing.T) {
	var b strings.Builder
	b.WriteString("time_us,key,op,value_size,key_size,ttl_s\n")
	for i := range 257 {
		fmt.Fprintf(&b, "%d,k%d,get,1,1,\n", i, i)
	}
	b.WriteString("300,long,set,70000,300,9999999\n300,long,set,70000,300,1\n300,k1,get,5,4,\n300,k256,get,5,1,\n")
	records, s, err := readCSV(write(t, "x", []byte(b.String())))
	must.Do(t, err)
	if s.KeysLengthened != 1 || s.KeysCut != 1 || s.ValuesCut != 2 || s.TTLsCut != 1 || s.KeySizeChanged != 1 {
		t.Errorf("found %+v", s)
	}
	want := Record{300_000, 257, kvs.MaxKeyBytes, kvs.MaxValueBytes, kvs.Set, maxTTL}
	if r := records[257]; r != want || records[256].KeyBytes != 2 || records[259].KeyBytes != 1 {
		t.Errorf("found %+v, want %+v", r, want)
	}
}

// TestMalformed: such lines are counted, and the first few kept in part.
func TestMalformed(t *testing.T) {
	good := "5,key,3,10,1,get,0\n"
	lines := []string{
		"nothing", "x,key,3,10,1,get,0", "5,key,-3,10,1,get,0", "5,key,3,,1,get,0", "5,key,3,10,1,get,1.5",
		"5,key,3,10,1,g=t,0", "5,key,3,10,1,,0", "5,,3,10,1,get,0", "5,key,0,10,1,get,0",
		"99999999999999999999,key,3,10,1,get,0", "4000000000,key,3,10,1,get,0",
		"5," + strings.Repeat("k", maxLine) + ",3,10,1,get,0",
	}
	text := good + strings.Join(lines, "\n") + "\n" + good
	records, s, err := readCSV(write(t, "x", []byte(text)))
	must.Do(t, err)
	if len(records) != 2 || s.Malformed != uint64(len(lines)) || len(s.MalformedExamples) != maxExamples {
		t.Errorf("found %d operations, %d malformed: %+v", len(records), s.Malformed, s.MalformedExamples)
	}
	if e := s.MalformedExamples[1]; e.Line != 3 || e.Text != lines[1] || e.Reason != "no time in whole seconds" {
		t.Errorf("found the example %+v", e)
	}
	long := good + strings.Repeat("é", 10_000) + "\n" + good
	if _, s, err = readCSV(write(t, "x", []byte(long))); err != nil || len(s.MalformedExamples[0].Text) > maxText {
		t.Errorf("found the example %+v, %v", s.MalformedExamples, err)
	}
}

func TestSourcesRefused(t *testing.T) {
	good := "5,key,3,10,1,get,0\n"
	frame := compressed(t, strings.Repeat(good, 1000))
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "found nothing in it"},
		{"gzip", "\x1f\x8b\x08", "found gzip, allowed: a plain file or zstd"},
		{"compact", magic, "found a trace in the compact form"},
		{"one line", "5,key", "line 1: found no end of it within 65536 bytes"},
		{"prose", "It was a dark and stormy night.\n", "line 1: found neither the fields time,key,key size"},
		{"no unit", "time,key,op,value_size\n", `found the column "time", allowed: time_s, time_ms`},
		{"no op", "time_s,key,value_size\n", "found no column op, allowed: time_s"},
		{"twice", "time_s,time_ms,key,op,value_size\n", `found two columns like "time_ms"`},
		{"columns", "time,key" + strings.Repeat(",", maxColumns) + "\n", "found more than 64 columns"},
		{"unsorted", good + "4,key,3,10,1,get,0\n", "line 2: found a time before that of an earlier line"},
		{"noise", good + strings.Repeat("noise\n", 200), "found 101 malformed lines of 102, allowed: 100"},
		{"cut zstd", string(frame[:len(frame)-9]), "cannot read on: unexpected EOF; to do: copy the file again"},
		{"broken zstd", string(frame[:4]) + "broken", "after line 0: cannot read on"},
	} {
		_, _, err := readCSV(write(t, test.name, []byte(test.text)))
		must.Fail(t, err, test.want)
	}
	if _, _, err := readCSV(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: found %v", err)
	}
}

// TestCutOff: a last line without an end is not trusted.
func TestCutOff(t *testing.T) {
	records, s, err := readCSV(write(t, "x", []byte("5,key,3,10,1,get,0\n5,key,3,10,1,set,36")))
	if err != nil || len(records) != 1 || !s.CutOff || s.Malformed != 0 {
		t.Errorf("found %v, %+v, %v", records, s, err)
	}
}

func TestReadingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	text := bytes.Repeat([]byte("5,key,3,10,1,get,0\n"), 3*lookEvery)
	c := must.Keep(OpenCSV(ctx, write(t, "x", text), func(done float64) {
		if done > 0.3 {
			cancel(errors.New("told to end"))
		}
	}))(t)
	var r Record
	n := 0
	for c.Next(&r) {
		n++
	}
	if c.Err() == nil || c.Err().Error() != "told to end" || n != 2*lookEvery {
		t.Errorf("found %d operations, %v", n, c.Err())
	}
}

// FuzzCSV: no file makes a reader fail otherwise than by an error, and all records are valid.
func FuzzCSV(f *testing.F) {
	f.Add([]byte("7,first,5,100,1,get,0\n7,a,comma,7,0,2,set,60\n9,first,5,100,1,delete,0"))
	f.Add([]byte("time_s,key,op,value_size,ttl\n0.5,\"a,b\",get,100,\n1,b,set,0,60\n"))
	f.Add([]byte("\x28\xb5\x2f\xfd"))
	f.Add(compressed(f, "7,first,5,100,1,get,0\n"))
	path := filepath.Join(f.TempDir(), "x")
	f.Fuzz(func(t *testing.T, data []byte) {
		must.Do(t, os.WriteFile(path, data, 0o600))
		_ = os.Remove(path + ".trace") // of the input before
		records, s, err := readCSV(path)
		if err != nil {
			return
		}
		keys, last := uint64(0), int64(0)
		for i, r := range records {
			p := pack(&r)
			keys = max(keys, min(r.Key, keys)+1)
			if fault := p.fault(keys, last); fault != "" {
				t.Fatalf("operation %d, %+v: found %s", i, r, fault)
			}
			last = r.AtNs
		}
		if s.Operations != uint64(len(records)) || s.Keys != keys {
			t.Fatalf("found %d operations on %d keys, the summary has %d on %d", len(records), keys,
				s.Operations, s.Keys)
		}
		converted, err := Convert(t.Context(), path, path+".trace", nil)
		if (err == nil) != (len(records) > 0) {
			t.Fatalf("convert: %d operations, %v", len(records), err)
		}
		if err != nil {
			return
		}
		file := must.Keep(Open(path + ".trace"))(t)
		must.Do(t, file.Check())
		if back := all(t, file.Cursor(Cut{})); len(back) != len(records) || converted.Keys != keys {
			t.Fatalf("the compact form has %d operations, the source %d", len(back), len(records))
		}
	})
}
