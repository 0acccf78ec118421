import type { Word } from '../../permission/shell-syntax'
import { programOf } from '../shell/unwrap'
import { dangerousGit, dangerousPublish } from './publishing'
import { type CommandContext, dangerousChmod, dangerousFind, dangerousMove, dangerousRemoval } from './removal'
import { dangerousSystem, dangerousWindows } from './system-changes'
import type { CommandPart } from '../shell/command-part'
import { SHELLS } from '../shell/wrapper-programs'

/** Why a command asks in every mode, including `auto`, as one plain sentence; or undefined. */
export function dangerousCommand(words: readonly Word[], around: CommandContext): string | undefined {
  const program = programOf(words).toLowerCase().replace(/^.*\\/s, '')
  const rest = words.slice(1)
  return (
    decidesForUser(program, rest) ??
    removing(program, rest, around) ??
    (program === 'git' ? dangerousGit(rest, around) : undefined) ??
    dangerousPublish(program, rest) ??
    dangerousSystem(program, rest, around) ??
    dangerousWindows(program, rest)
  )
}

function removing(program: string, rest: readonly Word[], around: CommandContext): string | undefined {
  if (program === 'rm') return dangerousRemoval(rest, around)
  if (program === 'find' || program === 'gfind') return dangerousFind(rest, around)
  if (program === 'mv') return dangerousMove(rest, around)
  return /^(?:chmod|chown|chgrp)$/.test(program) ? dangerousChmod(program, rest, around) : undefined
}

/**
 * Actions reserved for the user in Trestle itself, no matter how the program is invoked: trust, MCP servers, settings
 * and the sandbox.
 */
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
  const isTrestle =
    program === 'trestle' || rest.slice(0, 3).some(({ text }) => /(?:^|[/\\])(?:trestle|cli\.(?:js|ts))$/.test(text))
  if (!isTrestle) return undefined
  const sandbox = after('sandbox')
  if (sandbox && !sandbox.some(({ text }) => /^(?:status|--help)$/.test(text)))
    return 'Changes or leaves the sandbox. Only you can decide that.'
  const settings = after('settings')
  return settings && settings.filter(({ text }) => !text.startsWith('-')).length > 1
    ? 'Changes the settings of Trestle. Only you can decide that.'
    : undefined
}

const FETCHES =
  /^(?:curl|wget|fetch|http|https|xh|httpie|aria2c|lynx|w3m|links|elinks|axel|nc|ncat|netcat|socat|scp|sftp|ftp|tftp|lwp-request|GET)$/
const RUNS_CODE =
  /^(?:(?:python|pypy|perl|ruby|php|lua|node|nodejs|deno|bun|tclsh|Rscript|julia|pwsh|powershell|osascript|groovy|scala)[\d.]*|eval|source|\.|)$/
const PIPED = 'Downloads code and runs it without showing it to you.'

/** The part that runs a download, no matter how the two are connected, and why it asks in every mode. */
export function runsDownload(parts: readonly CommandPart[]): { part: CommandPart; reason: string } | undefined {
  const fetching = parts.filter(({ words }) => FETCHES.test(programOf(words)))
  if (fetching.length === 0) return undefined
  const saved = new Set(fetching.flatMap(savedAs))
  for (const each of parts)
    if (each.kind === 'redirection' && each.source.startsWith('> ')) saved.add(nameOf(each.source.slice(2)))
  const part = parts.find(({ kind, words, hidden }) => {
    if (kind === 'redirection') return false
    const program = programOf(words)
    if (hidden && (SHELLS.has(program) || RUNS_CODE.test(program))) return true
    if (SHELLS.has(program) || (program !== '' && RUNS_CODE.test(program)))
      return words.slice(1).some(({ text }) => saved.has(nameOf(text)))
    return words[0]?.text.includes('/') === true && saved.has(nameOf(words[0].text))
  })
  return part && { part, reason: PIPED }
}

/** The file names under which a program saves its downloads. */
function savedAs({ words }: CommandPart): string[] {
  return words.flatMap(({ text }, index) => {
    const value = /^(?:--output(?:-document)?=|-[oO](?=.))(.+)$/.exec(text)?.[1]
    if (value !== undefined) return [nameOf(value)]
    if (/^(?:-[a-zA-Z]*[oO]|--output|--output-document)$/.test(text)) return [nameOf(words[index + 1]?.text ?? '')]
    return /^[a-z]+:\/\//i.test(text) ? [nameOf(text.replace(/[?#].*$/, ''))] : []
  })
}

function nameOf(path: string): string {
  return path.replace(/["']/g, '').split('/').at(-1) ?? ''
}

const MAX_FUNCTIONS = 20

/** A function that starts itself more than once: a fork bomb. */
export function isForkBomb(text: string): boolean {
  for (const [head, name = ''] of [...text.matchAll(/([\w:.-]{1,40})[ \t]*\([ \t]*\)/g)].slice(0, MAX_FUNCTIONS)) {
    const body = text.slice(text.indexOf(head) + head.length)
    const calls = body.split(/[\s;{}()]+|(?=[|&])|(?<=[|&])/).filter((word) => word === name).length
    if (calls >= 2 && /[|&]/.test(body) && /^\s*[{(]/.test(body) && callsItself(body, name)) return true
  }
  return false
}

/** Whether the name appears next to `|` or `&` in the function body. */
function callsItself(body: string, name: string): boolean {
  const end = body.lastIndexOf('}') < 0 ? body.length : body.lastIndexOf('}')
  const inside = body.slice(0, end)
  let at = inside.indexOf(name)
  for (; at >= 0; at = inside.indexOf(name, at + 1)) {
    const after = inside.slice(at + name.length, at + name.length + 20).trimStart()
    const before = inside.slice(Math.max(0, at - 20), at).trimEnd()
    if (/^[|&](?!&)/.test(after) || /[|](?<!\|\|)$/.test(before)) return true
  }
  return false
}
