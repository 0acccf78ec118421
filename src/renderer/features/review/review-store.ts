import { createStore, type StoreApi } from 'zustand/vanilla'
import type { TrestleClient } from '../../../shared/contract'
import type { Failure } from '../../../shared/errors'
import type {
  ReviewDiff,
  ReviewedScope,
  ReviewFile,
  ReviewHunk,
  ReviewList,
  ReviewMarks,
} from '../../../shared/model/session/review'
import { failureFrom } from '../../client/failure-from'
import { endOf, hiddenAfter, hiddenBefore, withLines, type CommentDraft, type ShownDiff } from './diff/review-rows'

export interface ReviewState {
  list: ReviewList | undefined
  failure: Failure | undefined
  /** The loaded diffs, by path. */
  diffs: ReadonlyMap<string, ShownDiff>
  marks: ReviewMarks
  draft: CommentDraft | undefined
  /** The file at the top of the screen. */
  top: string | undefined
}

const NO_MARKS: ReviewMarks = { viewed: {}, kept: {}, comments: [] }
/** Files in the first page, which fills the screen; the other pages follow one by one. */
const FIRST_PAGE = 6
const PAGE = 20
/** Lines per expand step. */
const STEP = 20

/** The content of a review. Diffs are loaded in pages: those on screen first, then all others, in order. */
export class ReviewStore {
  readonly store: StoreApi<ReviewState>
  readonly sessionId: string
  readonly scope: ReviewedScope
  readonly #client: TrestleClient
  /** Paths to load before others. */
  #wanted: readonly string[] = []
  #isLoading = false
  #isClosed = false
  /** Counts reloads: an answer to an earlier one is dropped. */
  #generation = 0
  readonly #missing = new Set<string>()
  /** Files that may contain secrets and whose lines the user has revealed. */
  readonly #revealed = new Set<string>()
  /**
   * Number of marks made here, and a promise that settles when they are stored. Answers from before the latest mark are
   * ignored, because they would revert it.
   */
  #marksMade = 0
  #marksStored: Promise<unknown> = Promise.resolve()

  constructor(client: TrestleClient, sessionId: string, scope: ReviewedScope) {
    this.#client = client
    this.sessionId = sessionId
    this.scope = scope
    this.store = createStore<ReviewState>(() => ({
      list: undefined,
      failure: undefined,
      diffs: new Map(),
      marks: NO_MARKS,
      draft: undefined,
      top: undefined,
    }))
  }

  /** Called when it appears on screen, for the first time or after `close`. */
  open(): void {
    this.#isClosed = false
  }

  /** Called when it leaves the screen: stops loading. */
  close(): void {
    this.#isClosed = true
  }

  /** Reads the list and the marks again; diffs of unchanged files are kept. */
  async reload(): Promise<void> {
    const generation = (this.#generation += 1)
    const { sessionId, scope } = this
    try {
      const list = await this.#client.review.list({ sessionId, scope })
      if (generation !== this.#generation || this.#isClosed) return
      this.#missing.clear()
      const paths = new Set(list.files.map(({ path }) => path))
      this.store.setState(({ diffs }) => ({
        list,
        failure: undefined,
        diffs: new Map([...diffs].filter(([path]) => paths.has(path))),
      }))
      void this.#load()
      await this.reloadMarks()
    } catch (error) {
      if (generation === this.#generation && !this.#isClosed) this.store.setState({ failure: failureFrom(error) })
    }
  }

  async reloadMarks(): Promise<void> {
    const { sessionId, scope } = this
    for (;;) {
      const made = this.#marksMade
      await this.#marksStored
      const marks = await this.#client.review.marks({ sessionId, scope })
      if (this.#isClosed) return
      if (made !== this.#marksMade) continue
      this.store.setState({ marks })
      return
    }
  }

  /** The files on screen, from the top: they are loaded next. */
  look(visible: readonly string[], top: string | undefined): void {
    this.#wanted = visible
    if (this.store.getState().top !== top) this.store.setState({ top })
  }

  async #load(): Promise<void> {
    if (this.#isLoading) return
    this.#isLoading = true
    try {
      for (;;) {
        const generation = this.#generation
        const paths = this.#nextPage()
        if (paths.length === 0 || this.#isClosed) return
        const { sessionId, scope } = this
        const [open, revealed] = [
          paths.filter((path) => !this.#revealed.has(path)),
          paths.filter((path) => this.#revealed.has(path)),
        ]
        const pages = await Promise.all([
          open.length > 0 ? this.#client.review.diffs({ sessionId, scope, paths: open }) : [],
          revealed.length > 0 ? this.#client.review.diffs({ sessionId, scope, paths: revealed, secrets: true }) : [],
        ])
        const diffs = pages.flat()
        if (this.#isClosed) return
        const found = new Set(diffs.map(({ path }) => path))
        // After a reload, its list is authoritative: files that changed since are loaded again.
        const isCurrent = generation === this.#generation
        if (isCurrent) for (const path of paths) if (!found.has(path)) this.#missing.add(path)
        this.#put(diffs, isCurrent)
      }
    } catch (error) {
      if (!this.#isClosed) this.store.setState({ failure: failureFrom(error) })
    } finally {
      this.#isLoading = false
    }
  }

  #put(diffs: readonly ReviewDiff[], isCurrent = true): void {
    this.store.setState((state) => {
      const keys = new Map(diffs.map(({ path, key }) => [path, key]))
      const files = state.list?.files ?? []
      const isNewer = isCurrent && files.some(({ path, key }) => (keys.get(path) ?? key) !== key)
      return {
        diffs: new Map([...state.diffs, ...diffs.map((diff) => [diff.path, diff] as const)]),
        // If a file changed while it was loading, list the version that was loaded.
        ...(isNewer &&
          state.list && {
            list: { ...state.list, files: files.map((file) => ({ ...file, key: keys.get(file.path) ?? file.key })) },
          }),
      }
    })
  }

  #nextPage(): string[] {
    const { list, diffs } = this.store.getState()
    const isDue = ({ path, key }: ReviewFile): boolean => diffs.get(path)?.key !== key && !this.#missing.has(path)
    const due = (list?.files ?? []).filter(isDue)
    const wanted = new Set(this.#wanted)
    const first = due.filter(({ path }) => wanted.has(path))
    const page = diffs.size === 0 ? FIRST_PAGE : PAGE
    return [...first, ...due.filter(({ path }) => !wanted.has(path))].slice(0, page).map(({ path }) => path)
  }

  /** Shows the lines of a file that may contain secrets, until the review is closed. */
  async reveal(path: string): Promise<void> {
    const { sessionId, scope } = this
    this.#revealed.add(path)
    const diffs = await this.#client.review.diffs({ sessionId, scope, paths: [path], secrets: true })
    if (!this.#isClosed) this.#put(diffs)
  }

  /** Shows more lines of the gap before the hunk `index`: below the hunk above it, above the next one, or all. */
  async expand(path: string, index: number, where: 'up' | 'down' | 'all'): Promise<void> {
    const diff = this.store.getState().diffs.get(path)
    if (!diff) return
    const gap = gapBefore(diff, index)
    if (gap.to < gap.from) return
    const from = where === 'up' ? Math.max(gap.from, gap.to - STEP + 1) : gap.from
    const to = where === 'down' ? Math.min(gap.to, gap.from + STEP - 1) : gap.to
    const { sessionId, scope } = this
    const secrets = this.#revealed.has(path)
    const lines = await this.#client.review.lines({ sessionId, scope, path, from, to, secrets })
    this.store.setState(({ diffs }) => {
      const now = diffs.get(path)
      // The file was reloaded in the meantime.
      if (now?.hunks !== diff.hunks) return {}
      return { diffs: new Map(diffs).set(path, { ...now, hunks: withLines(now.hunks, index, from, lines) }) }
    })
  }

  setDraft(draft: CommentDraft | undefined): void {
    this.store.setState({ draft })
  }

  /** Shows a mark immediately; the engine stores it. Rejects when it cannot be stored. */
  async setViewed({ path, key }: ReviewFile, viewed: boolean): Promise<void> {
    const { sessionId } = this
    this.#mark(({ viewed: before, ...marks }) => {
      const others = (before[path] ?? []).filter((one) => one !== key)
      return { ...marks, viewed: { ...before, [path]: viewed ? [...others, key] : others } }
    })
    await this.#stored(this.#client.review.setViewed({ sessionId, path, key, viewed }))
  }

  async setKept(path: string, ids: readonly string[], kept: boolean): Promise<void> {
    const { sessionId } = this
    this.#mark(({ kept: before, ...marks }) => {
      const others = (before[path] ?? []).filter((id) => !ids.includes(id))
      return { ...marks, kept: { ...before, [path]: kept ? [...others, ...ids] : others } }
    })
    await this.#stored(this.#client.review.setKept({ sessionId, path, ids: [...ids], kept }))
  }

  #mark(change: (marks: ReviewMarks) => ReviewMarks): void {
    this.#marksMade += 1
    this.store.setState(({ marks }) => ({ marks: change(marks) }))
  }

  async #stored(work: Promise<void>): Promise<void> {
    this.#marksStored = Promise.allSettled([this.#marksStored, work])
    try {
      await work
    } catch (error) {
      await this.reloadMarks()
      throw error
    }
  }
}

/** The hidden lines of the new side before a hunk. */
function gapBefore(diff: ShownDiff, index: number): { from: number; to: number } {
  const hunks: readonly ReviewHunk[] = diff.hunks
  const above = hunks[index - 1]
  const from = above ? endOf(above).new : 1
  const hidden = index < hunks.length ? hiddenBefore(hunks, index) : hiddenAfter(diff)
  return { from, to: from + hidden - 1 }
}
