// JSON lines for bots in Go.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)
