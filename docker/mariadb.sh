#!/bin/sh
# Usage: docker/mariadb.sh FOLDER OPTION...
# Starts MariaDB in its container: it makes the system tables once, and the site's database and user at
# each start.
# MYSQL_PASSWORD is the password of that user, in letters and digits, as it is a part of a URL.
set -eu
umask 077
folder=$1
shift
PATH=$PATH:/usr/sbin
# --user allows root to run it; in the container the user is not root and has no name.
common="--no-defaults --datadir=$folder/data --user=$(id -u)"

# The file is made when the installation is complete.
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
