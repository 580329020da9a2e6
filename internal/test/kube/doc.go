// Package kube pins the Kubernetes of "make test-kube": its API server and its kubelet, which no
// package of Debian has. It has no code of its own. It is a module of its own, so that dpukv does
// not depend on Kubernetes.
//
// Kubernetes publishes its libraries as modules of other versions: v0.N.P for v1.N.P. The go
// command learns that from the replace directives alone. To take another version, change all of
// them, and run "go mod tidy" here.
package kube
