
// answerAll answers every question of the judge with what decide gives; view and setup are JSON.
func answerAll(decide func(view json.RawMessage, legal []string, setup json.RawMessage) string) {
	setup := json.RawMessage("{}")
	for input := bufio.NewReader(os.Stdin); ; {
		line, ended := input.ReadBytes('\n')
		if ended != nil {
			return
		}
		var message struct {
			Type        string
			Setup, View json.RawMessage
			Legal       []string
		}
		must(line, &message)
		switch message.Type {
		case "start":
			setup = message.Setup
		case "turn":
			fmt.Printf("{\"action\":\"%s\"}\n", decide(message.View, message.Legal, setup))
		}
	}
}

// must reads JSON, where null or nothing leaves what is there.
func must(text []byte, into interface{}) {
	if wrong := json.Unmarshal(text, into); wrong != nil && len(text) > 0 {
		panic(wrong)
	}
}
