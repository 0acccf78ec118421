import type { FileLines, FileTextView } from '../../../../shared/model/project/file-view'

/** Lines per request. */
const PAGE = 500
/** Maximum number of pages kept: 20,000 lines. */
const MAX_PAGES = 40

interface Page {
  lines: readonly string[]
  cut: ReadonlySet<number>
}

type Fetch = (from: number, count: number) => Promise<FileLines>

/**
 * The lines of one version of a file; only those near the visible ones are kept. Until a line of a new version has
 * arrived, the line of the previous version is shown.
 */
export class TextLines {
  readonly version: string
  /** All lines, if the file is small. */
  readonly whole: string[] | undefined
  readonly #pages = new Map<number, Page>()
  readonly #wanted = new Set<number>()
  readonly #fetch: Fetch
  readonly #listeners = new Set<() => void>()
  readonly #wholeCut: ReadonlySet<number>
  #before: TextLines | undefined
  #total: number
  #isCounted: boolean
  #isCounting = false
  #revision = 0
  /** Why lines could not be fetched. */
  failure: unknown

  constructor(view: FileTextView, version: string, fetch: Fetch, before?: TextLines) {
    this.version = version
    this.#fetch = fetch
    this.#total = view.totalLines
    this.#isCounted = view.isCounted
    this.whole = view.isWhole ? view.lines : undefined
    this.#wholeCut = new Set(view.cut)
    this.#before = before
    before?.forgetBefore()
    if (!view.isWhole) this.#pages.set(0, pageOf(view.lines, view.cut))
  }

  /** Number of lines in the file; an estimate while they are being counted. */
  get total(): number {
    return this.#total
  }

  get isCounted(): boolean {
    return this.#isCounted
  }

  /** Changes when lines have arrived. */
  get revision(): number {
    return this.#revision
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** A line, from 1; undefined until it is loaded. */
  line(number: number): string | undefined {
    if (this.whole) return this.whole[number - 1]
    const page = this.#pages.get(Math.floor((number - 1) / PAGE))
    return page?.lines[(number - 1) % PAGE] ?? this.#before?.line(number)
  }

  /** Whether a line is longer than its loaded text. */
  isCut(number: number): boolean {
    if (this.whole) return this.#wholeCut.has(number - 1)
    return this.#pages.get(Math.floor((number - 1) / PAGE))?.cut.has((number - 1) % PAGE) ?? false
  }

  /** Fetches the lines of a range that are not loaded. */
  fetchRange(from: number, to: number): void {
    if (this.whole) return
    const last = Math.floor((Math.min(to, this.#total) - 1) / PAGE)
    for (let page = Math.floor((Math.max(1, from) - 1) / PAGE); page <= last; page++) {
      const known = this.#pages.get(page)
      const isFull = known !== undefined && (known.lines.length === PAGE || this.#isLast(page, known))
      if (isFull) this.#keep(page, known)
      else if (!this.#wanted.has(page)) void this.#load(page)
    }
  }

  /** Checks whether the lines have been counted. */
  async count(): Promise<void> {
    if (this.#isCounting) return
    this.#isCounting = true
    try {
      const { totalLines, isCounted } = await this.#fetch(1, 1)
      this.#total = totalLines
      this.#isCounted = isCounted
    } catch (error) {
      this.failure = error
    }
    this.#isCounting = false
    this.#changed()
  }

  forgetBefore(): void {
    this.#before = undefined
  }

  #isLast(page: number, { lines }: Page): boolean {
    return this.#isCounted && page * PAGE + lines.length >= this.#total
  }

  async #load(page: number): Promise<void> {
    this.#wanted.add(page)
    try {
      const { lines, cut, totalLines, isCounted } = await this.#fetch(page * PAGE + 1, PAGE)
      this.#keep(page, pageOf(lines, cut))
      this.#total = totalLines
      this.#isCounted = isCounted
      this.failure = undefined
    } catch (error) {
      this.failure = error
    } finally {
      this.#wanted.delete(page)
      this.#changed()
    }
  }

  #changed(): void {
    this.#revision += 1
    for (const listener of this.#listeners) listener()
  }

  #keep(number: number, page: Page): void {
    this.#pages.delete(number)
    this.#pages.set(number, page)
    for (const old of this.#pages.keys()) if (this.#pages.size > MAX_PAGES) this.#pages.delete(old)
  }
}

function pageOf(lines: readonly string[], cut: readonly number[] | undefined): Page {
  return { lines: lines.slice(0, PAGE), cut: new Set(cut) }
}
