import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { REJECT_OPTIONS, type ApprovalOption } from '../../../../shared/model/approval/approval'
import { describeSandbox, type CommandSandbox } from '../../../../shared/model/task/sandbox'
import { hostAllowed } from '../../network/host-list'
import { isWithin } from '../../workspace/path/real-path'
import { type CommandSandboxes, type JudgedCall, type PartVerdict, type Verdict, writesOutside } from '../rules/policy'
import type { CommandPart } from '../shell/command-part'

const READ_ONLY: CommandSandbox = { level: 'read-only', network: 'none' }
const OFFLINE: CommandSandbox = { level: 'project', network: 'none' }
const LISTED: CommandSandbox = { level: 'project', network: 'listed' }
const UNRESTRICTED: CommandSandbox = { level: 'unrestricted', network: 'open' }

/** The sandbox for a session's commands that run without asking. */
export function defaultSandbox({ mode, readsOnly }: { mode: JudgedCall['mode']; readsOnly: boolean }): CommandSandbox {
  if (readsOnly || mode === 'ask') return READ_ONLY
  return mode === 'accept-edits' ? OFFLINE : LISTED
}

/**
 * Adapts the verdict on a command when commands are sandboxed: where it runs, and whether it can run there without
 * asking. The sandbox only removes questions that it settles itself: denied commands stay denied, and those that ask
 * every time (dangerous commands, ask rules) still ask.
 */
export function sandboxVerdict(judged: JudgedCall, verdicts: readonly PartVerdict[], verdict: Verdict): Verdict {
  const { sandboxes, parts } = judged
  const command = judged.call.accesses.find((access) => access.kind === 'command')
  if (!sandboxes || !command || !parts || verdict.decision === 'deny') return verdict
  if (sandboxes.unavailable !== undefined) return withoutSandbox(verdict, sandboxes)
  const readsOnly = judged.plan !== undefined || judged.readOnlyAgent !== undefined
  if (readsOnly) return { ...verdict, sandbox: READ_ONLY }
  if (command.unrestricted !== undefined) {
    const reason = `The agent asks to run this without a sandbox: "${command.unrestricted}"`
    return { decision: 'ask', reason, everyTime: true, sandbox: LISTED }
  }
  if (verdict.rule?.sandbox === 'unrestricted' && verdict.decision === 'allow')
    return { ...verdict, sandbox: UNRESTRICTED }
  if (judged.mode === 'ask') return inAskMode(verdict, verdicts)
  if (verdicts.some((each) => each.verdict.decision === 'ask' && each.verdict.everyTime))
    return { ...verdict, sandbox: LISTED }
  if (verdict.decision === 'allow' && verdicts.every((each) => each.verdict.rule))
    return { ...verdict, sandbox: LISTED }
  const usual = defaultSandbox({ mode: judged.mode, readsOnly })
  const leaving = sandboxProblem(commandNeeds(parts), usual, sandboxes) ?? mayEvadeRules(judged)
  if (leaving !== undefined) return { decision: 'ask', reason: leaving, sandbox: LISTED }
  return { decision: 'allow', reason: `Runs in the sandbox (${describeSandbox(usual)}).`, sandbox: usual }
}

/**
 * Read-only commands run in the strictest sandbox; those that a rule or the user allows run in the project's sandbox.
 */
function inAskMode(verdict: Verdict, verdicts: readonly PartVerdict[]): Verdict {
  const onlyReads = verdict.decision === 'allow' && verdicts.every((each) => !each.verdict.rule)
  return { ...verdict, sandbox: onlyReads ? READ_ONLY : LISTED }
}

function withoutSandbox(verdict: Verdict, { required, unavailable }: CommandSandboxes): Verdict {
  if (!required || verdict.decision === 'ask') return { ...verdict, sandbox: UNRESTRICTED }
  return {
    decision: 'ask',
    reason: `Your settings require a sandbox, but none is available: ${unavailable}`,
    everyTime: true,
    sandbox: UNRESTRICTED,
  }
}

/** Why this sandbox would block what the command visibly does, as a sentence. */
function sandboxProblem(
  needs: CommandNeeds,
  { network }: CommandSandbox,
  sandboxes: CommandSandboxes,
): string | undefined {
  // `unknown` means known only at run time: the sandbox decides then, and asks about what it blocks.
  if (needs.network !== 'none' && needs.network !== 'unknown') {
    const away = needs.network.hosts.filter((host) => !isThisMachine(host))
    const reached = network === 'none' ? sandboxes.openedHosts : sandboxes.hosts
    const refused = away.find((host) => !hostAllowed(reached, host, 443))
    if (refused !== undefined)
      return network === 'none'
        ? `It connects to ${refused}.`
        : `It connects to ${refused}, which is not a listed host.`
  }
  const written = needs.writesOutside.find(
    (path) => !isNewTemporary(path) && !sandboxes.writable.some((root) => isWithin(path, root)),
  )
  if (written !== undefined) return `It changes ${written}, which is outside the project.`
  const read = needs.readsOutside.find((path) => !isNewTemporary(path) && !sandboxes.isReadable(path))
  if (read !== undefined) return `It reads ${read}, which is outside the project.`
  const [secret] = needs.secrets
  return secret === undefined ? undefined : `It reads ${secret}, which holds secrets.`
}

/**
 * Why a command with hidden code asks: the user's own deny and ask rules also apply in the sandbox, and they could
 * match what is hidden.
 */
function mayEvadeRules({ parts = [], rules }: JudgedCall): string | undefined {
  const hidden = parts.find((part) => part.hidden)?.hidden
  if (!hidden || !rules.some((rule) => rule.decision !== 'allow')) return undefined
  return `Not everything that runs can be seen (${hidden.reason}), and your rules forbid some commands.`
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '127.0.0.1' || host === '::1' || host === '[::1]' || host === '0.0.0.0'
}

/** The sandbox has its own temporary folder: a new name in it is fine, but the host's files are missing inside. */
function isNewTemporary(path: string): boolean {
  if (path === '/tmp' || path === '/var/tmp') return true
  if (!isWithin(path, '/tmp') && !isWithin(path, '/var/tmp')) return false
  const folder = dirname(path)
  return !existsSync(path) && (folder === '/tmp' || folder === '/var/tmp' || !existsSync(folder))
}

/** The options on a command's approval card: in the sandbox first, without it second. */
export function commandOptions({ level, network }: CommandSandbox, always: string | undefined): ApprovalOption[] {
  const rule: ApprovalOption[] =
    always === undefined
      ? []
      : [
          {
            optionId: 'allow_always',
            kind: 'allow_always',
            name: `Always allow ${always} in this session`,
            sandbox: level,
            network,
          },
        ]
  if (level === 'unrestricted')
    return [
      { optionId: 'allow_once', kind: 'allow_once', name: 'Allow once', sandbox: level },
      ...rule,
      ...REJECT_OPTIONS,
    ]
  return [
    { optionId: 'allow_once', kind: 'allow_once', name: 'Run in sandbox', sandbox: level, network },
    { optionId: 'allow_unrestricted', kind: 'allow_once', name: 'Run unrestricted', sandbox: 'unrestricted' },
    ...rule,
    ...REJECT_OPTIONS,
  ]
}

/** The sandbox of the chosen option; undefined for a call that is not a command. */
export function chosenSandbox({ sandbox }: ApprovalOption): CommandSandbox | undefined {
  if (sandbox === undefined) return undefined
  return sandbox === 'unrestricted' ? UNRESTRICTED : sandbox === 'read-only' ? READ_ONLY : LISTED
}

/** What a command needs besides reading and writing in the project, as far as its words show. */
interface CommandNeeds {
  /** `unknown`: it connects, but the destination is known only at run time. */
  network: 'none' | 'unknown' | { hosts: string[] }
  /** Real paths that it writes outside the project and the folders the user added. */
  writesOutside: string[]
  /** Real paths that it reads there, including system folders. */
  readsOutside: string[]
  /** Files with secrets that it opens. */
  secrets: string[]
  /** Why some needs are known only at run time. */
  unknown: string[]
}

/**
 * The combined needs of a command's parts, for choosing a sandbox: a command that needs the network or writes elsewhere
 * would fail in a sandbox without them, so asking before it starts is better. Pure. Needs that the words do not show (a
 * script that connects, a build that fetches) are missing; the sandbox detects those.
 */
export function commandNeeds(parts: readonly CommandPart[]): CommandNeeds {
  const sends = parts.flatMap(({ effects }) => effects.sends ?? [])
  const hosts = unique(sends.flatMap((use) => use.hosts))
  const reads = parts.flatMap(({ effects }) => effects.reads)
  return {
    network: sends.some((use) => use.unknown) ? 'unknown' : sends.length === 0 ? 'none' : { hosts },
    writesOutside: unique(parts.flatMap((part) => writesOutside(part).map(({ realPath }) => realPath))),
    readsOutside: unique(reads.flatMap(({ inside, unsure, realPath }) => (inside || unsure ? [] : [realPath]))),
    secrets: unique(
      parts.flatMap(({ paths }) =>
        paths.flatMap(({ sensitive, namesOnly, realPath }) => (sensitive === undefined || namesOnly ? [] : [realPath])),
      ),
    ),
    unknown: unique(parts.flatMap(({ effects, hidden }) => [...effects.unknown, ...(hidden ? [hidden.reason] : [])])),
  }
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
