// A bot: one JSON message a line comes in on stdin, one goes out on stdout. choose is yours to change.
// What a view holds, and what actions mean, is on the page of the game: type `arena rules GAME`.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// message holds the fields of every kind of message; those that it does not have stay empty.
type message struct {
	Match  int            `json:"match"`
	Turn   int            `json:"turn"`
	View   map[string]any `json:"view"`
	Events []string       `json:"events"`
	Legal  []string       `json:"legal"`
	Side   int            `json:"side"`
	Seed   uint64         `json:"seed"`
	Places []float64      `json:"places"`
	Kind   string         `json:"kind"`
	Detail string         `json:"detail"`
}

type hello struct {
	Type     string `json:"type"`
	Protocol int    `json:"protocol"`
	Name     string `json:"name"`
}

type action struct {
	Type   string `json:"type"`
	Match  int    `json:"match"`
	Turn   int    `json:"turn"`
	Action string `json:"action"`
}

// choose answers a question with one of the legal actions; this bot takes the first.
//
// question.View is all that your seat may know, such as question.View["hand"]; question.Events tells what
// the others did since you were last asked.
func choose(question message) string {
	return question.Legal[0]
}

// read fills in what a line says; one that does not fit ends the bot.
func read(line []byte, into any) {
	if err := json.Unmarshal(line, into); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20) // a message has up to 65536 bytes, more than a Scanner takes unasked
	say := json.NewEncoder(os.Stdout)
	side := 0

	// Load what you need before this line: hello says "I am ready".
	say.Encode(hello{"hello", 1, "go"})
	for lines.Scan() { // ends when the arena is gone
		var kind struct {
			Type string `json:"type"`
		}
		var heard message
		read(lines.Bytes(), &kind)
		switch kind.Type {
		case "start": // has a Seed for your own randomness, too
			read(lines.Bytes(), &heard)
			side = heard.Side
		case "decide":
			read(lines.Bytes(), &heard)
			say.Encode(action{"action", heard.Match, heard.Turn, choose(heard)})
		case "end": // what is printed to stderr is kept for your eyes
			read(lines.Bytes(), &heard)
			fmt.Fprintln(os.Stderr, "place", heard.Places[side])
		case "fault":
			read(lines.Bytes(), &heard)
			fmt.Fprintf(os.Stderr, "fault %s: %s\n", heard.Kind, heard.Detail)
		case "bye":
			return
		} // a type it does not know is a later arena's: to be ignored
	}
}
