import { realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { AgentFields, AgentProblem } from '../../../shared/model/session/agent'
import type { AgentText } from '../../../shared/contract/settings/customize'
import type { EditScope, Undoable } from '../../../shared/configuration/customize/rules'
import { CodedError } from '../../../shared/errors'
import type { AgentSpecs } from '../agent/agent-specs'
import { readAgentSpec } from '../agent/read-agent-spec'
import { readGuardedText } from '../workspace/guarded-text'
import type { EditedFiles, Place } from './edited-files'

/** The user's changes to agents. */
export interface AgentActions {
  read(folder: string, path: string): Promise<AgentText>
  /** Creates an agent from the fields of the form. */
  create(folder: string, scope: EditScope, fields: AgentFields): Promise<Undoable & { path: string }>
  /**
   * Changes an agent whose file still contains `before`: either fields, keeping the rest of the file, or the whole
   * text.
   */
  save(folder: string, path: string, before: string, to: { fields: AgentFields } | { text: string }): Promise<Undoable>
  remove(folder: string, path: string): Promise<Undoable>
}

const MAX_BYTES = 256 * 1024
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** See `AgentActions`. */
export function createAgentActions({
  home,
  specs,
  files,
}: {
  home: string
  specs: Pick<AgentSpecs, 'list'>
  files: EditedFiles
}): AgentActions {
  /** The place of a spec, or of a file with an error, in one of the agent folders. */
  async function placeOf(given: string, path: string): Promise<Place | undefined> {
    const folder = await realpath(given).catch(() => given)
    const { agents, problems } = await specs.list(folder)
    const agent = agents.find((one) => one.path === path)
    if (!agent && !problems.some((problem) => problem.path === path))
      throw new CodedError('customize.not_found', `There is no agent file ${path}.`)
    if (agent && agent.source !== 'user' && agent.source !== 'project') return undefined
    return dirname(path) === join(home, 'agents') ? { scope: 'user' } : files.placeOf('project', folder)
  }

  async function own(folder: string, path: string): Promise<Place> {
    const place = await placeOf(folder, path)
    if (!place)
      throw new CodedError(
        'customize.invalid',
        'Only your own agents and those of the project can be changed. Duplicate it.',
      )
    return place
  }

  return {
    async read(folder, path) {
      const place = await placeOf(folder, path)
      const text = textOf(path)
      const { fields, problems } = await parsed(path, text)
      return { path, text, ...(fields && { fields }), problems, canEdit: place !== undefined }
    },
    async create(given, scope, fields) {
      if (!NAME.test(fields.name) || fields.name.length > 64)
        throw new CodedError(
          'customize.invalid',
          'The name must be lowercase letters, digits and single hyphens between them.',
        )
      const folder = await realpath(given).catch(() => given)
      const place = await files.placeOf(scope, folder)
      const top = place.scope === 'user' ? join(home, 'agents') : join(place.folder, '.trestle', 'agents')
      const path = join(top, `${fields.name}.yaml`)
      if ('text' in readGuardedText(path, { mostBytes: MAX_BYTES }))
        throw new CodedError('customize.taken', `There already is an agent ${fields.name} here.`)
      const text = await withFields('', undefined, fields)
      await requireUsable(path, text)
      return { ...(await files.write(place, path, undefined, text)), path }
    },
    async save(folder, path, before, to) {
      const place = await own(folder, path)
      const text = 'text' in to ? to.text : await withFields(before, (await parsed(path, before)).fields, to.fields)
      await requireUsable(path, text)
      return files.write(place, path, before, text)
    },
    async remove(folder, path) {
      const place = await own(folder, path)
      return files.write(place, path, textOf(path), undefined)
    },
  }
}

function textOf(path: string): string {
  const found = readGuardedText(path, { mostBytes: MAX_BYTES })
  if ('text' in found) return found.text
  throw new CodedError('customize.not_found', `${path} cannot be read. ${'problem' in found ? found.problem : ''}`)
}

async function parsed(path: string, text: string): Promise<{ fields?: AgentFields; problems: AgentProblem[] }> {
  const readSibling = async (other: string): Promise<string | undefined> => {
    const inside = relative(dirname(path), other)
    if (inside.startsWith('..') || resolve(inside) === inside) return undefined
    const found = readGuardedText(other, { mostBytes: MAX_BYTES })
    return 'text' in found ? found.text : undefined
  }
  const { spec, problems } = await readAgentSpec({ path, text }, { source: 'user', readSibling })
  if (!spec) return { problems }
  const { name, description, systemPrompt, tools, excludeTools, subagents, model, effort, maxSteps, readOnly } = spec
  return {
    problems,
    fields: {
      name,
      description: description ?? '',
      systemPrompt: systemPrompt ?? '',
      ...(tools && { tools: [...tools] }),
      excludeTools: [...excludeTools],
      subagents: [...(subagents ?? [])],
      ...(model !== undefined && { model }),
      ...(effort !== undefined && { effort }),
      ...(maxSteps !== undefined && { maxSteps }),
      readOnly,
    },
  }
}

async function requireUsable(path: string, text: string): Promise<void> {
  const { problems } = await parsed(path, text)
  const [problem] = problems
  if (!problem) return
  const line = problem.line === undefined ? '' : `Line ${problem.line}: `
  throw new CodedError('customize.invalid', `${line}${problem.message}`)
}

/** The file with only the differing fields changed; comments and everything else stay. */
async function withFields(text: string, before: AgentFields | undefined, fields: AgentFields): Promise<string> {
  const { parseDocument, isMap, Document, Scalar } = await import('yaml')
  const document = text.trim() === '' ? new Document({}) : parseDocument(text)
  const nested = isMap(document.contents) ? document.contents.get('agent') : undefined
  const at = isMap(nested) ? ['agent'] : []
  const change = (key: string, value: unknown, was: unknown): void => {
    if (before !== undefined && JSON.stringify(value) === JSON.stringify(was)) return
    if (
      value === undefined ||
      value === '' ||
      value === false ||
      (Array.isArray(value) && value.length === 0 && key !== 'tools')
    )
      document.deleteIn([...at, key])
    else document.setIn([...at, key], value)
  }
  change('name', fields.name, before?.name)
  change('description', fields.description, before?.description)
  change('read_only', fields.readOnly, before?.readOnly ?? false)
  change('model', fields.model, before?.model)
  change('effort', fields.effort, before?.effort)
  change('tools', fields.tools, before?.tools)
  change('exclude_tools', fields.excludeTools, before?.excludeTools)
  change('subagents', fields.subagents, before?.subagents)
  change('max_steps', fields.maxSteps, before?.maxSteps)
  if (before === undefined || fields.systemPrompt !== before.systemPrompt) {
    document.deleteIn([...at, 'system_prompt_path'])
    const prompt = new Scalar(`${fields.systemPrompt.trimEnd()}\n`)
    prompt.type = 'BLOCK_LITERAL'
    if (fields.systemPrompt.trim() === '') document.deleteIn([...at, 'system_prompt'])
    else document.setIn([...at, 'system_prompt'], prompt)
  }
  return document.toString({ lineWidth: 0 })
}
