package prose

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// pages are the paths of the documentation below root.
func pages(root string) ([]string, error) {
	paths := []string{"README.md", "CONTRIBUTING.md"}
	docs := filepath.Join(root, "docs")
	err := filepath.WalkDir(docs, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		path, err = filepath.Rel(root, path)
		paths = append(paths, filepath.ToSlash(path))
		return err
	})
	slices.Sort(paths)
	return paths, err
}

// checkPage finds all problems of a page, by the name of the check.
func checkPage(root, path string) (map[string][]string, error) {
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		return nil, err
	}
	page := string(text)
	problems := map[string][]string{
		"sentences": checkSentences(path, page),
		"columns":   checkColumns(path, page),
		"links":     checkLinks(root, path, page),
		"words":     checkWords(path, page),
	}
	return problems, nil
}
