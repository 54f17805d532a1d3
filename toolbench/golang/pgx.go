package main

import (
	"context"
	"reflect"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// pgxDriver is pgx through its own interface.
type pgxDriver struct {
	address Address
	mode    pgx.QueryExecMode
	// Options that pgx takes before the arguments of a query.
	extra []any
}

// newPgx prepares statements, as pgx does by default, or sends them in one round trip each time: pgx
// then remembers the types, or, where all is text, does not ask for them.
func newPgx(address Address, options Options) Driver {
	texts := options.Format == "text"
	switch {
	case options.Prepared && texts:
		texts := []any{pgx.QueryResultFormats{pgx.TextFormatCode}}
		return pgxDriver{address, pgx.QueryExecModeCacheStatement, texts}
	case options.Prepared:
		return pgxDriver{address, pgx.QueryExecModeCacheStatement, nil}
	case texts:
		return pgxDriver{address, pgx.QueryExecModeExec, nil}
	}
	return pgxDriver{address, pgx.QueryExecModeCacheDescribe, nil}
}

func (d pgxDriver) Connect() (Connection, error) {
	config, err := pgx.ParseConfig(settings(d.address))
	if err != nil {
		return nil, err
	}
	config.DefaultQueryExecMode = d.mode
	connection, err := pgx.ConnectConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	return pgxConnection{connection, d.extra}, nil
}

type pgxConnection struct {
	conn  *pgx.Conn
	extra []any
}

func (c pgxConnection) Query(operation *Operation, rows *shape) (Call, error) {
	ctx := context.Background()
	args := append(append([]any{}, c.extra...), operation.Args...)
	return func() (reflect.Value, int64, error) {
		found, err := c.conn.Query(ctx, operation.SQL, args...)
		if err != nil {
			return reflect.Value{}, 0, err
		}
		kept := rows.none
		tag, err := pgx.ForEachRow(found, rows.targets, func() error {
			kept = rows.with(kept)
			return nil
		})
		return kept, tag.RowsAffected(), err
	}, nil
}

func (c pgxConnection) Execute(operation *Operation) (Call, error) {
	ctx := context.Background()
	return func() (reflect.Value, int64, error) {
		tag, err := c.conn.Exec(ctx, operation.SQL, operation.Args...)
		return reflect.Value{}, tag.RowsAffected(), err
	}, nil
}

func (c pgxConnection) Copy(operation *Operation) (Call, error) {
	ctx := context.Background()
	table, names := pgx.Identifier(strings.Split(operation.Table, ".")), operation.names()
	return func() (reflect.Value, int64, error) {
		count, err := c.conn.CopyFrom(ctx, table, names, pgx.CopyFromRows(operation.Records))
		return reflect.Value{}, count, err
	}, nil
}

// Batch sends all statements at once; they are one transaction, because they end in one Sync.
func (c pgxConnection) Batch(operation *Operation) (Call, error) {
	ctx := context.Background()
	return func() (reflect.Value, int64, error) {
		batch := &pgx.Batch{}
		for _, record := range operation.Records {
			batch.Queue(operation.SQL, record...)
		}
		return reflect.Value{}, int64(len(operation.Records)), c.conn.SendBatch(ctx, batch).Close()
	}, nil
}

// Field returns a rune for PostgreSQL's "char", which pgx does not scan into a string.
func (c pgxConnection) Field(kind string, nullable bool) (field, error) {
	if kind == "char" {
		return scanned(letter, nullable), nil
	}
	return newField(kind, nullable)
}

func (c pgxConnection) Backend() int64 { return int64(c.conn.PgConn().PID()) }

func (c pgxConnection) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.conn.Close(ctx)
}
