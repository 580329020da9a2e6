package results
import ("testing";"os";"fmt")
func TestZZView(t *testing.T) {
	base := "/tmp/dpukv-view"
	os.RemoveAll(base)
	for name, pts := range map[string][]Point{"sweep": sweepPoints(), "local": localPoints(), "one": localPoints()[:12]} {
	for _, logy := range []bool{false,true} {
		w, err := Create(fmt.Sprintf("%s/%s-%v", base, name, logy), []byte("x"), nil)
		if err != nil { t.Fatal(err) }
		w.AppendEnv(map[string]any{"cpus":2,"cpu_model":"AMD EPYC 9R14"})
		for i := range pts { if err := w.Append(&pts[i], nil); err != nil { t.Fatal(err) } }
		ms, _ := ParseMeasures("p50,p99")
		d, err := w.DrawFigures(FigureOptions{Measures: ms, LogY: logy})
		fmt.Println(d, err)
		w.Close()
	}}
}
