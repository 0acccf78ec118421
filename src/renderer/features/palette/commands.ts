import type { ReactNode } from 'react'

/** Something the user can do from anywhere: shown in the palette, and done by its shortcut. */
export interface Command {
  id: string
  /** The heading it stands under. */
  group: string
  label: string
  /** More words that find it. */
  keywords?: string
  /** E.g. `Mod+N`. */
  shortcut?: string
  icon?: ReactNode
  /** Said at the right end, e.g. the folder of a session. */
  hint?: string
  /** Too much to read where nothing is typed yet. */
  onlySearched?: boolean
  /** Marks the one that is chosen now. */
  chosen?: boolean
  /** Does it; or, for `page`, shows further commands to choose from. */
  run?: () => void
  page?: { title: string; commands: () => readonly Command[] }
}
