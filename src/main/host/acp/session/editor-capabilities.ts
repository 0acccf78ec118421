import { RequestError, type AgentContext, type ClientCapabilities, type TerminalHandle } from '@agentclientprotocol/sdk'
import { errorText } from '../../../../shared/error-text'
import type { SessionClientCapabilities } from '../../../engine/turn/session/client-capabilities'
import type { ClientTerminal, ClientTerminalProvider } from '../../../engine/task/run/client-terminals'
import type { EditorFiles } from '../../../engine/workspace/file/editor-files'
import { FileProblem } from '../../../engine/workspace/path/file-problem'
import type { ClientPaths } from '../protocol/client-paths'

/** Timeout in ms for reading a file through the client. */
const READ_MS = 5_000
const WRITE_MS = 20_000

export interface EditorCapabilitiesDeps {
  client: Pick<AgentContext, 'request' | 'createTerminal'>
  sessionId: string
  capabilities: ClientCapabilities
  paths: ClientPaths
  /** Called when a command of this call runs in that terminal of the client. */
  onTerminal(callId: string, terminalId: string): void
}

/** The file system and terminal capabilities of a client; only those it offers. */
export function editorCapabilities(deps: EditorCapabilitiesDeps): SessionClientCapabilities {
  const { fs, terminal } = deps.capabilities
  const hasFiles = fs?.readTextFile === true || fs?.writeTextFile === true
  return {
    ...(hasFiles && { files: editorFiles(deps) }),
    ...(terminal === true && { terminals: editorTerminals(deps) }),
  }
}

function editorFiles({ client, sessionId, capabilities: { fs }, paths }: EditorCapabilitiesDeps): EditorFiles {
  return {
    // Files outside the project bypass the editor: it may not know them, or would open them as part of the project.
    covers: paths.covers,
    ...(fs?.readTextFile === true && {
      async read(path, signal) {
        const within = AbortSignal.any([AbortSignal.timeout(READ_MS), ...(signal ? [signal] : [])])
        const options = { cancellationSignal: within, stopWaitingOnCancel: true }
        try {
          const answer = await client.request('fs/read_text_file', { sessionId, path: paths.shown(path) }, options)
          return typeof answer.content === 'string' ? answer.content : undefined
        } catch {
          // The client does not know the file or cannot answer: read it from disk.
          return undefined
        }
      },
    }),
    ...(fs?.writeTextFile === true && {
      async write(path, content) {
        const shown = paths.shown(path)
        try {
          const options = { cancellationSignal: AbortSignal.timeout(WRITE_MS), stopWaitingOnCancel: true }
          await client.request('fs/write_text_file', { sessionId, path: shown, content }, options)
        } catch (error) {
          throw new FileProblem(
            `The editor did not write ${shown}: ${errorSentence(error)} Read it again before you try again.`,
            'other',
            error,
          )
        }
      },
    }),
  }
}

function editorTerminals({ client, sessionId, paths, onTerminal }: EditorCapabilitiesDeps): ClientTerminalProvider {
  return {
    client,
    async create({ command, args, cwd, env, maxBytes, callId }) {
      const variables = Object.entries(env).map(([name, value]) => ({ name, value }))
      let handle: TerminalHandle
      try {
        handle = await client.createTerminal({
          sessionId,
          command,
          args: [...args],
          env: variables,
          cwd: paths.shown(cwd),
          outputByteLimit: maxBytes,
        })
      } catch (error) {
        throw new Error(`the editor opened no terminal for it: ${errorSentence(error)}`, { cause: error })
      }
      if (callId !== undefined) onTerminal(callId, handle.id)
      return editorTerminal(handle)
    },
  }
}

function editorTerminal(handle: TerminalHandle): ClientTerminal {
  return {
    async ended() {
      const { exitCode, signal } = await handle.waitForExit().catch(throwReadable)
      return { ...(typeof exitCode === 'number' && { exitCode }), ...(typeof signal === 'string' && { signal }) }
    },
    async output() {
      const { output, truncated }: { output: unknown; truncated?: unknown } = await handle
        .currentOutput()
        .catch(throwReadable)
      if (typeof output !== 'string') throw new Error('The editor gave no output of the terminal.')
      return { text: output, truncated: truncated === true }
    },
    kill: async () => void (await handle.kill().catch(throwReadable)),
    release: async () => void (await handle.release().catch(throwReadable)),
  }
}

function throwReadable(error: unknown): never {
  throw new Error(errorSentence(error), { cause: error })
}

/** The error as a sentence. */
function errorSentence(error: unknown): string {
  const message = errorText(error)
  const details =
    error instanceof RequestError && typeof error.data === 'object' && error.data !== null && 'details' in error.data
      ? `: ${String(error.data.details)}`
      : ''
  return `${message}${details}`.replace(/[.\s]*$/, '.')
}
