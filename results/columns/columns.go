package columns

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"dpukv/results"
)

// Kind is the type of a column's values.
type Kind int

// The kinds, and the Go type that [Column.Value] returns for each.
const (
	Bool  Kind = iota // bool
	Int               // int64
	Uint              // uint64
	Float             // float64
	Text              // string
	Time              // time.Time, UTC; zero: never
	JSON              // string; "": the field is not there
)

// Column is one field of a point.
type Column struct {
	Name string
	Kind Kind
	path []int // of field indices
}

// All returns the columns in the order of the fields.
func All() []Column { return ofStruct(reflect.TypeFor[results.Point](), "", nil) }

func ofStruct(t reflect.Type, prefix string, path []int) []Column {
	var list []Column
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		at := append(path[:len(path):len(path)], i)
		switch {
		case f.Type == reflect.TypeFor[time.Time]():
			list = append(list, Column{prefix + name, Time, at})
		case f.Type.Kind() == reflect.Struct && f.Anonymous:
			list = append(list, ofStruct(f.Type, prefix, at)...)
		case f.Type.Kind() == reflect.Struct:
			list = append(list, ofStruct(f.Type, prefix+name+"_", at)...)
		default:
			list = append(list, Column{prefix + name, kindOf(f.Type), at})
		}
	}
	return list
}

func kindOf(t reflect.Type) Kind {
	switch t.Kind() {
	case reflect.Bool:
		return Bool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Int
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Uint
	case reflect.Float32, reflect.Float64:
		return Float
	case reflect.String:
		return Text
	}
	return JSON
}

// Value is the column's value of a point, of the Go type that goes with its kind.
func (c *Column) Value(p *results.Point) any {
	v := reflect.ValueOf(p).Elem().FieldByIndex(c.path)
	switch c.Kind {
	case Bool:
		return v.Bool()
	case Int:
		return v.Int()
	case Uint:
		return v.Uint()
	case Float:
		return v.Float()
	case Text:
		return v.String()
	case Time:
		return v.Interface().(time.Time).UTC()
	}
	return jsonText(v)
}

func jsonText(v reflect.Value) string {
	empty := v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface && v.Len() == 0
	if v.IsZero() || empty {
		return ""
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		panic(fmt.Sprintf("a point that came from JSON can't become JSON: %v", err))
	}
	return string(text)
}
