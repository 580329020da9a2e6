// Package images draws the pictures of the documentation again, from the committed runs below
// examples/runs.
//
//	docs/img/placements.png       a figure of examples/runs/placements
//	docs/img/mica-p99.png         the figure of examples/runs/one-machine
//	docs/img/report.png           the report of examples/runs/three-stores, in Chromium
//	docs/img/hash-16B-latency.png the hash functions of examples/runs/one-machine
//
// "make figures" writes them. The test compares the figures byte by byte with the code's, so that
// a picture never shows what dpukv no longer draws. Chromium's picture depends on its version and
// fonts: the test only makes sure that the report can be drawn.
package images
