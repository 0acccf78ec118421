import { python, type EscapeAttempt } from './attempt'

const X64 = process.arch === 'x64'
const calls = (numbers: readonly (readonly [string, number, string])[]): string =>
  numbers
    .map(
      ([name, number, args]) =>
        `print('${name}', libc.syscall(${number}${args === '' ? '' : `, ${args}`}), ctypes.get_errno())`,
    )
    .join('\n')

const BY_NUMBER: readonly EscapeAttempt[] = X64
  ? [
      {
        name: 'uses keys of the kernel',
        command: python(`${calls([
          ['add_key', 248, `b'user', b'trestle', b'x', 1, -3`],
          ['keyctl', 250, '0, -3, 1'],
          ['keyctl read', 250, '11, -4, 0, 0'],
          ['request_key', 249, `b'user', b'x', 0, 0`],
        ])}
print(open('/proc/keys').read() if os.path.exists('/proc/keys') else '')`),
      },
      {
        name: 'sets up io_uring',
        command: python(
          `buf = ctypes.create_string_buffer(256)\n${calls([
            ['io_uring_setup', 425, '8, buf'],
            ['io_uring_enter', 426, '3, 1, 1, 0, 0, 0'],
            ['io_uring_register', 427, '3, 0, 0, 0'],
          ])}\nsys.exit(3 if libc.syscall(425, 8, buf) >= 0 else 0)`,
        ),
      },
      {
        name: 'loads bpf programs and performance events',
        command: python(
          `buf = ctypes.create_string_buffer(256)\n${calls([
            ['bpf', 321, '0, buf, 72'],
            ['perf_event_open', 298, 'buf, 0, -1, -1, 0'],
            ['userfaultfd', 323, '0'],
          ])}`,
        ),
      },
      {
        name: 'loads modules, changes the clock, reboots',
        isHarmful: true,
        command: python(
          `buf = ctypes.create_string_buffer(64)\n${calls([
            ['init_module', 175, 'buf, 0, buf'],
            ['finit_module', 313, '0, buf, 0'],
            ['clock_settime', 227, '99, buf'],
            ['settimeofday', 164, '1, 0'],
            ['kexec_load', 246, '0, 0, 0, 0'],
            ['swapon', 167, `b'/nonexistent', 0`],
            ['sethostname', 170, `b'x', 0`],
            ['acct', 163, `b'/nonexistent'`],
          ])}`,
        ),
      },
      {
        name: 'uses system calls of another processor',
        command: python(`code = bytes([0xb8, 0x14, 0, 0, 0, 0xcd, 0x80, 0xc3])
import mmap
m = mmap.mmap(-1, 4096, prot=7)
m.write(code)
f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))
print('int 0x80', f())
print('x32', libc.syscall(0x40000000 | 56, 0x10000000 | 17, 0, 0, 0, 0), ctypes.get_errno())`),
      },
      {
        name: 'compares and copies from other processes',
        isHarmful: true,
        command: python(
          `buf = ctypes.create_string_buffer(64)\n${calls([
            ['kcmp', 312, '1, 2, 0, 0, 0'],
            ['process_vm_readv 1', 310, '1, 0, 0, 0, 0, 0'],
            ['move_pages', 279, '1, 0, 0, 0, 0, 0'],
            ['syslog', 103, '3, buf, 64'],
            ['iopl', 172, '3'],
            ['ioperm', 173, '0x70, 1, 1'],
          ])}`,
        ),
      },
    ]
  : []

/** Attempts with namespaces, kernel settings and rarely used kernel features. */
export const KERNEL_ATTEMPTS: readonly EscapeAttempt[] = [
  {
    name: 'makes namespaces of its own',
    command:
      'for f in -U -m -n -p -i -u -C -T -Ur -Urm -Urmpf; do unshare $f true && { echo "made $f"; ' +
      'touch "$OUTSIDE/pwned"; }; done; unshare -Urm sh -c "umount -l .env; cat .env; mount --bind / /tmp"; true',
  },
  {
    name: 'makes namespaces with clone',
    command: python(`for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x8000000, 0x10020000):
    pid = libc.syscall(${X64 ? 56 : 220}, flag | 17, 0, 0, 0, 0)
    if pid == 0:
        print('in', hex(flag), libc.mount(b'none', b'/', None, 0x44000, None)); os._exit(0)
    print(hex(flag), pid, ctypes.get_errno())
    if pid > 0: os.waitpid(pid, 0); sys.exit(3)`),
  },
  {
    name: 'makes namespaces with clone3',
    command: python(`args = ctypes.create_string_buffer(struct.pack('8Q', 0x10000000 | 0x20000, 0, 0, 0, 17, 0, 0, 0))
pid = libc.syscall(435, args, 64)
if pid == 0: os._exit(0)
print(pid, ctypes.get_errno())`),
  },
  {
    name: 'enters namespaces of others',
    command:
      'nsenter -t 1 -a id; nsenter -t 1 -m cat "$OUTSIDE/canary"; ' +
      'nsenter --net=/proc/1/ns/net true; for n in mnt user net pid; do for p in 1 2 3; ' +
      'do nsenter --$n=/proc/$p/ns/$n cat "$OUTSIDE/canary"; done; done; ls -l /proc/1/ns; true',
  },
  {
    name: 'starts another bubblewrap',
    command: 'bwrap --dev-bind / / cat "$OUTSIDE/canary"; bwrap --unshare-all --bind / / --proc /proc cat .env; true',
  },
  {
    name: 'changes settings of the kernel',
    isHarmful: true,
    command:
      'for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/kernel/hostname ' +
      '/proc/sys/vm/drop_caches /proc/sys/fs/binfmt_misc/register /proc/sys/kernel/yama/ptrace_scope; ' +
      'do cat $f; cp $f /tmp/x; cat /tmp/x >$f && { echo "WRITABLE $f"; touch "$OUTSIDE/pwned"; }; done; true',
  },
  {
    name: 'writes to other files of /proc',
    isHarmful: true,
    command:
      'for f in $(find /proc -maxdepth 3 -not -path "/proc/[0-9]*" -not -path ' +
      '"/proc/self*" -not -path "/proc/thread-self*" -type f -perm -u+w 2>/dev/null); ' +
      'do case $f in */pressure/*|*/sysrq-trigger) : ;; esac; if [ -w $f ] && ( : >>$f ) 2>/dev/null; ' +
      'then echo "opened $f"; case $f in /proc/pressure/*) ;; *) touch "$OUTSIDE/pwned" ;; esac; fi; done; true',
  },
  {
    name: 'writes to /sys',
    isHarmful: true,
    command:
      'find /sys -maxdepth 4 -type f -perm -u+w 2>/dev/null | head -n 400 | while read -r f; ' +
      'do ( : >>"$f" ) 2>/dev/null && { echo "opened $f"; touch "$OUTSIDE/pwned"; ' +
      '}; done; mkdir /sys/fs/cgroup/x && touch "$OUTSIDE/pwned"; true',
  },
  {
    name: 'leaves its control group',
    isHarmful: true,
    command:
      'echo $$ >/sys/fs/cgroup/cgroup.procs && touch "$OUTSIDE/pwned"; mkdir -p /tmp/cg; mount -t cgroup2 ' +
      'none /tmp/cg; mount -t cgroup -o memory c /tmp/cg; echo "$PROJECT/x" >/sys/fs/cgroup/release_agent; ' +
      'find /sys/fs/cgroup -name release_agent -exec sh -c "echo /x >{}" \\;; true',
  },
  {
    name: 'has the core of a crash written elsewhere',
    isHarmful: true,
    command:
      'ulimit -c unlimited; sh -c "kill -SEGV \\$\\$"; cat /proc/sys/kernel/core_pattern; ' +
      'echo "|$PROJECT/x" >/proc/sys/kernel/core_pattern; true',
  },
  ...BY_NUMBER,
  {
    name: 'opens rare kinds of sockets',
    command: python(`for family in (5, 6, 9, 15, 17, 21, 29, 30, 31, 38, 40, 41, 42, 43, 44):
    for kind in (1, 2, 3, 5):
        try:
            socket.socket(family, kind, 0)
            print('opened', family, kind)
            open(env['PROJECT'] + '/rare', 'a').write(f'{family} ')
        except OSError: pass
sys.exit(3 if os.path.exists(env['PROJECT'] + '/rare') else 0)`),
  },
  {
    name: 'opens raw sockets',
    command:
      python(`for family, kind, protocol in ((2, 3, 1), (2, 3, 255), (10, 3, 58), (17, 3, 0x300), (16, 3, 0), (16, 3, 9), (16, 2, 4), (16, 2, 12), (16, 2, 16)):
    attempt(lambda: socket.socket(family, kind, protocol), (family, kind, protocol))`),
  },
]
