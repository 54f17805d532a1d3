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
	Database string `json:"database"`
}

// Options are what a race varies; a driver that has no such choice does not look.
type Options struct {
	Prepared bool   `json:"prepared"`
	Format   string `json:"format"`
}

// Driver is one of those in drivers.
type Driver interface {
	// Connect opens a connection that keeps no transaction open.
	Connect() (Connection, error)
}

// Connection makes the calls that operations are, one method for each kind of them, with all looked
// up that a user of the driver would look up once.
type Connection interface {
	// Query reads rows and keeps them.
	Query(operation *Operation, rows *shape) (Call, error)
	// Execute is for a statement without rows.
	Execute(operation *Operation) (Call, error)
	// Copy writes the operation's records into its table with COPY.
	Copy(operation *Operation) (Call, error)
	// Batch executes the statement once for each record, all or nothing.
	Batch(operation *Operation) (Call, error)
	// Field is what a user of the driver has for a column of that type.
	Field(kind string, nullable bool) (field, error)
	// Backend is the database's process behind it; 0 where there is none.
	Backend() int64
	Close()
}

// Call does one operation: the rows that it read, a slice of structs, and how many it read or wrote.
type Call func() (reflect.Value, int64, error)

// unsupported is a kind of operations that a driver has nothing for.
type unsupported string

func (kind unsupported) Error() string { return string(kind) }

// drivers are those of this runner by name, with the module that each is in.
var drivers = map[string]struct {
	module string
	new    func(Address, Options) Driver
}{
	"pgx":     {"github.com/jackc/pgx/v5", newPgx},
	"pq":      {"github.com/lib/pq", newPq},
	"nothing": {"", newNothing},
}

// bound is an operation on a connection: its call, and what the rows are that it gives.
type bound struct {
	call Call
	rows *shape
}

// bind makes the call of an operation, whose columns at `nulls` take nulls.
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

// settings are those of a connection as libpq writes them, which both drivers read.
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
