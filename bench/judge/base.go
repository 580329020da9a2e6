package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"dpukv/internal/test/subject"
)

// protocolFile is in every commit that a judge can build children of.
const protocolFile = "internal/test/subject/protocol.go"

// repository is a folder of git.
type repository string

// git runs a command, and returns what it prints.
func (r repository) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = string(r)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err,
			bytes.TrimSpace(complaint.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}

// base is the commit to compare with, and why that. Without a wish, it is the last commit of main
// that the tree grew from. On main itself, changes are compared with the last commit, and without
// changes the last commit with the one before.
func (r repository) base(ctx context.Context, wish string) (commit, why string, err error) {
	if wish != "" {
		commit, err = r.git(ctx, "rev-parse", "--verify", wish+"^{commit}")
		return commit, "as asked for", err
	}
	head, err := r.git(ctx, "rev-parse", "HEAD")
	if err != nil {
		return "", "", err
	}
	for _, main := range []string{"origin/main", "main"} {
		grown, err := r.git(ctx, "merge-base", "HEAD", main)
		if err != nil {
			continue // there is no such branch
		}
		if grown != head {
			return grown, "the last commit of " + main + " that the tree grew from", nil
		}
	}
	changes, err := r.git(ctx, "status", "--porcelain")
	if err != nil {
		return "", "", err
	}
	if changes != "" {
		return head, "the last commit, as the tree has changes", nil
	}
	commit, err = r.git(ctx, "rev-parse", "HEAD~1")
	return commit, "the commit before the last, as the tree has no changes", err
}

// judged checks that a commit has benchmarks that speak this judge's protocol.
func (r repository) judged(ctx context.Context, commit string) error {
	version := fmt.Sprintf("const Version = %d\n", subject.Version)
	text, err := r.git(ctx, "show", commit+":"+protocolFile)
	if err == nil && strings.Contains(text+"\n", version) {
		return nil
	}
	version = strings.TrimSpace(version)
	why := fmt.Sprintf("base %.12s cannot be judged: found no %q in its %s", commit, version,
		protocolFile)
	first, err := r.git(ctx, "log", "-S", version, "--format=%h %s", "--", protocolFile)
	if lines := strings.Split(first, "\n"); err == nil && first != "" {
		return fmt.Errorf("%s; the first commit that can is %s", why, lines[len(lines)-1])
	}
	return fmt.Errorf("%s, nor in an older commit; the first that can is the one with your changes",
		why)
}

// export writes a commit's files into a folder.
func (r repository) export(ctx context.Context, commit, dir string) error {
	archive := filepath.Join(dir, "base.tar")
	if _, err := r.git(ctx, "archive", "--output", archive, commit); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "tar", "-x", "-f", archive, "-C", dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("unpack %.12s: %w: %s", commit, err, out)
	}
	return os.Remove(archive)
}
