module dpukv

go 1.26

require (
	github.com/HdrHistogram/hdrhistogram-go v1.2.0
	github.com/anishathalye/porcupine v1.0.3
	github.com/cespare/xxhash/v2 v2.3.0
	github.com/cilium/ebpf v0.20.0
	github.com/dgryski/go-farm v0.0.0-20240924180020-3414d57e47da
	github.com/go-faster/city v1.0.1
	github.com/goccy/go-yaml v1.19.2
	github.com/panjf2000/gnet/v2 v2.10.0
	github.com/rogpeppe/go-internal v1.14.1
	github.com/spf13/cobra v1.10.2
	github.com/twmb/murmur3 v1.2.2
	github.com/vishvananda/netlink v1.3.1
	github.com/zeebo/xxh3 v1.1.0
	go.uber.org/goleak v1.3.0
	golang.org/x/image v0.30.0
	golang.org/x/sys v0.45.0
	gonum.org/v1/plot v0.17.0
	pgregory.net/rapid v1.2.0
)

require (
	codeberg.org/go-fonts/liberation v0.5.0 // indirect
	codeberg.org/go-latex/latex v0.2.0 // indirect
	codeberg.org/go-pdf/fpdf v0.11.1 // indirect
	git.sr.ht/~sbinet/gg v0.7.0 // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/klauspost/cpuid/v2 v2.2.10 // indirect
	github.com/panjf2000/ants/v2 v2.12.1 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	github.com/vishvananda/netns v0.0.5 // indirect
	go.uber.org/multierr v1.11.0 // indirect
	go.uber.org/zap v1.28.0 // indirect
	golang.org/x/sync v0.17.0 // indirect
	golang.org/x/text v0.28.0 // indirect
	golang.org/x/tools v0.38.0 // indirect
	gopkg.in/natefinch/lumberjack.v2 v2.2.1 // indirect
)
