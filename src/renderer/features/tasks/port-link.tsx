import { ArrowUpRight } from 'lucide-react'
import { tellFailure } from '../../state/toasts-state'
import { useAppInfo } from '../../state/settings-query'
import { useClient } from '../../state/trestle-context'

interface PortLinkProps {
  port: number
  /** Where it listens, e.g. `127.0.0.1`, `::`. */
  address: string
  tabIndex?: number
}

/** A port that a task listens on, as a link to what it serves. */
export function PortLink({ port, address, tabIndex }: PortLinkProps) {
  const client = useClient()
  const { data: info } = useAppInfo()
  const url = `http://${address === '::1' ? '[::1]' : '127.0.0.1'}:${port}`
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      tabIndex={tabIndex}
      title={`Open ${url}`}
      aria-label={`Open port ${port}`}
      className="inline-flex flex-none items-center rounded-sm text-run-ink hover:underline"
      onClick={(event) => {
        event.stopPropagation()
        // In the browser the link itself opens; a desktop window opens nothing, the user's browser does.
        if (info?.host !== 'electron') return
        event.preventDefault()
        void client.app.openExternal({ url }).catch(tellFailure)
      }}
    >
      :{port}
      <ArrowUpRight aria-hidden className="size-[11px]" />
    </a>
  )
}

/** Each port once, however many processes or addresses share it. */
export function distinctPorts<Port extends { port: number }>(ports: readonly Port[]): Port[] {
  return [...new Map(ports.map((one) => [one.port, one])).values()].sort((a, b) => a.port - b.port)
}
