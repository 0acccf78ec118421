import { eventText } from '../../../../shared/model/approval/calendar-event'
import type { Approval, RuleChoice } from '../../../../shared/model/approval/approval'
import { safeText, wrapText } from '../screen/text-layout'
import type { Terminal, Style } from '../screen/terminal'
import { fileDiffs, type Preview } from '../../../../shared/model/approval/preview'
import type { ApprovalAnswer } from '../../../engine/approval/waiting-requests'

/** A pending request, with everything needed to ask the user. */
export interface ApprovalPrompt {
  approval: Approval
  /** Set when a subagent asks. */
  agent?: string
  terminal: Terminal
  /** Aborts when the request is no longer pending. */
  signal: AbortSignal
  choices(): Promise<RuleChoice[]>
}

/** The user's answer; undefined after Ctrl-C, or when the request is no longer pending. */
export type Answer = Omit<ApprovalAnswer, 'approvalId'> | undefined

/** Prints complete lines before a question. */
export function showLines({ terminal }: ApprovalPrompt, lines: readonly string[]): void {
  terminal.freshLine()
  terminal.write(lines.map((line) => `${line}\n`).join(''))
}

/** A letter key in addition to the numbers. */
export interface ShortcutKey {
  key: string
  label: string
}

/** A line that can be chosen; without a key it is numbered. */
export interface Choice<Value> {
  label: string
  value: Value
  key?: string | undefined
}

/** Lets the user choose a line by its key; undefined when they went back, or the request is no longer pending. */
export async function chooseOne<Value>(
  asked: ApprovalPrompt,
  choices: readonly Choice<Value>[],
  prompt: string,
): Promise<Value | undefined> {
  const { terminal, signal } = asked
  const { amber } = terminal.style
  const numbered = choices.filter(({ key }) => key === undefined)
  const keyed = new Map(choices.map((choice) => [choice.key ?? `${numbered.indexOf(choice) + 1}`, choice]))
  const row = (key: string, label: string): string =>
    `  ${amber(key)}  ${wrapText(label, terminal.columns - 5).join('\n     ')}`
  showLines(
    asked,
    [...keyed].map(([key, { label }]) => row(key, label)),
  )
  const key = await terminal.readKey({ keys: [...keyed.keys()].join(''), prompt: `${amber(prompt)} `, signal })
  return key === undefined ? undefined : keyed.get(key)?.value
}

/** Lets the user choose a line by its number, or another key; returns the index, the key, or undefined. */
export async function choose(
  asked: ApprovalPrompt,
  lines: readonly string[],
  prompt: string,
  others: readonly ShortcutKey[] = [],
): Promise<number | string | undefined> {
  const own = others.map(({ key, label }) => ({ key, label, value: key }))
  return chooseOne<number | string>(asked, [...lines.map((label, value) => ({ label, value })), ...own], prompt)
}

/** A line of text from the user; undefined when they went back (Ctrl-C), or the request is no longer pending. */
export async function askText(
  asked: ApprovalPrompt,
  about: string,
  more: { text?: string; isSecret?: boolean } = {},
): Promise<string | undefined> {
  const { terminal, signal } = asked
  if (about !== '')
    showLines(
      asked,
      wrapText(about, terminal.columns - 2).map((line) => `  ${terminal.style.dim(line)}`),
    )
  const result = await terminal.readLine({ prompt: `  ${terminal.style.amber('>')} `, signal, ...more })
  return result.kind === 'line' ? result.text.trim() : undefined
}

/** Prints the heading of a question, then the reason. */
export function showHeading(asked: ApprovalPrompt, title: string, why: string): void {
  const { style, columns } = asked.terminal
  const [first = '', ...rest] = wrapText(safeText(title), columns - 2)
  showLines(asked, [
    `${style.amber('?')} ${style.bold(first)}`,
    ...rest.map((line) => `  ${style.bold(line)}`),
    ...(why === '' ? [] : wrapText(safeText(why), columns - 2).map((line) => `  ${style.dim(line)}`)),
  ])
}

/** The preview as lines to read before answering. */
export function previewLines(preview: Preview, style: Style): string[] {
  switch (preview.kind) {
    case 'diff':
    case 'diffs':
      return fileDiffs(preview).flatMap(({ path, diff, added, removed, note }) => [
        `${safeText(path)} ${style.green(`+${added}`)} ` +
          `${style.red(`-${removed}`)}${note === undefined ? '' : ` ${safeText(note)}`}`,
        ...diffLines(diff, style),
      ])
    case 'command':
      return [
        ...linesOf(preview.command).map((line, index) => `${index === 0 ? '$' : ' '} ${line}`),
        style.dim(`in ${safeText(preview.cwd)}${preview.background ? ', in the background' : ''}`),
        ...(preview.description === undefined
          ? []
          : [style.dim(`The agent says: ${linesOf(preview.description).join('\n  ')}`)]),
      ]
    case 'plan':
      return linesOf(preview.text)
    case 'text':
      return linesOf(preview.text)
    case 'event':
      return linesOf(eventText(preview.event))
    case 'call':
      return [
        ...(preview.change === undefined ? [] : diffLines(preview.change, style)),
        ...preview.arguments.flatMap(({ name, text }) =>
          linesOf(text).map((line, index) =>
            index === 0 ? `${style.dim(`${safeText(name)}:`)} ${line}` : `  ${line}`,
          ),
        ),
        ...(preview.left === undefined ? [] : [style.dim(`${preview.left} more characters are not shown.`)]),
      ]
    case 'questions':
      return preview.questions.map(({ question }) => safeText(question))
    case 'form':
      return [`${safeText(preview.server)} says: ${linesOf(preview.message).join('\n  ')}`]
    case 'link':
      return [
        `${safeText(preview.server)} says: ${linesOf(preview.message).join('\n  ')}`,
        style.bold(safeText(preview.url)),
        ...(preview.opened ? ['Say when you are done there.'] : []),
      ]
    case 'sandbox':
      return [
        ...linesOf(preview.command).map((line, index) => `${index === 0 ? '$' : ' '} ${line}`),
        ...(preview.output.trim() === ''
          ? []
          : [style.dim('End of the output:'), ...linesOf(preview.output).map((line) => style.dim(line))]),
      ]
    default:
      return [
        `${safeText(preview.server)} requests up to ${preview.maxTokens} tokens of the model's answer to:`,
        ...(preview.system === undefined ? [] : linesOf(preview.system).map((line) => style.dim(line))),
        ...preview.messages.flatMap(({ role, text }) =>
          linesOf(text).map((line, index) => `${index === 0 ? `${role}: ` : '  '}${line}`),
        ),
        ...(preview.answer
          ? [style.dim(`${safeText(preview.answer.model)} has answered:`), ...linesOf(preview.answer.text)]
          : []),
      ]
  }
}

function diffLines(diff: string, style: Style): string[] {
  return linesOf(diff)
    .filter((line) => !/^(---|\+\+\+|===|Index:)( |$|=)/.test(line))
    .map((line) =>
      line.startsWith('+')
        ? style.green(line)
        : line.startsWith('-')
          ? style.red(line)
          : line.startsWith('@@')
            ? style.dim(line)
            : line,
    )
}

function linesOf(text: string): string[] {
  return safeText(text).replaceAll('\t', '    ').trimEnd().split('\n')
}
