import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callTool } from '../../../../../test/support/call-tool'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { createWorkspace } from '../../workspace/workspace'
import { grepTool } from './grep'
import { readTool } from './read'

async function project() {
  const root = await tempFolder()
  const workspace = createWorkspace({ root })
  return {
    workspace,
    read: readTool({ workspace }),
    put: (name: string, content: string) => writeFile(join(root, name), content),
  }
}

describe('Read: within a long line', () => {
  /** Kept entirely in memory, and streamed. */
  it.for([
    ['small', 60_000],
    ['large', 400_000],
  ] as const)(
    'continues within a cut line to its end without losing or repeating a character: %s file',
    async ([, length]) => {
      const { put, read } = await project()
      const line = 'ab\u00e4\u20ac\u{1f600}'.repeat(length / 6)
      await put('a.txt', `first\n${line}\nlast\n`)
      const whole = await callTool(read, { path: 'a.txt' })
      let got = whole.text
        .split('\n')[1]!
        .replace(/^2\t/, '')
        .replace(/\.\.\.$/, '')
      let note = ''
      for (let next: number | undefined = got.length + 1; next !== undefined;) {
        const { text, details } = await callTool(read, { path: 'a.txt', line_offset: 2, char_offset: next })
        const [shown, said = ''] = text.split('\n')
        expect(details).toMatchObject({ line: 2, lines: 1 })
        got += shown!.replace(/^2\t/, '')
        note = said
        const more = /char_offset (\d+)\.\]$/.exec(said)
        next = more ? Number(more[1]) : undefined
      }
      expect(got).toBe(line)
      expect(note).toContain(`of the ${line.length} of line 2. The line ends here.`)
    },
  )

  it('shows the text that Grep reports as cut', async () => {
    const { put, read, workspace } = await project()
    await put('a.js', `${'\u20ac'.repeat(5_000)}NEEDLE${'z'.repeat(9_000)}\r\nnext\r\n`)
    const { text } = await callTool(grepTool({ workspace }), { pattern: 'NEEDLE', output_mode: 'content' })
    const [, first, total] = /a\.js:1 \(characters (\d+)-\d+ of (\d+)\)/.exec(text)!.map(Number)
    const part = await callTool(read, { path: 'a.js', line_offset: 1, char_offset: first })
    expect(part.text.slice(2)).toMatch(/^\u20ac{100}NEEDLEz{9000}\n\[/)
    expect(part.text).toContain(`of the ${total} of line 1. The line ends here.`)
  })

  it('splits no character at the cut', async () => {
    const { put, read } = await project()
    const line = `${'x'.repeat(1_999)}\u{1f600}${'y'.repeat(10)}`
    await put('small.txt', line)
    await put('large.txt', `${line}\n${'z'.repeat(400_000)}`)
    for (const path of ['small.txt', 'large.txt']) {
      expect((await callTool(read, { path })).text).toContain('char_offset 2001.')
      expect((await callTool(read, { path, char_offset: 2001 })).text).toMatch(/^1\t\u{1f600}y{10}\n/u)
    }
  })

  it('reports when the line has no such character, and accepts no number of lines with it', async () => {
    const { put, read } = await project()
    await put('a.txt', 'abc\n\n')
    expect(await callTool(read, { path: 'a.txt', char_offset: 4 })).toMatchObject({
      isError: true,
      text: 'Line 1 of a.txt has only 3 characters, so there is no character 4.',
    })
    expect((await callTool(read, { path: 'a.txt', line_offset: 2, char_offset: 1 })).isError).toBeUndefined()
    expect((await callTool(read, { path: 'a.txt', line_offset: 9, char_offset: 1 })).isError).toBe(true)
    expect((await callTool(read, { path: 'a.txt', n_lines: 2, char_offset: 1 })).text).toContain('a part of one line')
  })
})
