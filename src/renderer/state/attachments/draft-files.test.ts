import { describe, expect, it, vi } from 'vitest'
import { WindowDrafts, type DraftStorage } from '../drafts/window-drafts'
import type { Attachment } from './attachment'
import { DraftFiles, pruneFiles, type AttachmentStore } from './draft-files'

/** A browser: its storage, its database, and any number of windows. */
function browser() {
  const items = new Map<string, string>()
  const storage: DraftStorage = {
    get length() {
      return items.size
    },
    key: (at) => [...items.keys()][at] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  }
  const files = new Map<string, Attachment>()
  const store: AttachmentStore = {
    async put(attachment) {
      if (attachment.bytes > 100) throw new Error('full')
      files.set(attachment.id, attachment)
    },
    get: async (ids) => ids.flatMap((id) => files.get(id) ?? []),
    async prune(used) {
      for (const id of files.keys()) if (!used.has(id)) files.delete(id)
    },
  }
  const window = (name: string) => {
    const drafts = new WindowDrafts(name, () => storage)
    return { drafts, composer: (id = 's1') => new DraftFiles(id, drafts, store) }
  }
  return { files, store, window, items }
}

const file = (id: string, bytes = 1): Attachment => ({
  id,
  bytes,
  part: { type: 'text', text: id, file: { name: id, path: `/${id}`, size: bytes } },
})
const unexpected = (): void => expect.unreachable()
const ids = async (composer: DraftFiles): Promise<string[]> => (await composer.load()).map(({ id }) => id)

describe('the files of a draft', () => {
  it('are found by the next composer, without those that were removed', async () => {
    const { window } = browser()
    const { composer } = window('a')
    const first = composer()
    first.save([file('one'), file('two')], unexpected)
    await expect.poll(() => composer().isLoaded).toBe(false)
    first.save([file('two')], unexpected)
    expect(await ids(composer())).toEqual(['two'])
    expect(composer('s2').isLoaded).toBe(true)
  })

  it('are not lost when others are attached before they are loaded', async () => {
    const { window } = browser()
    const { composer } = window('a')
    composer().save([file('one')], unexpected)
    await expect.poll(() => composer().isLoaded).toBe(false)
    const next = composer()
    next.save([], unexpected)
    next.save([file('two')], unexpected)
    await expect.poll(async () => ids(composer())).toEqual(['one', 'two'])
    expect(await ids(next)).toEqual(['one'])
  })

  it('are kept for a message in flight until it arrives, even after the composer was closed', async () => {
    const { window } = browser()
    const { composer } = window('a')
    const first = composer()
    const leave = first.open()
    first.save([file('one')], unexpected)
    await expect.poll(() => composer().isLoaded).toBe(false)
    const release = first.trackOutgoing([file('one')])
    first.save([], unexpected)
    leave()
    expect(await ids(composer())).toEqual(['one'])
    release(true)
    expect(composer().isLoaded).toBe(true)
  })

  it('stay stored when a message fails after its composer was closed', async () => {
    const { window } = browser()
    const { composer } = window('a')
    const first = composer()
    first.save([file('one')], unexpected)
    await expect.poll(() => composer().isLoaded).toBe(false)
    const release = first.trackOutgoing([file('one')])
    first.save([], unexpected)
    release(false)
    expect(await ids(composer())).toEqual(['one'])
  })

  it('are taken over from a window that was closed', async () => {
    const { window } = browser()
    const first = window('a')
    first.composer().save([file('one')], unexpected)
    await expect.poll(() => first.composer().isLoaded).toBe(false)
    first.drafts.mark(true)
    expect(await ids(window('b').composer())).toEqual(['one'])
  })

  it('are reported if there is no space for them, and the others stay', async () => {
    const { window } = browser()
    const { composer } = window('a')
    const lost = vi.fn<(attachment: Attachment) => void>()
    composer().save([file('large', 101), file('one')], lost)
    await expect.poll(() => lost.mock.calls.map(([{ id }]) => id)).toEqual(['large'])
    expect(await ids(composer())).toEqual(['one'])
  })

  it('are removed when no draft of any window uses them', async () => {
    const { window, files, store } = browser()
    const [first, second] = [window('a'), window('b')]
    const composer = first.composer()
    composer.save([file('one'), file('two')], unexpected)
    second.composer('s2').save([file('three')], unexpected)
    await expect.poll(() => second.composer('s2').isLoaded).toBe(false)
    composer.save([file('two')], unexpected)
    await pruneFiles(first.drafts, store)
    expect([...files.keys()].toSorted()).toEqual(['three', 'two'])
  })
})
