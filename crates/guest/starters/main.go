// leitai: protocol=json-lines
// A bot to begin with: it plays the first legal action. guide.md says what the view of your game means.
// It reads and answers by leitai_lines.go.
package main

import "encoding/json"

func main() {
	// view is what you see, setup what was known before the game, if you may know it: JSON, for json.Unmarshal.
	answerAll(func(view json.RawMessage, legal []string, setup json.RawMessage) string {
		return legal[0]
	})
}
