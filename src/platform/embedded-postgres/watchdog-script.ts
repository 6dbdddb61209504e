/**
 * The shell text behind launch.ts, for /bin/sh of any make (dash, bash, busybox). It never sees a path inside its
 * own text: everything comes as arguments. File descriptor 3 is the lifeline.
 */

/**
 * `begun` returns when a process started, like getBegin() in processes.ts, so that a reused process ID is never
 * signaled. `press` leaves the watchdog as soon as the program has ended. A stopped program is continued (CONT),
 * because it could not react otherwise.
 */
const WATCH = `
begun() {
  if [ -e /proc/self/stat ]; then
    { IFS= read -r line <"/proc/$1/stat"; } 2>/dev/null || return 0
    set -- \${line##*') '}
    case $1 in Z|X) ;; *) echo "\${20}" ;; esac
  else
    set -- $(ps -o stat= -o lstart= -p "$1" 2>/dev/null)
    case $1 in Z*|'') ;; *) shift; echo "$*" ;; esac
  fi
}
lives() { [ "$(begun "$1")" = "$2" ]; }
press() {
  lives "$1" "$2" || exit 0
  kill -s "$3" "$1"; kill -s CONT "$1"
  tries=$(($4 * 20))
  while [ $tries -gt 0 ]; do
    lives "$1" "$2" || exit 0
    sleep 0.05 || sleep 1
    tries=$((tries - 1))
  done
}
watch() {
  trap '' HUP INT QUIT TERM USR1 USR2 ALRM PIPE TSTP TTIN TTOU
  while IFS= read -r line; do :; done <&3
  exec 3<&-
  press "$1" "$2" INT 60
  press "$1" "$2" QUIT 10
  press "$1" "$2" KILL 5
}
`;

/** Forks the watchdog, then becomes the program that the arguments name. */
export const WATCHED_PROGRAM = `${WATCH}
began=$(begun $$)
[ -n "$began" ] || { echo 'FATAL:  the table of processes (/proc, or ps) can not be read' >&2; exit 126; }
( watch $$ "$began" </dev/null >/dev/null 2>&1 & )
exec 3<&-
exec "$@"
`;

/** Watches a program that runs already; arguments: its process ID, when it began, and (for who reads `ps`) what it is. */
export const WATCHDOG_ALONE = `${WATCH}
watch "$1" "$2" >/dev/null 2>&1
`;
