import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { judgeCommand, rulesOf } from '../support/judge-command'
import { tempFolder } from '../support/temp-folder'

const read = (name: string): string[] =>
  readFileSync(join(import.meta.dirname, '..', 'support', name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): string => JSON.parse(line))

/**
 * Known ways to run `bad` (or `rm`), from other products or found here. Without the deny rule, all of them would be
 * allowed.
 */
const RUN = read('bypasses-run.jsonl')
const JUDGED = read('bypasses-judged.jsonl')
const rulesAgainst = (program: string) =>
  rulesOf(`deny Bash(${program} *)`, 'allow Bash', 'allow Write(**)', 'allow Read(**)')

/** A folder in which `bad` records that it ran, and `evil` contains programs with harmless names that do the same. */
async function scratch(): Promise<string> {
  const cwd = await tempFolder()
  const recording = { mode: 0o755 }
  const script = '#!/bin/sh\necho bad >> "$RAN"\n'
  for (const folder of ['bin', 'evil']) mkdirSync(join(cwd, folder))
  writeFileSync(join(cwd, 'bin', 'bad'), script, recording)
  for (const name of ['ls', 'env', 'cat', 'sh', 'time']) writeFileSync(join(cwd, 'evil', name), script, recording)
  writeFileSync(join(cwd, 'env'), script, recording)
  writeFileSync(join(cwd, 'a.txt'), 'a\n')
  writeFileSync(join(cwd, 's.sh'), 'bad\n')
  return cwd
}

/** Whether `bad` runs when bash executes this text, in its own process group, which is killed afterwards. */
async function really(text: string): Promise<boolean> {
  const cwd = await scratch()
  const ran = join(cwd, 'ran')
  writeFileSync(ran, '')
  await new Promise<void>((resolve) => {
    const env = { PATH: `${cwd}/bin:/usr/bin:/bin`, HOME: cwd, RAN: ran }
    const child = spawn('/bin/bash', ['-c', text], { cwd, env, stdio: 'ignore', detached: true })
    const stop = (): void => {
      try {
        process.kill(-child.pid!, 'SIGKILL')
      } catch {
        // It has ended.
      }
    }
    const timer = setTimeout(stop, 2000)
    child.once('close', () => {
      clearTimeout(timer)
      stop()
      resolve()
    })
  })
  return readFileSync(ran, 'utf8') !== ''
}

it.each(['ask', 'auto'] as const)(
  'no known bypass evades a deny rule in a session that allows everything else (mode %s)',
  async (mode) => {
    const cwd = await scratch()
    const passed: string[] = []
    for (const [commands, program] of [[RUN, 'bad'] as const, [JUDGED, 'rm'] as const]) {
      for (const command of commands)
        if ((await judgeCommand(command, { cwd, mode, rules: rulesAgainst(program) })).verdict === 'allow')
          passed.push(command)
    }
    expect(passed).toEqual([])
    expect(RUN.length + JUDGED.length).toBeGreaterThan(1200)
  },
)

it('the same rules let usual commands pass without asking needlessly', async () => {
  const cwd = await scratch()
  const asked: string[] = []
  for (const command of read('usual-commands.jsonl'))
    if ((await judgeCommand(command, { cwd, rules: rulesAgainst('rm') })).verdict !== 'allow') asked.push(command)
  expect(asked).toEqual([])
})

it('the bypasses are real: most of them run the program under plain bash', async () => {
  let ran = 0
  // Every fourth: enough to notice forms that have stopped working.
  const sample = RUN.filter((_, index) => index % 4 === 0)
  const left = [...sample]
  const work = async (): Promise<void> => {
    for (let text = left.pop(); text !== undefined; text = left.pop()) if (await really(text)) ran += 1
  }
  await Promise.all(Array.from({ length: 4 }, work))
  expect(ran).toBeGreaterThan(sample.length * 0.7)
}, 180_000)
