package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"golang.org/x/perf/benchfmt"

	"dpukv/examples"
	"dpukv/internal/foreign"
	"dpukv/internal/test/must"
	"dpukv/placement/sweep"
	"dpukv/results"
	"dpukv/results/live"
	"dpukv/results/runfolder"
)

// hostile are texts that somebody's run folder, sweep or testbed may have anywhere.
var hostile = []string{
	"\x1b[2J\x1b]0;owned\x07", "a\u202eb\u2066c\u200f", "x\u2028y\u2029z\u0085", "a\x00b\x7f\u009b31m",
	"\nFORGED line", "a\r\nFORGED: b", "\tFORGED\tx", `"quoted" 'too'`, "</script><script>alert(1)</script>",
	"]]>&amp;<!--<b>&", "a, b;c", "=cmd|'/C calc'!A1", "+1+cmd", "-1+cmd", "@SUM(A1)", `back\slash\u001b\n`,
	"😀𝔘 ＝1", "bad \xff\xc3( utf8",
	"{{data}}", "../../../etc/passwd", "Unit x better=higher", " spaces  and=equals/slash ",
	strings.Repeat("long ", 600), "\ufffe\uffff", "",
}

// turn is the next hostile text of a point: each field gets each text in one of the points.
type turn int

func (n *turn) next() string {
	*n++
	return hostile[int(*n)%len(hostile)]
}

// kept are the fields without which a line is no point, and those that the folder's writer sets.
var kept = []string{"Schema", "ID", "Status", "HlogCRC32C", "Chain", "Source", "HlogBytes"}

// fill puts hostile texts into every string below v. It takes a text back that check refuses.
func fill(v reflect.Value, n *turn, check func() error) (filled int) {
	switch v.Kind() {
	case reflect.String:
		old := v.String()
		if v.SetString(n.next()); check() != nil {
			v.SetString(old)
			return 0
		}
		return 1
	case reflect.Pointer:
		made := v.IsNil()
		if made {
			v.Set(reflect.New(v.Type().Elem()))
		}
		if filled = fill(v.Elem(), n, check); made && filled == 0 {
			v.SetZero()
		}
	case reflect.Slice:
		made := v.Len() == 0
		if made {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			filled += fill(v.Index(i), n, check)
		}
		if made && filled == 0 {
			v.SetZero()
		}
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return 0
		}
		of := reflect.MakeMap(v.Type())
		for range 3 {
			value := reflect.New(v.Type().Elem()).Elem()
			fill(value, n, func() error { return nil })
			if value.Kind() == reflect.Float64 {
				value.SetFloat(1.5)
			}
			of.SetMapIndex(reflect.ValueOf(n.next()).Convert(v.Type().Key()), value)
		}
		old := reflect.ValueOf(v.Interface())
		if v.Set(of); check() != nil {
			v.Set(old)
			return 0
		}
		return 1
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !slices.Contains(kept, f.Name) {
				filled += fill(v.Field(i), n, check)
			}
		}
	}
	return filled
}

// hostilePoint is a point with hostile texts in all strings.
func hostilePoint(t *testing.T, number int, probe bool) results.Point {
	t.Helper()
	p := onePoint(results.StatusOK)
	p.ID, p.ClientThreads = fmt.Sprintf(`=%d"<b>&,;-%%s`, number), number+1
	n := turn(number)
	readable := func() error {
		text, err := json.Marshal(&p)
		return errors.Join(err, json.Unmarshal(text, new(results.Point)))
	}
	filled := fill(reflect.ValueOf(&p).Elem(), &n, readable)
	if filled < 40 {
		t.Fatalf("found %d texts in a point, want more", filled)
	}
	if !probe {
		p.Measure = ""
	} else if p.Measure == "" {
		p.Measure = "\x1b"
	}
	if number%5 == 4 {
		p.Status = results.StatusFailed
	}
	return p
}

// hostileValue puts hostile texts into every string of a decoded value, and adds keys.
func hostileValue(v any, n *turn) any {
	switch v := v.(type) {
	case string:
		return n.next()
	case []any:
		for i := range v {
			v[i] = hostileValue(v[i], n)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			v[key] = hostileValue(v[key], n)
		}
		v[n.next()] = n.next()
	}
	return v
}

// hostileFolder is a run folder with hostile texts in all strings.
func hostileFolder(t *testing.T, probe bool) string {
	t.Helper()
	comment := "# " + strings.NewReplacer("\n", "", "\r", "", "\x00", "").Replace(strings.Join(hostile, " ")) + "\n"
	bed := must.Get(examples.Testbeds.ReadFile("local.yaml"))(t)
	w := must.Get(runfolder.Create(filepath.Join(t.TempDir(), "r\u202e<b>'&"), []byte("store: mica\n"+comment),
		[]byte(string(bed)+comment)))(t)
	env := strings.Split(strings.TrimSpace(string(
		must.Get(os.ReadFile("../../examples/runs/placements/env.jsonl"))(t))), "\n")
	for number := range hostile {
		n := turn(number)
		var node map[string]any
		must.Do(t, json.Unmarshal([]byte(env[number%len(env)]), &node))
		hostileValue(node, &n)
		delete(node, "chain")
		must.Do(t, errors.Join(w.AppendEnv(node), w.AppendStart(node)))
		p := hostilePoint(t, number, probe)
		must.Do(t, w.Append(&p, nil))
	}
	must.Do(t, w.Close())
	return w.Dir()
}

// wantClean fails if a sink got a character that acts on its reader, or a line of a stranger's.
func wantClean(t *testing.T, sink, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s: found bytes that are no UTF-8", sink)
	}
	for at, r := range text {
		acts := unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) ||
			r == '\u2028' || r == '\u2029'
		if acts {
			t.Errorf("%s: found %q at %q", sink, r, text[max(0, at-80):min(len(text), at+20)])
			return
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "FORGED") {
			t.Errorf("%s: found the line %q", sink, line)
		}
	}
}

// said runs a command as main does, with its stdout as a terminal or a file gets it.
func said(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(foreign.NewWriter(&out, 0))
	root.SetErr(foreign.NewWriter(&out, maxStderrLine))
	if err := root.ExecuteContext(t.Context()); err != nil {
		fmt.Fprintln(root.ErrOrStderr(), foreign.Clip(named(err), maxError))
	}
	return out.String()
}

// wantCSV parses a sink of rows: each has as many cells as the first, and none is a formula.
func wantCSV(t *testing.T, sink, text string, rows int) {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(all) < 2 || rows > 0 && len(all) != rows {
		t.Errorf("%s: found %d rows, %v, want %d", sink, len(all), err, rows)
	}
	for _, cell := range slices.Concat(all...) {
		if begin := strings.TrimLeft(cell, " \t\n"); begin != "" && strings.ContainsAny(begin[:1], "=+-@") {
			if _, err := fmt.Sscanf(begin, "%f", new(float64)); err != nil || strings.Contains(begin, "cmd") {
				t.Errorf("%s: found the formula %q", sink, cell)
			}
		}
		wantClean(t, sink, strings.ReplaceAll(cell, "FORGED", "")) // a quoted newline ends no row
	}
}

func wantBenchfmt(t *testing.T, text string, results int) {
	t.Helper()
	wantClean(t, "benchfmt", text)
	r := benchfmt.NewReader(strings.NewReader(text), "run")
	found := 0
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			found++
			name := string(rec.Name)
			if strings.ContainsFunc(name, unicode.IsSpace) || len(rec.Values) == 0 {
				t.Errorf("benchfmt: found the name %.100q with %d values", name, len(rec.Values))
			}
			for _, c := range rec.Config {
				if strings.Contains(c.Key, "FORGED") {
					t.Errorf("benchfmt: found the key %q", c.Key)
				}
			}
		case *benchfmt.SyntaxError:
			t.Error("benchfmt:", rec)
		}
	}
	if err := r.Err(); err != nil || found != results {
		t.Errorf("benchfmt: found %d results, %v, want %d", found, err, results)
	}
}

func wantSVG(t *testing.T, file string) {
	t.Helper()
	text := string(must.Get(os.ReadFile(file))(t))
	wantClean(t, file, text)
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
			return
		}
		known := []string{"svg", "g", "path", "text", "rect", "circle", "image", "title", "desc"}
		if e, ok := token.(xml.StartElement); ok && !slices.Contains(known, e.Name.Local) {
			t.Errorf("%s: found the element %s", file, e.Name.Local)
		}
	}
}

// wantPage parses a page: it has its own scripts and no others, and its data is JSON.
func wantPage(t *testing.T, page, ordinary string) {
	t.Helper()
	wantClean(t, "page", page)
	for _, tag := range []string{"<script", "</script", "<title", "</title", "<b>", "<!--"} {
		if found, want := strings.Count(page, tag), strings.Count(ordinary, tag); found != want {
			t.Errorf("page: found %s %d times, want %d", tag, found, want)
		}
	}
	_, rest, _ := strings.Cut(page, `id="data">`)
	data, _, _ := strings.Cut(rest, "</script")
	wantData(t, data)
}

func wantData(t *testing.T, data string) {
	t.Helper()
	var decoded any
	if err := json.Unmarshal([]byte(data), &decoded); err != nil || strings.Contains(data, "<") {
		t.Errorf("data: %v, or found a <", err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string: // no list of lines
			wantClean(t, "data", strings.ReplaceAll(v, "FORGED", ""))
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for key, e := range v {
				walk(key)
				walk(e)
			}
		}
	}
	walk(decoded)
}

// wantLive reads the served page, its data, its events and its metrics.
func wantLive(t *testing.T, dir, ordinary string) {
	t.Helper()
	server := must.Get(live.Start("127.0.0.1:0", live.Options{Dir: dir}))(t)
	defer server.Close("done\nFORGED")
	get := func(path string) string {
		answer := must.Get(http.Get(server.URL() + path))(t)
		defer answer.Body.Close()
		return string(must.Get(io.ReadAll(answer.Body))(t))
	}
	wantPage(t, get(""), ordinary)
	wantData(t, get("data.json"))
	text := get("metrics")
	wantClean(t, "metrics", text)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil || len(families["dpukv_repeats"].GetMetric()) < 10 {
		t.Errorf("metrics: found %d families, %v, in %.500s", len(families), err, text)
	}
}

// TestHostileTexts: no text of a run folder acts on who reads it, whatever shows it.
func TestHostileTexts(t *testing.T) {
	page := func(dir string) string {
		wantClean(t, "report", said(t, "report", dir))
		return string(must.Get(os.ReadFile(filepath.Join(dir, "report.html")))(t))
	}
	ordinary := page(runFolder(t, results.StatusOK))
	for _, probe := range []bool{false, true} {
		if probe && testing.Short() {
			t.Log("a short run: no probes")
			continue
		}
		dir, other := hostileFolder(t, probe), hostileFolder(t, probe)
		ok := len(hostile) - len(hostile)/5
		for _, args := range [][]string{
			{"answer", dir},
			{"compare", dir, other},
			{"run", "verify", dir},
			{"run", "claims", dir},
			{"plot", dir, "--format", "svg,csv", "--latency", "p99"},
			{"answer", dir, "--json"},
			{"compare", dir, other, "--json"},
			{"run", "verify", dir, "--json"},
			{"run", "claims", dir, "--json"},
			{"plot", dir, "--table", "4"},
			{"sweep", "--resume", "--out", dir},
			{"run", "merge", dir, other, "--out", filepath.Join(t.TempDir(), "both")},
		} {
			wantClean(t, fmt.Sprint(args), said(t, args...))
		}
		export := func(format string) string {
			file := filepath.Join(t.TempDir(), format)
			wantClean(t, "export", said(t, "run", "export", dir, "--format", format, "--out", file))
			return string(must.Get(os.ReadFile(file))(t))
		}
		wantCSV(t, "export", export("csv"), len(hostile)+1)
		wantBenchfmt(t, export("benchfmt"), ok)
		wantPage(t, page(dir), ordinary)
		figures := must.Get(filepath.Glob(filepath.Join(dir, "figures", "*")))(t)
		if len(figures) < 10 && !probe {
			t.Errorf("found %d figures", len(figures))
		}
		for _, file := range figures {
			wantClean(t, "name", filepath.Base(file))
			switch filepath.Ext(file) {
			case ".svg":
				wantSVG(t, file)
			case ".csv":
				wantCSV(t, file, string(must.Get(os.ReadFile(file))(t)), 0)
			}
		}
		if !probe {
			wantLive(t, dir, ordinary)
		}
	}
}

// TestHostileRequests: a sweep and a testbed of a stranger say what is wrong with them, and no more.
func TestHostileRequests(t *testing.T) {
	if testing.Short() {
		t.Log("a short run: one hostile text of five")
	}
	write := func(v any) string {
		file := filepath.Join(t.TempDir(), "f.yaml")
		must.Do(t, os.WriteFile(file, must.Get(yaml.Marshal(v))(t), 0o600))
		return file
	}
	for i, text := range hostile {
		if testing.Short() && i%5 != 4 {
			continue
		}
		keys := []string{text}
		for _, key := range sweep.Keys() {
			keys = append(keys, key.Name)
		}
		for _, key := range keys {
			wantClean(t, "sweep, "+key, said(t, "sweep", "--dry-run", "--file", write(map[string]any{key: text}),
				"--out", filepath.Join(t.TempDir(), "new")))
		}
		var bed map[string]any
		must.Do(t, yaml.Unmarshal(must.Get(examples.Testbeds.ReadFile("local.yaml"))(t), &bed))
		n := turn(i)
		wantClean(t, "testbed", said(t, "sweep", "--dry-run", "--testbed", write(hostileValue(bed, &n)),
			"--out", filepath.Join(t.TempDir(), "new")))
	}
}
