import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { describe, expect, it, onTestFinished } from 'vitest'

const FOLDER = join(import.meta.dirname, '..', 'terminal-bench')
const hasPython = spawnSync('python3', ['--version']).status === 0

function python(code: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('python3', ['-B', '-c', code, ...args], {
    cwd: FOLDER,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

describe.skipIf(!hasPython || process.platform === 'win32')('the adapter for Terminal-Bench', () => {
  it('is valid Python', () => {
    const code = 'import ast, sys\nfor name in sys.argv[1:]: ast.parse(open(name).read(), name)'
    expect(python(code, 'trestle_agent.py', 'trestle_command.py')).toBe('')
  })

  it('passes the instruction to the program verbatim, and keeps settings and result', () => {
    const home = mkdtempSync(join(tmpdir(), 'terminal-bench-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    mkdirSync(join(home, 'bin'))
    // Stands in the container for the installed program.
    writeFileSync(join(home, 'bin', 'trestle'), '#!/bin/sh\nfor word in "$@"; do printf "%s\\0" "$word"; done\n', {
      mode: 0o755,
    })
    const instruction = `--fix "it's" $HOME \`date\`;\nthen stop`
    const code =
      'import sys\nfrom trestle_command import run_command\n' +
      'print(run_command(sys.argv[1], "anthropic/claude-x", sys.argv[2], "high"))'
    const result = join(home, 'result file.json')
    const command = python(code, instruction, result)
    const env = { HOME: home, PATH: `${join(home, 'bin')}:${process.env['PATH']}` }
    expect(spawnSync('bash', ['-c', command], { env, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
    const words = readFileSync(result, 'utf8').split('\0').slice(0, -1)
    expect(words.join(' ')).toContain(
      'print --cwd . --permission-mode auto --output-format json --max-steps 200 --effort high -- ',
    )
    expect(words.at(-1)).toBe(instruction)
    expect(parse(readFileSync(join(home, '.trestle', 'config.toml'), 'utf8'))).toMatchObject({
      default_model: 'anthropic/claude-x',
      providers: { anthropic: { type: 'anthropic', api_key_env: 'ANTHROPIC_API_KEY' } },
      models: { 'anthropic/claude-x': { provider: 'anthropic', model: 'claude-x' } },
      sandbox: { mode: 'off' },
    })
  })

  it('reads the token counts of a result, and reports no counts for a truncated one', () => {
    const code = 'import sys\nfrom trestle_command import tokens_of\nprint(*tokens_of(sys.argv[1]))'
    expect(python(code, '{"usage":{"input":12,"output":3}}')).toBe('12 3\n')
    expect(python(code, '{"usage":{"inp')).toBe('0 0\n')
  })
})
