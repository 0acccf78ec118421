import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentDefinition } from '../../../../shared/model/session/agent'
import type { PermissionRule } from '../../permission/permission-rule'
import { JOB_HOME_MARK } from './job-homes'

/** Tables of the user's configuration that count for subagents in jobs too. None of them holds keys. */
const TABLES = ['loop', 'sandbox', 'tools', 'features'] as const
/** What would ask the user in the middle of it, or start further agents. */
const NOT_IN_JOBS = ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode', 'Agent', 'CreateSubagent', 'SendDMail']
/** After this without a client an engine in a job ends, and with it the job. */
const IDLE_MINUTES = 5

export interface JobFiles {
  /** TRESTLE_HOME of the user. */
  home: string
  /** Of the job. */
  jobHome: string
  agent: AgentDefinition
  /** The rules that apply to the subagent, from everywhere. */
  rules: readonly PermissionRule[]
}

/** Writes the home folder of a job: what its engine needs to know, and no keys. Returns the file of the agent. */
export async function writeJobFiles({ home, jobHome, agent, rules }: JobFiles): Promise<string> {
  await mkdir(jobHome, { recursive: true, mode: 0o700 })
  await writeFile(join(jobHome, JOB_HOME_MARK), '')
  const { parse, stringify } = await import('smol-toml')
  const own: Record<string, unknown> = await readFile(join(home, 'config.toml'), 'utf8').then(parse, () => ({}))
  const config = {
    ...Object.fromEntries(TABLES.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]))),
    engine: { idle_minutes: IDLE_MINUTES },
    permission: {
      rules: rules.map(({ decision, pattern, sandbox }) => ({ decision, pattern, ...(sandbox && { sandbox }) })),
    },
  }
  await writeFile(join(jobHome, 'config.toml'), stringify(config), { mode: 0o600 })
  const agentFile = join(jobHome, 'agent.yaml')
  await writeFile(agentFile, agentYaml(agent), { mode: 0o600 })
  return agentFile
}

/** JSON is YAML. */
function agentYaml(agent: AgentDefinition): string {
  const { name, description, systemPrompt, tools, excludeTools, effort, maxSteps, maxRepeats, readOnly } = agent
  return `${JSON.stringify(
    {
      name,
      description,
      ...(systemPrompt !== '' && { system_prompt: systemPrompt }),
      ...(tools && { tools }),
      exclude_tools: [...new Set([...excludeTools, ...NOT_IN_JOBS])],
      ...(effort !== undefined && { effort }),
      ...(maxSteps !== undefined && { max_steps: maxSteps }),
      ...(maxRepeats !== undefined && { max_repeats: maxRepeats }),
      read_only: readOnly,
    },
    undefined,
    2,
  )}\n`
}
