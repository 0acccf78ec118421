import { PreviewPane as Preview } from '../../features/preview/preview-pane'
import { paneKey } from '../../state/panes/pane'
import { closePane, openPane } from '../../state/panes/panes-state'
import { useOpenLink } from '../../state/use-open-link'

/** A page of a local server in a pane. */
export function PreviewPane({ sessionId, url }: { sessionId: string; url: string }) {
  const openLink = useOpenLink()
  return (
    <Preview
      sessionId={sessionId}
      url={url}
      onOpen={(next) => {
        openPane(sessionId, { kind: 'preview', url: next })
        closePane(sessionId, paneKey({ kind: 'preview', url }))
      }}
      onOpenLink={openLink}
    />
  )
}
