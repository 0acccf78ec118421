import { join } from 'node:path'
import type { SkillView } from '../../../shared/configuration/customizations'
import { pluginName, type PluginPartKind } from '../../../shared/model/plugin'
import type { Hook } from '../config/settings/hook-settings'
import { memberOf, membersOf, parseJson, valueNode } from '../config/json/parse-json'
import { readSkill, splitSkill } from '../skill/read-skill'
import { decode, refuse, textOf, type PluginContent } from './plugin-files'
import { MANIFEST, readManifest, type PluginManifest } from './plugin-manifest'

/** A skill or slash command of a plugin, with its text. */
export interface PluginSkill {
  view: SkillView
  /** Path in the plugin. */
  file: string
  text: string
  kind: 'skill' | 'command'
}

/** A plugin as its files define it. */
export interface Plugin {
  manifest: PluginManifest
  content: PluginContent
  /** Where its files are: scripts of hooks and servers are run from here. */
  root: string
  hooks: Hook[]
  skills: PluginSkill[]
  /** Agent specs and the prompts beside them, by their paths in the file system. */
  agentFiles: { path: string; text: string }[]
  /** The text of mcp.json. */
  servers?: string
  counts: Record<PluginPartKind, number>
  problems: string[]
}

/** Where a plugin's servers are defined. */
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
        : `The folder has no ${MANIFEST}, so it is no plugin.`,
    )
  const manifest = await readManifest(text, join(root, MANIFEST))
  const problems = [...manifest.problems]
  const skills: PluginSkill[] = []
  const agentFiles: Plugin['agentFiles'] = []
  for (const { path, bytes } of content.files) {
    const [, folder, name] = /^(skills|commands|agents)\/([^/]+?)(?:\/SKILL\.md|\.md|\.ya?ml|\.txt)$/.exec(path) ?? []
    if (folder === undefined || name === undefined) continue
    const words = bytes.length > MAX_TEXT_BYTES ? undefined : decode(bytes)
    if (words === undefined) problems.push(`${path}: It is no text of at most ${MAX_TEXT_BYTES / 1024} KB.`)
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

/** A skill, or a slash command: a skill without a name of its own that only the user starts. */
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
