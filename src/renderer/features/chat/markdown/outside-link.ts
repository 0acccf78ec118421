/** The address to open outside for a link in an answer, or undefined when it must stay text: only web pages and mail addresses. */
export function outsideLink(href: string): string | undefined {
  const text = href.trim()
  if (!/^(?:https?:|mailto:)/i.test(text)) return undefined
  try {
    const url = new URL(text)
    if (url.protocol === 'mailto:') return url.href
    return url.hostname === '' ? undefined : url.href
  } catch {
    return undefined
  }
}

/** A picture that is in the text itself; anything else would have to be loaded from somewhere. */
export function inlinePicture(href: string): string | undefined {
  return /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[a-z\d+/=\s]*$/i.test(href) ? href : undefined
}
