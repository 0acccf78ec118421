import type { AgentDefinition, AgentProblem, AgentSource } from '../../../shared/model/agent'
import type { Effort } from '../../../shared/model/effort'

/** In place of a model: the small one of the settings, or that of the same provider. */
export const SMALL_MODEL = 'small'

/** What a file says of an agent, before what it extends is put beneath it. */
export interface WrittenSpec {
  name: string
  /** The name as it is written, where that is another one. */
  title?: string
  source: AgentSource
  path: string
  description?: string
  /** What fills in what this one does not say: another spec, by its name or by its file. */
  extend?: { name: string; line?: number; spec?: WrittenSpec }
  systemPrompt?: string
  promptArgs: Readonly<Record<string, string>>
  tools?: readonly string[]
  excludeTools: readonly string[]
  subagents?: readonly string[]
  /** Those of them that the file leads to. */
  ownTypes?: readonly WrittenSpec[]
  model?: string
  effort?: Effort
  maxSteps?: number
  readOnly: boolean
  greeting?: string
}

/** An agent as it is used. */
export interface AgentSpec extends AgentDefinition {
  source: AgentSource | 'session'
}

/** What a file gives: a spec unless the whole file is of no use, and what is wrong with it. */
export interface ParsedSpec {
  spec?: WrittenSpec
  problems: AgentProblem[]
}

/** A file with a spec, or beside one. */
export interface SpecFile {
  path: string
  text: string
}

/** What is wrong with a file of an agent, as one line. */
export function problemText({ path, line, message }: AgentProblem): string {
  return `${path}${line === undefined ? '' : `:${line}`}: ${message}`
}

const MAX_LEVELS = 8

/**
 * Puts beneath each spec what it extends. `written` is nearest first; where two have one name the first is used, and may extend the second.
 * A spec whose chain is broken is left out and said.
 */
export function resolveSpecs(written: readonly WrittenSpec[]): {
  specs: AgentSpec[]
  hidden: Map<WrittenSpec, string>
  problems: AgentProblem[]
} {
  const specs: AgentSpec[] = []
  const problems: AgentProblem[] = []
  const hidden = new Map<WrittenSpec, string>()
  for (const [index, spec] of written.entries()) {
    const nearer = written.findIndex(({ name }) => name === spec.name)
    if (nearer < index) {
      hidden.set(spec, written[nearer]!.path)
      continue
    }
    const found = resolveSpec(spec, written)
    if ('problem' in found) problems.push(found.problem)
    else specs.push(found.spec)
  }
  return { specs, hidden, problems }
}

/** The spec with everything that it extends beneath it. */
export function resolveSpec(
  spec: WrittenSpec,
  all: readonly WrittenSpec[],
): { spec: AgentSpec } | { problem: AgentProblem } {
  const chain = [spec]
  for (let at = spec; at.extend;) {
    const { name, line } = at.extend
    // Its own name means the one that it hides.
    const base = at.extend.spec ?? all.find((one) => one.name === name && !chain.includes(one))
    const place = { path: spec.path, ...(at === spec && line !== undefined && { line }) }
    const known = all.filter((one) => !chain.includes(one)).map((one) => one.name)
    if (!base || chain.includes(base)) {
      const isCircle = chain.some((one) => one.name === name)
      const why = isCircle ? 'they extend each other' : `there is: ${[...new Set(known)].join(', ') || 'none'}`
      return { problem: { ...place, message: `It extends "${name}", which cannot be found: ${why}.` } }
    }
    if (chain.length >= MAX_LEVELS)
      return { problem: { ...place, message: `It extends more than ${MAX_LEVELS} others in a row.` } }
    chain.push(base)
    at = base
  }
  const first = <Value>(pick: (one: WrittenSpec) => Value | undefined): Value | undefined =>
    chain.map(pick).find((value) => value !== undefined)
  const args = Object.assign({}, ...chain.toReversed().map((one) => one.promptArgs)) as Record<string, string>
  const tools = first((one) => one.tools)
  const model = first((one) => one.model)
  const effort = first((one) => one.effort)
  const maxSteps = first((one) => one.maxSteps)
  const prompt = first((one) => one.systemPrompt) ?? ''
  const greeting = first((one) => one.greeting)
  const { ownTypes } = chain.find((one) => one.subagents !== undefined) ?? spec
  const types = (ownTypes ?? []).flatMap((type) => {
    const found = resolveSpec(type, all)
    return 'spec' in found ? found.spec : []
  })
  return {
    spec: {
      name: spec.name,
      ...(spec.title !== undefined && { title: spec.title }),
      source: spec.source,
      path: spec.path,
      description: first((one) => one.description) ?? spec.title ?? spec.name,
      systemPrompt: prompt.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => args[name] ?? whole),
      excludeTools: [...new Set(chain.flatMap((one) => one.excludeTools))],
      subagents: first((one) => one.subagents) ?? [],
      // What is built on a reader stays one.
      readOnly: chain.some((one) => one.readOnly),
      ...(tools && { tools }),
      ...(types.length > 0 && { ownTypes: types }),
      ...(greeting !== undefined && { greeting }),
      ...(model !== undefined && { model }),
      ...(effort !== undefined && { effort }),
      ...(maxSteps !== undefined && { maxSteps }),
    },
  }
}
