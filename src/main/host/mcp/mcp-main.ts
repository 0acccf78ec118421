import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { nearest } from '../../../shared/nearest'
import { didYouMean, type Parsed } from '../../console/parse-command'
import { reportStart } from '../../console/report'
import { resolveHome } from '../../engine/config/home'
import { createEngine } from '../../engine/engine'
import { agentTrace } from '../../engine/runtime/agent-trace'
import { usageError, type McpAction } from './mcp-action'

const SIGN_IN = ['browser']
const SERVER = ['project', 'cwd', 'json']
const DEFINITION = [
  'transport',
  'header',
  'env',
  'sandbox',
  'client-id',
  'client-secret',
  'scope',
  'redirect-url',
  'client-metadata-url',
]

/** The options and number of arguments of each action. */
const ACTIONS: Record<
  string,
  { options: readonly string[]; words: readonly [min: number, max: number]; takes: string }
> = {
  list: { options: ['cwd', 'json'], words: [0, 0], takes: 'no name' },
  add: { options: [...SERVER, ...DEFINITION], words: [2, 1000], takes: 'a name, and a URL or -- and a command' },
  import: { options: ['cwd', 'json', 'yes', 'replace', 'value'], words: [0, 1000], takes: 'a product and names' },
  remove: { options: SERVER, words: [1, 1], takes: 'the name of a server' },
  enable: { options: SERVER, words: [1, 2], takes: 'the name of a server, or of one and of its tool' },
  disable: { options: SERVER, words: [1, 2], takes: 'the name of a server, or of one and of its tool' },
  test: { options: [...SERVER, ...SIGN_IN], words: [1, 1], takes: 'the name of a server' },
  tools: { options: [...SERVER, ...SIGN_IN], words: [1, 1], takes: 'the name of a server' },
  call: { options: [...SERVER, ...SIGN_IN, 'answer'], words: [2, 3], takes: 'a server, a tool and its input as JSON' },
  login: { options: [...SERVER, ...SIGN_IN], words: [1, 1], takes: 'the name of a server' },
  logout: { options: SERVER, words: [1, 1], takes: 'the name of a server' },
  logs: { options: [...SERVER, ...SIGN_IN], words: [1, 1], takes: 'the name of a server' },
}

/** Time in ms for an interrupted action to end before it is aborted. */
const STOP_MS = 500

/**
 * Actions that decide what runs, or act on behalf of the user: not for an agent's commands, because the agent has its
 * own tools and rules.
 */
const FOR_PEOPLE = new Set(['add', 'import', 'remove', 'enable', 'disable', 'call', 'login', 'logout'])

/**
 * `trestle mcp`: manages and uses servers without a UI. Returns the exit code: 0, 1 when it failed, 2 for wrong usage,
 * 130 when interrupted.
 */
export async function mcpMain(
  { values, positionals: [action, ...words], hasSeparator }: Parsed,
  version: string,
): Promise<number> {
  const names = Object.keys(ACTIONS)
  if (action === undefined) throw usageError(`Specify an action: ${names.join(', ')}.`)
  const known = ACTIONS[action]
  if (!known || !Object.hasOwn(ACTIONS, action))
    throw usageError(`Unknown "${action}".${didYouMean(nearest(action, names, 1))} There are: ${names.join(', ')}.`)
  const stray = Object.keys(values).find((name) => name !== 'help' && !known.options.includes(name))
  if (stray !== undefined) throw usageError(`--${stray} cannot be used with ${action}.`)
  if (words.length < known.words[0] || words.length > known.words[1])
    throw usageError(`${action} takes ${known.takes}.`)
  const trace = FOR_PEOPLE.has(action) ? await agentTrace({ home: realpathSync(resolveHome()) }) : undefined
  if (trace !== undefined) {
    process.stderr.write(`trestle: mcp ${action} is for users only, and ${trace}. Use the app or your own terminal.\n`)
    return 2
  }
  const folder = folderOf(values['cwd'])
  const interrupted = new AbortController()
  const stop = (): void => interrupted.abort(new Error('interrupted'))
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  const engine = await createEngine({ version, watch: false, runsQueue: false })
  try {
    reportStart(engine)
    const { signal } = interrupted
    const ended = act(action, {
      mcp: engine.mcp,
      folder,
      values,
      words,
      hasSeparator,
      isJson: values['json'] === true,
      signal,
    })
    // Closing the engine ends pending work.
    const gaveUp = new Promise<number>((resolve) =>
      signal.addEventListener('abort', () => setTimeout(resolve, STOP_MS, 130).unref(), { once: true }),
    )
    const code = await Promise.race([ended, gaveUp])
    return signal.aborted ? 130 : code
  } catch (error) {
    if (interrupted.signal.aborted) return 130
    throw error
  } finally {
    await engine.close()
    process.removeListener('SIGINT', stop)
    process.removeListener('SIGTERM', stop)
  }
}

async function act(action: string, asked: McpAction): Promise<number> {
  switch (action) {
    case 'list':
    case 'add':
    case 'remove':
    case 'enable':
    case 'disable': {
      const { manageServers } = await import('./manage-servers')
      return manageServers(action, asked)
    }
    case 'import': {
      const { importServers } = await import('./import-servers')
      return importServers(asked)
    }
    case 'login':
    case 'logout': {
      const { signInOrOut } = await import('./use-server')
      return signInOrOut(action, asked)
    }
    default: {
      const { useServer } = await import('./use-server')
      return useServer(action as 'test' | 'tools' | 'call' | 'logs', asked)
    }
  }
}

function folderOf(wanted: Parsed['values'][string]): string {
  const path = resolve(typeof wanted === 'string' ? wanted : '.')
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw usageError(`--cwd: there is no folder ${path}.`)
  return realpathSync(path)
}
