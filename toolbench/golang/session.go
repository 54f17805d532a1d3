package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// question is a line from the harness; its fields depend on what it asks to do.
type question struct {
	Do          string          `json:"do"`
	Driver      string          `json:"driver"`
	Address     Address         `json:"address"`
	Options     Options         `json:"options"`
	Operation   json.RawMessage `json:"operation"`
	Seconds     float64         `json:"seconds"`
	Concurrency int             `json:"concurrency"`
	Overtime    float64         `json:"overtime"`
}

type answer map[string]any

// session is one driver, from the question "open" to the end.
type session struct {
	pool *pool
}

// answer returns the answer to a line, and whether the session goes on.
func (s *session) answer(line []byte) (reply answer, more bool) {
	defer func() {
		if fault := recover(); fault != nil {
			reply, more = answer{"error": inALine(fmt.Errorf("panic: %v", fault))}, true
		}
	}()
	var asked question
	err := json.Unmarshal(line, &asked)
	if err == nil && asked.Do == "end" {
		return nil, false
	}
	if err == nil {
		reply, err = s.do(asked)
	}
	var refusal unsupported
	if errors.As(err, &refusal) {
		return answer{"unsupported": refusal.Error()}, true
	}
	if err != nil {
		return answer{"error": inALine(err)}, true
	}
	return reply, true
}

func (s *session) do(asked question) (answer, error) {
	if asked.Do == "open" {
		return s.open(asked)
	}
	if s.pool == nil {
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
	made := newPool(found.new(asked.Address, asked.Options))
	if err := made.open(1); err != nil {
		return nil, err
	}
	s.pool = made
	return answer{"ready": true}, nil
}

func (s *session) check(asked question) (answer, error) {
	rows, count, err := s.pool.check(asked.Operation)
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
	if asked.Seconds <= 0 || asked.Overtime <= 0 || asked.Concurrency < 1 {
		return nil, errors.New("seconds, overtime and concurrency must be above zero")
	}
	length, overtime := seconds(asked.Seconds), seconds(asked.Overtime)
	workers, late, err := s.pool.drive(load{name, length, overtime, asked.Concurrency})
	if err != nil {
		return nil, err
	}
	return report(workers, late, overtime), nil
}

func seconds(number float64) time.Duration {
	return time.Duration(number * float64(time.Second))
}

func (s *session) close() {
	if s.pool != nil {
		s.pool.keep(0)
	}
	s.pool = nil
}

const longestError = 200

// inALine returns an error as it is reported, without line breaks.
func inALine(err error) string {
	line := strings.Join(strings.Fields(err.Error()), " ")
	if len(line) > longestError {
		line = strings.ToValidUTF8(line[:longestError], "")
	}
	return line
}
