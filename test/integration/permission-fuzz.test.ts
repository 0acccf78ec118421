import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { plainCommand, parseWithTree } from '../../src/main/engine/approval/shell/parse-shell'
import { command, DENIED_STUBS, STUBS } from '../support/command-grammar'
import { judgeCommand, rulesOf } from '../support/judge-command'
import { RUNS_ALL } from '../support/sampled'
import { tempFolder } from '../support/temp-folder'

const CASES = Number(process.env['FUZZ_CASES'] ?? (RUNS_ALL ? 3000 : 1500))
/** Programs the generated commands use besides the stubs; nothing else is on PATH. */
const TOOLS = [
  'bash',
  'sh',
  'cat',
  'env',
  'nohup',
  'nice',
  'timeout',
  'setsid',
  'stdbuf',
  'xargs',
  'find',
  'awk',
  'sed',
  'wc',
  'echo',
  'printf',
  'true',
  'false',
]

/** A folder with the stubs; each appends its name to `ran`. */
async function stubs(): Promise<{ cwd: string; ran: string; path: string }> {
  const cwd = await tempFolder()
  const bin = join(cwd, 'bin')
  mkdirSync(bin)
  const ran = join(cwd, 'ran')
  for (const stub of STUBS) {
    writeFileSync(join(bin, stub), `#!/bin/sh\necho ${stub} >> '${ran}'\n`)
    chmodSync(join(bin, stub), 0o755)
  }
  for (const tool of TOOLS) {
    const real = ['/usr/bin', '/bin'].map((folder) => join(folder, tool)).find((path) => existsSync(path))
    if (real !== undefined) symlinkSync(real, join(bin, tool))
  }
  writeFileSync(join(cwd, 'a.txt'), 'a\n')
  return { cwd, ran, path: bin }
}

/** Runs a command for real, in its own process group, for two seconds at most. */
function run(text: string, { cwd, path }: { cwd: string; path: string }): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn('/bin/bash', ['-c', text], {
      cwd,
      env: { PATH: path, HOME: cwd },
      stdio: 'ignore',
      detached: true,
    })
    const timer = setTimeout(() => stop(child.pid), 2000)
    child.once('close', () => {
      clearTimeout(timer)
      stop(child.pid)
      resolve()
    })
  })
}

function stop(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

const rules = rulesOf(
  ...DENIED_STUBS.map((stub) => `deny Bash(${stub} *)`),
  ...'alpha beta gamma echo cat env sh bash find xargs awk sed printf declare export read test [ [[ let unset set f'
    .split(' ')
    .map((name) => `allow Bash(${name} *)`),
  'allow Write(**)',
)

it.each(['ask', 'auto'] as const)(
  'no command that is allowed runs a denied program (mode %s)',
  async (mode) => {
    const place = await stubs()
    let allowed = 0
    await fc.assert(
      fc.asyncProperty(command, async (text) => {
        const { verdict } = await judgeCommand(text, { rules, mode, cwd: place.cwd })
        if (verdict !== 'allow') return
        allowed += 1
        // Only commands that contain the name of a denied program, however split up, can run one; the others need not
        // be started.
        if (!/[bw]/.test(text)) return
        writeFileSync(place.ran, '')
        await run(text, place)
        expect(readFileSync(place.ran, 'utf8').split('\n')).not.toEqual(
          expect.arrayContaining([expect.stringMatching(/^(?:bad|worse)$/)]),
        )
      }),
      { numRuns: Math.ceil(CASES / 2) },
    )
    // Without simply refusing everything.
    expect(allowed).toBeGreaterThan(CASES / 100)
  },
  Math.max(120_000, CASES * 40),
)

it(
  'the fast path finds the same in a command as the parser',
  async () => {
    const piece = fc.constantFrom(
      'ls',
      ' ',
      '  ',
      '\t',
      '&&',
      '||',
      ';',
      '|',
      '&',
      '\n',
      "'a b'",
      '"c d"',
      '"$x"',
      'x=1',
      '-n',
      '2>&1',
      '>/dev/null',
      '2> /dev/null',
      '&>/dev/null',
      '>f',
      '#',
      '!',
      '{',
      '}',
      'if',
      'then',
      'fi',
      'time',
      'a#b',
      '(',
      '*',
      '=',
      '[',
      'export',
      '"a;b"',
      "'#'",
      '~',
      ',',
      '12',
      '>',
      '<',
      '!x',
      '%',
      '@',
      '"',
      "'",
      '\\',
    )
    let short = 0
    const compare = async (text: string): Promise<void> => {
      const plain = plainCommand(text)
      if (!plain) return
      short += 1
      const tree = await parseWithTree(text)
      // If the grammar reports an error, there is nothing to compare.
      if (tree.hidden.length > 0) return
      const seen = (view: typeof plain): unknown =>
        view.segments.map(({ words, assignments, redirections, repeated }) => ({
          words: words.map(({ text: word, known }) => [word, known]),
          assignments,
          redirections,
          repeated,
        }))
      expect({ text, view: seen(plain) }).toEqual({ text, view: seen(tree) })
    }
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 14 }), (pieces) => compare(pieces.join(''))),
      { numRuns: CASES * 3 },
    )
    await fc.assert(fc.asyncProperty(command, compare), { numRuns: CASES })
    expect(short).toBeGreaterThan(CASES / 10)
  },
  Math.max(60_000, CASES * 10),
)
