import type { AgentChoice, AgentDefinition, AgentProblem, SessionAgent } from '../../../shared/model/agent'
import { CodedError } from '../../../shared/model/errors'
import { nearest } from '../../../shared/nearest'
import type { AgentSpecs } from './agent-specs'

/** What follows from the choice of an agent for a session. */
export interface ChosenAgent {
  agent: SessionAgent
  /** The model that its spec names; absent: that of the session. */
  model?: string
  /** What is wrong with its file, and does not count. */
  problems: AgentProblem[]
}

/** Finds the agent that a person has chosen for a session in the folder; throws `request.invalid`, with what there is, when it cannot be used. */
export async function chooseAgent(specs: Pick<AgentSpecs, 'find' | 'fromFile'>, choice: AgentChoice, folder: string): Promise<ChosenAgent> {
  if ('file' in choice) {
    const { spec, problems } = await specs.fromFile(choice.file, folder)
    const { source: _source, ...definition } = spec
    return chosen(definition, problems, true)
  }
  const found = await specs.find(folder)
  const spec = found.find(({ name, title }) => name === choice.name || title === choice.name)
  if (spec) return chosen(spec, [], false)
  const names = found.map(({ name }) => name)
  const [near] = nearest(choice.name, names, 1)
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  throw new CodedError('request.invalid', `There is no agent "${choice.name.slice(0, 80)}" here.${hint} There are: ${names.join(', ')}.`)
}

function chosen(definition: AgentDefinition, problems: AgentProblem[], keeps: boolean): ChosenAgent {
  const { name, title, readOnly, greeting, model } = definition
  const agent: SessionAgent = {
    name,
    ...(title !== undefined && { title }),
    ...(readOnly && { readOnly }),
    ...(greeting !== undefined && { greeting }),
    ...(keeps && { definition }),
  }
  return { agent, problems, ...(model !== undefined && { model }) }
}
