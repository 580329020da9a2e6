package daemon

import (
	"archive/tar"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// imageFiles are what the image has of this machine's C library.
var imageFiles = []string{
	"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1",
	"/lib/*-linux-gnu/libc.so.6", "/lib/*-linux-gnu/libdl.so.2",
	"/lib/*-linux-gnu/libpthread.so.0", "/lib/*-linux-gnu/libresolv.so.2",
}

// writeImage writes a container image, in the format of "docker save".
func writeImage(path, name string) error {
	layer, err := imageLayer()
	if err != nil {
		return err
	}
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux",
		"config": map[string]any{
			"Entrypoint": []string{"/bin/sleep", "1000000"}, "Env": []string{"PATH=/bin"},
		},
		"rootfs": map[string]any{
			"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer))},
		},
	})
	if err != nil {
		return err
	}
	manifest, err := json.Marshal([]any{map[string]any{
		"Config": "config.json", "RepoTags": []string{name}, "Layers": []string{"layer.tar"},
	}})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	w := archive{tar.NewWriter(&b)}
	err = cmp.Or(w.file("config.json", config), w.file("layer.tar", layer),
		w.file("manifest.json", manifest), w.Close())
	return cmp.Or(err, os.WriteFile(path, b.Bytes(), 0o600))
}

// imageLayer is the file system of the image.
func imageLayer() ([]byte, error) {
	var b bytes.Buffer
	w := archive{tar.NewWriter(&b)}
	for _, dir := range []string{"bin", "dev", "etc", "proc", "root", "sys", "tmp"} {
		if err := w.entry(tar.Header{Name: dir, Typeflag: tar.TypeDir}, nil); err != nil {
			return nil, err
		}
	}
	if err := w.programs("busybox", "getconf"); err != nil {
		return nil, err
	}
	for _, pattern := range imageFiles {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if err := w.copy(f, f); err != nil {
				return nil, err
			}
		}
	}
	return b.Bytes(), w.Close()
}

// archive is a tar file.
type archive struct{ *tar.Writer }

// programs copies programs of this machine into bin, where Busybox then is many more.
func (w archive) programs(names ...string) error {
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			return err
		}
		if err := w.copy(path, "bin/"+name); err != nil {
			return err
		}
	}
	applets, err := exec.Command("busybox", "--list").Output()
	if err != nil {
		return err
	}
	for _, a := range strings.Fields(string(applets)) {
		if a == "busybox" {
			continue
		}
		link := tar.Header{Name: "bin/" + a, Typeflag: tar.TypeSymlink, Linkname: "busybox"}
		if err := w.entry(link, nil); err != nil {
			return err
		}
	}
	return nil
}

func (w archive) copy(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return w.file(strings.TrimPrefix(to, "/"), data)
}

func (w archive) file(name string, data []byte) error {
	return w.entry(tar.Header{Name: name, Typeflag: tar.TypeReg}, data)
}

func (w archive) entry(h tar.Header, data []byte) error {
	h.Size, h.Mode = int64(len(data)), 0o755
	if err := w.WriteHeader(&h); err != nil {
		return err
	}
	_, err := w.Write(data)
	return err
}
