package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// So long the database has to end what is late, and then the worker to see it.
const mercy = time.Second

// seat is a connection, with the operations that were bound on it.
type seat struct {
	connection Connection
	bound      map[*Operation]bound
}

// crew is the connections of a driver, and the operations that were checked on the first of them.
type crew struct {
	driver     Driver
	seats      []*seat
	operations map[string]*Operation
}

func newCrew(driver Driver) *crew {
	return &crew{driver: driver, operations: map[string]*Operation{}}
}

// open has so many connections at least.
func (c *crew) open(number int) error {
	for len(c.seats) < number {
		connection, err := c.driver.Connect()
		if err != nil {
			return err
		}
		c.seats = append(c.seats, &seat{connection, map[*Operation]bound{}})
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
}

// check does an operation once on the first connection, by the call that a drive does there, and
// closes the others: who waits for a turn holds one connection. It says what was read, and how many
// rows were read or written.
func (c *crew) check(sent json.RawMessage) ([][]tagged, int64, error) {
	operation, err := c.known(sent)
	if err != nil {
		return nil, 0, err
	}
	c.keep(1)
	if err := c.open(1); err != nil {
		return nil, 0, err
	}
	first := c.seats[0]
	does, err := first.bind(operation)
	if err != nil {
		return nil, 0, err
	}
	rows, count, err := does.call()
	if err != nil && first.learn(operation) {
		does = first.bound[operation]
		rows, count, err = does.call()
	}
	if err != nil {
		c.keep(0) // what the connection is worth now is not known
		return nil, 0, err
	}
	operation.count = count
	return does.rows.told(rows), count, nil
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

// drive has so many workers do an operation that was checked before, each on its own connection. It
// returns those that ended in time, and how many are late.
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
		does, err := one.bind(operation)
		if err != nil {
			return nil, 0, err
		}
		workers[place] = newWorker(does.call, operation.count)
	}
	late := run(workers, seconds)
	if len(late) == 0 {
		c.replace(workers)
		return workers, 0, nil
	}
	c.stop(workers, late)
	var finished []*worker
	for place, one := range workers {
		if !late[place] {
			finished = append(finished, one)
		}
	}
	return finished, len(late), nil
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

// stop has the database end what late workers wait for, so that nothing goes on there or here while
// others are measured, and closes all connections.
func (c *crew) stop(workers []*worker, late map[int]bool) {
	var backends []int64
	for place := range late {
		backends = append(backends, c.seats[place].connection.Backend())
	}
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		c.terminate(backends)
	}()
	select {
	case <-asked:
	case <-time.After(mercy):
	}
	for place := range late {
		if !workers[place].ends(mercy) {
			c.seats = nil // the database answers nobody, and to close them might wait for it
		}
	}
	c.keep(0)
}

// terminate has the database end the processes behind connections.
func (c *crew) terminate(backends []int64) {
	connection, err := c.driver.Connect()
	if err != nil {
		return
	}
	defer connection.Close()
	for _, backend := range backends {
		asked := &Operation{SQL: "select pg_terminate_backend($1)", Args: []any{backend}}
		if call, err := connection.Execute(asked); err == nil {
			_, _, _ = call()
		}
	}
}

// bind makes the call of an operation on this connection, once.
func (s *seat) bind(operation *Operation) (bound, error) {
	if before, known := s.bound[operation]; known {
		return before, nil
	}
	made, err := bind(s.connection, operation, operation.nulls)
	if err == nil {
		s.bound[operation] = made
	}
	return made, err
}

// learn reads once with room for nulls everywhere. Where that finds some that were not known, the
// operation is bound anew with room for them, and for no others: as its user would have declared it.
func (s *seat) learn(operation *Operation) bool {
	if !operation.reads() {
		return false
	}
	nulls := make([]bool, len(operation.Columns))
	everywhere := make([]bool, len(operation.Columns))
	for place := range everywhere {
		everywhere[place] = true
	}
	does, err := bind(s.connection, operation, everywhere)
	if err != nil {
		return false
	}
	rows, _, err := does.call()
	if err != nil {
		return false
	}
	for _, row := range does.rows.told(rows) {
		for place, value := range row {
			nulls[place] = nulls[place] || value[0] == null[0]
		}
	}
	if reflect.DeepEqual(nulls, operation.nulls) {
		return false
	}
	operation.nulls = nulls
	delete(s.bound, operation)
	_, err = s.bind(operation)
	return err == nil
}
