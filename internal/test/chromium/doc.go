// Package chromium opens pages in a browser for tests. It is a package of its own, as the browser's
// protocol takes half a second to link into a test that needs no page.
package chromium
