import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, afterEach } from 'vitest'
import { SUPERVISOR_VARIABLE } from './process-tag'
import { descendantsAndGroups } from './kill/kill-process-tree'
import { TaggedProcesses } from './kill/tagged-processes'
import type { ProcessEntry } from './proc-files'
import { parseNetstat } from '../task/host/listening-ports'
import { msysProcesses, withTags, withMsysFamilies, windowsEntries, WindowsProcessList } from './windows-process-table'
import { tempFolder } from '../../../../test/support/temp-folder'

function entry(pid: number, parent: number, started = 100): ProcessEntry {
  return {
    pid,
    parent,
    group: pid,
    session: 0,
    foreground: -1,
    started,
    program: 0,
    state: 'R',
    cpuMs: 0,
    memoryBytes: 0,
    name: `p${pid}`,
    command: `p${pid}`,
  }
}
const tableOf = (entries: readonly ProcessEntry[]): Map<number, ProcessEntry> =>
  new Map(entries.map((each) => [each.pid, each]))
const pidsOf = (entries: readonly ProcessEntry[]): number[] => entries.map(({ pid }) => pid).toSorted((a, b) => a - b)

/** As `ps -e` of Git Bash prints it. */
const PS = `      PID    PPID    PGID     WINPID   TTY         UID    STIME COMMAND
     2001       1    2001       5000  ?         197609 00:00:01 /usr/bin/bash
     2002    2001    2001       5200  ?         197609 00:00:02 /usr/bin/make
S    2003    2002    2001       5400  pty0      197609 00:00:03 /c/Program Files/nodejs/node
     2004       1    2001       5500  ?         197609 00:00:03 /usr/bin/sleep
     3000       1    3000       6000  pty1      197609 00:00:00 /usr/bin/bash
`

describe('process groups of Git Bash', () => {
  // Between any two of them there was a stub that has ended, so Windows reports 9991, 9992 and so on as parents.
  const windows = [
    entry(5000, 10),
    entry(5200, 9991),
    entry(5400, 9992),
    entry(5401, 5400),
    entry(5500, 9993),
    entry(6000, 10),
    entry(7000, 10),
  ]

  it('are parsed from its ps', () => {
    expect(msysProcesses(PS)).toHaveLength(5)
    expect(msysProcesses(PS)[2]).toEqual({ pid: 2003, parent: 2002, group: 2001, windowsPid: 5400 })
  })

  it('restore the parents that Windows has lost, and change no other process', () => {
    expect(pidsOf(descendantsAndGroups(tableOf(windows), 5000))).toEqual([5000])
    expect(pidsOf(descendantsAndGroups(tableOf(withMsysFamilies(windows, msysProcesses(PS))), 5000))).toEqual([
      5000, 5200, 5400, 5401, 5500,
    ])
  })

  it('stay together when their first process has exited', () => {
    const leaders = new Map<number, number>()
    withMsysFamilies(windows, msysProcesses(PS), leaders)
    const later = msysProcesses(PS).filter(({ pid }) => pid !== 2001)
    const left = withMsysFamilies(
      windows.filter(({ pid }) => pid !== 5000),
      later,
      leaders,
    )
    expect(pidsOf(descendantsAndGroups(tableOf(left), 5000))).toEqual([5200, 5400, 5401, 5500])
    withMsysFamilies(
      windows,
      msysProcesses(PS).filter(({ group }) => group === 3000),
      leaders,
    )
    expect([...leaders.keys()]).toEqual([3000])
  })
})

describe('tags on Windows', () => {
  const roots = new Map([[5000, { taskId: 'bash-1', supervisor: 'abc:42:777', startedAt: 101 }]])

  it('cover a process and all its descendants', () => {
    const entries = withTags(
      [entry(5000, 10, 100.5), entry(5001, 5000, 102), entry(5002, 5001, 103), entry(7000, 10, 90)],
      roots,
    )
    expect(entries[0]!.environment).toContain(`${SUPERVISOR_VARIABLE}=abc:42:777`)
    const found = new TaggedProcesses().find(tableOf(entries)).get('bash-1') ?? []
    expect(pidsOf(found.map((each) => each.entry))).toEqual([5000, 5001, 5002])
  })

  it('do not pass to a later process that reuses the pid of an ended one', () => {
    const entries = withTags([entry(5000, 10, 5000), entry(5001, 5000, 5001)], roots)
    expect(new TaggedProcesses().find(tableOf(entries)).size).toBe(0)
  })
})

describe('netstat', () => {
  it('is parsed in any display language of Windows', () => {
    const ports = parseNetstat(`
Aktive Verbindungen

  Proto  Lokale Adresse         Remoteadresse          Status           PID
  TCP    0.0.0.0:3000           0.0.0.0:0              ABHÖREN          5400
  TCP    127.0.0.1:9229         0.0.0.0:0              ABHÖREN          5400
  TCP    127.0.0.1:50001        127.0.0.1:3000         HERGESTELLT      5400
  TCP    [::1]:5432             [::]:0                 LISTENING        900
  UDP    0.0.0.0:5353           *:*                                     1000
`)
    expect([...ports]).toEqual([
      [
        5400,
        [
          { port: 3000, address: '0.0.0.0' },
          { port: 9229, address: '127.0.0.1' },
        ],
      ],
      [900, [{ port: 5432, address: '::1' }]],
    ])
  })
})

const row = (...fields: (string | number)[]): string => fields.join('\t')
/** 2026-11-23 00:00:00 UTC plus `seconds`, as a Windows file time. */
const created = (seconds: number): string =>
  String(116_444_736_000_000_000n + BigInt(1_795_392_000 + seconds) * 10_000_000n)

describe('a listing of PowerShell', () => {
  it('is parsed field by field, without parents whose pid was reused', () => {
    const entries = windowsEntries(
      [
        row(0, 0, 0, 123, 8192, 'System Idle Process', ''),
        row(
          100,
          4,
          created(10),
          20_000_000,
          4096,
          'node.exe',
          '"C:\\Program Files\\nodejs\\node.exe" server.js --port 3000',
        ),
        row(101, 100, created(11), 0, 1024, 'bash.exe', 'bash -c "a b"'),
        row(102, 100, created(5), 0, 1024, 'older.exe', 'older.exe'),
        'nonsense',
        '',
      ].join('\r\n'),
    )
    expect(entries.map(({ pid }) => pid)).toEqual([0, 100, 101, 102])
    expect(entries[1]).toMatchObject({
      name: 'node',
      cpuMs: 2000,
      memoryBytes: 4096,
      started: 1_795_392_010,
      state: 'R',
    })
    expect(entries[1]!.command).toBe('"C:\\Program Files\\nodejs\\node.exe" server.js --port 3000')
    expect(entries[2]!.parent).toBe(100)
    expect(entries[3]!.parent).toBe(0)
  })
})

describe('the list of processes', () => {
  const lists: WindowsProcessList[] = []
  afterEach(() => lists.splice(0).forEach((list) => list.close()))

  /** A program instead of PowerShell, and how often it was started. */
  async function listing(script: string, options: { limitMs?: number; idleMs?: number } = {}) {
    const folder = await tempFolder()
    const program = join(folder, 'lister.mjs')
    writeFileSync(
      program,
      "const row = (pid) => [pid, 1, 0, 0, 0, 'a.exe', 'a'].join('\\t') + '\\n'; " +
        `const out = (text) => process.stdout.write(text)\n${script}`,
    )
    const starts: number[] = []
    const list = new WindowsProcessList({
      start: () => {
        const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'ignore'] })
        starts.push(child.pid!)
        return child
      },
      ...options,
    })
    lists.push(list)
    return { list, starts }
  }

  it('comes from one program that is started once; a request during a listing gets the next one', async () => {
    const { list, starts } = await listing(`let n = 0; process.stdin.on('data', () => out(row(++n) + '.\\r\\n'))`)
    const [first, second] = await Promise.all([list.list(), list.list()])
    expect([first[0]?.pid, second[0]?.pid, (await list.list())[0]?.pid]).toEqual([1, 2, 3])
    expect(starts.length).toBe(1)
  })

  it('is complete, however the program chunks its output', async () => {
    const { list } = await listing(
      "process.stdin.on('data', () => { for (let n = 0; n < 3000; n++) out(row(n)); " +
        "setImmediate(() => out('.')); setTimeout(() => out('\\n'), 20) })",
    )
    expect((await list.list()).length).toBe(3000)
  })

  it('is empty when the program fails to start, exits or times out; the next request starts a new one', async () => {
    const missing = new WindowsProcessList({
      start: () => spawn('/nowhere/powershell.exe', [], { stdio: ['pipe', 'pipe', 'ignore'] }),
    })
    expect(await missing.list()).toEqual([])
    const ending = await listing(`process.stdin.once('data', () => { out(row(1)); process.exit(1) })`)
    expect([await ending.list.list(), await ending.list.list()]).toEqual([[], []])
    expect(ending.starts.length).toBe(2)
    const silent = await listing(`process.stdin.resume(); setInterval(() => {}, 1000)`, { limitMs: 500 })
    expect(await silent.list.list()).toEqual([])
  })
})
