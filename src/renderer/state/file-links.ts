import { createContext, use, useSyncExternalStore, type ReactNode } from 'react'
import type { TrestleClient } from '../../shared/contract'
import type { FoundFile } from '../../shared/contract/project/file'
import { showFailureToast, showNoticeToast } from './page/toasts-state'
import { useClient } from './page/queries'

/** The session whose files the paths in a text refer to; empty: paths stay text. */
export const FileSessionContext = createContext('')

/** A position in a file of a session. */
export interface FileLocation {
  sessionId: string
  path: string
  line?: number
  column?: number
}

/** The folder that relative paths in a text start from, as an absolute path; empty: the project folder. */
export const FileFolderContext = createContext('')

/** Renders an image of the project that a text refers to; without it, the image is a link. */
export const LocalImageContext = createContext<((path: string, name: string) => ReactNode) | undefined>(undefined)

/** Cache lifetime: files come and go. */
const FRESH_MS = 20_000
const MAX_AT_ONCE = 100
const MAX_KNOWN = 4000

interface Known {
  file: FoundFile | null
  at: number
}

/** Cache of resolved paths. Requests made together are sent as one. */
class KnownFiles {
  readonly #known = new Map<string, Known>()
  readonly #wanted = new Map<string, Set<string>>()
  readonly #listeners = new Set<() => void>()
  #isWaiting = false

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get(sessionId: string, path: string): FoundFile | null | undefined {
    return this.#known.get(`${sessionId}\n${path}`)?.file
  }

  request(client: TrestleClient, sessionId: string, path: string): void {
    const known = this.#known.get(`${sessionId}\n${path}`)
    if (known && Date.now() - known.at < FRESH_MS) return
    const paths = this.#wanted.get(sessionId) ?? new Set()
    this.#wanted.set(sessionId, paths.add(path))
    if (this.#isWaiting) return
    this.#isWaiting = true
    setTimeout(() => void this.#ask(client), 30)
  }

  async #ask(client: TrestleClient): Promise<void> {
    this.#isWaiting = false
    const wanted = [...this.#wanted]
    this.#wanted.clear()
    for (const [sessionId, all] of wanted) {
      const paths = [...all]
      for (let from = 0; from < paths.length; from += MAX_AT_ONCE) {
        const some = paths.slice(from, from + MAX_AT_ONCE)
        // Without an answer, paths stay text.
        const files = await client.file.find({ sessionId, paths: some }).catch(() => [])
        some.forEach((path, n) => this.#put(`${sessionId}\n${path}`, files[n] ?? null))
      }
    }
    for (const old of this.#known.keys()) if (this.#known.size > MAX_KNOWN) this.#known.delete(old)
    for (const listener of this.#listeners) listener()
  }

  /** Keeps the same object for an unchanged result, so that its links do not render again. */
  #put(key: string, file: FoundFile | null): void {
    const before = this.#known.get(key)?.file
    const isSame = file && before && file.path === before.path && file.isFolder === before.isFolder
    this.#known.set(key, { file: isSame ? before : file, at: Date.now() })
  }
}

const files = new KnownFiles()

/** The file of the current session that a path names; undefined when unknown or missing. */
export function useFoundFile(written: string | undefined): FoundFile | undefined {
  const sessionId = use(FileSessionContext)
  const folder = use(FileFolderContext)
  const client = useClient()
  const path =
    written === undefined || folder === '' || /^(?:[~/\\]|[a-z]:)/i.test(written) ? written : `${folder}/${written}`
  const asks = path !== undefined && path.length < 1000 && sessionId !== ''
  const file = useSyncExternalStore(
    (listener) => {
      if (asks) files.request(client, sessionId, path)
      return files.subscribe(listener)
    },
    () => (asks ? files.get(sessionId, path) : undefined),
  )
  return file ?? undefined
}

/** Opens a file in the user's editor or reveals it in its folder; shows an error where this host cannot. */
export async function openFile(client: TrestleClient, place: FileLocation, way: 'editor' | 'folder'): Promise<void> {
  try {
    const opened = await client.file.open({ ...place, with: way })
    if (!opened)
      showNoticeToast(
        way === 'editor'
          ? 'No editor found. Set one in config.toml: [editor] command = "code"'
          : 'The folder could not be opened.',
        'warning',
      )
  } catch (error) {
    showFailureToast(error)
  }
}
