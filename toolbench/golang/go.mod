module toolbench

// What Debian 12 has. Newer versions of pgx need a newer Go.
go 1.19

require (
	github.com/jackc/pgx/v5 v5.5.5
	github.com/lib/pq v1.10.9
)
