package offheap

import "testing"

func TestParsePages(t *testing.T) {
	for _, s := range []string{"auto", "hugetlb", "thp", "4k"} {
		if p, err := ParsePages(s); err != nil || string(p) != s {
			t.Errorf("ParsePages(%q) = %q, %v", s, p, err)
		}
	}
	if _, err := ParsePages("1G"); err == nil {
		t.Error("1G was accepted")
	}
}
