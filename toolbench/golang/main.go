// The runner of Go's drivers: JSON lines on stdin and stdout (docs/adding-a-driver.md). With `-built` it
// prints what it was built from.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "-built" {
		if err := json.NewEncoder(os.Stdout).Encode(built()); err != nil {
			os.Exit(1)
		}
		return
	}
	// As many threads run Go code as there are cores that this process was started on.
	runtime.GOMAXPROCS(runtime.NumCPU())
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	go func() {
		<-stop
		// The kernel closes the connections of a process that ends, also those that wait.
		os.Exit(0)
	}()
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "runner:", inALine(err))
		os.Exit(1)
	}
}

// serve answers line after line, until the last one or until it is asked to end.
func serve(input io.Reader, output io.Writer) error {
	lines := bufio.NewReader(input)
	answers := json.NewEncoder(output)
	answers.SetEscapeHTML(false)
	var here session
	defer here.close()
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		reply, more := here.answer(line)
		if !more {
			return nil
		}
		if err := answers.Encode(reply); err != nil {
			return err
		}
	}
}
