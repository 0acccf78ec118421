import { writesFiles, type JudgedCall, type Policy } from '../rules/policy'
import { ruleNamingTool } from '../rules/match-rules'
import type { CommandPart } from '../shell/command-part'

/**
 * In plan mode only the plan's file can change, no matter what the permission mode, a rule or an earlier answer allows.
 * Read-only calls are left to the other policies.
 */
export const planMode: Policy = ({ tool, call, part, plan }) => {
  if (!plan) return undefined
  const commands = call.accesses.filter((access) => access.kind === 'command')
  if (commands.length > 0) {
    if (commands.some(({ background }) => background)) return denied('nothing is started in the background.')
    return part && onlyReads(part) ? undefined : denied('Bash runs only what is known to only read.')
  }
  if (tool.annotations.readOnly && !writesFiles(call)) return undefined
  if (isPlan(call, plan.file)) return { decision: 'allow', reason: 'In plan mode the plan can be written.' }
  return denied(`nothing but the plan can change: ${plan.file}.`)
}

/** Compared both as written and resolved: a link to the plan, or a plan that became a link, does not count. */
function isPlan({ accesses }: JudgedCall['call'], file: string): boolean {
  const [access, ...more] = accesses
  return more.length === 0 && access?.kind === 'file' && access.path === file && (access.written ?? file) === file
}

/** Nothing in this part is hidden, and it is known to change nothing. */
function onlyReads({ kind, paths, readOnly, neutral, steered, hidden, danger }: CommandPart): boolean {
  if (hidden !== undefined || danger !== undefined || steered) return false
  return kind === 'redirection' ? paths.length > 0 && paths.every(({ write }) => !write) : readOnly || neutral
}

function denied(why: string): ReturnType<Policy> {
  return { decision: 'deny', reason: `Plan mode is on: ${why}` }
}

/**
 * A read-only agent stays read-only, no matter what rules, modes and answers allow: only read-only tools, and commands
 * known to only read.
 */
export const readOnlyAgent: Policy = ({ readOnlyAgent: type, tool, call, part }) => {
  if (type === undefined) return undefined
  const deny = (what: string) => ({
    decision: 'deny' as const,
    reason: `The agent ${type} may only read, and ${what}.`,
  })
  if (!part)
    return tool.annotations.readOnly && !writesFiles(call) ? undefined : deny(`${tool.name} can change something`)
  return onlyReads(part) ? undefined : deny(`${part.words[0]?.text ?? 'this'} is not known to only read`)
}

/**
 * That a server's tool only reads is the server's own claim. In plan mode and for a read-only agent, such a tool asks,
 * no matter what the mode or a rule for several tools allows; a rule that names exactly this tool means that the user
 * trusts the claim.
 */
export const claimedReads: Policy = (judged) => {
  const { tool, plan, readOnlyAgent: type } = judged
  if (!tool.server || (!plan && type === undefined) || ruleNamingTool(judged)) return undefined
  const promise = plan ? 'plan mode is on' : `the agent ${type} may only read`
  const { name, tool: called } = tool.server
  return {
    decision: 'ask',
    reason: `The server ${name} says that ${called} only reads. Trestle cannot check that, and ${promise}.`,
  }
}

/**
 * Tools that only read inside the workspace need no approval, unless this call writes; commands are judged separately.
 * A server's claims about its tools are not trusted.
 */
export const readOnlyTools: Policy = ({ tool, call, part }) =>
  tool.annotations.readOnly && !part && !tool.server && !writesFiles(call)
    ? { decision: 'allow', reason: `${tool.name} only reads.` }
    : undefined

/** Parts of commands that are known to only read, or that only start parts judged separately, need no approval. */
export const readOnlyCommands: Policy = ({ part }) => {
  if (!part) return undefined
  if (part.kind === 'redirection') {
    return part.paths.length > 0 && part.paths.every((path) => !path.write && path.sensitive === undefined)
      ? { decision: 'allow', reason: 'It only reads.' }
      : undefined
  }
  if (part.neutral && !part.steered) return { decision: 'allow', reason: 'The program it starts is judged separately.' }
  if (!part.readOnly) return undefined
  const secret = part.paths.find((path) => path.sensitive !== undefined && !path.namesOnly)
  if (secret) return undefined
  return { decision: 'allow', reason: `${part.words[0]?.text ?? 'It'} only reads.` }
}

/**
 * In `accept-edits` mode, changes to files in the workspace run without asking, including redirections; commands still
 * ask.
 */
export const acceptEdits: Policy = ({ call, part, mode }) => {
  if (mode !== 'accept-edits') return undefined
  const edits = part
    ? part.kind === 'redirection'
    : call.accesses.length > 0 && call.accesses.every((access) => access.kind === 'file')
  return edits ? { decision: 'allow', reason: 'The mode accepts edits inside the project.' } : undefined
}

/** The `auto` mode allows anything that no stricter policy has already decided. */
export const autoMode: Policy = ({ mode }) =>
  mode === 'auto' ? { decision: 'allow', reason: 'The mode is auto.' } : undefined

/** A tool that its own server declares destructive asks in `auto` mode too, unless a rule allows it. */
export const destructiveServerTools: Policy = ({ tool }) =>
  tool.server?.saysDestructive
    ? { decision: 'ask', reason: `The server ${tool.server.name} says that ${tool.server.tool} can destroy something.` }
    : undefined

/** Anything that no other policy decides asks. */
export const askByDefault: Policy = ({ tool, part, mode }) => ({
  decision: 'ask',
  reason:
    (part?.problem !== undefined
      ? `${part.words[0]?.text ?? 'It'} would show more than ordinary files: ${part.problem}.`
      : undefined) ??
    (part && notKnown(part)) ??
    `${part?.kind === 'redirection' ? 'Writing a file' : (part?.words[0]?.text ?? tool.name)} ` +
      `can change things, and the mode is ${mode === 'ask' ? 'Ask first' : 'Accept edits'}.`,
})

/** Why it is unknown which files a command uses. */
function notKnown({ paths, effects }: CommandPart): string | undefined {
  const tree = paths.find((path) => path.tree?.problem !== undefined)
  if (tree) return `What it reads in ${tree.path} is not known: ${tree.tree?.problem}.`
  const [reason] = effects.unknown
  return reason === undefined ? undefined : `Not all that it does is known: ${reason}.`
}
