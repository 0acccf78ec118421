import { onDemand } from '../../../ui/on-demand'
import './right-to-left.css'

/**
 * Markdown whose reader and renderer are fetched with the first conversation and not with the page. Until they are there, the text stands as it was
 * written.
 */
export const Markdown = onDemand(
  () => import('./markdown').then((module) => module.Markdown),
  ({ text }) => (
    <div dir="auto" className="md whitespace-pre-wrap">
      {text}
    </div>
  ),
)

/** Fetches them now. */
export function preloadMarkdown(): Promise<void> {
  return Markdown.preload()
}
