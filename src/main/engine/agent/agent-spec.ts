import type { AgentDefinition, AgentProblem, AgentSource } from '../../../shared/model/session/agent'
import type { Effort } from '../../../shared/model/turn/effort'

/** As `model`: the small model of the settings, or of the same provider. */
export const SMALL_MODEL = 'small'

/** An agent as written in a file, before the specs that it extends are merged in. */
export interface WrittenSpec {
  name: string
  /** The name as written, if it differs. */
  title?: string
  source: AgentSource
  path: string
  description?: string
  /** The spec that supplies missing fields, by name or file. */
  extend?: { name: string; line?: number; spec?: WrittenSpec }
  systemPrompt?: string
  promptArgs: Readonly<Record<string, string>>
  tools?: readonly string[]
  excludeTools: readonly string[]
  subagents?: readonly string[]
  /** The subagents that the file defines through other files. */
  ownTypes?: readonly WrittenSpec[]
  model?: string
  effort?: Effort
  maxSteps?: number
  maxRepeats?: number
  readOnly: boolean
  greeting?: string
}

/** A resolved agent. */
export interface AgentSpec extends AgentDefinition {
  source: AgentSource | 'session'
}

/** A parsed file: its spec, unless the whole file is unusable, and its problems. */
export interface ParsedSpec {
  spec?: WrittenSpec
  problems: AgentProblem[]
}

/** A file with a spec, or one that a spec refers to. */
export interface SpecFile {
  path: string
  text: string
}

/** A problem in an agent file, as one line. */
export function problemText({ path, line, message }: AgentProblem): string {
  return `${path}${line === undefined ? '' : `:${line}`}: ${message}`
}

const MAX_LEVELS = 8

/**
 * Merges each spec with the specs that it extends. `written` is in order of precedence; of two specs with the same name
 * the first is used, and may extend the second. A spec with a broken chain is left out and reported.
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

/** The spec, merged with everything that it extends. */
export function resolveSpec(
  spec: WrittenSpec,
  all: readonly WrittenSpec[],
): { spec: AgentSpec } | { problem: AgentProblem } {
  const chain = [spec]
  for (let at = spec; at.extend;) {
    const { name, line } = at.extend
    // A spec that extends its own name means the one that it overrides.
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
  const maxRepeats = first((one) => one.maxRepeats)
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
      systemPrompt: prompt.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) =>
        Object.hasOwn(args, name) ? args[name]! : whole,
      ),
      excludeTools: [...new Set(chain.flatMap((one) => one.excludeTools))],
      subagents: first((one) => one.subagents) ?? [],
      // A spec that extends a read-only one is read-only.
      readOnly: chain.some((one) => one.readOnly),
      ...(tools && { tools }),
      ...(types.length > 0 && { ownTypes: types }),
      ...(greeting !== undefined && { greeting }),
      ...(model !== undefined && { model }),
      ...(effort !== undefined && { effort }),
      ...(maxSteps !== undefined && { maxSteps }),
      ...(maxRepeats !== undefined && { maxRepeats }),
    },
  }
}
