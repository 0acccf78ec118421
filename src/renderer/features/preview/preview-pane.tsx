import { useQuery } from '@tanstack/react-query'
import { useState, useEffect, useEffectEvent, useRef, type RefObject } from 'react'
import {
  type PagePicture,
  type PickedElement,
  PREVIEW_CHANNEL,
  type PreviewReport,
} from '../../../shared/model/app/page-preview'
import { useQueries } from '../../state/page/queries'
import { showToast } from '../../state/page/toasts-state'
import { returnToComposer } from '../../state/session/restore-state'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { Spinner } from '../../ui/loading'
import { EmptyState } from '../../ui/notice'
import { PreviewBar, type PageWidth } from './preview-bar'
import { type PreviewControls, type PreviewHandlers, type PageProblem, usePageReports } from './use-page-reports'
import { useViewPreview } from './use-view-preview'
import { isRecord } from '../../../shared/json-fields'
import { pictureOfElement } from './tab-picture'
import { LoadError, type LoadErrorProps } from '../../ui/load-error'

export interface PreviewPaneProps {
  sessionId: string
  url: string
  /** Shows another server. */
  onOpen: (url: string) => void
  onOpenLink: (url: string) => void
}

/**
 * A page of a server on this machine, isolated from Trestle: in a frame of another origin, or in the desktop app in its
 * own view.
 */
export function PreviewPane(props: PreviewPaneProps) {
  const { url, onOpenLink } = props
  const queries = useQueries()
  const query = useQuery(
    queries.preview.open.queryOptions({ input: { url }, retry: false, staleTime: Number.POSITIVE_INFINITY }),
  )
  const { data, error } = query
  const { origin } = new URL(url)
  if (data === null) return <NoPreview origin={origin} onOpenLink={onOpenLink} />
  if (data && 'isView' in data) return <ViewPreview {...props} />
  if (data) return <FramePreview {...props} frameUrl={data.frameUrl} />
  if (error) return <UnreachablePreview {...props} query={query} />
  return (
    <div className="m-auto">
      <Spinner label="Opening the preview" />
    </div>
  )
}

function FramePreview({ frameUrl, ...props }: PreviewPaneProps & { frameUrl: string }) {
  const { url } = props
  const [width, setWidth] = useState<PageWidth>()
  const { frame, ...controls } = useFramePreview(frameUrl, quoting(props))
  return (
    <div className="flex min-h-0 flex-1 flex-col bg-panel">
      <Bar {...props} controls={controls} width={width} onWidth={setWidth} />
      <div className="flex min-h-0 flex-1 justify-center overflow-x-auto bg-sunken">
        <iframe
          ref={frame}
          src={frameUrl}
          title={`Preview of ${new URL(url).origin}`}
          // Its scripts reach neither this page nor its storage.
          // oxlint-disable-next-line react/iframe-missing-sandbox -- its origin is not Trestle's
          sandbox="allow-scripts allow-same-origin allow-forms allow-modals allow-downloads"
          referrerPolicy="no-referrer"
          style={{ background: '#fff', ...(width !== undefined && { width }) }}
          className={cx('h-full flex-none border-0', width === undefined && 'w-full')}
        />
      </div>
    </div>
  )
}

function ViewPreview(props: PreviewPaneProps) {
  const { url } = props
  const { origin } = new URL(url)
  const [width, setWidth] = useState<PageWidth>()
  const { area, problem, still, enter, ...controls } = useViewPreview(url, width, quoting(props))
  return (
    <div className="flex min-h-0 flex-1 flex-col bg-panel">
      <Bar {...props} controls={controls} width={width} onWidth={setWidth} />
      <div className="flex min-h-0 flex-1 justify-center bg-sunken px-1">
        <div
          ref={area}
          role="button"
          tabIndex={0}
          aria-label={`Preview of ${origin}. Press Enter to go into the page, F6 to come back.`}
          onClick={enter}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            enter()
          }}
          style={width === undefined ? undefined : { maxWidth: width }}
          className="relative flex h-full w-full flex-col items-center justify-center overflow-hidden"
        >
          {problem === undefined ? (
            still && (
              <img
                alt=""
                src={`data:${still.mediaType};base64,${still.data}`}
                className="absolute inset-0 size-full object-fill"
              />
            )
          ) : (
            <EmptyState className="m-auto" title="The page cannot be shown">
              {problem}
            </EmptyState>
          )}
        </div>
      </div>
    </div>
  )
}

/** The bar cannot be used with the page, but another address can be typed. */
function UnreachablePreview({ query, ...props }: PreviewPaneProps & Pick<LoadErrorProps, 'query'>) {
  return (
    <div className="flex min-h-0 flex-1 flex-col bg-panel">
      <Bar {...props} controls={NO_CONTROLS} width={undefined} onWidth={() => {}} />
      <LoadError query={query} className="m-3" />
    </div>
  )
}

const NO_CONTROLS: PreviewControls = {
  place: undefined,
  problems: [],
  isPicking: false,
  send: () => {},
  forgetProblems: () => {},
  capture: () => Promise.reject(new Error('There is no page to capture.')),
}

interface BarProps extends PreviewPaneProps {
  controls: PreviewControls
  width: PageWidth
  onWidth: (width: PageWidth) => void
}

function Bar({ sessionId, url, controls, width, onWidth, onOpen, onOpenLink }: BarProps) {
  const here = addressAt(url, controls.place?.url)
  return (
    <PreviewBar
      controls={controls}
      here={here}
      width={width}
      onWidth={onWidth}
      onOpen={onOpen}
      onOpenLink={onOpenLink}
      onProblems={() => {
        quote(sessionId, problemsMessage(here, controls.problems), 'Console output added to your message')
        controls.forgetProblems()
      }}
      onPicture={(picture) =>
        quote(sessionId, `This is how ${here} looks.`, 'Screenshot attached to your message', picture)
      }
    />
  )
}

/** Adds what the user picked on the page to their message. */
function quoting({ sessionId, url }: PreviewPaneProps): PreviewHandlers {
  return {
    onPicked: (element, path) =>
      quote(sessionId, elementMessage(addressAt(url, path), element), 'Element added to your message'),
    onOutline: (outline, path) =>
      quote(sessionId, outlineMessage(addressAt(url, path), outline), 'Page content added to your message'),
  }
}

function quote(sessionId: string, text: string, message: string, picture?: PagePicture): void {
  returnToComposer({
    sessionId,
    parts: [
      { type: 'text', text },
      ...(picture ? [{ type: 'media' as const, name: 'screenshot.png', ...picture }] : []),
    ],
  })
  showToast(message)
}

function addressAt(url: string, path: string | undefined): string {
  return new URL(url).origin + (path ?? '/')
}

function NoPreview({ origin, onOpenLink }: { origin: string; onOpenLink: (url: string) => void }) {
  return (
    <EmptyState
      className="m-auto"
      title="No preview here"
      actions={
        <Button size="small" onClick={() => onOpenLink(origin)}>
          Open in the browser
        </Button>
      }
    >
      This window cannot show pages of {origin}.
    </EmptyState>
  )
}

/** Text from a page as a fenced block of a message; the text cannot close the fence. */
function block(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.trimEnd()}\n${fence}\n`
}

/** A line from the page, which may contain anything. */
function word(value: unknown): string {
  return (typeof value === 'string' ? value : '').replaceAll('\n', ' ').slice(0, 700)
}

/** "This element", for the agent. */
function elementMessage(page: string, element: PickedElement): string {
  const lines = [
    `selector: ${word(element.selector)}`,
    ...(word(element.text) === '' ? [] : [`text: ${word(element.text)}`]),
    `size: ${word(String(element.width))} × ${word(String(element.height))}`,
    ...(element.source === undefined ? [] : [`source: ${word(element.source)}`]),
    word(element.markup),
  ]
  return `This element of ${page}:\n\n${block(lines.join('\n'))}`
}

/** Errors and warnings, for the agent. */
function problemsMessage(page: string, problems: readonly PageProblem[]): string {
  const lines = problems.map(({ level, text, count }) => `[${level}${count > 1 ? `, ${count} times` : ''}] ${text}`)
  return `The console of ${page} shows:\n\n${block(lines.join('\n'))}`
}

/** What is on the page, for the agent. */
function outlineMessage(page: string, outline: string): string {
  return `This is on the page ${page} now:\n\n${block(outline)}`
}

/** A previewed page in a frame: the frame, and the reports of its page. */
function useFramePreview(
  frameUrl: string,
  handlers: PreviewHandlers,
): PreviewControls & { frame: RefObject<HTMLIFrameElement | null> } {
  const frame = useRef<HTMLIFrameElement>(null)
  const { hear, setIsPicking, ...reports } = usePageReports(handlers)
  const receive = useEffectEvent((report: PreviewReport) => hear(report))
  useEffect(() => {
    const { origin } = new URL(frameUrl)
    const listen = (event: MessageEvent<unknown>): void => {
      if (event.origin !== origin || event.source !== frame.current?.contentWindow) return
      const { data: message } = event
      if (!isRecord(message) || message['channel'] !== PREVIEW_CHANNEL || !isRecord(message['report'])) return
      receive(message['report'] as unknown as PreviewReport)
    }
    window.addEventListener('message', listen)
    return () => window.removeEventListener('message', listen)
  }, [frameUrl])
  return {
    ...reports,
    frame,
    send(command) {
      if (command.type === 'pick') setIsPicking(command.isOn)
      frame.current?.contentWindow?.postMessage({ channel: PREVIEW_CHANNEL, command }, new URL(frameUrl).origin)
      if (command.type === 'pick' && command.isOn) frame.current?.focus()
    },
    capture: () => {
      if (!frame.current) throw new Error('The page is no longer shown.')
      return pictureOfElement(frame.current)
    },
  }
}
