import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { openDatabase } from '../database/database'
import { readWalFrames, walProblem } from './write-ahead-log'

/** Commits as fast as it can to the store in `workerData`; the log restarts every few commits. */
const WRITER = `
const { workerData, parentPort } = require('node:worker_threads')
const db = new (require(workerData.sqlite))(workerData.file)
db.pragma('synchronous = OFF')
db.pragma('wal_autocheckpoint = 200')
const insert = db.prepare('INSERT OR REPLACE INTO t VALUES (?, randomblob(3000))')
let n = 0
const work = () => {
  for (const end = Date.now() + 20; Date.now() < end; n += 1) insert.run(n % 300)
  setImmediate(work)
}
parentPort.once('message', () => process.exit())
work()
parentPort.postMessage('ready')
`

test('a log that another process writes and restarts is not mistaken for a damaged one', async () => {
  const file = join(await tempFolder(), 'trestle.db')
  const db = openDatabase(file)
  onTestFinished(() => void db.close())
  db.exec('CREATE TABLE t (n INTEGER PRIMARY KEY, text BLOB)')
  const writer = new Worker(WRITER, {
    eval: true,
    workerData: { file, sqlite: createRequire(import.meta.url).resolve('better-sqlite3') },
  })
  onTestFinished(() => void writer.terminate())
  await new Promise((resolve) => writer.once('message', resolve))
  const found = Array.from({ length: 100 }, () => readWalFrames(`${file}-wal`).damage)
  expect(found.filter((damage) => damage !== undefined)).toEqual([])
  expect(walProblem(file)).toBeUndefined()
})

/** Creates and removes the log in `workerData` as fast as it can. */
const REMOVER = `
const { workerData, parentPort } = require('node:worker_threads')
const { unlinkSync, writeFileSync } = require('node:fs')
const work = () => {
  for (const end = Date.now() + 20; Date.now() < end;) {
    writeFileSync(workerData, 'log')
    unlinkSync(workerData)
  }
  setImmediate(work)
}
parentPort.once('message', () => process.exit())
work()
parentPort.postMessage('ready')
`

test('a log that another process removes while it is read is not a problem', async () => {
  const file = join(await tempFolder(), 'trestle.db')
  const remover = new Worker(REMOVER, { eval: true, workerData: `${file}-wal` })
  onTestFinished(() => void remover.terminate())
  await new Promise((resolve) => remover.once('message', resolve))
  const found = Array.from({ length: 50_000 }, () => walProblem(file))
  expect(found.filter((problem) => problem !== undefined)).toEqual([])
})

test('a frame overwritten in the middle of a log is reported as damage', async () => {
  const file = join(await tempFolder(), 'trestle.db')
  const db = openDatabase(file)
  onTestFinished(() => void db.close())
  db.exec('CREATE TABLE t (text TEXT)')
  for (let n = 0; n < 5; n += 1) db.prepare('INSERT INTO t VALUES (?)').run('words '.repeat(20))
  expect(walProblem(file)).toBeUndefined()
  const { length } = readFileSync(`${file}-wal`)
  const log = openSync(`${file}-wal`, 'r+')
  writeSync(log, Buffer.alloc(64, 7), 0, 64, Math.floor(length / 2))
  closeSync(log)
  expect(walProblem(file)).toMatch(/frame \d+ is damaged/)
})
