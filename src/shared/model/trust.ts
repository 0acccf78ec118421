/** A file of a project's own configuration that would count once the folder is trusted. */
export interface TrustPart {
  kind: 'rules' | 'mcp' | 'hooks' | 'agents'
  /** Absolute path. */
  file: string
  /** What it would do, a line each: `allow Bash(npm *)`. */
  lines: string[]
  /** Unified diff against what was accepted before; absent when nothing was. */
  diff?: string
}

/** Whether a folder's own configuration counts. */
export interface TrustView {
  /** Real path. */
  folder: string
  /** `nothing`: the project has no such configuration. `changed`: it was accepted, and has changed since. */
  state: 'nothing' | 'asked' | 'changed' | 'trusted' | 'refused'
  parts: TrustPart[]
  /** Of all parts: what `accept` and `refuse` are bound to. */
  hash: string
  /** Why what was decided before cannot be read, so that nothing is trusted. */
  problem?: string
}

/** A folder whose configuration was accepted. */
export interface TrustedFolder {
  /** Real path. */
  folder: string
  /** ms since the epoch. */
  acceptedAt: number
}
