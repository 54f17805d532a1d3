package main

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// tagged is a value in an answer: the type that the driver's user gets, and a text.
type tagged [2]any

var null = tagged{"null", nil}

// field is what a column is in the struct that a row is to its user: the type, what Scan takes for a
// pointer to it, and what an answer says of a value.
type field struct {
	form   reflect.Type
	target func(pointer any) any
	value  func(any) tagged
}

// newField is the natural one for a type of the database.
func newField(kind string, nullable bool) (field, error) {
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
	return field{}, fmt.Errorf("no Go type is known for the type %s", kind)
}

func newSlice(inside string) (field, error) {
	switch inside {
	case "int2", "int4", "int8":
		return slice(integer[int64]), nil
	case "float4", "float8":
		return slice(floating), nil
	case "name", "text", "varchar":
		return slice(text), nil
	}
	return field{}, fmt.Errorf("no Go type is known for the type %s[]", inside)
}

// scanned is a plain field, or a pointer where nulls are possible, as users declare them.
func scanned[T any](tell func(T) tagged, nullable bool) field {
	if !nullable {
		return fieldOf(tell)
	}
	return fieldOf(func(one *T) tagged {
		if one == nil {
			return null
		}
		return tell(*one)
	})
}

// slice is for an array; nil is null.
func slice[T any](tell func(T) tagged) field {
	return fieldOf(func(some []T) tagged {
		if some == nil {
			return null
		}
		values := make([]tagged, len(some))
		for place, one := range some {
			values[place] = tell(one)
		}
		return tagged{"array", values}
	})
}

func fieldOf[T any](tell func(T) tagged) field {
	return field{
		reflect.TypeOf((*T)(nil)).Elem(),
		func(pointer any) any { return pointer },
		func(value any) tagged { return tell(value.(T)) },
	}
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
