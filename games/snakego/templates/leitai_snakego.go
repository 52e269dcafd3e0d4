// SnakeGo for bots in Go: Play(choose) asks choose for an action whenever one of your snakes has to act.
//
// Cells are {x, y} from the lower left, both from 0. What you draw with Mark, Line, Text, Tag and Value
// (leitai_viewer.go) is shown on the viewer of your matches, to you alone. Standard output belongs to the judge: print
// to os.Stderr.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// Moves are "1" +x, "2" +y, "3" -x, "4" -y; "5", a ray, and "6", a split, are no steps.
var Moves = []string{"1", "2", "3", "4"}

var steps = map[string]Cell{"1": {1, 0}, "2": {0, 1}, "3": {-1, 0}, "4": {0, -1}}

// Snake is a snake of either side.
type Snake struct {
	ID   int
	Seat string
	Mine bool
	// Bank is how many cells it will still grow.
	Bank int
	Ray  bool
	// Cells are from head to tail.
	Cells []Cell
}

// Item lies on the board.
type Item struct {
	X, Y int
	// Type 0 grows by Param cells, 2 brings a ray.
	Type, Param int
	// Expires is the last round in which it lies there.
	Expires int
}

// Cell is where it lies.
func (item Item) Cell() Cell { return Cell{item.X, item.Y} }

// State is a moment in which one of your snakes acts.
type State struct {
	Length, Width, Round, Rounds int
	// Legal are the actions to choose from.
	Legal []string
	// Snake is the one that acts.
	Snake               Snake
	Snakes              []Snake
	Items               []Item
	MyWalls, OtherWalls []Cell
	// Taken are walls and snakes.
	Taken map[Cell]bool
}

func readState(json []byte, legal []string, setup []byte) *State {
	var view struct {
		Round, Rounds, Snake int
		You                  string
		Snakes               []Snake
		Items                []Item
		Walls                [2][]Cell
	}
	must(json, &view)
	state := &State{Length: 16, Width: 16, Round: view.Round, Rounds: view.Rounds, Legal: legal}
	var size = struct{ Length, Width *int }{&state.Length, &state.Width}
	must(setup, &size)
	state.Snakes, state.Items, state.Taken = view.Snakes, view.Items, map[Cell]bool{}
	state.MyWalls, state.OtherWalls = view.Walls[0], view.Walls[1]
	if view.You != "first" {
		state.MyWalls, state.OtherWalls = view.Walls[1], view.Walls[0]
	}
	taken := append(append([]Cell{}, view.Walls[0]...), view.Walls[1]...)
	for at := range state.Snakes {
		snake := &state.Snakes[at]
		snake.Mine = snake.Seat == view.You
		taken = append(taken, snake.Cells...)
		if snake.ID == view.Snake {
			state.Snake = *snake
		}
	}
	for _, cell := range taken {
		state.Taken[cell] = true
	}
	return state
}

// After is the cell of the head after an action; a ray and a split leave it where it is.
func (state *State) After(action string) Cell { return Step(state.Snake.Cells[0], action) }

// IsFree tells whether it is on the board, and neither wall nor snake.
func (state *State) IsFree(cell Cell) bool {
	inside := cell[0] >= 0 && cell[0] < state.Length && cell[1] >= 0 && cell[1] < state.Width
	return inside && !state.Taken[cell]
}

// Exits is how many neighbours of a cell are free.
func (state *State) Exits(cell Cell) int {
	count := 0
	for _, move := range Moves {
		if state.IsFree(Step(cell, move)) {
			count++
		}
	}
	return count
}

// Nearest is the distance from a cell to the nearest item; 99 where there is none.
func (state *State) Nearest(cell Cell) int {
	nearest := 99
	for _, item := range state.Items {
		if far := Distance(cell, item.Cell()); far < nearest {
			nearest = far
		}
	}
	return nearest
}

// Step is the neighbour of a cell.
func Step(cell Cell, action string) Cell {
	by := steps[action]
	return Cell{cell[0] + by[0], cell[1] + by[1]}
}

// Distance is the steps between two cells on an empty board.
func Distance(one, other Cell) int { return abs(one[0]-other[0]) + abs(one[1]-other[1]) }

func abs(number int) int {
	if number < 0 {
		return -number
	}
	return number
}

// Play plays a leg: choose gives an action.
func Play(choose func(state *State) string) {
	answerAll(func(view json.RawMessage, legal []string, setup json.RawMessage) string {
		return choose(readState(view, legal, setup))
	})
}
