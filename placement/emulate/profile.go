package emulate

import (
	"embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"dpukv/internal/infile"
	"dpukv/internal/strictyaml"
)

// Profile models a generation of DPUs on cores of this machine.
type Profile struct {
	Name         string // of the file, without folder and ending
	Cores        int    // that the DPU has
	CoreStrength float64
	LinkGbps     float64 // of its port; 0: not said
	Sources      map[string]string
}

// profileFile is the content of the file: each number has its source.
type profileFile struct {
	Cores        sourced `yaml:"cores"`
	CoreStrength sourced `yaml:"core_strength"`
	LinkGbps     sourced `yaml:"link_gbps"`
}

type sourced struct {
	Value  float64 `yaml:"value"`
	Source string  `yaml:"source"`
}

//go:embed profiles/*.yaml
var builtIn embed.FS

// Bounds of a profile. A core is never stronger than the core of this machine that plays it.
const (
	maxCores     = 1024
	leastCore    = 0.01
	maxGbps      = 10_000
	profileBytes = 1 << 16
)

// Profiles returns the names of the built-in profiles.
func Profiles() []string {
	files, _ := builtIn.ReadDir("profiles")
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return names
}

// LoadProfile reads a profile. A name with a slash, or one that ends in .yaml, is a file; other
// names are in Profiles.
func LoadProfile(name string) (*Profile, error) {
	var data []byte
	var err error
	switch own := strings.Contains(name, "/") || strings.HasSuffix(name, ".yaml"); {
	case own:
		data, err = infile.Read(name, profileBytes)
	case slices.Contains(Profiles(), name):
		data, err = builtIn.ReadFile("profiles/" + name + ".yaml")
	default:
		return nil, fmt.Errorf("profile: found %q, allowed: %s, %s, or a file of your own "+
			"(./mine.yaml)", name, strings.Join(Profiles(), ", "), NoProfile)
	}
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	return parseProfile(name, data)
}

func parseProfile(path string, data []byte) (*Profile, error) {
	if len(data) > profileBytes {
		return nil, fmt.Errorf("profile %s: found %d bytes, allowed: at most %d", path, len(data),
			profileBytes)
	}
	if _, err := strictyaml.Tokens(data); err != nil {
		return nil, fmt.Errorf("profile %s:%w", path, err)
	}
	var f profileFile
	if err := yaml.UnmarshalWithOptions(data, &f, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("profile %s: %s", path, yaml.FormatError(err, false, true))
	}
	p := &Profile{
		Name:  strings.TrimSuffix(filepath.Base(path), ".yaml"),
		Cores: int(f.Cores.Value), CoreStrength: f.CoreStrength.Value, LinkGbps: f.LinkGbps.Value,
		Sources: map[string]string{},
	}
	for key, n := range map[string]sourced{
		"cores": f.Cores, "core_strength": f.CoreStrength, "link_gbps": f.LinkGbps,
	} {
		if n.Value != 0 && strings.TrimSpace(n.Source) == "" {
			return nil, fmt.Errorf("profile %s: %s: found no source, allowed: who measured or "+
				"said it, and where", path, key)
		}
		p.Sources[key] = n.Source
	}
	return p, p.check(path, f.Cores.Value)
}

// check is written so that NaN fails it.
func (p *Profile) check(path string, cores float64) error {
	switch {
	case !(cores >= 1 && cores <= maxCores && cores == float64(p.Cores)):
		return fmt.Errorf("profile %s: cores: found %v, allowed: 1 to %d", path, cores, maxCores)
	case !(p.CoreStrength >= leastCore && p.CoreStrength <= 1):
		return fmt.Errorf("profile %s: core_strength: found %v, allowed: %v to 1, a share of a "+
			"core of this machine", path, p.CoreStrength, leastCore)
	case !(p.LinkGbps >= 0 && p.LinkGbps <= maxGbps):
		return fmt.Errorf("profile %s: link_gbps: found %v, allowed: up to %d", path, p.LinkGbps,
			maxGbps)
	}
	return nil
}
