import type { CalendarEvent } from '../../../shared/model/approval/calendar-event'
import type { FormField } from '../../../shared/model/approval/form'
import type { FileDiff, Preview } from '../../../shared/model/approval/preview'
import { foldDiff, foldText, visibleLine, visibleText } from '../../../shared/visible-text'

/** What the user sees of a call; compared again before an allowed call runs. */
export async function visibleCall(
  summary: string,
  preview: () => Promise<Preview | undefined>,
  toolChange?: { diff: string },
): Promise<{ summary: string; preview?: Preview }> {
  const found = await preview().catch(() => undefined)
  const made = found?.kind === 'call' && toolChange ? { ...found, change: toolChange.diff } : found
  return { summary: foldText(visibleLine(summary)), ...(made && { preview: visiblePreview(made) }) }
}

/**
 * A preview as shown on every host: characters that a screen would hide are spelled out, and runs of characters that
 * would push the rest out of view are replaced by their count. Nothing readable is left out, except the middle of
 * overlong diff lines. Text that is sent back with an answer is unchanged.
 */
export function visiblePreview(preview: Preview): Preview {
  switch (preview.kind) {
    case 'diff':
      return { ...preview, ...visibleFile(preview) }
    case 'diffs':
      return { ...preview, files: preview.files.map(visibleFile) }
    case 'command': {
      const { description } = preview
      return {
        ...preview,
        command: folded(preview.command),
        cwd: visibleText(preview.cwd),
        ...(description !== undefined && { description: folded(description) }),
      }
    }
    case 'text':
      return { ...preview, text: folded(preview.text) }
    case 'call':
      return {
        ...preview,
        arguments: preview.arguments.map(({ name, text }) => ({ name: visibleText(name), text: folded(text) })),
        ...(preview.change !== undefined && { change: visibleDiff(preview.change) }),
      }
    case 'event':
      return { ...preview, event: visibleEvent(preview.event) }
    case 'plan':
      // Comments refer to its lines by number, so no lines are folded.
      return {
        ...preview,
        text: visibleText(preview.text),
        ...(preview.diff !== undefined && { diff: visibleDiff(preview.diff) }),
      }
    case 'form':
      return { ...preview, message: folded(preview.message), fields: preview.fields.map(visibleField) }
    case 'link':
      return { ...preview, message: folded(preview.message) }
    case 'sampling': {
      const { system, messages, answer } = preview
      return {
        ...preview,
        ...(system !== undefined && { system: folded(system) }),
        messages: messages.map(({ role, text }) => ({ role, text: folded(text) })),
        ...(answer && { answer: { ...answer, text: folded(answer.text) } }),
      }
    }
    case 'sandbox': {
      const { denied } = preview
      const shown =
        denied.kind === 'path'
          ? { ...denied, path: visibleLine(denied.path) }
          : { ...denied, host: visibleLine(denied.host) }
      return { ...preview, command: folded(preview.command), denied: shown, output: folded(preview.output) }
    }
    default:
      // Answers contain the labels of questions; AskUserQuestion makes them visible before it offers them.
      return preview
  }
}

function visibleEvent(event: CalendarEvent): CalendarEvent {
  const { title, location, description, attendees } = event
  return {
    ...event,
    title: folded(title),
    attendees: attendees.map(folded),
    ...(location !== undefined && { location: folded(location) }),
    ...(description !== undefined && { description: folded(description) }),
  }
}

function visibleFile(file: FileDiff): FileDiff {
  const { path, diff, note, from } = file
  return {
    ...file,
    path: visibleText(path),
    diff: visibleDiff(diff),
    ...withNote(note),
    ...(from !== undefined && { from: visibleText(from) }),
  }
}

function folded(text: string): string {
  return foldText(visibleText(text))
}

/** If all lines of a file end in CRLF, it is shown without carriage returns; if only some do, they are spelled out. */
function visibleDiff(diff: string): string {
  const lines = diff.split('\n').filter((line) => /^[-+ ]/.test(line) && !/^(?:---|\+\+\+)(?: |$)/.test(line))
  const isCrlf = lines.length > 0 && lines.every((line) => line.endsWith('\r'))
  return foldDiff(visibleText(isCrlf ? diff.replaceAll('\r\n', '\n') : diff))
}

function withNote(note: string | undefined): { note?: string } {
  return note === undefined ? {} : { note: folded(note) }
}

function visibleField(field: FormField): FormField {
  const { title, description } = field
  const shown = {
    ...field,
    title: visibleText(title),
    ...(description !== undefined && { description: visibleText(description) }),
  }
  if (shown.kind !== 'choice' && shown.kind !== 'choices') return shown
  return { ...shown, options: shown.options.map(({ value, title: label }) => ({ value, title: visibleText(label) })) }
}
