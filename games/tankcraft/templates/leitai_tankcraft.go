// TankCraft for bots in Go: Play(team, order) names five tanks, then asks order for each of them in every round.
//
// Cells are {row, column} from the upper left, both from 1. What you draw with Mark, Line, Text, Tag and Value
// (leitai_viewer.go) is shown on the viewer of your matches, to you alone. Standard output belongs to the judge: print
// to os.Stderr.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

var moves = []string{"GOUP", "GODOWN", "GOLEFT", "GORIGHT"}
var steps = []Cell{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}
var ranges = map[string]int{"Striker": 3, "Pioneer": 1, "Sniper": 5}

// Stop is the order to do nothing.
const Stop = "STOP"

// Tank is a tank of either side.
type Tank struct {
	ID int
	// Type is Striker, Pioneer or Sniper.
	Type string
	Cell Cell
	Life int
}

// Mine is a mine; its owner is R, B, or N for nobody.
type Mine struct {
	Cell  Cell
	Owner byte
}

// State is a round as your side sees it.
type State struct {
	Round int
	// Me is R or B.
	Me byte
	// Terrain are rows of '.' open, '#' stone, '1' and '2' bricks.
	Terrain []string
	Mines   []Mine
	Own     []Tank
	// Enemies are those that are seen and alive.
	Enemies []Tank
}

func readState(json, settings []byte) *State {
	var view struct {
		Round       int
		You, Owners string
		Terrain     []string
		Tanks       []Tank
	}
	var setup struct{ Map []string }
	must(json, &view)
	must(settings, &setup)
	state := &State{Round: view.Round, Me: 'B', Terrain: view.Terrain}
	if view.You == "first" {
		state.Me = 'R'
	}
	for row, line := range setup.Map {
		for column, kind := range line {
			if strings.ContainsRune("rbn", kind) {
				state.Mines = append(state.Mines, Mine{Cell{row + 1, column + 1}, view.Owners[len(state.Mines)]})
			}
		}
	}
	for _, tank := range view.Tanks {
		if (tank.ID < 5) == (state.Me == 'R') {
			state.Own = append(state.Own, tank)
		} else if tank.Life > 0 && tank.Cell[0] > 0 {
			state.Enemies = append(state.Enemies, tank)
		}
	}
	return state
}

// Towards is the order that begins a shortest way to one of these cells, through bricks too, round your other tanks.
func (state *State) Towards(tank Tank, goals []Cell) string {
	type place struct {
		cell  Cell
		first string
	}
	wanted, seen := map[Cell]bool{}, map[Cell]bool{}
	for _, goal := range goals {
		wanted[goal] = true
	}
	for _, own := range state.Own {
		seen[own.Cell] = seen[own.Cell] || own.Life > 0
	}
	seen[tank.Cell] = true
	open := []place{{tank.Cell, Stop}}
	for at := 0; at < len(open); at++ {
		cell, first := open[at].cell, open[at].first
		if first != Stop && wanted[cell] {
			return first
		}
		for way, by := range steps {
			near, order := Cell{cell[0] + by[0], cell[1] + by[1]}, first
			kind := state.TerrainAt(near)
			if kind == '#' || seen[near] {
				continue
			}
			seen[near] = true
			if first == Stop && kind == '.' {
				order = moves[way]
			} else if first == Stop {
				order = Fire(near)
			}
			open = append(open, place{near, order})
		}
	}
	return Stop
}

// TerrainAt is what is on a cell; '#' outside of the board.
func (state *State) TerrainAt(cell Cell) byte {
	rows := state.Terrain
	if cell[0] < 1 || cell[0] > len(rows) || cell[1] < 1 || cell[1] > len(rows[0]) {
		return '#'
	}
	return rows[cell[0]-1][cell[1]-1]
}

// Fire is the order to shoot at a cell.
func Fire(cell Cell) string { return fmt.Sprintf("FIRE:%d:%d", cell[0], cell[1]) }

// InRange tells whether the one can hit the other.
func InRange(tank, other Tank) bool {
	return abs(tank.Cell[0]-other.Cell[0])+abs(tank.Cell[1]-other.Cell[1]) <= ranges[tank.Type]
}

func abs(number int) int {
	if number < 0 {
		return -number
	}
	return number
}

// Play plays a leg with five types: order gives an order for each tank of yours that is alive.
func Play(team []string, order func(state *State, tank Tank) string) {
	answerAll(func(view json.RawMessage, _ []string, setup json.RawMessage) string {
		var begins struct{ Round int }
		if must(view, &begins); begins.Round == 0 {
			return "Team;" + strings.Join(team, ";")
		}
		state, orders := readState(view, setup), []string{}
		for _, tank := range state.Own {
			own := Stop
			if tank.Life > 0 {
				own = order(state, tank)
			}
			orders = append(orders, own)
		}
		return strings.Join(orders, ";")
	})
}
