import type { ILink, ILinkProvider, Terminal } from '@xterm/xterm'

/** A web address, without the punctuation of the sentence around it. */
const ADDRESS = /https?:\/\/[^\s"'<>`]*[^\s"'<>`.,;:!?()[\]{}]/g

/** Addresses in the lines of a terminal, wrapped ones too: Ctrl or ⌘ and a click opens them. */
export function webLinks(terminal: Terminal, box: HTMLElement, onOpen: (url: string) => void): ILinkProvider {
  return {
    provideLinks(row, done) {
      const { buffer, cols } = terminal
      let first = row - 1
      while (first > 0 && buffer.active.getLine(first)?.isWrapped) first -= 1
      let text = ''
      for (let at = first; at === first || buffer.active.getLine(at)?.isWrapped; at += 1)
        text += buffer.active.getLine(at)?.translateToString(false, 0, cols) ?? ''
      // Cells are counted from 1.
      const place = (index: number) => ({ x: (index % cols) + 1, y: first + Math.floor(index / cols) + 1 })
      done(
        [...text.matchAll(ADDRESS)].map(({ index, 0: url }): ILink => ({
          text: url,
          range: { start: place(index), end: place(index + url.length - 1) },
          activate: (event) => (event.ctrlKey || event.metaKey) && onOpen(url),
          hover: () => (box.title = `${url} (Ctrl or ⌘ and click opens it)`),
          leave: () => box.removeAttribute('title'),
        })),
      )
    },
  }
}
