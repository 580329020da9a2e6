package layout

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// use holds the imports from a row's folders to other rows, with an example of each import.
type use struct{ imports, extras map[string]string }

// uses groups the imports by row. Folders without a row are problems.
func (t *table) uses(folders []*folder) (uses []use, problems []string) {
	uses = make([]use, len(t.rows))
	for i := range uses {
		uses[i] = use{map[string]string{}, map[string]string{}}
	}
	for _, f := range folders {
		from := t.rowOf(f.path)
		if from < 0 {
			problems = append(problems, fmt.Sprintf(
				"%s: found no row for it in %s: add one", f.path, architectureMD))
			continue
		}
		t.collect(f, f.imports, t.rows[from].folder, uses[from].imports)
		t.collect(f, f.testImports, t.rows[from].folder, uses[from].extras)
	}
	for _, u := range uses {
		maps.DeleteFunc(u.extras, func(name, _ string) bool { return u.imports[name] != "" })
	}
	return uses, problems
}

func (t *table) collect(f *folder, imports map[string]bool, own string, into map[string]string) {
	for _, imported := range slices.Sorted(maps.Keys(imports)) {
		if to := t.rowOf(imported); to >= 0 && t.rows[to].folder != own {
			into[t.rows[to].folder] = f.path + " imports " + imported
		}
	}
}

// checkImports compares the folders' imports with the table.
func (t *table) checkImports(folders []*folder) (problems []string) {
	uses, problems := t.uses(folders)
	for i, r := range t.rows {
		if !slices.ContainsFunc(folders, func(f *folder) bool { return t.rowOf(f.path) == i }) {
			problems = append(problems, fmt.Sprintf(
				"row %s: found no folder that belongs to it: remove the row", r.folder))
			continue
		}
		problems = append(problems, compare(r.folder, "may import", r.imports, uses[i].imports)...)
		problems = append(problems,
			compare(r.folder, "its tests also", r.extras, uses[i].extras)...)
		for _, name := range r.imports {
			if to := t.index(name); to < i {
				problems = append(problems, fmt.Sprintf(
					"row %s: found %s in it, which has no row below: imports point down the table",
					r.folder, name))
			}
		}
	}
	return problems
}

// compare finds imports that a cell does not allow, and permissions that no import uses.
func compare(name, column string, allowed []string, used map[string]string) (problems []string) {
	for _, to := range slices.Sorted(maps.Keys(used)) {
		if !slices.Contains(allowed, to) {
			problems = append(problems, fmt.Sprintf(
				"%s: row %s (%s) allows %s, not %s: move the code, or change the table (-update)",
				used[to], name, column, list(allowed), to))
		}
	}
	for _, to := range allowed {
		if used[to] == "" {
			problems = append(problems, fmt.Sprintf(
				"row %s (%s): found no import of %s: remove it from the row (-update)", name,
				column, to))
		}
	}
	return problems
}

func list(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// update makes the table fit the folders: rows for all, none without a folder, each above the rows
// that it imports.
func (t *table) update(folders []*folder) error {
	var missing []row // each its own, also below another that is missing
	for _, f := range folders {
		if t.rowOf(f.path) < 0 {
			missing = append(missing, row{folder: f.path})
		}
	}
	t.rows = append(t.rows, missing...)
	t.rows = slices.DeleteFunc(t.rows, func(r row) bool {
		i := t.index(r.folder)
		return !slices.ContainsFunc(folders, func(f *folder) bool { return t.rowOf(f.path) == i })
	})
	uses, _ := t.uses(folders)
	for i, u := range uses {
		t.rows[i].imports = slices.Sorted(maps.Keys(u.imports))
		t.rows[i].extras = slices.Sorted(maps.Keys(u.extras))
	}
	return t.sort()
}

// sort puts each row above the rows that it imports. Next is always the first row by name that no
// remaining row imports.
func (t *table) sort() error {
	left := slices.Clone(t.rows)
	slices.SortFunc(left, func(a, b row) int { return strings.Compare(a.folder, b.folder) })
	t.rows = nil
	for len(left) > 0 {
		next := slices.IndexFunc(left, func(r row) bool {
			return !slices.ContainsFunc(left, func(other row) bool {
				return slices.Contains(other.imports, r.folder)
			})
		})
		if next < 0 {
			var names []string
			for _, r := range left {
				names = append(names, r.folder)
			}
			return fmt.Errorf("found rows that import each other in a circle, among %s: split "+
				"one of them",
				list(names))
		}
		t.rows = append(t.rows, left[next])
		left = slices.Delete(left, next, next+1)
	}
	return nil
}
