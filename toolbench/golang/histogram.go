package main

import (
	"fmt"
	"math"
	"sort"
	"syscall"
	"time"
)

// report returns the answer to "drive", computed from the workers' notes when the time is up. It has
// the operations that succeeded, the seconds from the first one's begin to the last one's end, errors
// by kind, latencies in nanoseconds, their histogram with upper bounds in microseconds, and the CPU
// time that computing all this took.
func report(workers []*worker, late int, overtime time.Duration) answer {
	stopped := cpuTime()
	var took []int64
	errors := map[string]int{}
	for _, one := range workers {
		took = append(took, latencies(one)...)
		for _, fault := range one.faults {
			errors[fault]++
		}
	}
	if late > 0 {
		errors[fmt.Sprintf("not answered within %g s", overtime.Seconds())] = late
	}
	made := answer{
		"operations": len(took),
		"seconds":    span(workers).Seconds(),
		"errors":     errors,
		"latency_ns": figures(took),
		"histogram":  histogram(took),
		"late":       late,
	}
	made["beside_ns"] = cpuTime() - stopped
	return made
}

// latencies returns the nanoseconds of the operations that succeeded.
func latencies(one *worker) []int64 {
	found := make([]int64, 0, len(one.marks))
	for place := 1; place < len(one.marks); place++ {
		if _, failed := one.faults[place]; !failed {
			found = append(found, int64(one.marks[place]-one.marks[place-1]))
		}
	}
	return found
}

// span returns the time from the first begin to the last end.
func span(workers []*worker) time.Duration {
	if len(workers) == 0 {
		return 0
	}
	begin, end := workers[0].marks[0], time.Duration(0)
	for _, one := range workers {
		if one.marks[0] < begin {
			begin = one.marks[0]
		}
		if last := one.marks[len(one.marks)-1]; last > end {
			end = last
		}
	}
	return end - begin
}

// figures returns least, mean, largest and standard deviation of the whole population.
func figures(took []int64) map[string]float64 {
	if len(took) == 0 {
		return map[string]float64{}
	}
	least, most, sum := took[0], took[0], int64(0)
	for _, one := range took {
		if one < least {
			least = one
		}
		if one > most {
			most = one
		}
		sum += one
	}
	mean := float64(sum) / float64(len(took))
	squares := 0.0
	for _, one := range took {
		squares += (float64(one) - mean) * (float64(one) - mean)
	}
	return map[string]float64{
		"min":       float64(least),
		"mean":      mean,
		"max":       float64(most),
		"deviation": math.Sqrt(squares / float64(len(took))),
	}
}

// histogram returns pairs (upper bound in microseconds, count), ascending.
func histogram(took []int64) [][2]any {
	counts := map[int64]int{}
	for _, one := range took {
		counts[upper(one)]++
	}
	bounds := make([]int64, 0, len(counts))
	for bound := range counts {
		bounds = append(bounds, bound)
	}
	sort.Slice(bounds, func(i, j int) bool { return bounds[i] < bounds[j] })
	found := make([][2]any, len(bounds))
	for place, bound := range bounds {
		found[place] = [2]any{float64(bound) / 1000, counts[bound]}
	}
	return found
}

// upper returns the least number of three digits, and zeros, that is not below it.
func upper(nanoseconds int64) int64 {
	step := int64(1)
	for step*1000 <= nanoseconds {
		step *= 10
	}
	return (nanoseconds + step - 1) / step * step
}

// cpuTime returns the CPU time that this process has used, in nanoseconds.
func cpuTime() int64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return used.Utime.Nano() + used.Stime.Nano()
}
