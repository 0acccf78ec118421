import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CodedError } from '../../../shared/errors'
import type {
  AgentList,
  AgentProblem,
  AgentSource,
  AgentView,
  AgentChoice,
  AgentDefinition,
  SessionAgent,
} from '../../../shared/model/session/agent'
import { pluginName } from '../../../shared/model/app/plugin'
import type { Plugin } from '../plugin/read-plugin'
import { readTrustState } from '../trust/trust-state'
import { readGuardedText } from '../workspace/guarded-text'
import {
  problemText,
  type AgentSpec,
  type ParsedSpec,
  type SpecFile,
  type WrittenSpec,
  resolveSpec,
  resolveSpecs,
} from './agent-spec'
import { readAgentSpec } from './read-agent-spec'
import { nearest } from '../../../shared/nearest'

const MAX_FILES = 200
const MAX_BYTES = 256 * 1024

export interface AgentSpecs {
  /** The specs that apply in a folder (a real path), read again at every call. */
  find(folder: string): Promise<AgentSpec[]>
  /** The specs that are not built in; nearly free when no such files exist. */
  custom(folder: string): Promise<AgentSpec[]>
  /** The list for the settings page: includes overridden specs, and problems. */
  list(folder: string): Promise<AgentList>
  /**
   * A spec from any file, which may extend the specs of the folder; throws `request.invalid`, naming the file and line,
   * when it cannot be used.
   */
  fromFile(path: string, folder: string): Promise<{ spec: AgentSpec; problems: AgentProblem[] }>
  /** Problems in the specs of the project and the user. */
  problems(folder: string): Promise<AgentProblem[]>
}

interface AgentSpecsDeps {
  home: string
  builtIn: string
  /** The plugins that are active in a folder. */
  plugins?(folder: string): Promise<readonly Pick<Plugin, 'manifest' | 'agentFiles'>[]>
}

interface Place {
  source: AgentSource
  plugin?: string
  files: SpecFile[]
  problems: AgentProblem[]
}

/**
 * Agent specs: the project's `.trestle/agents` (only in a trusted folder, with the content that was trusted), the
 * user's `agents` in `home`, and the built-in ones. Earlier ones take precedence.
 */
export function createAgentSpecs({ home, builtIn, plugins }: AgentSpecsDeps): AgentSpecs {
  const ownPlaces = async (folder: string): Promise<Place[]> => {
    const active = (await plugins?.(folder)) ?? []
    const own = await Promise.all([projectPlace(home, folder), folderPlace(join(home, 'agents'), 'user')])
    return [
      ...own,
      ...active.map(({ manifest, agentFiles }): Place => ({
        source: 'plugin',
        plugin: manifest.name,
        files: [...agentFiles],
        problems: [],
      })),
    ]
  }

  async function load(folder: string): Promise<{ written: WrittenSpec[]; problems: AgentProblem[] }> {
    const places = [...(await ownPlaces(folder)), await folderPlace(builtIn, 'built-in')]
    const problems = places.flatMap((place) => place.problems)
    const read = await Promise.all(
      places.map(async ({ source, plugin, files }) => {
        const found = await Promise.all(
          files
            .filter(({ path }) => isSpec(path))
            .map(({ path, text }) =>
              readAgentSpec(
                { path, text },
                { source, readSibling: async (beside) => files.find((file) => file.path === beside)?.text },
              ),
            ),
        )
        return plugin === undefined ? found : ofPlugin(plugin, found)
      }),
    )
    const written: WrittenSpec[] = []
    for (const { spec, problems: found } of read.flat()) {
      if (spec) written.push(spec)
      // A file that two others refer to is reported once.
      problems.push(
        ...found.filter(
          ({ path, line, message }) =>
            !problems.some((one) => one.path === path && one.line === line && one.message === message),
        ),
      )
    }
    return { written, problems }
  }

  const specs: AgentSpecs = {
    find: async (folder) => resolveSpecs((await load(folder)).written).specs,
    async custom(folder) {
      // Avoids loading the YAML parser.
      if ((await ownPlaces(folder)).every(({ files }) => !files.some(({ path }) => isSpec(path)))) return []
      return resolveSpecs((await load(folder)).written).specs.filter(({ source }) => source !== 'built-in')
    },
    async list(folder) {
      const { written, problems } = await load(folder)
      const { specs, hidden, problems: broken } = resolveSpecs(written)
      const agents = written.flatMap((one): AgentView[] => {
        const hiddenBy = hidden.get(one)
        const spec = specs.find(({ path, name }) => path === one.path && name === one.name)
        if (!spec && hiddenBy === undefined) return []
        return [
          viewOf(
            spec ?? {
              ...one,
              ownTypes: [],
              description: one.description ?? '',
              systemPrompt: '',
              subagents: one.subagents ?? [],
            },
            hiddenBy,
          ),
        ]
      })
      return { agents, problems: [...problems, ...broken] }
    },
    async fromFile(path, folder) {
      const text = textOf(path)
      if (typeof text !== 'string')
        throw new CodedError('request.invalid', `The agent file ${path} cannot be used: ${text.problem}`)
      const readSibling = async (other: string): Promise<string | undefined> => {
        const found = textOf(other)
        return typeof found === 'string' ? found : undefined
      }
      const { spec: own, problems } = await readAgentSpec({ path, text }, { source: 'user', readSibling })
      const found = own ? resolveSpec(own, (await load(folder)).written) : { problem: problems[0]! }
      if ('spec' in found) return { spec: found.spec, problems }
      throw new CodedError('request.invalid', problemText({ ...found.problem, path }))
    },
    async problems(folder) {
      const isPlain = (await ownPlaces(folder)).every(
        ({ files, problems }) => problems.length === 0 && !files.some(({ path }) => isSpec(path)),
      )
      return isPlain ? [] : (await specs.list(folder)).problems
    },
  }
  return specs
}

/** The text of the user's own file, or why it cannot be used. */
function textOf(path: string): string | { problem: string } {
  const found = readGuardedText(path, { mostBytes: MAX_BYTES })
  return 'text' in found ? found.text : { problem: 'problem' in found ? found.problem : 'There is no such file.' }
}

function viewOf(spec: AgentSpec, hiddenBy: string | undefined): AgentView {
  const { name, title, description, source, path, readOnly, tools, excludeTools, subagents, model } = spec
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    source: source === 'session' ? 'user' : source,
    path,
    readOnly,
    excludedTools: [...excludeTools],
    subagents: [...subagents],
    ...(tools && { tools: [...tools] }),
    ...(model !== undefined && { model }),
    ...(hiddenBy !== undefined && { hiddenBy }),
  }
}

/** Specs of a plugin under its name: `plugin:agent`. Their references to each other stay within the plugin. */
function ofPlugin(plugin: string, found: readonly ParsedSpec[]): ParsedSpec[] {
  const names = new Set(found.map(({ spec }) => spec?.name))
  const full = (name: string): string => (names.has(name) ? pluginName(plugin, name) : name)
  return found.map(({ spec, problems }) => ({
    problems,
    ...(spec && {
      spec: {
        ...spec,
        name: pluginName(plugin, spec.name),
        ...(spec.extend && !spec.extend.spec && { extend: { ...spec.extend, name: full(spec.extend.name) } }),
        ...(spec.subagents && { subagents: spec.subagents.map(full) }),
      },
    }),
  }))
}

/** Only files that the user has seen and trusted, unchanged. */
async function projectPlace(home: string, folder: string): Promise<Place> {
  const { state, files } = readTrustState(home, folder)
  const own = state === 'trusted' ? files.filter(({ kind }) => kind === 'agents') : []
  return {
    source: 'project',
    files: own.filter(({ problem }) => !problem).map(({ file, text }) => ({ path: file, text })),
    problems: own.flatMap(({ file, problem }) => (problem ? [{ path: file, message: problem.message }] : [])),
  }
}

async function folderPlace(folder: string, source: AgentSource): Promise<Place> {
  const names = (await readdir(folder).catch(() => [])).filter(isSpecOrPrompt).toSorted()
  const place: Place = { source, files: [], problems: [] }
  for (const name of names.slice(0, MAX_FILES)) {
    const path = join(folder, name)
    const found = readGuardedText(path, { mostBytes: MAX_BYTES })
    if ('text' in found) place.files.push({ path, text: found.text })
    else place.problems.push({ path, message: 'problem' in found ? found.problem : 'It is a link to nothing.' })
  }
  return place
}

function isSpec(path: string): boolean {
  return /\.ya?ml$/.test(path)
}

/** Whether a file in a folder of specs is a spec or a prompt. */
function isSpecOrPrompt(name: string): boolean {
  return /\.(?:ya?ml|md|txt)$/.test(name)
}

/** The agent chosen for a session. */
export interface ChosenAgent {
  agent: SessionAgent
  /** The model that its spec names; absent: that of the session. */
  model?: string
  /** Problems in its file; the fields concerned are ignored. */
  problems: AgentProblem[]
}

/**
 * Finds the agent that the user chose for a session in the folder; throws `request.invalid`, listing the available
 * ones, when it cannot be used.
 */
export async function chooseAgent(
  specs: Pick<AgentSpecs, 'find' | 'fromFile'>,
  choice: AgentChoice,
  folder: string,
): Promise<ChosenAgent> {
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
  throw new CodedError(
    'request.invalid',
    `There is no agent "${choice.name.slice(0, 80)}" here.${hint} There are: ${names.join(', ')}.`,
  )
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

/**
 * The folder of the built-in specs, `resources/agents` of the package, whether this code runs from sources, an entry,
 * or a chunk.
 */
export function builtInAgents(here = import.meta.url): string {
  const top = here.endsWith('.ts') ? '../../../../' : here.includes('/chunks/') ? '../../../' : '../../'
  return fileURLToPath(new URL(`${top}resources/agents`, here))
}
