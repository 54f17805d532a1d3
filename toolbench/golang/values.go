package main

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// tagged is a value in an answer: the type that the driver's user gets, and a text.
type tagged [2]any

var null = tagged{"null", nil}

// variable is what a column is scanned into: a pointer, and what is there now.
type variable struct {
	target any
	value  func() tagged
}

// newVariable is the natural one for a type of the database: that of a Go struct's field.
func newVariable(kind string, nullable bool) (variable, error) {
	if inside := strings.TrimSuffix(kind, "[]"); inside != kind {
		return newSlice(inside)
	}
	switch kind {
	case "int2", "int4", "int8":
		return scanned(integer[int64], nullable), nil
	case "oid":
		return scanned(integer[uint32], nullable), nil
	case "float4", "float8":
		return scanned(floating, nullable), nil
	case "bool":
		return scanned(truth, nullable), nil
	case "bytea":
		return scanned(octets, nullable), nil
	case "char", "name", "text", "varchar", "bpchar", "numeric":
		return scanned(text, nullable), nil
	}
	return variable{}, fmt.Errorf("no Go variable is known for the type %s", kind)
}

func newSlice(inside string) (variable, error) {
	switch inside {
	case "int2", "int4", "int8":
		return slice(integer[int64]), nil
	case "float4", "float8":
		return slice(floating), nil
	case "name", "text", "varchar":
		return slice(text), nil
	}
	return variable{}, fmt.Errorf("no Go variable is known for the type %s[]", inside)
}

// scanned is a plain variable, or a pointer where nulls are possible, as users declare them.
func scanned[T any](tell func(T) tagged, nullable bool) variable {
	if !nullable {
		one := new(T)
		return variable{one, func() tagged { return tell(*one) }}
	}
	one := new(*T)
	return variable{one, func() tagged {
		if *one == nil {
			return null
		}
		return tell(**one)
	}}
}

// slice is for an array; nil is null.
func slice[T any](tell func(T) tagged) variable {
	some := new([]T)
	return variable{some, func() tagged {
		if *some == nil {
			return null
		}
		values := make([]tagged, len(*some))
		for place, one := range *some {
			values[place] = tell(one)
		}
		return tagged{"array", values}
	}}
}

func integer[T int64 | uint32](value T) tagged {
	return tagged{"int", strconv.FormatInt(int64(value), 10)}
}

func floating(value float64) tagged {
	return tagged{"float", strconv.FormatFloat(value, 'g', -1, 64)}
}

func truth(value bool) tagged    { return tagged{"bool", strconv.FormatBool(value)} }
func octets(value []byte) tagged { return tagged{"bytes", hex.EncodeToString(value)} }
func text(value string) tagged   { return tagged{"text", value} }
func letter(value rune) tagged   { return tagged{"rune", string(value)} }

// reader is what rows are scanned into. `row` is called for each, once it is there.
type reader struct {
	variables []variable
	targets   []any
	row       func()
}

// newReader has a variable for each column; those at `nulls` take nulls.
func newReader(connection Connection, columns [][2]string, nulls []bool) (*reader, error) {
	made := &reader{row: func() {}}
	for place, column := range columns {
		one, err := connection.Variable(column[1], nulls[place])
		if err != nil {
			return nil, err
		}
		made.variables = append(made.variables, one)
		made.targets = append(made.targets, one.target)
	}
	return made, nil
}

// values is the row that was scanned last.
func (r *reader) values() []tagged {
	found := make([]tagged, len(r.variables))
	for place, one := range r.variables {
		found[place] = one.value()
	}
	return found
}
