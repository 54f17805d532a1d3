package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// question is a line of the contract; which fields it has depends on what is to be done.
type question struct {
	Do          string          `json:"do"`
	Driver      string          `json:"driver"`
	Address     Address         `json:"address"`
	Options     Options         `json:"options"`
	Operation   json.RawMessage `json:"operation"`
	Seconds     float64         `json:"seconds"`
	Concurrency int             `json:"concurrency"`
}

type answer map[string]any

// session is one driver, from the question "open" to the end.
type session struct {
	crew *crew
}

// answer says what is answered to a line, and whether there are more to come.
func (s *session) answer(line []byte) (said answer, more bool) {
	defer func() {
		if fault := recover(); fault != nil {
			said, more = answer{"error": inALine(fmt.Errorf("panic: %v", fault))}, true
		}
	}()
	var asked question
	err := json.Unmarshal(line, &asked)
	if err == nil && asked.Do == "end" {
		return nil, false
	}
	if err == nil {
		said, err = s.do(asked)
	}
	var refusal unsupported
	if errors.As(err, &refusal) {
		return answer{"unsupported": refusal.Error()}, true
	}
	if err != nil {
		return answer{"error": inALine(err)}, true
	}
	return said, true
}

func (s *session) do(asked question) (answer, error) {
	if asked.Do == "open" {
		return s.open(asked)
	}
	if s.crew == nil {
		return nil, errors.New("nothing is open")
	}
	switch asked.Do {
	case "check":
		return s.check(asked)
	case "drive":
		return s.drive(asked)
	}
	return nil, fmt.Errorf("unknown question %q", asked.Do)
}

func (s *session) open(asked question) (answer, error) {
	found, known := drivers[asked.Driver]
	if !known {
		return nil, fmt.Errorf("there is no driver %q in Go", asked.Driver)
	}
	s.close()
	made := newCrew(found.new(asked.Address, asked.Options))
	if err := made.open(1); err != nil {
		return nil, err
	}
	s.crew = made
	return answer{"ready": true}, nil
}

func (s *session) check(asked question) (answer, error) {
	rows, count, err := s.crew.check(asked.Operation)
	if err != nil {
		return nil, err
	}
	return answer{"rows": rows, "count": count}, nil
}

func (s *session) drive(asked question) (answer, error) {
	var name string
	if err := json.Unmarshal(asked.Operation, &name); err != nil {
		return nil, fmt.Errorf("no name of an operation: %w", err)
	}
	if asked.Seconds <= 0 || asked.Concurrency < 1 {
		return nil, errors.New("seconds and concurrency must be above zero")
	}
	workers, late, err := s.crew.drive(name, asked.Seconds, asked.Concurrency)
	if err != nil {
		return nil, err
	}
	return report(workers, late), nil
}

func (s *session) close() {
	if s.crew != nil {
		s.crew.keep(0)
	}
	s.crew = nil
}

const longest = 200

// inALine is an error as it is reported.
func inALine(err error) string {
	line := strings.Join(strings.Fields(err.Error()), " ")
	if len(line) > longest {
		line = strings.ToValidUTF8(line[:longest], "")
	}
	return line
}
