import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../support/temp-folder'

const SCRIPTS = join(import.meta.dirname, '../../scripts')

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The checks of a project whose tools never end, each with a child process, like a compiler. */
async function startChecks() {
  const root = await tempFolder()
  for (const name of ['check.ts', 'tracked-files.ts', 'spawn-together.ts', 'end-children.ts'])
    if (existsSync(join(SCRIPTS, name))) cpSync(join(SCRIPTS, name), join(root, 'scripts', name))
  const log = join(root, 'pids')
  writeFileSync(log, '')
  const busy = `
    const { spawn } = require('node:child_process')
    const { appendFileSync } = require('node:fs')
    const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'
    const { pid } = spawn(process.execPath, ['-e', wait], { stdio: 'ignore' })
    appendFileSync(${JSON.stringify(log)}, process.pid + ' ' + pid + '\\n')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  `
  const tools = ['oxlint/bin/oxlint', 'dependency-cruiser/bin/dependency-cruiser.mjs']
  for (const tool of tools) {
    const path = join(root, 'node_modules', tool)
    mkdirSync(dirname(path), { recursive: true })
    const isModule = path.endsWith('.mjs')
    const require = `import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)\n`
    writeFileSync(path, isModule ? `${require}${busy}` : busy)
  }
  writeFileSync(join(root, 'package.json'), '{ "type": "commonjs" }')
  writeFileSync(join(root, 'scripts', 'package.json'), '{ "type": "module" }')
  const git = spawn('git', ['init', '-q', root], { stdio: 'ignore' })
  await new Promise((resolve) => git.once('close', resolve))
  const checks = spawn(process.execPath, [join(root, 'scripts', 'check.ts')], { stdio: 'ignore' })
  const pids = (): number[] => readFileSync(log, 'utf8').split(/\s+/).filter(Boolean).map(Number)
  onTestFinished(() => {
    for (const pid of [checks.pid!, ...pids()]) if (lives(pid)) process.kill(pid, 'SIGKILL')
  })
  await expect.poll(() => pids().length).toBe(4)
  return { checks, pids: pids() }
}

test.skipIf(process.platform === 'win32').each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
  'nothing of the checks is left running when they are stopped by %s',
  async (signal) => {
    const { checks, pids } = await startChecks()
    expect(pids.filter(lives)).toEqual(pids)
    checks.kill(signal)
    await expect.poll(() => pids.filter(lives)).toEqual([])
  },
)
