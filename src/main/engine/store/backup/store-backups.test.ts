import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { backupsFolder, backupsOf, keepBackup, newestGoodBackup } from './backup-files'
import { createStoreBackups, type BackupInput, type BackupOutcome } from './store-backups'

const DAY = 24 * 60 * 60 * 1000
const NOW = Date.parse('2026-03-01T10:00:00Z')
const write = async (file: string): Promise<void> => writeFileSync(file, 'copy')

async function setUp(copy: (input: BackupInput) => Promise<BackupOutcome> = made) {
  const home = await tempFolder()
  writeFileSync(join(home, 'trestle.db'), 'store')
  const problems: string[] = []
  const backups = createStoreBackups({ home, now: () => NOW, onProblem: (one) => void problems.push(one), copy })
  const at = (): number[] => backupsOf(home, NOW).map((one) => one.at)
  return { home, backups, problems, at }
}

async function made({ target }: BackupInput): Promise<BackupOutcome> {
  await write(target)
  return { kind: 'made' }
}

describe('backups from a time when the clock was wrong', () => {
  test('neither prevent daily backups nor replace them', async () => {
    const { home, backups, at } = await setUp()
    for (let year = 1; year <= 7; year += 1) await keepBackup({ home, version: 1, now: NOW + year * 400 * DAY }, write)
    backups.takeIfDue()
    await backups.close()
    expect(at()[0]).toBe(NOW)
    expect(at()).toHaveLength(7)
    expect(backups.view().newestAt).toBe(NOW)
  })

  test('are used for a repair only when there are no others', async () => {
    const { home } = await setUp()
    const ahead = await keepBackup({ home, version: 1, now: NOW + 400 * DAY }, write)
    const right = await keepBackup({ home, version: 1, now: NOW }, write)
    expect(newestGoodBackup(home, NOW, () => true)?.file).toBe(right)
    expect(newestGoodBackup(home, NOW, (file) => file !== right)?.file).toBe(ahead)
  })
})

describe('a backup', () => {
  test('is not due while the newest is less than a day old', async () => {
    const { home, backups, at } = await setUp()
    await keepBackup({ home, version: 1, now: NOW - DAY + 1 }, write)
    backups.takeIfDue()
    await backups.close()
    expect(at()).toEqual([NOW - DAY + 1])
  })

  test.each<BackupOutcome>([
    { kind: 'full', reason: 'no space' },
    { kind: 'failed', reason: 'stopped' },
    { kind: 'damaged', reason: 'page 3' },
  ])('that fails ($kind) leaves earlier ones, removes its own files, and reports the reason', async (outcome) => {
    const { home, backups, problems, at } = await setUp(async ({ target }) => {
      await write(target)
      await write(`${target}-journal`)
      return outcome
    })
    await keepBackup({ home, version: 1, now: NOW - 2 * DAY }, write)
    backups.takeIfDue()
    await backups.close()
    expect(at()).toEqual([NOW - 2 * DAY])
    expect(readdirSync(backupsFolder(home))).toHaveLength(1)
    expect(problems).toEqual([expect.stringContaining(outcome.kind === 'made' ? '' : outcome.reason)])
    expect(readdirSync(home)).not.toContain('trestle.db.backup-lock')
  })

  test('that cannot be looked for is reported', async () => {
    const { home, backups, problems } = await setUp()
    writeFileSync(backupsFolder(home), 'not a folder')
    backups.takeIfDue()
    await backups.close()
    expect(problems).toEqual([expect.stringContaining('ENOTDIR')])
  })

  test('with an unknown name is left alone', async () => {
    const { home } = await setUp()
    mkdirSync(backupsFolder(home))
    writeFileSync(join(backupsFolder(home), 'trestle-mine.db'), 'mine')
    for (let n = 0; n < 8; n += 1) await keepBackup({ home, version: 1, now: NOW + n }, write)
    expect(readdirSync(backupsFolder(home)).map((name) => basename(name))).toContain('trestle-mine.db')
  })
})
