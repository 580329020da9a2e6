package sweep

import (
	"slices"
	"strings"

	"dpukv/internal/field"
	"dpukv/kvs"
	"dpukv/kvs/stores"
)

// none is the word of a key that asks for nothing.
const none = "none"

// OwnProtocol leaves the choice of the protocol to the store's client.
const OwnProtocol = "default"

// Protocols are the protocols of all stores.
var Protocols = field.Or(OwnProtocol, field.Text("", func(s string) (string, bool) {
	return s, slices.ContainsFunc(stores.All(), func(st kvs.Store) bool {
		return slices.Contains(st.Protocols, s)
	})
})).As(allowedProtocols())

func allowedProtocols() string {
	allowed := OwnProtocol
	for _, st := range stores.All() {
		if len(st.Protocols) > 0 {
			allowed += ", with " + st.Name + " " + strings.Join(st.Protocols, ", ")
		}
	}
	return allowed
}

// builds are builds of dpukv, as node.Build labels them.
var builds = field.Or(none, field.Text("", func(s string) (string, bool) {
	version, digest, ok := strings.Cut(s, "@")
	return s, ok && version != "" && digest != "" && !strings.ContainsAny(s, " ,=[]{}#'\"")
})).As(none + ", or VERSION@DIGEST of two builds, the base of their comparison first")
