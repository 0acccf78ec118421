import { Terminal } from '@xterm/headless'
import type { ILink, Terminal as PageTerminal } from '@xterm/xterm'
import { expect, it, vi } from 'vitest'
import { webLinks } from './web-links'

/** The links in a row of a terminal with this text. */
async function linksIn(text: string, row = 1, cols = 40): Promise<ILink[]> {
  const terminal = new Terminal({ cols, rows: 6, allowProposedApi: true })
  await new Promise<void>((done) => terminal.write(text, done))
  const found = await new Promise<ILink[]>((done) =>
    webLinks(terminal as unknown as PageTerminal, {} as HTMLElement, () => undefined).provideLinks(row, (links) =>
      done(links ?? []),
    ),
  )
  terminal.dispose()
  return found
}

const placesOf = (links: readonly ILink[]) =>
  links.map(({ text, range: { start, end } }) => [text, start.x, start.y, end.x, end.y])

it('finds addresses without the punctuation around them', async () => {
  expect(placesOf(await linksIn('see (http://a.test/x), or "https://b.test".'))).toEqual([
    ['http://a.test/x', 6, 1, 20, 1],
    ['https://b.test', 28, 1, 1, 2],
  ])
})

it('marks the right cells after wide characters and emoji', async () => {
  expect(placesOf(await linksIn('日本 http://a.test'))).toEqual([['http://a.test', 6, 1, 18, 1]])
  // One cell in this terminal, and two units of text.
  expect(placesOf(await linksIn('🚀 http://a.test'))).toEqual([['http://a.test', 3, 1, 15, 1]])
  expect(placesOf(await linksIn('e\u0301 http://a.test'))).toEqual([['http://a.test', 3, 1, 15, 1]])
})

it('joins an address across rows, also if a wide character did not fit at the end of one', async () => {
  const long = await linksIn('http://a.test/0123456789', 2, 20)
  expect(placesOf(long)).toEqual([['http://a.test/0123456789', 1, 1, 4, 2]])
  const wide = await linksIn('http://a.test/123456日x', 1, 21)
  expect(placesOf(wide)).toEqual([['http://a.test/123456日x', 1, 1, 3, 2]])
})

it('does not join rows that were not wrapped', async () => {
  expect(placesOf(await linksIn('http://a.test/\r\nmore', 1, 14))).toEqual([['http://a.test/', 1, 1, 14, 1]])
})

it('opens only with Ctrl or Command', async () => {
  const onOpen = vi.fn()
  const terminal = new Terminal({ cols: 40, rows: 2, allowProposedApi: true })
  await new Promise<void>((done) => terminal.write('http://a.test', done))
  webLinks(terminal as unknown as PageTerminal, {} as HTMLElement, onOpen).provideLinks(1, (links) => {
    const [link] = links ?? []
    link?.activate({ ctrlKey: false, metaKey: false } as MouseEvent, link.text)
    expect(onOpen).not.toHaveBeenCalled()
    link?.activate({ ctrlKey: true, metaKey: false } as MouseEvent, link.text)
    expect(onOpen).toHaveBeenCalledWith('http://a.test')
  })
  expect(onOpen).toHaveBeenCalledTimes(1)
  terminal.dispose()
})
