import { python, type EscapeAttempt } from './attempt'

const EACH_PROCESS = `pids = [int(name) for name in os.listdir('/proc') if name.isdigit()]
print(len(pids), 'processes')`

/** Attempts with processes outside, open files, terminals and interpreters. */
export const PROCESS_ATTEMPTS: readonly EscapeAttempt[] = [
  {
    name: 'signals a process outside',
    command:
      'kill -9 "$VICTIM"; kill -STOP "$VICTIM"; kill -9 -- "-$VICTIM"; ' +
      'ls -d "/proc/$VICTIM" && kill -0 "$VICTIM"; perl -e \'kill 9, $ENV{VICTIM}\'; true',
  },
  {
    name: 'signals every process',
    isHarmful: true,
    command: 'kill -9 -1',
    endsItself: true,
    next: ['echo still works'],
  },
  {
    name: 'signals every process by its number',
    isHarmful: true,
    command: 'trap "" HUP; for p in $(seq 2 400); do [ $p = $$ ] || kill -9 $p; done 2>/dev/null',
    endsItself: true,
    next: ['echo still works'],
  },
  {
    name: 'signals through a process descriptor',
    command: python(`fd = libc.syscall(434, int(env['VICTIM']), 0)
print(fd, ctypes.get_errno())
for pid in range(1, 60):
    fd = libc.syscall(434, pid, 0)
    if fd >= 0: print(pid, libc.syscall(438, fd, 0, 0), ctypes.get_errno())`),
  },
  {
    name: 'traces other processes',
    command: python(`${EACH_PROCESS}
for pid in pids + [int(env['VICTIM'])]:
    if pid == os.getpid(): continue
    got = libc.ptrace(0x4206, pid, 0, 0)
    print(pid, open(f'/proc/{pid}/comm').read().strip() if os.path.exists(f'/proc/{pid}') else '', got, ctypes.get_errno())
    if got == 0: libc.ptrace(17, pid, 0, 0)`),
  },
  {
    name: 'attaches gdb to what starts the sandboxes',
    command:
      'for p in 1 2 3 4; do timeout 5 gdb -p $p -batch -ex "call (int) system(\\"touch ' +
      '$OUTSIDE/pwned\\")" </dev/null 2>&1 | tail -n 2; done; true',
  },
  {
    name: 'reads the memory of other processes',
    command: python(`${EACH_PROCESS}
for pid in pids:
    try:
        for line in open(f'/proc/{pid}/maps'):
            if not line.split()[1].startswith('r'): continue
            start, end = (int(x, 16) for x in line.split()[0].split('-'))
            with open(f'/proc/{pid}/mem', 'rb') as memory:
                memory.seek(start)
                data = memory.read(min(end - start, 1 << 20))
            if b'SECRET' + b'-' in data: print(pid, data[data.index(b'SECRET' + b'-'):][:40])
    except (OSError, ValueError, OverflowError) as error: print(pid, error)`),
  },
  {
    name: 'reads the environment of other processes',
    command:
      `cat /proc/[0-9]*/environ "/proc/$VICTIM/environ" | tr '\\0' '\\n'; ` +
      'cat /proc/1/environ /proc/1/task/1/environ; ps eww -A | grep -c SECRET; true',
  },
  {
    name: 'reads the variables of the engine',
    command: 'env; set; printenv ENGINE_SECRET; cat /proc/self/environ /proc/$PPID/environ',
  },
  {
    name: 'uses open files of the processes around it',
    command: python(`${EACH_PROCESS}
for pid in pids:
    try: names = os.listdir(f'/proc/{pid}/fd')
    except OSError as error: print(pid, error); continue
    for name in names:
        path = f'/proc/{pid}/fd/{name}'
        try: target = os.readlink(path)
        except OSError: continue
        print(pid, name, target)
        try: os.chmod(path, 0o666)
        except OSError: pass
        if env['TRESTLE'] in target:
            try:
                with open(path, 'r+b') as file: file.write(bytes(8))
            except OSError as error: print(error)`),
    next: ['cat .env; unshare -Ur true && echo "unshare works: $OUTSIDE" && exit 3; true'],
    // It writes to the pipe through which its own sandbox gets commands, which may end the sandbox.
    endsItself: true,
  },
  {
    name: 'passes on its own open files',
    command:
      'ls -l /proc/self/fd; for n in $(seq 3 255); do [ -e /proc/self/fd/$n ] && { ls -l /proc/self/fd/$n; ' +
      'cat /proc/self/fd/$n/canary; cd /proc/self/fd/$n && pwd; }; done 2>/dev/null; true',
  },
  {
    name: 'puts characters into its terminal',
    command: python(`for request in (0x5412, 0x541c, 0x5423, 0x541d):
    for fd in (1, os.open('/dev/tty', os.O_RDWR)):
        attempt(lambda: fcntl.ioctl(fd, request, b'\\x03x;touch $OUTSIDE/pwned\\n'[:1]), hex(request))
got = libc.syscall(16, 1, ctypes.c_ulong(0x5412 | 1 << 32), b'x')
print('high half', got, ctypes.get_errno())
sys.exit(9 if got == 0 else 0)`),
  },
  {
    name: 'opens terminals of others',
    isHarmful: true,
    command:
      'ls -la /dev/pts /dev/tty* /dev/console /dev/vcs*; for t in /dev/pts/* /dev/tty[0-9]* /dev/console; ' +
      'do [ "$t" = /dev/pts/ptmx ] || echo "SPOOFED" >"$t"; done; true',
  },
  {
    name: 'takes the terminal of the session',
    command: python(`attempt(lambda: os.setsid())
attempt(lambda: fcntl.ioctl(1, 0x540e, 1), 'TIOCSCTTY')`),
  },
  {
    name: 'runs a program from memory',
    command: python(`fd = os.memfd_create('x')
os.write(fd, open('/bin/cat', 'rb').read())
pid = os.fork()
if pid == 0: os.execv(f'/proc/self/fd/{fd}', ['cat', env['OUTSIDE'] + '/canary', env['HOME'] + '/.ssh/id_rsa', '.env'])
os.waitpid(pid, 0)`),
  },
  {
    name: 'tries with python',
    command:
      python(`for path in (env['OUTSIDE'] + '/canary', env['OTHER'] + '/secret.txt', '.env', env['TRESTLE'] + '/config.toml'):
    attempt(lambda: open(path).read(), path)
    attempt(lambda: open(path, 'a').write('x'), path)
attempt(lambda: os.link(env['OUTSIDE'] + '/canary', 'l'))`),
  },
  {
    name: 'tries with perl',
    command:
      `perl -e 'for my $f ("$ENV{OUTSIDE}/canary", ".env", "$ENV{HOME}/.ssh/id_rsa") { open(my $h, ` +
      `"<", $f) and print <$h>; open(my $g, ">>", $f) and print $g "x" } unlink "$ENV{OUTSIDE}/canary"'`,
  },
  {
    name: 'tries with node',
    command:
      `node -e 'const fs=require("fs");for(const f of ` +
      `[process.env.OUTSIDE+"/canary",".env",process.env.HOME+"/.ssh/id_rsa"]){try{console.log(fs.readFileSync(f,"utf8"))}catch(e){console.log(e.code)}try{fs.appendFileSync(f,"x")}catch(e){console.log(e.code)}}' ` +
      '|| true',
  },
  {
    name: 'uses programs with the rights of their owner',
    isHarmful: true,
    command:
      'find / -xdev -perm -4000 -type f 2>/dev/null | head; su -c id </dev/null; ' +
      'sudo -n cat /etc/shadow; mount /dev/sda /tmp; newuidmap $$ 0 0 1; pkexec id </dev/null; ' +
      'passwd -d root </dev/null; grep NoNewPrivs /proc/self/status; true',
  },
  {
    name: 'has capabilities',
    command:
      'grep -E "^Cap(Eff|Prm|Inh|Bnd)" /proc/self/status; grep "^CapEff:.*[1-9a-f]" /proc/self/status ' +
      '&& touch "$OUTSIDE/pwned"; capsh --print; setpriv --ambient-caps +all true; true',
  },
  {
    name: 'makes its own setuid program',
    command:
      'cp /bin/cat mine; chmod 4755 mine; chown 0:0 mine; ' +
      'setcap cap_dac_override+ep mine; ./mine /etc/shadow "$OTHER/secret.txt" .env',
  },
  {
    name: 'asks services of the machine to run something',
    isHarmful: true,
    command:
      'systemd-run --user touch "$OUTSIDE/pwned"; echo "touch $OUTSIDE/pwned" | at now; ' +
      'echo "* * * * * touch $OUTSIDE/pwned" | crontab -; busctl --user list; ' +
      'dbus-send --session --dest=org.x / a.b; loginctl; docker ps; flatpak-spawn --host id; true',
  },
  {
    name: 'leaves a process behind that acts later',
    command:
      '( setsid sh -c "while :; do echo x >$OUTSIDE/new; cat .env; ' +
      'echo x >.git/hooks/pre-commit; sleep 0.02; done" & ) >leftover 2>&1 </dev/null',
    next: ['sleep 0.2; cat leftover | tail -n 3'],
  },
  {
    name: 'leaves programs for later commands',
    command:
      'mkdir -p ~/.local/bin /tmp/bin; for n in ls git cat; ' +
      'do printf "#!/bin/sh\\ntouch $OUTSIDE/pwned; cat .env\\n" >/tmp/bin/$n; chmod +x /tmp/bin/$n; done; ' +
      'export PATH=/tmp/bin:$PATH LD_PRELOAD=/tmp/x.so; echo "export PATH=/tmp/bin:$PATH" >~/.bashrc; ' +
      'echo "touch $OUTSIDE/pwned" >/tmp/.bashrc; echo /tmp/x.so >/etc/ld.so.preload',
    next: ['ls >/dev/null; echo "$PATH" | grep -q "^/tmp/bin" && touch "$OUTSIDE/pwned"; env | grep LD_PRELOAD; true'],
    after: 'ls; git status',
  },
  {
    name: 'starts many processes',
    command: 'for i in $(seq 60); do sleep 5 & done; disown -a; echo started',
    next: ['echo still works'],
  },
  {
    name: 'runs trestle inside',
    command: 'node "$TRESTLE_SOURCE" config show; TRESTLE_HOME=$TRESTLE trestle print hello; ls "$TRESTLE"; true',
  },
]
