import { describe, expect, it } from 'vitest'
import { whichCommand } from './main'

describe('the command line', () => {
  it.each([
    [[], { command: 'desktop', rest: [] }],
    [['version'], { command: 'version' }],
    [['help', 'print'], { command: 'help', about: 'print' }],
    [['--acp'], { command: 'acp', rest: [] }],
    [['-p', 'x', '-c'], { command: 'print', rest: ['x', '-c'] }],
    [['--model', 'a/b', '-p', 'x'], { command: 'print', rest: ['--model', 'a/b', 'x'] }],
    [['--yolo'], { command: 'chat', rest: ['--yolo'] }],
    [['--yolo', '--print', 'x'], { command: 'print', rest: ['--yolo', 'x'] }],
    [['--mcp-config-file=f', '-c'], { command: 'chat', rest: ['--mcp-config-file=f', '-c'] }],
    [['--print', 'x', '-c'], { command: 'print', rest: ['x', '-c'] }],
    [['--print', '-c', '--model', 'm'], { command: 'print', rest: ['-c', '--model', 'm'] }],
  ] as const)('%j selects a command', (args, asked) => expect(whichCommand(args)).toEqual(asked))

  it('treats -c TEXT after --print as the prompt, and hints at --continue', () => {
    expect(whichCommand(['--yolo', '--print', '-c', 'why?'])).toMatchObject({
      command: 'print',
      rest: ['--yolo', 'why?'],
      hint: expect.stringContaining('--continue') as string,
    })
  })

  it.each([
    [['vresion'], /Did you mean version/],
    [['--yollo'], /Did you mean --yolo/],
    [['help', 'chatt'], /Did you mean chat/],
  ])('%j is rejected with a suggestion', (args, message) => expect(() => whichCommand(args)).toThrow(message))
})
