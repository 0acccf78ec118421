import { python, type EscapeAttempt } from './attempt'

const IN_SUPERVISORS = (lines: string): string =>
  python(`def supervisors():
    for name in os.listdir('/proc'):
        if not name.isdigit(): continue
        try:
            if b'places=' in open(f'/proc/{name}/cmdline', 'rb').read(): yield int(name)
        except OSError: pass
for pid in supervisors():
    try: names = [int(name) for name in os.listdir(f'/proc/{pid}/fd')]
    except OSError as error: print(pid, error); continue
${lines}`)

/** Attempts against the process that runs a session's commands, and against later commands. */
export const SESSION_ATTEMPTS: readonly EscapeAttempt[] = [
  {
    name: 'sends reports that are not true',
    command: IN_SUPERVISORS(`    for fd in (3,):
        try:
            out = os.open(f'/proc/{pid}/fd/{fd}', os.O_WRONLY)
            for line in ('g1 ready', 'g2 ready', 'g9 ready', 'g1 7 pid 1', 'g1 0 pid 999999', 'g1 0 exit x', 'g1 99 exit 0', 'g1', ' ', 'g1 0 pid -1', 'g1 gone x'):
                os.write(out, line.encode() + b'\\n')
        except OSError as error: print(error)`),
    next: ['echo still works'],
  },
  {
    name: 'sends an endless report',
    command: IN_SUPERVISORS(`    try:
        out = os.open(f'/proc/{pid}/fd/3', os.O_WRONLY | os.O_NONBLOCK)
        end = time.time() + 0.5
        while time.time() < end:
            try: os.write(out, b'x' * 65536)
            except BlockingIOError: time.sleep(0.001)
    except OSError as error: print(error)`),
    next: ['echo still works'],
  },
  {
    name: 'gives orders to what starts commands',
    command: IN_SUPERVISORS(`    for fd in [0] + [name for name in names if 20 <= name < 80]:
        try:
            out = os.open(f'/proc/{pid}/fd/{fd}', os.O_WRONLY | os.O_NONBLOCK)
            os.write(out, b'touch "$OUTSIDE/pwned"; cat .env\\n')
        except OSError as error: print(fd, error)`),
    endsItself: true,
    next: ['echo still works', 'true'],
  },
  {
    name: 'gives orders to what starts sandboxes',
    command: python(`for pid in range(1, 12):
    for fd in (0, 3, 10, 11, 12, 63):
        try:
            out = os.open(f'/proc/{pid}/fd/{fd}', os.O_WRONLY | os.O_NONBLOCK)
            target = os.readlink(f'/proc/{pid}/fd/{fd}')
            if 'pipe' in target or 'socket' in target: os.write(out, b"forward node 1 '$(touch $OUTSIDE/pwned)'\\n")
            print('wrote', pid, fd, target)
        except OSError as error: pass`),
    endsItself: true,
    next: ['echo still works'],
  },
  {
    name: 'changes the filter of later sandboxes',
    command:
      'for f in /proc/[0-9]*/fd/*; do case $(readlink "$f") in *seccomp*) chmod 600 $f; ' +
      "printf '\\006\\0\\0\\0\\0\\0\\377\\177' >$f; head -c 8 /dev/zero >>$f ;; esac; done 2>&1 | tail -n 3; true",
    next: [
      'unshare -Ur true && touch .escaped-unshare; ' +
        'python3 -c "import fcntl; fcntl.ioctl(1, 0x5412, b\'x\')" && touch .escaped-tiocsti; true',
    ],
  },
  {
    name: 'looks for what the temporary folder of another session has',
    before:
      'mkdir -p "$TRESTLE/run/sandbox/tmp/other"; echo SECRET-other-session >"$TRESTLE/run/sandbox/tmp/other/x"; true',
    command:
      'ls -la /tmp/..; cat /tmp/../other/x; cat /proc/self/mountinfo; ' +
      'find / -name x -path "*other*" 2>/dev/null | xargs cat',
  },
  {
    name: 'makes a folder the project of a later sandbox',
    command:
      'mkdir -p deeper/.trestle deeper/.git; echo x >deeper/.trestle/config.toml; ' +
      'ln -s "$TRESTLE" deeper/.vscode; ln -s "$HOME" deeper/.husky',
    next: ['cat deeper/.vscode/config.toml deeper/.husky/.ssh/id_rsa; true'],
  },
  {
    name: 'reads an .env that was replaced while its sandbox was warm',
    command: 'cat .env; true',
    between: 'cp .env new; mv new .env; cp .env sub/new; mv sub/new sub/.env',
    next: ['cat .env sub/.env; true'],
    isWarm: true,
  },
  {
    name: 'reads an .env that was made while its sandbox was warm',
    command: 'true',
    between: 'cp .env .env.staging; mkdir -p src; cp .env src/.env',
    next: ['cat .env.staging src/.env; true'],
    isWarm: true,
  },
  {
    name: 'writes the settings of git after they were replaced while its sandbox was warm',
    command: 'true',
    between: 'git config a.b c',
    next: ['printf "[core]\\n\\tfsmonitor = \\"touch $OUTSIDE/pwned\\"\\n" >>.git/config; true'],
    isWarm: true,
    after: 'git status',
  },
]
