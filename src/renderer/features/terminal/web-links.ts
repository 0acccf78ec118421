import type { ILink, ILinkProvider, Terminal } from '@xterm/xterm'

/** A web address, without the punctuation of the sentence around it. */
const ADDRESS = /https?:\/\/[^\s"'<>`]*[^\s"'<>`.,;:!?()[\]{}]/g

/** Links for URLs in a terminal, including wrapped ones: Ctrl+click or ⌘+click opens them. */
export function webLinks(terminal: Terminal, box: HTMLElement, onOpen: (url: string) => void): ILinkProvider {
  return {
    provideLinks(row, done) {
      const { buffer, cols } = terminal
      const isFilled = (at: number): boolean => buffer.active.getLine(at)?.isWrapped ?? false
      let first = row - 1
      while (first > 0 && isFilled(first)) first -= 1
      let text = ''
      // The cell of each UTF-16 unit: wide characters have two cells, and emoji several units in one cell.
      const places: { x: number; y: number }[] = []
      for (let at = first; at === first || isFilled(at); at += 1) {
        const line = buffer.active.getLine(at)
        for (let x = 0; x < cols; x += 1) {
          const cell = line?.getCell(x)
          // Skip the second half of a wide character, and the last cell of a row if a wide character did not fit.
          if (!cell || cell.getWidth() === 0 || (x === cols - 1 && cell.getChars() === '' && isFilled(at + 1))) continue
          const chars = cell.getChars() || ' '
          text += chars
          // Cells are counted from 1.
          for (let n = 0; n < chars.length; n += 1) places.push({ x: x + 1, y: at + 1 })
        }
      }
      done(
        [...text.matchAll(ADDRESS)].map(({ index, 0: url }): ILink => ({
          text: url,
          range: { start: places[index]!, end: places[index + url.length - 1]! },
          activate: (event) => (event.ctrlKey || event.metaKey) && onOpen(url),
          hover: () => (box.title = `${url} (Ctrl or ⌘ and click opens it)`),
          leave: () => box.removeAttribute('title'),
        })),
      )
    },
  }
}
