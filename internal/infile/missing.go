package infile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dpukv/internal/spelling"
)

// maxNamed is the number of files that an error names.
const maxNamed = 6

// missing adds to the error about a file that does not exist what there is in its folder.
func missing(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	folder := filepath.Dir(path)
	entries, dirErr := os.ReadDir(folder)
	if errors.Is(dirErr, fs.ErrNotExist) {
		return fmt.Errorf("%w; the folder %s does not exist either", err, folder)
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && filepath.Ext(e.Name()) == filepath.Ext(path) {
			names = append(names, e.Name())
		}
	}
	hint := spelling.Hint(filepath.Base(path), names)
	if len(names) > maxNamed {
		names = append(names[:maxNamed:maxNamed], "…")
	}
	if names == nil {
		return err
	}
	return fmt.Errorf("%w%s; the folder %s has %s", err, hint, folder, strings.Join(names, ", "))
}
