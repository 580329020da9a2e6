package sweep

import (
	"strings"

	"dpukv/kvs/stores"
)

// Key describes a key of a sweep file.
type Key struct {
	Name    string
	Help    string // the meaning, in one sentence
	Allowed string
	Default string
	Example string // a value or values, as a file has them
	Axis    bool   // the key takes a list, and each value makes points of its own
}

// Keys describes all keys of a sweep file, in the order of the table.
func Keys() []Key {
	keys := make([]Key, len(sweepKeys))
	for i := range sweepKeys {
		k := &sweepKeys[i]
		keys[i] = Key{k.name, k.help, k.allowed, k.defaultText(), k.example, k.swept()}
	}
	return keys
}

// defaultText is the key's default as a file has it: one value or a list. A key that each store's
// study decides has a value for each store.
func (k *sweepKey) defaultText() string {
	s := Default()
	if k.dependent != "" {
		return k.dependent
	}
	if studyKeys[k.name] != nil {
		return k.studyText()
	}
	texts := k.texts(&s)
	if len(texts) == 1 {
		return texts[0]
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// studyText lists the stores by the value that their studies give the key: "8 (mica), 16 (herd)".
func (k *sweepKey) studyText() string {
	var values []string
	byValue := map[string][]string{}
	for _, st := range stores.All() {
		var c Config
		studyKeys[k.name](&c, &st.Study)
		value := k.of(&c)
		if byValue[value] == nil {
			values = append(values, value)
		}
		byValue[value] = append(byValue[value], st.Name)
	}
	if len(values) == 1 {
		return values[0]
	}
	for i, value := range values {
		values[i] = value + " (" + strings.Join(byValue[value], ", ") + ")"
	}
	return strings.Join(values, ", ")
}
