import headless from '@xterm/headless'
import { expect, it } from 'vitest'
import { ignoreTerminalQueries } from './xterm-setup'

it('a program in a view cannot change the title, the clipboard or the window, and gets no answers', async () => {
  const terminal = new headless.Terminal({ allowProposedApi: true })
  const events: string[] = []
  ignoreTerminalQueries(terminal)
  terminal.onTitleChange((title) => events.push(`title ${title}`))
  terminal.onData((data) => events.push(`answer ${JSON.stringify(data)}`))
  terminal.onBinary((data) => events.push(`answer ${JSON.stringify(data)}`))
  const title = ['0', '1', '2'].map((code) => `\u001b]${code};owned\u0007`).join('')
  const outside = `\u001b]52;c;aGFja2Vk\u0007\u001b]52;c;?\u0007\u001b]9;note\u0007\u001b]777;notify;a;b\u0007\u001b]1337;File=:x\u0007\u001b]7;file:///\u0007`
  const window = [
    ...['1', '2', '4;10;10', '8;5;5', '14', '18', '20', '21', '22;0', '23;0'].map((what) => `\u001b[${what}t`),
    '\u001b[c',
    '\u001b[6n',
    '\u001b]10;?\u0007',
  ].join('')
  await new Promise<void>((resolve) => terminal.write(`${title}${outside}${window}seen`, resolve))
  expect(events).toEqual([])
  expect(terminal.buffer.active.getLine(0)?.translateToString(true)).toBe('seen')
  expect([terminal.cols, terminal.rows]).toEqual([80, 24])
  terminal.dispose()
})
