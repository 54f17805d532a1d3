package main

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// encoded is a value in an answer: a tag, the type that the driver's user gets, and a text.
type encoded [2]any

var null = encoded{"null", nil}

// field is a column in the struct of a row: its type, what Scan takes for a pointer to it, and how
// its values are encoded.
type field struct {
	form   reflect.Type
	target func(pointer any) any
	encode func(any) encoded
}

// newField returns the natural field for a database type.
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
	case "char", "name", "text", "varchar", "bpchar", "numeric", "regproc", "pg_node_tree":
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
	case "name", "text", "varchar", "aclitem":
		return slice(text), nil
	}
	return field{}, fmt.Errorf("no Go type is known for the type %s[]", inside)
}

// scanned returns a plain field, or a pointer where nulls are possible, as users declare them.
func scanned[T any](encode func(T) encoded, nullable bool) field {
	if !nullable {
		return fieldOf(encode)
	}
	return fieldOf(func(one *T) encoded {
		if one == nil {
			return null
		}
		return encode(*one)
	})
}

// slice returns the field of an array; nil is null.
func slice[T any](encode func(T) encoded) field {
	return fieldOf(func(some []T) encoded {
		if some == nil {
			return null
		}
		values := make([]encoded, len(some))
		for place, one := range some {
			values[place] = encode(one)
		}
		return encoded{"array", values}
	})
}

func fieldOf[T any](encode func(T) encoded) field {
	return field{
		reflect.TypeOf((*T)(nil)).Elem(),
		func(pointer any) any { return pointer },
		func(value any) encoded { return encode(value.(T)) },
	}
}

func integer[T int64 | uint32](value T) encoded {
	return encoded{"int", strconv.FormatInt(int64(value), 10)}
}

func floating(value float64) encoded {
	return encoded{"float", strconv.FormatFloat(value, 'g', -1, 64)}
}

func truth(value bool) encoded    { return encoded{"bool", strconv.FormatBool(value)} }
func octets(value []byte) encoded { return encoded{"bytes", hex.EncodeToString(value)} }
func text(value string) encoded   { return encoded{"text", value} }
func letter(value rune) encoded   { return encoded{"rune", string(value)} }
