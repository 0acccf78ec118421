import { useCallback, useState } from 'react'
import { useClient } from '../../../state/page/queries'
import { bytesOf } from './file-bytes'
import { WindowScroller } from './window-scroller'

const ROW = 16
/** Bytes per request. */
const PAGE = 16_384
const MAX_PAGES = 60

interface HexViewProps {
  sessionId: string
  path: string
  size: number
  version: string
}

/** The bytes of a file, 16 in a row, as numbers and as characters. */
export function HexView({ sessionId, path, size, version }: HexViewProps) {
  const client = useClient()
  const [pages, setPages] = useState<ReadonlyMap<number, Uint8Array>>(new Map())
  const [wanted] = useState(() => new Set<string>())
  const onRows = useCallback(
    (first: number, last: number) => {
      for (let page = Math.floor((first * ROW) / PAGE); page <= Math.floor((last * ROW) / PAGE); page++) {
        const key = `${version} ${page}`
        if (wanted.has(key) || page * PAGE >= size) continue
        wanted.add(key)
        client.file.bytes({ sessionId, path, offset: page * PAGE, length: PAGE }).then(
          ({ data }) =>
            setPages((now) => {
              const next = new Map(now).set(page, bytesOf(data))
              for (const old of next.keys()) {
                if (next.size <= MAX_PAGES) break
                next.delete(old)
                wanted.delete(`${version} ${old}`)
              }
              return next
            }),
          () => wanted.delete(key),
        )
      }
    },
    [client, sessionId, path, size, version, wanted],
  )
  return (
    <WindowScroller
      rows={Math.ceil(size / ROW)}
      label={`Bytes of ${path}`}
      className="file-lines file-hex"
      onRows={onRows}
      renderRow={(row) => {
        const at = row * ROW
        const bytes = pages.get(Math.floor(at / PAGE))?.subarray(at % PAGE, (at % PAGE) + ROW)
        return (
          <div key={row} className="file-line">
            <span>{at.toString(16).padStart(8, '0')}</span>
            <code>{bytes ? hex(bytes) : ''}</code>
            <code className="text-ink-2">{bytes ? characters(bytes) : ''}</code>
          </div>
        )
      }}
    />
  )
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte, n) => byte.toString(16).padStart(2, '0') + (n === 7 ? ' ' : '')).join(' ')
}

function characters(bytes: Uint8Array): string {
  return [...bytes].map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '·')).join('')
}
