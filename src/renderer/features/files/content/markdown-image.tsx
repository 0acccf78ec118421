import { useQuery } from '@tanstack/react-query'
import { useClient } from '../../../state/page/queries'
import { useFileUrl } from './file-bytes'

interface MarkdownImageProps {
  sessionId: string
  /** Absolute path of the folder of the Markdown file. */
  folder: string
  href: string
  name: string
}

/** An image of the project that a Markdown file names by its path. */
export function MarkdownImage({ sessionId, folder, href, name }: MarkdownImageProps) {
  const client = useClient()
  const inner = href.replace(/[?#].*$/, '')
  const path = /^(?:\/|[a-z]:)/i.test(inner) ? inner : `${folder}/${inner}`
  const { data: view } = useQuery({
    queryKey: ['file-view', sessionId, path, 'image'],
    queryFn: () => client.file.view({ sessionId, path }),
    structuralSharing: false,
    staleTime: 30_000,
    retry: false,
  })
  const type = view?.mediaType?.startsWith('image/') ? view.mediaType : undefined
  if (!view || type === undefined) return <span className="md-picture">{name}</span>
  return <Loaded file={{ sessionId, path, size: view.size, version: view.version }} type={type} name={name} />
}

interface LoadedProps {
  file: Parameters<typeof useFileUrl>[0]
  type: string
  name: string
}

function Loaded({ file, type, name }: LoadedProps) {
  const { url } = useFileUrl(file, type)
  return url === undefined ? <span className="md-picture">{name}</span> : <img src={url} alt={name} />
}
