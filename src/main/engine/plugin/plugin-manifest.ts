import { parseToml } from '../config/toml/parse-toml'
import { locateHooks, readHooks, type Hook } from '../config/settings/hook-settings'
import { TableReader, type Mistake } from '../config/settings/table-reader'
import { refuse } from './plugin-files'

/** The name of the file that makes a folder a plugin. */
export const MANIFEST = 'plugin.toml'

/** What a plugin says about itself. */
export interface PluginManifest {
  name: string
  version: string
  description: string
  author: string
  homepage?: string
  /** As written; where they run is up to the caller. */
  hooks: Hook[]
  /** Mistakes that do not keep it from being used; sentences. */
  problems: string[]
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const MAX_NAME_CHARS = 40
const MAX_TEXT_CHARS = 500
const MAX_HOOKS = 100
/** `/skill:name`, `/mcp:server:prompt`: these mean something else in a prompt. */
const RESERVED = ['skill', 'skills', 'mcp', 'trestle', 'plugin', 'plugins', 'agent', 'user', 'project', 'session']

/** Why this cannot be the name of a plugin; undefined if it can. */
export function pluginNameProblem(name: string): string | undefined {
  if (!NAME.test(name) || name.length > MAX_NAME_CHARS)
    return `The name ${JSON.stringify(name.slice(0, 80))} must be at most ${MAX_NAME_CHARS} lowercase letters, digits and single hyphens between them.`
  return RESERVED.includes(name) ? `The name "${name}" is reserved.` : undefined
}

/** Reads plugin.toml. `file`: its path, for hooks. Throws `plugin.refused` if it says too little to be used. */
export async function readManifest(text: string, file: string): Promise<PluginManifest> {
  const parsed = parseToml(text.replace(/^\uFEFF/, ''), file)
  if ('problem' in parsed) {
    const { line, message } = parsed.problem
    return refuse(`${MANIFEST}${line === undefined ? '' : `:${line}`}: ${message}`)
  }
  const mistakes: Mistake[] = []
  const top = new TableReader(parsed.table, mistakes)
  const name = top.string('name')
  const texts = {
    version: top.string('version', short('a short text such as "1.0.0"', 40)),
    description: top.string('description', short(`a text of at most ${MAX_TEXT_CHARS} characters on one line`)),
    author: top.string('author', short('a short text')),
  }
  const homepage = top.string('homepage', { test: isWebAddress, must: 'an https address' })
  const hooks = readHooks(top, { scope: 'project', file })
  top.finish()
  if (name === undefined) return refuse(`${MANIFEST} needs a name.`)
  const problem = pluginNameProblem(name)
  if (problem !== undefined) refuse(problem)
  for (const [key, value] of Object.entries(texts))
    if (value === undefined) refuse(`${MANIFEST} needs ${key === 'author' ? 'an author' : `a ${key}`}.`)
  if (hooks.length > MAX_HOOKS) refuse(`It has ${hooks.length} hooks; at most ${MAX_HOOKS} are allowed.`)
  const { version = '', description = '', author = '' } = texts
  return {
    name,
    version,
    description,
    author,
    ...(homepage !== undefined && { homepage }),
    hooks: await locateHooks(hooks, text),
    problems: mistakes.map(({ message }) => `${MANIFEST}: ${message}.`),
  }
}

function short(must: string, most = MAX_TEXT_CHARS): { test: (value: string) => boolean; must: string } {
  return { test: (value) => value.length <= most && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value), must }
}

function isWebAddress(value: string): boolean {
  return value.length <= MAX_TEXT_CHARS && URL.canParse(value) && new URL(value).protocol === 'https:'
}
