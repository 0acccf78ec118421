import { execFileSync } from 'node:child_process'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { mkdir, open, rename, symlink, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callContext } from '../../../../../test/support/call-context'
import { callTool, prepareCall } from '../../../../../test/support/call-tool'
import { makePdf } from '../../../../../test/support/pdf'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { createWorkspace } from '../../workspace/workspace'
import { readTool } from './read'

async function project() {
  const base = await tempFolder()
  const root = join(base, 'project')
  await mkdir(root)
  const workspace = createWorkspace({ root })
  const put = async (name: string, content: string | Uint8Array) => {
    await writeFile(join(root, name), content)
    return join(root, name)
  }
  return { base, root, workspace, put, read: readTool({ workspace }) }
}

const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')
const noteOf = (text: string): string => text.slice(text.lastIndexOf('\n') + 1)

describe('Read: lines', () => {
  it('numbers lines, reports that it is the whole file, and remembers the content read', async () => {
    const { put, read, workspace } = await project()
    const path = await put('a.txt', 'one\ntwo\n')
    const { text, details, isError } = await callTool(read, { path: 'a.txt' })
    const hash = createHash('sha256').update('one\ntwo\n').digest('hex')
    expect(isError).toBeUndefined()
    expect(text).toBe('1\tone\n2\ttwo\n[All 2 lines of the file.]')
    expect(details).toEqual({ kind: 'file', path, line: 1, lines: 2, hash })
    expect(workspace.reads.lastRead(path)).toBe(hash)
  })

  it('adds no line after the last newline, and reports a missing one', async () => {
    const { put, read } = await project()
    await put('a', 'x')
    await put('b', 'x\n\n')
    await put('empty', '')
    expect((await callTool(read, { path: 'a' })).text).toBe('1\tx\n[All 1 line of the file. No newline at the end.]')
    expect((await callTool(read, { path: 'b' })).text).toBe('1\tx\n2\t\n[All 2 lines of the file.]')
    expect((await callTool(read, { path: 'empty' })).text).toBe('[The file is empty: 0 lines.]')
  })

  it('stops at 1000 lines and reports how to continue', async () => {
    const { put, read } = await project()
    await put('a', numbered(2_500))
    const first = await callTool(read, { path: 'a' })
    expect(first.text.split('\n')).toHaveLength(1_001)
    expect(noteOf(first.text)).toBe('[Lines 1-1000 of 2500. Stopped at 1000 lines. Continue with line_offset 1001.]')
    const last = await callTool(read, { path: 'a', line_offset: 2_001 })
    expect(last.text.startsWith('2001\tline 2001\n')).toBe(true)
    expect(noteOf(last.text)).toBe('[Lines 2001-2500 of 2500.]')
  })

  it('shows exactly the requested lines, but no more than 1000', async () => {
    const { put, read } = await project()
    await put('a', numbered(3_000))
    const few = await callTool(read, { path: 'a', line_offset: 10, n_lines: 2 })
    expect(few.text).toBe('10\tline 10\n11\tline 11\n[Lines 10-11 of 3000. Continue with line_offset 12.]')
    expect(few.details).toMatchObject({ line: 10, lines: 2 })
    expect(noteOf((await callTool(read, { path: 'a', n_lines: 2_000 })).text)).toContain('Stopped at 1000 lines')
  })

  it('counts from the end with a negative offset', async () => {
    const { put, read } = await project()
    await put('a', numbered(50))
    expect((await callTool(read, { path: 'a', line_offset: -2 })).text).toBe(
      '49\tline 49\n50\tline 50\n[Lines 49-50 of 50.]',
    )
    expect((await callTool(read, { path: 'a', line_offset: -3, n_lines: 1 })).text).toMatch(
      /^48\tline 48\n\[Lines 48-48 of 50. Continue with line_offset 49/,
    )
    expect(noteOf((await callTool(read, { path: 'a', line_offset: -500 })).text)).toBe('[All 50 lines of the file.]')
  })

  it("reports the file's length when the offset is past its end, and does not count it as read", async () => {
    const { put, read, workspace } = await project()
    const path = await put('a', numbered(3))
    expect(await callTool(read, { path: 'a', line_offset: 9 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('has only 3 lines'),
    })
    expect(workspace.reads.lastRead(path)).toBeUndefined()
  })

  it('stops at 100 KB of output, counted in bytes', async () => {
    const { put, read } = await project()
    await put('a', `${'\u20ac'.repeat(300)}\n`.repeat(900))
    const { text } = await callTool(read, { path: 'a' })
    const body = text.slice(0, text.lastIndexOf('\n') + 1)
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(102_400)
    expect(Buffer.byteLength(body)).toBeGreaterThan(101_000)
    const shown = body.split('\n').length - 1
    expect(noteOf(text)).toBe(`[Lines 1-${shown} of 900. Stopped at 100 KB. Continue with line_offset ${shown + 1}.]`)
    const next = await callTool(read, { path: 'a', line_offset: shown + 1, n_lines: 1 })
    expect(next.text.startsWith(`${shown + 1}\t\u20ac`)).toBe(true)
  })

  it('fits its own result limit, so what it shows is never replaced by a preview', async () => {
    const { put, read } = await project()
    await put('a', `${'x'.repeat(5_000)}\n`.repeat(900))
    const { text } = await callTool(read, { path: 'a' })
    expect(text.length).toBeLessThan(read.maxResultChars!)
  })

  it('cuts long lines and lists them, without halving a character', async () => {
    const { put, read } = await project()
    await put('a', `${'x'.repeat(2_000)}\n${'x'.repeat(1_999)}\u{1f600}\nshort\n${'\u{1f600}'.repeat(3_000)}`)
    const { text } = await callTool(read, { path: 'a' })
    const lines = text.split('\n')
    expect(lines[0]).toBe(`1\t${'x'.repeat(2_000)}`)
    expect(lines[1]).toBe(`2\t${'x'.repeat(1_999)}...`)
    expect(lines[3]).toBe(`4\t${'\u{1f600}'.repeat(1_000)}...`)
    expect(text.isWellFormed()).toBe(true)
    expect(noteOf(text)).toContain(
      'Cut at 2000 characters: lines 2, 4. Continue in one with line_offset and char_offset 2001.',
    )
  })
})

describe('Read: endings and encodings', () => {
  it('hides CRLF when all lines have it, and shows each \\r when they differ', async () => {
    const { put, read } = await project()
    await put('crlf', 'a\r\nb\r\n')
    await put('mixed', 'a\r\nb\nc\rd\n')
    expect((await callTool(read, { path: 'crlf' })).text).toBe(
      '1\ta\n2\tb\n[All 2 lines of the file. CRLF line endings.]',
    )
    expect((await callTool(read, { path: 'mixed' })).text).toMatch(
      /^1\ta\\r\n2\tb\n3\tc\\rd\n\[All 3 lines of the file. Mixed line endings/,
    )
  })

  it.each([
    ['UTF-8 with BOM', Buffer.from('\ufeffgr\u00fc\u00df\nx')],
    ['UTF-16 LE', Buffer.from('\ufeffgr\u00fc\u00df\nx', 'utf16le')],
    ['UTF-16 BE', Buffer.from('\ufeffgr\u00fc\u00df\nx', 'utf16le').swap16()],
  ])('reads %s and reports it', async (name, bytes) => {
    const { put, read, workspace } = await project()
    const path = await put('a', bytes)
    expect((await callTool(read, { path: 'a' })).text).toBe(
      `1\tgr\u00fc\u00df\n2\tx\n[All 2 lines of the file. Encoding ${name}. No newline at the end.]`,
    )
    expect(workspace.reads.lastRead(path)).toBe(createHash('sha256').update(bytes).digest('hex'))
  })

  it('reads larger UTF-16 files up to 10 MiB and refuses beyond', async () => {
    const { put, read } = await project()
    await put('ok', Buffer.from(`\ufeff${numbered(100_000)}`, 'utf16le'))
    await put('big', Buffer.from(`\ufeff${'x'.repeat(6 * 1024 * 1024)}`, 'utf16le'))
    expect(noteOf((await callTool(read, { path: 'ok', line_offset: -1 })).text)).toBe(
      '[Lines 100000-100000 of 100000. Encoding UTF-16 LE.]',
    )
    expect(await callTool(read, { path: 'big' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('larger than 10 MiB'),
    })
  })

  it('refuses binary files with their type and sends pictures to ReadMediaFile', async () => {
    const { put, read, workspace } = await project()
    const path = await put('a.png', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'))
    await put('a.bin', Buffer.from([1, 2, 0, 3]))
    await put('latin1.txt', Buffer.from('gr\u00fc\u00df', 'latin1'))
    expect(await callTool(read, { path: 'a.png' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/PNG image.*ReadMediaFile/),
    })
    expect((await callTool(read, { path: 'a.bin' })).text).toContain('binary data')
    expect((await callTool(read, { path: 'latin1.txt' })).text).toContain('ISO-8859-1')
    expect(workspace.reads.lastRead(path)).toBeUndefined()
  })
})

describe('Read: files that are not ordinary', () => {
  it('refuses folders, pipes, sockets and devices without hanging', async () => {
    const { base, root, read } = await project()
    await mkdir(join(root, 'folder'))
    execFileSync('/usr/bin/env', ['mkfifo', join(root, 'pipe')])
    const server = createServer().listen(join(base, 's'))
    await once(server, 'listening')
    expect((await callTool(read, { path: 'folder' })).text).toBe('folder is a folder, not a file. Use ListDirectory.')
    expect((await callTool(read, { path: 'pipe' })).text).toContain('is a named pipe')
    expect((await callTool(read, { path: join(base, 's') })).text).toContain('is a socket')
    // They are not even opened, because a device may react to that.
    expect((await callTool(read, { path: join(base, 's'), pages: '1' })).text).toContain('is a socket')
    expect((await callTool(read, { path: '/dev/zero' })).text).toContain('is a device')
    server.close()
    await once(server, 'close')
  })

  it.skipIf(process.platform !== 'linux')('reads files of /proc, whose size is 0', async () => {
    const { read } = await project()
    expect((await callTool(read, { path: '/proc/version' })).text).toMatch(/^1\tLinux version/)
  })

  it('refuses sensitive files before anything else, even behind a link', async () => {
    const { root, put, read } = await project()
    await put('.env', 'KEY=secret')
    await put('.env.example', 'KEY=')
    await symlink(join(root, '.env'), join(root, 'innocent'))
    for (const path of ['.env', 'innocent', '~/.ssh/id_rsa', '../.env.local']) {
      const { text, isError } = await callTool(read, { path })
      expect({ path, isError, text }).toEqual({ path, isError: true, text: expect.stringContaining('is protected') })
      expect(text).not.toContain('secret')
    }
    expect((await callTool(read, { path: '.env.example' })).isError).toBeUndefined()
  })

  it('does not follow a link that was redirected after it was judged', async () => {
    const { base, root, put, read } = await project()
    await put('inside', 'inside')
    await writeFile(join(base, 'outside'), 'outside')
    await symlink('inside', join(root, 'link'))
    const call = await prepareCall(read, { path: 'link' })
    expect(call).toMatchObject({
      summary: 'link -> inside',
      accesses: [{ kind: 'file', path: join(root, 'inside'), write: false }],
    })
    await symlink('../outside', join(root, 'other'))
    await rename(join(root, 'other'), join(root, 'link'))
    const result = await call.run(callContext())
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('now leads to') }] })
  })

  it('offers to allow a folder outside the project, but needs no permission inside', async () => {
    const { base, put, read } = await project()
    await put('a', 'a')
    expect((await prepareCall(read, { path: 'a' })).rememberAs).toBeUndefined()
    expect((await prepareCall(read, { path: '../x/y.txt' })).rememberAs).toMatchObject({
      key: `read:${join(base, 'x')}`,
      label: `Allow reading in ${join(base, 'x')} for this session`,
      coveredBy: expect.arrayContaining([`read:${base}`, `edit:${join(base, 'x')}`]),
    })
  })

  it('reports what is wrong with a path that does not exist, and similar paths', async () => {
    const { root, put, read } = await project()
    await put('README.md', 'x')
    await put('e\u0301te\u0301.txt', 'x')
    await put('Screenshot 10\u202fAM.txt', 'x')
    expect((await callTool(read, { path: 'nothing.txt' })).text).toBe(
      'nothing.txt does not exist. Find the right path with Glob or ListDirectory.',
    )
    expect((await callTool(read, { path: 'readme.MD' })).text).toContain(
      'There is "README.md": upper and lower case differ.',
    )
    const { text } = await callTool(read, { path: 'Screenshot 10 AM.txt' })
    expect(text).toContain('it has U+202F where the name you gave has an ordinary space')
    expect(text).toMatch(/: "Screenshot 10\\u202fAM\.txt"$/)
    expect((await callTool(read, { path: '\u00e9t\u00e9.txt' })).text).toMatch(
      /another Unicode form.*: "e\\u0301te\\u0301\.txt"$/,
    )
    expect((await callTool(read, { path: 'file:///tmp/README.md' })).text).toContain(
      'A path is not a URL: leave out file://',
    )
    expect((await callTool(read, { path: 'bad\ufffd.txt' })).text).toContain('not valid UTF-8')
    await symlink('gone', join(root, 'dangling'))
    expect((await callTool(read, { path: 'dangling' })).text).toContain(
      'dangling is a symbolic link to "gone", which does not exist.',
    )
    expect((await callTool(read, { path: 'README.md/x' })).text).toContain('below something that is a file')
    expect((await callTool(read, { path: 'a\0b' })).text).toContain('NUL')
  })
})

describe('Read: large files', () => {
  it('streams: a line beyond the first chunks, characters across chunk borders, the whole hash', async () => {
    const { put, read, workspace } = await project()
    const content = '\u20ac\u{1f600}x'.repeat(300_000).replace(/(.{97})/gu, '$1\n')
    const path = await put('a', content)
    const lines = content.split('\n')
    const { text } = await callTool(read, { path: 'a', line_offset: lines.length - 1, n_lines: 1 })
    expect(text.split('\n')[0]).toBe(`${lines.length - 1}\t${lines.at(-2)}`)
    expect((await callTool(read, { path: 'a', line_offset: -1 })).text.split('\n')[0]).toBe(
      `${lines.length}\t${lines.at(-1)}`,
    )
    expect(workspace.reads.lastRead(path)).toBe(createHash('sha256').update(content).digest('hex'))
  })

  it('notices binary data and line endings far beyond what it shows', async () => {
    const { put, read } = await project()
    await put('bin', Buffer.concat([Buffer.from(numbered(200_000)), Buffer.from([0xff, 0xfe])]))
    await put('nul', `${numbered(200_000)}\0`)
    await put('cut', Buffer.concat([Buffer.from(numbered(200_000)), Buffer.from([0xe2, 0x82])]))
    await put('mixed', `${numbered(200_000)}x\r\n`)
    for (const path of ['bin', 'nul', 'cut'])
      expect(await callTool(read, { path, n_lines: 1 })).toMatchObject({ isError: true })
    expect((await callTool(read, { path: 'mixed', n_lines: 1 })).text).toContain('Mixed line endings')
  })

  it('does not load a large file, nor a huge line', async () => {
    const { root, read, workspace } = await project()
    const path = join(root, 'huge')
    const handle = await open(path, 'w')
    const line = `${'x'.repeat(99)}\n`
    const block = Buffer.from(line.repeat(160_000))
    for (let written = 0; written < 6; written++) await handle.write(block)
    await handle.write(Buffer.alloc(32 * 1024 * 1024, 'y'))
    await handle.write('\nend\n')
    await handle.close()
    const before = process.memoryUsage().rss
    const start = await callTool(read, { path: 'huge', n_lines: 2 })
    expect(start.text.split('\n')[1]).toBe(`2\t${'x'.repeat(99)}`)
    const tail = await callTool(read, { path: 'huge', line_offset: -2 })
    const [long, end] = tail.text.split('\n')
    expect(long).toMatch(/^-?\d+\ty{2000}\.\.\.$/)
    expect(end).toMatch(/^-?\d+\tend$/)
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024)
    expect(workspace.reads.lastRead(path)).toMatch(/^large:/)
  })

  it('stops soon when the turn is stopped', async () => {
    const { put, read } = await project()
    await put('a', numbered(200_000))
    expect(await callTool(read, { path: 'a' }, AbortSignal.abort())).toMatchObject({
      isError: true,
      text: expect.stringContaining('Stopped'),
    })
  })
})

describe('Read: what it declares', () => {
  it('summarizes the range for the user', async () => {
    const { read } = await project()
    const summary = async (input: Parameters<typeof read.prepare>[0]) => (await prepareCall(read, input)).summary
    expect(await summary({ path: './a.ts' })).toBe('a.ts')
    expect(await summary({ path: 'a.ts', line_offset: 5 })).toBe('a.ts (from line 5)')
    expect(await summary({ path: 'a.ts', line_offset: 5, n_lines: 3 })).toBe('a.ts (lines 5-7)')
    expect(await summary({ path: 'a.ts', line_offset: -5 })).toBe('a.ts (last 5 lines)')
  })
})

describe('Read: PDFs', () => {
  const pages = Array.from({ length: 30 }, (_, index) => `Page number ${index + 1}`)

  it('returns a short one as a document with its text', async () => {
    const { put, read } = await project()
    const pdf = makePdf(pages.slice(0, 2))
    await put('a.pdf', pdf)
    const { content } = await callTool(read, { path: 'a.pdf' })
    expect(content).toEqual([
      {
        type: 'text',
        text: 'a.pdf: PDF document, 2 pages, 1 kB.'.replace('1 kB', `${Math.ceil(pdf.length / 1000)} kB`),
      },
      {
        type: 'media',
        mediaType: 'application/pdf',
        data: pdf.toString('base64'),
        name: 'a.pdf',
        text: '[Page 1 of 2]\nPage number 1\n\n[Page 2 of 2]\nPage number 2',
        pages: 2,
      },
    ])
  })

  it('returns the text of the requested pages, and as much as fits of a long one', async () => {
    const { put, read } = await project()
    await put('long', makePdf(pages))
    const some = await callTool(read, { path: 'long', pages: '7-8' })
    expect(some.text).toContain(
      '[Page 7 of 30]\nPage number 7\n\n[Page 8 of 30]\nPage number 8\n\n' +
        '[Pages 7-8 of 30, as text. Continue with pages "9-…" of Read.]',
    )
    const whole = await callTool(read, { path: 'long' })
    expect(whole.content).toHaveLength(1)
    expect(whole.text).toMatch(/Page number 30\n\n\[Pages 1-30 of 30, as text\.\]$/)
  })

  it('reports why one cannot be read, and accepts pages for nothing else', async () => {
    const { put, read } = await project()
    await put('locked.pdf', makePdf(['a'], { encrypted: true }))
    await put('a.txt', 'text')
    expect(await callTool(read, { path: 'locked.pdf' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('needs a password'),
    })
    expect(await callTool(read, { path: 'a.txt', pages: '1' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('is not a PDF'),
    })
    expect(read.input().safeParse({ path: 'locked.pdf', pages: '3-1' }).success).toBe(false)
  })
})
