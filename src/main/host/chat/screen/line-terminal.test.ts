import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { LineTerminal } from './line-terminal'

/** A terminal that shows what is typed, unless it is in raw mode; or a pipe. */
function open(isInteractive: boolean) {
  const input = Object.assign(new PassThrough(), {
    isRaw: false,
    setRawMode(isRaw: boolean) {
      input.isRaw = isRaw
    },
  })
  const out = new PassThrough()
  let shown = ''
  out.setEncoding('utf8').on('data', (text: string) => (shown += text))
  const terminal = new LineTerminal(input, out, isInteractive)
  onTestFinished(() => terminal.close())
  const type = (keys: string): void => {
    if (isInteractive && !input.isRaw) out.write(keys)
    input.write(keys)
  }
  return { terminal, input, type, shown: () => shown }
}

test('a simple terminal does not show a secret while it is typed', async () => {
  const { terminal, input, type, shown } = open(true)
  const read = terminal.readLine({ prompt: 'Token: ', isSecret: true })
  expect(input.isRaw).toBe(true)
  type('s3crex\u007ft\r')
  expect(await read).toEqual({ kind: 'line', text: 's3cret' })
  expect(input.isRaw).toBe(false)
  const next = terminal.readLine({ prompt: 'Name: ' })
  type('Ada\n')
  expect(await next).toEqual({ kind: 'line', text: 'Ada' })
  expect(shown()).toBe('Token: \nName: Ada\n')
})

test('Ctrl-C and an abort end the reading of a secret, and later lines are read as before', async () => {
  const { terminal, input, type } = open(true)
  const interrupted = terminal.readLine({ prompt: 'Token: ', isSecret: true })
  type('half\u0003')
  expect(await interrupted).toEqual({ kind: 'interrupt', text: '' })
  const abort = new AbortController()
  const aborted = terminal.readLine({ prompt: 'Token: ', isSecret: true, signal: abort.signal })
  abort.abort()
  expect(await aborted).toEqual({ kind: 'aborted', text: '' })
  expect(input.isRaw).toBe(false)
  const line = terminal.readLine({ prompt: '' })
  type('next\n')
  expect(await line).toEqual({ kind: 'line', text: 'next' })
})

test('a secret from a pipe is not repeated in the output', async () => {
  const { terminal, type, shown } = open(false)
  const read = terminal.readLine({ prompt: 'Token: ', isSecret: true })
  type('s3cret\n')
  expect(await read).toEqual({ kind: 'line', text: 's3cret' })
  expect(shown()).not.toContain('s3cret')
})
