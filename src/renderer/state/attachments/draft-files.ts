import type { WindowDrafts } from '../drafts/window-drafts'
import type { Attachment } from './attachment'

/** A storage for attached files that outlives the page. */
export interface AttachmentStore {
  /** Rejects if there is no space. */
  put(attachment: Attachment): Promise<void>
  /** The files with these ids that exist, in this order. */
  get(ids: readonly string[]): Promise<Attachment[]>
  /** Removes files that no draft uses, except new ones, and files that are very old. */
  prune(used: ReadonlySet<string>): Promise<void>
}

const PREFIX = 'files of '

/**
 * The attached files of one draft. Their content is in a store, and the list of their ids is a separate draft, so that
 * windows, including closed ones, share files in the same way as the text.
 */
export class DraftFiles {
  readonly #id: string
  readonly #drafts: WindowDrafts
  readonly #store: AttachmentStore
  /** The ids that were found in the stored draft, until the files are loaded. */
  #unloaded: readonly string[]
  #shown: readonly string[] = []
  /** The ids of files in messages that have not arrived yet. */
  #inFlight: readonly (readonly string[])[] = []
  readonly #putting = new Set<string>()
  readonly #put = new Set<string>()
  /** The list as last found or stored, and as last stored for this window. */
  #last: string
  #own: string
  #isOpen = false

  constructor(draftId: string, drafts: WindowDrafts, store: AttachmentStore) {
    this.#id = `${PREFIX}${draftId}`
    this.#drafts = drafts
    this.#store = store
    this.#unloaded = idsIn(drafts.find(this.#id))
    this.#last = this.#unloaded.join('\n')
    this.#own = drafts.own(this.#id)
  }

  /** Whether no files are left to load. */
  get isLoaded(): boolean {
    return this.#unloaded.length === 0
  }

  /** Loads the files that were attached when the page was last open. */
  async load(): Promise<Attachment[]> {
    const found = await this.#store.get(this.#unloaded)
    // From now on they count as shown.
    this.#unloaded = []
    this.#shown = found.map(({ id }) => id)
    for (const { id } of found) this.#put.add(id)
    return found
  }

  /** Saves the attachments on screen. `onLost`: called for each one that cannot be stored. */
  save(attachments: readonly Attachment[], onLost: (attachment: Attachment) => void): void {
    // Stored files that are not loaded yet are not among them.
    this.#shown = attachments.map(({ id }) => id)
    for (const attachment of attachments) {
      const { id } = attachment
      if (this.#put.has(id) || this.#putting.has(id)) continue
      this.#putting.add(id)
      void this.#putOne(attachment).catch(() => onLost(attachment))
    }
    this.#write()
  }

  /** Keeps the files of a message until the returned function is called with whether it arrived. */
  trackOutgoing(attachments: readonly Attachment[]): (arrived: boolean) => void {
    const sent = attachments.map(({ id }) => id)
    this.#inFlight = [...this.#inFlight, sent]
    return (arrived) => {
      // Without a composer to return them to, they stay stored.
      if (!arrived && !this.#isOpen) return
      this.#inFlight = this.#inFlight.filter((each) => each !== sent)
      // Another composer may have changed the stored draft; then that draft is kept.
      if (this.#isOpen || this.#drafts.own(this.#id) === this.#own) this.#write()
    }
  }

  /** Active while the composer is on screen. */
  open(): () => void {
    this.#isOpen = true
    return () => {
      this.#isOpen = false
    }
  }

  async #putOne(attachment: Attachment): Promise<void> {
    await this.#store.put(attachment)
    this.#put.add(attachment.id)
    this.#write()
  }

  #write(): void {
    const ids = [...this.#unloaded, ...this.#inFlight.flat(), ...this.#shown]
    const list = [...new Set(ids)].filter((id) => this.#put.has(id) || this.#unloaded.includes(id)).join('\n')
    if (list === this.#last) return
    this.#last = list
    this.#own = list
    this.#drafts.keep(this.#id, list)
  }
}

/** Removes files that no draft uses any longer. */
export async function pruneFiles(drafts: WindowDrafts, store: AttachmentStore): Promise<void> {
  await store.prune(new Set(drafts.texts((id) => id.startsWith(PREFIX)).flatMap(idsIn)))
}

function idsIn(list: string): string[] {
  return list.split(/\s+/).filter((id) => id !== '')
}
