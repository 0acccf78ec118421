import type { WindowDrafts } from '../drafts/window-drafts'
import type { Attachment } from './attachment'

/** Where attached files outlive the page. */
export interface AttachmentStore {
  /** Rejects when there is no room. */
  put(attachment: Attachment): Promise<void>
  /** Those that are there, in this order. */
  get(ids: readonly string[]): Promise<Attachment[]>
  /** Removes what no draft of the browser has. */
  prune(used: ReadonlySet<string>): Promise<void>
}

const PREFIX = 'files of '

/**
 * The attached files of one draft. Their content is in a store, and a list of their ids is a draft of its own: so two
 * windows, and a window that was closed, share files as they share the text.
 */
export class DraftFiles {
  readonly #id: string
  readonly #drafts: WindowDrafts
  readonly #store: AttachmentStore
  /** Those of the draft when the page was opened, until they are loaded. */
  #unloaded: readonly string[]
  #shown: readonly string[] = []
  /** Sent with messages that have not arrived. */
  #inFlight: readonly (readonly string[])[] = []
  readonly #putting = new Set<string>()
  readonly #put = new Set<string>()
  /** The list as it was last found or stored, and as this window has it. */
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

  /** Whether there is nothing to load. */
  get isLoaded(): boolean {
    return this.#unloaded.length === 0
  }

  /** The files that were attached when the page was last open. */
  async load(): Promise<Attachment[]> {
    const found = await this.#store.get(this.#unloaded)
    // They are shown, and saved as such, from now on.
    this.#unloaded = []
    this.#shown = found.map(({ id }) => id)
    for (const { id } of found) this.#put.add(id)
    return found
  }

  /** The attachments on screen. `onLost`: one cannot be stored. */
  save(attachments: readonly Attachment[], onLost: (attachment: Attachment) => void): void {
    // Until they are loaded, none of them is on screen.
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
      // Without a composer that takes them back, they stay stored.
      if (!arrived && !this.#isOpen) return
      this.#inFlight = this.#inFlight.filter((each) => each !== sent)
      // Another composer may have changed the stored draft: then that one counts.
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

/** Removes the files that no draft has any more. */
export async function pruneFiles(drafts: WindowDrafts, store: AttachmentStore): Promise<void> {
  await store.prune(new Set(drafts.texts((id) => id.startsWith(PREFIX)).flatMap(idsIn)))
}

function idsIn(list: string): string[] {
  return list.split(/\s+/).filter((id) => id !== '')
}
