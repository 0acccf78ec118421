import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { windowsEntries, WindowsProcessList } from './windows-process-list'

const row = (...fields: (string | number)[]): string => fields.join('\t')
/** 2026-11-23 00:00:00 UTC and some seconds, as Windows counts. */
const created = (seconds: number): string => String(116_444_736_000_000_000n + BigInt(1_795_392_000 + seconds) * 10_000_000n)

describe('a listing of PowerShell', () => {
  it('is read field by field, with the number of a dead parent that was given to somebody else taken for none', () => {
    const entries = windowsEntries(
      [
        row(0, 0, 0, 123, 8192, 'System Idle Process', ''),
        row(100, 4, created(10), 20_000_000, 4096, 'node.exe', '"C:\\Program Files\\nodejs\\node.exe" server.js --port 3000'),
        row(101, 100, created(11), 0, 1024, 'bash.exe', 'bash -c "a b"'),
        row(102, 100, created(5), 0, 1024, 'older.exe', 'older.exe'),
        'nonsense',
        '',
      ].join('\r\n'),
    )
    expect(entries.map(({ pid }) => pid)).toEqual([0, 100, 101, 102])
    expect(entries[1]).toMatchObject({ name: 'node', cpuMs: 2000, memoryBytes: 4096, started: 1_795_392_010, state: 'R' })
    expect(entries[1]!.command).toBe('"C:\\Program Files\\nodejs\\node.exe" server.js --port 3000')
    expect(entries[2]!.parent).toBe(100)
    expect(entries[3]!.parent).toBe(0)
  })
})

describe('the list of processes', () => {
  const lists: WindowsProcessList[] = []
  afterEach(() => lists.splice(0).forEach((list) => list.close()))

  /** A program in place of PowerShell, and how often it was started. */
  async function listing(script: string, options: { limitMs?: number; idleMs?: number } = {}) {
    const folder = await tempFolder()
    const program = join(folder, 'lister.mjs')
    writeFileSync(
      program,
      `const row = (pid) => [pid, 1, 0, 0, 0, 'a.exe', 'a'].join('\\t') + '\\n'; const out = (text) => process.stdout.write(text)\n${script}`,
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

  it('comes from one program that is started once, and whoever asks meanwhile gets a later listing', async () => {
    const { list, starts } = await listing(`let n = 0; process.stdin.on('data', () => out(row(++n) + '.\\r\\n'))`)
    const [first, second] = await Promise.all([list.list(), list.list()])
    expect([first[0]?.pid, second[0]?.pid, (await list.list())[0]?.pid]).toEqual([1, 2, 3])
    expect(starts.length).toBe(1)
  })

  it('is whole, however the program writes it', async () => {
    const { list } = await listing(
      `process.stdin.on('data', () => { for (let n = 0; n < 3000; n++) out(row(n)); setImmediate(() => out('.')); setTimeout(() => out('\\n'), 20) })`,
    )
    expect((await list.list()).length).toBe(3000)
  })

  it('is empty when the program cannot be started, ends, or takes too long; and is asked of a new one the next time', async () => {
    const missing = new WindowsProcessList({ start: () => spawn('/nowhere/powershell.exe', [], { stdio: ['pipe', 'pipe', 'ignore'] }) })
    expect(await missing.list()).toEqual([])
    const ending = await listing(`process.stdin.once('data', () => { out(row(1)); process.exit(1) })`)
    expect([await ending.list.list(), await ending.list.list()]).toEqual([[], []])
    expect(ending.starts.length).toBe(2)
    const silent = await listing(`process.stdin.resume(); setInterval(() => {}, 1000)`, { limitMs: 500 })
    expect(await silent.list.list()).toEqual([])
  })
})
