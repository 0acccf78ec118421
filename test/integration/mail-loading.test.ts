import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { startModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig } from '../support/scratch'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
})

const ACCOUNT =
  '[mail.accounts.work]\naddress = "ada@example.com"\nimap_host = "imap.example.com"\nsmtp_host = "smtp.example.com"\n'

it.each([
  ['off', ''],
  ['on, while no mail is used', `[features]\nmail = true\n${ACCOUNT}`],
])('a turn loads nothing of the mail libraries and of the mail engine with mail %s', async (_name, config) => {
  const scratch = createScratch()
  undo.push(() => scratch.remove())
  const model = await startModelServer({ script: [{ text: 'Hello.' }] })
  undo.push(() => model.close())
  writeConfig(scratch.home, `${configFor(model.baseUrl)}${config}`)
  const [spy, list] = [join(scratch.home, 'spy.mjs'), join(scratch.home, 'loaded.txt')]
  // Words that occur in imapflow, mailparser, nodemailer and the mail engine.
  const marks = [
    'IDLE session failed',
    'Input cannot be null or undefined.',
    'Invalid greeting. response=',
    'is not the id of a message',
  ]
  writeFileSync(
    spy,
    `import { registerHooks } from 'node:module'
import { writeFileSync } from 'node:fs'
const found = new Set()
let files = 0
registerHooks({ load(url, context, next) {
  const loaded = next(url, context)
  files += 1
  const source = String(loaded.source ?? '')
  for (const mark of ${JSON.stringify(marks)}) if (source.includes(mark)) found.add(mark)
  return loaded
} })
process.on('exit', () => writeFileSync(${JSON.stringify(list)}, JSON.stringify({ files, found: [...found] })))`,
  )
  const { code, stdout } = await runCli(['print', 'Hello', '--cwd', scratch.project], {
    home: scratch.home,
    env: { NODE_OPTIONS: `--import ${JSON.stringify(spy)}` },
  })
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello.\n' })
  const { files, found } = JSON.parse(readFileSync(list, 'utf8')) as { files: number; found: string[] }
  expect(files).toBeGreaterThan(5)
  expect(found).toEqual([])
  // Else the marks would be wrong.
  const built = join(import.meta.dirname, '../../out/main/chunks')
  const chunks = readdirSync(built).map((name) => readFileSync(join(built, name), 'utf8'))
  expect(marks.filter((mark) => !chunks.some((text) => text.includes(mark)))).toEqual([])
})
