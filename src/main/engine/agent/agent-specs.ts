import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentList, AgentProblem, AgentSource, AgentView } from '../../../shared/model/agent'
import { standingOf } from '../config/trust/standing'
import { readGuardedText } from '../workspace/guarded-text'
import type { AgentSpec, SpecFile, WrittenSpec } from './agent-spec'
import { readAgentSpec } from './read-agent-spec'
import { resolveSpecs } from './resolve-specs'

const MOST_FILES = 200
const MOST_BYTES = 256 * 1024

export interface AgentSpecs {
  /** The specs that count in a folder (a real path), looked up anew. */
  find(folder: string): Promise<AgentSpec[]>
  /** Those that do not come with Trestle; costs nearly nothing where there are none. */
  own(folder: string): Promise<AgentSpec[]>
  /** The same for a page: hidden ones too, and what is wrong with others. */
  list(folder: string): Promise<AgentList>
  /** What is wrong with those of the project and the user. */
  problems(folder: string): Promise<AgentProblem[]>
}

interface Place {
  source: AgentSource
  files: SpecFile[]
  problems: AgentProblem[]
}

/**
 * Agent specs: the project's `.trestle/agents` once the folder is trusted, as it was trusted; the user's `agents` in `home`; Trestle's own. The
 * nearer one of a name counts.
 */
export function createAgentSpecs({ home, builtIn }: { home: string; builtIn: string }): AgentSpecs {
  const ownPlaces = (folder: string) => Promise.all([projectPlace(home, folder), folderPlace(join(home, 'agents'), 'user')])

  async function load(folder: string): Promise<{ written: WrittenSpec[]; problems: AgentProblem[] }> {
    const places = [...(await ownPlaces(folder)), await folderPlace(builtIn, 'built-in')]
    const problems = places.flatMap((place) => place.problems)
    const read = await Promise.all(
      places.flatMap(({ source, files }) =>
        files
          .filter(({ path }) => isSpec(path))
          .map(({ path, text }) =>
            readAgentSpec({ path, text }, source, async (beside) => files.find((file) => file.path === beside)?.text),
          ),
      ),
    )
    const written: WrittenSpec[] = []
    for (const one of read) {
      if ('spec' in one) written.push(one.spec)
      else problems.push(one.problem)
    }
    return { written, problems }
  }

  const specs: AgentSpecs = {
    find: async (folder) => resolveSpecs((await load(folder)).written).specs,
    async own(folder) {
      // A parser of YAML is not loaded for nothing.
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
        return [viewOf(spec ?? { ...one, description: one.description ?? '', systemPrompt: '', subagents: one.subagents ?? [] }, hiddenBy)]
      })
      return { agents, problems: [...problems, ...broken] }
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

function viewOf(spec: AgentSpec, hiddenBy: string | undefined): AgentView {
  const { name, description, source, path, readOnly, tools, excludeTools, subagents, model } = spec
  return {
    name,
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

/** Only what the user has seen and trusts, word for word. */
async function projectPlace(home: string, folder: string): Promise<Place> {
  const { state, files } = standingOf(home, folder)
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
  for (const name of names.slice(0, MOST_FILES)) {
    const path = join(folder, name)
    const found = readGuardedText(path, { mostBytes: MOST_BYTES })
    if ('text' in found) place.files.push({ path, text: found.text })
    else place.problems.push({ path, message: 'problem' in found ? found.problem : 'It is a link to nothing.' })
  }
  return place
}

function isSpec(path: string): boolean {
  return /\.ya?ml$/.test(path)
}

/** What in a folder of specs belongs to them. */
function isSpecOrPrompt(name: string): boolean {
  return /\.(?:ya?ml|md|txt)$/.test(name)
}
