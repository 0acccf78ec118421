import { relative } from 'node:path'
import { PLUGIN_ROOT, type PluginFileChange, type PluginPart } from '../../../shared/model/app/plugin'
import { visibleLine } from '../../../shared/visible-text'
import { describeHook } from '../config/agent-settings/hook-settings'
import { decode, type PluginContent, type PluginFile } from './plugin-files'
import { MANIFEST, SERVERS, type Plugin } from './read-plugin'

/** Describes the servers of an mcp.json, with a line for each of their effects. */
export type DescribeServers = (text: string, file: string) => Promise<string[]>

/** Longer texts are not shown, only listed with their size. */
const MAX_FILE_CHARS = 64 * 1024
const MAX_REVIEW_CHARS = 1024 * 1024
const IN_SANDBOX = 'in the Project sandbox, with open network; without a sandbox where this machine has none'

/** All effects of a plugin, and all its files, the most important first. */
export async function pluginParts(plugin: Plugin, describeServers: DescribeServers): Promise<PluginPart[]> {
  const { hooks, skills, agentFiles, servers, content, root } = plugin
  const shown = new Set([MANIFEST, SERVERS])
  const parts: PluginPart[] = hooks.map((hook) => ({
    kind: 'hook',
    name: hook.event,
    file: MANIFEST,
    lines: [describeHook(hook), IN_SANDBOX],
  }))
  if (servers !== undefined)
    parts.push({
      kind: 'server',
      name: SERVERS,
      file: SERVERS,
      lines: [...(await describeServers(servers, SERVERS)).flatMap(withoutRoot), `programs: ${IN_SANDBOX}`],
    })
  for (const { path, text } of agentFiles) {
    const file = relative(root, path).replaceAll('\\', '/')
    shown.add(file)
    parts.push({ kind: 'agent', name: file.replace(/^agents\//, ''), file, lines: text.trimEnd().split(/\r?\n/) })
  }
  for (const { view, file, text, kind } of skills) {
    shown.add(file)
    const name = kind === 'command' ? `/${view.name}` : view.name
    parts.push({ kind, name, file, lines: text.trimEnd().split(/\r?\n/) })
  }
  for (const file of content.files)
    if (!shown.has(file.path)) parts.push({ kind: 'file', name: file.path, file: file.path, lines: fileLines(file) })
  return limited(parts).map((part) => ({
    ...part,
    name: visibleLine(part.name),
    lines: part.lines.map(visibleLine),
  }))
}

/** Removes the variable for the plugin's folder, which does not come from the user's environment. */
function withoutRoot(line: string): string[] {
  const [, head = '', names = ''] = /^(.*: given from your environment: )(.*)$/.exec(line) ?? []
  if (head === '') return [line]
  const others = names.split(', ').filter((name) => name !== PLUGIN_ROOT)
  return others.length === 0 ? [] : [head + others.join(', ')]
}

function fileLines({ bytes, isExecutable }: PluginFile): string[] {
  const text = decode(bytes)
  const size = `${bytes.length.toLocaleString('en-US')} bytes${isExecutable ? ', executable' : ''}`
  if (text === undefined) return [`(${size}, not text)`]
  if (text.length > MAX_FILE_CHARS) return [`(${size}, too long to show: read the file)`]
  return text.trimEnd().split(/\r?\n/)
}

function limited(parts: readonly PluginPart[]): PluginPart[] {
  let left = MAX_REVIEW_CHARS
  return parts.map((part) => {
    const chars = part.lines.reduce((sum, line) => sum + line.length + 1, 0)
    left -= chars
    if (left >= 0 || part.kind === 'hook' || part.kind === 'server') return part
    return { ...part, lines: [`(${chars.toLocaleString('en-US')} characters, too long to show: read the file)`] }
  })
}

/** The differences between two versions of a plugin, by file. */
export async function pluginChanges(before: PluginContent, now: PluginContent): Promise<PluginFileChange[]> {
  const { unifiedDiff } = await import('../workspace/unified-diff')
  const old = new Map(before.files.map((file) => [file.path, file]))
  const current = new Map(now.files.map((file) => [file.path, file]))
  const changes: PluginFileChange[] = []
  let left = MAX_REVIEW_CHARS
  for (const path of [...new Set([...old.keys(), ...current.keys()])].toSorted()) {
    const [was, is] = [old.get(path), current.get(path)]
    if (was && is && was.bytes.equals(is.bytes) && was.isExecutable === is.isExecutable) continue
    const texts = [was && decode(was.bytes), is && decode(is.bytes)]
    const isText = (!was || texts[0] !== undefined) && (!is || texts[1] !== undefined)
    const { diff } = isText && left > 0 ? await unifiedDiff(path, texts[0], texts[1]) : { diff: '' }
    left -= diff.length
    changes.push({
      file: visibleLine(path),
      change: !was ? 'added' : !is ? 'removed' : 'changed',
      diff: diff.split(/\r?\n/).map(visibleLine).join('\n'),
    })
  }
  return changes
}
