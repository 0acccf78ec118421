import type { Approval, RuleChoice } from '../../../../shared/model/approval'
import type { ApprovalAnswer } from '../../../engine/engine-api'
import { safeText } from '../screen/safe-text'
import type { Terminal } from '../screen/terminal'
import { wrapText } from '../screen/wrap-words'

/** Something that waits for the person, with all that is needed to ask about it. */
export interface Asked {
  approval: Approval
  /** Set when a subagent asks. */
  agent?: string
  terminal: Terminal
  /** Ends when the request does not wait any more. */
  signal: AbortSignal
  choices(): Promise<RuleChoice[]>
}

/** The person's answer; undefined when they pressed Ctrl-C, or when there is nothing left to answer. */
export type Answer = Omit<ApprovalAnswer, 'approvalId'> | undefined

/** Whole lines on screen before a question. */
export function show({ terminal }: Asked, lines: readonly string[]): void {
  terminal.freshLine()
  terminal.write(lines.map((line) => `${line}\n`).join(''))
}

/** A key of its own beside the numbers. */
export interface OtherKey {
  key: string
  label: string
}

/** A line that can be chosen; without a key of its own it is numbered. */
export interface Choice<Value> {
  label: string
  value: Value
  key?: string | undefined
}

/** Has the person choose one of some lines by its key; undefined when they went back, or when there is nothing left to answer. */
export async function chooseOne<Value>(asked: Asked, choices: readonly Choice<Value>[], prompt: string): Promise<Value | undefined> {
  const { terminal, signal } = asked
  const { amber } = terminal.style
  const numbered = choices.filter(({ key }) => key === undefined)
  const keyed = new Map(choices.map((choice) => [choice.key ?? `${numbered.indexOf(choice) + 1}`, choice]))
  const row = (key: string, label: string): string => `  ${amber(key)}  ${wrapText(label, terminal.columns - 5).join('\n     ')}`
  show(
    asked,
    [...keyed].map(([key, { label }]) => row(key, label)),
  )
  const key = await terminal.readKey({ keys: [...keyed.keys()].join(''), prompt: `${amber(prompt)} `, signal })
  return key === undefined ? undefined : keyed.get(key)?.value
}

/** Has the person choose one of some lines by its number, or another key; the index, the key, or undefined. */
export async function choose(
  asked: Asked,
  lines: readonly string[],
  prompt: string,
  others: readonly OtherKey[] = [],
): Promise<number | string | undefined> {
  const own = others.map(({ key, label }) => ({ key, label, value: key }))
  return chooseOne<number | string>(asked, [...lines.map((label, value) => ({ label, value })), ...own], prompt)
}

/** A line of text from the person; undefined when they went back (Ctrl-C), or when there is nothing left to answer. */
export async function askText(asked: Asked, about: string, more: { text?: string; isSecret?: boolean } = {}): Promise<string | undefined> {
  const { terminal, signal } = asked
  if (about !== '')
    show(
      asked,
      wrapText(about, terminal.columns - 2).map((line) => `  ${terminal.style.dim(line)}`),
    )
  const result = await terminal.readLine({ prompt: `  ${terminal.style.amber('>')} `, signal, ...more })
  return result.kind === 'line' ? result.text.trim() : undefined
}

/** The first lines of a question: what it is, then why it is asked. */
export function showHeading(asked: Asked, title: string, why: string): void {
  const { style, columns } = asked.terminal
  const [first = '', ...rest] = wrapText(safeText(title), columns - 2)
  show(asked, [
    `${style.amber('?')} ${style.bold(first)}`,
    ...rest.map((line) => `  ${style.bold(line)}`),
    ...(why === '' ? [] : wrapText(safeText(why), columns - 2).map((line) => `  ${style.dim(line)}`)),
  ])
}
