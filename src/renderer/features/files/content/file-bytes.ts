import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { TrestleClient } from '../../../../shared/contract'
import { useClient } from '../../../state/page/queries'

const CHUNK = 2 * 1024 * 1024
const MAX_BYTES = 128 * 1024 * 1024

/** The bytes of base64 text. */
export function bytesOf(data: string): Uint8Array<ArrayBuffer> {
  const text = atob(data)
  const bytes = new Uint8Array(text.length)
  for (let n = 0; n < text.length; n++) bytes[n] = text.charCodeAt(n)
  return bytes
}

/** All bytes of a file, piece by piece. Rejects when the file is too large, or changes while it is read. */
export async function readBytes(
  client: TrestleClient,
  { sessionId, path, size }: { sessionId: string; path: string; size: number },
): Promise<Uint8Array<ArrayBuffer>> {
  if (size > MAX_BYTES) throw new Error(`This file is too large to show (more than ${MAX_BYTES / 1024 / 1024} MB).`)
  const all = new Uint8Array(size)
  let version: string | undefined
  for (let offset = 0; offset < size;) {
    const part = await client.file.bytes({ sessionId, path, offset, length: CHUNK })
    version ??= part.version
    const bytes = bytesOf(part.data)
    if (part.version !== version || bytes.length === 0) throw new Error('The file changed while it was being read.')
    all.set(bytes.subarray(0, size - offset), offset)
    offset += bytes.length
  }
  return all
}

/** A file as a URL for an `<img>`. */
export function useFileUrl(
  file: { sessionId: string; path: string; size: number; version: string },
  mediaType: string,
): { url: string | undefined; error: Error | null } {
  const client = useClient()
  const { sessionId, path, size, version } = file
  const { data, error } = useQuery({
    queryKey: ['file-bytes', sessionId, path, version],
    queryFn: () => readBytes(client, { sessionId, path, size }),
    structuralSharing: false,
    gcTime: 0,
    retry: 1,
  })
  const url = useMemo(
    () => (data ? URL.createObjectURL(new Blob([data], { type: mediaType })) : undefined),
    [data, mediaType],
  )
  useEffect(() => () => void (url !== undefined && URL.revokeObjectURL(url)), [url])
  return { url, error }
}
