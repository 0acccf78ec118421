import { constants } from 'node:os'

/** System call numbers of a supported processor. */
interface Processor {
  /** AUDIT_ARCH of linux/audit.h. */
  audit: number
  calls: Readonly<Record<string, number>>
}

/** From asm/unistd_64.h and asm-generic/unistd.h; calls from 424 on have the same number everywhere. */
const COMMON = {
  pidfd_getfd: 438,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  clone3: 435,
  mount_setattr: 442,
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
}

const PROCESSORS: Readonly<Record<string, Processor>> = {
  x64: {
    audit: 0xc000003e,
    calls: {
      ...COMMON,
      ioctl: 16,
      socket: 41,
      socketpair: 53,
      clone: 56,
      unshare: 272,
      setns: 308,
      mount: 165,
      umount2: 166,
      pivot_root: 155,
      chroot: 161,
      swapon: 167,
      swapoff: 168,
      reboot: 169,
      sethostname: 170,
      setdomainname: 171,
      iopl: 172,
      ioperm: 173,
      init_module: 175,
      delete_module: 176,
      quotactl: 179,
      finit_module: 313,
      kexec_load: 246,
      kexec_file_load: 320,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      bpf: 321,
      perf_event_open: 298,
      userfaultfd: 323,
      acct: 163,
      settimeofday: 164,
      clock_settime: 227,
      clock_adjtime: 305,
      open_by_handle_at: 304,
      kcmp: 312,
      lookup_dcookie: 212,
      syslog: 103,
    },
  },
  arm64: {
    audit: 0xc00000b7,
    calls: {
      ...COMMON,
      ioctl: 29,
      socket: 198,
      socketpair: 199,
      clone: 220,
      unshare: 97,
      setns: 268,
      mount: 40,
      umount2: 39,
      pivot_root: 41,
      chroot: 51,
      swapon: 224,
      swapoff: 225,
      reboot: 142,
      sethostname: 161,
      setdomainname: 162,
      init_module: 105,
      delete_module: 106,
      quotactl: 60,
      finit_module: 273,
      kexec_load: 104,
      kexec_file_load: 294,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      bpf: 280,
      perf_event_open: 241,
      userfaultfd: 282,
      acct: 89,
      settimeofday: 170,
      clock_settime: 112,
      clock_adjtime: 266,
      open_by_handle_at: 265,
      kcmp: 272,
      lookup_dcookie: 18,
      syslog: 116,
    },
  },
}

/**
 * Refused with `EPERM`, whatever their arguments: they reach rarely used parts of the kernel, other namespaces, the
 * clock, or other programs' keys.
 */
const REFUSED =
  `unshare setns mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr
  swapon swapoff reboot sethostname setdomainname iopl ioperm init_module delete_module finit_module quotactl
  kexec_load kexec_file_load add_key request_key keyctl bpf perf_event_open userfaultfd acct settimeofday
  clock_settime clock_adjtime open_by_handle_at kcmp lookup_dcookie syslog pidfd_getfd`.split(/\s+/)
/** Refused as if the kernel did not know them, so that libraries use the older call, whose arguments can be checked. */
const UNKNOWN = ['clone3', 'io_uring_setup', 'io_uring_enter', 'io_uring_register']

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, NEWTIME. */
const NEW_NAMESPACES =
  0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000 | 0x00000080
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c
const TIOCSETD = 0x5423
const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
const AF_NETLINK = 16
const SOCK_DGRAM = 2
const SOCK_RAW = 3

const ALLOW = 0x7fff0000
const ERRNO = 0x00050000
const LD = 0x20
const AND = 0x54
const JEQ = 0x15
const JSET = 0x45
const RET = 0x06
const NR = 0
const ARCH = 4
/** Offset of the low half of argument `n`. The kernel ignores the high half of all arguments checked here. */
const argument = (n: number): number => 16 + n * 8

/**
 * A seccomp filter (classic BPF, see seccomp(2)) against what mounts and namespaces do not stop: injecting characters
 * into a terminal, new namespaces, the kernel's keys, raw sockets. `unixSockets: false` also blocks unix sockets, which
 * can be abstract and so have no path, for commands that share the machine's network. Undefined for an unsupported
 * processor.
 */
export function seccompFilter(
  { unixSockets }: { unixSockets: boolean },
  processor: string = process.arch,
): Buffer | undefined {
  const known = PROCESSORS[processor]
  if (!known) return undefined
  const { calls, audit } = known
  const eperm = ERRNO | constants.errno.EPERM
  const enosys = ERRNO | constants.errno.ENOSYS
  const eacces = ERRNO | constants.errno.EACCES
  const code: number[][] = []
  const add = (op: number, k: number, jt = 0, jf = 0): void => void code.push([op, jt, jf, k])
  add(LD, ARCH)
  // Programs for another architecture (32-bit) use different numbers for the same calls.
  add(JEQ, audit, 1, 0)
  add(RET, enosys)
  add(LD, NR)
  if (processor === 'x64') {
    add(JSET, 0x40000000, 0, 1)
    add(RET, enosys)
  }
  const refuse = (names: readonly string[], answer: number): void => {
    for (const name of names) {
      const number = calls[name]
      if (number === undefined) continue
      add(JEQ, number, 0, 1)
      add(RET, answer)
    }
  }
  refuse(REFUSED, eperm)
  refuse(UNKNOWN, enosys)
  /** Instructions for one call, entered with the call number loaded. */
  const check = (name: string, body: () => void): void => {
    const at = code.length
    add(JEQ, calls[name]!, 0, 0)
    body()
    add(RET, ALLOW)
    code[at]![2] = code.length - at - 1
  }
  const refuseWhere = (op: number, value: number, answer: number): void => {
    add(op, value, 0, 1)
    add(RET, answer)
  }
  check('clone', () => {
    add(LD, argument(0))
    refuseWhere(JSET, NEW_NAMESPACES & ~0x80, eperm)
  })
  check('ioctl', () => {
    add(LD, argument(1))
    for (const request of [TIOCSTI, TIOCLINUX, TIOCSETD]) refuseWhere(JEQ, request, eperm)
  })
  check('socket', () => {
    add(LD, argument(0))
    if (!unixSockets) refuseWhere(JEQ, AF_UNIX, eacces)
    // The families programs use; all others lead to rarely used parts of the kernel, devices or virtual machines.
    const families = unixSockets ? [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK] : [AF_INET, AF_INET6, AF_NETLINK]
    for (const [index, family] of families.entries()) add(JEQ, family, families.length - index, 0)
    add(RET, eacces)
    const at = code.length
    add(JEQ, AF_NETLINK, 2, 0)
    add(LD, argument(1))
    // Raw sockets of the internet families.
    add(AND, 0xf)
    refuseWhere(JEQ, SOCK_RAW, eacces)
    code[at]![1] = code.length - at - 1
  })
  if (!unixSockets) {
    check('socketpair', () => {
      add(LD, argument(1))
      add(AND, 0xf)
      // Datagram sockets of a pair can be connected to another address later.
      refuseWhere(JEQ, SOCK_DGRAM, eacces)
      refuseWhere(JEQ, SOCK_RAW, eacces)
    })
  }
  add(RET, ALLOW)
  const buffer = Buffer.alloc(code.length * 8)
  for (const [index, [op = 0, jt = 0, jf = 0, k = 0]] of code.entries()) {
    buffer.writeUInt16LE(op, index * 8)
    buffer.writeUInt8(jt, index * 8 + 2)
    buffer.writeUInt8(jf, index * 8 + 3)
    buffer.writeUInt32LE(k >>> 0, index * 8 + 4)
  }
  return buffer
}
