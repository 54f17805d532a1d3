package main

import (
	"fmt"
	"time"
)

const (
	// An operation that is under way when the time is up is waited for so long.
	patience = 5 * time.Second
	// After so many a worker has shown what there is to see.
	mostFaults = 1000
	// Room for marks that is there before the first one.
	marksAtFirst = 4096
)

// worker does one operation after the other. `marks` are readings of the clock: its begin, then the
// end of each operation; `faults` are those that failed, by their place in it, or gave another `count`
// of rows than when they were checked. Once `ended` is closed, nothing of it changes any more.
type worker struct {
	call   Call
	count  int64
	marks  []time.Duration
	faults map[int]string
	ended  chan struct{}
}

func newWorker(call Call, count int64) *worker {
	marks := make([]time.Duration, 0, marksAtFirst)
	return &worker{call, count, marks, map[int]string{}, make(chan struct{})}
}

// work begins operations until the time is up.
func (w *worker) work(start time.Time, until time.Duration) {
	defer close(w.ended)
	now := time.Since(start)
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

// ends waits for a worker so long, and says whether that was enough.
func (w *worker) ends(within time.Duration) bool {
	select {
	case <-w.ended:
		return true
	case <-time.After(within):
		return false
	}
}

// run has all workers work, each in a goroutine; they begin together. It returns the places of those
// that are late: what they noted may still change.
func run(workers []*worker, seconds float64) map[int]bool {
	length := time.Duration(seconds * float64(time.Second))
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
		if !one.ends(time.Until(start.Add(length + patience))) {
			late[place] = true
		}
	}
	return late
}
