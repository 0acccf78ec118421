/** Programs that start others in ways that are not followed. */
const STARTERS = `parallel flock nsenter unshare systemd-run setpriv runuser entr noglob watch fakeroot fakechroot proot bwrap firejail xvfb-run
  dbus-run-session dbus-launch ssh-agent sg newgrp chpst softlimit setuidgid envuidgid setarch linux32 linux64 i386 prlimit numactl perf
  valgrind hyperfine dotenv direnv asdf mise nix nix-shell nodemon concurrently cross-env env-cmd pm2 forever sshpass torsocks torify
  proxychains proxychains4 eatmydata catchsegv ifne pee vipe rlwrap schedtool runcon choom uclampset coresched cpulimit cgexec capsh
  start-stop-daemon run-parts daemon daemonize dtach abduco tmux screen xterm gnome-terminal konsole x-terminal-emulator launchctl wine ld.so
  sudoedit visudo vipw git-shell mosh pssh pdsh faketime retry machinectl gosu su-exec dumb-init tini foreman honcho overmind goreman
  watchexec expect reptyr gdbserver rust-gdb rust-lldb doit with-contenv s6-setuidgid s6-envdir envdir chpst`

/** Builtins and programs that run, or change what later words run, in ways that are not followed. */
export const HIDING: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  ...Object.fromEntries(STARTERS.split(/\s+/).map((name) => [name, 'runs a command that is not followed'])),
  source: 'runs a file in this shell',
  '.': 'runs a file in this shell',
  alias: 'changes what commands mean',
  shopt: 'changes how commands are read',
  enable: 'changes what commands mean',
  hash: 'changes what commands mean',
  bind: 'runs commands on keys',
  complete: 'changes how the shell completes words',
  compgen: 'can run commands',
  mapfile: 'can run commands',
  readarray: 'can run commands',
  fc: 'runs commands of the history',
  coproc: 'runs a command that is not followed',
  script: 'runs a shell',
  su: 'runs a shell as another user',
  at: 'runs commands later',
  batch: 'runs commands later',
  crontab: 'runs commands later',
  ed: 'can run commands from its input',
  red: 'can run commands from its input',
  ex: 'can run commands from its input',
})
