package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// module is the import path of the repository's root.
const module = "dpukv"

// folder is a folder with Go files. Its imports are those within the module, as folders.
type folder struct {
	path                 string // below the root, with slashes
	sources, tests       []string
	scripts              []string // source files in sh
	generated            int
	imports, testImports map[string]bool
}

// readTree reads the folders of the module below root, in the order of their paths.
func readTree(root string) ([]*folder, error) {
	folders := map[string]*folder{}
	scripts := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return leaveOut(root, path)
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		if filepath.Ext(path) == ".sh" {
			scripts[dir] = append(scripts[dir], d.Name())
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		if folders[dir] == nil {
			folders[dir] = &folder{
				path: dir, imports: map[string]bool{}, testImports: map[string]bool{},
			}
		}
		return folders[dir].add(path)
	})
	if err != nil {
		return nil, err
	}
	var list []*folder
	for _, path := range slices.Sorted(maps.Keys(folders)) {
		folders[path].scripts = scripts[path]
		list = append(list, folders[path])
	}
	return list, nil
}

// leaveOut skips folders that the go command ignores, and modules within this one.
func leaveOut(root, path string) error {
	if path == root {
		return nil
	}
	if name := filepath.Base(path); name == "testdata" || name[0] == '.' || name[0] == '_' {
		return fs.SkipDir
	}
	if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func (f *folder) add(path string) error {
	mode := parser.ImportsOnly | parser.ParseComments
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, mode)
	if err != nil {
		return err
	}
	imports := f.imports
	name := filepath.Base(path)
	switch {
	case strings.HasSuffix(name, "_test.go"):
		imports = f.testImports
		f.tests = append(f.tests, name)
	default:
		f.sources = append(f.sources, name)
		if ast.IsGenerated(file) {
			f.generated++
		}
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if below, ok := strings.CutPrefix(imported, module+"/"); ok && below != f.path {
			imports[below] = true
		}
	}
	return nil
}
