// leitai: protocol=json-lines
// A TankCraft bot to begin with: every tank shoots the weakest enemy in range, or goes to a mine that is not ours.
// Its SDK, by name: leitai_tankcraft.go, leitai_viewer.go
package main

func order(state *State, tank Tank) string {
	weakest, goals := (*Tank)(nil), []Cell{}
	for at, enemy := range state.Enemies {
		if InRange(tank, enemy) && (weakest == nil || enemy.Life < weakest.Life) {
			weakest = &state.Enemies[at]
		}
	}
	if weakest != nil {
		Mark("bad", weakest.Cell) // drawn on the viewer of your matches
		return Fire(weakest.Cell)
	}
	for _, mine := range state.Mines {
		if mine.Owner != state.Me {
			goals = append(goals, mine.Cell)
		}
	}
	return state.Towards(tank, goals)
}

func main() { Play([]string{"Striker", "Striker", "Pioneer", "Pioneer", "Sniper"}, order) }
