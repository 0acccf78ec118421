import { realpath } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { errorText } from '../../../shared/error-text'
import { CodedError } from '../../../shared/errors'
import { writeFailure } from '../config/write-failure'
import type { TrustPart, TrustView, TrustedFolder } from '../../../shared/configuration/customize/customizations'
import { visibleLine } from '../../../shared/visible-text'
import { describeHook } from '../config/agent-settings/hook-settings'
import { readProjectConfig } from './project-settings'
import type { ProjectFile } from './project-files'
import {
  readTrustState,
  type TrustState,
  listTrustDecisions,
  readTrustDecision,
  removeTrustDecision,
  writeTrustDecision,
  type TrustDecision,
} from './trust-state'

export interface TrustDeps {
  home: string
  now(): number
  /** Called when the trusted configuration of this folder has changed. */
  notify(folder: string): void
  /**
   * Why this engine is assumed to have been started by an agent's command, so that trust cannot be granted. Absent:
   * every client may grant it.
   */
  agentTrace?(): Promise<string | undefined>
  /** What the MCP servers of a project's file would do, a line each; `before` is the accepted text. */
  describeServers: DescribeServers
}

/** Describes the servers of an mcp.json: `text` is its content, `before` an earlier version to compare with. */
export type DescribeServers = (text: string, file: string, before?: string) => Promise<string[]>

/** Which folders the user trusts, with the exact text of their files. */
export function createTrust({ home, now, notify, agentTrace, describeServers }: TrustDeps): Trust {
  async function requireUser(): Promise<void> {
    const trace = await agentTrace?.()
    if (trace !== undefined)
      throw new CodedError('trust.not_user', `Only you can decide which projects to trust, but ${trace}.`)
  }

  async function decide(
    given: string,
    hash: string,
    change: (entry: TrustDecision, standing: TrustState) => TrustDecision,
  ): Promise<TrustView> {
    await requireUser()
    const folder = await realFolder(given)
    const standing = readTrustState(home, folder)
    // The decision applies to the text just read, not to the file's content when it is recorded.
    if (standing.hash !== hash) throw new CodedError('trust.changed', `${folder} has changed since it was shown.`)
    if (standing.state === 'nothing') return viewOf(folder, standing)
    const found = readTrustDecision(home, folder)
    try {
      writeTrustDecision(home, change('entry' in found ? found.entry : { folder }, standing))
    } catch (error) {
      const reason = errorText(error)
      throw writeFailure(`What you decided could not be written down: ${reason}`, error)
    }
    notify(folder)
    return viewOf(folder, readTrustState(home, folder))
  }

  async function viewOf(folder: string, { state, files, hash, accepted, problem }: TrustState): Promise<TrustView> {
    const parts = (await Promise.all(files.map((file) => partsOf(folder, file, accepted)))).flat()
    return { folder, state, parts, hash, ...(problem && { problem: `${problem.file}: ${problem.message}` }) }
  }

  /** What one file would do, by kind. Nothing in its text can be hidden on screen. */
  async function partsOf(
    folder: string,
    projectFile: ProjectFile,
    accepted: TrustState['accepted'],
  ): Promise<TrustPart[]> {
    const { file, link, text, problem } = projectFile
    const before = accepted?.files.find((old) => old.file === file)
    const parts = await linesOf(projectFile, before?.text)
    const first = parts[0]!
    // A link that is refused because of its target already has a problem that says so.
    if (link !== undefined && !problem) first.lines = [`It is a link to ${link}`, ...first.lines]
    for (const part of parts) part.lines = part.lines.map(visibleLine)
    if (before === undefined || before.text === text || problem) return parts
    first.diff = await diffOf(folder, projectFile, before.text, first.lines)
    return parts
  }

  async function linesOf(projectFile: ProjectFile, before: string | undefined): Promise<TrustPart[]> {
    const { kind, file } = projectFile
    if (kind === 'agents') return [agentPart(projectFile)]
    if (kind !== 'mcp') return configParts(projectFile)
    return [{ kind, file, lines: await mcpLines(projectFile, before) }]
  }

  /**
   * A diff of what the servers would do, because the values in such a file may be secrets and its lines can have any
   * length; of the text itself if the effects are the same.
   */
  async function diffOf(
    folder: string,
    projectFile: ProjectFile,
    before: string,
    lines: readonly string[],
  ): Promise<string> {
    const { unifiedDiff } = await import('../workspace/unified-diff')
    const name = relative(folder, projectFile.file)
    const oldLines =
      projectFile.kind === 'mcp' ? (await mcpLines({ ...projectFile, text: before })).map(visibleLine) : lines
    const isSame = oldLines.length === lines.length && oldLines.every((line, index) => line === lines[index])
    const { diff } = isSame
      ? await unifiedDiff(name, before, projectFile.text)
      : await unifiedDiff(name, `${oldLines.join('\n')}\n`, `${lines.join('\n')}\n`)
    return diff.split(/\r?\n/).map(visibleLine).join('\n')
  }

  async function mcpLines({ file, text, problem }: ProjectFile, before?: string): Promise<string[]> {
    return problem ? [problem.message] : describeServers(text, file, before)
  }

  return {
    async view(given) {
      const folder = await realFolder(given)
      return viewOf(folder, readTrustState(home, folder))
    },
    accept: (given, hash) =>
      decide(given, hash, ({ folder }, { files }) => ({
        folder,
        accepted: { hash, at: now(), files: files.map(({ file, text }) => ({ file, text })) },
      })),
    refuse: (given, hash) =>
      decide(given, hash, ({ folder, accepted }) => ({
        folder,
        refused: hash,
        // The text accepted before a refused change still restricts.
        ...(accepted && accepted.hash !== hash && { accepted }),
      })),
    async list() {
      return listTrustDecisions(home)
        .flatMap(({ folder, accepted }) => (accepted ? [{ folder, acceptedAt: accepted.at }] : []))
        .sort((a, b) => b.acceptedAt - a.acceptedAt)
    },
    async forget(given) {
      await requireUser()
      const folder = await realFolder(given)
      removeTrustDecision(home, folder)
      notify(folder)
    },
  }
}

async function realFolder(given: string): Promise<string> {
  // A deleted folder can still be removed from the list.
  return realpath(given).catch(() => resolve(given))
}

/** An agent's whole text is shown, because it determines what the agent does. */
function agentPart({ file, text, problem }: ProjectFile): TrustPart {
  return { kind: 'agents', file, lines: problem ? [problem.message] : text.trimEnd().split(/\r?\n/) }
}

async function configParts({ file, text, problem }: ProjectFile): Promise<TrustPart[]> {
  const { rules, hooks, disabledTools, maxSteps, worktree, problems } = await readProjectConfig(text, file, problem)
  const mistakes = problems.map(({ line, message }) => (line === undefined ? message : `line ${line}: ${message}`))
  const restrictions = [
    ...rules.filter((rule) => rule.mistake === undefined).map((rule) => `${rule.decision} ${rule.pattern}`),
    ...disabledTools.map((tool) => `switch off the tool ${tool}`),
    ...(maxSteps === undefined ? [] : [`at most ${maxSteps} steps a turn`]),
    ...(worktree?.setup === undefined ? [] : [`run in new worktrees: ${worktree.setup}`]),
    ...(worktree?.copy === undefined ? [] : [`copy into new worktrees: ${worktree.copy.join(', ')}`]),
  ]
  const onlyHooks = hooks.length > 0 && restrictions.length === 0
  const parts: TrustPart[] = [
    ...(onlyHooks ? [] : [{ kind: 'rules' as const, file, lines: restrictions }]),
    ...(hooks.length === 0 ? [] : [{ kind: 'hooks' as const, file, lines: hooks.map(describeHook) }]),
  ]
  const first = parts[0]!
  first.lines = [...first.lines, ...mistakes]
  return parts
}

/** Whether a project's own configuration applies. */
export interface Trust {
  view(folder: string): Promise<TrustView>
  accept(folder: string, hash: string): Promise<TrustView>
  refuse(folder: string, hash: string): Promise<TrustView>
  list(): Promise<TrustedFolder[]>
  forget(folder: string): Promise<void>
}
