import type { Word } from '../shell-syntax'
import { programOf } from '../unwrap'
import { dangerousGit } from './git'
import type { Surroundings } from './places'
import { publishing } from './publishing'
import { changedRights, foundRemoval, movedAway, removal } from './removal'
import { dangerousSystem } from './system'
import { dangerousWindows } from './windows'

/** Why a command asks in every mode, `auto` included, or undefined: one plain sentence. */
export function dangerousCommand(words: readonly Word[], around: Surroundings): string | undefined {
  const program = programOf(words).toLowerCase().replace(/^.*\\/s, '')
  const rest = words.slice(1)
  return (
    decidesForUser(program, rest) ??
    removing(program, rest, around) ??
    (program === 'git' ? dangerousGit(rest, around) : undefined) ??
    publishing(program, rest) ??
    dangerousSystem(program, rest, around) ??
    dangerousWindows(program, rest)
  )
}

function removing(program: string, rest: readonly Word[], around: Surroundings): string | undefined {
  if (program === 'rm') return removal(rest, around)
  if (program === 'find' || program === 'gfind') return foundRemoval(rest, around)
  if (program === 'mv') return movedAway(rest, around)
  return /^(?:chmod|chown|chgrp)$/.test(program) ? changedRights(program, rest, around) : undefined
}

/** What only the user decides in Trestle itself, however the program is called: trust, MCP servers, settings and the sandbox. */
function decidesForUser(program: string, rest: readonly Word[]): string | undefined {
  const after = (name: string): readonly Word[] | undefined => {
    const at = rest.findIndex((word) => word.text === name)
    return at < 0 ? undefined : rest.slice(at + 1)
  }
  const permission = after('permission')
  if (permission?.some((word) => /^(?:un)?trust$/.test(word.text) || (!word.known && rest.length < 8)))
    return 'Trusts a project. Only you can decide that.'
  const server = after('mcp')?.find((word) => !word.text.startsWith('-'))
  if (server && /^(?:add|import|remove|enable|disable|call|login|logout)$/.test(server.text))
    return 'Changes which MCP servers are used. Only you can decide that.'
  const isTrestle = program === 'trestle' || rest.slice(0, 3).some(({ text }) => /(?:^|[/\\])(?:trestle|cli\.(?:js|ts))$/.test(text))
  if (!isTrestle) return undefined
  const sandbox = after('sandbox')
  if (sandbox && !sandbox.some(({ text }) => /^(?:status|--help)$/.test(text)))
    return 'Changes or leaves the sandbox. Only you can decide that.'
  const settings = after('settings')
  return settings && settings.filter(({ text }) => !text.startsWith('-')).length > 1
    ? 'Changes the settings of Trestle. Only you can decide that.'
    : undefined
}
