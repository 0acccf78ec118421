import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callTool } from '../../../../../test/support/call-tool'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { createWorkspace } from '../../workspace/workspace'
import { grepTool } from './grep'

async function project(files: Record<string, string>) {
  const root = await tempFolder()
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), content)
  }
  return { grep: grepTool({ workspace: createWorkspace({ root }) }) }
}

describe('Grep: long lines', () => {
  it('cuts a long line to the text around its first match, reports its position, and shows later matches', async () => {
    const { grep } = await project({
      'a.txt': `${'y'.repeat(250_000)}NEEDLE${'z'.repeat(250_000)}\nshort NEEDLE\n`,
      'b.txt': 'NEEDLE',
    })
    const { text } = await callTool(grep, { pattern: 'NEEDLE', output_mode: 'content' })
    const [first, ...rest] = text.split('\n')
    expect(first).toMatch(/^a\.txt:1:…y{300}NEEDLEz{694}…$/)
    expect(rest).toEqual([
      'a.txt:2:short NEEDLE',
      'b.txt:1:NEEDLE',
      '[Lines over 2000 bytes are cut to what surrounds their first match: ' +
        'a.txt:1 (characters 249701-250700 of 500006). Read shows more of a line with char_offset.]',
    ])
  })

  it('counts the characters of a cut line as Read does, and splits none', async () => {
    const line = `${'ä日😀'.repeat(1_000)}NEEDLE${'😀'.repeat(1_000)}`
    const { grep } = await project({ 'a.txt': line })
    const { text } = await callTool(grep, { pattern: 'NEEDLE', output_mode: 'content' })
    const [, first, last, total] = /characters (\d+)-(\d+) of (\d+)/.exec(text)!.map(Number)
    expect(total).toBe(line.length)
    expect(text.split('\n')[0]).toBe(`a.txt:1:…${line.slice(first! - 1, last)}…`)
    expect(text).not.toContain('\ufffd')
  })

  it.for(['content', 'count_matches', 'files_with_matches'] as const)(
    'finds a match in a line of 20 MB: %s',
    async (output_mode) => {
      const { grep } = await project({ 'big.json': `${'y'.repeat(20_000_000)}NEEDLE${'z'.repeat(1000)}\nNEEDLE` })
      for (const multiline of [false, true]) {
        const { text } = await callTool(grep, { pattern: 'NEEDLE', output_mode, multiline })
        expect(text.slice(0, 2_000)).toContain('big.json')
        expect(text).not.toContain('No matches')
        expect(output_mode !== 'content' || /:1:…y+NEEDLEz+…\nbig\.json:2:NEEDLE\n/.test(text)).toBe(true)
      }
    },
  )

  it('cuts long lines of context and the later lines of a multiline match', async () => {
    const { grep } = await project({
      'a.txt': `${'c'.repeat(5_000)}\n${'b'.repeat(4_000)}START\n${'d'.repeat(5_000)}END\n`,
    })
    const around = await callTool(grep, { pattern: 'START', output_mode: 'content', '-C': 1 })
    expect(around.text).toMatch(/^a\.txt-1-c{1000}…\na\.txt:2:…b{300}START\na\.txt-3-d{1000}…\n\[/)
    const across = await callTool(grep, { pattern: 'START\\n.*END', output_mode: 'content', multiline: true })
    expect(across.text).toMatch(/^a\.txt:2:…b{300}START\na\.txt:3:…d{1000}…\n\[/)
  })
})

describe('Grep: binary files', () => {
  it.for(['content', 'count_matches', 'files_with_matches'] as const)(
    'names matching binary files of a folder when no text matches, and how to inspect them: %s',
    async (output_mode) => {
      const { grep } = await project({
        'lib/a.bin': 'NEEDLE\0y',
        'b.txt': 'x',
        '.env': '\0NEEDLE',
        'ignored.bin': '\0NEEDLE',
        '.gitignore': 'ignored.bin',
      })
      for (const pattern of ['NEEDLE', '(?=NEED)NEEDLE']) {
        const { text } = await callTool(grep, { pattern, output_mode })
        expect(text).toContain(
          'No matches found in text files. Binary files that match: lib/a.bin. ' +
            'To see what a binary file says there, use `grep -a`',
        )
        expect(text).not.toContain('ignored.bin')
      }
      expect((await callTool(grep, { pattern: 'nowhere', output_mode })).text).toBe(
        'No matches found\n[Sensitive files are not searched: .env]',
      )
    },
  )

  it('reports how to inspect a binary file that is searched by name', async () => {
    const { grep } = await project({ 'a.bin': 'NEEDLE\0y' })
    expect((await callTool(grep, { pattern: 'NEEDLE', path: 'a.bin', output_mode: 'content' })).text).toMatch(
      /^a\.bin: binary file matches.*\n\[To see what a binary file says there, use `grep -a`/,
    )
  })
})

describe('Grep: limits of PCRE2', () => {
  it('distinguishes a matching limit of PCRE2 from an invalid pattern, with the files and advice', async () => {
    const { grep } = await project({ 'p.txt': `${'a'.repeat(60)}b\n`, 'q.txt': 'hello\n' })
    for (const output_mode of ['content', 'count_matches', 'files_with_matches'] as const) {
      const alone = await callTool(grep, { pattern: '(?=(a+)+$)(a+)+c|nowhere', output_mode })
      expect(alone).toMatchObject({
        isError: true,
        text: expect.stringMatching(/pattern is valid.*possessive[^]*p\.txt: PCRE2: .*limit/),
      })
      expect(alone.text).not.toContain('not a valid')
      const partly = await callTool(grep, { pattern: '(?=(a+)+$)(a+)+c|hello', output_mode })
      expect(partly.isError).toBeUndefined()
      expect(partly.text).toMatch(/q\.txt[^]*Not searched[^]*p\.txt: PCRE2: .*limit/)
    }
    expect(await callTool(grep, { pattern: 'a{1000}{1000}{10}' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('too large'),
    })
  })
})
