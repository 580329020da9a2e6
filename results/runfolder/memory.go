package runfolder

import (
	"errors"
	"fmt"
	"reflect"

	"dpukv/results"
)

// maxMemory is the limit of what the points of a file take in memory. 100,000 of dpukv's take a
// third of it.
var maxMemory int64 = 1 << 30

// errFull is wrapped by an error that ends the reading of a file.
var errFull = errors.New("the rest was not read")

// memory counts what points take in memory.
type memory struct{ taken int64 }

// add counts a point. It refuses one that is too much.
func (m *memory) add(p *results.Point) error {
	v := reflect.ValueOf(p).Elem()
	m.taken += int64(v.Type().Size()) + behind(v)
	if m.taken > maxMemory {
		return fmt.Errorf("found points that take more memory, allowed: at most %d bytes; merge "+
			"fewer sweeps, or look at the folders one by one: %w", maxMemory, errFull)
	}
	return nil
}

// behind is the size of what a value refers to. A map's entry takes about twice its size.
func behind(v reflect.Value) (bytes int64) {
	switch v.Kind() {
	case reflect.String:
		return int64(v.Len())
	case reflect.Struct:
		for i := range v.NumField() {
			bytes += behind(v.Field(i))
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return int64(v.Elem().Type().Size()) + behind(v.Elem())
		}
	case reflect.Slice:
		bytes = int64(v.Cap()) * int64(v.Type().Elem().Size())
		for i := range v.Len() {
			bytes += behind(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			bytes += behind(v.Index(i))
		}
	case reflect.Map:
		entry := v.Type().Key().Size() + v.Type().Elem().Size()
		bytes = 2 * int64(v.Len()) * int64(entry)
		for it := v.MapRange(); it.Next(); {
			bytes += behind(it.Key()) + behind(it.Value())
		}
	}
	return bytes
}
