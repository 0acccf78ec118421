/** What the engine asks of an editor that lends its files and terminals to a session. Paths are real paths. */
export type EditorCall =
  /** Answered with the text as the editor has it, or nothing. */
  | { kind: 'read'; path: string }
  | { kind: 'write'; path: string; text: string }
  /** Answered with `{ terminalId }`. */
  | {
      kind: 'open-terminal'
      command: string
      args: string[]
      cwd: string
      /** Added to the environment that commands there have anyway. */
      env: Record<string, string>
      maxBytes: number
      callId?: string
    }
  /** Answered with `{ exitCode?, signal? }` once its command has ended. */
  | { kind: 'terminal-ended'; terminalId: string }
  /** Answered with `{ text, truncated }`. */
  | { kind: 'terminal-output'; terminalId: string }
  | { kind: 'kill-terminal' | 'release-terminal'; terminalId: string }

/** What a client that lends something to a session gets: `ready` first, then the calls to answer. */
export type EditorPush = { type: 'ready' } | { type: 'call'; requestId: string; call: EditorCall }
