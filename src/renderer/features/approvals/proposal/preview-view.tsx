import { useRef, useEffect, useEffectEvent } from 'react'
import { fileDiffs, type Preview } from '../../../../shared/model/approval/preview'
import { shortPath } from '../../../format/folder-name'
import { useAppInfo } from '../../../state/page/queries'
import { ArgumentList, VisibleTokens } from '../../../ui/content/visible-tokens'
import { EventFields } from '../../../ui/content/event-fields'
import { DiffView, FileDiffList } from '../../../ui/code/diff-view'

interface PreviewViewProps {
  preview: Preview
  /** Called when its end has been in view. */
  onSeen: () => void
  /** Parts of a command that are dangerous. */
  dangers?: readonly string[]
}

/** What the call would do: the diff, the command, or a text. */
export function PreviewView({ preview, onSeen, dangers = [] }: PreviewViewProps) {
  const { data: info } = useAppInfo()
  // The change and the arguments of a tool scroll separately, as files do, and all of them must be seen.
  const ends = preview.kind === 'call' && preview.change !== undefined ? 2 : Math.max(1, fileDiffs(preview).length)
  const seen = useRef(new Set<string>())
  const see = (end: string): void => {
    seen.current.add(end)
    if (seen.current.size === ends) onSeen()
  }
  const end = <PreviewEnd onSeen={() => see('end')} />
  switch (preview.kind) {
    case 'diff':
    case 'diffs':
      return (
        <FileDiffList
          files={fileDiffs(preview)}
          limit={40}
          ends={fileDiffs(preview).map((_, index) => (
            <PreviewEnd key={index} onSeen={() => see(`file ${index}`)} />
          ))}
        />
      )
    case 'command':
      return (
        <div className="approval-command">
          {preview.description && (
            <p>
              <span className="approval-says">The agent says:</span> <VisibleTokens text={preview.description} />
            </p>
          )}
          <pre tabIndex={0} aria-label="Command">
            <VisibleTokens text={preview.command} marked={dangers} />
            {end}
          </pre>
          <p>
            in <span className="font-mono">{shortPath(preview.cwd, info?.userHome)}</span>
            {preview.background && `, in the background, ${limitOf(preview.background.timeoutMs)}`}
          </p>
        </div>
      )
    case 'call':
      return (
        <>
          {preview.change !== undefined && (
            <>
              <p className="approval-note">{preview.server} has changed this tool since you allowed it:</p>
              <DiffView diff={preview.change} limit={40} end={<PreviewEnd onSeen={() => see('change')} />} />
            </>
          )}
          <ArgumentList arguments={preview.arguments} left={preview.left} end={end} />
        </>
      )
    case 'event':
      return (
        <div className="approval-text" role="group" aria-label="Event" tabIndex={0}>
          <EventFields event={preview.event} />
          {end}
        </div>
      )
    case 'plan':
    case 'questions':
    case 'form':
    case 'link':
    case 'sampling':
    case 'sandbox':
      // These have their own cards.
      return null
    default:
      return (
        <pre tabIndex={0} aria-label="Preview" className="approval-text">
          <VisibleTokens text={preview.text} />
          {end}
        </pre>
      )
  }
}

function limitOf(timeoutMs: number | null): string {
  if (timeoutMs === null) return 'without a time limit'
  const seconds = Math.round(timeoutMs / 1000)
  return seconds % 60 === 0 ? `for at most ${seconds / 60} min` : `for at most ${seconds} s`
}

/**
 * Placed after the last line of a preview; calls `onSeen` once when it comes into view, also by scrolling inside the
 * preview.
 */
export function PreviewEnd({ onSeen }: { onSeen: () => void }) {
  const end = useRef<HTMLSpanElement>(null)
  const seen = useEffectEvent(onSeen)
  useEffect(() => {
    if (!end.current) return undefined
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      observer.disconnect()
      seen()
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [])
  return <span ref={end} className="preview-end" aria-hidden />
}
