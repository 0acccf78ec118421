import { expect, it } from 'vitest'
import { COMMANDS, type CommandName } from './commands'
import { helpText } from './help'
import { parseCommand } from '../console/parse-command'
import { whichCommand } from './main'

const names = Object.keys(COMMANDS) as CommandName[]

/** The arguments of an example as a shell splits them, up to a pipe, a redirection or a comment. */
function wordsOf(example: string): string[] {
  const own = /(?:^|[|(] ?)trestle\b((?:"[^"]*"|[^|>#)"])*)/.exec(example)?.[1] ?? ''
  return [...own.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
}

it.each(names)('the help of %s has examples that parse', (name) => {
  const { examples } = COMMANDS[name]
  expect(examples.length).toBeGreaterThan(0)
  for (const example of examples) {
    expect(helpText(name)).toContain(`  ${example}\n`)
    const asked = whichCommand(wordsOf(example))
    expect(asked.command).toBe(name)
    if ('rest' in asked) parseCommand(asked.command, COMMANDS[asked.command], asked.rest)
  }
})

it('a negative number is a value or an argument, and other words with a dash are still options', () => {
  expect(parseCommand('settings', COMMANDS.settings, ['a', '-0.5'])).toMatchObject({ positionals: ['a', '-0.5'] })
  expect(parseCommand('print', COMMANDS.print, ['--max-steps', '-3'])).toMatchObject({ values: { 'max-steps': '-3' } })
  expect(() => parseCommand('print', COMMANDS.print, ['-x'])).toThrow('Unknown option -x')
})
