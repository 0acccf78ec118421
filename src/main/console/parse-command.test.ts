import { describe, expect, test } from 'vitest'
import { noProjectOption, parseCommand, UsageError, type CommandSpec } from './parse-command'
import { parseAction, type ActionSpec } from './parse-action'
import { worktreeOption } from './session-options'

const SPEC: CommandSpec = {
  summary: 'Does something.',
  positionals: { name: 'prompt', help: '', max: 1, text: 'prompt' },
  options: {
    cwd: { type: 'string', value: 'DIR', help: '' },
    mode: { type: 'string', choices: ['ask', 'auto', '-1'], help: '' },
    json: { type: 'boolean', short: 'j', help: '' },
    add: { type: 'string', multiple: true, help: '' },
  },
  examples: [],
}
const parse = (...args: string[]) => parseCommand('print', SPEC, args)

describe('a command line', () => {
  test('is read in any order, with values after or attached to their option', () => {
    const expected = { values: { cwd: '/p', json: true, add: ['a', 'b'] }, positionals: ['hello'], hasSeparator: false }
    expect(parse('hello', '--cwd', '/p', '-j', '--add=a', '--add', 'b')).toMatchObject(expected)
    expect(parse('--add=a', '--cwd=/p', '--json', '--add', 'b', 'hello')).toMatchObject(expected)
  })

  test('accepts negative numbers as values', () => {
    expect(parse('--add', '-5', '--add=-1e3', '-7.5')).toMatchObject({
      values: { add: ['-5', '-1e3'] },
      positionals: ['-7.5'],
    })
    expect(parse('--mode', '-1').values['mode']).toBe('-1')
  })

  test('ends its options at --', () => {
    expect(parse('--', '--cwd')).toMatchObject({ positionals: ['--cwd'], hasSeparator: true })
  })

  test.each([
    [['--cwdd', '/p'], 'Unknown option --cwdd. Did you mean --cwd or --add?'],
    [['--constructor'], 'Unknown option --constructor.'],
    [['--toString=x'], 'Unknown option --toString.'],
    [['--__proto__', 'x'], 'Unknown option --__proto__.'],
    [['-x'], 'Unknown option -x.'],
    [['fix', '-p'], 'Unknown option -p. If it belongs to the prompt, put the whole prompt in quotes.'],
    [['--json=yes'], '--json takes no value.'],
    [['--cwd'], '--cwd needs a value: --cwd DIR.'],
    [['--cwd', '--json'], '--cwd needs a value: --cwd DIR.'],
    [['--cwd', ''], '--cwd needs a value and got an empty one: --cwd DIR.'],
    [['--mode', 'aks'], '--mode takes one of ask, auto, -1; not "aks". Did you mean ask?'],
    [['fix', 'the', 'bug'], 'Unexpected "the". Put the whole prompt in quotes.'],
  ])('%j is refused with what is wrong', (args, message) => {
    expect(() => parse(...args)).toThrow(new UsageError(message, 'print'))
  })
})

describe('options that do not fit together are rejected', () => {
  const values = (given: Record<string, string | boolean>, positionals: string[] = []) => ({
    values: given,
    positionals,
    hasSeparator: false,
  })

  test('--no-project with a project or session', () => {
    expect(noProjectOption(values({ 'no-project': true }), 'x')).toBe(true)
    expect(noProjectOption(values({ cwd: '/p' }), 'x')).toBe(false)
    for (const other of ['cwd', 'continue', 'session'])
      expect(() => noProjectOption(values({ 'no-project': true, [other]: 'y' }), 'x')).toThrow(`--${other} cannot`)
  })

  test('worktree options without a worktree, or with another session', () => {
    expect(worktreeOption(values({}), 'x')).toBeUndefined()
    expect(worktreeOption(values({ worktree: true, branch: 'a', changes: true }, [' fix ']), 'x')).toEqual({
      branch: 'a',
      changes: true,
      about: ' fix ',
    })
    expect(worktreeOption(values({ worktree: true }, [' ']), 'x')).toEqual({})
    expect(() => worktreeOption(values({ branch: 'a' }), 'x')).toThrow('--branch needs --worktree.')
    expect(() => worktreeOption(values({ worktree: true, session: 's' }), 'x')).toThrow('cannot be combined')
  })
})

describe('an action', () => {
  const ACTIONS: Record<'add' | 'list', ActionSpec> = {
    add: { options: ['json'], words: [1, 2], takes: 'a name' },
    list: { options: [], words: [0, 0], takes: 'no arguments' },
  }
  const act = (positionals: string[], given: Record<string, boolean> = {}) =>
    parseAction('provider', ACTIONS, { positionals, values: given, hasSeparator: false })

  test('is read with its arguments', () => {
    expect(act(['add', 'x'], { json: true, help: true })).toEqual({ action: 'add', words: ['x'] })
  })

  test.each([
    [[], {}, 'Specify an action: add, list.'],
    [['ad'], {}, 'Unknown "ad". Did you mean add? There are: add, list.'],
    [['constructor'], {}, 'Unknown "constructor". There are: add, list.'],
    [['list'], { json: true }, '--json cannot be used with list.'],
    [['add'], {}, 'add takes a name.'],
    [['list', 'x'], {}, 'list takes no arguments.'],
  ])('%j is refused with what is wrong', (positionals, given, message) => {
    expect(() => act(positionals, given as Record<string, boolean>)).toThrow(new UsageError(message, 'provider'))
  })
})
