package main

import (
	"reflect"
	"strconv"
	"strings"
)

// Address is where the database listens: in the folder Path on a Unix socket, else on Host.
type Address struct {
	Host     string `json:"host"`
	Port     int    `json:"port"`
	Path     string `json:"path"`
	User     string `json:"user"`
	Password string `json:"password"`
	Database string `json:"name"`
}

// Options are the levels that a race varies; a driver ignores those that it does not have.
type Options struct {
	Prepared bool   `json:"prepared"`
	Format   string `json:"format"`
}

// Driver is one of the database drivers in drivers.
type Driver interface {
	// Connect opens a connection that keeps no transaction open.
	Connect() (Connection, error)
}

// Connection makes the calls of operations, with one method for each kind. What a user of the driver
// would do only once is done before the call.
type Connection interface {
	// Query reads all rows.
	Query(operation *Operation, rows *shape) (Call, error)
	// Execute runs a statement without rows.
	Execute(operation *Operation) (Call, error)
	// Copy writes the operation's records into its table with COPY.
	Copy(operation *Operation) (Call, error)
	// Batch executes the statement once for each record, all or nothing.
	Batch(operation *Operation) (Call, error)
	// Field returns what a user of the driver declares for a column of that type.
	Field(kind string, nullable bool) (field, error)
	// Backend returns the id of the database's process, 0 if there is none.
	Backend() int64
	Close()
}

// Call does one operation. It returns the rows that it read, a slice of structs, and how many rows it
// read or wrote.
type Call func() (reflect.Value, int64, error)

// unsupported is a kind of operations that a driver has no call for.
type unsupported string

func (kind unsupported) Error() string { return string(kind) }

// drivers are the drivers of this runner by name, with the module of each.
var drivers = map[string]struct {
	module string
	new    func(Address, Options) Driver
}{
	"pgx":     {"github.com/jackc/pgx/v5", newPgx},
	"pq":      {"github.com/lib/pq", newPq},
	"nothing": {"", newNothing},
}

// bound is an operation on a connection: its call, and the struct of its rows.
type bound struct {
	call Call
	rows *shape
}

// bind returns the call of an operation, whose columns at `nulls` take nulls.
func bind(connection Connection, operation *Operation, nulls []bool) (bound, error) {
	var made bound
	var err error
	switch {
	case operation.reads():
		if made.rows, err = newShape(connection, operation.Columns, nulls); err == nil {
			made.call, err = connection.Query(operation, made.rows)
		}
	case operation.Kind == "query":
		made.call, err = connection.Execute(operation)
	case operation.Kind == "copy":
		made.call, err = connection.Copy(operation)
	case operation.Kind == "batch":
		made.call, err = connection.Batch(operation)
	default:
		err = unsupported(operation.Kind)
	}
	return made, err
}

// settings returns connection options in the form of libpq, which both drivers read.
func settings(address Address) string {
	host := address.Host
	if address.Path != "" {
		host = address.Path
	}
	words := []string{"sslmode=disable", "connect_timeout=10"}
	for _, one := range [][2]string{
		{"host", host},
		{"port", strconv.Itoa(address.Port)},
		{"user", address.User},
		{"password", address.Password},
		{"dbname", address.Database},
	} {
		if one[1] != "" && one[1] != "0" {
			words = append(words, one[0]+"='"+quoted.Replace(one[1])+"'")
		}
	}
	return strings.Join(words, " ")
}

var quoted = strings.NewReplacer(`\`, `\\`, `'`, `\'`)
