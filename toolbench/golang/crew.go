package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// seat is a connection, with the calls that were bound on it for drives.
type seat struct {
	connection Connection
	calls      map[*Operation]Call
}

// crew is the connections of a driver, and the operations that were checked on the first of them.
type crew struct {
	driver     Driver
	seats      []*seat
	operations map[string]*Operation
	// Those of the checks, on the first connection: they take nulls everywhere.
	checks map[*Operation]*checked
}

// checked is the call of a check, with what it reads.
type checked struct {
	call   Call
	reader *reader
}

func newCrew(driver Driver) *crew {
	return &crew{driver: driver, operations: map[string]*Operation{}, checks: map[*Operation]*checked{}}
}

// open has so many connections at least.
func (c *crew) open(number int) error {
	for len(c.seats) < number {
		connection, err := c.driver.Connect()
		if err != nil {
			return err
		}
		c.seats = append(c.seats, &seat{connection, map[*Operation]Call{}})
	}
	return nil
}

// keep closes all connections but the first ones.
func (c *crew) keep(number int) {
	for len(c.seats) > number {
		last := len(c.seats) - 1
		c.seats[last].connection.Close()
		c.seats = c.seats[:last]
	}
	if number == 0 {
		c.checks = map[*Operation]*checked{}
	}
}

// check does an operation once on the first connection, and closes the others: who waits for a turn
// holds one connection. It says what was read, and how many rows were read or written.
func (c *crew) check(sent json.RawMessage) ([][]tagged, int64, error) {
	operation, err := c.known(sent)
	if err != nil {
		return nil, 0, err
	}
	c.keep(1)
	if err := c.open(1); err != nil {
		return nil, 0, err
	}
	bound, err := c.bindCheck(operation)
	if err != nil {
		return nil, 0, err
	}
	rows := [][]tagged{}
	bound.reader.row = func() { rows = append(rows, bound.reader.values()) }
	count, err := bound.call()
	if err != nil {
		c.keep(0) // what the connection is worth now is not known
		return nil, 0, err
	}
	c.learn(operation, rows)
	return rows, count, nil
}

// known is the operation that was sent, the same one as before where it was sent before.
func (c *crew) known(sent json.RawMessage) (*Operation, error) {
	operation, err := readOperation(sent)
	if err != nil {
		return nil, err
	}
	if before, known := c.operations[operation.Name]; known && bytes.Equal(before.sent, sent) {
		return before, nil
	}
	c.operations[operation.Name] = operation
	return operation, nil
}

func (c *crew) bindCheck(operation *Operation) (*checked, error) {
	if bound, known := c.checks[operation]; known {
		return bound, nil
	}
	everywhere := make([]bool, len(operation.Columns))
	for place := range everywhere {
		everywhere[place] = true
	}
	connection := c.seats[0].connection
	rows, call, err := bindReader(connection, operation, everywhere)
	if err != nil {
		return nil, err
	}
	bound := &checked{call, rows}
	c.checks[operation] = bound
	return bound, nil
}

// learn notes which columns have nulls; calls that were bound for others are made anew.
func (c *crew) learn(operation *Operation, rows [][]tagged) {
	nulls := make([]bool, len(operation.Columns))
	for _, row := range rows {
		for place, value := range row {
			nulls[place] = nulls[place] || value[0] == null[0]
		}
	}
	if !reflect.DeepEqual(nulls, operation.nulls) {
		operation.nulls = nulls
		for _, one := range c.seats {
			delete(one.calls, operation)
		}
	}
}

// drive has so many workers do an operation that was checked before, each on its own connection.
// Connections of workers that are late are given up.
func (c *crew) drive(name string, seconds float64, concurrency int) ([]*worker, int, error) {
	operation, known := c.operations[name]
	if !known {
		return nil, 0, fmt.Errorf("operation %q was not checked", name)
	}
	if err := c.open(concurrency); err != nil {
		return nil, 0, err
	}
	workers := make([]*worker, concurrency)
	for place, one := range c.seats[:concurrency] {
		call, err := one.bound(operation)
		if err != nil {
			return nil, 0, err
		}
		workers[place] = newWorker(call)
	}
	finished := run(workers, seconds)
	if late := len(workers) - len(finished); late > 0 {
		// Nobody knows what they are in the middle of, and closing might wait for them.
		c.seats, c.checks = nil, map[*Operation]*checked{}
		return finished, late, nil
	}
	c.replace(workers)
	return finished, 0, nil
}

// replace closes the connections after the first one on which something failed: what they are worth
// is not known.
func (c *crew) replace(workers []*worker) {
	for place, one := range workers {
		if len(one.faults) > 0 {
			c.keep(place)
			return
		}
	}
}

// bound is the call of an operation on this connection.
func (s *seat) bound(operation *Operation) (Call, error) {
	if call, known := s.calls[operation]; known {
		return call, nil
	}
	_, call, err := bindReader(s.connection, operation, operation.nulls)
	if err == nil {
		s.calls[operation] = call
	}
	return call, err
}

func bindReader(connection Connection, operation *Operation, nulls []bool) (*reader, Call, error) {
	if operation.Kind != "query" {
		call, err := bind(connection, operation, nil)
		return &reader{}, call, err
	}
	rows, err := newReader(connection, operation.Columns, nulls)
	if err != nil {
		return nil, nil, err
	}
	call, err := bind(connection, operation, rows)
	return rows, call, err
}
