import type { FitAddon } from '@xterm/addon-fit'
import type { SearchAddon } from '@xterm/addon-search'
import type { SerializeAddon } from '@xterm/addon-serialize'
import type { Terminal } from '@xterm/xterm'
import type { TerminalSize } from '../../../shared/model/task/terminal'
import { BoundedWriter } from './bounded-writer'
import {
  drawWithWebgl,
  ignoreTerminalQueries,
  type Xterm,
  SEARCH_COLORS,
  terminalFont,
  terminalTheme,
} from './xterm-setup'
import { webLinks } from './web-links'
import { keyMeaning, ownKeyMeaning } from './terminal-keys'

/** Scrollback lines; reading further back may raise it up to the maximum. */
const LINES = 5000
const MAX_LINES = 30_000

export interface LiveTerminalOptions {
  /** Rows of a view that grows with its content; absent: it fills its box. */
  growsTo?: number
  /** Set for a terminal of the user: it has the size of its view, reported here, and receives every key. */
  onSize?: (cols: number, rows: number) => void
  /** The user's input. */
  onType: (data: string) => void
  /** The key that leaves the terminal was pressed. */
  onLeave: () => void
  onFind: () => void
  onFollow: (following: boolean) => void
  /** Scrolled to the first line. */
  onTop: () => void
  onMatches: (matches: { index: number; count: number }) => void
  onOpenLink: (url: string) => void
}

/** One terminal on screen: xterm configured for this app. Independent of tasks and React. */
export class LiveTerminal {
  readonly #terminal: Terminal
  readonly #fit: FitAddon
  readonly #search: SearchAddon
  readonly #serialize: SerializeAddon
  readonly #writer: BoundedWriter
  readonly #options: LiveTerminalOptions
  readonly #box: HTMLElement
  readonly #resized: ResizeObserver
  readonly #themed: MutationObserver
  #drawing: Drawing = 'lines'
  #following = true
  /** Set while earlier output is written at the sizes it was printed for. */
  #replay: object | undefined
  #gone = false

  constructor(box: HTMLElement, xterm: Xterm, options: LiveTerminalOptions) {
    this.#box = box
    this.#options = options
    const terminal = new xterm.Terminal({
      // Lines of a task end in "\n" alone.
      convertEol: options.onSize === undefined,
      allowProposedApi: true,
      cols: 80,
      rows: options.growsTo === undefined ? 24 : 2,
      scrollback: LINES,
      ...terminalFont(),
      lineHeight: 1.35,
      cursorBlink: false,
      cursorInactiveStyle: 'none',
      minimumContrastRatio: 4.5,
      theme: terminalTheme(),
      linkHandler: {
        // The link text can be misleading: open it only on purpose, and show the URL first.
        activate: (event, url) => (event.ctrlKey || event.metaKey) && options.onOpenLink(url),
        hover: (_event, url) => (box.title = `${url} (Ctrl or ⌘ and click opens it)`),
        leave: () => box.removeAttribute('title'),
      },
    })
    this.#terminal = terminal
    this.#fit = new xterm.FitAddon()
    this.#search = new xterm.SearchAddon({ highlightLimit: 500 })
    this.#serialize = new xterm.SerializeAddon()
    for (const addon of [this.#fit, this.#search, this.#serialize]) terminal.loadAddon(addon)
    ignoreTerminalQueries(terminal)
    terminal.attachCustomKeyEventHandler((event) => this.#key(event))
    terminal.onData(options.onType)
    if (options.onSize) terminal.registerLinkProvider(webLinks(terminal, box, options.onOpenLink))
    terminal.onScroll(() => this.#scrolled())
    this.#search.onDidChangeResults(({ resultIndex, resultCount }) =>
      options.onMatches({ index: resultIndex, count: resultCount }),
    )
    this.#writer = new BoundedWriter((text, done) => {
      this.#draw(text)
      terminal.write(text, () => {
        this.#grow()
        done()
      })
    })
    terminal.open(box)
    if (options.growsTo === undefined) void drawWithWebgl(terminal, () => this.#gone)
    this.#resized = new ResizeObserver(() => this.#resize())
    this.#resized.observe(box.parentElement ?? box)
    this.#themed = new MutationObserver(() => {
      const { fontFamily, fontSize } = terminalFont()
      if (fontFamily !== terminal.options.fontFamily || fontSize !== terminal.options.fontSize) {
        Object.assign(terminal.options, { fontFamily, fontSize })
        this.#resize()
      }
      terminal.options.theme = terminalTheme()
    })
    this.#themed.observe(document.documentElement, {
      attributes: true,
      attributeFilter: ['data-theme', 'data-contrast', 'style'],
    })
    this.#resize()
  }

  /**
   * Replaces the content with new output. With `sizes`, each part is written at the size it was printed for: a shell
   * that redraws its prompt moves up by as many rows as the prompt had then, and would clear other lines at another
   * width.
   */
  start(text: string, sizes: readonly TerminalSize[] = []): void {
    this.#writer.clear()
    if (sizes.length === 0) return this.#writer.write(`\u001bc${text}`)
    const replay = (this.#replay = {})
    void this.#writer.hold(async () => {
      // Started again in the meantime.
      if (this.#replay !== replay) return
      this.#terminal.reset()
      for (const [index, { at, cols, rows }] of sizes.entries()) {
        this.#terminal.resize(cols, rows)
        const part = text.slice(at, sizes[index + 1]?.at)
        if (part !== '') await new Promise<void>((resolve) => this.#terminal.write(part, resolve))
        if (this.#gone || this.#replay !== replay) return
      }
      this.#replay = undefined
      this.#resize()
    })
  }

  write(text: string): void {
    this.#writer.write(text)
  }

  /** Prepends older output and keeps the scroll position. */
  async prepend(older: string): Promise<void> {
    const terminal = this.#terminal
    await this.#writer.hold(async () => {
      const { baseY, viewportY } = terminal.buffer.active
      const newer = this.#serialize.serialize()
      terminal.options.scrollback = MAX_LINES
      this.#draw(older)
      terminal.reset()
      await new Promise<void>((resolve) => terminal.write(older + newer, resolve))
      if (!this.#gone) terminal.scrollToLine(Math.max(0, terminal.buffer.active.baseY - baseY + viewportY))
    })
  }

  /** Whether the scrollback is full. */
  get isFull(): boolean {
    const { length } = this.#terminal.buffer.active
    return length >= MAX_LINES || (length >= LINES + this.#terminal.rows && this.#terminal.options.scrollback === LINES)
  }

  /** Only a running task accepts keys. */
  show({ canType, screenReader }: { canType: boolean; screenReader: boolean }): void {
    const { options } = this.#terminal
    options.disableStdin = !canType
    options.cursorInactiveStyle = canType ? 'outline' : 'none'
    options.screenReaderMode = screenReader
  }

  focus(): void {
    this.#terminal.focus()
  }

  blur(): void {
    this.#terminal.blur()
  }

  follow(on: boolean): void {
    if (on) this.#terminal.scrollToBottom()
    else this.#terminal.scrollLines(-1)
    this.#scrolled()
  }

  find(words: string, direction: 'next' | 'previous', typing = false): void {
    if (words === '') this.#search.clearDecorations()
    else if (direction === 'next') this.#search.findNext(words, { incremental: typing, decorations: SEARCH_COLORS })
    else this.#search.findPrevious(words, { decorations: SEARCH_COLORS })
  }

  endFind(): void {
    this.#search.clearDecorations()
    this.#terminal.clearSelection()
  }

  /** The selection, or everything, as text. */
  text(): string {
    const { buffer, cols } = this.#terminal
    if (this.#terminal.hasSelection()) return this.#terminal.getSelection()
    const lines: string[] = []
    for (let n = 0; n < buffer.active.length; n += 1) {
      const line = buffer.active.getLine(n)
      if (!line) continue
      if (line.isWrapped && lines.length > 0) lines.push(`${lines.pop() ?? ''}${line.translateToString(true, 0, cols)}`)
      else lines.push(line.translateToString(true, 0, cols))
    }
    return `${lines.join('\n').trimEnd()}\n`
  }

  /** The selected text; `''` if nothing is selected. */
  selection(): string {
    return this.#terminal.getSelection()
  }

  dispose(): void {
    this.#gone = true
    this.#writer.stop()
    this.#resized.disconnect()
    this.#themed.disconnect()
    this.#terminal.dispose()
  }

  #key(event: KeyboardEvent): boolean {
    const isOwn = this.#options.onSize !== undefined
    const meaning = isOwn ? ownKeyMeaning(event) : keyMeaning(event, this.#terminal.hasSelection())
    if (meaning === 'program') return true
    // The browser handles these keys (paste, copy).
    if (meaning === 'browser') return false
    event.preventDefault()
    event.stopPropagation()
    if (event.type !== 'keydown') return false
    if (meaning === 'leave') this.#options.onLeave()
    else if (meaning === 'find') this.#options.onFind()
    else if (meaning === 'copy')
      void navigator.clipboard.writeText(this.#terminal.getSelection()).catch(() => undefined)
    return false
  }

  #scrolled(): void {
    const { viewportY, baseY } = this.#terminal.buffer.active
    const following = viewportY >= baseY
    if (following !== this.#following) {
      this.#following = following
      this.#options.onFollow(following)
    }
    if (viewportY === 0 && baseY > 0 && !following) this.#options.onTop()
  }

  /** A program that redraws needs all columns of its terminal; plain lines wrap at the width of the view. */
  #draw(text: string): void {
    const drawing = drawingAfter(this.#drawing, text)
    if (drawing === this.#drawing) return
    this.#drawing = drawing
    this.#resize()
  }

  #resize(): void {
    if (this.#gone || this.#replay) return
    // A hidden view has no size.
    if (this.#options.onSize && this.#box.clientWidth === 0) return
    const room = this.#fit.proposeDimensions()
    if (!room || Number.isNaN(room.cols) || Number.isNaN(room.rows)) return
    if (this.#options.onSize) return this.#fill(room, this.#options.onSize)
    const { growsTo } = this.#options
    const rows = growsTo === undefined ? room.rows : Math.min(growsTo, this.#linesUsed())
    const size = viewSize(this.#drawing, { cols: room.cols, rows })
    if (size.cols !== this.#terminal.cols || size.rows !== this.#terminal.rows)
      this.#terminal.resize(size.cols, size.rows)
    this.#box.dataset['drawing'] = this.#drawing
    // In a narrower view the same lines may take more rows.
    this.#grow()
  }

  #fill({ cols, rows }: { cols: number; rows: number }, onSize: (cols: number, rows: number) => void): void {
    const terminal = this.#terminal
    if (cols !== terminal.cols || rows !== terminal.rows) terminal.resize(cols, rows)
    onSize(terminal.cols, terminal.rows)
  }

  #linesUsed(): number {
    const { baseY, cursorY } = this.#terminal.buffer.active
    return baseY + cursorY + 1
  }

  #grow(): void {
    const { growsTo } = this.#options
    if (growsTo === undefined || this.#gone || this.#drawing === 'screen') return
    if (this.#terminal.rows < Math.min(growsTo, this.#linesUsed())) this.#resize()
  }
}

/** The terminal size of every task, in cells. */
const TASK_COLUMNS = 200
const TASK_ROWS = 50

/**
 * The part of the task's terminal that a view must have. `lines`: lines of text, which may wrap anywhere; `columns`:
 * redrawn lines, which wrapping would break; `screen`: a full-screen program.
 */
type Drawing = 'lines' | 'columns' | 'screen'

const ESC = '\\u001b'
const SCREEN = new RegExp(`${ESC}\\[(?:\\?(?:1049|1047|47)h|\\d*;?\\d*[Hf])`)
const COLUMNS = new RegExp(`\\r(?![\\n\\r])|${ESC}\\[\\d*[AF]`)

/** The part a view needs after this text; it never shrinks. */
export function drawingAfter(before: Drawing, text: string): Drawing {
  if (before === 'screen' || SCREEN.test(text)) return 'screen'
  return before === 'columns' || COLUMNS.test(text) ? 'columns' : 'lines'
}

/** The size of a view with space for this many cells. */
export function viewSize(drawing: Drawing, room: { cols: number; rows: number }): { cols: number; rows: number } {
  return {
    cols: drawing === 'lines' ? Math.min(TASK_COLUMNS, Math.max(20, room.cols)) : TASK_COLUMNS,
    rows: drawing === 'screen' ? TASK_ROWS : Math.max(2, room.rows),
  }
}
