import type { ExportedFile, ExportFormat } from '../../../shared/model/session/conversation'
import { isScratchFolder } from '../../../shared/model/project/scratch-folder'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { Store } from '../store/store'
import { conversationBlocks, conversationEvents } from './conversation-blocks'
import { FORMAT, FORMAT_VERSION, isConversationEvent } from './exported-session'
import { markdownOf } from './export-markdown'
import { chainProofs } from './exported-chain'
import type { ChainedEvent } from '../store/chain/event-chain'

/** The current conversation of a session as a file. */
export async function exportConversation(
  store: Pick<Store, 'window'>,
  header: SessionHeader,
  format: ExportFormat,
  { version, now, chained }: { version: string; now: number; chained: (sessionId: string) => Iterable<ChainedEvent> },
): Promise<ExportedFile> {
  const { sessionId, title, folder, model, createdAt, updatedAt } = header
  const events = conversationEvents(store, sessionId)
  const name = fileName(title)
  switch (format) {
    case 'markdown':
      return { name: `${name}.md`, mediaType: 'text/markdown', text: markdownOf(title, conversationBlocks(events)) }
    case 'html': {
      const { htmlOf } = await import('./export-html')
      const page = { title, folder: isScratchFolder(folder) ? undefined : folder, createdAt }
      return { name: `${name}.html`, mediaType: 'text/html', text: htmlOf(page, conversationBlocks(events)) }
    }
    default: {
      const included = events.filter(({ type }) => isConversationEvent(type))
      const numbers = new Set(included.map(({ seq }) => seq))
      const { proofs, history } = chainProofs(sessionId, chained(sessionId), (seq) => numbers.has(seq))
      const document = {
        format: FORMAT,
        version: FORMAT_VERSION,
        trestle: version,
        exportedAt: new Date(now).toISOString(),
        session: { sessionId, title, folder, createdAt, updatedAt, ...(model !== undefined && { model }) },
        history,
        events: included.map(({ sessionId: _session, ...event }) => ({ ...event, chain: proofs.get(event.seq) })),
      }
      return {
        name: `${name}.json`,
        mediaType: 'application/json',
        text: `${JSON.stringify(document, undefined, 1)}\n`,
      }
    }
  }
}

/** Windows reserves these names for devices, with any extension. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i
/** Each character takes up to four bytes, and file systems allow 255 bytes. */
const MAX_NAME_CHARS = 60

/** A name that is valid in every file system: words of the title, with their accents, joined by hyphens. */
export function fileName(title: string): string {
  const words = title
    .toWellFormed()
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
  const name = Array.from(words).slice(0, MAX_NAME_CHARS).join('').replace(/-+$/, '')
  return name === '' || DEVICES.test(name) ? `session${name && `-${name}`}` : name
}
