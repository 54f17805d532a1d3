package main

import (
	"fmt"
	"reflect"
)

// shape is the struct of an operation's rows on one connection.
//
// Rows are kept as users of Go keep them, in a slice of structs with a field for each column:
// `found.Scan(&row.Name, &row.Owner)`, `rows = append(rows, row)`. Operations are data, so the struct is
// made when one is bound, and reflect appends; README.md says what that costs.
type shape struct {
	fields []field
	// Pointers to the fields of row, for Scan.
	targets []any
	row     reflect.Value
	none    reflect.Value
}

// newShape returns a struct with a field for each column; those at `nulls` take nulls.
func newShape(connection Connection, columns [][2]string, nulls []bool) (*shape, error) {
	made := &shape{}
	members := make([]reflect.StructField, len(columns))
	for place, column := range columns {
		one, err := connection.Field(column[1], nulls[place])
		if err != nil {
			return nil, err
		}
		made.fields = append(made.fields, one)
		members[place] = reflect.StructField{Name: fmt.Sprintf("Column%d", place), Type: one.form}
	}
	form := reflect.StructOf(members)
	made.row = reflect.New(form).Elem()
	made.none = reflect.Zero(reflect.SliceOf(form))
	for place, one := range made.fields {
		made.targets = append(made.targets, one.target(made.row.Field(place).Addr().Interface()))
	}
	return made, nil
}

// with returns the rows and the one that was scanned last.
func (s *shape) with(rows reflect.Value) reflect.Value {
	return reflect.Append(rows, s.row)
}

// encode returns rows as an answer has them; an operation may have none.
func (s *shape) encode(rows reflect.Value) [][]encoded {
	found := [][]encoded{}
	if s == nil || !rows.IsValid() {
		return found
	}
	for row := 0; row < rows.Len(); row++ {
		values := make([]encoded, len(s.fields))
		for place, one := range s.fields {
			values[place] = one.encode(rows.Index(row).Field(place).Interface())
		}
		found = append(found, values)
	}
	return found
}
