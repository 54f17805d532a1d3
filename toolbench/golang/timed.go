package main

import "time"

const (
	// An operation that is under way when the time is up is waited for so long.
	patience = 5 * time.Second
	// After so many a worker has shown what there is to see.
	mostFaults = 1000
	// Room for marks that is there before the first one.
	marksAtFirst = 4096
)

// worker does one operation after the other. `marks` are readings of the clock: its begin, then the
// end of each operation; `faults` are those that failed, by their place in it.
type worker struct {
	call   Call
	marks  []time.Duration
	faults map[int]string
}

func newWorker(call Call) *worker {
	return &worker{call, make([]time.Duration, 0, marksAtFirst), map[int]string{}}
}

// work begins operations until the time is up.
func (w *worker) work(start time.Time, until time.Duration) {
	now := time.Since(start)
	w.marks = append(w.marks, now)
	for now < until {
		if _, err := w.call(); err != nil {
			if len(w.faults) == mostFaults {
				return
			}
			w.faults[len(w.marks)] = inALine(err)
		}
		now = time.Since(start)
		w.marks = append(w.marks, now)
	}
}

// run has all workers work, each in a goroutine; they begin together. It returns those that ended in
// time: what the others noted may still change.
func run(workers []*worker, seconds float64) []*worker {
	length := time.Duration(seconds * float64(time.Second))
	ended := make(chan *worker, len(workers))
	gate := make(chan time.Time)
	for _, one := range workers {
		go func(one *worker) {
			one.work(<-gate, length)
			ended <- one
		}(one)
	}
	start := time.Now()
	for range workers {
		gate <- start
	}
	late := time.After(length + patience)
	var finished []*worker
	for range workers {
		select {
		case one := <-ended:
			finished = append(finished, one)
		case <-late:
			return finished
		}
	}
	return finished
}
