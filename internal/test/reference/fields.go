package reference

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// PointFields is the page of the fields of a point, read from the source below root.
func PointFields(root string) (string, error) {
	s, err := readStructs(root, "kvs", "load", "results")
	if err != nil {
		return "", err
	}
	p := newPage("Fields of a point")
	p.paragraph("A point is one JSON object, a line of `points.jsonl`. An absent field has its " +
		"zero value: 0, false or an empty text.")
	p.paragraph("`dpukv run export` uses the same names. It joins the names of nested fields, as in " +
		"`actual_latency_p99_ns`.")
	p.heading(2, "Point")
	w := fieldWriter{structs: s, page: p, done: map[string]bool{"Point": true}}
	w.writeStruct("Point")
	for len(w.next) > 0 {
		name := w.next[0]
		w.next = w.next[1:]
		p.heading(2, name)
		p.paragraph(s.sentence(name, s.docs[name]))
		w.writeStruct(name)
	}
	if len(s.problems) > 0 {
		return "", errors.New(strings.Join(s.problems, "\n"))
	}
	return p.text(), nil
}

// structs are the struct types of some packages, by name.
type structs struct {
	types    map[string]*ast.StructType
	docs     map[string]string
	floating map[string][]*ast.CommentGroup // the headings in a struct
	files    *token.FileSet
	problems []string
}

func emptyStructs() *structs {
	return &structs{
		types: map[string]*ast.StructType{}, docs: map[string]string{},
		floating: map[string][]*ast.CommentGroup{}, files: token.NewFileSet(),
	}
}

func readStructs(root string, folders ...string) (*structs, error) {
	s := emptyStructs()
	for _, folder := range folders {
		paths, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(s.files, path, nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			s.add(file)
		}
	}
	return s, nil
}

func (s *structs) add(file *ast.File) {
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok || general.Tok != token.TYPE {
			continue
		}
		for _, spec := range general.Specs {
			named := spec.(*ast.TypeSpec)
			body, ok := named.Type.(*ast.StructType)
			if !ok {
				continue
			}
			name := named.Name.Name
			s.types[name], s.docs[name] = body, general.Doc.Text()
			s.floating[name] = floating(file, body)
		}
	}
}

// floating returns the comments in a struct that belong to no field.
func floating(file *ast.File, body *ast.StructType) (alone []*ast.CommentGroup) {
	owned := map[*ast.CommentGroup]bool{}
	for _, f := range body.Fields.List {
		owned[f.Doc], owned[f.Comment] = true, true
	}
	for _, c := range file.Comments {
		if c.Pos() > body.Pos() && c.End() < body.End() && !owned[c] {
			alone = append(alone, c)
		}
	}
	return alone
}

// fieldWriter writes the tables of structs, and collects the structs that they refer to.
type fieldWriter struct {
	*structs
	page *page
	next []string
	done map[string]bool
}

// writeStruct writes a table for each part of a struct, a heading above each part that has one.
func (w *fieldWriter) writeStruct(name string) {
	headings := w.floating[name]
	var rows [][]string
	flush := func() {
		if rows != nil {
			w.page.table([]string{"field", "type", "unit", "meaning"}, rows)
		}
		rows = nil
	}
	for _, f := range w.types[name].Fields.List {
		for len(headings) > 0 && headings[0].Pos() < f.Pos() {
			flush()
			w.page.heading(3, strings.TrimSpace(headings[0].Text()))
			headings = headings[1:]
		}
		if len(f.Names) == 0 && f.Doc != nil {
			flush()
			w.page.paragraph(w.sentence("", f.Doc.Text()))
		}
		rows = append(rows, w.rows(name, f)...)
	}
	flush()
}

// rows are those of a field: those of its struct if it is embedded.
func (w *fieldWriter) rows(owner string, f *ast.Field) [][]string {
	if len(f.Names) == 0 {
		var rows [][]string
		embedded := typeName(f.Type)
		for _, inner := range w.types[embedded].Fields.List {
			rows = append(rows, w.rows(embedded, inner)...)
		}
		return rows
	}
	name := f.Names[0].Name
	tag := jsonName(f)
	if tag == "" || tag == "-" {
		return nil
	}
	meaning := w.sentence(name, f.Doc.Text()+f.Comment.Text())
	if meaning == "" {
		w.problems = append(w.problems, fmt.Sprintf(
			"%s: found no comment on %s.%s, want its meaning",
			w.files.Position(f.Pos()), owner, name))
	}
	return [][]string{{inline(tag), w.jsonType(f.Type), unitOf(tag), meaning}}
}

// jsonName is the name in a field's tag.
func jsonName(f *ast.Field) string {
	if f.Tag == nil {
		return ""
	}
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	return name
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// jsonType is the JSON type of a Go type, with a link to the section of a struct.
func (w *fieldWriter) jsonType(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.ArrayType:
		return "list of " + w.jsonType(e.Elt)
	case *ast.StarExpr: // absent if nil
		return w.jsonType(e.X)
	case *ast.MapType:
		return "object of " + w.jsonType(e.Value)
	}
	switch name := typeName(e); name {
	case "string", "Dist", "Sizes", "Time":
		return "string"
	case "Warnings": // each is a text in JSON
		return "list of string"
	case "bool":
		return "boolean"
	case "int", "int64", "uint64", "Duration":
		return "integer"
	case "float64":
		return "number"
	default:
		if w.types[name] == nil {
			w.problems = append(w.problems, fmt.Sprintf(
				"%s: found the type %s, allowed: those that jsonType knows",
				w.files.Position(e.Pos()), name))
			return name
		}
		if !w.done[name] {
			w.done[name] = true
			w.next = append(w.next, name)
		}
		return "[" + name + "](#" + anchor(name) + ")"
	}
}

var (
	verb    = regexp.MustCompile(`^(?:is|are) `)
	docLink = regexp.MustCompile(`\[(?:[a-z]+\.)?(\w+)(?:\.(\w+))?\]`)
)

// sentence makes the meaning of a field from its comment.
func (s *structs) sentence(name, comment string) string {
	text := strings.Join(strings.Fields(comment), " ")
	if text == "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(text, name+" "); ok {
		if without := verb.ReplaceAllString(rest, ""); without != rest {
			text = without
		} else {
			text = strings.ToUpper(rest[:1]) + rest[1:]
		}
	}
	text = plainKeepingLinks(text, s.linkText)
	text = strings.ToUpper(text[:1]) + text[1:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

// plainKeepingLinks escapes a text except for its doc links, which link replaces.
func plainKeepingLinks(text string, link func(owner, field string) string) string {
	var b strings.Builder
	end := 0
	for _, m := range docLink.FindAllStringSubmatchIndex(text, -1) {
		owner, field := text[m[2]:m[3]], ""
		if m[4] >= 0 {
			field = text[m[4]:m[5]]
		}
		b.WriteString(plain(text[end:m[0]]) + link(owner, field))
		end = m[1]
	}
	return b.String() + plain(text[end:])
}

// linkText is the JSON name of a field, or the name of something else.
func (s *structs) linkText(owner, field string) string {
	if field == "" {
		return inline(owner)
	}
	if name := s.fieldName(owner, field); name != "" {
		return inline(name)
	}
	s.problems = append(s.problems, fmt.Sprintf(
		"found a doc link to %s.%s, allowed: fields that exist", owner, field))
	return field
}

// fieldName is the JSON name of a struct's field, or of a field of one that it embeds.
func (s *structs) fieldName(owner, field string) (name string) {
	body := s.types[owner]
	if body == nil {
		return ""
	}
	for _, f := range body.Fields.List {
		switch {
		case len(f.Names) == 0:
			name = cmp.Or(name, s.fieldName(typeName(f.Type), field))
		case f.Names[0].Name == field:
			return jsonName(f)
		}
	}
	return name
}

// units are those of names that end with the key; of several, the longest decides.
var units = map[string]string{
	"_ns": "ns", "_ns_per_op": "ns/op", "_bytes": "bytes", "_packets": "packets",
	"_uj_per_op": "µJ/op",
	"_share":     "0 to 1", "_share_check": "0 to 1", "_ratio": "0 to 1", "_hit_rate": "0 to 1",
	"_ops": "operations", "rate_ops": "operations/s", "throughput_ops": "operations/s",
	"ops_per_frame": "operations/frame", "bytes_per_frame": "bytes/frame",
	"frames_per_write": "frames/call", "started_at": "RFC 3339",
	"ops": "operations", "gets": "operations", "hits": "operations", "misses": "operations",
	"batch": "operations", "window": "batches",
	"share": "0 to 1",
}

func unitOf(name string) string {
	unit, longest := "", 0
	for _, end := range slices.Sorted(maps.Keys(units)) {
		whole := end[0] != '_' && name == end
		if (whole || end[0] == '_' && strings.HasSuffix(name, end)) && len(end) > longest {
			unit, longest = units[end], len(end)
		}
	}
	return unit
}
