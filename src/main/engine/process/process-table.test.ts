import { expect, test } from 'vitest'
import { parseListedTag } from './process-tag'
import { parseLsof } from '../task/host/listening-ports'
import { parsePs } from './process-table'

/** As `ps -AEww -o pid=,ppid=,pgid=,sess=,tpgid=,stat=,rss=,time=,lstart=,command=` prints it on macOS. */
const LISTING = `
    1     0     1      0     0 Ss    21344   1:02.50 Fri Nov 20 08:00:01 2026     /sbin/launchd
  812   810   812      0   812 S+     4096   0:00.25 Sat Nov 21 15:00:00 2026     node server.js --port 3000 PATH=/bin TRESTLE_TASK=bash-1 TRESTLE_CUSTODY=0123456789abcdef:42:777
  813   812   812      0   812 Z+        0   0:00.00 Sat Nov  1 15:00:00 2026     (sleep)
  814   812   812      0   812 R      1024 1-02:03:04 Sat Nov 21 15:00:01 2026     /usr/local/bin/python3.13 -m http.server
nonsense
`

test('parses ps output of macOS, with the tag after the command', () => {
  const [launchd, server, zombie, python, ...others] = parsePs(LISTING)
  expect(others).toEqual([])
  expect(launchd).toMatchObject({ pid: 1, parent: 0, state: 'S', cpuMs: 62_500, command: '/sbin/launchd' })
  expect(server).toMatchObject({
    pid: 812,
    parent: 810,
    group: 812,
    foreground: 812,
    memoryBytes: 4096 * 1024,
    cpuMs: 250,
  })
  expect(server).toMatchObject({ name: 'node', command: 'node server.js --port 3000' })
  expect(parseListedTag(server!.environment!)).toMatchObject({ taskId: 'bash-1', supervisor: { pid: 42 } })
  expect(zombie).toMatchObject({ state: 'Z' })
  expect(python).toMatchObject({ name: 'python3.13', cpuMs: ((26 * 60 + 3) * 60 + 4) * 1000 })
})

test('parses ports by process from lsof output', () => {
  const ports = parseLsof('p812\nf21\nn*:3000\nf22\nn127.0.0.1:9229\np900\nf3\nn[::1]:5432\nf4\nnlocalhost\n')
  expect([...ports]).toEqual([
    [
      812,
      [
        { port: 3000, address: '0.0.0.0' },
        { port: 9229, address: '127.0.0.1' },
      ],
    ],
    [900, [{ port: 5432, address: '::1' }]],
  ])
})
