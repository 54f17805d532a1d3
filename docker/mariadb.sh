#!/bin/sh
# Usage: docker/mariadb.sh FOLDER OPTION...
# MariaDB in its container: the system tables are made once, the site's database and user at each start.
# MYSQL_PASSWORD is that user's: letters and digits, as it stands in a URL.
set -eu
umask 077
folder=$1
shift
PATH=$PATH:/usr/sbin
# Only named as its user does it run as root; in the container nobody is root, and the user has no name.
common="--no-defaults --datadir=$folder/data --user=$(id -u)"

# The mark says that it got to its end.
if [ ! -e "$folder/initialised" ]; then
    rm -rf "$folder/data"
    # shellcheck disable=SC2086 - several words
    mariadb-install-db $common --auth-root-authentication-method=socket --skip-test-db --skip-name-resolve
    touch "$folder/initialised"
fi

cat >"$folder/user.sql" <<END
CREATE DATABASE IF NOT EXISTS sticker_site;
CREATE USER IF NOT EXISTS site@'%';
ALTER USER site@'%' IDENTIFIED BY '$MYSQL_PASSWORD';
GRANT ALL ON sticker_site.* TO site@'%';
END
# shellcheck disable=SC2086 - several words
exec mariadbd $common --socket="$folder/mariadb.sock" --pid-file="$folder/mariadb.pid" \
    --init-file="$folder/user.sql" "$@"
