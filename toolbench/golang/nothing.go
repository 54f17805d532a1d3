package main

// nothing has no database: its operations do nothing, so that what the workers' clock and notes cost
// can be told (tests/toolbench/test_contract.py).
type nothing struct{}

func newNothing(Address, Options) Driver { return nothing{} }

func (nothing) Connect() (Connection, error)                   { return nothing{}, nil }
func (nothing) Query(*Operation, *reader) (Call, error)        { return idle, nil }
func (nothing) Execute(*Operation) (Call, error)               { return idle, nil }
func (nothing) Copy(*Operation) (Call, error)                  { return idle, nil }
func (nothing) Batch(*Operation) (Call, error)                 { return idle, nil }
func (nothing) Variable(kind string, n bool) (variable, error) { return newVariable(kind, n) }
func (nothing) Close()                                         {}

func idle() (int64, error) { return 0, nil }
