package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// grace is how long the database has to end operations that are late, and then each worker to notice.
const grace = time.Second

// slot is a connection with the operations that were bound to it.
type slot struct {
	connection Connection
	bound      map[*Operation]bound
}

// pool has the connections of a driver, and the operations that were checked on the first of them.
type pool struct {
	driver     Driver
	slots      []*slot
	operations map[string]*Operation
}

func newPool(driver Driver) *pool {
	return &pool{driver: driver, operations: map[string]*Operation{}}
}

// open opens connections until there are this many.
func (p *pool) open(number int) error {
	for len(p.slots) < number {
		connection, err := p.driver.Connect()
		if err != nil {
			return err
		}
		p.slots = append(p.slots, &slot{connection, map[*Operation]bound{}})
	}
	return nil
}

// keep closes all connections but the first ones.
func (p *pool) keep(number int) {
	for len(p.slots) > number {
		last := len(p.slots) - 1
		p.slots[last].connection.Close()
		p.slots = p.slots[:last]
	}
}

// check does an operation once on the first connection, with the call of a load, and closes all
// others. It returns what was read, and how many rows were read or written.
func (p *pool) check(sent json.RawMessage) ([][]encoded, int64, error) {
	operation, err := p.known(sent)
	if err != nil {
		return nil, 0, err
	}
	p.keep(1)
	if err := p.open(1); err != nil {
		return nil, 0, err
	}
	first := p.slots[0]
	does, err := first.bind(operation)
	if err != nil {
		return nil, 0, err
	}
	rows, count, err := does.call()
	if err != nil && first.learnNulls(operation) {
		does = first.bound[operation]
		rows, count, err = does.call()
	}
	if err != nil {
		p.keep(0) // the state of the connection is unknown
		return nil, 0, err
	}
	operation.count = count
	return does.rows.encode(rows), count, nil
}

// known returns the operation that was sent: the same one if it was sent before.
func (p *pool) known(sent json.RawMessage) (*Operation, error) {
	operation, err := readOperation(sent)
	if err != nil {
		return nil, err
	}
	if before, known := p.operations[operation.Name]; known && bytes.Equal(before.sent, sent) {
		return before, nil
	}
	p.operations[operation.Name] = operation
	return operation, nil
}

// drive runs workers on an operation that was checked before, each on its own connection. It returns
// those that ended in time, and how many are late.
func (p *pool) drive(asked load) ([]*worker, int, error) {
	operation, known := p.operations[asked.operation]
	if !known {
		return nil, 0, fmt.Errorf("operation %q was not checked", asked.operation)
	}
	if err := p.open(asked.concurrency); err != nil {
		return nil, 0, err
	}
	workers := make([]*worker, asked.concurrency)
	for place, one := range p.slots[:asked.concurrency] {
		does, err := one.bind(operation)
		if err != nil {
			return nil, 0, err
		}
		workers[place] = newWorker(does.call, operation.count)
	}
	late := run(workers, asked.length, asked.overtime)
	if len(late) == 0 {
		p.closeFailed(workers)
		return workers, 0, nil
	}
	p.stop(workers, late)
	var finished []*worker
	for place, one := range workers {
		if !late[place] {
			finished = append(finished, one)
		}
	}
	return finished, len(late), nil
}

// closeFailed closes the first connection on which an operation failed, and those behind it.
func (p *pool) closeFailed(workers []*worker) {
	for place, one := range workers {
		if len(one.faults) > 0 {
			p.keep(place)
			return
		}
	}
}

// stop has the database end what late workers wait for, so that nothing of it runs while others are
// measured, and closes all connections.
func (p *pool) stop(workers []*worker, late map[int]bool) {
	var backends []int64
	for place := range late {
		backends = append(backends, p.slots[place].connection.Backend())
	}
	terminated := make(chan struct{})
	go func() {
		defer close(terminated)
		p.terminate(backends)
	}()
	select {
	case <-terminated:
	case <-time.After(grace):
	}
	for place := range late {
		if !workers[place].ends(grace) {
			p.slots = nil // the database does not answer, and closing might wait for it
		}
	}
	p.keep(0)
}

// terminate has the database end the processes behind connections.
func (p *pool) terminate(backends []int64) {
	connection, err := p.driver.Connect()
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

// bind returns the call of an operation on this connection, which is made once.
func (s *slot) bind(operation *Operation) (bound, error) {
	if before, known := s.bound[operation]; known {
		return before, nil
	}
	made, err := bind(s.connection, operation, operation.nulls)
	if err == nil {
		s.bound[operation] = made
	}
	return made, err
}

// learnNulls reads once with room for nulls in each column. If there are nulls where none were known,
// the operation is bound again with room for those, as its user would have declared it.
func (s *slot) learnNulls(operation *Operation) bool {
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
	for _, row := range does.rows.encode(rows) {
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
