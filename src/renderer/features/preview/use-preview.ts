import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Failure } from '../../../shared/errors'
import { isRecord } from '../../../shared/is-record'
import {
  PREVIEW_CHANNEL,
  type PickedElement,
  type PreviewCommand,
  type PreviewReport,
} from '../../../shared/model/page-preview'
import { failureFrom } from '../../client/failure-from'
import { useQueries } from '../../state/page/queries'

/** An error or warning of the previewed page. */
export interface PageProblem {
  level: 'error' | 'warning'
  text: string
  count: number
}

export interface PreviewView {
  frame: RefObject<HTMLIFrameElement | null>
  /** What the frame loads; null: this host shows no previews; undefined: it is asked for. */
  frameUrl: string | null | undefined
  failure: Failure | undefined
  /** Path and title of the page on screen. */
  place: { url: string; title: string } | undefined
  problems: readonly PageProblem[]
  isPicking: boolean
  send: (command: PreviewCommand) => void
  forgetProblems: () => void
}

const MAX_PROBLEMS = 50

interface Handlers {
  onPicked: (element: PickedElement) => void
  onOutline: (text: string) => void
}

/** One previewed page: its frame, and what it tells. */
export function usePreview(url: string, { onPicked, onOutline }: Handlers): PreviewView {
  const queries = useQueries()
  const frame = useRef<HTMLIFrameElement>(null)
  const { data, error } = useQuery(
    queries.preview.open.queryOptions({ input: { url }, retry: false, staleTime: Number.POSITIVE_INFINITY }),
  )
  const frameUrl = data === null ? null : data?.frameUrl
  const [place, setPlace] = useState<PreviewView['place']>()
  const [problems, setProblems] = useState<readonly PageProblem[]>([])
  const [isPicking, setIsPicking] = useState(false)
  const hear = useEffectEvent((report: PreviewReport) => {
    switch (report.type) {
      case 'at':
        setPlace({ url: text(report.url), title: text(report.title) })
        break
      case 'console':
        setProblems((before) => withProblem(before, report.level === 'error' ? 'error' : 'warning', text(report.text)))
        break
      case 'picked':
        setIsPicking(false)
        if (isRecord(report.element)) onPicked(report.element)
        break
      case 'pick-ended':
        setIsPicking(false)
        break
      case 'outline':
        onOutline(text(report.text))
    }
  })
  useEffect(() => {
    const origin = frameUrl ? new URL(frameUrl).origin : undefined
    const listen = (event: MessageEvent<unknown>): void => {
      if (event.origin !== origin || event.source !== frame.current?.contentWindow) return
      const { data: message } = event
      if (!isRecord(message) || message['channel'] !== PREVIEW_CHANNEL || !isRecord(message['report'])) return
      hear(message['report'] as unknown as PreviewReport)
    }
    window.addEventListener('message', listen)
    return () => window.removeEventListener('message', listen)
  }, [frameUrl])
  return {
    frame,
    frameUrl,
    failure: error ? failureFrom(error) : undefined,
    place,
    problems,
    isPicking,
    send(command) {
      if (!frameUrl) return
      if (command.type === 'pick') setIsPicking(command.isOn)
      frame.current?.contentWindow?.postMessage({ channel: PREVIEW_CHANNEL, command }, new URL(frameUrl).origin)
      if (command.type === 'pick' && command.isOn) frame.current?.focus()
    },
    forgetProblems: () => setProblems([]),
  }
}

/** The same problem again only counts. */
function withProblem(before: readonly PageProblem[], level: PageProblem['level'], words: string): PageProblem[] {
  const known = before.find((one) => one.level === level && one.text === words)
  const count = (known?.count ?? 0) + 1
  return [...before.filter((one) => one !== known), { level, text: words, count }].slice(-MAX_PROBLEMS)
}

/** The page is not trusted to send what it should. */
function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 10_000) : ''
}
