import { describe, expect, it } from 'vitest'
import type { McpPrompt } from '../../../shared/configuration/customize/mcp-content'
import {
  argumentAt,
  argumentHint,
  commandSent,
  isCommandAlone,
  matchingCommands,
  mentionAt,
  withArgument,
  withPaths,
  withResource,
  type SlashCommand,
} from './completion'

const PROMPTS: McpPrompt[] = [
  {
    server: 'Issues',
    name: 'triage',
    description: '',
    arguments: [
      { name: 'repo', required: true, description: 'owner/name' },
      { name: 'label', required: false },
    ],
  },
  { server: 'Issues', name: 'summary', description: '', arguments: [{ name: 'topic', required: true }] },
]

/** The argument at the bar. */
const at = (text: string) => argumentAt(PROMPTS, text.replace('|', ''), text.indexOf('|'))

describe('commands', () => {
  const sent: string[] = []
  const commands: SlashCommand[] = [
    { name: 'compact', description: 'Summarize', send: async (argument) => void sent.push(argument) },
    { name: 'mcp:Issues:Triage', description: 'Sort issues' },
    { name: 'stop', description: 'Stop the running turn', run: () => undefined },
  ]

  it('run with the text after the name, also over several lines', async () => {
    await commandSent(commands, '  /compact  keep\nthe plan \n')?.()
    await commandSent(commands, '/compact')?.()
    expect(sent.splice(0)).toEqual(['keep\nthe plan', ''])
  })

  it('are recognized ignoring case, as in the list', async () => {
    expect(matchingCommands(commands, 'COMP').map(({ name }) => name)).toEqual(['compact'])
    await commandSent(commands, '/Compact all')?.()
    expect(sent.splice(0)).toEqual(['all'])
    for (const query of ['mcp:Iss', 'mcp:iss', 'triage'])
      expect(matchingCommands(commands, query).map(({ name }) => name)).toEqual(['mcp:Issues:Triage'])
  })

  it('leave any other message to the agent', () => {
    for (const text of ['compact', 'do /compact', '/compactor', '/compact:now', '/stop', '/etc/hosts', '/'])
      expect(commandSent(commands, text)).toBeUndefined()
  })

  it('are found by their description only from three letters on', () => {
    expect(matchingCommands(commands, 'tu')).toEqual([])
    expect(matchingCommands(commands, 'turn').map(({ name }) => name)).toEqual(['stop'])
  })

  it('count as alone only without an argument', () => {
    expect(isCommandAlone(' /stop\n', commands[2]!)).toBe(true)
    expect(isCommandAlone('/stop now', commands[2]!)).toBe(false)
  })
})

describe('arguments of MCP prompts', () => {
  it('are those that have no value yet, in order, unless named', () => {
    expect(at('/mcp:Issues:triage ac|')).toMatchObject({ query: 'ac', argument: { name: 'repo' }, given: {} })
    expect(at('/mcp:Issues:triage acme/app |')).toMatchObject({
      query: '',
      argument: { name: 'label' },
      given: { repo: 'acme/app' },
    })
    expect(at('/mcp:Issues:triage label=b|')).toMatchObject({ query: 'b', argument: { name: 'label' } })
    expect(at('/mcp:Issues:triage a b |')).toBeUndefined()
  })

  it('of a prompt with one argument are the rest of the message, including spaces', () => {
    expect(at('/mcp:Issues:summary what is new|')).toMatchObject({ query: 'what is new' })
    expect(at('/mcp:Issues:summary topic=what is|')).toMatchObject({ query: 'what is' })
  })

  it('are not looked for in the name, within open quotes, or after an unknown command', () => {
    for (const text of ['/mcp:Issues:tri|age x', '/mcp:Issues:triage "a |', '/mcp:Other:x a|', 'hello |'])
      expect(at(text)).toBeUndefined()
  })

  it('are replaced by a value that is parsed back unchanged', () => {
    for (const value of ['plain', 'with space', 'say "hi"', 'back\\slash and space', "it's"]) {
      const text = '/mcp:Issues:triage a'
      const next = withArgument(text, at(`${text}|`)!, value)
      expect(next.caret).toBe(next.text.length)
      expect(argumentAt(PROMPTS, next.text, next.caret)?.given).toEqual({ repo: value })
    }
  })

  it('have a hint with their name, whether they are optional, and their description', () => {
    expect(PROMPTS[0]!.arguments.map((argument) => argumentHint({ argument }))).toEqual([
      'repo: owner/name',
      'label (optional)',
    ])
  })
})

describe('mentions', () => {
  it('of resources are quoted when they have spaces, and stay open when more is needed', () => {
    const mention = mentionAt('see @do', 7)!
    expect(withResource('see @do', mention, 'docs:file://a b', false)).toEqual({
      text: 'see @"docs:file://a b" ',
      caret: 23,
    })
    const open = withResource('see @do', mention, 'docs:issue://', true)
    expect(open).toEqual({ text: 'see @docs:issue://', caret: 18 })
    expect(mentionAt(open.text, open.caret)?.query).toBe('docs:issue://')
  })

  it('of dropped files are relative in the project, also on Windows, and absolute elsewhere', () => {
    const paths = ['/work/app/src/a b.ts', '/work/application/x.ts'].map((path) => ({ path, isFolder: false }))
    expect(withPaths('', 0, paths, '/work/app').text).toBe('@"src/a b.ts" @/work/application/x.ts ')
    expect(withPaths('', 0, [{ path: 'C:\\app\\src\\x.ts', isFolder: false }], 'C:\\app').text).toBe('@src\\x.ts ')
    expect(withPaths('', 0, [{ path: '/work/app/src', isFolder: true }], '/work/app').text).toBe('@src/ ')
  })

  it('of dropped files are separate words, with the caret after them', () => {
    const file = [{ path: '/x', isFolder: false }]
    expect(withPaths('look atthis', 7, file, undefined)).toEqual({ text: 'look at @/x this', caret: 12 })
    expect(withPaths('look at this', 8, file, undefined)).toEqual({ text: 'look at @/x this', caret: 12 })
    expect(withPaths('a\n', 2, file, undefined).text).toBe('a\n@/x ')
  })

  it('are found far into a long text', () => {
    const text = `${'word '.repeat(20_000)}@src`
    expect(mentionAt(text, text.length)).toEqual({ query: 'src', start: text.length - 4, end: text.length })
  })
})
