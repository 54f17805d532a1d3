package main

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Rows are what a user of Go keeps them as: structs with a field for each column, `[]*Row`. Operations
// are data, so the struct is made when one is bound. That takes `unsafe`, and then a row costs what it
// costs who wrote the struct down: it is made, and `&row.Name, &row.Owner, ...` are scanned into.

// shape is the struct of an operation's rows on one connection.
type shape struct {
	form    reflect.Type
	fields  []field
	offsets []uintptr
	// Of the row that next made last: what Scan takes.
	targets []any
}

// newShape has a field for each column; those at `nulls` take nulls.
func newShape(connection Connection, columns [][2]string, nulls []bool) (*shape, error) {
	made := &shape{targets: make([]any, len(columns))}
	members := make([]reflect.StructField, len(columns))
	for place, column := range columns {
		one, err := connection.Field(column[1], nulls[place])
		if err != nil {
			return nil, err
		}
		made.fields = append(made.fields, one)
		members[place] = reflect.StructField{Name: fmt.Sprintf("Column%d", place), Type: one.form}
	}
	made.form = reflect.StructOf(members)
	for place := range columns {
		made.offsets = append(made.offsets, made.form.Field(place).Offset)
	}
	return made, nil
}

// next is a new row, and `targets` are those of its fields.
func (s *shape) next() unsafe.Pointer {
	row := reflect.New(s.form).UnsafePointer()
	for place := range s.fields {
		s.targets[place] = s.fields[place].target(unsafe.Add(row, s.offsets[place]))
	}
	return row
}

// values are those of a row that was scanned.
func (s *shape) values(row unsafe.Pointer) []tagged {
	found := make([]tagged, len(s.fields))
	for place, one := range s.fields {
		found[place] = one.value(unsafe.Add(row, s.offsets[place]))
	}
	return found
}

// cursor is what the rows of both drivers are.
type cursor interface {
	Next() bool
	Scan(targets ...any) error
	Err() error
}

// keep reads all rows.
func (s *shape) keep(from cursor) ([]unsafe.Pointer, int64, error) {
	var kept []unsafe.Pointer
	for from.Next() {
		row := s.next()
		if err := from.Scan(s.targets...); err != nil {
			return nil, 0, err
		}
		kept = append(kept, row)
	}
	return kept, int64(len(kept)), from.Err()
}
