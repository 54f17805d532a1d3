package main

import "reflect"

// nothing has no database: its operations do nothing, so that a test can measure what the workers'
// clock and notes cost (tests/live/toolbench/test_overhead.py).
type nothing struct{}

func newNothing(Address, Options) Driver { return nothing{} }

func (nothing) Connect() (Connection, error)             { return nothing{}, nil }
func (nothing) Query(*Operation, *shape) (Call, error)   { return idle, nil }
func (nothing) Execute(*Operation) (Call, error)         { return idle, nil }
func (nothing) Copy(*Operation) (Call, error)            { return idle, nil }
func (nothing) Batch(*Operation) (Call, error)           { return idle, nil }
func (nothing) Field(kind string, n bool) (field, error) { return newField(kind, n) }
func (nothing) Backend() int64                           { return 0 }
func (nothing) Close()                                   {}

func idle() (reflect.Value, int64, error) { return reflect.Value{}, 0, nil }
