/** A server found in another product's configuration, or in pasted text. No secret is in it. */
export interface McpImportServer {
  /** Names it within its preview. */
  key: string
  name: string
  /** What it would do, a line each; values of its environment and headers are left out, and what looks like a key is covered. */
  lines: string[]
  /** `same`: it is among the user's own already. `clash`: another one of this name is. `unusable`: the notes say why. */
  state: 'new' | 'same' | 'clash' | 'unusable'
  /** A name that is free, for one that clashes. */
  freeName: string
  /** What is not as the other product has it. */
  notes: string[]
  /** Values it asks for. One that is left empty is `fallback`, or is taken from the environment variable. */
  inputs: { id: string; label: string; isSecret: boolean; fallback?: string; variable?: string }[]
}

/** What could be taken over from one place. Nothing has been written. */
export interface McpImportPreview {
  /** Names the place; `pasted` for text. */
  sourceId: string
  /** "Claude Code", "Cursor". */
  product: string
  file?: string
  /** The project these servers are for, where they are for one. */
  folder?: string
  /** Of what was read: an import takes only what was shown. */
  hash: string
  servers: McpImportServer[]
  /** Why the place, or a part of it, cannot be read. */
  problems: string[]
}

/** What the user has chosen of a preview. */
export interface McpImportRequest {
  sourceId: string
  hash: string
  /** With `pasted`. */
  text?: string
  servers: {
    key: string
    /** As it is to be called here. */
    name: string
    /** Takes the place of the one of this name; else the name must be free. */
    replace?: boolean
    /** For its `inputs`, by id. */
    values?: Readonly<Record<string, string>>
  }[]
}
