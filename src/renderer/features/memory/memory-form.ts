import type { MemoryContent, MemoryEntry } from '../../../shared/model/assistant/memory'

/** The fields of the form for an entry; '' for none. */
interface MemoryFields {
  key: string
  text: string
  category: string
  folder: string
}

/** The fields that the user has edited. */
export type TypedMemory = Partial<MemoryFields>

type Saved = Pick<MemoryEntry, 'key' | 'text' | 'category' | 'folder'>

/**
 * The fields as shown: typed values, and otherwise the current entry. An agent may change the entry while the form is
 * open; typed values stay.
 */
export function memoryFields(entry: Saved | undefined, typed: TypedMemory): MemoryFields {
  const { key = '', text = '', category = '', folder = '' } = entry ?? {}
  return { key, text, category, folder, ...typed }
}

/** Whether there is something to save. */
export function isMemoryChanged(entry: Saved | undefined, typed: TypedMemory): boolean {
  const saved = memoryFields(entry, {})
  const now = memoryFields(entry, typed)
  return !entry || (Object.keys(saved) as (keyof MemoryFields)[]).some((name) => now[name] !== saved[name])
}

export function memoryContent(entry: Saved | undefined, typed: TypedMemory): MemoryContent {
  const { key, text, category, folder } = memoryFields(entry, typed)
  return { key, text, ...(category.trim() !== '' && { category }), ...(folder !== '' && { folder }) }
}
