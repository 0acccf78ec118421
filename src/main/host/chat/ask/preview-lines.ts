import { fileDiffs } from '../../../../shared/model/file-diffs'
import type { Preview } from '../../../../shared/model/preview'
import { safeText } from '../screen/safe-text'
import type { Style } from '../screen/style'

/** What would be done, as lines to read before answering. */
export function previewLines(preview: Preview, style: Style): string[] {
  switch (preview.kind) {
    case 'diff':
    case 'diffs':
      return fileDiffs(preview).flatMap(({ path, diff, added, removed, note }) => [
        `${safeText(path)} ${style.green(`+${added}`)} ${style.red(`-${removed}`)}${note === undefined ? '' : ` ${safeText(note)}`}`,
        ...diffLines(diff, style),
      ])
    case 'command':
      return [
        ...linesOf(preview.command).map((line, index) => `${index === 0 ? '$' : ' '} ${line}`),
        style.dim(`in ${safeText(preview.cwd)}${preview.background ? ', in the background' : ''}`),
        ...(preview.description === undefined ? [] : [style.dim(`The agent says: ${linesOf(preview.description).join('\n  ')}`)]),
      ]
    case 'plan':
      return linesOf(preview.text)
    case 'text':
      return linesOf(preview.text)
    case 'call':
      return [
        ...(preview.change === undefined ? [] : diffLines(preview.change, style)),
        ...preview.arguments.flatMap(({ name, text }) =>
          linesOf(text).map((line, index) => (index === 0 ? `${style.dim(`${safeText(name)}:`)} ${line}` : `  ${line}`)),
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
        `${safeText(preview.server)} wants at most ${preview.maxTokens} tokens of the model's answer to:`,
        ...(preview.system === undefined ? [] : linesOf(preview.system).map((line) => style.dim(line))),
        ...preview.messages.flatMap(({ role, text }) => linesOf(text).map((line, index) => `${index === 0 ? `${role}: ` : '  '}${line}`)),
        ...(preview.answer ? [style.dim(`${safeText(preview.answer.model)} has answered:`), ...linesOf(preview.answer.text)] : []),
      ]
  }
}

function diffLines(diff: string, style: Style): string[] {
  return linesOf(diff)
    .filter((line) => !/^(---|\+\+\+|===|Index:)( |$|=)/.test(line))
    .map((line) =>
      line.startsWith('+') ? style.green(line) : line.startsWith('-') ? style.red(line) : line.startsWith('@@') ? style.dim(line) : line,
    )
}

function linesOf(text: string): string[] {
  return safeText(text).replaceAll('\t', '    ').trimEnd().split('\n')
}
