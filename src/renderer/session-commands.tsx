import {
  Archive,
  Download,
  FoldVertical,
  GitFork,
  History,
  ListVideo,
  Pencil,
  Server,
  ShieldCheck,
  Trash2,
} from 'lucide-react'
import { EXPORT_FORMATS } from '../shared/model/session/conversation'
import type { SessionSummary } from '../shared/model/session/session'
import type { TrestleClient } from '../shared/contract'
import type { Command } from './features/shell/palette'
import { undoLastMessage, type SessionActions } from './state/session/session-actions'
import { showFailureToast } from './state/page/toasts-state'

/** Commands of the palette that change or save the session on screen. */
export function manageCommands(client: TrestleClient, actions: SessionActions, current: SessionSummary): Command[] {
  return [
    {
      id: 'rename',
      group: 'This session',
      label: 'Rename this session…',
      keywords: 'title name',
      icon: <Pencil aria-hidden />,
      run: () => actions.ask({ kind: 'rename', sessionId: current.sessionId }),
    },
    {
      id: 'fork',
      group: 'This session',
      label: 'Fork this session',
      keywords: 'copy branch',
      icon: <GitFork aria-hidden />,
      run: () => actions.fork(current.sessionId),
    },
    {
      id: 'undo',
      group: 'This session',
      label: 'Restore to before the last message…',
      keywords: 'undo restore revert',
      icon: <History aria-hidden />,
      run: () => undoLastMessage(client, current.sessionId),
    },
    {
      id: 'compact',
      group: 'This session',
      label: 'Compact the conversation',
      keywords: 'summarize context',
      icon: <FoldVertical aria-hidden />,
      run: () => void client.session.compact({ sessionId: current.sessionId }).catch(showFailureToast),
    },
    {
      id: 'export',
      group: 'This session',
      label: 'Export this session…',
      keywords: 'save download markdown html json share',
      icon: <Download aria-hidden />,
      page: {
        title: 'Export',
        commands: () =>
          EXPORT_FORMATS.map((format) => ({
            id: format,
            group: 'Export',
            label: { markdown: 'Markdown', html: 'HTML page', json: 'JSON, to import it elsewhere' }[format],
            run: () => actions.export(current.sessionId, format),
          })),
      },
    },
    {
      id: 'verify',
      group: 'This session',
      label: 'Verify the history of this session',
      keywords: 'audit hash integrity tampered',
      onlySearched: true,
      icon: <ShieldCheck aria-hidden />,
      run: () => actions.ask({ kind: 'verify', sessionId: current.sessionId }),
    },
    {
      id: 'replay',
      group: 'This session',
      label: 'Replay this session…',
      keywords: 'history step events audit',
      onlySearched: true,
      icon: <ListVideo aria-hidden />,
      run: () => actions.ask({ kind: 'replay', sessionId: current.sessionId }),
    },
    {
      id: 'move',
      group: 'This session',
      label: 'Move this session to another machine…',
      keywords: 'place remote ssh transfer',
      onlySearched: true,
      icon: <Server aria-hidden />,
      run: () => actions.ask({ kind: 'move', sessionId: current.sessionId }),
    },
    {
      id: 'archive',
      group: 'This session',
      label: current.archived ? 'Restore this session from the archive' : 'Archive this session',
      icon: <Archive aria-hidden />,
      run: () => actions.archive(current.sessionId, !current.archived),
    },
    {
      id: 'delete',
      group: 'This session',
      label: 'Delete this session…',
      keywords: 'remove',
      onlySearched: true,
      icon: <Trash2 aria-hidden />,
      run: () => actions.ask({ kind: 'remove', sessionId: current.sessionId }),
    },
  ]
}
