module dpukv/bench

go 1.26

require (
	dpukv v0.0.0
	github.com/VictoriaMetrics/fastcache v1.13.0
	github.com/go-faster/city v1.0.1
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/golang/snappy v1.0.0 // indirect
	golang.org/x/sys v0.45.0 // indirect
)

replace dpukv => ../
