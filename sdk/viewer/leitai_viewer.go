// Draws on the viewer of your matches: copy this file beside your bot, then
//
//	Mark("bad", Cell{3, 4}, Cell{3, 5})
//	Value("danger", 0.7)
//
// Only you see it. Cells are numbered as in the game's rules. docs/remarks.md
package main

import (
	"encoding/json"
	"os"
)

// Cell is a cell of the board by its two numbers, in the order of the game's rules.
type Cell [2]int

// Mark marks cells; the tone is accent, good or bad.
func Mark(tone string, cells ...Cell) { show(map[string]interface{}{"mark": cells, "tone": tone}) }

// Line draws a line through cells, two at least.
func Line(tone string, cells ...Cell) { show(map[string]interface{}{"line": cells, "tone": tone}) }

// Text is a text of this turn.
func Text(words string) { show(map[string]interface{}{"text": words}) }

// Value is a number that is plotted over the leg under its name. It must be finite.
func Value(name string, number float64) {
	show(map[string]interface{}{"value": map[string]float64{name: number}})
}

// Tag is a word to search for.
func Tag(word string) { show(map[string]interface{}{"tag": word}) }

func show(what map[string]interface{}) {
	said, _ := json.Marshal(what)
	os.Stderr.WriteString("#leitai " + string(said) + "\n")
}
