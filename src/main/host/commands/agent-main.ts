import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AgentProblem, AgentView } from '../../../shared/model/session/agent'
import { UsageError, type Parsed } from '../../console/parse-command'
import { oneLine, table } from '../../console/output'
import { createAgentSpecs, builtInAgents } from '../../engine/agent/agent-specs'
import { problemText } from '../../engine/agent/agent-spec'
import { createEnginePlugins } from '../../engine/foundation/engine-plugins'
import { resolveHome } from '../../engine/config/home'
import { shortText } from '../../../shared/cut-text'

const MAX_SHOWN = 90

/** `trestle agent list`: lists the agents for sessions and subagents here, and problems in their files. Returns 0. */
export async function agentMain({ positionals: [action], values }: Parsed): Promise<number> {
  if (action !== 'list') throw new UsageError('There is one action: trestle agent list.', 'agent')
  const folder = resolve(typeof values['cwd'] === 'string' ? values['cwd'] : '.')
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--cwd: there is no folder ${folder}.`, 'agent')
  const home = realpathSync(resolveHome())
  const plugins = createEnginePlugins({
    home,
    notify: () => {},
    warn: (text) => void process.stderr.write(`trestle: ${text}\n`),
  })
  const specs = createAgentSpecs({ home, builtIn: builtInAgents(), plugins: plugins.active })
  const { agents, problems } = await specs.list(realpathSync(folder))
  process.stdout.write(values['json'] === true ? `${JSON.stringify({ agents, problems })}\n` : textOf(agents))
  for (const problem of problems) process.stderr.write(`trestle: ${oneLine(lineOf(problem))}\n`)
  return 0
}

function lineOf(problem: AgentProblem): string {
  return `${problemText(problem)}${(problem.isFatal ?? true) ? ' This agent is left out.' : ''}`
}

function textOf(agents: readonly AgentView[]): string {
  const rows = agents
    .filter(({ hiddenBy }) => hiddenBy === undefined)
    .map(({ name, title, description, source, readOnly }) => [
      name,
      SOURCES[source],
      readOnly ? 'only reads' : '',
      short(title === undefined || title === description ? description : `${title}: ${description}`),
    ])
  return table(['NAME', 'FROM', '', 'DESCRIPTION'], rows)
}

function short(text: string): string {
  return shortText(text, MAX_SHOWN)
}

const SOURCES = { project: 'the project', user: 'your own', plugin: 'a plugin', 'built-in': 'Trestle' } as const
