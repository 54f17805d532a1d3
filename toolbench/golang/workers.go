package main

import (
	"fmt"
	"time"
)

const (
	// A worker stops after this many errors.
	mostFaults = 1000
	// Marks that a worker has room for before it begins.
	firstMarks = 4096
)

// load is what a question "drive" asks for; an operation that is under way when the length is over
// is waited for, no longer than the overtime.
type load struct {
	operation   string
	length      time.Duration
	overtime    time.Duration
	concurrency int
}

// worker does one operation after the other. `marks` are readings of the clock: when it began, then
// the end of each operation. `faults` are the operations that failed, by their place in marks, or that
// had another `count` of rows than in the check. Once `ended` is closed, the notes do not change.
type worker struct {
	call   Call
	count  int64
	marks  []time.Duration
	faults map[int]string
	ended  chan struct{}
}

func newWorker(call Call, count int64) *worker {
	marks := make([]time.Duration, 0, firstMarks)
	return &worker{call, count, marks, map[int]string{}, make(chan struct{})}
}

// work starts operations until the length is over, which begins with the first of them.
func (w *worker) work(start time.Time, length time.Duration) {
	defer close(w.ended)
	now := time.Since(start)
	until := now + length
	w.marks = append(w.marks, now)
	for now < until {
		_, count, err := w.call()
		if err == nil && count != w.count {
			err = fmt.Errorf("%d rows, and %d when it was checked", count, w.count)
		}
		if err != nil {
			if len(w.faults) == mostFaults {
				return
			}
			w.faults[len(w.marks)] = inALine(err)
		}
		now = time.Since(start)
		w.marks = append(w.marks, now)
	}
}

// ends waits for a worker, and returns whether it ended within that time.
func (w *worker) ends(within time.Duration) bool {
	select {
	case <-w.ended:
		return true
	case <-time.After(within):
		return false
	}
}

// run runs the workers in goroutines, which begin together. It returns the places of those that are
// late: their notes may still change.
func run(workers []*worker, length, overtime time.Duration) map[int]bool {
	gate := make(chan time.Time)
	for _, one := range workers {
		go func(one *worker) { one.work(<-gate, length) }(one)
	}
	start := time.Now()
	for range workers {
		gate <- start
	}
	late := map[int]bool{}
	for place, one := range workers {
		if !one.ends(time.Until(start.Add(length + overtime))) {
			late[place] = true
		}
	}
	return late
}
