// leitai: protocol=json-lines
// A King of Bots bot to begin with: it goes where the most free cells can be reached.
// Its SDK, by name: leitai_kob.go, leitai_viewer.go
package main

func choose(state *State) string {
	best, most := "", -1
	for _, direction := range state.Legal {
		if room := state.Reach(state.After(direction)); room > most {
			best, most = direction, room
		}
	}
	Value("room", float64(most)) // plotted on the viewer of your matches
	return best
}

func main() { Play(choose) }
