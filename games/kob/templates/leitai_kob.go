// King of Bots for bots in Go: Play(choose) asks choose for a direction in every round.
//
// Cells are {row, column} from the upper left, both from 0. What you draw with Mark, Line, Text, Tag and Value
// (leitai_viewer.go) is shown on the viewer of your matches, to you alone. Standard output belongs to the judge: print
// to os.Stderr.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// Directions are "0" up, "1" right, "2" down, "3" left.
var Directions = []string{"0", "1", "2", "3"}

var steps = map[string]Cell{"0": {-1, 0}, "1": {0, 1}, "2": {1, 0}, "3": {0, -1}}

// State is a round before both snakes move.
type State struct {
	Round int
	// Grows tells whether the tails stay in this round.
	Grows bool
	// Legal are the directions to choose from.
	Legal []string
	// Me and Other are cells from head to tail.
	Me, Other []Cell
	// Taken are walls and snakes.
	Taken map[Cell]bool
}

func readState(json []byte, legal []string) *State {
	var view struct {
		Round  int
		Grows  bool
		You    string
		Map    []string
		Snakes []struct {
			Seat  string
			Cells []Cell
		}
	}
	must(json, &view)
	state := &State{Round: view.Round, Grows: view.Grows, Legal: legal, Taken: map[Cell]bool{}}
	for _, snake := range view.Snakes {
		if snake.Seat == view.You {
			state.Me = snake.Cells
		} else {
			state.Other = snake.Cells
		}
		for _, cell := range snake.Cells {
			state.Taken[cell] = true
		}
	}
	for row, line := range view.Map {
		for column, kind := range line {
			if kind == '1' {
				state.Taken[Cell{row, column}] = true
			}
		}
	}
	return state
}

// After is the cell of your head after a move.
func (state *State) After(direction string) Cell { return Step(state.Me[0], direction) }

// Reach is how many free cells can be reached from this one, itself included; 0 if it is taken.
func (state *State) Reach(cell Cell) int {
	seen, open := map[Cell]bool{}, []Cell{}
	visit := func(next Cell) {
		if !seen[next] && !state.Taken[next] {
			seen[next] = true
			open = append(open, next)
		}
	}
	visit(cell)
	for at := 0; at < len(open); at++ {
		for _, direction := range Directions {
			visit(Step(open[at], direction))
		}
	}
	return len(open)
}

// Step is the neighbour of a cell.
func Step(cell Cell, direction string) Cell {
	by := steps[direction]
	return Cell{cell[0] + by[0], cell[1] + by[1]}
}

// Play plays a game: choose gives a direction.
func Play(choose func(state *State) string) {
	answerAll(func(view json.RawMessage, legal []string, _ json.RawMessage) string {
		return choose(readState(view, legal))
	})
}
