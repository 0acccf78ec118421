import { appendFile, chmod, mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { createFileAccess } from '../workspace/file-access'
import { createSessionFiles } from './session-files'
import { findInFile } from './text/find-in-file'
import { requireText, TextDocuments } from './text/text-document'

async function lab({ addedFolders = [] }: { addedFolders?: string[] } = {}) {
  const top = await tempFolder()
  const [folder, home, outside] = [join(top, 'project'), join(top, 'home'), join(top, 'outside')]
  for (const path of [join(folder, 'src'), home, outside, ...addedFolders.map((name) => join(top, name))])
    await mkdir(path, { recursive: true })
  await writeFile(join(outside, 'secret.txt'), 'secret')
  const access = createFileAccess({
    home,
    header: () => ({ folder, addedFolders: addedFolders.map((name) => join(top, name)) }),
  })
  const changed: string[][] = []
  const files = createSessionFiles({
    home,
    access,
    keepUserChange: async (_session, paths, work) => {
      changed.push([...paths])
      return { seq: changed.length, result: await work() }
    },
  })
  const put = async (name: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return { files, folder, home, outside, put, changed }
}

const QUERY = { caseSensitive: false, wholeWords: false, regularExpression: false }

describe('the text of a file', () => {
  it('is returned whole if it is small, without carriage returns', async () => {
    const { files, put } = await lab()
    await put('a.ts', 'one\r\ntwo\r\n\r\nfour')
    const { text, content } = await files.view('s', 'a.ts')
    expect(content).toBe('text')
    expect(text).toMatchObject({ lines: ['one', 'two', '', 'four'], isWhole: true, totalLines: 4, isCounted: true })
  })

  it('is read in ranges from anywhere in a large file', async () => {
    const { files, put } = await lab()
    await put('big.log', Array.from({ length: 200_000 }, (_, n) => `line ${n + 1} ${'x'.repeat(20)}`).join('\n'))
    const { text } = await files.view('s', 'big.log')
    expect(text?.isWhole).toBe(false)
    expect(text?.lines[0]).toMatch(/^line 1 /)
    const { lines, totalLines, isCounted } = await files.lines('s', 'big.log', 199_998, 500)
    expect(lines.map((line) => line.split(' ')[1])).toEqual(['199998', '199999', '200000'])
    expect({ totalLines, isCounted }).toEqual({ totalLines: 200_000, isCounted: true })
    expect((await files.lines('s', 'big.log', 100_000, 2)).lines[1]).toMatch(/^line 100001 /)
    expect((await files.lines('s', 'big.log', 300_000, 2)).lines).toEqual([])
  })

  it('of a growing log includes new lines, with a new version', async () => {
    const { files, put, folder } = await lab()
    const many = Array.from({ length: 60_000 }, (_, n) => `line ${n + 1} ${'x'.repeat(20)}\n`).join('')
    await put('grows.log', many)
    await files.lines('s', 'grows.log', 60_000, 1)
    const before = await files.version('s', 'grows.log')
    await appendFile(join(folder, 'grows.log'), 'the end\n')
    expect(await files.version('s', 'grows.log')).not.toBe(before)
    expect((await files.lines('s', 'grows.log', 60_001, 10)).lines).toEqual(['the end'])
    // The new lines may be read before they are counted.
    await expect.poll(() => files.lines('s', 'grows.log', 60_001, 10)).toMatchObject({ totalLines: 60_001 })
    await put('grows.log', many.replaceAll('line', 'other'))
    expect((await files.lines('s', 'grows.log', 60_000, 10)).lines[0]).toMatch(/^other 60000 /)
  })

  it('has long lines truncated', async () => {
    const { files, put } = await lab()
    await put('min.js', `${'a'.repeat(500_000)}\nlast\n`)
    const { text } = await files.view('s', 'min.js')
    expect(text?.cut).toEqual([0])
    expect(text?.lines.map(({ length }) => length)).toEqual([10_000, 4])
  })

  it('is read in UTF-16 and in an old encoding', async () => {
    const { files, put } = await lab()
    await put('wide.txt', Buffer.from('\ufeffhäll\nö', 'utf16le'))
    await put('old.txt', Buffer.from('caf\xe9\n', 'latin1'))
    expect(await files.view('s', 'wide.txt')).toMatchObject({ note: 'UTF-16 LE', text: { lines: ['häll', 'ö'] } })
    const old = await files.view('s', 'old.txt')
    expect(old).toMatchObject({ note: 'Windows-1252', text: { lines: ['café'] } })
    expect(old.text?.notEditable).toMatch(/not UTF-8/)
  })
})

describe('other files', () => {
  it('are images, PDFs or bytes', async () => {
    const { files, put } = await lab()
    await put('a.png', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'))
    await put('a.pdf', Buffer.from('%PDF-1.7\n\0', 'latin1'))
    await put('a.bin', Buffer.from([0, 1, 2, 3]))
    await put('a.svg', '<svg/>')
    expect(await files.view('s', 'a.png')).toMatchObject({ content: 'image', mediaType: 'image/png' })
    expect(await files.view('s', 'a.pdf')).toMatchObject({ content: 'pdf' })
    expect(await files.view('s', 'a.bin')).toMatchObject({ content: 'binary', size: 4 })
    expect(await files.view('s', 'a.svg')).toMatchObject({ content: 'text', mediaType: 'image/svg+xml' })
    const { data } = await files.bytes('s', 'a.bin', 1, 100)
    expect(Buffer.from(data, 'base64')).toEqual(Buffer.from([1, 2, 3]))
  })

  it('have a reason if they cannot be shown', async () => {
    const { files, folder, outside, put } = await lab()
    await put('.env', 'KEY=1')
    await symlink(join(outside, 'secret.txt'), join(folder, 'link.txt'))
    await expect(files.view('s', 'gone.ts')).rejects.toThrow('gone.ts does not exist.')
    await expect(files.view('s', 'src')).rejects.toThrow('src is a folder, not a file.')
    await expect(files.view('s', '.env')).rejects.toThrow(/is protected/)
    await expect(files.view('s', 'link.txt')).rejects.toThrow(/not in the folders of this session/)
    await expect(files.bytes('s', '/etc/passwd', 0, 10)).rejects.toThrow(/not in the folders/)
  })
})

it.skipIf(process.getuid?.() === 0)('a file without read permission is reported as such', async () => {
  const { files, folder, put } = await lab()
  await put('locked.txt', 'x')
  await chmod(join(folder, 'locked.txt'), 0)
  await expect(files.view('s', 'locked.txt')).rejects.toThrow(/permission denied/)
})

describe('finding in a file', () => {
  it('finds every match, as text and as a regular expression', async () => {
    const { files, put } = await lab()
    await put('a.txt', 'Über foo\r\nfoo.bar foo\nFOO\n')
    const found = await files.search('s', 'a.txt', { ...QUERY, text: 'foo' })
    expect(found.count).toBe(4)
    expect(found.matches[0]).toEqual({ line: 1, at: 6, bytes: 3 })
    expect((await files.search('s', 'a.txt', { ...QUERY, text: 'foo', caseSensitive: true })).count).toBe(3)
    expect((await files.search('s', 'a.txt', { ...QUERY, text: 'o.b' })).count).toBe(1)
    expect((await files.search('s', 'a.txt', { ...QUERY, text: 'fo+$', regularExpression: true })).count).toBe(3)
    expect((await files.search('s', 'a.txt', { ...QUERY, text: '(', regularExpression: true })).problem).toMatch(
      /Not a regular expression: unclosed group/,
    )
    expect(await files.search('s', 'a.txt', { ...QUERY, text: 'nothing' })).toEqual({ matches: [], count: 0 })
  })

  it('counts all matches of a large file', async () => {
    const { files, put } = await lab()
    await put('big.log', 'ab ab\n'.repeat(400_000))
    const { matches, count } = await files.search('s', 'big.log', { ...QUERY, text: 'ab' })
    expect(count).toBe(800_000)
    expect(matches).toHaveLength(20_000)
  })
})

describe('the file tree', () => {
  it('lists folders first, marks what is ignored and closed, and hides version control', async () => {
    const { files, folder, outside, put } = await lab()
    await mkdir(join(folder, '.git'))
    await mkdir(join(folder, 'dist'))
    await put('.gitignore', 'dist/\n*.log\n')
    for (const name of ['b10.ts', 'b9.ts', 'x.log', '.env']) await put(name, 'x')
    await symlink(outside, join(folder, 'out'))
    await symlink(join(folder, 'src'), join(folder, 'same'))
    const { entries } = await files.folder('s', '')
    expect(entries.map(({ name }) => name)).toEqual([
      'dist',
      'same',
      'src',
      '.env',
      '.gitignore',
      'b9.ts',
      'b10.ts',
      'out',
      'x.log',
    ])
    const named = new Map(entries.map((entry) => [entry.name, entry]))
    expect(named.get('dist')?.isIgnored).toBe(true)
    expect(named.get('x.log')?.isIgnored).toBe(true)
    expect(named.get('same')).toMatchObject({ isFolder: true, isLink: true })
    expect(named.get('out')?.closed).toMatch(/not in the folders/)
    expect(named.get('.env')?.closed).toMatch(/protected/)
    await expect(files.folder('s', outside)).rejects.toThrow(/not in the folders/)
    await expect(files.folder('s', 'b9.ts')).rejects.toThrow(/is a file/)
  })

  it.skipIf(process.platform !== 'linux')(
    'explains why a file whose name is not valid text cannot be opened',
    async () => {
      const { files, folder } = await lab()
      await writeFile(Buffer.concat([Buffer.from(`${folder}/bytes-`), Buffer.from([0xff, 0xfe])]), 'x')
      const { entries } = await files.folder('s', '')
      const closed = entries.filter(({ name }) => name.startsWith('bytes-')).map((entry) => entry.closed)
      expect(closed).toEqual(['Its name is not valid text. Rename it in a terminal to open it here.'])
    },
  )

  it('filters all files by words and by letters, with matching names first', async () => {
    const { files, folder, put } = await lab()
    await mkdir(join(folder, 'app/view'), { recursive: true })
    await put('.gitignore', 'dist\n')
    await mkdir(join(folder, 'dist'))
    for (const name of ['app/view/index.ts', 'app/review.ts', 'src/app.ts', 'dist/app.ts', '.env']) await put(name, 'x')
    const paths = async (query: string) => (await files.filter('s', query, 10)).files.map(({ path }) => path)
    expect(await paths('app')).toEqual(['src/app.ts', 'app/review.ts', 'app/view/index.ts'])
    expect(await paths('view index')).toEqual(['app/view/index.ts'])
    expect(await paths('apts')).toEqual(['src/app.ts', 'app/review.ts', 'app/view/index.ts'])
    expect(await paths('env')).toEqual([])
    expect(await files.filter('s', 'review', 10)).toEqual({
      files: [{ path: 'app/review.ts', at: [4, 5, 6, 7, 8, 9] }],
      count: 1,
    })
  })
})

describe('saving', () => {
  it('keeps encoding, byte order mark and permissions, and records the change', async () => {
    const { files, folder, put, changed } = await lab()
    await put('wide.txt', Buffer.from('\ufeffone\r\n', 'utf16le'))
    await chmod(join(folder, 'wide.txt'), 0o755)
    const { text, mark, lineEndings } = await files.text('s', 'wide.txt')
    expect({ text, lineEndings }).toEqual({ text: 'one\r\n', lineEndings: 'crlf' })
    const saved = await files.save('s', 'wide.txt', 'two\r\n', mark)
    expect(saved).toMatchObject({ saved: true, seq: 1 })
    expect(await readFile(join(folder, 'wide.txt'))).toEqual(Buffer.from('\ufefftwo\r\n', 'utf16le'))
    expect((await stat(join(folder, 'wide.txt'))).mode & 0o777).toBe(0o755)
    expect(changed).toEqual([[join(folder, 'wide.txt')]])
  })

  it('does not overwrite a file that has changed since, unless told to', async () => {
    const { files, folder, put } = await lab()
    await put('a.txt', 'one')
    const { mark } = await files.text('s', 'a.txt')
    await put('a.txt', 'theirs')
    expect(await files.save('s', 'a.txt', 'mine', mark)).toEqual({ saved: false, stale: 'changed' })
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('theirs')
    expect(await files.save('s', 'a.txt', 'mine', 'any')).toMatchObject({ saved: true })
    expect(await files.save('s', 'new.txt', 'new', 'absent')).toMatchObject({ saved: true })
    expect(await files.save('s', 'new.txt', 'again', 'absent')).toEqual({ saved: false, stale: 'changed' })
    await expect(files.save('s', '/etc/hostname', 'x', 'any')).rejects.toThrow(/not in the folders/)
    await expect(files.save('s', '.env', 'x', 'absent')).rejects.toThrow(/protected/)
  })

  it('renames and deletes files, never over another', async () => {
    const { files, folder, put } = await lab()
    await put('a.txt', 'a')
    await put('b.txt', 'b')
    await expect(files.rename('s', 'a.txt', 'b.txt')).rejects.toThrow('there is already a b.txt')
    await expect(files.rename('s', 'a.txt', '../x.txt')).rejects.toThrow(/name:/)
    expect(await files.rename('s', 'a.txt', 'c.txt')).toMatchObject({ path: 'c.txt' })
    await files.remove('s', 'b.txt')
    expect((await files.folder('s', '')).entries.map(({ name }) => name)).toEqual(['src', 'c.txt'])
    expect(await readFile(join(folder, 'c.txt'), 'utf8')).toBe('a')
  })
})

describe('renaming a folder', () => {
  it('moves its contents and never replaces another folder', async () => {
    const { files, folder, put } = await lab()
    await put('one/deep/a.txt', 'a')
    await put('two/b.txt', 'b')
    await expect(files.rename('s', 'one', 'two')).rejects.toThrow('there is already a two')
    expect(await files.rename('s', 'one', 'three')).toMatchObject({ path: 'three' })
    expect(await readFile(join(folder, 'three/deep/a.txt'), 'utf8')).toBe('a')
    expect(await files.rename('s', 'three', 'one')).toMatchObject({ path: 'one' })
    expect(await readFile(join(folder, 'one/deep/a.txt'), 'utf8')).toBe('a')
  })

  it('is refused if the folder or file has been replaced since the user was asked for the name', async () => {
    const { files, folder, put } = await lab()
    await put('one/a.txt', 'a')
    await put('b.txt', 'b')
    const [of, file] = [await files.version('s', 'one'), await files.version('s', 'b.txt')]
    await rename(join(folder, 'one'), join(folder, 'away'))
    await put('one/other.txt', 'other')
    await put('b.txt', 'changed')
    await expect(files.rename('s', 'one', 'two', of)).rejects.toThrow('has changed in the meantime')
    await expect(files.rename('s', 'b.txt', 'c.txt', file)).rejects.toThrow('has changed in the meantime')
    expect(await files.rename('s', 'one', 'two', await files.version('s', 'one'))).toMatchObject({ path: 'two' })
  })
})

describe('attached files', () => {
  it('are kept privately, each under its own name, and can be viewed', async () => {
    const { files, home } = await lab()
    const first = await files.attach('s', '../../notes.txt', Buffer.from('hello'))
    const second = await files.attach('s', 'notes.txt', Buffer.from('again'))
    expect(first).toMatchObject({ name: 'notes.txt', kind: 'text', text: 'hello', size: 5 })
    expect(second.path).toBe(join(home, 'sessions/s/attachments/notes-2.txt'))
    expect((await stat(second.path)).mode & 0o777).toBe(0o600)
    expect((await files.view('s', second.path)).text?.lines).toEqual(['again'])
    const archive = await files.attach('s', 'a.zip', Buffer.from('PK\x03\x04\0', 'latin1'))
    expect(archive.kind).toMatch(/ZIP/)
    expect(archive.text).toBeUndefined()
    const long = await files.attach('s', 'long.txt', Buffer.from('x'.repeat(100_000)))
    expect(long.text).toBeUndefined()
  })
})

describe('files outside the project', () => {
  it('an added folder whose name starts like the project’s has its own ignore rules', async () => {
    const { files, folder } = await lab({ addedFolders: ['project-more'] })
    const more = join(folder, '..', 'project-more')
    await mkdir(join(more, 'sub'))
    await writeFile(join(more, '.gitignore'), '*.txt\n')
    await writeFile(join(more, 'sub', 'a.txt'), 'a')
    const { entries } = await files.folder('s', join(more, 'sub'))
    expect(entries).toEqual([{ name: 'a.txt', isFolder: false, isIgnored: true }])
  })

  it('is not searched when a link replaces the folder of an open file', async () => {
    const { folder, outside, put } = await lab()
    await mkdir(join(folder, 'sub'))
    await put('sub/secret.txt', 'public')
    const realPath = join(folder, 'sub/secret.txt')
    const documents = new TextDocuments()
    const document = requireText(await documents.get(realPath, 'sub/secret.txt'), 'sub/secret.txt')
    const find = () => findInFile({ realPath, shown: 'sub/secret.txt', document }, { ...QUERY, text: 'secret' })
    expect((await find()).count).toBe(0)
    await rename(join(folder, 'sub'), join(folder, 'moved'))
    await symlink(outside, join(folder, 'sub'))
    await expect(find()).rejects.toMatchObject({ kind: 'changed' })
    documents.close()
  })
})
