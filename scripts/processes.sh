# Sourced by the scripts that start servers: one that outlives its shell, is known by a pid file, and is ended only if the
# process of that number is still the one that was started. `me` is the name of the script that sources this.
# shellcheck shell=bash disable=SC2034,SC2154

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
local_folder=${TIDEMARK_LOCAL:-$root/.local}
mkdir -p "$local_folder"
local_folder=$(cd "$local_folder" && pwd)
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
patience=${TIDEMARK_PATIENCE:-120}

say() { printf '%s\n' "$*"; }
wrong_use() {
  printf '%s: %s\n' "$me" "$*" >&2
  exit 2
}
fail() {
  printf '%s: %s\n' "$me" "$*" >&2
  exit 3
}

# born PID: when the process came into being, in ticks since the machine did; nothing and false if it is gone.
born() {
  local stat
  { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 1
  # Behind the name, which may hold anything: state, parent, ...
  set -- ${stat##*) }
  [ "$1" != Z ] && [ "$1" != X ] && printf '%s\n' "${20}"
}

# pid_of FILE: the process that a pid file tells of, if it is still that one.
pid_of() {
  local pid ticks
  { read -r pid ticks <"$1"; } 2>/dev/null || return 1
  [ "$(born "$pid")" = "$ticks" ] && printf '%s\n' "$pid"
}

runs() { pid_of "$1" >/dev/null; }

# launch PIDFILE OUTPUT COMMAND...: starts a process in a session of its own, so that no terminal takes it along.
launch() {
  local file=$1 output=$2
  shift 2
  mkdir -p "$(dirname "$file")" "$(dirname "$output")"
  # 9 is the lock of the script
  setsid "$@" </dev/null >>"$output" 2>&1 9>&- &
  printf '%s %s\n' "$!" "$(born "$!" || true)" >"$file"
}

# halt PIDFILE [SIGNAL]: asks the process to end, waits for it, and kills it if it will not.
halt() {
  local file=$1 signal=${2:-TERM} pid
  if pid=$(pid_of "$file"); then
    kill -s "$signal" "$pid" 2>/dev/null || true
    # One that is held hears nothing until it goes on.
    kill -s CONT "$pid" 2>/dev/null || true
    if ! await 60 gone "$file"; then
      kill -s KILL "$pid" 2>/dev/null || true
      await 60 gone "$file" || fail "process $pid does not end, not even by kill -9"
    fi
  fi
  rm -f "$file"
}

gone() { ! runs "$1"; }

# await SECONDS CONDITION...: true when it holds, false when the time is over.
await() {
  local until=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$until" ] || return 1
    sleep 0.2
  done
}

# answers PORT: whether somebody listens there.
answers() { (exec 3<>"/dev/tcp/localhost/$1") 2>/dev/null; }

# free PORT VARIABLE: fails if a port is taken; one whose owner has just ended may be for a moment longer.
free() { await 5 silent "$1" || fail "port $1 is taken; name another with $2"; }
silent() { ! answers "$1"; }

# asked PORT PATH: what a server answers.
asked() {
  timeout 10 bash -c 'exec 3<>"/dev/tcp/localhost/$1" &&
    printf "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" "$2" >&3 && cat <&3' _ "$1" "$2" 2>/dev/null
}

# alone: waits until no other of these scripts works in the folder.
alone() {
  mkdir -p "$1"
  exec 9>"$1/lock"
  flock -w "$patience" 9 || fail "another script works in $1"
}

version() { sed -n "s:.*<$1>\(.*\)</$1>.*:\1:p" "$root/pom.xml" | head -n 1; }

# parts NAME: the folder with the jars that conf/parts/NAME.xml lists. Maven fetches them once.
parts() {
  local folder=$root/target/parts/$1 pom=$root/conf/parts/$1.xml
  (
    mkdir -p "$folder"
    exec 8>"$folder.lock"
    flock 8
    if [ ! -f "$folder/complete" ] || [ "$pom" -nt "$folder/complete" ] || [ "$root/pom.xml" -nt "$folder/complete" ]; then
      say "fetching the parts of $1 with Maven ..." >&2
      rm -rf "$folder"
      mvn -q -B -Dstyle.color=never -f "$pom" -Dflink.version="$(version flink.version)" \
        -Dkafka.version="$(version kafka.version)" -Dlog4j.version="$(version log4j.version)" \
        org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
        -DincludeScope=runtime -DoutputDirectory="$folder" >&2 || exit 3
      touch "$folder/complete"
    fi
  ) 9>&- || fail "Maven could not fetch the parts of $1; its messages are above"
  printf '%s\n' "$folder"
}
