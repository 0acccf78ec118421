import { SHELL_SCRIPT, shellQuote } from '../../process/shell-process'

/**
 * File descriptors of a group. Its terminals and their order pipes are numbered upward from TERMINALS and ORDERS.
 */
const TERMINALS = 20
const ORDERS = 60
const OWN_ORDERS = 10
const ARGUMENTS = 12
/** File descriptors that keep the template's namespaces open. */
export const TEMPLATE_USER = 100
const TEMPLATE_MOUNTS = 101
/** File descriptor of the seccomp filter. */
export const SECCOMP_FD = 11

/**
 * Run by bash in the sandbox. Each line of its input is the number of a place: it starts the leader of a new session
 * there (see SHELL_SCRIPT), which waits for its order. The files the sandbox was created from are closed first: a
 * command could reopen them through /proc, and they are outside. Job control is on so that commands do not ignore
 * SIGINT. A leader gets only its terminal, its orders and the report pipe; the process that waits for it keeps no
 * others open either, because a terminal closes only when no process has it open.
 */
const SUPERVISOR_SCRIPT = `exec 2>/dev/null ${SECCOMP_FD}<&- ${ARGUMENTS}<&-; set -m
id=$1 places=$2 setsid=$3
leader=${shellQuote(SHELL_SCRIPT)}
close=exec
for ((n = 0; n < places; n++)); do close+=" $((${TERMINALS} + n))>&- $((${ORDERS} + n))>&-"; done
echo "$id ready $$" >&3
lead() {
  local place=$1
  terminal=$((${TERMINALS} + place)) orders=$((${ORDERS} + place))
  {
    exec 0<&$orders 5<&$terminal; eval "$close"
    ( exec "$setsid" /bin/sh -c "$leader" trestle /proc/self/fd/5 "$id $place " )
    code=$?; exec 0<&- 5<&-; echo "$id $place exit $code" >&3
  } &
  eval "exec $terminal>&- $orders>&-"
}
lead 0
while IFS= read -r order; do
  case $order in end) exit ;; [1-9]*) lead "$order" ;; esac
done`

/** Forwarder for Node, used when socat is missing. Arguments: PORT SOCKET. */
const NODE_FORWARDER = `const net = require('node:net'), [, port, path] = process.argv
net.createServer((from) => {
  const to = net.connect(Number(port), 'localhost')
  from.on('error', () => to.destroy()); to.on('error', () => from.destroy())
  from.pipe(to).pipe(from)
}).listen(path)`

/**
 * Run by bash in the namespaces of a session, with the machine's files. Each line of its input starts a group of
 * commands: `ID FOLDER TERMINAL…`. It opens what the group needs and passes it on as open files, because none of it has
 * a path inside the sandbox. FOLDER holds bubblewrap's arguments and gets a pipe for the orders of each place.
 * `template ID FOLDER` only creates the mounts; `keep FOLDER ID` keeps them open and tests whether a sandbox can be
 * started in them. Reports go to descriptor 3; a group's start with its ID. `forward PROGRAM PORT SOCKET` starts a
 * forwarder from a unix socket to a port in this network.
 *
 * Descriptors inherited from the program that started Trestle are closed first: commands would inherit them too and
 * could use them to escape.
 */
export const NAMESPACE_SCRIPT = `for fd in /proc/self/fd/*; do fd=\${fd##*/}; if (( fd > 3 )); then eval "exec $fd>&-"; fi; done
seccomp=$1 setsid=$2 bwrap=$3 forwarder=$4 nsenter=$5
supervisor=${shellQuote(SUPERVISOR_SCRIPT)}
start() {
  id=$1 folder=$2 how= enter=; shift 2
  cd "$folder" || return
  pipes=orders
  for ((n = 0; n < $#; n++)); do pipes+=" $n"; done
  mkfifo -m 600 $pipes || return
  n=0
  for terminal; do
    eval "exec $((${TERMINALS} + n))<>\\"\\$terminal\\" $((${ORDERS} + n))<>$n"
    n=$((n + 1))
  done
  exec ${OWN_ORDERS}<>orders ${SECCOMP_FD}<"$seccomp"
  if [[ -e how ]]; then read -r how <how; else read -r how <&${OWN_ORDERS}; fi
  [[ $how == end ]] && return
  exec ${ARGUMENTS}<arguments
  cd /
  if [[ $how == template ]]; then enter="$nsenter --preserve-credentials --user=/proc/$$/fd/${TEMPLATE_USER} --mount=/proc/$$/fd/${TEMPLATE_MOUNTS}"; fi
  exec $enter "$bwrap" --args ${ARGUMENTS} "$BASH" -c "$supervisor" trestle "$id" $n "$setsid" <&${OWN_ORDERS} ${OWN_ORDERS}<&- ${TEMPLATE_USER}<&- ${TEMPLATE_MOUNTS}<&- 2>"$folder/errors"
}
template() {
  cd "$2" && mkfifo -m 600 made kept || return
  exec ${OWN_ORDERS}<>made ${ARGUMENTS}<arguments 13<>kept ${TEMPLATE_USER}<&- ${TEMPLATE_MOUNTS}<&-
  cd /
  exec "$bwrap" --args ${ARGUMENTS} "$BASH" -c 'echo $$ >&${OWN_ORDERS}; echo "$1 made" >&3; exec 3>&-; read -r -t 60 <&13' trestle "$1" 2>"$2/errors"
}
enter() { "$nsenter" --preserve-credentials --user=/proc/$$/fd/${TEMPLATE_USER} --mount=/proc/$$/fd/${TEMPLATE_MOUNTS} "$@" </dev/null >/dev/null 2>&1; }
keep() {
  local pid=
  exec 13<>"$1/made"; read -r -t 2 pid <&13; exec 13>&-
  { exec ${TEMPLATE_USER}<"/proc/$pid/ns/user" ${TEMPLATE_MOUNTS}<"/proc/$pid/ns/mnt"; } 2>/dev/null && enter "$bwrap" --unshare-user --dev-bind / / --dev /dev "$BASH" -c : && echo "$2 kept" >&3
  exec 13<>"$1/kept"; echo >&13; exec 13>&-
}
forward() {
  if [[ $1 == socat ]]; then exec "$forwarder" "UNIX-LISTEN:$3,fork,mode=600" "TCP:localhost:$2"; fi
  exec "$forwarder" -e ${shellQuote(NODE_FORWARDER)} "$2" "$3"
}
while IFS= read -r order; do
  eval "set -- $order"; what=$1; shift
  if [[ $what == keep ]]; then keep "$@"; continue; fi
  { if [[ $what == forward ]]; then forward "$@"; fi; ( "$what" "$@" ); echo "$1 gone" >&3; } </dev/null &
done`
