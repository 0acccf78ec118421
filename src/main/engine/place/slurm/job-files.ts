import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentDefinition } from '../../../../shared/model/session/agent'
import { writePrivateFile } from '../../config/write-private-file'
import type { PermissionRule } from '../../permission/permission-rule'
import { JOB_HOME_MARK } from './job-homes'

/** Tables of the user's configuration that also apply to subagents in jobs. None of them contains keys. */
const TABLES = ['loop', 'sandbox', 'tools', 'features'] as const
/** Tools that would ask the user during the turn, or start further agents. */
const NOT_IN_JOBS = ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode', 'Agent', 'CreateSubagent', 'SendDMail']
/** An engine in a job exits after this time without a client, and the job ends with it. */
const IDLE_MINUTES = 5

export interface JobFiles {
  /** TRESTLE_HOME of the job. */
  jobHome: string
  agent: AgentDefinition
  /** See `jobConfig`. */
  config: string
}

/** Writes the home folder of a job, with what its engine needs, but no keys. Returns the file of the agent. */
export async function writeJobFiles({ jobHome, agent, config }: JobFiles): Promise<string> {
  await mkdir(jobHome, { recursive: true, mode: 0o700 })
  await writeFile(join(jobHome, JOB_HOME_MARK), '')
  writeJobConfig(jobHome, config)
  const agentFile = join(jobHome, 'agent.yaml')
  await writeFile(agentFile, agentYaml(agent), { mode: 0o600 })
  return agentFile
}

export function writeJobConfig(jobHome: string, config: string): void {
  writePrivateFile(join(jobHome, 'config.toml'), config)
}

/** The configuration of an engine in a job: what the user allows now, with the rules from everywhere, and no keys. */
export async function jobConfig(home: string, rules: readonly PermissionRule[]): Promise<string> {
  const { parse, stringify } = await import('smol-toml')
  const own: Record<string, unknown> = await readFile(join(home, 'config.toml'), 'utf8').then(parse, () => ({}))
  return stringify({
    ...Object.fromEntries(TABLES.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]))),
    engine: { idle_minutes: IDLE_MINUTES },
    permission: {
      rules: rules.map(({ decision, pattern, sandbox }) => ({ decision, pattern, ...(sandbox && { sandbox }) })),
    },
  })
}

/** Writes JSON, which is valid YAML. */
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
