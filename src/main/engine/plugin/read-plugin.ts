import { join } from 'node:path'
import type { SkillView } from '../../../shared/configuration/customize/customizations'
import { pluginName, type PluginPartKind } from '../../../shared/model/app/plugin'
import { type Hook, locateHooks, readHooks } from '../config/agent-settings/hook-settings'
import { memberOf, membersOf, parseJson, valueNode } from '../config/json/parse-json'
import { readSkill, splitSkill } from '../skill/read-skill'
import { decode, refuse, textOf, type PluginContent } from './plugin-files'
import { parseToml } from '../config/toml/parse-toml'
import { TableReader, type Mistake } from '../config/toml/table-reader'

/** A skill or slash command of a plugin, with its text. */
export interface PluginSkill {
  view: SkillView
  /** Path within the plugin. */
  file: string
  text: string
  kind: 'skill' | 'command'
}

/** A plugin as its files define it. */
export interface Plugin {
  manifest: PluginManifest
  content: PluginContent
  /** The folder of its files: scripts of hooks and servers run from here. */
  root: string
  hooks: Hook[]
  skills: PluginSkill[]
  /** Agent specs and the prompts next to them, by their paths in the file system. */
  agentFiles: { path: string; text: string }[]
  /** The text of mcp.json. */
  servers?: string
  counts: Record<PluginPartKind, number>
  problems: string[]
}

/** The file that defines a plugin's servers. */
export const SERVERS = 'mcp.json'
const PART_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const MAX_TEXT_BYTES = 256 * 1024

/** Reads a plugin whose files are, or will be, in `root`. Throws `plugin.refused`. */
export async function readPlugin(content: PluginContent, root: string): Promise<Plugin> {
  const text = textOf(content, MANIFEST)
  if (text === undefined)
    return refuse(
      content.files.some(({ path }) => path === MANIFEST)
        ? `Its ${MANIFEST} is no UTF-8 text.`
        : `The folder has no ${MANIFEST}, so it is not a plugin.`,
    )
  const manifest = await readManifest(text, join(root, MANIFEST))
  const problems = [...manifest.problems]
  const skills: PluginSkill[] = []
  const agentFiles: Plugin['agentFiles'] = []
  for (const { path, bytes } of content.files) {
    const [, folder, name] = /^(skills|commands|agents)\/([^/]+?)(?:\/SKILL\.md|\.md|\.ya?ml|\.txt)$/.exec(path) ?? []
    if (folder === undefined || name === undefined) continue
    const words = bytes.length > MAX_TEXT_BYTES ? undefined : decode(bytes)
    if (words === undefined) problems.push(`${path}: It is not text of at most ${MAX_TEXT_BYTES / 1024} KB.`)
    else if (folder === 'agents') agentFiles.push({ path: join(root, path), text: words })
    else if (folder === 'skills' ? path.endsWith('/SKILL.md') : /^[^/]+\/[^/]+\.md$/.test(path)) {
      const found = await readPart({ path, name, text: words, kind: folder === 'skills' ? 'skill' : 'command' })
      problems.push(...found.problems.map((problem) => `${path}: ${problem}`))
      const { view } = found
      if (!view) continue
      const full = { ...view, name: pluginName(manifest.name, view.name), path: join(root, path) }
      if (skills.some((other) => other.view.name === full.name))
        problems.push(`${path}: Its name ${full.name} is taken by another skill or command of the plugin.`)
      else skills.push({ view: full, file: path, text: words, kind: folder === 'skills' ? 'skill' : 'command' })
    }
  }
  const servers = textOf(content, SERVERS)
  return {
    manifest,
    content,
    root,
    hooks: manifest.hooks.map((hook) => ({ ...hook, plugin: manifest.name, pluginRoot: root })),
    skills,
    agentFiles,
    ...(servers !== undefined && { servers }),
    counts: {
      hook: manifest.hooks.length,
      server: servers === undefined ? 0 : serverCount(servers),
      agent: agentFiles.filter(({ path }) => /\.ya?ml$/.test(path)).length,
      skill: skills.filter(({ kind }) => kind === 'skill').length,
      command: skills.filter(({ kind }) => kind === 'command').length,
    },
    problems,
  }
}

interface WrittenPart {
  path: string
  name: string
  text: string
  kind: 'skill' | 'command'
}

/** Reads a skill or a slash command, which is a skill without its own name that only the user can start. */
async function readPart({ name, text, kind }: WrittenPart): Promise<{ view?: SkillView; problems: string[] }> {
  if (kind === 'skill') return viewOf(await readSkill(text, name), {})
  if (!PART_NAME.test(name)) return { problems: ['The name of a command is lowercase letters, digits and hyphens.'] }
  const parts = splitSkill(text)
  if (!parts) return { problems: ['It has no front matter: begin it with a line "---", a description, and "---".'] }
  const lines = parts.front.split('\n').filter((line) => !/^(?:name|type):/.test(line))
  const front = lines.map((line) => line.replace(/^argument-hint:/, 'arguments:')).join('\n')
  const written = `---\nname: ${name}\n${front}\n---\n${parts.body}`
  return viewOf(await readSkill(written, name), { type: 'prompt', modelInvocation: false })
}

function viewOf(read: Awaited<ReturnType<typeof readSkill>>, fixed: Partial<SkillView>) {
  const problems = read.problems.map(({ message }) => message)
  if (!read.head) return { problems }
  return { view: { ...read.head, source: 'plugin' as const, path: '', ...fixed }, problems }
}

function serverCount(text: string): number {
  const parsed = parseJson(text)
  const list = 'root' in parsed ? memberOf(parsed.root, 'mcpServers') : undefined
  return list ? membersOf(valueNode(list)).length : 0
}

/** The name of the file that makes a folder a plugin. */
export const MANIFEST = 'plugin.toml'

/** The manifest of a plugin. */
export interface PluginManifest {
  name: string
  version: string
  description: string
  author: string
  homepage?: string
  /** As written; the caller decides where they run. */
  hooks: Hook[]
  /** Problems that do not prevent its use, as sentences. */
  problems: string[]
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const MAX_NAME_CHARS = 40
const MAX_TEXT_CHARS = 500
const MAX_HOOKS = 100
/** `/skill:name`, `/mcp:server:prompt`: these mean something else in a prompt. */
const RESERVED = ['skill', 'skills', 'mcp', 'trestle', 'plugin', 'plugins', 'agent', 'user', 'project', 'session']

/** Why a plugin cannot have this name; undefined if it can. */
export function pluginNameProblem(name: string): string | undefined {
  if (!NAME.test(name) || name.length > MAX_NAME_CHARS)
    return (
      `The name ${JSON.stringify(name.slice(0, 80))} must be at most ${MAX_NAME_CHARS} lowercase letters, ` +
      'digits and single hyphens between them.'
    )
  return RESERVED.includes(name) ? `The name "${name}" is reserved.` : undefined
}

/** Reads plugin.toml. `file`: its path, for hooks. Throws `plugin.refused` if required fields are missing. */
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
