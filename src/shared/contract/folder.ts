import { oc, type } from '@orpc/contract'
import { z } from 'zod'

/** A folder's subfolders, for choosing one where no native dialog exists. `path` is real and absolute. */
export interface FolderListing {
  path: string
  parent?: string
  folders: { name: string; path: string }[]
}

export const folderContract = {
  /** Subfolders of a folder; `~` and relative paths start at the home folder. */
  list: oc.input(z.strictObject({ path: z.string().default('~') })).output(type<FolderListing>()),
  /** Files and folders of the session's project whose path fits what was typed after `@`, best first. */
  complete: oc
    .input(z.strictObject({ sessionId: z.string(), query: z.string().max(500), limit: z.int().min(1).max(100).default(20) }))
    .output(type<{ path: string; isFolder: boolean }[]>()),
  /** Makes a small project in a temporary folder, for the demo model. */
  scratch: oc.output(type<{ path: string }>()),
}
