import type { PagePicture } from '../../../shared/model/app/page-preview'

/** Models see no more detail. */
const MAX_SIDE = 2000
/** Timeout in ms, because a tab that paints nothing delivers no frame. */
const WAIT_MS = 5000

/** Chromium only: limits the video track of this tab to one element. */
declare const CropTarget: { fromElement: (element: Element) => Promise<object> } | undefined

interface CroppableTrack extends MediaStreamTrack {
  cropTo: (target: object) => Promise<void>
}

/**
 * A picture of one element of this page. The browser asks the user to share this tab; the capture is cropped to the
 * element and stops after the picture. Throws an Error with a message for the user.
 */
export async function pictureOfElement(element: Element): Promise<PagePicture> {
  if (typeof CropTarget === 'undefined' || !('getDisplayMedia' in navigator.mediaDevices))
    throw new Error(
      'This browser cannot capture the preview. Take a screenshot yourself ' +
        'and paste it into your message; Chrome, Edge and the desktop app do it for you.',
    )
  const target = await CropTarget.fromElement(element)
  // Makes Chromium offer only this tab; other browsers ignore it.
  const constraints = { video: { displaySurface: 'browser' }, audio: false, preferCurrentTab: true }
  const stream = await navigator.mediaDevices.getDisplayMedia(constraints as DisplayMediaStreamOptions).catch(() => {
    throw new Error('No screenshot was taken: this tab was not shared.')
  })
  try {
    const [track] = stream.getVideoTracks()
    if (!track || !('cropTo' in track)) throw new Error('No screenshot was taken: this tab was not shared.')
    await (track as CroppableTrack).cropTo(target).catch(() => {
      throw new Error('No screenshot was taken: share this tab, not another one.')
    })
    return await pictureOfStream(stream)
  } finally {
    for (const track of stream.getTracks()) track.stop()
  }
}

/** A picture of the next frame of the stream. */
async function pictureOfStream(stream: MediaStream): Promise<PagePicture> {
  const video = document.createElement('video')
  video.muted = true
  video.srcObject = stream
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('No screenshot was taken: the tab is empty.')), WAIT_MS)
    video.requestVideoFrameCallback(() => {
      clearTimeout(timer)
      resolve()
    })
    video.play().catch(reject)
  })
  const scale = Math.min(1, MAX_SIDE / Math.max(video.videoWidth, video.videoHeight, 1))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(video.videoWidth * scale))
  canvas.height = Math.max(1, Math.round(video.videoHeight * scale))
  canvas.getContext('2d')?.drawImage(video, 0, 0, canvas.width, canvas.height)
  video.srcObject = null
  const mediaType = 'image/png'
  return { mediaType, data: canvas.toDataURL(mediaType).replace(/^[^,]*,/, '') }
}
