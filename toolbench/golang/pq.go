package main

import (
	"context"
	"database/sql"
	"reflect"
	"strings"

	"github.com/lib/pq"
)

// pqDriver is lib/pq under database/sql. A connection is a database handle with one connection.
type pqDriver struct {
	address  Address
	prepared bool
}

func newPq(address Address, options Options) Driver {
	return pqDriver{address, options.Prepared}
}

func (d pqDriver) Connect() (Connection, error) {
	connector, err := pq.NewConnector(settings(d.address))
	if err != nil {
		return nil, err
	}
	made := &pqConnection{prepared: d.prepared}
	made.database = sql.OpenDB(connector)
	ctx := context.Background()
	made.conn, err = made.database.Conn(ctx)
	if err == nil {
		err = made.conn.QueryRowContext(ctx, "select pg_backend_pid()").Scan(&made.backend)
	}
	if err != nil {
		_ = made.database.Close()
		return nil, err
	}
	return made, nil
}

type pqConnection struct {
	conn     *sql.Conn
	database *sql.DB
	backend  int64
	prepared bool
}

func (c *pqConnection) Query(operation *Operation, rows *shape) (Call, error) {
	ctx, args := context.Background(), arguments(operation.Args)
	query := func() (*sql.Rows, error) { return c.conn.QueryContext(ctx, operation.SQL, args...) }
	if c.prepared {
		statement, err := c.conn.PrepareContext(ctx, operation.SQL)
		if err != nil {
			return nil, err
		}
		query = func() (*sql.Rows, error) { return statement.QueryContext(ctx, args...) }
	}
	return func() (reflect.Value, int64, error) {
		found, err := query()
		if err != nil {
			return reflect.Value{}, 0, err
		}
		defer found.Close()
		kept := rows.none
		for found.Next() {
			if err := found.Scan(rows.targets...); err != nil {
				return kept, 0, err
			}
			kept = rows.with(kept)
		}
		return kept, int64(kept.Len()), found.Err()
	}, nil
}

func (c *pqConnection) Execute(operation *Operation) (Call, error) {
	ctx, args := context.Background(), arguments(operation.Args)
	execute := func() (sql.Result, error) { return c.conn.ExecContext(ctx, operation.SQL, args...) }
	if c.prepared {
		statement, err := c.conn.PrepareContext(ctx, operation.SQL)
		if err != nil {
			return nil, err
		}
		execute = func() (sql.Result, error) { return statement.ExecContext(ctx, args...) }
	}
	return func() (reflect.Value, int64, error) {
		result, err := execute()
		if err != nil {
			return reflect.Value{}, 0, err
		}
		count, err := result.RowsAffected()
		return reflect.Value{}, count, err
	}, nil
}

// Copy is a statement of lib/pq that takes records until it is executed without one.
func (c *pqConnection) Copy(operation *Operation) (Call, error) {
	ctx, records := context.Background(), operation.Records
	statement := pq.CopyIn(operation.Table, operation.names()...)
	if schema, table, inside := strings.Cut(operation.Table, "."); inside {
		statement = pq.CopyInSchema(schema, table, operation.names()...)
	}
	return func() (reflect.Value, int64, error) {
		return c.inTransaction(ctx, records, func(transaction *sql.Tx) error {
			copying, err := transaction.PrepareContext(ctx, statement)
			if err != nil {
				return err
			}
			defer copying.Close()
			for _, record := range records {
				if _, err := copying.ExecContext(ctx, record...); err != nil {
					return err
				}
			}
			_, err = copying.ExecContext(ctx)
			return err
		})
	}, nil
}

// Batch is a loop in a transaction: database/sql sends one statement at a time.
func (c *pqConnection) Batch(operation *Operation) (Call, error) {
	ctx, records := context.Background(), operation.Records
	return func() (reflect.Value, int64, error) {
		return c.inTransaction(ctx, records, func(transaction *sql.Tx) error {
			execute := func(record []any) (sql.Result, error) {
				return transaction.ExecContext(ctx, operation.SQL, record...)
			}
			if c.prepared {
				statement, err := transaction.PrepareContext(ctx, operation.SQL)
				if err != nil {
					return err
				}
				defer statement.Close()
				execute = func(record []any) (sql.Result, error) {
					return statement.ExecContext(ctx, record...)
				}
			}
			for _, record := range records {
				if _, err := execute(record); err != nil {
					return err
				}
			}
			return nil
		})
	}, nil
}

// inTransaction writes the records, all or nothing.
func (c *pqConnection) inTransaction(
	ctx context.Context, records [][]any, write func(*sql.Tx) error,
) (reflect.Value, int64, error) {
	transaction, err := c.conn.BeginTx(ctx, nil)
	if err != nil {
		return reflect.Value{}, 0, err
	}
	defer func() { _ = transaction.Rollback() }() // after the commit it does nothing
	if err := write(transaction); err != nil {
		return reflect.Value{}, 0, err
	}
	return reflect.Value{}, int64(len(records)), transaction.Commit()
}

// Field reads arrays through pq.Array.
func (c *pqConnection) Field(kind string, nullable bool) (field, error) {
	made, err := newField(kind, nullable)
	if strings.HasSuffix(kind, "[]") {
		made.target = func(pointer any) any { return pq.Array(pointer) }
	}
	return made, err
}

func (c *pqConnection) Backend() int64 { return c.backend }

func (c *pqConnection) Close() {
	_ = c.conn.Close()
	_ = c.database.Close()
}

// arguments returns what database/sql takes: slices through pq.Array.
func arguments(values []any) []any {
	found := make([]any, len(values))
	for place, value := range values {
		switch value.(type) {
		case []int64, []string:
			value = pq.Array(value)
		}
		found[place] = value
	}
	return found
}
