package subject

import (
	"os"
	"strconv"
	"strings"
)

// planted are the slow-downs of the figures. Each belongs to one thread.
var planted = parsePlants(os.Getenv(PlantEnv))

// plant owes its thread a part of a loop.
type plant struct {
	perOp, owed float64
	spun        uint64
	_           [40]byte // a line of its own
}

func parsePlants(text string) (list []plant) {
	if text == "" {
		return nil
	}
	for of := range strings.SplitSeq(text, ",") {
		perOp, err := strconv.ParseFloat(of, 64)
		if err != nil {
			panic(PlantEnv + ": " + err.Error())
		}
		list = append(list, plant{perOp: perOp})
	}
	return list
}

// ofCore tells that this process serves a subject of this kind.
var ofCore bool

// SpinServer is the slow-down of a server's operations. A core subject is slowed by its driver.
func SpinServer(ops int) {
	if !ofCore {
		Spin(0, ops)
	}
}

// Spin is the slow-down of so many operations, where one is planted.
func Spin(figure, ops int) {
	if figure < len(planted) {
		planted[figure].spin(ops)
	}
}

func (p *plant) spin(ops int) {
	p.owed += p.perOp * float64(ops)
	loops := int(p.owed)
	p.owed -= float64(loops)
	p.spun = Loop(loops, p.spun)
}

// Loop does steps of which each waits for the one before. Where nobody needs its result, an inlined
// loop would be empty.
//
//go:noinline
func Loop(steps int, x uint64) uint64 {
	for range steps {
		x = x*6364136223846793005 + 1
	}
	return x
}
