import type { CommandPart } from '../command-part'
import { programOf } from '../unwrap'
import { SHELLS } from '../wrappers'

const FETCHES =
  /^(?:curl|wget|fetch|http|https|xh|httpie|aria2c|lynx|w3m|links|elinks|axel|nc|ncat|netcat|socat|scp|sftp|ftp|tftp|lwp-request|GET)$/
const RUNS_CODE =
  /^(?:(?:python|pypy|perl|ruby|php|lua|node|nodejs|deno|bun|tclsh|Rscript|julia|pwsh|powershell|osascript|groovy|scala)[\d.]*|eval|source|\.|)$/
const PIPED = 'Downloads code and runs it without showing it to you.'

/** Runs what it has downloaded, however the two are connected: the part that runs it, and why that asks in every mode. */
export function runsDownload(parts: readonly CommandPart[]): { part: CommandPart; reason: string } | undefined {
  const fetching = parts.filter(({ words }) => FETCHES.test(programOf(words)))
  if (fetching.length === 0) return undefined
  const saved = new Set(fetching.flatMap(savedAs))
  for (const each of parts) if (each.kind === 'redirection' && each.source.startsWith('> ')) saved.add(nameOf(each.source.slice(2)))
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

/** The names under which a program saves what it fetches. */
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

const MOST_FUNCTIONS = 20

/** A function that starts itself more than once: a fork bomb. */
export function isForkBomb(text: string): boolean {
  for (const [head, name = ''] of [...text.matchAll(/([\w:.-]{1,40})[ \t]*\([ \t]*\)/g)].slice(0, MOST_FUNCTIONS)) {
    const body = text.slice(text.indexOf(head) + head.length)
    const calls = body.split(/[\s;{}()]+|(?=[|&])|(?<=[|&])/).filter((word) => word === name).length
    if (calls >= 2 && /[|&]/.test(body) && /^\s*[{(]/.test(body) && callsItself(body, name)) return true
  }
  return false
}

/** Whether the name stands next to `|` or `&` in the body of the function. */
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
