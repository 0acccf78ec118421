import { safeLink } from '../../../../shared/model/safe-link'

/** The address to open outside for a link in an answer, or undefined when it must stay text. */
export const outsideLink = safeLink

/** A picture that is in the text itself; anything else would have to be loaded from somewhere. */
export function inlinePicture(href: string): string | undefined {
  return /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[a-z\d+/=\s]*$/i.test(href) ? href : undefined
}
