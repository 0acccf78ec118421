import { onDemand } from '../../../ui/on-demand'
import './right-to-left.css'

/**
 * Markdown whose lexer and renderer are loaded with the first conversation instead of with the page. Until then the
 * source text is shown.
 */
export const Markdown = onDemand(
  () => import('./markdown').then((module) => module.Markdown),
  ({ text }) => (
    <div dir="auto" className="md whitespace-pre-wrap">
      {text}
    </div>
  ),
)

/** Loads the lexer and the renderer now. */
export function preloadMarkdown(): Promise<void> {
  return Markdown.preload()
}
