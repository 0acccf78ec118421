import type { CommandPart } from '../shell/command-part'
import type { Word } from '../../permission/shell-syntax'
import { programOf } from '../shell/unwrap'
import { commandPrefixes } from './command-prefixes'
import type { Access } from '../../tool/tool'
import type { Workspace } from '../../workspace/workspace'

/** One generalization: rules that allow a part of a call. */
export interface RuleScope {
  patterns: string[]
  /** What they cover, to follow "allow". */
  label: string
}

/** The exact command, then the subcommand with any arguments. */
export function commandScopes(part: CommandPart): RuleScope[] {
  if (part.words.length === 0) return []
  // Variables that decide what runs are part of the rule.
  const set = part.steered ? part.assignments : []
  const words = [...set, ...part.words]
  const known = words.findIndex((word) => !isLiteral(word))
  const rungs: RuleScope[] = []
  if (known < 0) {
    const text = written(words)
    rungs.push({ patterns: [`Bash(${text})`], label: `exactly ${text}` })
  }
  // For hidden code, only the exact words can be covered.
  const general = part.hidden ? undefined : commandPrefixes(programOf(part.words), part.words)
  if (!general) return rungs
  const lengths = [...(known > set.length ? [known - set.length] : []), ...general]
  for (const length of [...new Set(lengths)].sort((a, b) => b - a)) {
    const prefix = words.slice(0, set.length + length)
    if (length > part.words.length || !prefix.every(isLiteral)) continue
    rungs.push({ patterns: [`Bash(${written(prefix)} *)`], label: `${written(prefix)} with anything after it` })
  }
  return rungs
}

/** Whether a pattern can match this word and nothing else: a star in it would match anything. */
function isLiteral(word: Word): boolean {
  return word.known && !word.text.includes('*') && !/\p{Cc}/u.test(word.text)
}

function written(words: readonly Word[]): string {
  return words.map(({ text }) => quoted(text)).join(' ')
}

function quoted(text: string): string {
  if (text !== '' && !/[\s'"\\;&|<>`$(){}]/.test(text)) return text
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Tools with the same effect on files: permission to use one on a file covers the others. */
const CHANGING = ['Write', 'Edit', 'Patch']
/** Rules for Edit also apply to apply_patch; models that have it have neither Edit nor Patch. */
const PATCHING = ['Write', 'Edit']
const READING = ['Read', 'ReadMediaFile', 'ListDirectory', 'Grep', 'Glob']

type FileAccess = Extract<Access, { kind: 'file' | 'tree' }>

/** The file, its folder, the project: for a call that touches files. */
export function fileScopes(tool: string, accesses: readonly FileAccess[], workspace: Workspace): RuleScope[] {
  const paths = accesses.map((access) => ({
    path: access.path,
    folder: access.kind === 'tree' ? access.path : workspace.paths.path.dirname(access.path),
  }))
  const write = accesses.some((access) => access.write)
  if (tool === 'apply_patch') return scopesFor(PATCHING, paths, write, workspace)
  const tools = write ? CHANGING : READING
  return scopesFor(tools.includes(tool) ? tools : [tool], paths, write, workspace)
}

/** The same for the target of a command's redirection. */
export function redirectionScopes({ paths }: CommandPart, workspace: Workspace): RuleScope[] {
  const write = paths.some((path) => path.write)
  const places = paths.map(({ realPath }) => ({ path: realPath, folder: workspace.paths.path.dirname(realPath) }))
  return places.length === 0 ? [] : scopesFor([write ? 'Write' : 'Read'], places, write, workspace)
}

function scopesFor(
  tools: readonly string[],
  places: readonly { path: string; folder: string }[],
  write: boolean,
  workspace: Workspace,
): RuleScope[] {
  const { root, paths: flavor } = workspace
  const { dirname } = flavor.path
  const verb = write ? 'changes to' : 'reading'
  const rung = (paths: readonly string[], label: string): RuleScope => ({
    patterns: [...new Set(paths)].flatMap((path) => tools.map((tool) => `${tool}(${path})`)),
    label,
  })
  const folders = [...new Set(places.map(({ folder }) => folder))]
  const shown = (paths: readonly string[]): string =>
    [...new Set(paths)].map((path) => workspace.display(path)).join(', ')
  const rungs: RuleScope[] = []
  if (places.every(({ path, folder }) => path !== folder))
    rungs.push(
      rung(
        places.map(({ path }) => exactGlob(path, workspace)),
        `${verb} ${shown(places.map(({ path }) => path))}`,
      ),
    )
  if (!folders.includes(root) && folders.every((folder) => dirname(folder) !== folder))
    rungs.push(
      rung(
        folders.map((folder) => `${exactGlob(folder, workspace)}/**`),
        `${verb} files in ${shown(folders)}`,
      ),
    )
  if (folders.every((folder) => flavor.isWithin(folder, root)))
    rungs.push(rung(['**'], `${verb} files of this project`))
  return rungs
}

/** A path as a pattern that matches only that path, relative to the project when inside it. */
function exactGlob(path: string, { root, paths }: Workspace): string {
  const [text, folder] = [paths.comparable(path), paths.comparable(root).replace(/\/$/, '')]
  const inside = text !== folder && paths.isWithin(path, root)
  const escaped = (inside ? text.slice(folder.length + 1) : text).replace(/[*?[{]/g, '[$&]')
  return inside && /^[!~]/.test(escaped) ? `./${escaped}` : escaped
}
