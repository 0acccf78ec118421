import { useEffect, useEffectEvent, useRef, type RefObject } from 'react'
import { isRecord } from '../../../shared/is-record'
import { PREVIEW_CHANNEL, type PreviewReport } from '../../../shared/model/page-preview'
import { pictureOfElement } from './tab-picture'
import { usePageReports, type PreviewControls, type PreviewHandlers } from './use-page-reports'

/** A previewed page in a frame: the frame, and what it tells. */
export function useFramePreview(
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
      if (!frame.current) throw new Error('The page is not shown any more.')
      return pictureOfElement(frame.current)
    },
  }
}
