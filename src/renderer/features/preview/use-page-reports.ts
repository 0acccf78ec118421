import { useEffectEvent, useState } from 'react'
import { isRecord } from '../../../shared/json-fields'
import type { PagePicture, PickedElement, PreviewCommand, PreviewReport } from '../../../shared/model/app/page-preview'

/** An error or warning of the previewed page. */
export interface PageProblem {
  level: 'error' | 'warning'
  text: string
  count: number
}

/** The user's actions on the previewed page, whether in a frame or in its own view. */
export interface PreviewControls {
  /** Path and title of the page on screen. */
  place: { url: string; title: string } | undefined
  problems: readonly PageProblem[]
  isPicking: boolean
  send: (command: PreviewCommand) => void
  forgetProblems: () => void
  /** A picture of the page; throws an Error with a message for the user. */
  capture: () => Promise<PagePicture>
}

/** Handlers for what the page returns. `path`: the current path of the page. */
export interface PreviewHandlers {
  onPicked: (element: PickedElement, path: string | undefined) => void
  onOutline: (text: string, path: string | undefined) => void
}

const MAX_PROBLEMS = 50

/** Collects the reports of a page. */
export function usePageReports({ onPicked, onOutline }: PreviewHandlers) {
  const [place, setPlace] = useState<PreviewControls['place']>()
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
        if (isRecord(report.element)) onPicked(report.element, place?.url)
        break
      case 'pick-ended':
        setIsPicking(false)
        break
      case 'outline':
        onOutline(text(report.text), place?.url)
    }
  })
  return { place, problems, isPicking, setIsPicking, hear, forgetProblems: () => setProblems([]) }
}

/** Counts a repeated problem instead of adding it again. */
function withProblem(before: readonly PageProblem[], level: PageProblem['level'], words: string): PageProblem[] {
  const known = before.find((one) => one.level === level && one.text === words)
  const count = (known?.count ?? 0) + 1
  return [...before.filter((one) => one !== known), { level, text: words, count }].slice(-MAX_PROBLEMS)
}

/** The page is untrusted and may send any value. */
function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 10_000) : ''
}
