/** A call of the engine to an editor that provides its files and terminals to a session. Paths are real paths. */
export type EditorCall =
  /** Answered with the editor's text, or nothing. */
  | { kind: 'read'; path: string }
  | { kind: 'write'; path: string; text: string }
  /** Answered with `{ terminalId }`. */
  | {
      kind: 'open-terminal'
      command: string
      args: string[]
      cwd: string
      /** Added to the usual environment of commands there. */
      env: Record<string, string>
      maxBytes: number
      callId?: string
    }
  /** Answered with `{ exitCode?, signal? }` once its command has ended. */
  | { kind: 'terminal-ended'; terminalId: string }
  /** Answered with `{ text, truncated }`. */
  | { kind: 'terminal-output'; terminalId: string }
  | { kind: 'kill-terminal' | 'release-terminal'; terminalId: string }

/** The pushes to a client that provides capabilities to a session: `ready` first, then the calls to answer. */
export type EditorPush = { type: 'ready' } | { type: 'call'; requestId: string; call: EditorCall }
