package report

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"strings"

	"dpukv/internal/foreign"
)

//go:embed page uplot/LICENSE uplot/uPlot.iife.min.js uplot/uPlot.min.css
var files embed.FS

// scripts are the page's scripts, in the order of their dependencies.
var scripts = []string{
	"data.js", "words.js", "style.js", "view.js", "range.js", "figure.js", "paint.js", "hover.js",
	"controls.js", "table.js", "details.js", "answer.js", "machines.js", "svg.js", "sheet.js",
	"export.js", "beneath.js", "main.js",
}

// Write writes the page. If live is set, package live serves the page, and the page looks for more
// points.
func (m *Model) Write(w io.Writer, live bool) error {
	page, err := text("page/page.html")
	if err != nil {
		return err
	}
	connect := "'none'"
	if live {
		connect = "'self'"
	}
	out := bufio.NewWriterSize(w, 1<<20)
	for rest := page; ; {
		before, after, found := strings.Cut(rest, "{{")
		out.WriteString(before)
		if !found {
			return out.Flush()
		}
		name, after, _ := strings.Cut(after, "}}")
		switch name {
		case "title":
			out.WriteString(html.EscapeString(foreign.Line(m.Name)))
		case "connect":
			out.WriteString(connect)
		case "live":
			fmt.Fprintf(out, "%t", live)
		case "data":
			err = m.WriteData(out)
		default:
			err = include(out, name)
		}
		if err != nil {
			return fmt.Errorf("report: page.html, {{%s}}: %w", name, err)
		}
		rest = after
	}
}

// WriteData writes the data of the page as one JSON object. It holds no "<", so that it can stand
// in a script element, and no control characters, so that the page can show all of it.
//
// The columns are most of it. They are encoded one by one: what is encoded at once stands in
// memory.
func (m *Model) WriteData(w io.Writer) error {
	out := foreign.NewJSON(w)
	before := `{"columns":{`
	for _, name := range m.Order {
		column, err := json.Marshal(m.Columns[name])
		if err == nil {
			_, err = fmt.Fprintf(out, "%s%q:%s", before, name, column)
		}
		if err != nil {
			return err
		}
		before = ","
	}
	rest, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "},%s\n", rest[1:])
	return err
}

// include copies "scripts", or one of the embedded files.
func include(w io.Writer, name string) error {
	if name != "scripts" {
		s, err := text(name)
		if err == nil {
			_, err = io.WriteString(w, s)
		}
		return err
	}
	for _, script := range scripts {
		if err := include(w, "page/"+script); err != nil {
			return err
		}
	}
	return nil
}

func text(name string) (string, error) {
	data, err := fs.ReadFile(files, name)
	return string(bytes.TrimRight(data, "\n")), err
}
