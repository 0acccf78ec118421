import { describe, expect, it } from 'vitest'
import { CUSTODY_MARK } from '../custody-mark'
import { familyOf } from '../session-processes'
import { MarkedProcesses } from '../watch/marked-processes'
import type { ProcessEntry } from '../watch/process-entry'
import { listeningIn } from './ports-by-netstat'
import { msysProcesses, withMarks, withMsysFamilies } from './windows-process-table'

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
const tableOf = (entries: readonly ProcessEntry[]): Map<number, ProcessEntry> => new Map(entries.map((each) => [each.pid, each]))
const pidsOf = (entries: readonly ProcessEntry[]): number[] => entries.map(({ pid }) => pid).toSorted((a, b) => a - b)

/** As `ps -e` of Git Bash prints it. */
const PS = `      PID    PPID    PGID     WINPID   TTY         UID    STIME COMMAND
     2001       1    2001       5000  ?         197609 00:00:01 /usr/bin/bash
     2002    2001    2001       5200  ?         197609 00:00:02 /usr/bin/make
S    2003    2002    2001       5400  pty0      197609 00:00:03 /c/Program Files/nodejs/node
     2004       1    2001       5500  ?         197609 00:00:03 /usr/bin/sleep
     3000       1    3000       6000  pty1      197609 00:00:00 /usr/bin/bash
`

describe('families of Git Bash', () => {
  // Between any two of them there was a stub that has ended, so Windows says 9991, 9992 and so on.
  const windows = [
    entry(5000, 10),
    entry(5200, 9991),
    entry(5400, 9992),
    entry(5401, 5400),
    entry(5500, 9993),
    entry(6000, 10),
    entry(7000, 10),
  ]

  it('are read from its ps', () => {
    expect(msysProcesses(PS)).toHaveLength(5)
    expect(msysProcesses(PS)[2]).toEqual({ pid: 2003, parent: 2002, group: 2001, windowsPid: 5400 })
  })

  it('make whole again what Windows has lost the parents of, and no other process', () => {
    expect(pidsOf(familyOf(tableOf(windows), 5000))).toEqual([5000])
    expect(pidsOf(familyOf(tableOf(withMsysFamilies(windows, msysProcesses(PS))), 5000))).toEqual([5000, 5200, 5400, 5401, 5500])
  })

  it('hold together when their first process is gone', () => {
    const leaders = new Map<number, number>()
    withMsysFamilies(windows, msysProcesses(PS), leaders)
    const later = msysProcesses(PS).filter(({ pid }) => pid !== 2001)
    const left = withMsysFamilies(
      windows.filter(({ pid }) => pid !== 5000),
      later,
      leaders,
    )
    expect(pidsOf(familyOf(tableOf(left), 5000))).toEqual([5200, 5400, 5401, 5500])
    withMsysFamilies(
      windows,
      msysProcesses(PS).filter(({ group }) => group === 3000),
      leaders,
    )
    expect([...leaders.keys()]).toEqual([3000])
  })
})

describe('marks on Windows', () => {
  const roots = new Map([[5000, { taskId: 'bash-1', custody: 'abc:42:777', startedAt: 101 }]])

  it('belong to a process and all below it, so that a stop, the list of processes and their usage find them', () => {
    const entries = withMarks([entry(5000, 10, 100.5), entry(5001, 5000, 102), entry(5002, 5001, 103), entry(7000, 10, 90)], roots)
    expect(entries[0]!.environment).toContain(`${CUSTODY_MARK}=abc:42:777`)
    const found = new MarkedProcesses().find(tableOf(entries)).get('bash-1') ?? []
    expect(pidsOf(found.map((each) => each.entry))).toEqual([5000, 5001, 5002])
  })

  it('do not pass to a later process that got the number of one that has ended', () => {
    const entries = withMarks([entry(5000, 10, 5000), entry(5001, 5000, 5001)], roots)
    expect(new MarkedProcesses().find(tableOf(entries)).size).toBe(0)
  })
})

describe('netstat', () => {
  it('tells who listens where, in any language of Windows', () => {
    const ports = listeningIn(`
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
