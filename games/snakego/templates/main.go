// leitai: protocol=json-lines
// A SnakeGo bot to begin with: every snake goes to the nearest item and keeps out of what kills it.
// Its SDK, by name: leitai_snakego.go, leitai_viewer.go
package main

func choose(state *State) string {
	best, most := "", -100000
	for _, action := range state.Legal { // alive first, then a way out, then the way to the nearest item
		cell := state.After(action)
		worth := state.Exits(cell) - 10*state.Nearest(cell)
		if state.IsFree(cell) {
			worth += 10000
		}
		if state.Exits(cell) > 0 {
			worth += 5000
		}
		if worth > most {
			best, most = action, worth
		}
	}
	Line("accent", state.Snake.Cells[0], state.After(best)) // drawn on the viewer of your matches
	return best
}

func main() { Play(choose) }
