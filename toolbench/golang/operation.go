package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Operation is one of toolbench/<database>/operations/<name>.toml. Args and Records are Go values,
// Columns pairs of a name and a database type.
type Operation struct {
	Name    string      `json:"name"`
	Kind    string      `json:"kind"`
	SQL     string      `json:"sql"`
	Args    []any       `json:"args"`
	Columns [][2]string `json:"columns"`
	Table   string      `json:"table"`
	Records [][]any     `json:"records"`
	// The message, by which the same operation is recognised.
	sent []byte
	// The columns in which a check met nulls, and how many rows it read or wrote.
	nulls []bool
	count int64
}

// readOperation decodes the operation of a question.
func readOperation(sent []byte) (*Operation, error) {
	decoder := json.NewDecoder(bytes.NewReader(sent))
	decoder.UseNumber()
	made := &Operation{sent: append([]byte(nil), sent...)}
	if err := decoder.Decode(made); err != nil {
		return nil, fmt.Errorf("no operation: %w", err)
	}
	for _, values := range append(made.Records, made.Args) {
		for place, value := range values {
			converted, err := decode(value)
			if err != nil {
				return nil, err
			}
			values[place] = converted
		}
	}
	made.nulls = make([]bool, len(made.Columns))
	return made, nil
}

// reads returns whether the operation returns rows.
func (operation *Operation) reads() bool {
	return operation.Kind == "query" && len(operation.Columns) > 0
}

// names returns the names of the columns.
func (operation *Operation) names() []string {
	found := make([]string, len(operation.Columns))
	for place, column := range operation.Columns {
		found[place] = column[0]
	}
	return found
}

// decode returns the Go value of an argument, JSON or {"bytes": "00ff"}.
func decode(value any) (any, error) {
	switch found := value.(type) {
	case json.Number:
		if whole, err := found.Int64(); err == nil {
			return whole, nil
		}
		return found.Float64()
	case map[string]any:
		if text, known := found["bytes"].(string); known {
			return hex.DecodeString(text)
		}
		return nil, fmt.Errorf("no Go value is known for %v", found)
	case []any:
		return list(found)
	}
	return value, nil
}

// list returns a slice of integers or of texts: Go's drivers take no mixed ones.
func list(values []any) (any, error) {
	var numbers []int64
	var texts []string
	for _, value := range values {
		converted, err := decode(value)
		if err != nil {
			return nil, err
		}
		switch one := converted.(type) {
		case int64:
			numbers = append(numbers, one)
		case string:
			texts = append(texts, one)
		}
	}
	if len(numbers) == len(values) {
		return numbers, nil
	}
	if len(texts) == len(values) {
		return texts, nil
	}
	return nil, fmt.Errorf("no Go slice is known for %v", values)
}
