import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AgentChoice } from '../../shared/model/agent'
import { UsageError, type OptionSpec, type Parsed } from './parse'

/** The options that choose the agent of a session. */
export const AGENT_OPTIONS: Record<string, OptionSpec> = {
  agent: {
    type: 'string',
    value: 'NAME',
    help: 'The agent to work as; trestle agent list names those there are (default: the usual one).',
  },
  'agent-file': { type: 'string', value: 'FILE', help: 'The agent that this file defines.' },
}

/** What `--agent` or `--agent-file` chose, the file with its absolute path; throws a `UsageError`. */
export function agentOption({ values }: Parsed, command: string): AgentChoice | undefined {
  const { agent: name, 'agent-file': file } = values
  if (typeof name === 'string' && typeof file === 'string') throw new UsageError('--agent and --agent-file exclude each other.', command)
  if (typeof name === 'string') return { name }
  if (typeof file !== 'string') return undefined
  const absolute = resolve(file)
  const stats = statSync(absolute, { throwIfNoEntry: false })
  if (!stats) throw new UsageError(`--agent-file: there is no file ${absolute}.`, command)
  if (!stats.isFile()) throw new UsageError(`--agent-file: ${absolute} is not a file.`, command)
  return { file: absolute }
}
