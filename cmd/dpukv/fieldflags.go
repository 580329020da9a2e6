package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"dpukv/internal/infile"
	"dpukv/load"
)

// fieldFlags are flags that stand for fields of a load, and take what sweep files do.
type fieldFlags []fieldFlag

type fieldFlag struct {
	field load.Field
	flag  *pflag.Flag
}

// add defines the flag of the field with a sweep key. If the default is empty, the help says it.
func (all *fieldFlags) add(flags *pflag.FlagSet, key, byDefault, help string) {
	axes := load.Axes()
	i := slices.IndexFunc(axes, func(f load.Field) bool { return f.Key == key })
	name := strings.ReplaceAll(key, "_", "-")
	flags.String(name, byDefault, help)
	*all = append(*all, fieldFlag{axes[i], flags.Lookup(name)})
}

// read sets the fields of the flags that were given.
func (all fieldFlags) read(ctx context.Context, l *load.Load) error {
	for i := range all {
		if f := &all[i]; f.flag.Changed {
			if err := f.set(ctx, l, f.flag.Value.String()); err != nil {
				return ofFlag(f.flag.Name, err)
			}
		}
	}
	return nil
}

func (f *fieldFlag) set(ctx context.Context, l *load.Load, text string) error {
	kind := load.SizesFor(&f.field)
	if path, isFile := strings.CutPrefix(text, load.SizesFile); isFile && kind != nil {
		data, err := infile.ReadInput(ctx, path, load.MaxSizesFile)
		if err != nil {
			return err
		}
		mean, sizes, err := kind.ParseFile(path, data)
		if err != nil {
			return err
		}
		text = sizes.Text(mean)
	}
	if f.field.Set(l, text) != nil {
		return fmt.Errorf("found %.40q, allowed: %s", text, f.field.Allowed)
	}
	return nil
}
