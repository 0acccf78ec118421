import { useState } from 'react'
import { useFileUrl } from './file-bytes'

interface ImageViewProps {
  sessionId: string
  path: string
  size: number
  version: string
  mediaType: string
}

/** An image. Drawn as an image, an SVG runs no scripts and loads nothing. */
export function ImageView({ mediaType, ...file }: ImageViewProps) {
  const { url, error } = useFileUrl(file, mediaType)
  const [pixels, setPixels] = useState<string>()
  const [isBroken, setBroken] = useState(false)
  const name = file.path.split(/[\\/]/).at(-1) ?? file.path
  if (error || isBroken)
    return <p className="file-note">{error?.message ?? `${name} could not be drawn; the file may be damaged.`}</p>
  return (
    <div className="file-image" tabIndex={0} role="group" aria-label={name}>
      {url !== undefined && (
        <img
          src={url}
          alt={name}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setPixels(naturalWidth > 0 ? `${naturalWidth} × ${naturalHeight} pixels` : undefined)
          }
          onError={() => setBroken(true)}
        />
      )}
      <p role="status">{url === undefined ? 'Loading the image…' : pixels}</p>
    </div>
  )
}
