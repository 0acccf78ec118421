import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type {
  SkillList,
  SkillProblem,
  SkillView,
  SkillSource,
} from '../../../shared/configuration/customize/customizations'
import { fillPlaceholders, readSkill, splitSkill, type ReadSkill } from './read-skill'
import type { SkillCache } from './skill-cache'
import { guardedFile, readGuardedText, type TextGuard } from '../workspace/guarded-text'
import type { UserPart } from '../../../shared/model/turn/message'
import { outsideArchive } from '../runtime/plain-node'

export interface SkillsDeps {
  /** TRESTLE_HOME. */
  home: string
  userHome: string
  /** Folder of the skills that come with Trestle. */
  builtIn: string
  cache(): Promise<SkillCache>
  repositoryTop(folder: string): string | undefined
  /** Names of skills that the user has turned off. */
  disabled?(): readonly string[]
  /** The active plugins in a folder, with their skills and slash commands. */
  plugins?(folder: string): Promise<readonly { skills: readonly { view: SkillView; text: string }[]; root: string }[]>
}

/** The skills that a project can use. Looked up each time, so that new skills are found immediately. */
export interface Skills {
  /** Every skill found, including overridden ones but not those turned off, and problems. */
  list(folder: string): Promise<SkillList>
  /** Like `list`, including skills that are turned off. */
  all(folder: string): Promise<SkillList>
  /** The skill that applies for this name; undefined if it does not exist. */
  find(folder: string, name: string): Promise<SkillView | undefined>
  /**
   * A skill's instructions with its placeholders filled. Rejects with an Error for the user if the skill can no longer
   * be read.
   */
  body(skill: SkillView, args: string): Promise<string>
  /** Real paths of the folders of the skills from the latest `list`: the agent may read the files in them. */
  readable(folder: string): readonly string[]
}

/** A larger SKILL.md is reported as a problem: it would not fit into a model's context window. */
const MAX_BYTES = 256 * 1024
/** Limit for skills in one folder. */
const MAX_SKILLS = 2_000

/**
 * See `Skills`. Parsed SKILL.md files are cached by path, time and size, so that a look-up costs little more than a
 * `stat` each.
 */
export function createSkills(deps: SkillsDeps): Skills {
  const folders = new Map<string, readonly string[]>()
  /** The read guard of each SKILL.md that was found. */
  const guards = new Map<string, TextGuard>()
  /** For each skill of a plugin, a folder in which it was found. */
  const pluginFolders = new Map<string, string>()

  async function list(folder: string): Promise<SkillList> {
    const { skills, problems } = await all(folder)
    return { skills: skills.filter(({ isOff }) => !isOff), problems }
  }

  async function all(folder: string): Promise<SkillList> {
    const disabled = deps.disabled?.() ?? []
    const top = deps.repositoryTop(folder)
    const places = skillPlaces({ ...deps, folder, top })
    const cache = await deps.cache()
    const project = { within: await realFolder(top ?? folder), home: await realFolder(deps.home), mostBytes: MAX_BYTES }
    const found = await Promise.all(
      places.map(async (place) => {
        const guard = place.source === 'project' ? project : { mostBytes: MAX_BYTES }
        const list = await skillsIn(place, guard, cache)
        for (const { path } of list.skills) guards.set(path, guard)
        return list
      }),
    )
    void cache.keep()
    const skills: SkillView[] = []
    const nearest = new Map<string, string>()
    const ofPlugins = ((await deps.plugins?.(folder)) ?? []).flatMap((plugin) => plugin.skills.map(({ view }) => view))
    for (const { path } of ofPlugins) pluginFolders.set(path, folder)
    for (const each of [...found.flatMap((place) => place.skills), ...ofPlugins]) {
      const skill = disabled.includes(each.name) ? { ...each, isOff: true as const } : each
      const hiddenBy = nearest.get(skill.name)
      if (hiddenBy === undefined) nearest.set(skill.name, skill.path)
      skills.push(hiddenBy === undefined ? skill : { ...skill, hiddenBy })
    }
    folders.set(folder, await skillFolders(skills))
    return { skills, problems: found.flatMap((each) => each.problems) }
  }

  /** The accepted text from memory; missing once the plugin is off. */
  async function pluginText(path: string): Promise<{ text: string } | { missing: true }> {
    const folder = pluginFolders.get(path)
    const active = folder === undefined ? [] : ((await deps.plugins?.(folder)) ?? [])
    const text = active.flatMap(({ skills }) => skills).find(({ view }) => view.path === path)?.text
    return text === undefined ? { missing: true } : { text }
  }

  return {
    list,
    all,
    readable: (folder) => folders.get(folder) ?? [],
    find: async (folder, name) =>
      (await list(folder)).skills.find((skill) => skill.name === name && skill.hiddenBy === undefined),
    async body(skill, args) {
      const found =
        skill.source === 'plugin'
          ? await pluginText(skill.path)
          : readGuardedText(skill.path, guards.get(skill.path) ?? { within: dirname(skill.path), mostBytes: MAX_BYTES })
      if ('missing' in found) throw new Error(`${skill.path} can no longer be read.`)
      if ('problem' in found) throw new Error(`${skill.path} can no longer be read. ${found.problem}`)
      const parts = splitSkill(found.text)
      if (!parts) throw new Error(`${skill.path} no longer has front matter.`)
      return fillPlaceholders(parts.body, { args, names: skill.arguments, dir: dirname(skill.path) })
    },
  }
}

async function skillsIn({ path, source }: SkillPlace, guard: TextGuard, cache: SkillCache): Promise<SkillList> {
  const names = await readdir(path).catch(() => [])
  const read = await Promise.all(
    names
      .toSorted((a, b) => (a < b ? -1 : 1))
      .slice(0, MAX_SKILLS)
      .map(async (name) => readAt(join(path, name, 'SKILL.md'), guard, cache)),
  )
  const skills: SkillView[] = []
  const problems: SkillProblem[] = []
  for (const entry of read) {
    if (!entry) continue
    problems.push(...entry.read.problems.map((problem) => ({ ...problem, path: entry.path })))
    const { head } = entry.read
    if (!head) continue
    const twin = skills.find((skill) => skill.name === head.name)
    if (twin)
      problems.push({
        path: entry.path,
        message: `${twin.path} has the same name "${head.name}" and is used.`,
        isFatal: true,
      })
    else skills.push({ ...head, source, path: entry.path })
  }
  return { skills, problems }
}

/** Undefined if the folder has no SKILL.md. */
async function readAt(
  path: string,
  guard: TextGuard,
  cache: SkillCache,
): Promise<{ path: string; read: ReadSkill } | undefined> {
  const problem = (message: string) => ({ path, read: { problems: [{ message, isFatal: true }] } })
  // Link targets are checked each time; only the content is cached.
  const file = guardedFile(path, guard)
  if ('missing' in file) return undefined
  if ('problem' in file) return problem(file.problem)
  const known = cache.get(path, file.stat)
  if (known) return { path, read: known }
  const found = readGuardedText(path, guard)
  if ('missing' in found) return undefined
  if ('problem' in found) return problem(found.problem)
  // A linked folder has the name of the link.
  const read = await readSkill(found.text, basename(dirname(path)))
  cache.set(path, file.stat, read)
  return { path, read }
}

async function realFolder(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder)
}

async function skillFolders(skills: readonly SkillView[]): Promise<string[]> {
  const folders = await Promise.all(skills.map(({ path }) => realpath(dirname(path)).catch(() => undefined)))
  return folders.filter((folder) => folder !== undefined)
}

/** A folder that may contain skills, each a folder with a SKILL.md. */
interface SkillPlace {
  path: string
  source: SkillSource
}

const IN_PROJECT = ['.trestle/skills', '.agents/skills', '.claude/skills']

/**
 * The places to search for skills, in order of precedence: the project folder and its parents up to the repository
 * root, the user's folders, the built-in ones.
 */
function skillPlaces(around: {
  folder: string
  top: string | undefined
  home: string
  userHome: string
  builtIn: string
}): SkillPlace[] {
  const { folder, top, home, userHome, builtIn } = around
  const places: SkillPlace[] = []
  for (let at = folder; ; at = dirname(at)) {
    places.push(...IN_PROJECT.map((name) => ({ path: join(at, name), source: 'project' as const })))
    if (top === undefined || at === top || dirname(at) === at) break
  }
  places.push(
    { path: join(home, 'skills'), source: 'user' },
    { path: join(userHome, '.agents', 'skills'), source: 'user' },
    { path: builtIn, source: 'built-in' },
  )
  // If the project is the user's home folder, the same place appears twice.
  return places.filter(({ path }, index) => places.findIndex((other) => other.path === path) === index)
}

/**
 * Appends a skill's instructions to a prompt that starts with `/name` or `/skills:name`. Returns any other prompt
 * unchanged, because paths start with a slash too. The user's text is not changed.
 */
export async function withSkill(
  skills: Pick<Skills, 'find' | 'body'>,
  folder: string,
  parts: UserPart[],
): Promise<UserPart[]> {
  const [first] = parts
  const match =
    first?.type === 'text'
      ? /^\s*\/(?:skills?:)?([a-z0-9][a-z0-9-]*(?::[a-z0-9][a-z0-9-]*)?)(?:\s+([^]*))?$/.exec(first.text)
      : undefined
  if (!match) return parts
  const [, name = '', args = ''] = match
  const skill = await skills.find(folder, name)
  if (!skill) return parts
  const body = await skills.body(skill, args)
  return [
    ...parts,
    {
      type: 'text',
      skill: name,
      text: `<skill name="${name}" folder="${skill.path.replace(/\/SKILL\.md$/, '')}">\n${body}\n</skill>`,
    },
  ]
}

/**
 * The folder of the built-in skills, `resources/skills` of the package, whether this code runs from sources, an entry,
 * or a chunk. In the packaged app, it is the copy outside the archive, because commands read a skill's files too.
 */
export function builtInSkills(here = import.meta.url): string {
  const top = here.endsWith('.ts') ? '../../../../' : here.includes('/chunks/') ? '../../../' : '../../'
  return outsideArchive(fileURLToPath(new URL(`${top}resources/skills`, here)))
}
